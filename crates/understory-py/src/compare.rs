//! How alike two clouds are: columns → what `understory compare` tells, as a dict.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use understory_cloud::{KnownColumns, Records};
use understory_compare::{
    CompareError, CompareMode, CompareOptions, Comparison, CountedReturn, OrientationBy, Region,
    channels_tell_beams_apart,
};

use crate::columns::from_dict;
use crate::errors::{argument, comparing};
use crate::values::from_json;
use crate::waiting::without_interpreter;

/// Arguments of a comparison.
#[derive(FromPyObject)]
pub struct Args {
    mode: Option<String>,
    orientations: Option<String>,
    azimuth_bin_deg: Option<f64>,
    elevation_bin_deg: Option<f64>,
    range_bin_m: Option<f64>,
    place_cell_m: Option<f64>,
    box_m: Option<[[f64; 2]; 3]>,
    range_m: Option<[f64; 2]>,
    azimuth_deg: Option<[f64; 2]>,
    elevation_deg: Option<[f64; 2]>,
    returns: String,
    misses: bool,
    seed: u64,
    drawings: u32,
    threshold_m: f64,
    points_max: usize,
}

impl Args {
    fn mode(&self) -> PyResult<Option<CompareMode>> {
        match self.mode.as_deref() {
            None => Ok(None),
            Some("static") => Ok(Some(CompareMode::Static)),
            Some("moving") => Ok(Some(CompareMode::Moving)),
            Some(other) => {
                Err(argument(format!("mode is {other:?}; choose from static and moving")))
            }
        }
    }

    fn options(
        &self,
        mode: Option<CompareMode>,
        known: [KnownColumns; 2],
    ) -> PyResult<CompareOptions> {
        let by = match self.orientations.as_deref() {
            None => None,
            Some("channel") => Some(OrientationBy::Channel),
            Some("angles") => Some(OrientationBy::Angles),
            Some("direction") => Some(OrientationBy::Direction),
            Some(other) => {
                return Err(argument(format!(
                    "orientations is {other:?}; choose from channel, angles and direction"
                )));
            }
        };
        let mut options = CompareOptions::suited(mode, by, known).map_err(|lacking| {
            argument(format!(
                "the {} cloud does not say {}; give a pose or a trajectory when it is read, or \
                 choose other orientations",
                if lacking.side == 0 { "real" } else { "simulated" },
                lacking.what
            ))
        })?;
        let histogram = &mut options.histogram;
        histogram.misses &= self.misses;
        histogram.azimuth_bin_deg = self.azimuth_bin_deg.unwrap_or(histogram.azimuth_bin_deg);
        histogram.elevation_bin_deg = self.elevation_bin_deg.unwrap_or(histogram.elevation_bin_deg);
        histogram.range_bin_m = self.range_bin_m.unwrap_or(histogram.range_bin_m);
        if mode == Some(CompareMode::Moving) && self.place_cell_m.is_some() {
            histogram.place_cell_m = self.place_cell_m;
        }
        histogram.counted = match self.returns.as_str() {
            "first" => CountedReturn::First,
            "last" => CountedReturn::Last,
            other => {
                return Err(argument(format!("returns is {other:?}; choose from first and last")));
            }
        };
        histogram.region = Region {
            box_m: self.box_m,
            range_m: self.range_m,
            azimuth_deg: self.azimuth_deg,
            elevation_deg: self.elevation_deg,
        };
        options.scores.seed = self.seed;
        options.scores.drawings = self.drawings;
        options.threshold_m = self.threshold_m;
        options.points_max = self.points_max;
        Ok(options)
    }
}

/// Which columns mean something, from their names.
fn known(names: &[String]) -> KnownColumns {
    let has = |name: &str| names.iter().any(|known| known == name);
    let mut known = KnownColumns::default();
    known.channel = has("channel");
    known.angles = has("angles");
    known.origin = has("origin");
    known.misses = has("misses");
    known.scan = has("scan");
    known
}

/// Compares two clouds.
#[pyfunction]
pub fn compare<'py>(
    py: Python<'py>,
    real: (Bound<'py, PyDict>, Vec<String>),
    simulated: (Bound<'py, PyDict>, Vec<String>),
    args: Args,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut known = [known(&real.1), known(&simulated.1)];
    let (real, simulated) = (from_dict(&real.0)?, from_dict(&simulated.0)?);
    known[0].channel &= channels_tell_beams_apart(&real);
    let mode = args.mode()?;
    let mut found = one(py, [&real, &simulated], &args.options(mode, known)?, progress)?;
    if mode.is_none() && matches!(found, Err(CompareError::Moves { .. })) {
        let options = args.options(Some(CompareMode::Moving), known)?;
        found = one(py, [&real, &simulated], &options, progress)?;
    }
    from_json(py, &found.map_err(comparing)?)
}

fn one(
    py: Python<'_>,
    [real, simulated]: [&Records; 2],
    options: &CompareOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Result<serde_json::Value, CompareError>> {
    without_interpreter(py, progress, |watch| {
        watch.step("comparing", 0.0);
        let mut comparison = Comparison::new(options)?;
        comparison.add_real(real)?;
        comparison.add_simulated(simulated)?;
        watch.step("comparing", 0.5);
        Ok(comparison.finish()?.to_json())
    })
}
