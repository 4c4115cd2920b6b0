//! The steps that `cargo xtask test --full` adds: what finds rare faults, and takes hours.

use std::process::Command;

use anyhow::Result;

use crate::shell::{cargo, root, run, target_dir};
use crate::{package, python};

/// Seconds for each format of files.
const FUZZ_SECONDS: &str = "120";
/// Random calls from Python.
const FUZZ_CALLS: &str = "1000000";
/// Seconds for each sensor.
const SOAK_SECONDS: &str = "600";

/// Files changed at random, and random arguments from Python.
pub fn fuzz() -> Result<()> {
    let readers = ["run", "--release", "--locked", "-p", "understory-cloud", "--example"];
    run(cargo(readers).args(["fuzz_readers", "--", "--seconds", FUZZ_SECONDS]))?;
    let python = python::package()?;
    package::install(&python, "release")?;
    let script = root().join("crates/understory-py/tests/fuzz_arguments.py");
    let mut calls = Command::new(&python);
    calls.current_dir(target_dir()?).arg(script).args(["--calls", FUZZ_CALLS, "--seed", "1"]);
    run(&mut calls)
}

/// Packets of a VLP-16 and an HDL-64E at true pace.
pub fn soak() -> Result<()> {
    let soak = ["run", "--release", "--locked", "-p", "understory-live", "--example"];
    run(cargo(soak).args(["live_soak", "--", SOAK_SECONDS]))
}

/// All tables and figures with the papers' sample sizes; the documents stay as they are.
pub fn reproductions() -> Result<()> {
    let folder = target_dir()?.join("reproductions");
    let reproduce = ["run", "--release", "--locked", "-p", "understory-cli", "--", "reproduce"];
    run(cargo(reproduce).args(["all", "--full", "-o"]).arg(folder))
}
