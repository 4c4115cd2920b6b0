//! What a pack says of itself: `manifest.toml`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

use super::digest::Recorded;
use super::{FORMAT, MANIFEST, name};
use crate::Error;

/// Most entries of a pack; a manifest that lists them all has some 100 MB.
const ENTRIES_MAX: usize = 500_000;

/// What is in a pack, and who made it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this format.
    pub format: u32,
    /// Version of the program that made the pack.
    pub program: String,
    /// Name of the scenario.
    pub name: String,
    /// Its seed.
    pub seed: u64,
    /// The entry with its text.
    pub scenario: String,
    /// Digests of a run, if one was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<Recorded>,
    /// Everything that the pack holds besides the manifest.
    pub entry: Vec<Entry>,
}

/// One file of a pack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name in the pack.
    pub name: String,
    /// What it is.
    pub kind: EntryKind,
    /// Its size when unpacked.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal digits.
    pub sha256: String,
    /// What the scenario called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// The scenario.
    Scenario,
    /// A file that it names, or that such a file names.
    File,
    /// A preset that the program carries, as it was when the pack was made.
    Preset,
}

impl Manifest {
    /// Reads and checks a manifest; `location` names the pack.
    pub(super) fn parse(text: &str, location: &str) -> Result<Manifest, Error> {
        let here = || format!("{location}, {MANIFEST}");
        let unreadable = |error: toml::de::Error| {
            let problem = format!("the manifest cannot be read: {}", error.message());
            Error::invalid(here(), problem.replace('\n', ", "), "make or get the pack again")
        };
        // A newer format may have other keys, so its number is looked at alone first.
        let table: toml::Table = text.parse().map_err(unreadable)?;
        let format = table.get("format").and_then(toml::Value::as_integer);
        if let Some(newer) = format.filter(|format| *format > i64::from(FORMAT)) {
            let maker = table.get("program").and_then(toml::Value::as_str).unwrap_or("unknown");
            return Err(Error::invalid(
                location,
                format!(
                    "this pack has format {newer}, made by Understory {maker}, and this is \
                     Understory {}, which reads format {FORMAT}",
                    env!("CARGO_PKG_VERSION")
                ),
                "update Understory, or have the scenario packed by this version",
            ));
        }
        if format != Some(i64::from(FORMAT)) {
            let problem = "the manifest does not say which format it has";
            return Err(Error::invalid(here(), problem, "make or get the pack again"));
        }
        let manifest: Manifest = table.try_into().map_err(unreadable)?;
        manifest.check(&here())?;
        Ok(manifest)
    }

    fn check(&self, location: &str) -> Result<(), Error> {
        let refuse = |problem: String| {
            Err(Error::invalid(location, problem, "make the pack again with `understory pack`"))
        };
        if self.entry.len() > ENTRIES_MAX {
            return refuse(format!("there are more than {ENTRIES_MAX} entries"));
        }
        let mut names = BTreeSet::new();
        for entry in &self.entry {
            name::check(&entry.name, location)?;
            // Two names that differ in case alone are one on some systems.
            if !names.insert(entry.name.to_lowercase()) || entry.name == MANIFEST {
                return refuse(format!("{:?} is there twice", entry.name));
            }
        }
        if !self.entry.iter().any(|entry| entry.name == self.scenario) {
            return refuse(format!("there is no entry {:?} for the scenario", self.scenario));
        }
        Ok(())
    }

    /// Size of everything when unpacked.
    pub fn bytes(&self) -> u64 {
        self.entry.iter().fold(0, |sum, entry| sum.saturating_add(entry.bytes))
    }
}
