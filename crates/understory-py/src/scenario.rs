//! Scenarios and sensors: TOML text with what is in memory → checked, or a sentence.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory::Error;
use understory::scenario::pack::{ENDING, Pack, Packing, is_pack};
use understory::scenario::{self, InMemoryAssets, Scenario as Checked};
use understory::sensor::{Sensor, preset_text, presets};
use understory::world::scene::mesh_file::MeshFile;
use understory::world::scene::volume::SiteRays;

use crate::columns::{triples, values};
use crate::errors::{argument, simulator};
use crate::site::Site;
use crate::values::{merge, to_table};

/// A scenario that was found valid.
#[pyclass(frozen, module = "understory._native")]
pub struct Scenario {
    pub checked: Checked,
}

/// Vertices, triangles, names of materials and the material of each triangle.
type GivenMesh<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Vec<String>, Bound<'py, PyAny>);

#[pymethods]
impl Scenario {
    /// From a text; `meshes` are vertices, triangles, names of materials and the material of each
    /// triangle, by name.
    #[new]
    fn new(
        py: Python<'_>,
        text: &str,
        location: &str,
        folder: PathBuf,
        meshes: &Bound<'_, PyDict>,
        sites: &Bound<'_, PyDict>,
    ) -> PyResult<Scenario> {
        let mut given = InMemoryAssets { meshes: BTreeMap::new(), sites: BTreeMap::new() };
        for (name, mesh) in meshes {
            let name: String = name.extract()?;
            let (vertices, triangles, materials, of_triangle): GivenMesh<'_> = mesh.extract()?;
            let vertices = triples(&vertices, "vertices")?.into_iter().map(DVec3::from).collect();
            let triangles = triples(&triangles, "triangles")?;
            let location = format!("mesh {name:?}");
            let mut mesh =
                MeshFile::from_arrays(&location, vertices, triangles).map_err(simulator)?;
            if !materials.is_empty() {
                let of_triangle = values(&of_triangle, "materials")?;
                mesh = mesh.with_materials(&location, materials, of_triangle).map_err(simulator)?;
            }
            given.meshes.insert(name, Arc::new(mesh));
        }
        for (name, site) in sites {
            let site = site.cast::<Site>()?;
            given.sites.insert(name.extract()?, Arc::clone(&site.get().site));
        }
        let given = Arc::new(given);
        let checked = py.detach(|| Checked::from_toml_given(text, location, &folder, given));
        Ok(Scenario { checked: checked.map_err(simulator)? })
    }

    /// A scenario or a pack by its path.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Scenario> {
        let checked = py.detach(|| Checked::load(&path));
        Ok(Scenario { checked: checked.map_err(simulator)? })
    }

    /// The same sensors and platform in a world of nothing but a site.
    fn in_site(&self, site: &Site, rays: &str) -> PyResult<Scenario> {
        let rays = match rays {
            "auto" => SiteRays::Auto,
            "nominal" => SiteRays::Nominal,
            "sampled" => SiteRays::Sampled,
            "cone" => SiteRays::Cone,
            other => {
                return Err(argument(format!(
                    "rays is {other:?}; choose from auto, nominal, sampled and cone"
                )));
            }
        };
        Ok(Scenario { checked: self.checked.in_site(Arc::clone(&site.site), rays) })
    }

    #[getter]
    fn title(&self) -> Option<&str> {
        self.checked.title.as_deref()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.checked.seed
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.checked.duration_s
    }

    /// Names of the sensors.
    #[getter]
    fn sensor_names(&self) -> Vec<&str> {
        self.checked.sensors.iter().map(|mounted| mounted.name.as_str()).collect()
    }

    /// Duration of a scan of each sensor.
    #[getter]
    fn scan_durations_s(&self) -> Vec<f64> {
        let sensors = self.checked.sensors.iter();
        sensors.map(|mounted| mounted.sensor.pattern.scan_duration_s()).collect()
    }

    /// `world_from_platform` at a time, row by row.
    fn platform_pose(&self, time_s: f64) -> [[f64; 4]; 3] {
        self.checked.trajectory.pose_at(time_s).to_rows()
    }

    /// Writes it with all that it needs: a pack, or a folder with its files.
    fn save(&self, py: Python<'_>, path: PathBuf, name: &str) -> PyResult<()> {
        py.detach(|| save(&self.checked, &path, name)).map_err(simulator)
    }

    /// Triangles and bytes that its scene will need.
    fn estimate(&self) -> (f64, f64) {
        let estimate = self.checked.estimate();
        (estimate.effective_triangles(), estimate.bytes())
    }
}

/// Writes a scenario as a pack where the path ends so, else as a new folder.
fn save(scenario: &Checked, path: &Path, name: &str) -> Result<(), Error> {
    let failed = |source| Error::Read { path: std::env::temp_dir(), source };
    let folder = tempfile::Builder::new().prefix("understory-").tempdir().map_err(failed)?;
    let with_files = scenario.with_files_in(folder.path())?;
    let packing = Packing::new(&with_files, name)?;
    if is_pack(path) {
        return packing.write(path).map(|_| ());
    }
    let pack = folder.path().join("scenario").with_extension(ENDING);
    packing.write(&pack)?;
    Pack::unpack(&pack, path).map(|_| ())
}

/// Names and first lines of the built-in scenarios.
#[pyfunction]
pub fn scenario_names() -> Vec<&'static str> {
    scenario::scenarios().iter().map(|(name, _)| *name).collect()
}

/// The text of a built-in scenario, or the sentence that there is none.
#[pyfunction]
pub fn embedded_scenario(name: &str) -> PyResult<&'static str> {
    let found = scenario::scenarios().iter().find(|(known, _)| *known == name);
    match found {
        Some((_, text)) => Ok(text),
        None => Err(Checked::embedded(name)
            .err()
            .map_or_else(|| argument("no such scenario"), simulator)),
    }
}

/// Names of the built-in sensors.
#[pyfunction]
pub fn sensor_names() -> Vec<&'static str> {
    presets().iter().map(|(name, _)| *name).collect()
}

/// The text of a built-in sensor.
#[pyfunction]
pub fn sensor_text(name: &str) -> PyResult<&'static str> {
    preset_text(name).map_err(simulator)
}

/// What a sensor is, in words, with the number of its channels and the duration of a scan.
#[pyfunction]
#[allow(clippy::type_complexity)]
pub fn sensor_facts(
    text: &str,
    location: &str,
) -> PyResult<(Vec<(&'static str, String)>, usize, f64)> {
    let sensor = Sensor::from_toml(text, location).map_err(simulator)?;
    let pattern = &sensor.pattern;
    Ok((sensor.describe(), pattern.channels(), pattern.scan_duration_s()))
}

/// A dict as TOML.
#[pyfunction]
pub fn to_toml(dict: &Bound<'_, PyDict>) -> PyResult<String> {
    written(&to_table(dict)?)
}

/// A TOML text with a dict laid over it; keys in `replaced` are taken away first.
#[pyfunction]
pub fn merge_toml(text: &str, over: &Bound<'_, PyDict>, replaced: Vec<String>) -> PyResult<String> {
    let mut table: toml::Table =
        text.parse().map_err(|error| argument(format!("this is no TOML: {error}")))?;
    for key in &replaced {
        table.remove(key);
    }
    merge(&mut table, to_table(over)?);
    written(&table)
}

fn written(table: &toml::Table) -> PyResult<String> {
    toml::to_string(table)
        .map_err(|error| argument(format!("this cannot be written as TOML: {error}")))
}
