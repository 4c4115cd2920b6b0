//! Which scenario it is: everything that decides what is built from it.
//!
//! What enters: a scenario. What leaves: a [`RunIdentity`] with digests of the program itself and of
//! everything that a pack of the scenario would hold: its text, the files and the presets that it
//! names, and what those name.

use std::fs;

use anyhow::Result;
use sha2::{Digest, Sha256};
use understory::run::RunIdentity;
use understory::scenario::Scenario;
use understory::scenario::pack::Packing;

/// The identity of a scenario, without what a run may change.
pub fn identity_of_scenario(scenario: &Scenario, name: &str) -> Result<RunIdentity> {
    let mut identity = RunIdentity::default();
    identity.add("the program", format!("version {}", env!("CARGO_PKG_VERSION")));
    // Two builds of one version may differ.
    let program = std::env::current_exe().ok().and_then(|path| fs::read(path).ok());
    identity.add("the build of the program", hex(&program.unwrap_or_default()));
    identity.add("the scenario", name.to_owned());
    let manifest = Packing::new(scenario, name)?.manifest()?;
    for entry in manifest.entry {
        let what = match entry.from {
            Some(from) => format!("the file {from}"),
            None if entry.name == manifest.scenario => "the scenario's text".into(),
            None => entry.name,
        };
        identity.add(what, entry.sha256);
    }
    identity.add("vegetation LOD", format!("{:?}", scenario.vegetation_lod));
    Ok(identity)
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
