//! Many pulses: jobs over threads, processes and disks, rows into a sink in one fixed order.
//!
//! What enters: a [`PreparedRun`]. What leaves: rows in a [`RecordSink`] and a [`RunSummary`].
//!
//! The rows of one sensor are in firing order. Those of several are ordered by the start of the
//! firing cycle (a column of a spinning sensor, a row of a table), then sensor, then pulse. Cycles
//! are never cut, so the rows of two intervals, one after the other, are the rows of both together
//! wherever the cut lies; times of different sensors may cross by less than a cycle.
//!
//! Everything here serves one stream of finished jobs in rising order. A job comes from a thread of
//! this process (`workers`), from a file of a run that was killed or of another host (`parts`), or
//! from another process (`ranks`), and goes to the sink (`write`); where jobs begin and end (`plan`)
//! never shows in the rows.

mod block;
mod clock;
pub mod vegetation_lod;
mod ground_check;
mod merge;
mod ordered;
mod checkpoint;
mod plan;
pub mod pose_output;
mod ranks;
mod sbet;
mod schedule;
mod survey;
mod swath;
mod sync;
mod together;
pub mod trace_pulse;
mod workers;
mod write;

pub use checkpoint::{Checkpoint, RunIdentity};
pub use ground_check::ground_warnings;
pub use plan::Cut;
pub use ranks::{Ranks, Split};
pub use together::OpenParts;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use understory_cloud::{CostlyColumns, RecordSink, SinkReport};

use crate::Error;
use crate::pulse::PreparedRun;
use crate::pulse::detector::WaveformTally;
use crate::pulse::light_path::PathTally;
use crate::world::vegetation_lod::VegetationLodReport;
use understory_base::Progress;

use block::Finished;
use clock::peak_memory_mb;
pub use clock::thread_cpu_s;
use plan::Plan;
use ranks::{Others, dismiss, serve, share};
use schedule::{Piece, refuse_gaps, schedule};
use together::Together;
use workers::Work;
use write::{Counts, Writer};

/// Pulses per job: enough to make its overhead vanish, few enough to keep all threads busy.
pub const JOB_PULSES: u64 = 2048;

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Number of threads that simulate; as many as there are processors where none is given.
    pub threads: Option<usize>,
    /// From and up to which time pulses are fired; the whole run where none is given.
    pub interval_s: Option<(f64, f64)>,
    /// Whether the waveforms of sensors that have them go into the records.
    pub keep_waveforms: bool,
    /// Becomes true when the run is to stop.
    pub cancel: Option<Arc<AtomicBool>>,
}

