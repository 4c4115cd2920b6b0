//! What the tests may do without, and what they did without.
//!
//! Tests that need Python, ouster-sdk or real recordings fail where these are missing, unless
//! `UNDERSTORY_SKIP` names them (`crates/understory-testing/src/need.rs`). This names what this machine
//! cannot have, and gathers the lines of the tests that were skipped.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::shell::{root, target_dir};

/// What is there for the tests, and the file into which they write what they skip.
pub struct Skips {
    python: PathBuf,
    ouster: Option<PathBuf>,
    allowed: Vec<String>,
    list: PathBuf,
}

impl Skips {
    /// Looks at what is there.
    pub fn new() -> Result<Skips> {
        let list = target_dir()?.join("skipped-tests.txt");
        if list.exists() {
            fs::remove_file(&list)?;
        }
        let named = std::env::var("UNDERSTORY_SKIP").unwrap_or_default();
        let mut allowed: Vec<String> =
            named.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        // Not every Python has a wheel of it.
        let ouster = python::ouster_interpreter();
        if let Err(error) = &ouster {
            println!("tests with ouster-sdk are skipped: {error:#}");
            allowed.push("ouster".to_owned());
        }
        // They are other people's and large, so that most checkouts are without them.
        let shared = root().join("../shared/data");
        if std::env::var_os("UNDERSTORY_SHARED").is_none() && !shared.is_dir() {
            println!("tests with real recordings are skipped: {} is not there", shared.display());
            allowed.push("data".to_owned());
        }
        Ok(Skips { python: python::interpreter()?, ouster: ouster.ok(), allowed, list })
    }

    /// Tells a command that runs tests.
    pub fn pass_to(&self, command: &mut Command) {
        command.env("UNDERSTORY_PYTHON", &self.python);
        if let Some(ouster) = &self.ouster {
            command.env("UNDERSTORY_PYTHON_OUSTER", ouster);
        }
        command.env("UNDERSTORY_SKIP", self.allowed.join(","));
        command.env("UNDERSTORY_SKIPPED_FILE", &self.list);
    }

    /// Prints the tests that were skipped; gives how many for each need.
    pub fn note(&self) -> Option<String> {
        let lines = fs::read_to_string(&self.list).unwrap_or_default();
        let mut needs: BTreeMap<&str, usize> = BTreeMap::new();
        for line in lines.lines() {
            println!("skipped: {line}");
            *needs.entry(line.split(':').next().unwrap_or(line)).or_default() += 1;
        }
        let counts: Vec<String> =
            needs.iter().map(|(need, count)| format!("{count} for want of {need}")).collect();
        (!counts.is_empty()).then(|| format!("tests were skipped: {}", counts.join(", ")))
    }
}
