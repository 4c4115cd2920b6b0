//! Many pulses: batches over threads, rows into a sink in one fixed order.
//!
//! What enters: a [`PreparedRun`]. What leaves: rows in a [`RecordSink`] and a [`RunSummary`].
//!
//! The rows of one sensor are in firing order. Those of several are ordered by the start of the
//! firing cycle (a column of a spinning sensor, a row of a table), then sensor, then pulse. Cycles
//! are never cut, so the rows of two intervals, one after the other, are the rows of both together
//! wherever the cut lies; times of different sensors may cross by less than a cycle.
//!
//! Work is cut into jobs of about [`JOB_PULSES`] pulses. A worker takes the next job together with
//! an empty table from a small stock, and the caller's thread writes full tables in the order of
//! the jobs and puts them back: memory stays bounded, and writing overlaps with simulation.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use understory_cloud::{RecordSink, Records, ScanPose, SinkReport};

use crate::Error;
use crate::detector::WaveformTally;
use crate::far_plants::FarPlantsReport;
use crate::light_path::PathTally;
use crate::progress::Progress;
use crate::scan_pattern::ScanPattern;
use crate::simulate::{Batch, PreparedRun, SensorRun, simulate_batch};

/// Pulses per job: enough to make its overhead vanish, few enough to keep all threads busy.
pub const JOB_PULSES: u64 = 1024;

/// Sub-rays per batch: their columns stay in the processor's cache.
const BATCH_SUB_RAYS: u64 = 16 * 1024;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Seed instead of the run's own.
    pub seed: Option<u64>,
    /// Number of threads that simulate; as many as there are processors where none is given.
    pub threads: Option<usize>,
    /// From and up to which time pulses are fired; the whole run where none is given.
    pub interval_s: Option<(f64, f64)>,
    /// Whether the waveforms of sensors that have them go into the records.
    pub keep_waveforms: bool,
    /// Becomes true when the run is to stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RunSummary {
    /// Pulses fired.
    pub pulses: u64,
    /// Returns detected.
    pub returns: u64,
    /// Pulses without a return.
    pub misses: u64,
    /// Sub-rays traced.
    pub sub_rays: u64,
    /// What became of light that went on off mirrors and through glass.
    pub paths: PathTally,
    /// Waveforms of receivers, and how many reached beyond their gate.
    pub waveforms: WaveformTally,
    /// Simulated time.
    pub seconds_simulated: f64,
    /// Time on the wall clock.
    pub seconds_wall: f64,
    /// Simulated time over time on the wall clock.
    pub real_time_factor: f64,
    /// Sub-rays per second on the wall clock.
    pub rays_per_second: f64,
    /// Most memory that the process ever held, where the system tells, in 10⁶ bytes.
    pub peak_memory_mb: Option<f64>,
    /// How far plants were made cheaper and what that does, where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub far_plants: Option<FarPlantsReport>,
}

/// Simulates `run` into `sink`.
///
/// The same run and seed give the same rows for any number of threads. An error of the sink stops
/// the run; the sink is then dropped without being finished.
pub fn run(
    run: &PreparedRun,
    options: &RunOptions,
    mut sink: Box<dyn RecordSink + Send>,
    progress: &dyn Progress,
) -> Result<(RunSummary, SinkReport), Error> {
    let start = Instant::now();
    let plan = Plan::new(run, options)?;
    progress.started(plan.pulses, plan.seconds());
    let simulated = simulate_jobs(run, options, &plan, &mut *sink, progress);
    let report = simulated.and_then(|counts| Ok((counts, sink.finish()?)));
    progress.finished();
    let (counts, report) = report?;
    if counts.waveforms.cut > 0 {
        let WaveformTally { waveforms, cut } = counts.waveforms;
        tracing::warn!(
            "{cut} of {waveforms} waveforms reach beyond the range gate and are cut there"
        );
    }
    let seconds_wall = start.elapsed().as_secs_f64();
    let sub_rays = plan.sub_rays(run);
    let summary = RunSummary {
        pulses: plan.pulses,
        returns: counts.returns,
        misses: counts.misses,
        sub_rays,
        paths: counts.paths,
        waveforms: counts.waveforms,
        seconds_simulated: plan.seconds(),
        seconds_wall,
        real_time_factor: plan.seconds() / seconds_wall,
        rays_per_second: sub_rays as f64 / seconds_wall,
        peak_memory_mb: peak_memory_mb(),
        far_plants: run.scene.far_plants.clone(),
    };
    Ok((summary, report))
}

