//! Scenarios that are built: kept while they are used, and only so many of them.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use serde_json::Value;
use understory::pulse::PreparedRun;
use understory::scenario::Scenario;
use understory::world::scene::Scene;
use understory::world::vegetation_lod::VegetationLod;
use understory_base::Progress;

use crate::document::ScenarioText;
use crate::protocol::document::Problem;

/// Built scenarios that are kept.
const KEPT: usize = 4;
/// Bytes of scenes that are kept, the newest in any case.
const KEPT_BYTES: usize = 3 << 30;

/// A scenario with everything that its pulses need.
pub struct Prepared {
    /// What it says.
    pub scenario: Scenario,
    /// What is simulated.
    pub run: PreparedRun,
    /// How long building took.
    pub building_s: f64,
    world: Value,
    shown: OnceLock<Arc<Scene>>,
}

impl Prepared {
    /// The scene to look at: volumes of learned sites are ellipsoids.
    pub fn shown(&self) -> Result<Arc<Scene>, understory::Error> {
        if self.run.scene.sites.is_empty() {
            return Ok(self.run.scene.clone());
        }
        if let Some(scene) = self.shown.get() {
            return Ok(scene.clone());
        }
        let scene = Arc::new(self.scenario.build_scene_to_show()?);
        Ok(self.shown.get_or_init(|| scene).clone())
    }

    /// The run with another seed.
    pub fn with_seed(&self, seed: Option<u64>) -> PreparedRun {
        let mut run = self.run.clone();
        if let Some(seed) = seed.filter(|seed| *seed != run.seed) {
            run.reseed(seed);
        }
        run
    }
}

/// The newest built scenarios.
#[derive(Default)]
pub struct PreparedCache {
    /// The newest last.
    built: Mutex<Vec<(String, Arc<Prepared>)>>,
    /// Who builds.
    building: Mutex<()>,
}

impl PreparedCache {
    /// Builds a scenario, unless it is there already.
    pub fn get(
        &self,
        text: &ScenarioText,
        root: &Path,
        progress: &dyn Progress,
    ) -> Result<Arc<Prepared>, Problem> {
        let key = format!("{}\n{}\n{}", text.name, text.folder.display(), text.text);
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let _one_at_a_time = self.building.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = self.find(&key) {
            return Ok(found);
        }
        let start = Instant::now();
        let scenario = text.scenario(root)?;
        let world = world_of(text);
        let failed = |error: understory::Error| text.problem(&error.to_string());
        let same =
            self.same_world(&world).filter(|_| scenario.vegetation_lod == VegetationLod::Off);
        let run = match same {
            Some(scene) => scenario.prepare_in(scene, progress).map_err(failed)?,
            None => scenario.prepare_reporting(progress).map_err(failed)?,
        };
        let building_s = start.elapsed().as_secs_f64();
        let shown = OnceLock::new();
        let prepared = Arc::new(Prepared { scenario, run, building_s, world, shown });
        self.keep(key, prepared.clone());
        Ok(prepared)
    }

    fn find(&self, key: &str) -> Option<Arc<Prepared>> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let place = built.iter().position(|(known, _)| known == key)?;
        let found = built.remove(place);
        let prepared = found.1.clone();
        built.push(found);
        Some(prepared)
    }

    /// A scene of the same world, as full of detail.
    fn same_world(&self, world: &Value) -> Option<Arc<Scene>> {
        let built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let same = built.iter().rev().map(|(_, prepared)| prepared).find(|prepared| {
            prepared.scenario.vegetation_lod == VegetationLod::Off
                && !world.is_null()
                && prepared.world == *world
        });
        same.map(|prepared| prepared.run.scene.clone())
    }

    fn keep(&self, key: String, prepared: Arc<Prepared>) {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        built.push((key, prepared));
        let bytes = |built: &[(String, Arc<Prepared>)]| -> usize {
            built.iter().map(|(_, prepared)| prepared.run.scene.memory_bytes()).sum()
        };
        while built.len() > 1 && (built.len() > KEPT || bytes(&built) > KEPT_BYTES) {
            built.remove(0);
        }
    }
}

/// What a scene depends on: the tables of the world, the seed and the duration, where its files are.
fn world_of(text: &ScenarioText) -> Value {
    let whole: Value = toml_edit::de::from_str(&text.text).unwrap_or_default();
    if whole.is_null() {
        return Value::Null;
    }
    serde_json::json!([
        whole["world"],
        whole["seed"],
        whole["duration_s"],
        text.folder.display().to_string()
    ])
}
