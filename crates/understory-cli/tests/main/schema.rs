//! The schemas and the references of keys that are kept are those that the program prints, and all
//! built-in files keep to them.
//!
//! `UNDERSTORY_UPDATE=1` writes them anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::support::{Workplace, text};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn schemas_and_references_are_current() {
    let work = Workplace::new();
    for files in ["scenario", "sensor"] {
        for (kept, more) in [
            (format!("schema/{files}.schema.json"), &[][..]),
            (format!("docs/{files}-keys.md"), &["--markdown"][..]),
        ] {
            let printed = work.succeed(&[&["schema", files], more].concat());
            let path = root().join(&kept);
            if std::env::var_os("UNDERSTORY_UPDATE").is_some() {
                std::fs::write(&path, &printed).unwrap();
            }
            let known = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(known == printed, "{kept} is not current; set UNDERSTORY_UPDATE=1 to write it");
        }
    }
}

/// By the package `jsonschema`, which shares nothing with the program.
#[test]
fn built_in_files_keep_to_their_schemas() {
    let Some(python) = std::env::var_os("UNDERSTORY_PYTHON") else {
        println!("skipped: UNDERSTORY_PYTHON is not set; cargo xtask test sets it");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_schema.py");
    for (schema, folder) in [("scenario", "scenarios"), ("sensor", "sensors")] {
        let files = std::fs::read_dir(root().join(folder)).unwrap();
        let files = files.map(|entry| entry.unwrap().path());
        let files: Vec<PathBuf> =
            files.filter(|path| path.extension().is_some_and(|e| e == "toml")).collect();
        assert!(files.len() > 30, "{folder}");
        let mut command = Command::new(&python);
        command.arg(&script).arg(root().join(format!("schema/{schema}.schema.json")));
        let output = command.args(&files).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stdout));
    }
}
