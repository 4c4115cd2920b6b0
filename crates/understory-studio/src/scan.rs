//! Scans: one after another, each into a layer, points to be seen while they are made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use understory::run::{RunOptions, run};
use understory_base::Progress;
use understory_cloud::{
    CloudError, ImuSamples, KnownColumns, PlatformPose, RecordSink, Records, ScanPose, SinkReport,
    round_offset_m,
};

use crate::document::{self, ScenarioText};
use crate::layers::rows::CHUNK_ROWS;
use crate::layers::{Event, LayerEntry, LayerHeld, Origin, columns};
use crate::protocol::document::{Edit, Problem, Step};
use crate::protocol::layer::{Layer, LayerKind, LayerState, StartScan};
use crate::refusal::{Answer, Refusal};
use crate::studio::Studio;

/// How often rows are shown that fill no chunk.
const SHOW: Duration = Duration::from_millis(100);

/// Adds a layer for a scan of the newest valid scenario; [`perform`] fills it.
pub fn prepare(studio: &Studio, wanted: &StartScan) -> Answer<Arc<LayerEntry>> {
    let good =
        studio.document().good.as_ref().map(|(_, text, summary)| (text.clone(), summary.clone()));
    let Some((mut text, summary)) = good else {
        return Err(Refusal::conflict("no valid scenario is open; open or correct one"));
    };
    let place = wanted.sensor.unwrap_or(0);
    if usize::from(place) >= summary.sensors.len() {
        let count = summary.sensors.len();
        return Err(Refusal::bad(format!(
            "there is no sensor {place}; the scenario has {count}, numbered from 0"
        )));
    }
    text.text =
        with_sensor(&text, wanted, place, summary.sensors.len()).map_err(Refusal::problem)?;
    let scenario = text.scenario(studio.folder()).map_err(Refusal::problem)?;
    let interval_s = wanted.interval_s.unwrap_or([0.0, scenario.duration_s]);
    if !(interval_s[0] >= 0.0 && interval_s[1] > interval_s[0] && interval_s[1].is_finite()) {
        let sentence = "the interval must begin at 0 s or later and end after it begins";
        return Err(Refusal::bad(sentence));
    }
    let sensors: Vec<String> =
        scenario.sensors.iter().map(|mounted| mounted.sensor.title.clone()).collect();
    let mut titles = sensors.clone();
    titles.dedup();
    let name = wanted.name.clone().filter(|name| !name.trim().is_empty());
    let name = name.unwrap_or_else(|| format!("{} · {}", text.name, titles.join(" + ")));
    let start_m = scenario.trajectory.pose_at(0.0).translation;
    let known = known_of_scans();
    let entry = studio.layers.add(|id| LayerHeld {
        seen: Layer {
            id,
            name,
            kind: LayerKind::Scan,
            state: LayerState::Waiting,
            doing: "waits for the scan before it".into(),
            share: 0.0,
            problem: None,
            source: text.name.clone(),
            sensors,
            seed: Some(wanted.seed.unwrap_or(scenario.seed)),
            interval_s,
            pulses: 0,
            returns: 0,
            rows: 0,
            points: 0,
            offset_m: round_offset_m(start_m.to_array()),
            bounds_m: None,
            columns: columns::known_names(&known),
            pulses_known: true,
            moving: !scenario.trajectory.is_fixed(),
            scans: vec![0; scenario.sensors.len()],
            seconds: 0.0,
            asked_s: studio.seconds(),
            remarks: Vec::new(),
        },
        rows: Default::default(),
        origin: Origin::Scan { scenario: text, seed: wanted.seed },
        known,
        names: Arc::default(),
        events: Vec::new(),
        pulses_expected: 0,
        changed: 0,
    })?;
    studio.changed(&entry);
    Ok(entry)
}

