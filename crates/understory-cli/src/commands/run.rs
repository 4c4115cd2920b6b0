//! `understory run SCENARIO`: simulates it and writes its outputs.

mod verify;

use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::run::{
    Checkpoint, Ranks, RunBackend, RunIdentity, RunOptions, RunSummary, Split, run as run_prepared,
    run_with,
};
use understory::world::vegetation_lod::VegetationLod;
use understory_base::Silent;
use understory_cloud::{CloudError, CountingSink, OutputFormat, RecordSink, SinkReport};

use super::motion::write_motion;
use crate::disk_space;
use crate::identity::identity;
use crate::interrupt::stop_on_signal;
use crate::interval::Interval;
use crate::live::{Live, LiveArguments};
use crate::loading::{Loaded, MemoryArgument, load_with};
use crate::outputs::{MissesChoice, NewFolder, Outputs, format_help};
use crate::progress::{BarProgress, scaled};
use crate::ranks::{self, Mpi, agree};
use crate::report::{check_json, print_or_json, shown, usage};
use crate::resume::{self, ResumeArguments};
use crate::table::facts;
use understory_view::picture::grouped;

/// Simulate a scenario and write points, a picture and a summary
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory run demo
  understory run my.toml --out results --format laz --format csv
  understory run my.toml --interval 0..0.5 --json summary.json
  understory run my.toml --seed 7 --threads 8 --no-picture --quiet
  understory run my.toml --resume
  understory run my.toml --udp udp://127.0.0.1 --no-picture

Over several hosts, with the same bytes as in one run:
  understory run my.toml --interval 0..5 --parts a    on one host
  understory run my.toml --interval 5..10 --parts b   on another
  understory join my.toml a b
or, built with --features mpi:
  mpirun -n 8 understory run my.toml")]
pub struct Arguments {
    /// A scenario file, a pack (understory pack), or the name of a built-in one (understory scenarios)
    scenario: String,
    /// Folder for the outputs [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = format_help("Write points in this format"))]
    format: Vec<OutputFormat>,
    /// Pulses without a return: keep or drop them [default: las, laz, ply and pcd drop them]
    #[arg(long, value_name = "keep|drop", hide_possible_values = true)]
    misses: Option<MissesChoice>,
    /// Seed instead of the scenario's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Threads that simulate [default: one per processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=crate::threads::MAX as i64))]
    threads: Option<u16>,
    /// Simulate only from A up to B seconds; both ends may be left out
    #[arg(long, value_name = "A..B")]
    interval: Option<Interval>,
    #[command(flatten)]
    resume: ResumeArguments,
    /// Store finished work in DIR and write no outputs; `understory join` writes them
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "no_resume", "restart"])]
    parts: Option<PathBuf>,
    /// How ranks under mpirun share a run: the pulses of each scan, or an interval each through a folder that all of them see
    #[arg(
        long,
        value_name = "scans|intervals",
        default_value = "scans",
        hide_default_value = true
    )]
    split: SplitName,
    /// Trace plants far away as coarser LOD levels of themselves: off, auto, or from how many metres [default: as the scenario says]
    #[arg(long, value_name = "off|auto|METRES", value_parser = vegetation_lod)]
    vegetation_lod: Option<VegetationLod>,
    #[command(flatten)]
    memory: MemoryArgument,
    #[command(flatten)]
    live: LiveArguments,
    /// Also write the summary as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw no picture
    #[arg(long)]
    no_picture: bool,
    /// Run a pack as it was recorded and compare all outputs with their digests
    #[arg(long, conflicts_with_all = ["format", "seed", "interval", "vegetation_lod", "no_picture"])]
    verify: bool,
    /// No progress and no summary; errors still appear
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum SplitName {
    /// The pulses of each scan: the first scan is there soonest
    Scans,
    /// An interval for each rank: fewest messages
    Intervals,
}

/// A run that is ready, and what tells it from others.
struct Ready {
    loaded: Loaded,
    outputs: Outputs,
    options: RunOptions,
    identity: Option<RunIdentity>,
    /// Where its parts are kept, if they are.
    folder: Option<PathBuf>,
}

/// Simulates a scenario.
pub fn run(arguments: &Arguments) -> Result<()> {
    if arguments.verify {
        return arguments.verify();
    }
    let ranks = ranks::start()?;
    let outcome = run_on(arguments, ranks.as_ref());
    if let Some(ranks) = ranks
        && !outcome.as_ref().is_err_and(was_stopped)
    {
        ranks.end();
    }
    outcome
}

/// Whether the run was interrupted: other ranks may be gone then.
fn was_stopped(error: &anyhow::Error) -> bool {
    use understory::Error;
    let error = error.downcast_ref::<Error>();
    matches!(error, Some(Error::Cancelled { .. } | Error::Interrupted { .. }))
}

