//! Recordings of the served folder as layers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use understory_base::Pose;
use understory_cloud::{KnownColumns, ReadOptions, RecordSink, Recording, Records, round_offset_m};

use crate::layers::{LayerEntry, LayerHeld, Origin, columns};
use crate::protocol::document::Problem;
use crate::protocol::layer::{Layer, LayerKind, LayerState, OpenRecording};
use crate::refusal::{Answer, Refusal};
use crate::scan::LayerSink;
use crate::studio::Studio;

/// Adds a layer for a recording; [`perform`] reads it.
pub fn prepare(studio: &Studio, wanted: &OpenRecording) -> Answer<Arc<LayerEntry>> {
    let path = studio.files.path(&wanted.file)?;
    let mut options = ReadOptions::default();
    if wanted.position_m.is_some() || wanted.rotation_deg.is_some() {
        let position_m = wanted.position_m.unwrap_or_default();
        let rotation_deg = wanted.rotation_deg.unwrap_or_default();
        if !position_m.iter().chain(&rotation_deg).all(|number| number.is_finite()) {
            return Err(Refusal::bad("position and rotation must be finite numbers"));
        }
        options.pose = Some(Pose::from_position_and_rpy_deg(position_m, rotation_deg).to_rows());
    }
    options.intensity_full = wanted.intensity_full.unwrap_or(1.0);
    let name = studio.files.shown(&path);
    let entry = studio.layers.add(|id| LayerHeld {
        seen: Layer {
            id,
            name: name.clone(),
            kind: LayerKind::Recording,
            state: LayerState::Waiting,
            doing: "is opened".into(),
            share: 0.0,
            problem: None,
            source: name,
            sensors: Vec::new(),
            seed: None,
            interval_s: [0.0, 0.0],
            pulses: 0,
            returns: 0,
            rows: 0,
            points: 0,
            offset_m: [0.0; 3],
            bounds_m: None,
            columns: Vec::new(),
            pulses_known: false,
            moving: false,
            scans: Vec::new(),
            seconds: 0.0,
            asked_s: studio.seconds(),
            remarks: Vec::new(),
        },
        rows: Default::default(),
        origin: Origin::Recording { path, options: Box::new(options) },
        known: KnownColumns::default(),
        names: Arc::default(),
        events: Vec::new(),
        pulses_expected: 0,
        changed: 0,
    })?;
    studio.changed(&entry);
    Ok(entry)
}

/// Reads the recording of a layer; whatever happens, the layer says it.
pub fn perform(studio: &Arc<Studio>, entry: &Arc<LayerEntry>) {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| read(studio, entry)));
    let outcome = outcome.unwrap_or_else(|_| {
        Err(Problem::about("the program failed at this file; please report it"))
    });
    let mut held = entry.lock();
    held.seen.seconds = start.elapsed().as_secs_f64();
    held.seen.doing.clear();
    match outcome {
        Ok(()) if entry.is_cancelled() => held.seen.state = LayerState::Cancelled,
        Ok(()) => {
            held.seen.state = LayerState::Done;
            held.seen.share = 1.0;
        }
        Err(problem) => {
            held.seen.state = LayerState::Failed;
            held.seen.problem = Some(problem);
        }
    }
    drop(held);
    studio.changed(entry);
}

fn read(studio: &Arc<Studio>, entry: &Arc<LayerEntry>) -> Result<(), Problem> {
    let (path, options): (PathBuf, ReadOptions) = {
        let mut held = entry.lock();
        held.seen.state = LayerState::Building;
        let Origin::Recording { path, options } = &held.origin else { return Ok(()) };
        (path.clone(), (**options).clone())
    };
    studio.changed(entry);
    let failed = |error: understory_cloud::CloudError| Problem::about(error.to_string());
    let mut recording = Recording::open(&path, &options).map_err(failed)?;
    {
        let mut held = entry.lock();
        let known = recording.known();
        held.known = known;
        held.seen.columns = columns::known_names(&known);
        held.seen.state = LayerState::Running;
        held.seen.doing = "is read".into();
        held.seen.sensors = recording.sensors().iter().map(|sensor| sensor.name.clone()).collect();
        if let Some(names) = recording.names() {
            held.names = Arc::new(names.clone());
        }
    }
    let rows = recording.rows();
    let mut sink = LayerSink::new(studio.clone(), entry.clone());
    let (mut batch, mut first, mut poses) = (Records::default(), true, 0);
    let mut origin = None;
    while !entry.is_cancelled() && recording.next_batch(&mut batch).map_err(failed)? {
        if first && !batch.is_empty() {
            first = false;
            let finite = |at: &&[f64; 3]| at.iter().all(|value| value.is_finite());
            let at =
                batch.world_xyz_m.iter().find(finite).or(batch.origin_xyz_m.iter().find(finite));
            entry.lock().seen.offset_m = at.map_or([0.0; 3], |at| round_offset_m(*at));
        }
        for pose in recording.scan_poses().get(poses..).unwrap_or_default() {
            sink.scan_pose(pose).map_err(failed)?;
        }
        poses = recording.scan_poses().len();
        survey(&mut entry.lock(), &batch, &mut origin);
        sink.write(&batch).map_err(failed)?;
        let mut held = entry.lock();
        if let Some(rows) = rows.filter(|rows| *rows > 0) {
            held.seen.share = (recording.report().rows as f64 / rows as f64).min(1.0);
        }
    }
    Box::new(sink).finish().map_err(failed)?;
    let report = recording.report();
    let mut held = entry.lock();
    if report.skipped() > 0 || !report.remarks.is_empty() {
        held.seen.remarks.push(report.to_string());
    }
    if !held.known.origin {
        held.seen.remarks.push(
            "where the beams came from is not known; give the sensor's position to learn from it"
                .into(),
        );
    }
    Ok(())
}

/// What rows tell of the layer beside themselves.
fn survey(held: &mut LayerHeld, batch: &Records, origin: &mut Option<[f64; 3]>) {
    let seen = &mut held.seen;
    let sensors = batch.sensor.iter().copied().max().map_or(0, |sensor| usize::from(sensor) + 1);
    while seen.scans.len() < sensors.min(256) {
        seen.scans.push(0);
    }
    while seen.sensors.len() < seen.scans.len() {
        seen.sensors.push(format!("sensor {}", seen.sensors.len()));
    }
    for time_s in batch.time_s.iter().filter(|time_s| time_s.is_finite()) {
        if seen.interval_s == [0.0, 0.0] {
            seen.interval_s = [*time_s; 2];
        }
        seen.interval_s = [seen.interval_s[0].min(*time_s), seen.interval_s[1].max(*time_s)];
    }
    for at in batch.origin_xyz_m.iter().filter(|at| at.iter().all(|value| value.is_finite())) {
        let first = *origin.get_or_insert(*at);
        let moved = (0..3).map(|axis| (at[axis] - first[axis]).powi(2)).sum::<f64>().sqrt();
        seen.moving |= moved > 0.5;
    }
    seen.pulses += batch.return_number.iter().filter(|number| **number <= 1).count() as u64;
}
