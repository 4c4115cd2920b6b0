//! Which run it is: everything that decides its rows, so that parts of two runs are never mixed.
//!
//! What enters: the scenario as the user named it, and the options. What leaves: a [`RunIdentity`]
//! with digests of the program itself, of the scenario and of every file that the scenario or a file
//! that it names mentions. A file that is mentioned but not read does no harm: if it changes, the
//! run begins anew.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use sha2::{Digest, Sha256};
use understory::run::{RunIdentity, RunOptions};
use understory::scenario::scenarios;

use crate::loading::Loaded;

/// The identity of a run of `scenario`, as it was named on the command line.
pub fn identity(scenario: &str, loaded: &Loaded, options: &RunOptions) -> Result<RunIdentity> {
    let mut identity = RunIdentity::default();
    identity.add("the program", format!("version {}", env!("CARGO_PKG_VERSION")));
    // Two builds of one version may differ.
    let program = std::env::current_exe().ok().and_then(|path| fs::read(path).ok());
    identity.add("the build of the program", hex(&program.unwrap_or_default()));
    identity.add("the scenario", loaded.name.clone());
    let path = Path::new(scenario);
    let text = match path.is_file() {
        true => fs::read(path)
            .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?,
        false => {
            let on_board = scenarios().iter().find(|(name, _)| *name == scenario);
            on_board.map_or(Vec::new(), |(_, text)| text.as_bytes().to_vec())
        }
    };
    identity.add("the scenario's text", hex(&text));
    let folder = path.parent().filter(|_| path.is_file()).unwrap_or(Path::new(""));
    let mut files = BTreeMap::new();
    mentioned(&text, path, folder, &mut files);
    for (path, digest) in files {
        // Hosts may have the scenario in different folders.
        let path = path.strip_prefix(folder).unwrap_or(&path);
        identity.add(format!("the file {}", path.display()), digest);
    }
    identity.add("the seed", options.seed.unwrap_or(loaded.run.seed).to_string());
    identity.add("far plants", format!("{:?}", loaded.scenario.far_plants));
    identity.add("keeping waveforms", options.keep_waveforms.to_string());
    Ok(identity)
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Adds the digests of all files that `text` mentions, and of those that they mention.
fn mentioned(text: &[u8], of: &Path, folder: &Path, files: &mut BTreeMap<PathBuf, String>) {
    let mut words = Vec::new();
    let ending = of.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let Ok(text) = std::str::from_utf8(text) else { return };
    match ending.as_str() {
        "toml" => {
            if let Ok(table) = text.parse::<toml::Table>() {
                strings_in_toml(&toml::Value::Table(table), &mut words);
            }
        }
        "gltf" => {
            if let Ok(value) = serde_json::from_str(text) {
                strings_in_json(&value, &mut words);
            }
        }
        "obj" | "mtl" => {
            let names = text.lines().filter_map(|line| line.trim().split_once(' '));
            words.extend(names.map(|(_, rest)| rest.trim().to_owned()).filter(|w| w.contains('.')));
        }
        _ => {}
    }
    for word in words {
        // Longer ones are data, not names.
        if word.len() > 1024 {
            continue;
        }
        let path = folder.join(&word);
        if files.contains_key(&path) || !path.is_file() {
            continue;
        }
        let Ok(bytes) = fs::read(&path) else { continue };
        files.insert(path.clone(), hex(&bytes));
        mentioned(&bytes, &path, path.parent().unwrap_or(folder), files);
    }
}

fn strings_in_toml(value: &toml::Value, words: &mut Vec<String>) {
    match value {
        toml::Value::String(text) => words.push(text.clone()),
        toml::Value::Array(items) => items.iter().for_each(|item| strings_in_toml(item, words)),
        toml::Value::Table(table) => table.values().for_each(|item| strings_in_toml(item, words)),
        _ => {}
    }
}

fn strings_in_json(value: &serde_json::Value, words: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => words.push(text.clone()),
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| strings_in_json(item, words));
        }
        serde_json::Value::Object(table) => {
            table.values().for_each(|item| strings_in_json(item, words));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_files_mention_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.gltf"), r#"{"buffers": [{"uri": "a.bin"}]}"#).unwrap();
        fs::write(at("b.obj"), "mtllib b.mtl\nv 0 0 0\n").unwrap();
        for name in ["a.bin", "b.mtl", "c.csv"] {
            fs::write(at(name), name).unwrap();
        }
        let text = "x = 'b.obj'\n[[y]]\nz = ['a.gltf', { w = 'c.csv' }, 'none.obj', 'words']\n";
        let mut files = BTreeMap::new();
        mentioned(text.as_bytes(), Path::new("s.toml"), folder.path(), &mut files);
        let names: Vec<_> = files.keys().filter_map(|path| path.file_name()).collect();
        assert_eq!(names, ["a.bin", "a.gltf", "b.mtl", "b.obj", "c.csv"]);
    }
}