/// The text with the sensor that is asked for.
fn with_sensor(
    text: &ScenarioText,
    wanted: &StartScan,
    place: u16,
    count: usize,
) -> Result<String, Problem> {
    let at = |keys: &[&str]| -> Vec<Step> {
        let mut path = vec![Step::Key("sensor".into()), Step::Place(u32::from(place))];
        path.extend(keys.iter().map(|key| Step::Key((*key).to_owned())));
        path
    };
    let mut edits = Vec::new();
    if let Some(preset) = &wanted.preset {
        edits.push(Edit { path: at(&["preset"]), value: Some(json!(preset)) });
        // What was changed of the other sensor has no meaning for this one.
        edits.push(Edit { path: at(&["override"]), value: None });
        edits.push(Edit { path: at(&["file"]), value: None });
    }
    if wanted.sensor.is_some() {
        let others = (0..count as u32).rev().filter(|other| *other != u32::from(place));
        edits.extend(others.map(|other| Edit {
            path: vec![Step::Key("sensor".into()), Step::Place(other)],
            value: None,
        }));
    }
    if edits.is_empty() {
        return Ok(text.text.clone());
    }
    document::apply(&text.text, &edits)
}

/// Scans know everything.
fn known_of_scans() -> KnownColumns {
    let mut known = KnownColumns::default();
    known.position = true;
    known.time = true;
    known.pulse = true;
    known.channel = true;
    known.scan = true;
    known.column = true;
    known.angles = true;
    known.returns = true;
    known.range = true;
    known.intensity = true;
    known.origin = true;
    known.sensor_frame = true;
    known.label = true;
    known.colour = true;
    known.truth = true;
    known.misses = true;
    known
}

/// Fills the layer of a scan; whatever happens, the layer says it.
pub fn perform(studio: &Arc<Studio>, entry: &Arc<LayerEntry>) {
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| simulate(studio, entry)));
    let outcome = outcome.unwrap_or_else(|_| {
        Err(Problem::about("the program failed at this scan; please report it"))
    });
    let mut held = entry.lock();
    held.seen.seconds = start.elapsed().as_secs_f64();
    held.seen.doing.clear();
    match outcome {
        Ok(()) => {
            held.seen.state = LayerState::Done;
            held.seen.share = 1.0;
        }
        Err(_) if entry.is_cancelled() => held.seen.state = LayerState::Cancelled,
        Err(problem) => {
            held.seen.state = LayerState::Failed;
            held.seen.problem = Some(problem);
        }
    }
    drop(held);
    studio.changed(entry);
}

fn simulate(studio: &Arc<Studio>, entry: &Arc<LayerEntry>) -> Result<(), Problem> {
    let (text, seed, interval_s) = {
        let mut held = entry.lock();
        held.seen.state = LayerState::Building;
        let Origin::Scan { scenario, seed } = &held.origin else { return Ok(()) };
        (scenario.clone(), *seed, held.seen.interval_s)
    };
    if entry.is_cancelled() {
        return Err(Problem::about("stopped"));
    }
    studio.changed(entry);
    let progress = LayerProgress { studio, entry };
    let prepared = studio.prepared.get(&text, studio.folder(), &progress)?;
    let prepared_run = prepared.with_seed(seed);
    {
        let mut held = entry.lock();
        held.seen.state = LayerState::Running;
        held.seen.doing = "scans".into();
        held.seen.share = 0.0;
        let start_m = prepared_run.trajectory.pose_at(0.0).translation;
        held.seen.offset_m = round_offset_m(start_m.to_array());
        held.names = Arc::new(prepared_run.scene.names());
    }
    studio.changed(entry);
    let whole = interval_s == [0.0, prepared_run.duration_s];
    let options = RunOptions {
        interval_s: (!whole).then_some((interval_s[0], interval_s[1])),
        cancel: Some(entry.cancel.clone()),
        ..RunOptions::default()
    };
    let sink = LayerSink::new(studio.clone(), entry.clone());
    let failed = |error: understory::Error| text.problem(&error.to_string());
    let (summary, _) = run(&prepared_run, &options, Box::new(sink), &progress).map_err(failed)?;
    let mut held = entry.lock();
    held.seen.pulses = summary.pulses;
    let cut = summary.waveforms.cut;
    if cut > 0 {
        held.seen
            .remarks
            .push(format!("{cut} waveforms reach beyond the range gate and are cut there"));
    }
    Ok(())
}

