//! Python environments: `.venv` and `.venv-ouster`, with which the tests read our files by other
//! people's tools, `.venv-package`, in which the Python package is tested, `.venv-blender` and
//! `.venv-blender-4.2`, in which Blender is, `.venv-bench`, which brings the ray tracer that ours is
//! measured against, and `.venv-helios`, which brings leaf cubes and an estimator of leaf area beside ours.
//!
//! Each is made once, and again when its file of requirements in `xtask/` changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{captured, root, run};

/// Blender as a module has wheels for one version of Python each.
const BLENDERS_PYTHON: &str = "python3.11";

/// Makes all environments of the tests; gives a note on those that cannot be made.
pub fn prepare() -> Result<Option<String>> {
    println!("using {}", interpreter()?.display());
    println!("using {}", package()?.display());
    // Not every Python has a wheel of it.
    Ok(ouster_interpreter().err().map(|error| format!("there is no ouster-sdk: {error:#}")))
}

/// The interpreter of the tests' environment.
pub fn interpreter() -> Result<PathBuf> {
    environment(".venv", "python-requirements.txt")
}

/// The interpreter with ouster-sdk, which wants older packages than the others.
pub fn ouster_interpreter() -> Result<PathBuf> {
    environment(".venv-ouster", "ouster-requirements.txt")
}

/// The interpreter of the environment in which the Python package is built and tested.
pub fn package() -> Result<PathBuf> {
    environment(".venv-package", "package-requirements.txt")
}

/// The interpreter with what viewers are made of.
pub fn viewers() -> Result<PathBuf> {
    environment(".venv-viewers", "viewers-requirements.txt")
}

/// The interpreter of the environment with Blender.
pub fn blender() -> Result<PathBuf> {
    environment_of(BLENDERS_PYTHON, ".venv-blender", "blender-requirements.txt")
}

/// The interpreter of the environment with the oldest Blender that is supported.
pub fn oldest_blender() -> Result<PathBuf> {
    environment_of(BLENDERS_PYTHON, ".venv-blender-4.2", "blender-4.2-requirements.txt")
}

/// The interpreter of the environment with `pyhelios3d`.
pub fn helios() -> Result<PathBuf> {
    environment(".venv-helios", "helios-requirements.txt")
}

/// The interpreter of the benchmarks' environment.
pub fn benchmarks() -> Result<PathBuf> {
    environment(".venv-bench", "bench-requirements.txt")
}

/// The Embree library inside the wheel `embreex`.
pub fn embree_library() -> Result<PathBuf> {
    let python = benchmarks()?;
    let ask = "import embreex, pathlib; print(pathlib.Path(embreex.__file__).parent.parent)";
    let packages = captured(Command::new(&python).args(["-c", ask]))?.stdout;
    let folder = PathBuf::from(String::from_utf8(packages)?.trim()).join("embreex.libs");
    let files =
        fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut libraries = files.filter_map(|file| Some(file.ok()?.path()));
    libraries
        .find(|path| {
            path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("libembree4"))
        })
        .with_context(|| format!("{} holds no libembree4", folder.display()))
}

/// The interpreter of an environment, which is made or renewed where needed.
fn environment(folder: &str, requirements: &str) -> Result<PathBuf> {
    environment_of("python3", folder, requirements)
}

/// The same of a Python of this name.
fn environment_of(program: &str, folder: &str, requirements: &str) -> Result<PathBuf> {
    let requirements_path = root().join("xtask").join(requirements);
    let requirements = fs::read_to_string(&requirements_path)
        .with_context(|| format!("cannot read {}", requirements_path.display()))?;
    let environment = root().join(folder);
    let python = environment.join("bin").join("python");
    // Holds the requirements that were installed last; written only after pip succeeded.
    let stamp = environment.join("installed-requirements.txt");
    let fresh = fs::read_to_string(&stamp).is_ok_and(|installed| installed == requirements);
    if fresh && captured(Command::new(&python).arg("--version")).is_ok() {
        return Ok(python);
    }
    create(program, &environment)?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    run(pip.arg(&requirements_path))?;
    fs::write(&stamp, requirements).with_context(|| format!("cannot write {}", stamp.display()))?;
    Ok(python)
}

fn create(program: &str, environment: &Path) -> Result<()> {
    let mut command = Command::new(program);
    command.args(["-m", "venv", "--clear"]).arg(environment);
    run(&mut command).with_context(|| {
        format!("{program} with venv is missing; `cargo xtask test --only system` installs Python 3 or says how to")
    })
}