/// Which pulses are fired, and how they are cut into jobs.
struct Plan {
    interval_s: (f64, f64),
    /// Pulses of each sensor in the interval.
    ranges: Vec<Range<u64>>,
    pulses: u64,
    jobs: u64,
}

impl Plan {
    fn new(run: &PreparedRun, options: &RunOptions) -> Result<Plan, Error> {
        let (from_s, to_s) = options.interval_s.unwrap_or((0.0, run.duration_s));
        if !(0.0 <= from_s && from_s <= to_s && to_s <= run.duration_s && to_s.is_finite()) {
            return Err(Error::Invalid {
                place: "interval".into(),
                problem: format!("{from_s}..{to_s} s is no part of the run"),
                remedy: format!("choose two rising times from 0 to {} s", run.duration_s),
            });
        }
        let range =
            |pattern: &ScanPattern| pattern.first_pulse_at(from_s)..pattern.first_pulse_at(to_s);
        let ranges: Vec<_> = run.sensors.iter().map(|sensor| range(&sensor.pattern)).collect();
        let pulses = ranges.iter().map(count).fold(0, u64::saturating_add);
        let jobs = u64::div_ceil(pulses, JOB_PULSES);
        Ok(Plan { interval_s: (from_s, to_s), ranges, pulses, jobs })
    }

    fn seconds(&self) -> f64 {
        self.interval_s.1 - self.interval_s.0
    }

    fn sub_rays(&self, run: &PreparedRun) -> u64 {
        let rays = |sensor: usize| run.sensors[sensor].footprint.rays_per_pulse() as u64;
        let ranges = self.ranges.iter().enumerate();
        let sub_rays = ranges.map(|(sensor, range)| count(range).saturating_mul(rays(sensor)));
        sub_rays.fold(0, u64::saturating_add)
    }

    /// Pulses of `sensor` in `job`: equal numbers of one sensor, equal times of several.
    fn pulses_of(&self, run: &PreparedRun, job: u64, sensor: usize) -> Range<u64> {
        let whole = &self.ranges[sensor];
        let cut = |job: u64| {
            if job >= self.jobs {
                return whole.end;
            }
            if self.ranges.len() == 1 {
                return whole.start + job * JOB_PULSES;
            }
            let time_s = self.interval_s.0 + self.seconds() * (job as f64 / self.jobs as f64);
            run.sensors[sensor].pattern.first_pulse_at(time_s).clamp(whole.start, whole.end)
        };
        cut(job)..cut(job + 1)
    }
}

fn count(range: &Range<u64>) -> u64 {
    range.end.saturating_sub(range.start)
}

#[derive(Default)]
struct Counts {
    returns: u64,
    misses: u64,
    paths: PathTally,
    waveforms: WaveformTally,
}

/// Where workers get their jobs.
struct Source {
    next: u64,
    empty: Receiver<Records>,
}