/// Tells the layer how far it is.
struct LayerProgress<'a> {
    studio: &'a Studio,
    entry: &'a LayerEntry,
}

impl Progress for LayerProgress<'_> {
    fn step(&self, what: &str, share: f64) {
        let mut held = self.entry.lock();
        held.seen.doing = format!("builds {what}");
        held.seen.share = share.clamp(0.0, 1.0);
        drop(held);
        self.studio.changed(self.entry);
    }

    fn started(&self, total_pulses: u64, _simulated_s: f64) {
        self.entry.lock().pulses_expected = total_pulses;
    }

    fn advanced(&self, pulses: u64, _simulated_s: f64) {
        let mut held = self.entry.lock();
        held.seen.pulses += pulses;
        held.seen.share = held.seen.pulses as f64 / held.pulses_expected.max(1) as f64;
    }
}

/// Rows → a layer.
pub struct LayerSink {
    studio: Arc<Studio>,
    entry: Arc<LayerEntry>,
    pending: Records,
    shown: Option<Instant>,
    rows: u64,
}

impl LayerSink {
    /// A sink into a layer.
    pub fn new(studio: Arc<Studio>, entry: Arc<LayerEntry>) -> LayerSink {
        LayerSink { studio, entry, pending: Records::default(), shown: None, rows: 0 }
    }

    fn show(&mut self) -> Result<(), CloudError> {
        self.shown = Some(Instant::now());
        if self.pending.is_empty() {
            return Ok(());
        }
        let records = std::mem::take(&mut self.pending);
        {
            let mut held = self.entry.lock();
            take(&mut held.seen, &records);
            held.rows.push(records);
            held.seen.rows = held.rows.len();
            held.seen.points = held.rows.points();
        }
        self.studio.changed(&self.entry);
        let room = self.studio.layers.make_room();
        room.map_err(|problem| CloudError::Write {
            path: self.entry.lock().seen.name.clone().into(),
            error: std::io::Error::other(problem.sentence),
        })
    }

    fn event(&mut self, event: Event) {
        self.entry.lock().events.push((self.rows, event));
    }
}

/// Counts rows into what the page sees of a layer.
fn take(seen: &mut Layer, records: &Records) {
    seen.returns += records.return_rows() as u64;
    let (mut low, mut high) = match seen.bounds_m {
        Some([low, high]) => (low, high),
        None => ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]),
    };
    for at in records.world_xyz_m.iter().filter(|at| at.iter().all(|value| value.is_finite())) {
        for axis in 0..3 {
            let value = (at[axis] - seen.offset_m[axis]) as f32;
            low[axis] = low[axis].min(value);
            high[axis] = high[axis].max(value);
        }
    }
    seen.bounds_m = (low[0] <= high[0]).then_some([low, high]);
    for (sensor, scan) in records.sensor.iter().zip(&records.scan) {
        if let Some(last) = seen.scans.get_mut(usize::from(*sensor)) {
            *last = (*last).max(*scan);
        }
    }
}

impl RecordSink for LayerSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.pending.append(records);
        self.rows += records.len() as u64;
        let due = self.shown.is_none_or(|shown| shown.elapsed() > SHOW);
        if due || self.pending.len() >= CHUNK_ROWS {
            self.show()?;
        }
        Ok(())
    }

    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.event(Event::Scan(*pose));
        Ok(())
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.event(Event::Platform(Box::new(*pose)));
        Ok(())
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        self.event(Event::Imu(sensor, samples.clone()));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        self.show()?;
        Ok(SinkReport { rows: self.rows, ..SinkReport::default() })
    }
}

impl Drop for LayerSink {
    /// What came before a run was stopped is there.
    fn drop(&mut self) {
        let _ = self.show();
    }
}
