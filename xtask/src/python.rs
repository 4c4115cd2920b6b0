//! The Python environment in `.venv` with which the tests read our files by other people's tools.
//!
//! It is made once, and again when `xtask/python-requirements.txt` changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell::{captured, root, run};

/// The environment's interpreter; makes or renews the environment where needed.
pub fn interpreter() -> Result<PathBuf> {
    let requirements_path = root().join("xtask").join("python-requirements.txt");
    let requirements = fs::read_to_string(&requirements_path)
        .with_context(|| format!("cannot read {}", requirements_path.display()))?;
    let environment = root().join(".venv");
    let python = environment.join("bin").join("python");
    // Holds the requirements that were installed last; written only after pip succeeded.
    let stamp = environment.join("installed-requirements.txt");
    let fresh = fs::read_to_string(&stamp).is_ok_and(|installed| installed == requirements);
    if fresh && captured(Command::new(&python).arg("--version")).is_ok() {
        return Ok(python);
    }
    create(&environment)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    run(pip.arg(&requirements_path))?;
    fs::write(&stamp, requirements).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

fn create(environment: &Path) -> Result<()> {
    let make = || {
        let mut command = Command::new("python3");
        command.args(["-m", "venv", "--clear"]).arg(environment);
        command
    };
    if run(&mut make()).is_ok() {
        return Ok(());
    }
    // Debian keeps venv in a package of its own, and a bare container has no Python at all.
    if !is_root() || captured(Command::new("apt-get").arg("--version")).is_err() {
        bail!("Python 3 with venv is missing; install it (Debian: apt-get install python3-venv)");
    }
    run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run(Command::new("apt-get").args(["install", "--yes", "--quiet", "python3", "python3-venv"]))?;
    run(&mut make())
}

fn is_root() -> bool {
    captured(Command::new("id").arg("-u")).is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
