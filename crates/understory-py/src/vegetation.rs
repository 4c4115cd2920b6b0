//! Plants, the leaf area that scenarios have, and the leaf area that recordings show.

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use understory::world::truth::parts::PartRules;
use understory::world::truth::{TruthOptions, measure};
use understory_cloud::{VoxelColumn, VoxelGrid};
use understory_leaf_area::{Estimator, LeafAngles, LeafAreaError, Settings, Weights, estimate};
use understory_learn::input::{BeamOptions, Input, PulseSource, RecordedPulses, RecoverMisses};
use understory_plants::{Inclinations, LeafAngle, PlantError, preset, presets};

use crate::columns::{from_dict, numbers};
use crate::errors::{argument, learning, simulator};
use crate::files::{read_options, sensor};
use crate::scenario::Scenario;
use crate::values::from_json;
use crate::waiting::{Watch, without_interpreter};

/// What is told, and columns of voxels by name.
type Told<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

/// Figures of all species and stands.
#[pyfunction]
pub fn plants(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let all: Vec<_> = presets().map(|preset| preset.figures()).collect();
    from_json(py, &json!(all))
}

/// Grows a plant and measures it.
#[pyfunction]
pub fn plant_figures<'py>(
    py: Python<'py>,
    name: &str,
    season: Option<&str>,
    seed: u64,
) -> PyResult<Bound<'py, PyAny>> {
    let refused = |error: PlantError| argument(error.to_string());
    let mut spec = preset(name).map_err(refused)?.spec();
    if let Some(season) = season {
        spec = spec.in_season(season).map_err(refused)?;
    }
    let figures = without_interpreter(py, None, |_| spec.figures(seed))?.map_err(refused)?;
    from_json(py, &json!(figures))
}

fn columns<'py>(
    py: Python<'py>,
    grid: &VoxelGrid,
    columns: Vec<VoxelColumn>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    let shape = grid.counts.map(|n| n as usize);
    for column in columns {
        let array = numbers(py, column.values);
        dict.set_item(column.name, array.call_method1("reshape", (shape,))?)?;
    }
    Ok(dict)
}

/// What is measured of a scenario.
#[derive(FromPyObject)]
pub struct TruthArgs {
    region_m: Option<[[f64; 3]; 2]>,
    cell_m: [f64; 3],
    stem_min_m: f64,
    leaf_materials: Vec<String>,
    wood_materials: Vec<String>,
}

/// The leaf, wood and stems of a scenario.
#[pyfunction]
pub fn truth<'py>(
    py: Python<'py>,
    scenario: &Scenario,
    args: TruthArgs,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Told<'py>> {
    let options = TruthOptions {
        region: args.region_m.map(|corners| corners.map(DVec3::from)),
        cell_m: args.cell_m,
        stem_min_m: args.stem_min_m,
        parts: PartRules {
            leaf_materials: args.leaf_materials,
            wood_materials: args.wood_materials,
        },
    };
    let checked = &scenario.checked;
    let found = without_interpreter(py, progress, |watch: &Watch| {
        let progress = |what: &str, share: f64| watch.step(what, share);
        let limit_bytes = understory::scenario::default_limit_bytes();
        checked.estimate().check(limit_bytes)?;
        measure(&checked.build_scene_reporting(&progress)?, &options, &progress)
    })?
    .map_err(simulator)?;
    let mut told = json!(found);
    let inclinations = found.inclinations();
    told["inclination_shares"] = json!(inclinations.map(|table| table.shares().to_vec()));
    Ok((from_json(py, &told)?, columns(py, &found.grid, found.columns())?))
}

/// How leaf area is estimated.
#[derive(FromPyObject)]
pub struct LeafAreaArgs {
    region_m: Option<[[f64; 3]; 2]>,
    cell_m: [f64; 3],
    estimator: String,
    weights: String,
    full_intensity: Option<f64>,
    leaf_angle: Option<String>,
    inclination_shares: Option<Vec<f64>>,
    leaf_width_m: f64,
    clumping: f64,
    wood_share: f64,
    pulses_min: u32,
    confidence: f64,
    range_m: Option<(f64, f64)>,
    recover_misses: Option<String>,
}

