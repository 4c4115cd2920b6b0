//! The Python package: its wheel is built and installed into an environment of its own, its stubs are
//! compared with what is there, its types are checked, and its tests are run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::python;
use crate::shell::{root, run, target_dir};

/// Where the package is.
const FOLDER: &str = "crates/understory-py";

/// Builds, installs and checks the package.
pub fn check() -> Result<()> {
    let python = python::package()?;
    install(&python, "dev")?;
    // Outside of the sources, so that the installed package is the one that is imported.
    let elsewhere = target_dir()?;
    let module = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.current_dir(&elsewhere).arg("-m").args(arguments);
        command
    };
    let settings = root().join(FOLDER).join("pyproject.toml");
    let mut stubs = module(&["mypy.stubtest", "understory", "--ignore-missing-stub"]);
    run(stubs.arg("--mypy-config-file").arg(&settings))?;
    run(module(&["mypy", "--package", "understory", "--config-file"]).arg(&settings))?;
    let tests = root().join(FOLDER).join("tests");
    run(module(&["pytest", "-q", "-p", "no:cacheprovider", "--durations=5"]).arg(tests))
}

/// Compares rays against a mesh with Open3D and Embree.
pub fn bench(arguments: &[OsString]) -> Result<()> {
    let python = python::package()?;
    install(&python, "release")?;
    let script = root().join(FOLDER).join("benches").join("rays.py");
    run(Command::new(&python).arg(script).args(arguments))
}

/// Builds the wheel with a profile of cargo and installs it.
pub fn install(python: &Path, profile: &str) -> Result<()> {
    let wheels = target_dir()?.join("wheels");
    // Wheels of other versions would be installed as well.
    let _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--locked", "--compatibility", "linux"]);
    maturin.args(["--profile", profile, "--interpreter"]).arg(python).arg("--out").arg(&wheels);
    run(maturin.current_dir(root().join(FOLDER)))?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--force-reinstall", "--no-deps"]);
    run(pip.arg(wheel(&wheels)?))
}

fn wheel(folder: &Path) -> Result<PathBuf> {
    let files =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    files
        .filter_map(|file| Some(file.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .with_context(|| format!("{} holds no wheel", folder.display()))
}
