//! Licences, advisories, bans and sources of all dependencies, by cargo-deny with `deny.toml`.
//!
//! cargo-deny is built into the target directory when the machine has none. The advisories come
//! from a database on a git host: where that cannot be reached, the other checks still run and a
//! note says what was left out.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::shell::{captured, cargo, root, run, target_dir};

/// The version whose configuration format `deny.toml` is written in.
const VERSION: &str = "0.20.2";

/// Runs all checks; gives a note where the advisories had to be left out.
pub fn check() -> Result<Option<String>> {
    let program = program()?;
    let deny = |arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.current_dir(root()).arg("--all-features").args(arguments);
        command
    };
    run(&mut deny(&["check", "licenses", "bans", "sources"]))?;
    if let Err(error) = captured(&mut deny(&["fetch", "db"])) {
        let why = format!("{error:#}");
        let why = why.lines().last().unwrap_or_default().trim();
        println!("the advisory database could not be fetched: {why}");
        return Ok(Some("advisories were skipped: their database could not be fetched".to_owned()));
    }
    run(&mut deny(&["check", "--disable-fetch", "advisories"]))?;
    Ok(None)
}

/// cargo-deny of the right version: the machine's, or our own in the target directory.
fn program() -> Result<PathBuf> {
    let own = target_dir()?.join("tools").join("bin").join("cargo-deny");
    let candidates = [PathBuf::from("cargo-deny"), own.clone()];
    if let Some(found) = candidates.into_iter().find(is_right_version) {
        return Ok(found);
    }
    println!("cargo-deny {VERSION} is not installed; building it once (some minutes)");
    let tools = target_dir()?.join("tools");
    let mut install =
        cargo(["install", "--locked", "--quiet", "--debug", "cargo-deny", "--version", VERSION]);
    // Without optimisation it is built in half the time and still fast enough.
    // Its own build directory, so that its flags and profile do not disturb ours.
    install.arg("--root").arg(&tools).env("CARGO_TARGET_DIR", tools.join("build"));
    run(&mut install).context("cargo-deny could not be installed")?;
    // Only the program is needed from now on; failing to tidy up is no failure.
    let _ = std::fs::remove_dir_all(tools.join("build"));
    Ok(own)
}

fn is_right_version(program: &PathBuf) -> bool {
    captured(Command::new(program).arg("--version"))
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION))
}