impl LeafAreaArgs {
    fn settings(&self) -> PyResult<Settings> {
        let (near, far) = self.range_m.unwrap_or((0.0, f64::INFINITY));
        let estimator = Estimator::ALL.into_iter().find(|known| known.name() == self.estimator);
        let settings = Settings {
            region: self.region_m.map(|corners| corners.map(DVec3::from)),
            cell_m: self.cell_m,
            estimator: estimator
                .ok_or_else(|| argument(format!("there is no estimator {:?}", self.estimator)))?,
            weights: match self.weights.as_str() {
                "auto" => Weights::Auto,
                "first" => Weights::First,
                "equal" => Weights::Equal,
                "intensity" => Weights::Intensity,
                "calibrated" => Weights::Calibrated(self.full_intensity),
                other => return Err(argument(format!("there are no weights {other:?}"))),
            },
            leaf_angle: self.leaf_angle()?,
            leaf_width_m: self.leaf_width_m,
            clumping: self.clumping,
            wood_share: self.wood_share,
            pulses_min: self.pulses_min,
            range_m: [near, far],
            confidence: self.confidence,
        };
        settings.check().map_err(leaf_area_error)?;
        Ok(settings)
    }

    fn leaf_angle(&self) -> PyResult<LeafAngles> {
        if let Some(shares) = &self.inclination_shares {
            return Inclinations::from_areas(shares).map(LeafAngles::Given).ok_or_else(|| {
                argument("leaf_angle is no table of shares; give numbers of 0 or more")
            });
        }
        Ok(match self.leaf_angle.as_deref().unwrap_or("spherical") {
            "fit" => LeafAngles::Fitted,
            "planophile" => LeafAngles::Named(LeafAngle::Planophile),
            "erectophile" => LeafAngles::Named(LeafAngle::Erectophile),
            "plagiophile" => LeafAngles::Named(LeafAngle::Plagiophile),
            "extremophile" => LeafAngles::Named(LeafAngle::Extremophile),
            "uniform" => LeafAngles::Named(LeafAngle::Uniform),
            _ => LeafAngles::Named(LeafAngle::Spherical),
        })
    }

    fn beams(&self) -> PyResult<BeamOptions> {
        let (range_min_m, range_max_m) = self.range_m.unwrap_or((0.0, f64::INFINITY));
        let recover_misses = match self.recover_misses.as_deref() {
            None => RecoverMisses::No,
            Some("grid") => RecoverMisses::Grid,
            Some(name) => sensor(name)?.recovery_pattern().map_err(simulator)?,
        };
        Ok(BeamOptions { range_min_m, range_max_m, recover_misses, ..BeamOptions::default() })
    }
}

fn leaf_area_error(error: LeafAreaError) -> PyErr {
    match error {
        LeafAreaError::Learn(error) => learning(error),
        other => argument(other.to_string()),
    }
}

fn estimated<'py>(
    py: Python<'py>,
    source: &(dyn PulseSource + Sync),
    settings: &Settings,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Told<'py>> {
    let found = without_interpreter(py, progress, |watch: &Watch| {
        estimate(source, settings, &|what: &str, share: f64| watch.step(what, share))
    })?
    .map_err(leaf_area_error)?;
    let dict = columns(py, &found.grid, found.columns())?;
    let shape = [found.grid.counts[0] as usize, found.grid.counts[1] as usize];
    for (name, values) in
        [("map_leaf_area_index", found.map.clone()), ("map_unknown", found.map_unknown.clone())]
    {
        dict.set_item(name, numbers(py, values).call_method1("reshape", (shape,))?)?;
    }
    Ok((from_json(py, &json!(found))?, dict))
}

/// Estimates leaf area from clouds, given as dicts of columns.
#[pyfunction]
pub fn leaf_area<'py>(
    py: Python<'py>,
    clouds: Vec<Bound<'py, PyDict>>,
    args: LeafAreaArgs,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Told<'py>> {
    if args.recover_misses.is_some() {
        return Err(argument(
            "recover_misses is for files; a cloud in memory has its misses, or read the file anew",
        ));
    }
    let settings = args.settings()?;
    let mut records = Vec::with_capacity(clouds.len());
    for cloud in &clouds {
        records.push(Arc::new(from_dict(cloud)?));
    }
    let source = RecordedPulses::of_records(records, args.beams()?);
    estimated(py, &source, &settings, progress)
}

/// Estimates leaf area from files.
#[pyfunction]
pub fn leaf_area_files<'py>(
    py: Python<'py>,
    paths: Vec<PathBuf>,
    reading: &Bound<'py, PyDict>,
    args: LeafAreaArgs,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Told<'py>> {
    let settings = args.settings()?;
    let beams = args.beams()?;
    let reading = read_options(reading)?;
    let inputs = paths.into_iter().map(|path| Input::new(path, reading.clone())).collect();
    let source = py.detach(|| RecordedPulses::open(inputs, beams)).map_err(learning)?;
    estimated(py, &source, &settings, progress)
}
