//! The steps that `cargo xtask test --full` adds: what finds rare faults, and takes hours.

use std::process::Command;

use anyhow::Result;

use crate::shell::{cargo, root, run, target_dir};
use crate::{fuzz, package, python};

/// Minutes for all readers.
const FUZZ_MINUTES: f64 = 70.0;
/// Random calls from Python.
const FUZZ_CALLS: &str = "1000000";
/// Seconds for each sensor.
const SOAK_SECONDS: &str = "600";

/// Every reader under libFuzzer, and random arguments from Python.
pub fn fuzz() -> Result<()> {
    fuzz::for_minutes(FUZZ_MINUTES)?;
    let python = python::package()?;
    package::install(&python, "release")?;
    let script = root().join("crates/understory-py/tests/fuzz_arguments.py");
    let mut calls = Command::new(&python);
    calls.current_dir(target_dir()?).arg(script).args(["--calls", FUZZ_CALLS, "--seed", "1"]);
    run(&mut calls)
}

/// The pages of the tutorial that take longer than everyday tests may.
pub fn tutorial(features: &[&str]) -> Result<()> {
    let test = ["test", "--release", "--locked", "-p", "understory-cli", "--test", "main"];
    run(cargo(test).args(features).args(["--", "--ignored", "the_long_tutorials_can_be_followed"]))
}

/// Packets of a VLP-16 and an HDL-64E at true pace.
pub fn soak() -> Result<()> {
    let soak = ["run", "--release", "--locked", "-p", "understory-live", "--example"];
    run(cargo(soak).args(["live_soak", "--", SOAK_SECONDS]))
}

/// What viewers receive, by their own packages.
pub fn viewers() -> Result<()> {
    let python = python::viewers()?;
    for package in ["understory-live", "understory-cli"] {
        let mut command = cargo(["test", "--locked", "-p", package, "--lib", "--bins", "--tests"]);
        command.args(["--features", "foxglove,rerun", "--", "viewer", "rerun", "foxglove"]);
        run(command.env("UNDERSTORY_PYTHON_VIEWERS", &python))?;
    }
    Ok(())
}

/// Leaf cubes of known leaf area, within 2 %, with `pyhelios3d` beside.
pub fn leaf_cubes(features: &[&str]) -> Result<()> {
    run(cargo(["build", "--workspace", "--locked", "--bin", "understory"]).args(features))?;
    let target = target_dir()?;
    let script = root().join("tools/studies/leaf_cubes.py");
    let mut cubes = Command::new(python::helios()?);
    cubes.arg(script).arg(target.join("debug/understory"));
    run(cubes.arg(target.join("leaf-cubes")).arg("--check"))
}

/// All tables and figures with the papers' sample sizes; the documents stay as they are.
pub fn reproductions() -> Result<()> {
    let folder = target_dir()?.join("reproductions");
    let reproduce = ["run", "--release", "--locked", "-p", "understory-cli", "--", "reproduce"];
    run(cargo(reproduce).args(["all", "--full", "-o"]).arg(folder))
}
