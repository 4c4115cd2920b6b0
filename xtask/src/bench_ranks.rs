//! `cargo xtask bench ranks`: speedup of a scan over processes, as figure 3 of Goodin et al. (2018)
//! has it for 1 to 40 processors.
//!
//! Runs of 1, 2 and 4 processes of one thread each take turns, so that neighbours disturb all alike.
//! What cannot be shared is counted, not guessed: the program tells the processor time of its
//! simulating threads and of the one thread that collects and writes. Amdahl's law then says what
//! more processors would bring; that is a prediction and printed as one.

use std::ffi::OsString;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result};
use clap::Parser;

use crate::shell::{cargo, run, target_dir};
use crate::system_packages;

/// What to measure.
#[derive(Parser)]
#[command(name = "cargo xtask bench ranks")]
struct Arguments {
    /// A scenario that the program carries
    #[arg(long, default_value = "courtyard")]
    scenario: String,
    /// Simulated time
    #[arg(long, default_value = "0..0.1")]
    interval: String,
    /// Format that is written
    #[arg(long, default_value = "laz")]
    format: String,
    /// How ranks share a run: scans, or intervals, whose files they write together
    #[arg(long, default_value = "intervals")]
    split: String,
    /// How often each number of processes runs; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// One run.
#[derive(Clone, Copy)]
struct Spent {
    wall_s: f64,
    simulation_s: f64,
    serial_s: f64,
}

const RANKS: [usize; 3] = [1, 2, 4];
/// Processors for which the figure of the paper, and more, is predicted.
const PREDICTED: [f64; 4] = [2.0, 4.0, 40.0, 1000.0];

/// Measures and prints.
pub fn bench(arguments: &[OsString]) -> Result<()> {
    let program = OsString::from("cargo xtask bench ranks");
    let arguments = Arguments::parse_from(std::iter::once(&program).chain(arguments));
    system_packages::ensure(system_packages::ALL)?;
    let build = ["build", "--release", "--locked", "-p", "understory-cli", "--features", "mpi"];
    run(&mut cargo(build))?;
    let program = target_dir()?.join("release/understory");
    let folder = target_dir()?.join("bench-ranks");
    fs::create_dir_all(&folder)?;
    let json = folder.join("summary.json");
    let once = |ranks: usize, resume: &str| -> Result<Spent> {
        let mut command = Command::new("mpirun");
        command.args(["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n"]);
        command.arg(ranks.to_string()).arg(&program).args(["run", &arguments.scenario]);
        command.args(["--interval", &arguments.interval, "--format", &arguments.format]);
        command.args(["--threads", "1", "--no-picture", resume, "--quiet"]);
        command.args(["--split", &arguments.split]);
        command.arg("--out").arg(&folder).arg("--json").arg(&json);
        crate::shell::captured(&mut command)?;
        let summary: serde_json::Value = serde_json::from_slice(&fs::read(&json)?)?;
        let number = |name: &str| summary[name].as_f64().with_context(|| format!("no {name}"));
        Ok(Spent {
            wall_s: number("seconds_wall")?,
            simulation_s: number("cpu_simulation_s")?,
            serial_s: number("cpu_serial_s")?,
        })
    };
    let mut spent = RANKS.map(|_| Vec::new());
    let mut stored = Vec::new();
    for round in 0..arguments.rounds.max(1) {
        for (place, &ranks) in RANKS.iter().enumerate() {
            // Parts are removed when the run is done.
            let is_stored = ranks > 1 && arguments.split == "intervals";
            let resume = if is_stored { "--restart" } else { "--no-resume" };
            spent[place].push(once(ranks, resume)?);
        }
        stored.push(once(1, "--restart")?);
        println!("round {} of {}", round + 1, arguments.rounds);
    }
    let of = |place: usize, what: fn(&Spent) -> f64| median(spent[place].iter().map(what));
    println!(
        "\n{}, {} s, {}: one thread a process, {} processors on this machine",
        arguments.scenario,
        arguments.interval,
        arguments.format,
        std::thread::available_parallelism().map_or(1, usize::from)
    );
    println!("processes  by the clock   speedup   simulation (processor)   serial (processor)");
    for (place, ranks) in RANKS.iter().enumerate() {
        // Of runs in the same round, so that a busy moment disturbs both.
        let pairs = spent[0].iter().zip(&spent[place]);
        let speedup = median(pairs.map(|(one, many)| one.wall_s / many.wall_s));
        println!(
            "{ranks:>9}  {:>10.3} s  {speedup:>8.2}  {:>20.3} s  {:>16.4} s",
            of(place, |run| run.wall_s),
            of(place, |run| run.simulation_s),
            of(place, |run| run.serial_s)
        );
    }
    let cpu_s = |run: &Spent| run.simulation_s + run.serial_s;
    let ratio = median(stored.iter().zip(&spent[0]).map(|(kept, not)| cpu_s(kept) / cpu_s(not)));
    println!(
        "\nkeeping parts (--resume) takes {ratio:.3} times the processor time of not keeping them"
    );
    // Rows of other ranks have to be unpacked, those of rank 0 have not.
    let alone = Spent {
        wall_s: 0.0,
        simulation_s: of(0, |run| run.simulation_s),
        serial_s: of(0, |run| run.serial_s),
    };
    let four = (of(2, |run| run.simulation_s), of(2, |run| run.serial_s));
    // What is left to rank 0, whatever the number of ranks.
    let together = arguments.split == "intervals";
    let foreign = (four.1 - alone.serial_s).max(0.0) / (1.0 - 1.0 / 4.0);
    let (serial_s, words) = match together {
        true => (four.1, "what rank 0 does alone, of the work of one process"),
        false => (alone.serial_s, "serial share of one process"),
    };
    let share = serial_s / (alone.serial_s + alone.simulation_s);
    println!("\n{words}: {:.3} %", 100.0 * share);
    println!("predicted by Amdahl's law from these counts, not measured:");
    for n in PREDICTED {
        let serial_s = match together {
            true => four.1,
            false => alone.serial_s + foreign * (1.0 - 1.0 / n),
        };
        let speedup =
            (alone.serial_s + alone.simulation_s) / (serial_s + four.0.max(alone.simulation_s) / n);
        println!("  {n:>5} processors: {speedup:>6.1} times one");
    }
    println!("Goodin et al. (2018, figure 3) show nearly ideal scaling up to 40 processors.");
    Ok(())
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}
