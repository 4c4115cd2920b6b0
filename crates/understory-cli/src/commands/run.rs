//! `understory run SCENARIO`: simulates it and writes its outputs.

mod verify;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use understory::far_plants::FarPlants;
use understory::run::{RunOptions, RunSummary};
use understory_cloud::{OutputFormat, SinkReport};

use super::motion::write_motion;
use crate::interval::Interval;
use crate::loading::{Loaded, MemoryArgument, load_with};
use crate::outputs::{NewFolder, Outputs};
use crate::picture::grouped;
use crate::progress::{BarProgress, scaled};
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;

/// Simulate a scenario and write points, a picture and a summary
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory run demo
  understory run my.toml --out results --format laz --format csv
  understory run my.toml --interval 0..0.5 --json summary.json
  understory run my.toml --seed 7 --threads 8 --no-picture --quiet")]
pub struct Arguments {
    /// A scenario file, a pack (understory pack), or the name of one on board (understory scenarios)
    scenario: String,
    /// Folder for the outputs [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write points in this format (las, laz, ply, pcd, csv, npy, kitti, blensor-csv, blensor-npy, evd); may be given several times [default: as the scenario says]
    #[arg(long, value_name = "FORMAT")]
    format: Vec<OutputFormat>,
    /// Seed instead of the scenario's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads that simulate [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Simulate only from A up to B seconds; both ends may be left out
    #[arg(long, value_name = "A..B")]
    interval: Option<Interval>,
    /// Trace plants far away as coarser versions of themselves: off, auto, or from how many metres [default: as the scenario says]
    #[arg(long, value_name = "off|auto|METRES", value_parser = far_plants)]
    far_plants: Option<FarPlants>,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Also write the summary as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw no picture
    #[arg(long)]
    no_picture: bool,
    /// Run a pack as it was recorded and compare all outputs with their digests
    #[arg(long, conflicts_with_all = ["format", "seed", "interval", "far_plants", "no_picture"])]
    verify: bool,
    /// No progress and no summary; errors still appear
    #[arg(long, short)]
    quiet: bool,
}

/// Simulates a scenario.
pub fn run(arguments: &Arguments) -> Result<()> {
    let mut loaded = load_with(&arguments.scenario, &arguments.memory, arguments.far_plants)?;
    if arguments.verify {
        check_json(arguments.json.as_deref())?;
        let threads = arguments.threads.map(usize::from);
        let options = RunOptions { threads, ..RunOptions::default() };
        let (text, value) =
            verify::verify(loaded, options, arguments.out.as_deref(), arguments.quiet)?;
        let text = if arguments.quiet { String::new() } else { text };
        return print_or_json(&text, arguments.json.as_deref(), &value);
    }
    if let Some(seed) = arguments.seed {
        loaded.run.reseed(&loaded.scenario, seed);
    }
    let mut outputs = loaded.outputs(arguments.out.as_deref());
    if !arguments.format.is_empty() {
        outputs.only(&loaded.name, arguments.format.clone());
    }
    if arguments.no_picture {
        outputs.picture = None;
    }
    let duration_s = loaded.run.duration_s;
    let options = RunOptions {
        seed: arguments.seed,
        threads: arguments.threads.map(usize::from),
        interval_s: arguments.interval.map(|interval| interval.within(duration_s)),
        ..RunOptions::default()
    };
    if let Some((from_s, to_s)) = options.interval_s
        && !(from_s < to_s && to_s <= duration_s)
    {
        return Err(usage(format!(
            "--interval {from_s}..{to_s} is no part of the run, which lasts from 0 to {duration_s} s; choose two rising times in it"
        )));
    }
    check_json(arguments.json.as_deref())?;
    let interval_s = options.interval_s;
    let (summary, mut report) = simulate(&loaded, options, &outputs, arguments.quiet)?;
    report.paths.extend(write_motion(&loaded, &outputs.folder, interval_s)?);
    let text = if arguments.quiet { String::new() } else { tell(&summary, &report) };
    print_or_json(&text, arguments.json.as_deref(), &summary)
}

