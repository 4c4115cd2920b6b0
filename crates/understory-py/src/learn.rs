//! Clouds and recordings → a learned site.

use std::path::PathBuf;
use std::sync::Arc;

use glam::DVec3;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;
use understory_learn::LearnError;
use understory_learn::estimate::{Report, Settings, Tau, learn as estimate};
use understory_learn::input::{
    BeamOptions, BeamSource, Beams, Input, MovingBeams, ReadingReport, RecordingBeams,
    RecordsBeams, RecoverMisses, Returns, WithoutMoving,
};
use understory_learn::site::{Model, Site as Learned};

use crate::columns::from_dict;
use crate::errors::{argument, learning, simulator};
use crate::files::{read_options, sensor};
use crate::site::{Site, model};
use crate::waiting::{Watch, without_interpreter};

/// Arguments of learning.
#[derive(FromPyObject)]
pub struct Args {
    model: String,
    cell_m: Option<f64>,
    kernel_m: Option<f64>,
    tau: Option<f64>,
    points_min: u64,
    jeffreys_below: u64,
    width: Option<f64>,
    leaves_max: Option<usize>,
    range_m: Option<(f64, f64)>,
    returns: String,
    region_m: Option<[[f64; 3]; 2]>,
    every: Option<(u32, u32)>,
    sensor: Option<String>,
    recover_misses: Option<String>,
    moving: String,
}

impl Args {
    fn beams(&self) -> PyResult<BeamOptions> {
        let (range_min_m, range_max_m) = self.range_m.unwrap_or((0.0, f64::INFINITY));
        if !(range_min_m >= 0.0 && range_max_m > range_min_m) {
            return Err(argument(format!(
                "range_m is ({range_min_m}, {range_max_m}); give two rising lengths such as (0.5, 120)"
            )));
        }
        let region = self.region_m.map(|corners| corners.map(DVec3::from));
        if let Some([low, high]) = region.filter(|[low, high]| !low.cmplt(*high).all()) {
            return Err(argument(format!(
                "region_m is no box: {low} to {high}; give its lower and its upper corner"
            )));
        }
        let every = self.every.map(|(k, n)| [k, n]);
        if let Some([k, n]) = every.filter(|[k, n]| k >= n) {
            return Err(argument(format!("every is ({k}, {n}); (0, 5) takes every fifth scan")));
        }
        Ok(BeamOptions {
            returns: match self.returns.as_str() {
                "first" => Returns::First,
                "strongest" => Returns::Strongest,
                "last" => Returns::Last,
                other => {
                    return Err(argument(format!(
                        "returns is {other:?}; choose from first, strongest and last"
                    )));
                }
            },
            range_min_m,
            range_max_m,
            region,
            every,
            except: None,
            recover_misses: match self.recover_misses.as_deref() {
                None => RecoverMisses::No,
                Some("grid") => RecoverMisses::Grid,
                Some(name) => sensor(name)?.recovery_pattern().map_err(simulator)?,
            },
        })
    }

    fn settings(&self, model: Model, range_max_m: f64) -> PyResult<Settings> {
        let mut settings = Settings {
            tau: self.tau.map_or(Tau::Auto, Tau::Fixed),
            range_max_m,
            points_min: self.points_min,
            jeffreys_below: self.jeffreys_below,
            widening: self.width,
            ..Settings::for_model(model, self.cell_m, self.kernel_m)
        };
        settings.top_down.target_leaves = self.leaves_max;
        if let Some(name) = &self.sensor {
            settings.sensor = sensor(name)?.point_uncertainty();
        }
        settings.surface.sigma_range_m = settings.sensor.sigma_range_m;
        settings.check().map_err(learning)?;
        if model == Model::Surface {
            settings.surface.check().map_err(argument)?;
        }
        Ok(settings)
    }

    fn learn(
        &self,
        py: Python<'_>,
        source: &(dyn BeamSource + Sync),
        range_max_m: f64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(Learned, Report)> {
        let model = model(&self.model)?;
        let settings = self.settings(model, range_max_m)?;
        let learned = without_interpreter(py, progress, |watch: &Watch| {
            let progress = |what: &str, share: f64| watch.step(what, share);
            estimate(&Stoppable { source, watch }, model, &settings, &progress)
        })?;
        learned.map_err(learning)
    }
}

/// Beams that end when the work is to stop.
struct Stoppable<'a> {
    source: &'a (dyn BeamSource + Sync),
    watch: &'a Watch,
}

impl BeamSource for Stoppable<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let watch = self.watch;
        self.source.pass(&mut |beams| match watch.stopped() {
            // Nobody sees this error: what stopped the work is raised instead.
            true => Err(LearnError::NothingToLearn { beams: 0, range_max_m: 0.0 }),
            false => take(beams),
        })
    }

    fn expected(&self) -> Option<u64> {
        self.source.expected()
    }
}

fn site_report(site: &Learned, report: &Report, read: &ReadingReport) -> serde_json::Value {
    json!({
        "beams": report.beams,
        "misses": report.misses,
        "points": report.points,
        "volumes": report.volumes,
        "triangles": site.surface.as_ref().map(|surface| surface.triangles.len()),
        "unobserved": report.unobserved,
        "sparse": report.sparse,
        "tau": report.tau,
        "mean_permeability": report.mean_permeability,
        "held_out": report.held_out,
        "widening": report.widening,
        "recovered": read.recovered,
        "beyond_range": read.beyond_range,
        "left_out": read.skipped().iter().map(|(_, count)| count).sum::<u64>(),
        "remarks": read.remarks,
    })
}

/// Learns from clouds, given as dicts of columns.
#[pyfunction]
pub fn learn(
    py: Python<'_>,
    clouds: Vec<Bound<'_, PyDict>>,
    args: Args,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Site> {
    if args.recover_misses.is_some() {
        return Err(argument(
            "recover_misses is for files; a cloud in memory has its misses, or read the file anew",
        ));
    }
    if args.moving != "keep" {
        return Err(argument("moving is for files; save the cloud, and learn from the file"));
    }
    let options = args.beams()?;
    let range_max_m = options.range_max_m;
    let mut records = Vec::with_capacity(clouds.len());
    for cloud in &clouds {
        records.push(Arc::new(from_dict(cloud)?));
    }
    let source = RecordsBeams::new(records, options);
    let (mut site, report) = args.learn(py, &source, range_max_m, progress)?;
    let read = source.report();
    site.provenance.skipped = read.skipped().iter().map(|(_, count)| count).sum();
    let report = site_report(&site, &report, &read);
    Ok(Site::new(site, report))
}

/// Learns from files.
#[pyfunction]
pub fn learn_files(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    reading: &Bound<'_, PyDict>,
    args: Args,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Site> {
    let options = args.beams()?;
    let range_max_m = options.range_max_m;
    let reading = read_options(reading)?;
    let inputs = paths.into_iter().map(|path| Input::new(path, reading.clone())).collect();
    let source = py.detach(|| RecordingBeams::open(inputs, options)).map_err(learning)?;
    let (mut site, report) = if args.moving == "keep" {
        args.learn(py, &source, range_max_m, progress)?
    } else {
        let moving = without_interpreter(py, progress, |watch: &Watch| {
            let progress = |what: &str, share: f64| watch.step(what, share);
            MovingBeams::find(&source, &progress)
        })?
        .map_err(learning)?;
        args.learn(py, &WithoutMoving::new(&source, &moving), range_max_m, progress)?
    };
    let read = source.report();
    site.provenance.skipped = read.skipped().iter().map(|(_, count)| count).sum();
    let report = site_report(&site, &report, &read);
    Ok(Site::new(site, report))
}
