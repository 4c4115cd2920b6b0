//! Names of objects and materials, whose numbers records hold.
//!
//! LAS has them in an extended record, Parquet in the metadata of the file, a bag in a metadata
//! record, each as one line of JSON; a table of text stands beside files of other formats.

use crate::{CloudError, write_whole};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Under which name files of several formats hold the line of JSON.
pub(crate) const NAMES_KEY: &str = "understory:names";

/// What the numbers of objects and materials stand for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SceneNames {
    /// Objects; that with number `n` is at `n − 1`.
    pub objects: Vec<String>,
    /// Materials; that with number `n` is at `n − 1`.
    pub materials: Vec<String>,
}

impl SceneNames {
    /// One line of JSON.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The names in a line of JSON; none if it is something else.
    pub(crate) fn from_json(text: &[u8]) -> Option<SceneNames> {
        serde_json::from_slice(text).ok()
    }

    /// Writes a table of the columns `kind`, `number` and `name`.
    pub fn write_table(&self, path: &Path) -> Result<(), CloudError> {
        let failed = |e: csv::Error| CloudError::write(path, std::io::Error::other(e.to_string()));
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(["kind", "number", "name"]).map_err(failed)?;
        for (kind, names) in [("object", &self.objects), ("material", &self.materials)] {
            for (index, name) in names.iter().enumerate() {
                table.write_record([kind, &(index + 1).to_string(), name]).map_err(failed)?;
            }
        }
        let bytes = table
            .into_inner()
            .map_err(|e| CloudError::write(path, std::io::Error::other(e.to_string())))?;
        write_whole(path, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_every_name_with_its_number() {
        let names = SceneNames {
            objects: vec!["terrain".into(), "oak, \"old\"#1".into()],
            materials: vec!["soil".into()],
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("names.csv");
        names.write_table(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let expected = "kind,number,name\nobject,1,terrain\n\
                        object,2,\"oak, \"\"old\"\"#1\"\nmaterial,1,soil\n";
        assert_eq!(text, expected);
        assert_eq!(SceneNames::from_json(names.to_json().as_bytes()), Some(names));
        assert_eq!(SceneNames::from_json(b"[1]"), None);
    }
}
