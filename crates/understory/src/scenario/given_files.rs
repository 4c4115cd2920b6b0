//! What a scenario has in memory, as files: a [`Scenario`] that names only files leaves.
//!
//! Meshes become OBJ files with all digits and sites site files, so the new scenario gives the same
//! bytes; it is what is packed.

use std::collections::BTreeMap;
use std::path::Path;

use understory_cloud::StagedFile;
use understory_files::hint::word_remedy;

use super::Scenario;
use super::given;
use crate::Error;

impl Scenario {
    /// The same scenario with what it has in memory as files in `folder`, which exists and is empty;
    /// the scenario itself where it has nothing in memory.
    pub fn with_files_in(&self, folder: &Path) -> Result<Scenario, Error> {
        let source = self.source();
        if source.assets.meshes.is_empty() && source.assets.sites.is_empty() {
            return Ok(self.clone());
        }
        let refuse = |error: toml::de::Error| {
            Error::invalid(&source.location, error.to_string(), "repair it")
        };
        let mut table: toml::Table = source.text.parse().map_err(refuse)?;
        let mut written: BTreeMap<String, String> = BTreeMap::new();
        let mut write = |typed: &str| -> Result<Option<String>, Error> {
            let Some(name) = given::name(Path::new(typed)) else { return Ok(None) };
            if let Some(path) = written.get(name) {
                return Ok(Some(path.clone()));
            }
            let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
            let start: String = name.chars().map(plain).take(60).collect();
            let start = folder.join(format!("{}-{start}", written.len() + 1));
            let path = if let Some(mesh) = source.assets.meshes.get(name) {
                let path = start.with_extension("obj");
                let mut file = StagedFile::create(&path)?;
                mesh.write_obj(&mut file).map_err(|error| file.failed(error))?;
                file.publish()?
            } else if let Some(site) = source.assets.sites.get(name) {
                let path = start.with_extension("site");
                site.write(&path)?;
                path
            } else {
                let names = source.assets.meshes.keys().chain(source.assets.sites.keys());
                let names: Vec<&str> = names.map(String::as_str).collect();
                let problem = format!("nothing called {name:?} is in memory");
                return Err(Error::invalid(&source.location, problem, word_remedy(name, &names)));
            };
            let path = path.display().to_string();
            written.insert(name.to_owned(), path.clone());
            Ok(Some(path))
        };
        let Some(world) = table.get_mut("world") else { return Ok(self.clone()) };
        rename(world, &mut write)?;
        let text = toml::to_string(&table).map_err(|error| {
            Error::invalid(&source.location, error.to_string(), "report this, please")
        })?;
        Scenario::from_toml(&text, &source.location, &source.folder)
    }
}

/// Changes the texts of a value for which `write` gives others.
fn rename(
    value: &mut toml::Value,
    write: &mut dyn FnMut(&str) -> Result<Option<String>, Error>,
) -> Result<(), Error> {
    match value {
        toml::Value::String(text) => {
            if let Some(path) = write(text)? {
                *text = path;
            }
        }
        toml::Value::Array(values) => {
            for value in values {
                rename(value, write)?;
            }
        }
        toml::Value::Table(table) => {
            for (_, value) in table {
                rename(value, write)?;
            }
        }
        _ => {}
    }
    Ok(())
}