/// Simulates into `outputs`; whatever fails, nothing half-written is left.
pub fn simulate(
    loaded: &Loaded,
    options: RunOptions,
    outputs: &Outputs,
    quiet: bool,
) -> Result<(RunSummary, SinkReport)> {
    let (sink, new_folders) = outputs.open()?;
    let keep_waveforms = !outputs.options.waveforms.is_empty();
    let options = RunOptions { cancel: Some(stop_on_signal()), keep_waveforms, ..options };
    let progress = BarProgress::new(quiet);
    let (summary, mut report) = understory::run::run(&loaded.run, &options, sink, &progress)?;
    new_folders.into_iter().for_each(NewFolder::keep);
    report.paths.extend(loaded.write_poses(outputs)?);
    Ok((summary, report))
}

/// A flag that rises when the user interrupts the run, so that temporary files can be removed. A
/// second interrupt ends the program at once.
pub fn stop_on_signal() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    // Without a handler an interrupt ends the program as usual.
    if let Err(error) = ctrlc::set_handler(handler).context("no handler for interrupts") {
        tracing::debug!("{error:#}");
    }
    stop
}

/// `--far-plants`.
fn far_plants(text: &str) -> Result<FarPlants, String> {
    let read = match text.parse::<f64>() {
        Ok(from_m) => FarPlants::from_distance(from_m),
        Err(_) => text.parse(),
    };
    read.map_err(|problem| format!("{problem}; {}", FarPlants::REMEDY))
}

/// The summary as a table, and where the files are.
pub fn tell(summary: &RunSummary, report: &SinkReport) -> String {
    let share = |part: u64| 100.0 * part as f64 / summary.pulses.max(1) as f64;
    let memory = summary.peak_memory_mb.map_or("unknown".to_owned(), |mb| format!("{mb:.0} MB"));
    let mut rows = vec![
        ("pulses", grouped(summary.pulses)),
        ("returns", grouped(summary.returns)),
        (
            "misses",
            format!("{} ({:.1} % of pulses)", grouped(summary.misses), share(summary.misses)),
        ),
        ("sub-rays", grouped(summary.sub_rays)),
    ];
    if summary.waveforms.cut > 0 {
        let cut = grouped(summary.waveforms.cut);
        rows.push(("waveforms", format!("{cut} reached beyond the range gate and were cut there")));
    }
    rows.extend([
        ("simulated", format!("{:.3} s", summary.seconds_simulated)),
        ("took", format!("{:.3} s", summary.seconds_wall)),
        ("real time", format!("× {:.3}", summary.real_time_factor)),
        ("rays", format!("{} per second", scaled(summary.rays_per_second))),
        ("memory", memory),
    ]);
    let paths = &summary.paths;
    if paths.stretches > 0 {
        let cut = match paths.cut {
            0 => String::new(),
            cut => format!("; {} ended at the largest number of bounces", grouped(cut)),
        };
        rows.push(("beyond mirrors and glass", format!("{} rays{cut}", grouped(paths.stretches))));
    }
    if let Some(far) = &summary.far_plants {
        let from: Vec<String> = far.from_m.iter().map(|from_m| format!("{from_m:.1}")).collect();
        let from = match from.is_empty() {
            true => "none: no distance kept the difference small".to_owned(),
            false => format!("coarser from {} m on", from.join(", ")),
        };
        rows.push(("far plants", from));
        rows.push((
            "  effect",
            format!(
                "Bhattacharyya distance {:.4} of the range histograms from full detail, floor {:.4}, \
                 excess {:+.4} ({} pulses)",
                far.distance,
                far.floor,
                far.excess,
                grouped(far.pulses)
            ),
        ));
    }
    rows.extend(report.paths.iter().map(|path| ("wrote", shown(path))));
    facts(&rows)
}

/// A path as one would type it.
pub fn shown(path: &Path) -> String {
    path.display().to_string()
}
