//! What `vegetation_lod = "auto"` measured of a scenario, kept from run to run.
//!
//! Measuring takes some seconds and always finds the same for the same program, scenario and files,
//! whose digest is the name of the note. Notes stand in the user's folder for caches
//! (`XDG_CACHE_HOME`, or `~/.cache`), or in `UNDERSTORY_CACHE_DIR`; without one nothing is kept.

use std::env;
use std::path::PathBuf;

use understory::scenario::Scenario;
use understory::world::vegetation_lod::{VegetationLod, VegetationLodReport};
use understory_cloud::write_whole;

use crate::scenario_identity::identity_of_scenario;

/// Where the note about a scenario is or will be.
pub struct LodNote {
    path: PathBuf,
}

impl LodNote {
    /// Of a scenario whose LOD is measured; `None` for others and without a folder for caches.
    pub fn of(scenario: &Scenario, name: &str) -> Option<LodNote> {
        if scenario.vegetation_lod != VegetationLod::Auto {
            return None;
        }
        let mut identity = identity_of_scenario(scenario, name).ok()?;
        identity.add("the seed", scenario.seed.to_string());
        let digest: String = identity.digest().iter().map(|byte| format!("{byte:02x}")).collect();
        Some(LodNote { path: folder()?.join(format!("vegetation-lod-{digest}.json")) })
    }

    /// What was measured before.
    pub fn read(&self) -> Option<VegetationLodReport> {
        serde_json::from_slice(&std::fs::read(&self.path).ok()?).ok()
    }

    /// Keeps what was measured; if that fails, it is measured again the next time.
    pub fn write(&self, report: &VegetationLodReport) {
        let Some(folder) = self.path.parent() else { return };
        let kept = std::fs::create_dir_all(folder).is_ok();
        if let (true, Ok(text)) = (kept, serde_json::to_vec(report)) {
            let _ = write_whole(&self.path, &text);
        }
    }
}

/// Where what was measured is kept.
pub fn folder() -> Option<PathBuf> {
    let named = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    named("UNDERSTORY_CACHE_DIR")
        .or_else(|| named("XDG_CACHE_HOME").map(|cache| cache.join("understory")))
        .or_else(|| named("HOME").map(|home| home.join(".cache/understory")))
}