fn run_on(arguments: &Arguments, ranks: Option<&Mpi>) -> Result<()> {
    let ready = arguments.prepare(ranks);
    let ready = match ranks {
        None => ready?,
        Some(ranks) => {
            let digest = ready.as_ref().ok().and_then(|ready| ready.identity.as_ref());
            let digest = digest.map(RunIdentity::digest).unwrap_or_default();
            agree(ranks, ready, &digest)?
        }
    };
    if let Some(folder) = &arguments.parts {
        return ready.store(folder, arguments);
    }
    let first = ranks.is_none_or(|ranks| ranks.rank() == 0);
    let mut live = match first {
        true => {
            let first_s = ready.options.interval_s.map_or(0.0, |(from_s, _)| from_s);
            if arguments.live.any() {
                warn_of_pace(&ready, arguments.live.speed());
            }
            arguments.live.open(&ready.outputs.options, first_s)?
        }
        false => Live::default(),
    };
    live.announce();
    let done = ready.simulate(arguments, &mut live, ranks)?;
    let Some((summary, report)) = done else { return Ok(()) };
    let (sent, value_sent) = live.summary();
    let text = match arguments.quiet {
        true => String::new(),
        false => summary_text(&summary, &report) + &facts(&sent),
    };
    let mut value = serde_json::to_value(&summary)?;
    if arguments.live.any() {
        value["live"] = value_sent;
    }
    print_or_json(&text, arguments.json.as_deref(), &value)
}

/// Simulated time of a trial, and by how much a run should be faster than its pace.
const TRIAL_S: [f64; 2] = [0.01, 0.1];
const MARGIN: f64 = 1.1;

/// Says before a live run begins that it cannot keep its pace, by a trial of a tenth of a second.
fn warn_of_pace(ready: &Ready, speed: f64) {
    let (from_s, to_s) = ready.options.interval_s.unwrap_or((0.0, ready.loaded.run.duration_s));
    let mut pace = f64::INFINITY;
    for trial_s in TRIAL_S {
        let interval_s = Some((from_s, to_s.min(from_s + trial_s)));
        let options = RunOptions { interval_s, ..ready.options.clone() };
        let sink = Box::new(CountingSink::default());
        let Ok((summary, _)) = run_prepared(&ready.loaded.run, &options, sink, &Silent) else {
            return;
        };
        pace = summary.real_time_factor;
        if summary.seconds_wall > 1.0 {
            break;
        }
    }
    if pace < MARGIN * speed {
        let lod = match ready.loaded.run.scene.vegetation_lod {
            None => {
                "Give --vegetation-lod auto, which traces far plants coarser where nobody sees it. "
            }
            Some(_) => "",
        };
        tracing::warn!(
            "about {pace:.2} s of this run are simulated in a second, and {speed} are to be sent: it will fall behind. \
             {lod}Write it to a file first (understory run … --format npy) and send that with `understory play`, or give --speed {:.2}.",
            pace / MARGIN
        );
    }
}

impl Arguments {
    /// Runs a pack and compares with what it says.
    fn verify(&self) -> Result<()> {
        let loaded = load_with(&self.scenario, &self.memory, self.vegetation_lod)?;
        check_json(self.json.as_deref())?;
        let threads = self.threads.map(usize::from);
        let options = RunOptions { threads, ..RunOptions::default() };
        let (text, value) = verify::verify(loaded, options, self.out.as_deref(), self.quiet)?;
        let text = if self.quiet { String::new() } else { text };
        print_or_json(&text, self.json.as_deref(), &value)
    }

    fn split(&self) -> Split {
        match self.split {
            SplitName::Scans => Split::Scans,
            SplitName::Intervals => Split::Intervals,
        }
    }

