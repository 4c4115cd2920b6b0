//! Benchmarks that compare in one run, interleaved, and print ratios: machines are noisy.
//!
//! `cargo xtask bench` starts this program as a release build and brings what it needs.

// Nothing here becomes bytes of a run.
#![allow(clippy::disallowed_methods)]
// This program talks to a person at a terminal; that is all it does.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod against_embree;
mod cost;
mod courtyard;
mod detectors;
mod embree;
mod far;
mod load;
mod moving;
mod pipeline;
mod scaling;
mod scenes;
mod site;
mod weather;

use std::ffi::CStr;
use std::fs;
use std::path::PathBuf;
use std::time::Instant;
use understory::pulse::{Batch, PreparedRun, simulate_batch};
use understory_cloud::Records;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand, ValueEnum};
use understory_geometry::InstructionSet;

#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    contest: Contest,
    /// How often each contestant runs; the median counts
    #[arg(long, global = true, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Trace with these instructions instead of the fastest that the machine has; Embree keeps to
    /// them too
    #[arg(long, global = true, value_enum)]
    instructions: Option<Instructions>,
    /// Write the figures to this file as JSON
    #[arg(long, global = true, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Which instructions are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Instructions {
    Avx512,
    Avx2,
}

impl Instructions {
    fn ours(self) -> InstructionSet {
        match self {
            Instructions::Avx512 => InstructionSet::Avx512,
            Instructions::Avx2 => InstructionSet::Avx2,
        }
    }

    /// As Embree takes it.
    fn of_embree(self) -> &'static CStr {
        match self {
            Instructions::Avx512 => c"isa=avx512",
            Instructions::Avx2 => c"isa=avx2",
        }
    }
}

#[derive(Subcommand)]
enum Contest {
    /// The tracer beside Embree
    Embree {
        /// The shared library of Embree 4
        #[arg(long)]
        library: PathBuf,
    },
    /// Detectors in waveforms beside windows
    Detectors,
    /// The whole path of a pulse beside tracing alone, and writing LAZ beside not writing
    Pipeline,
    /// Far plants at lower levels of detail beside full detail
    Far {
        /// A scenario that the program carries
        #[arg(long, default_value = "courtyard")]
        scenario: String,
        /// From this distance instead of `auto`
        #[arg(long)]
        from_m: Option<f64>,
    },
    /// The courtyard against the clock of its sensors and beside Embree
    Courtyard {
        /// The shared library of Embree 4
        #[arg(long)]
        library: PathBuf,
    },
    /// Time per pulse as triangles become more
    Scaling {
        /// Draw the times into this folder
        #[arg(long, value_name = "FOLDER")]
        plot: Option<PathBuf>,
    },
    /// What a pulse costs as triangles, range, sub-rays, sensors and moving bodies grow
    Cost {
        /// Draw the figure into this folder
        #[arg(long, value_name = "FOLDER")]
        plot: Option<PathBuf>,
    },
    /// The scene of over 600 million triangles: time to load and memory
    Load,
    /// A scene that moves beside the same standing still
    Moving,
    /// Weather beside clear air
    Weather,
    /// Learned sites: pulses per second and bytes per volume
    Site,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let set = arguments.instructions;
    let report = match &arguments.contest {
        Contest::Embree { library } => against_embree::compare(library, arguments.rounds, set)?,
        Contest::Detectors => detectors::compare(arguments.rounds)?,
        Contest::Pipeline => pipeline::compare(arguments.rounds)?,
        Contest::Far { scenario, from_m } => far::compare(scenario, *from_m, arguments.rounds)?,
        Contest::Courtyard { library } => courtyard::compare(library, arguments.rounds, set)?,
        Contest::Scaling { plot } => scaling::measure(arguments.rounds, plot.as_deref())?,
        Contest::Cost { plot } => cost::measure(arguments.rounds, plot.as_deref())?,
        Contest::Load => load::measure()?,
        Contest::Moving => moving::compare(arguments.rounds)?,
        Contest::Site => site::measure(arguments.rounds)?,
        Contest::Weather => weather::compare(arguments.rounds)?,
    };
    if let Some(path) = &arguments.json {
        fs::write(path, serde_json::to_string_pretty(&report)? + "\n")
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    Ok(())
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Median over the rounds of what `theirs` took for each second of `ours`.
fn median_ratio(theirs: &[f64], ours: &[f64]) -> f64 {
    let ratios: Vec<f64> = theirs.iter().zip(ours).map(|(theirs, ours)| theirs / ours).collect();
    median(&ratios)
}

/// Processor seconds for all pulses of a run's first sensor, and the sum of what `count` finds in
/// their rows.
fn timed_pulses(run: &PreparedRun, pulses: u64, count: impl Fn(&Records) -> usize) -> (f64, usize) {
    const BATCH: u64 = 1024;
    let (mut batch, mut records) = (Batch::default(), Records::default());
    let (mut spent, mut found) = (0.0, 0);
    for first in (0..pulses).step_by(BATCH as usize) {
        records.clear();
        let range = first..(first + BATCH).min(pulses);
        let started = cpu_seconds();
        simulate_batch(run, &run.sensors[0], run.seed, range, &mut batch, &mut records);
        spent += cpu_seconds() - started;
        found += count(&records);
    }
    (spent, found)
}

/// Processor seconds for all pulses of all sensors of a run up to a time, and their number.
fn timed_sensors(run: &PreparedRun, until_s: f64) -> (f64, u64) {
    const BATCH: u64 = 2048;
    let (mut batch, mut records) = (Batch::default(), Records::default());
    let (mut spent, mut fired) = (0.0, 0);
    for sensor in &run.sensors {
        let pulses = sensor.pattern.first_pulse_at(until_s);
        let started = cpu_seconds();
        for first in (0..pulses).step_by(BATCH as usize) {
            records.clear();
            let range = first..(first + BATCH).min(pulses);
            simulate_batch(run, sensor, run.seed, range, &mut batch, &mut records);
        }
        spent += cpu_seconds() - started;
        fired += pulses;
    }
    (spent, fired)
}

/// Time that this thread has spent on a processor; time on the wall where the system is silent.
fn cpu_seconds() -> f64 {
    let spent = fs::read_to_string("/proc/thread-self/schedstat").ok();
    let spent = spent.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    match spent {
        Some(nanoseconds) => nanoseconds * 1e-9,
        None => {
            static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            START.get_or_init(Instant::now).elapsed().as_secs_f64()
        }
    }
}

/// Processor time of all threads of this process; time on the wall where the system is silent.
fn process_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").ok();
    // After the program's name, which may hold anything: user and system time, in hundredths.
    let ticks = stat.and_then(|text| {
        let (_, fields) = text.rsplit_once(')')?;
        let mut fields = fields.split_whitespace().skip(11);
        Some(fields.next()?.parse::<f64>().ok()? + fields.next()?.parse::<f64>().ok()?)
    });
    ticks.map_or_else(cpu_seconds, |ticks| ticks / 100.0)
}
