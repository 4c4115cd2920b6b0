//! Names of files in `[output]`: each once, and inside the folder of the outputs.
//!
//! A scenario may come from a stranger, alone or in a pack. Where its files go, its user says; it
//! says only what they are called there.

use crate::Error;
use std::path::{Component, Path, PathBuf};
use understory_files::{LayeredToml, Spanned};

/// The names that were taken so far.
#[derive(Default)]
pub(super) struct OutputNames(Vec<PathBuf>);

impl OutputNames {
    /// Takes a name, unless it leads out of the folder or is taken.
    pub(super) fn take(
        &mut self,
        layers: &LayeredToml<'_>,
        output: &Spanned<PathBuf>,
    ) -> Result<PathBuf, Error> {
        let path = output.get_ref();
        if !stays_inside(path) {
            return Err(layers.invalid(
                &output.span(),
                format!("{path:?} leads out of the folder of the outputs"),
                "name a file in that folder, such as \"points.laz\"; `--out` says where the folder is",
            ));
        }
        if self.0.contains(path) {
            let problem = format!("{path:?} is written twice");
            return Err(layers.invalid(&output.span(), problem, "name each file once"));
        }
        self.0.push(path.clone());
        Ok(path.clone())
    }
}

fn stays_inside(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_below_the_folder_stay_inside() {
        for inside in ["a.laz", "./a.laz", "scans/a.laz", "a..b/c.csv", "sequence/"] {
            assert!(stays_inside(Path::new(inside)), "{inside}");
        }
        for outside in ["/a.laz", "../a.laz", "scans/../../a.laz", "..", "a/.."] {
            assert!(!stays_inside(Path::new(outside)), "{outside}");
        }
    }
}