    fn prepare(&self, ranks: Option<&Mpi>) -> Result<Ready> {
        if self.parts.is_some() && ranks.is_some() {
            return Err(usage(
                "--parts is for hosts that do not know of each other, and ranks share their work by themselves; leave it away under mpirun",
            ));
        }
        let mut loaded = load_with(&self.scenario, &self.memory, self.vegetation_lod)?;
        loaded.reseed(self.seed);
        let mut outputs = loaded.chosen_outputs(self.out.as_deref(), &self.format, self.no_picture);
        if let Some(misses) = self.misses {
            outputs.options.misses = misses.to_option();
        }
        let duration_s = loaded.run.duration_s;
        let options = RunOptions {
            threads: self.threads.map(usize::from).or_else(ranks::default_threads),
            interval_s: self.interval.map(|interval| interval.within(duration_s)),
            // Hosts do not know yet what will be written.
            keep_waveforms: !outputs.options.waveforms.is_empty(),
            ..RunOptions::default()
        };
        if let Some((from_s, to_s)) = options.interval_s
            && !(from_s < to_s && to_s <= duration_s)
        {
            return Err(usage(format!(
                "--interval {from_s}..{to_s} is no part of the run, which lasts from 0 to {duration_s} s; choose two rising times in it"
            )));
        }
        check_json(self.json.as_deref())?;
        let pulses = understory::run::pulses(&loaded.run, &options)?;
        if self.parts.is_none() {
            disk_space::check(&outputs, pulses)?;
        }
        let folder = resume::folder(&outputs, &loaded.name);
        let by_files = ranks.is_some() && self.split() == Split::Intervals;
        if self.live.any() && (self.parts.is_some() || by_files) {
            return Err(usage(
                "what is stored in parts cannot be sent live; leave away --parts, or --split intervals",
            ));
        }
        // What was stored before would come all at once.
        let keep = self.parts.is_none()
            && !self.live.any()
            && (by_files || self.resume.wanted(pulses, &folder));
        let known = keep || ranks.is_some() || self.parts.is_some();
        let identity = known.then(|| identity(&loaded, &options)).transpose()?;
        Ok(Ready { loaded, outputs, options, identity, folder: keep.then_some(folder) })
    }
}

impl Ready {
    /// Into the outputs, with the help of stored parts and of other ranks. Only rank 0 gets a
    /// result.
    fn simulate(
        self,
        arguments: &Arguments,
        live: &mut Live,
        ranks: Option<&Mpi>,
    ) -> Result<Option<(RunSummary, SinkReport)>> {
        let Ready { loaded, outputs, options, identity, folder } = self;
        let interval_s = options.interval_s.unwrap_or((0.0, loaded.run.duration_s));
        let first = ranks.is_none_or(|ranks| ranks.rank() == 0);
        // The folder of a run that fails at once disappears again.
        let new_folder = first.then(|| NewFolder::create(&outputs.folder)).transpose();
        let open = || -> Result<Option<Checkpoint>> {
            let (Some(folder), Some(identity)) = (&folder, &identity) else { return Ok(None) };
            let restart = arguments.resume.restart;
            Ok(Some(Checkpoint::for_run(folder, identity, interval_s, restart)?))
        };
        let mut parts = match (ranks, &identity) {
            (Some(ranks), Some(identity)) => {
                let mine = if first { open() } else { Ok(None) };
                let mine = agree(ranks, mine, &[])?;
                let fill =
                    folder.as_ref().filter(|_| !first && arguments.split() == Split::Intervals);
                let filled = fill.map(|folder| Checkpoint::to_fill(folder, identity)).transpose();
                let filled = agree(ranks, filled.map_err(anyhow::Error::from), &[])?;
                mine.or(filled)
            }
            _ => open()?,
        };
        let new_folder = new_folder?;
        let open_parts = |first_return_m, number| {
            let folders = outputs.files.iter().filter_map(|file| file.path.parent());
            for folder in folders {
                std::fs::create_dir_all(folder).map_err(|error| {
                    let path = folder.to_path_buf();
                    CloudError::Write { path, error }
                })?;
            }
            outputs.open_parts(first_return_m, number)
        };
        let backend = RunBackend {
            parts: parts.as_mut(),
            stored_only: false,
            ranks: ranks.map(|ranks| (ranks as &dyn Ranks, arguments.split())),
            together: outputs.can_be_shared().then_some(&open_parts),
        };
        let quiet = arguments.quiet || !first;
        let done = simulate_with(&loaded, options, &outputs, live, quiet, backend);
        match (&done, parts) {
            (Ok(Some((_, report))), Some(parts)) => resume::close(parts, &report.paths)?,
            (Err(_), Some(parts)) if first && parts.is_unused() => parts.remove()?,
            _ => {}
        }
        if done.is_ok() {
            new_folder.into_iter().for_each(NewFolder::keep);
        }
        done
    }

    /// Into a folder of parts, for `understory join`.
    fn store(self, folder: &Path, arguments: &Arguments) -> Result<()> {
        let Ready { loaded, options, identity, .. } = self;
        let mut parts = Checkpoint::shared(folder, &identity.unwrap_or_default())?;
        let backend = RunBackend { parts: Some(&mut parts), ..RunBackend::default() };
        let options = RunOptions { cancel: Some(stop_on_signal()), ..options };
        let progress = BarProgress::new(arguments.quiet);
        let sink = || -> Result<Box<dyn RecordSink>> { Ok(Box::new(CountingSink::default())) };
        let done = run_with(&loaded.run, &options, backend, sink, &progress)?;
        let Some((summary, mut report)) = done else { return Ok(()) };
        report.paths.push(folder.to_path_buf());
        let text = if arguments.quiet { String::new() } else { summary_text(&summary, &report) };
        print_or_json(&text, arguments.json.as_deref(), &summary)
    }
}