fn simulate_jobs(
    run: &PreparedRun,
    options: &RunOptions,
    plan: &Plan,
    sink: &mut dyn RecordSink,
    progress: &dyn Progress,
) -> Result<Counts, Error> {
    let threads = threads(options, plan.jobs);
    let seed = options.seed.unwrap_or(run.seed);
    let keep = options.keep_waveforms;
    let (give_back, empty) = channel();
    let (full_to_writer, full) = channel();
    for _ in 0..2 * threads + 2 {
        // Cannot fail: the receiver stands in this function.
        let _ = give_back.send(Records::default());
    }
    let source = Mutex::new(Source { next: 0, empty });
    thread::scope(|scope| {
        let mut workers = Vec::with_capacity(threads);
        for _ in 0..threads {
            let (source, full_to_writer) = (&source, full_to_writer.clone());
            let worker = thread::Builder::new()
                .name("simulate".into())
                .spawn_scoped(scope, move || work(run, plan, (seed, keep), source, &full_to_writer))
                .map_err(Error::Threads)?;
            workers.push(worker);
        }
        drop(full_to_writer);
        // Leaving early drops the channels, and the workers stop at their next job.
        let mut counts = write_in_order(run, options, plan, full, give_back, sink, progress)?;
        for worker in workers {
            // One that died leaves no counts, and its panic is passed on by the scope.
            if let Ok((paths, waveforms)) = worker.join() {
                counts.paths.add(paths);
                counts.waveforms.add(waveforms);
            }
        }
        Ok(counts)
    })
}

fn threads(options: &RunOptions, jobs: u64) -> usize {
    let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let wanted = options.threads.unwrap_or_else(processors).max(1);
    wanted.min(usize::try_from(jobs).unwrap_or(usize::MAX)).max(1)
}

/// Tells the writer that a worker died, which would otherwise wait for its job for ever.
struct Alarm<'a>(&'a Sender<(u64, Records)>);

/// The job number of an [`Alarm`].
const WORKER_DIED: u64 = u64::MAX;

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let _ = self.0.send((WORKER_DIED, Records::default()));
        }
    }
}

/// Takes jobs until none is left or the writer is gone; counts the paths that went on and the
/// waveforms.
fn work(
    run: &PreparedRun,
    plan: &Plan,
    (seed, keep_waveforms): (u64, bool),
    source: &Mutex<Source>,
    full: &Sender<(u64, Records)>,
) -> (PathTally, WaveformTally) {
    let _alarm = Alarm(full);
    let mut batch = Batch::default();
    batch.waveform.keep = keep_waveforms;
    let counted = |batch: &Batch| (batch.interactions.paths, batch.waveform.tally);
    let mut of_sensor = vec![Records::default(); run.sensors.len()];
    loop {
        let (job, mut records) = {
            // Job and table are taken together: the lowest job under way always has a table, so
            // the writer never waits for one that cannot start.
            let mut source = source.lock().unwrap_or_else(PoisonError::into_inner);
            if source.next >= plan.jobs {
                return counted(&batch);
            }
            let Ok(records) = source.empty.recv() else { return counted(&batch) };
            source.next += 1;
            (source.next - 1, records)
        };
        records.clear();
        if let [sensor] = &run.sensors[..] {
            let pulses = plan.pulses_of(run, job, 0);
            simulate_pulses(run, sensor, seed, pulses, &mut batch, &mut records);
        } else {
            for (sensor, rows) in run.sensors.iter().zip(&mut of_sensor) {
                rows.clear();
                let pulses = plan.pulses_of(run, job, sensor.index as usize);
                simulate_pulses(run, sensor, seed, pulses, &mut batch, rows);
            }
            merge_by_cycle(run, &of_sensor, &mut records);
        }
        if full.send((job, records)).is_err() {
            return counted(&batch);
        }
    }
}

/// Simulates any number of pulses in batches of a bounded number of sub-rays.
fn simulate_pulses(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
    batch: &mut Batch,
    rows: &mut Records,
) {
    let size = (BATCH_SUB_RAYS / sensor.footprint.rays_per_pulse() as u64).max(1);
    let mut first = pulses.start;
    while first < pulses.end {
        let end = first.saturating_add(size).min(pulses.end);
        simulate_batch(run, sensor, seed, first..end, batch, rows);
        first = end;
    }
}