/// With whom and with what a run is done; the default is one process that keeps nothing.
#[derive(Default)]
pub struct RunBackend<'a> {
    /// What is stored already, and where more is stored.
    pub parts: Option<&'a mut Checkpoint>,
    /// Whether what is not stored is refused instead of simulated; nothing is stored then.
    pub stored_only: bool,
    /// Other processes.
    pub ranks: Option<(&'a dyn Ranks, Split)>,
    /// How each of them opens its parts of the outputs, where they can write them together; the sink
    /// is not opened then. Only with intervals and parts.
    pub together: Option<OpenParts<'a>>,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RunSummary {
    /// Pulses fired.
    pub pulses: u64,
    /// Of them, taken from parts that were stored before.
    #[serde(skip_serializing_if = "is_zero")]
    pub resumed_pulses: u64,
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
    /// Time on the wall clock, without building.
    pub seconds_wall: f64,
    /// Of it, the time in which files were written, beside which other threads simulate.
    pub seconds_writing: f64,
    /// Time in which the scene was built before, where that belongs to this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_building: Option<f64>,
    /// Processor time of what can be shared among processors: simulation, over all ranks.
    pub cpu_simulation_s: f64,
    /// Processor time of what cannot: collecting in order and writing, by one thread.
    pub cpu_serial_s: f64,
    /// Simulated time over time on the wall clock.
    pub real_time_factor: f64,
    /// Sub-rays per second on the wall clock.
    pub rays_per_second: f64,
    /// Most memory that the process ever held, where the system tells, in 10⁶ bytes.
    pub peak_memory_mb: Option<f64>,
    /// How far plants were made cheaper and what that does, where they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vegetation_lod: Option<VegetationLodReport>,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How many pulses a run fires with these options.
pub fn pulses(run: &PreparedRun, options: &RunOptions) -> Result<u64, Error> {
    Plan::new(run, options).map(|plan| plan.fired(run))
}

/// Simulates `run` into `sink`.
///
/// The same run and seed give the same rows for any number of threads. An error of the sink stops
/// the run; the sink is then dropped without being finished.
pub fn run(
    run: &PreparedRun,
    options: &RunOptions,
    sink: Box<dyn RecordSink + Send>,
    progress: &dyn Progress,
) -> Result<(RunSummary, SinkReport), Error> {
    let open = || -> Result<Box<dyn RecordSink>, Error> { Ok(sink) };
    let done = run_with(run, options, RunBackend::default(), open, progress)?;
    // Alone, this is rank 0.
    done.ok_or(Error::OtherRank)
}

/// Simulates `run` with the backend of stored parts and other processes.
///
/// Every rank calls it with the same arguments; only rank 0 opens the sink and gets a result. The
/// rows are the same whatever the backend.
pub fn run_with<E: From<Error>>(
    run: &PreparedRun,
    options: &RunOptions,
    mut backend: RunBackend,
    open: impl FnOnce() -> Result<Box<dyn RecordSink>, E>,
    progress: &dyn Progress,
) -> Result<Option<(RunSummary, SinkReport)>, E> {
    let start = Instant::now();
    let (cpu_start_s, plan) = (thread_cpu_s(), Plan::new(run, options)?);
    let ranks = backend.ranks.filter(|(ranks, _)| ranks.size() > 1);
    let together = match (ranks, backend.together) {
        (Some((ranks, Split::Intervals)), Some(open)) if backend.parts.is_some() => {
            Some(Together { run, options, ranks, open })
        }
        _ => None,
    };
    if let (Some(together), Some((ranks, _)), Some(parts)) = (&together, ranks, &mut backend.parts)
        && ranks.rank() > 0
    {
        together.follow(parts)?;
        return Ok(None);
    }
    if let Some((ranks, split)) = ranks
        && ranks.rank() > 0
    {
        let share = share(split, 0, 1, 0);
        let costly = CostlyColumns::ALL;
        let work = Work { run, options, gaps: &[], share, encode: true, costly };
        serve(ranks, split, &work, backend.parts.take())?;
        return Ok(None);
    }
    let stopped = || options.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    progress.started(plan.pulses, plan.seconds());
    let done = match (&together, &mut backend.parts) {
        (Some(together), Some(parts)) => together.lead(&plan, parts, progress).map_err(E::from),
        _ => open().and_then(|sink| Ok(collect(run, options, &plan, backend, sink, progress)?)),
    };
    progress.finished();
    if let Some((ranks, _)) = ranks {
        dismiss(ranks, done.is_ok(), &stopped);
    }
    let (collected, report) = done?;
    let Collected { counts, resumed_pulses, cpu_simulation_s, cpu_shared_s, writing } = collected;
    let waveforms = counts.tallies.waveforms;
    if waveforms.cut > 0 {
        let WaveformTally { waveforms, cut } = waveforms;
        tracing::warn!(
            "{cut} of {waveforms} waveforms reach beyond the range gate and are cut there"
        );
    }
    let seconds_wall = start.elapsed().as_secs_f64();
    let sub_rays = plan.sub_rays(run);
    let summary = RunSummary {
        pulses: plan.fired(run),
        resumed_pulses,
        returns: counts.returns,
        misses: counts.misses,
        sub_rays,
        paths: counts.tallies.paths,
        waveforms,
        seconds_simulated: plan.seconds(),
        seconds_wall,
        seconds_writing: writing.as_secs_f64(),
        seconds_building: None,
        cpu_simulation_s,
        cpu_serial_s: (thread_cpu_s() - cpu_start_s - cpu_shared_s).max(0.0),
        real_time_factor: plan.seconds() / seconds_wall,
        rays_per_second: sub_rays as f64 / seconds_wall,
        peak_memory_mb: peak_memory_mb(),
        vegetation_lod: run.scene.vegetation_lod.clone(),
    };
    Ok(Some((summary, report)))
}

/// What rank 0 gathered.
struct Collected {
    counts: Counts,
    resumed_pulses: u64,
    cpu_simulation_s: f64,
    /// Of it, what the thread that collects has spent on its share.
    cpu_shared_s: f64,
    writing: Duration,
}

/// All jobs in order, wherever they come from, into the sink.
fn collect(
    run: &PreparedRun,
    options: &RunOptions,
    plan: &Plan,
    backend: RunBackend,
    mut sink: Box<dyn RecordSink>,
    progress: &dyn Progress,
) -> Result<(Collected, SinkReport), Error> {
    let RunBackend { mut parts, stored_only, ranks, together: _ } = backend;
    let pieces = match &parts {
        None => vec![Piece::Gap(plan.clone())],
        Some(parts) => schedule(run, plan, parts.blocks()),
    };
    if stored_only {
        refuse_gaps(&pieces)?;
    }
    let gaps: Vec<Plan> = pieces
        .iter()
        .filter_map(|piece| match piece {
            Piece::Gap(gap) => Some(gap.clone()),
            Piece::Stored(_) => None,
        })
        .collect();
    let stopped = || options.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    let ranks = ranks.filter(|(ranks, _)| ranks.size() > 1);
    let mut others = ranks.map(|(ranks, split)| Others::start(ranks, split, &gaps, &stopped));
    let jobs = gaps.iter().map(|gap| gap.jobs).sum();
    let (size, split) = ranks.map_or((1, Split::Scans), |(ranks, split)| (ranks.size(), split));
    let share = share(split, 0, size, jobs);
    // What is stored may be read by other outputs later, and what other ranks send has all.
    let encode = parts.is_some();
    let costly = if encode || others.is_some() { CostlyColumns::ALL } else { sink.reads() };
    let work = Work { run, options, gaps: &gaps, share, encode, costly };
    let mut writer = Writer::new(run, plan, &mut *sink, progress);
    let mut resumed_pulses = 0;
    let gathered = work.simulate(|in_order| {
        let mut job = 0;
        let mut spare = Finished::default();
        for piece in &pieces {
            let gap = match (piece, parts.as_deref_mut()) {
                (Piece::Gap(gap), _) => gap,
                (Piece::Stored(_), None) => continue,
                (Piece::Stored(block), Some(parts)) => {
                    if stopped() {
                        return Err(interrupted(Some(parts), writer.simulated_s()));
                    }
                    parts.read_block(block, &mut spare)?;
                    writer.write(&spare)?;
                    resumed_pulses += block.from.pulses_until(&block.to);
                    continue;
                }
            };
            for _ in 0..gap.jobs {
                let owner = others.as_ref().map_or(0, |others| others.owner(job));
                let finished = match &mut others {
                    Some(others) if owner > 0 => {
                        others.next(owner, &mut parts, &stopped, std::mem::take(&mut spare))?
                    }
                    _ => in_order.next(),
                };
                // Without one the run is to stop, or a worker panicked, which is passed on later.
                let Some(finished) = finished else {
                    return Err(interrupted(parts.as_deref(), writer.simulated_s()));
                };
                let in_files = owner > 0 && split == Split::Intervals;
                if let Some(parts) = parts.as_deref_mut().filter(|_| !in_files) {
                    parts.append(&finished.bytes)?;
                }
                writer.write(&finished)?;
                job += 1;
                if owner > 0 {
                    spare = finished;
                } else {
                    in_order.give_back(finished);
                }
            }
        }
        Ok(())
    });
    let (counts, mut writing) = (writer.counts, writer.writing);
    if let Some(parts) = &mut parts {
        parts.sync()?;
    }
    let ((), mut cpu_simulation_s) = gathered?;
    if let Some(others) = &mut others {
        others.finish(&stopped)?;
        cpu_simulation_s += others.cpu_s;
    }
    if stopped() {
        // Some formats take long to finish, and an interrupt should not wait for that.
        return Err(interrupted(parts.as_deref(), plan.seconds()));
    }
    let start = Instant::now();
    let report = sink.finish()?;
    writing += start.elapsed();
    let cpu_shared_s = 0.0;
    let collected = Collected { counts, resumed_pulses, cpu_simulation_s, cpu_shared_s, writing };
    Ok((collected, report))
}

/// The run was stopped; with parts it can go on.
fn interrupted(parts: Option<&Checkpoint>, simulated_s: f64) -> Error {
    match parts {
        None => Error::Cancelled { simulated_s },
        Some(parts) => Error::Interrupted { simulated_s, folder: parts.folder().to_path_buf() },
    }
}
