//! A site learned from a layer, and a scenario that scans it.

use std::sync::{Arc, PoisonError};

use toml_edit::{DocumentMut, Item, Table, value};
use understory::sensor::Sensor;
use understory_base::Silent;
use understory_cloud::{CloudError, KnownColumns};
use understory_learn::LearnError;
use understory_learn::estimate::{Settings, learn};
use understory_learn::input::{
    BeamOptions, BeamSource, Beams, Input, RecordingBeams, RecordsBeams,
};
use understory_learn::site::Model;

use crate::document::ScenarioText;
use crate::jobs::{JobEntry, JobProgress, Made};
use crate::layers::{LayerEntry, Origin, ROWS_IN_MEMORY, is_over};
use crate::protocol::compare::{Job, LearnSite};
use crate::protocol::document::Problem;
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;

/// The sensor that scans what was learned from a recording, where nobody says which.
const PRESET: &str = "vlp-16";
/// Waypoints of a learned scenario.
const WAYPOINTS_MAX: usize = 200;

/// Starts to learn from a layer.
pub fn start(studio: &Arc<Studio>, wanted: LearnSite) -> Answer<Job> {
    let entry = studio.layers.get(wanted.layer)?;
    let model = model(wanted.model.as_deref())?;
    let mut settings = Settings::for_model(model, wanted.cell_m, None);
    let (name, known) = {
        let held = entry.lock();
        if !is_over(held.seen.state) {
            return Err(Refusal::conflict("the layer is not done yet"));
        }
        (held.seen.name.clone(), held.known)
    };
    check_known(&known, &name)?;
    if let Some(sensor) = wanted.preset.as_deref().map(Sensor::preset).transpose()? {
        settings.sensor = sensor.point_uncertainty();
        settings.surface.sigma_range_m = settings.sensor.sigma_range_m;
    }
    settings.check()?;
    let shown = format!("learn from {name}");
    let held = studio.clone();
    studio.jobs.start(&studio.changes, shown, move |job| {
        perform(&held, job, &entry, &wanted, model, settings)
    })
}

fn check_known(known: &KnownColumns, name: &str) -> Answer<()> {
    if known.origin {
        return Ok(());
    }
    Err(Refusal::bad(format!(
        "{name} does not say where its beams came from; open it again with the position of the sensor"
    )))
}

fn model(name: Option<&str>) -> Answer<Model> {
    Ok(match name.unwrap_or("likelihood") {
        "likelihood" => Model::Likelihood,
        "voxel" => Model::Voxel,
        "top-down" => Model::TopDown,
        "bottom-up" => Model::BottomUp,
        "surface" => Model::Surface,
        other => {
            return Err(Refusal::bad(format!(
                "there is no model {other:?}; choose likelihood, voxel, top-down, bottom-up or surface"
            )));
        }
    })
}

/// Beams that end when the job is to stop.
struct Stoppable<'a> {
    inner: &'a dyn BeamSource,
    job: &'a JobEntry,
}

impl BeamSource for Stoppable<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        self.inner.pass(&mut |beams| match self.job.is_cancelled() {
            true => Err(LearnError::Cloud(CloudError::Read {
                path: "layer".into(),
                error: std::io::Error::other("stopped"),
            })),
            false => take(beams),
        })
    }

    fn expected(&self) -> Option<u64> {
        self.inner.expected()
    }
}

fn perform(
    studio: &Arc<Studio>,
    job: &Arc<JobEntry>,
    entry: &LayerEntry,
    wanted: &LearnSite,
    model: Model,
    settings: Settings,
) -> Result<Made, Problem> {
    let failed = |error: LearnError| Problem::about(error.to_string());
    let broken = |error: std::io::Error| Problem::about(error.to_string());
    let (origin, chunks, rows) = {
        let held = entry.lock();
        (held.origin.clone(), held.rows.all(), held.rows.len())
    };
    let options = BeamOptions::default();
    let progress = JobProgress { changes: &studio.changes, entry: job };
    let (mut site, report) = match &origin {
        Origin::Recording { path, options: reading } => {
            let input = Input::new(path.clone(), (**reading).clone());
            let source = RecordingBeams::open(vec![input], options).map_err(failed)?;
            learn(&Stoppable { inner: &source, job }, model, &settings, &progress)
                .map_err(failed)?
        }
        Origin::Scan { .. } => {
            if rows > ROWS_IN_MEMORY {
                return Err(Problem::about(format!(
                    "the layer has {rows} rows and {ROWS_IN_MEMORY} can be learned from here; export it and use understory learn"
                )));
            }
            let records = chunks.iter().map(|chunk| chunk.records()).collect::<Result<_, _>>();
            let source = RecordsBeams::new(records.map_err(broken)?, options);
            learn(&Stoppable { inner: &source, job }, model, &settings, &progress)
                .map_err(failed)?
        }
    };
    let name = entry.lock().seen.name.clone();
    site.provenance.remarks.push(format!("learned from {name}"));
    let number = studio.learned.lock().unwrap_or_else(PoisonError::into_inner).len() + 1;
    let folder = studio.scratch().join(format!("learned-{number}"));
    std::fs::create_dir_all(&folder).map_err(broken)?;
    site.write(&folder.join("learned.site")).map_err(failed)?;
    let shown = wanted.name.clone().filter(|name| !name.trim().is_empty());
    let shown = shown.unwrap_or_else(|| format!("learned-{number}"));
    let text = scenario(studio, entry, &origin, wanted, &name)?;
    let text = ScenarioText { name: shown, text, folder, pack: None };
    // What is offered can be opened.
    text.scenario(studio.folder())?;
    let id = format!("learned-{number}");
    studio.learned.lock().unwrap_or_else(PoisonError::into_inner).push((id.clone(), text));
    let fact = |name: &str, value: String| [name.to_owned(), value];
    Ok(Made {
        scenario: Some(id),
        facts: vec![
            fact("beams", report.beams.to_string()),
            fact("without return", report.misses.to_string()),
            fact("volumes", report.volumes.to_string()),
            fact("mean permeability", format!("{:.3}", report.mean_permeability)),
        ],
    })
}