/// Simulates into `outputs`; whatever fails, nothing half-written is left.
pub fn simulate(
    loaded: &Loaded,
    options: RunOptions,
    outputs: &Outputs,
    quiet: bool,
) -> Result<(RunSummary, SinkReport)> {
    let mut live = Live::default();
    let done = simulate_with(loaded, options, outputs, &mut live, quiet, RunBackend::default())?;
    // Alone, this is rank 0.
    done.ok_or_else(|| understory::Error::OtherRank.into())
}

/// The same with stored parts and other processes; only rank 0 gets a result.
pub fn simulate_with(
    loaded: &Loaded,
    options: RunOptions,
    outputs: &Outputs,
    live: &mut Live,
    quiet: bool,
    backend: RunBackend,
) -> Result<Option<(RunSummary, SinkReport)>> {
    let keep_waveforms = !outputs.options.waveforms.is_empty();
    let options = RunOptions { cancel: Some(stop_on_signal()), keep_waveforms, ..options };
    let progress = BarProgress::new(quiet);
    let mut new_folders = Vec::new();
    let open = || -> Result<Box<dyn RecordSink>> {
        let (sink, new) = outputs.open(std::mem::take(&mut live.sinks))?;
        new_folders = new;
        Ok(sink)
    };
    let interval_s = options.interval_s;
    // Whatever else a run writes belongs behind this line: parts are removed only after this
    // function, so that a kill on the way loses nothing.
    let mut done = run_with(&loaded.run, &options, backend, open, &progress)?;
    new_folders.into_iter().for_each(NewFolder::keep);
    if let Some((summary, report)) = &mut done {
        summary.seconds_building = Some(loaded.building_s);
        report.paths.extend(outputs.write_names(&loaded.name)?);
        report.paths.extend(loaded.write_poses(outputs)?);
        report.paths.extend(write_motion(loaded, &outputs.folder, interval_s)?);
    }
    Ok(done)
}

/// `--far-plants`.
pub fn vegetation_lod(text: &str) -> Result<VegetationLod, String> {
    let read = match text.parse::<f64>() {
        Ok(from_m) => VegetationLod::from_distance(from_m),
        Err(_) => text.parse(),
    };
    read.map_err(|problem| format!("{problem}; {}", VegetationLod::REMEDY))
}

/// How long everything took.
fn took(summary: &RunSummary) -> String {
    let (run_s, writing_s) = (summary.seconds_wall, summary.seconds_writing);
    let building_s = summary.seconds_building.unwrap_or(0.0);
    format!(
        "{:.3} s: {building_s:.3} building, {run_s:.3} simulating, of which {writing_s:.3} writing",
        building_s + run_s
    )
}

/// The summary as a table, and where the files are.
pub fn summary_text(summary: &RunSummary, report: &SinkReport) -> String {
    let share = |part: u64| 100.0 * part as f64 / summary.pulses.max(1) as f64;
    let memory = summary.peak_memory_mb.map_or("unknown".to_owned(), |mb| format!("{mb:.0} MB"));
    let resumed = match summary.resumed_pulses {
        0 => String::new(),
        stored => format!(", {} of them stored before", grouped(stored)),
    };
    let mut rows = vec![
        ("pulses", grouped(summary.pulses) + &resumed),
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
        ("took", took(summary)),
        ("real time", format!("× {:.3} without building", summary.real_time_factor)),
        ("rays", format!("{} per second", scaled(summary.rays_per_second))),
        ("memory", memory),
    ]);
    let paths = &summary.paths;
    if paths.segments > 0 {
        let cut = match paths.cut {
            0 => String::new(),
            cut => format!("; {} ended at the largest number of bounces", grouped(cut)),
        };
        rows.push(("beyond mirrors and glass", format!("{} rays{cut}", grouped(paths.segments))));
    }
    if let Some(far) = &summary.vegetation_lod {
        let from: Vec<String> = far.from_m.iter().map(|from_m| format!("{from_m:.1}")).collect();
        let from = match from.is_empty() {
            true if far.pulses == 0 => "off: the run is too short for it to pay".to_owned(),
            true => "none: no distance kept the difference small".to_owned(),
            false => format!("coarser from {} m on", from.join(", ")),
        };
        rows.push(("vegetation LOD", from));
    }
    if let Some(far) = summary.vegetation_lod.as_ref().filter(|far| far.pulses > 0) {
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
    rows.extend(report.dropped_fields.iter().map(|what| ("not kept", what.clone())));
    rows.extend(report.paths.iter().map(|path| ("wrote", shown(path))));
    facts(&rows)
}
