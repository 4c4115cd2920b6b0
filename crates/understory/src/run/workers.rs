//! Threads that simulate a list of jobs and hand on what they finish in order.
//!
//! What enters: the gaps of a run as [`Plan`]s, and which of their jobs are this process's own.
//! What leaves: [`Finished`] jobs, one after another, through [`InOrder`].
//!
//! A worker takes the next job together with an empty table from a small stock, and the caller
//! gives tables back when it is done with them: memory stays bounded, and whatever the caller does
//! overlaps with simulation. A pool such as rayon's hands on results when all are done or in any
//! order; here the order is kept with a bounded number of jobs ahead, which is why threads are
//! started by hand.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::thread;

use understory_cloud::{CostlyColumns, Records};

use crate::Error;
use crate::pulse::{Batch, PreparedRun, SensorRun, simulate_batch};

use super::RunOptions;
use super::block::{Finished, Tallies};
use super::clock::thread_cpu_s;
use super::merge::merge_by_cycle;
use super::ordered::{Alarm, Stock, stream, take};
use super::plan::Plan;
use super::sync::{Mutex, Sender};

/// Sub-rays per batch: their columns stay in the processor's cache, and of a sensor of 64 channels,
/// some of which fire three times as often, each has streams of sixteen to fill.
const BATCH_SUB_RAYS: u64 = 18 * 1024;

/// What the workers of this process finish, in the order of their jobs.
pub(super) type InOrder<'a> = super::ordered::InOrder<'a, Finished>;

/// Which jobs of all gaps together are to be done here.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum JobSubset {
    /// Every `step`-th from `first` on.
    Every { first: u64, step: u64 },
    /// These.
    Range(Range<u64>),
}

impl JobSubset {
    /// The `n`-th own job among `jobs`.
    fn job(&self, n: u64, jobs: u64) -> Option<u64> {
        let job = match self {
            JobSubset::Every { first, step } => n.checked_mul(*step)?.checked_add(*first)?,
            JobSubset::Range(range) => Some(range.start + n).filter(|job| *job < range.end)?,
        };
        (job < jobs).then_some(job)
    }

    /// Whether `job` is to be done here.
    pub fn has(&self, job: u64) -> bool {
        match self {
            JobSubset::Every { first, step } => job % step == *first,
            JobSubset::Range(range) => range.contains(&job),
        }
    }
}

/// What is to be simulated, and how.
pub(super) struct Work<'a> {
    pub run: &'a PreparedRun,
    pub options: &'a RunOptions,
    /// What is not stored yet, in rising order.
    pub gaps: &'a [Plan],
    pub share: JobSubset,
    /// Whether blocks of bytes are wanted besides rows.
    pub encode: bool,
    /// Which columns that take time are read.
    pub costly: CostlyColumns,
}

impl Work<'_> {
    /// Jobs of all gaps.
    pub fn jobs(&self) -> u64 {
        self.gaps.iter().map(|gap| gap.jobs).sum()
    }

    /// The gap in which `job` lies, and its number there.
    fn place(&self, mut job: u64) -> Option<(&Plan, u64)> {
        for gap in self.gaps {
            if job < gap.jobs {
                return Some((gap, job));
            }
            job -= gap.jobs;
        }
        None
    }

    pub fn threads(&self) -> usize {
        let processors = || thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let wanted = self.options.threads.unwrap_or_else(processors).max(1);
        wanted.min(usize::try_from(self.jobs()).unwrap_or(usize::MAX)).max(1)
    }

    /// Starts the workers, lets `take_over` have what they finish, and gives its result and the processor
    /// time of the workers.
    pub fn simulate<T>(
        &self,
        take_over: impl FnOnce(&mut InOrder) -> Result<T, Error>,
    ) -> Result<(T, f64), Error> {
        let threads = if self.share.job(0, self.jobs()).is_some() { self.threads() } else { 0 };
        let cancel = self.options.cancel.as_deref();
        let stopped = move || cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let (stock, full_to_caller, mut in_order) = stream(2 * threads + 2, Box::new(stopped));
        thread::scope(|scope| {
            let mut workers = Vec::with_capacity(threads);
            for _ in 0..threads {
                let (stock, full) = (&stock, full_to_caller.clone());
                let worker = thread::Builder::new()
                    .name("simulate".into())
                    .spawn_scoped(scope, move || self.work(stock, &full))
                    .map_err(Error::Threads)?;
                workers.push(worker);
            }
            drop(full_to_caller);
            let taken = take_over(&mut in_order);
            // Leaving early drops the channels, and the workers stop at their next job.
            drop(in_order);
            let mut cpu_s = 0.0;
            for worker in workers {
                match worker.join() {
                    Ok(spent_s) => cpu_s += spent_s,
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok((taken?, cpu_s))
        })
    }

    /// Takes jobs until none is left or the caller is gone; returns the time that it took.
    fn work(&self, stock: &Mutex<Stock<Finished>>, full: &Sender<(u64, Finished)>) -> f64 {
        let mut alarm = Alarm { full, ended_well: false };
        self.do_jobs(stock, full);
        alarm.ended_well = true;
        thread_cpu_s()
    }

    fn do_jobs(&self, stock: &Mutex<Stock<Finished>>, full: &Sender<(u64, Finished)>) {
        let (run, jobs) = (self.run, self.jobs());
        let seed = run.seed;
        let mut batch = Batch::default();
        batch.detector.waveform.keep = self.options.keep_waveforms;
        batch.costly = self.costly;
        let mut of_sensor = vec![Records::default(); run.sensors.len()];
        while let Some((number, job, mut finished)) = take(stock, |n| self.share.job(n, jobs)) {
            let Some((plan, job)) = self.place(job) else { return };
            finished.from = plan.cut(run, job);
            finished.to = plan.cut(run, job + 1);
            let counted = |batch: &Batch| Tallies {
                paths: batch.interactions.paths,
                waveforms: batch.detector.waveform.tally,
            };
            batch.interactions.paths = Default::default();
            batch.detector.waveform.tally = Default::default();
            finished.records.clear();
            let pulses = finished.from.pulses.iter().zip(&finished.to.pulses);
            if let [sensor] = &run.sensors[..] {
                for (&from, &to) in pulses {
                    simulate_pulses(run, sensor, seed, from..to, &mut batch, &mut finished.records);
                }
            } else {
                for ((sensor, rows), (&from, &to)) in
                    run.sensors.iter().zip(&mut of_sensor).zip(pulses)
                {
                    rows.clear();
                    simulate_pulses(run, sensor, seed, from..to, &mut batch, rows);
                }
                merge_by_cycle(run, &of_sensor, &mut finished.records);
            }
            finished.tallies = counted(&batch);
            if self.encode {
                finished.encode();
            }
            if full.send((number, finished)).is_err() {
                return;
            }
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
    for pulses in run.fired(sensor, pulses) {
        let mut first = pulses.start;
        while first < pulses.end {
            let end = first.saturating_add(size).min(pulses.end);
            simulate_batch(run, sensor, seed, first..end, batch, rows);
            first = end;
        }
    }
}
