//! Which run it is: everything that decides its rows, so that parts of two runs are never mixed.
//!
//! What enters: a scenario and the options. What leaves: a [`RunIdentity`] with digests of the
//! program itself and of everything that a pack of the scenario would hold: its text, the files and
//! the presets that it names, and what those name.

use anyhow::Result;
use understory::run::{RunIdentity, RunOptions};

use crate::loading::Loaded;
use crate::scenario_identity::identity_of_scenario;

/// The identity of a run.
pub fn identity(loaded: &Loaded, options: &RunOptions) -> Result<RunIdentity> {
    let mut identity = identity_of_scenario(&loaded.scenario, &loaded.name)?;
    identity.add("the seed", loaded.run.seed.to_string());
    identity.add("keeping waveforms", options.keep_waveforms.to_string());
    Ok(identity)
}