/// Appends the rows of all sensors, cycle by cycle in the order of their starts, the lower sensor
/// first where two start together.
fn merge_by_cycle(run: &PreparedRun, of_sensor: &[Records], merged: &mut Records) {
    of_sensor.iter().for_each(|rows| merged.waveforms.append(&rows.waveforms));
    let cycle_at = |sensor: usize, row: usize| {
        let pulse = *of_sensor[sensor].pulse.get(row)?;
        Some(run.sensors[sensor].pattern.cycle_of(pulse))
    };
    let mut next_row = vec![0; of_sensor.len()];
    let mut cycles: Vec<_> = (0..of_sensor.len()).map(|sensor| cycle_at(sensor, 0)).collect();
    loop {
        let waiting = cycles.iter().enumerate().filter_map(|(sensor, c)| Some((sensor, (*c)?)));
        let first = waiting.min_by(|(_, a), (_, b)| a.start_s.total_cmp(&b.start_s));
        let Some((sensor, cycle)) = first else { return };
        let rows = &of_sensor[sensor];
        let row = &mut next_row[sensor];
        while let Some(record) = rows.get(*row).filter(|record| record.pulse < cycle.end) {
            merged.push(record);
            *row += 1;
        }
        cycles[sensor] = cycle_at(sensor, *row);
    }
}

fn write_in_order(
    run: &PreparedRun,
    options: &RunOptions,
    plan: &Plan,
    full: Receiver<(u64, Records)>,
    give_back: Sender<Records>,
    sink: &mut dyn RecordSink,
    progress: &dyn Progress,
) -> Result<Counts, Error> {
    let cancelled = || options.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let mut counts = Counts::default();
    let mut scans = vec![None; run.sensors.len()];
    let mut waiting = BTreeMap::new();
    let mut job = 0;
    let mut pulses = 0;
    for (finished, records) in full {
        if finished == WORKER_DIED {
            break;
        }
        waiting.insert(finished, records);
        while let Some(records) = waiting.remove(&job) {
            let seconds_per_pulse = plan.seconds() / plan.pulses as f64;
            if cancelled() {
                return Err(Error::Cancelled { simulated_s: pulses as f64 * seconds_per_pulse });
            }
            announce_scans(run, &records, &mut scans, sink)?;
            sink.write(&records)?;
            let returns = records.return_rows() as u64;
            counts.returns += returns;
            counts.misses += records.len() as u64 - returns;
            let fired: u64 = (0..run.sensors.len())
                .map(|sensor| plan.pulses_of(run, job, sensor))
                .map(|range| count(&range))
                .sum();
            progress.advanced(fired, fired as f64 * seconds_per_pulse);
            pulses += fired;
            job += 1;
            // The workers may have finished already.
            let _ = give_back.send(records);
        }
    }
    Ok(counts)
}

/// Tells the sink the pose of every scan that begins in `records`: that of its first pulse.
fn announce_scans(
    run: &PreparedRun,
    records: &Records,
    scans: &mut [Option<u32>],
    sink: &mut dyn RecordSink,
) -> Result<(), Error> {
    for row in 0..records.len() {
        let (sensor, scan) = (records.sensor[row], records.scan[row]);
        let current = &mut scans[sensor as usize];
        if current.is_some_and(|current| scan <= current) {
            continue;
        }
        *current = Some(scan);
        let time_s = records.time_s[row];
        let pose = run.registered_pose(&run.sensors[sensor as usize], records.pulse[row], time_s);
        let (r, t) = (pose.rotation_matrix().transpose(), pose.translation);
        let rows = [(r.x_axis, t.x), (r.y_axis, t.y), (r.z_axis, t.z)];
        let world_from_sensor = rows.map(|(axis, shift)| [axis.x, axis.y, axis.z, shift]);
        sink.scan_pose(&ScanPose { sensor, scan, time_s, world_from_sensor })?;
    }
    Ok(())
}

/// Peak resident memory of this process from Linux's `/proc`.
fn peak_memory_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024.0 / 1e6)
}