/// The text of a scenario that scans the site as the layer was scanned.
fn scenario(
    studio: &Studio,
    entry: &LayerEntry,
    origin: &Origin,
    wanted: &LearnSite,
    name: &str,
) -> Result<String, Problem> {
    let mut site = Table::new();
    site["name"] = value("learned");
    site["file"] = value("learned.site");
    let mut sites = toml_edit::ArrayOfTables::new();
    sites.push(site);
    let mut world = Table::new();
    world.set_implicit(true);
    world.insert("site", Item::ArrayOfTables(sites));
    let mut document = match origin {
        Origin::Scan { scenario, .. } => {
            let mut document: DocumentMut = scenario.text.parse().map_err(|_| {
                Problem::about("the text of the layer's scenario is no TOML any more")
            })?;
            if let Some(preset) = &wanted.preset
                && let Some(sensors) =
                    document.get_mut("sensor").and_then(Item::as_array_of_tables_mut)
            {
                for sensor in sensors.iter_mut() {
                    sensor.remove("override");
                    sensor.remove("file");
                    sensor["preset"] = value(preset);
                }
            }
            let prepared = studio.prepared.get(scenario, studio.folder(), &Silent)?;
            let run = &prepared.run;
            document["platform"] =
                Item::Table(platform(run.duration_s, run.trajectory.is_fixed(), |time_s| {
                    let pose = run.trajectory.pose_at(time_s);
                    let (yaw, pitch, roll) = pose.rotation.to_euler(glam::EulerRot::ZYX);
                    (pose.translation.to_array(), [roll, pitch, yaw].map(f64::to_degrees))
                }));
            document
        }
        Origin::Recording { .. } => recorded(entry, wanted)?,
    };
    document.insert("title", value(format!("Learned from {name}")));
    document.insert("world", Item::Table(world));
    document.remove("output");
    Ok(document.to_string())
}

/// A platform that stands, or goes through waypoints.
fn platform(duration_s: f64, fixed: bool, pose_at: impl Fn(f64) -> ([f64; 3], [f64; 3])) -> Table {
    let mut table = Table::new();
    let list = |numbers: [f64; 3]| value(numbers.into_iter().collect::<toml_edit::Array>());
    if fixed {
        let (position_m, rotation_deg) = pose_at(0.0);
        table["position_m"] = list(position_m);
        table["rotation_deg"] = list(rotation_deg);
        return table;
    }
    let steps = ((duration_s * 10.0) as usize).clamp(2, WAYPOINTS_MAX);
    let mut waypoints = toml_edit::ArrayOfTables::new();
    for step in 0..=steps {
        let time_s = duration_s * step as f64 / steps as f64;
        let (position_m, rotation_deg) = pose_at(time_s);
        let mut waypoint = Table::new();
        waypoint["time_s"] = value(time_s);
        waypoint["position_m"] = list(position_m);
        waypoint["rotation_deg"] = list(rotation_deg);
        waypoints.push(waypoint);
    }
    table.insert("waypoints", Item::ArrayOfTables(waypoints));
    table
}

/// A scenario with a sensor where a recording's beams came from.
fn recorded(entry: &LayerEntry, wanted: &LearnSite) -> Result<DocumentMut, Problem> {
    let held = entry.lock();
    let (chunks, seen) = (held.rows.all(), held.seen.clone());
    drop(held);
    let mut path: Vec<(f64, [f64; 3])> = Vec::new();
    let step = (chunks.len() / WAYPOINTS_MAX).max(1);
    for chunk in chunks.iter().step_by(step) {
        let records = chunk.records().map_err(|error| Problem::about(error.to_string()))?;
        let first = (0..records.len())
            .find(|row| records.origin_xyz_m[*row].iter().all(|value| value.is_finite()));
        if let Some(row) = first {
            path.push((records.time_s[row] - seen.interval_s[0], records.origin_xyz_m[row]));
        }
    }
    let Some((_, start)) = path.first().copied() else {
        return Err(Problem::about("no beam of the layer says where it came from"));
    };
    path.retain(|(time_s, _)| time_s.is_finite());
    path.dedup_by(|a, b| a.0 <= b.0);
    let duration_s = match seen.interval_s[1] - seen.interval_s[0] {
        length if length > 0.0 && length.is_finite() => length.min(600.0),
        _ => 1.0,
    };
    let at = |time_s: f64| {
        let behind = path.partition_point(|(time, _)| *time <= time_s);
        path.get(behind.saturating_sub(1)).map_or(start, |(_, position)| *position)
    };
    let mut document = DocumentMut::new();
    document["version"] = value(1);
    document["seed"] = value(1);
    document["duration_s"] = value(duration_s);
    let moves = seen.moving && path.len() > 1;
    document["platform"] =
        Item::Table(platform(duration_s, !moves, |time_s| (at(time_s), [0.0; 3])));
    let mut sensor = Table::new();
    sensor["name"] = value("lidar");
    sensor["preset"] = value(wanted.preset.as_deref().unwrap_or(PRESET));
    let mut sensors = toml_edit::ArrayOfTables::new();
    sensors.push(sensor);
    document.insert("sensor", Item::ArrayOfTables(sensors));
    Ok(document)
}
