//! `understory compare REAL SIMULATED`: how alike two recordings are, with what chance would leave.

mod held_out;
mod plots;
mod summary;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use understory_cloud::{KnownColumns, ReadOptions, Recording, Records};
use understory_compare::{
    CompareError, CompareMode, CompareOptions, CompareReport, Comparison, CountedReturn,
    OrientationBy, Region, channels_tell_beams_apart,
};

use crate::progress::BuildProgress;
use crate::reading::ReadingArguments;
use crate::report::{cannot_write, check_json, print_or_json, usage};
use understory_base::Progress;

/// Compare a real recording with a simulated one
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory compare real.npy simulated.npy
  understory compare real.npy simulated.npy --roi 7,9,-1,1,0,3 --plots plots
  understory compare real.npy simulated.npy --range 7..9 --azimuth -5..5 --json result.json
  understory compare scan.ply simulated.npy --pose 2,0,1.8 --orientations direction --azimuth-bin-deg 1 --elevation-bin-deg 1
  understory compare drive.laz simulated.npy --trajectory poses.txt --mode moving
  understory compare held-out.npy simulated.npy --held-out --learned-from learned.npy

Distances are of Bhattacharyya. Chance alone leaves the floor between two recordings of one world;
what is above it is the excess, and 0 is perfect. --held-out scores every real beam by the simulated
draws of the same beam instead. See docs/compare.md for every figure.")]
pub struct Arguments {
    /// The real recording, in any format that can be read
    real: PathBuf,
    /// The simulated recording, of the same sensor
    simulated: PathBuf,
    /// Whether the sensor stands still; auto looks at the origins of the beams
    #[arg(long, value_name = "auto|static|moving", default_value = "auto")]
    mode: ModeName,
    /// What makes an orientation; auto takes the first that both recordings know, and direction for
    /// a sensor that moves
    #[arg(long, value_name = "auto|channel|angles|direction", default_value = "auto")]
    orientations: OrientationName,
    /// Size of a cell in azimuth [default: 0.09, or 1 for a sensor that moves]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    azimuth_bin_deg: Option<f64>,
    /// Size of a cell in elevation, where channels do not tell it [default: 0.09, or 1]
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    elevation_bin_deg: Option<f64>,
    /// Size of a bin in range [default: 0.002, or 0.05 for a sensor that moves]
    #[arg(long, value_name = "METRES", allow_negative_numbers = true)]
    range_bin_m: Option<f64>,
    /// Size of the cells of places of a sensor that moves
    #[arg(long, value_name = "METRES", default_value_t = 1.0, allow_negative_numbers = true)]
    place_cell_m: f64,
    /// Compare orientations that see this box of the world: x0,x1,y0,y1,z0,z1
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    roi: Option<Vec<f64>>,
    /// Compare orientations that see something in these ranges, in metres
    #[arg(long, value_name = "A..B")]
    range: Option<Limits>,
    /// Compare these azimuths alone, in degrees counter-clockwise
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    azimuth: Option<Limits>,
    /// Compare these elevations alone, in degrees
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    elevation: Option<Limits>,
    /// Which return of a pulse counts
    #[arg(long, value_name = "first|last", default_value = "first")]
    returns: ReturnName,
    /// Compare returns alone; so it is anyhow if one recording has no pulses without a return
    #[arg(long)]
    without_misses: bool,
    /// Seed of random halves and of scans drawn again
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How often scans are drawn again for the interval; 0: no interval
    #[arg(long, value_name = "N", default_value_t = 1000)]
    drawings: u32,
    /// How near points of the other cloud must be for the F-score
    #[arg(long, value_name = "METRES", default_value_t = 0.05, allow_negative_numbers = true)]
    threshold_m: f64,
    /// Most points of each cloud; 0: clouds are not compared
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    points_max: usize,
    /// How far apart the origins of beams may be that are compared one by one
    #[arg(long, value_name = "METRES", default_value_t = 0.5, allow_negative_numbers = true)]
    origin_limit_m: f64,
    /// How far apart their directions may be
    #[arg(long, value_name = "DEGREES", default_value_t = 0.25, allow_negative_numbers = true)]
    direction_limit_deg: f64,
    /// Score every real beam by what the simulation says of it: capped score, Brier and losses by range.
    /// The simulation has fired the real beams, as often as it likes
    #[arg(long)]
    held_out: bool,
    /// With --held-out: the recording that the simulated site was learned from; its nearest beams are
    /// what any model stands beside
    #[arg(long, value_name = "RECORDING", requires = "held_out")]
    learned_from: Vec<PathBuf>,
    /// Draw histograms into this folder
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// Channel, or row of elevation, that is drawn [default: where most returns are]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    plot_channel: Option<i32>,
    /// Azimuth in the middle of the plots
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    plot_azimuth_deg: Option<f64>,
    /// Range in the middle of the plots
    #[arg(long, value_name = "METRES")]
    plot_range_m: Option<f64>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum ModeName {
    Auto,
    Static,
    Moving,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum OrientationName {
    Auto,
    Channel,
    Angles,
    Direction,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ReturnName {
    First,
    Last,
}

/// Two numbers as `a..b`.
#[derive(Clone, Copy)]
struct Limits([f64; 2]);

impl std::str::FromStr for Limits {
    type Err = String;

    fn from_str(text: &str) -> Result<Limits, String> {
        let form = || "give two numbers as 7..9".to_owned();
        let (from, to) = text.split_once("..").ok_or_else(form)?;
        let number = |part: &str| part.trim().parse::<f64>().map_err(|_| form());
        Ok(Limits([number(from)?, number(to)?]))
    }
}

/// Compares and tells.
pub fn compare(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let start = Instant::now();
    if arguments.held_out {
        return held_out::score(arguments, start);
    }
    let found = match arguments.mode {
        ModeName::Moving => compare_as(arguments, Some(CompareMode::Moving))?,
        ModeName::Static => compare_as(arguments, Some(CompareMode::Static))?,
        ModeName::Auto => match compare_as(arguments, None) {
            Err(error) if moves(&error) => compare_as(arguments, Some(CompareMode::Moving))?,
            found => found?,
        },
    };
    let mut drawn = Vec::new();
    if let Some(folder) = &arguments.plots {
        fs::create_dir_all(folder).map_err(|error| cannot_write(folder, error))?;
        let wanted = plots::Wanted {
            row: arguments.plot_channel,
            azimuth_deg: arguments.plot_azimuth_deg,
            range_m: arguments.plot_range_m,
        };
        drawn = plots::draw(&found, &wanted, folder)?;
    }
    let summary = summary::Summary {
        paths: [&arguments.real, &arguments.simulated],
        found: &found,
        seed: arguments.seed,
        drawings: arguments.drawings,
        drawn: &drawn,
        seconds: start.elapsed().as_secs_f64(),
    };
    print_or_json(&summary.text(), arguments.json.as_deref(), &summary.json())
}

fn moves(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref::<CompareError>(), Some(CompareError::Moves { .. }))
}

/// Reads both recordings and compares them.
fn compare_as(arguments: &Arguments, mode: Option<CompareMode>) -> Result<CompareReport> {
    let moving = mode == Some(CompareMode::Moving);
    let reading = ReadOptions { need_origins: moving, ..arguments.reading.options()? };
    let mut real = Recording::open(&arguments.real, &reading)?;
    let others = ReadOptions { need_origins: moving, ..ReadOptions::default() };
    let mut simulated = Recording::open(&arguments.simulated, &others)?;
    let mut known = [real.known(), simulated.known()];
    let mut first = Records::default();
    if real.next_batch(&mut first)? {
        known[0].channel &= channels_tell_beams_apart(&first);
    }
    let options = options(arguments, mode, known)?;
    let mut remarks = Vec::new();
    for (known, path) in known.iter().zip([&arguments.real, &arguments.simulated]) {
        if !known.misses && !arguments.without_misses {
            remarks.push(format!(
                "{} has no pulses without a return, so returns alone are compared",
                path.display()
            ));
        }
    }
    let mut comparison = Comparison::new(&options).map_err(|error| usage(error.to_string()))?;
    let progress = BuildProgress::saying("reading").quiet(arguments.quiet);
    comparison.add_real(&first)?;
    drop(first);
    read(&mut real, &arguments.real, [0.0, 0.5], &progress, |rows| comparison.add_real(rows))?;
    read(&mut simulated, &arguments.simulated, [0.5, 1.0], &progress, |rows| {
        comparison.add_simulated(rows)
    })?;
    progress.step("is done; comparing", 1.0);
    let mut report = comparison.finish()?;
    for (recording, path) in [(&real, &arguments.real), (&simulated, &arguments.simulated)] {
        let left = recording.report().skipped();
        if left > 0 {
            remarks.push(format!("{}: {}", path.display(), recording.report()));
        }
    }
    remarks.append(&mut report.remarks);
    report.remarks = remarks;
    Ok(report)
}

/// Gives all batches of a recording to `add`.
fn read(
    recording: &mut Recording,
    path: &Path,
    shares: [f64; 2],
    progress: &BuildProgress,
    mut add: impl FnMut(&Records) -> Result<(), CompareError>,
) -> Result<()> {
    let mut batch = Records::default();
    let name = path.display().to_string();
    while recording.next_batch(&mut batch)? {
        add(&batch)?;
        let done = match recording.rows() {
            Some(rows) if rows > 0 => recording.report().rows as f64 / rows as f64,
            _ => 0.5,
        };
        progress.step(&name, shares[0] + (shares[1] - shares[0]) * done.min(1.0));
    }
    Ok(())
}

/// Options of the comparison from those of the command line and what the recordings know.
fn options(
    arguments: &Arguments,
    mode: Option<CompareMode>,
    known: [KnownColumns; 2],
) -> Result<CompareOptions> {
    let moving = mode == Some(CompareMode::Moving);
    let by = match arguments.orientations {
        OrientationName::Channel => Some(OrientationBy::Channel),
        OrientationName::Angles => Some(OrientationBy::Angles),
        OrientationName::Direction => Some(OrientationBy::Direction),
        OrientationName::Auto => None,
    };
    let mut options = CompareOptions::suited(mode, by, known).map_err(|lacking| {
        let path = if lacking.side == 0 { &arguments.real } else { &arguments.simulated };
        usage(format!(
            "{} does not say {}; give a pose or a trajectory, or choose other --orientations",
            path.display(),
            lacking.what
        ))
    })?;
    let histogram = &mut options.histogram;
    histogram.misses &= !arguments.without_misses;
    if let Some(size) = arguments.azimuth_bin_deg {
        histogram.azimuth_bin_deg = size;
    }
    if let Some(size) = arguments.elevation_bin_deg {
        histogram.elevation_bin_deg = size;
    }
    if let Some(size) = arguments.range_bin_m {
        histogram.range_bin_m = size;
    }
    if moving {
        histogram.place_cell_m = Some(arguments.place_cell_m);
    }
    histogram.counted = match arguments.returns {
        ReturnName::First => CountedReturn::First,
        ReturnName::Last => CountedReturn::Last,
    };
    let box_m = match arguments.roi.as_deref() {
        None => None,
        Some(&[x0, x1, y0, y1, z0, z1]) => Some([[x0, x1], [y0, y1], [z0, z1]]),
        Some(numbers) => {
            return Err(usage(format!(
                "--roi has {} numbers; give x0,x1,y0,y1,z0,z1",
                numbers.len()
            )));
        }
    };
    histogram.region = Region {
        box_m,
        range_m: arguments.range.map(|limits| limits.0),
        azimuth_deg: arguments.azimuth.map(|limits| limits.0),
        elevation_deg: arguments.elevation.map(|limits| limits.0),
    };
    options.scores.seed = arguments.seed;
    options.scores.drawings = arguments.drawings;
    options.threshold_m = arguments.threshold_m;
    options.points_max = arguments.points_max;
    options.limits.origin_m = arguments.origin_limit_m;
    options.limits.direction_deg = arguments.direction_limit_deg;
    Ok(options)
}
