//! The Python package: it is built and installed into an environment of its own, its stubs are
//! compared with what is there, its types are checked, and its tests are run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::python;
use crate::shell::{captured, cargo, root, run, target_dir};

/// Where the package is.
const FOLDER: &str = "crates/understory-py";

/// Builds, installs and checks the package; `features` are those of the tests before it.
pub fn check(features: &[&str]) -> Result<()> {
    let python = python::package()?;
    install_built(&python, features)?;
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

/// Installs the package as a wheel would, with what the tests have built: a wheel of its own would
/// build most dependencies anew, with fewer of their features.
fn install_built(python: &Path, features: &[&str]) -> Result<()> {
    let mut build = cargo(["build", "--workspace", "--locked", "--lib", "--tests"]);
    run(build.args(features))?;
    let native = target_dir()?.join("debug").join("libunderstory_native.so");
    let mut where_to = Command::new(python);
    where_to.args(["-c", "import sysconfig; print(sysconfig.get_path('platlib'))"]);
    let packages = String::from_utf8_lossy(&captured(&mut where_to)?.stdout).trim().to_owned();
    let packages = PathBuf::from(packages);
    let package = packages.join("understory");
    let _ = std::fs::remove_dir_all(&package);
    let sources = root().join(FOLDER).join("python").join("understory");
    copy_sources(&sources, &package)?;
    copy(&native, &package.join("_native.abi3.so"))?;
    let facts = packages.join(concat!("understory-", env!("CARGO_PKG_VERSION"), ".dist-info"));
    std::fs::create_dir_all(&facts)?;
    let version = env!("CARGO_PKG_VERSION");
    let metadata = format!("Metadata-Version: 2.1\nName: understory\nVersion: {version}\n");
    Ok(std::fs::write(facts.join("METADATA"), metadata)?)
}

/// Copies a folder of Python, without what the interpreter left in it.
fn copy_sources(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in
        std::fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))?
    {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if !entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else if entry.file_name() != "__pycache__" {
            copy_sources(&entry.path(), &target)?;
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Builds the wheel with a profile of cargo.
pub fn build_wheel(python: &Path, profile: &str) -> Result<PathBuf> {
    let wheels = target_dir()?.join("wheels");
    // Wheels of other versions would be installed as well.
    let _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--locked", "--compatibility", "linux"]);
    maturin.args(["--profile", profile, "--interpreter"]).arg(python).arg("--out").arg(&wheels);
    run(maturin.current_dir(root().join(FOLDER)))?;
    wheel(&wheels)
}

/// Builds the wheel with a profile of cargo and installs it.
pub fn install(python: &Path, profile: &str) -> Result<()> {
    let wheel = build_wheel(python, profile)?;
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip.args(["--force-reinstall", "--no-deps"]);
    run(pip.arg(wheel))
}

fn wheel(folder: &Path) -> Result<PathBuf> {
    let files =
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    files
        .filter_map(|file| Some(file.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "whl"))
        .with_context(|| format!("{} holds no wheel", folder.display()))
}
