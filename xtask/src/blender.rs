//! `cargo xtask blender`: the Blender extension as a zip that Blender installs, in `target/blender`.
//!
//! What enters: `blender/understory_blender`, the schema of sensors and the wheel of the Python package.
//! The step `blender` of `cargo xtask test` installs one with the library of the tests into Blender as a
//! Python module (`bpy`) and runs `blender/tests` there: the short ones each time, all of them and those of
//! the oldest supported Blender with `--full`. Where `bpy` cannot be installed the step says so, and fails
//! with `--full` or where `UNDERSTORY_REQUIRE` names `blender`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{captured, cargo, root, run, target_dir};
use crate::{package, python};

/// Builds the zip that users install.
pub fn build() -> Result<()> {
    let python = python::package()?;
    let wheel = package::build_wheel(&python, "release")?;
    let zip = assemble(&python, &["--wheel".as_ref(), &wheel], &target_dir()?.join("blender"))?;
    println!("{}", zip.display());
    Ok(())
}

/// Runs the tests; gives a note where there is no `bpy`. `features` are those of the tests before.
pub fn check(features: &[&str], full: bool) -> Result<Option<String>> {
    let required = std::env::var("UNDERSTORY_REQUIRE").unwrap_or_default();
    let required = full || required.split(',').any(|name| name == "blender");
    let mut environments = vec![python::blender()];
    if full {
        environments.push(python::oldest_blender());
    }
    let mut build = cargo(["build", "--workspace", "--locked", "--lib", "--bins", "--tests"]);
    run(build.args(features))?;
    let debug = target_dir()?.join("debug");
    let native = debug.join("libunderstory_native.so");
    let mut note = None;
    for environment in environments {
        let python = match environment {
            Ok(python) => python,
            Err(error) if required => return Err(error),
            Err(error) => {
                note = Some(format!("there is no bpy: {error:#}"));
                continue;
            }
        };
        let folder = target_dir()?.join("blender-tests");
        let zip = assemble(&python, &["--native".as_ref(), &native], &folder)?;
        let mut tests = Command::new(&python);
        tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "--durations=5"]);
        if !full {
            tests.args(["-m", "not slow"]);
        }
        tests.arg(root().join("blender/tests")).current_dir(&folder);
        tests.env("UNDERSTORY_EXTENSION", zip).env("UNDERSTORY_PROGRAM", debug.join("understory"));
        run(&mut tests)?;
    }
    Ok(note)
}

/// Puts the zip together.
fn assemble(python: &Path, what: &[&Path], folder: &Path) -> Result<PathBuf> {
    let mut script = Command::new(python);
    script.arg(root().join("blender/build_extension.py")).args(what).arg("--out").arg(folder);
    let said = captured(&mut script)?.stdout;
    let said = String::from_utf8(said).context("the path of the zip is no text")?;
    Ok(PathBuf::from(said.trim()))
}
