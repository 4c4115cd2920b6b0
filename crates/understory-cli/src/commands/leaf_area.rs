//! `understory leaf-area RECORDING…`: leaf area estimated from recordings.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory_base::bounded_file;
use understory_leaf_area::{
    AreaEstimate, Estimator, LeafAngles, LeafArea, Settings, Weights, estimate,
};
use understory_learn::input::{BeamOptions, Input, RecordedPulses, RecoverMisses};
use understory_learn::register::ScanPoses;
use understory_plants::{Inclinations, LeafAngle};
use understory_view::picture::grouped;

use crate::progress::StepProgress;
use crate::reading::{ReadingArguments, files_of, recording_help, sensor};
use crate::report::{check_json, print_or_json, usage};
use crate::table::{Align, Table, facts};
use crate::voxels::{Told, VoxelArguments};

/// Rows of the profile that are printed.
const ROWS: usize = 24;

/// Estimate leaf area from recordings: per voxel, with intervals, and what could not be seen
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory leaf-area out/forest-plot/forest-plot.npy --region=-10,-10,0.3,10,10,22
  understory leaf-area a.npy b.npy c.npy d.npy --cell 1 -o density.npy --pictures out
  understory leaf-area flight.laz --trajectory path.txt --cell 2 --weights equal
  understory leaf-area scans/*.npy --leaf-angle fit --json -

A voxel to which no pulse came is unknown, never empty. Pulses without a return count as much as the
others: formats that drop them need --recover-misses.")]
pub struct Arguments {
    #[arg(required = true, value_name = "RECORDING", help = recording_help("Recordings"))]
    recordings: Vec<PathBuf>,
    #[command(flatten)]
    voxels: VoxelArguments,
    /// How density follows from what happened in a voxel
    #[arg(long, value_name = "NAME", default_value = "bias-corrected")]
    estimator: EstimatorName,
    /// How the light of a pulse is shared among its returns: auto (by intensity if there are several),
    /// first, equal, intensity, calibrated (by --full-intensity; the rest went on)
    #[arg(long, value_name = "NAME", default_value = "auto")]
    weights: WeightsName,
    /// Intensity of a leaf that fills the whole pulse, for --weights calibrated [default: from the
    /// recording]
    #[arg(long, value_name = "INTENSITY")]
    full_intensity: Option<f64>,
    /// How leaves are inclined: spherical, planophile, erectophile, plagiophile, extremophile, uniform,
    /// fit (from voxels seen from several sides), or a CSV of inclination_deg,share
    #[arg(long, value_name = "NAME|fit|FILE.csv", default_value = "spherical")]
    leaf_angle: String,
    /// Typical width of a leaf in metres: how much chance there is in where leaves hang
    #[arg(long, value_name = "METRES", default_value_t = 0.05)]
    leaf_width: f64,
    /// Clumping index within voxels, by which density is divided
    #[arg(long, value_name = "OMEGA", default_value_t = 1.0)]
    clumping: f64,
    /// Share of wood in what stopped light, where returns are not classed
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    wood_share: f64,
    /// Fewest pulses of a voxel; with fewer it is unknown
    #[arg(long, value_name = "COUNT", default_value_t = 1)]
    pulses_min: u32,
    /// Probability with which intervals hold the truth
    #[arg(long, value_name = "SHARE", default_value_t = 0.95)]
    confidence: f64,
    /// Ranges that count: what is nearer or farther says nothing
    #[arg(long, value_name = "MIN,MAX", value_delimiter = ',')]
    range: Option<Vec<f64>>,
    /// Find pulses without a return again: on the pattern of a spinning sensor, or on the grid that
    /// the recording shows itself
    #[arg(long, value_name = "PRESET|grid")]
    recover_misses: Option<String>,
    /// Poses of recordings, a line each, as `understory register` writes them
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum EstimatorName {
    /// Stopped over entered, over the mean way through
    ContactFrequency,
    /// Beer and Lambert's law inverted
    BeerLambert,
    /// The most likely density
    MaximumLikelihood,
    /// The same without its bias where pulses are few
    BiasCorrected,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum WeightsName {
    Auto,
    First,
    Equal,
    Intensity,
    Calibrated,
}

/// Estimates leaf area.
pub fn leaf_area(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    arguments.voxels.check()?;
    let settings = arguments.settings()?;
    let source = RecordedPulses::open(arguments.inputs()?, arguments.beam_options(&settings)?)?;
    let (bar, start) = (StepProgress::new(arguments.quiet), Instant::now());
    let found = estimate(&source, &settings, &bar);
    bar.finish();
    let found = found?;
    let seconds = start.elapsed().as_secs_f64();
    let mut text = summary(&found, seconds);
    text += &arguments.voxels.write(&told(arguments.name(), &found))?;
    let mut value = serde_json::to_value(&found)?;
    value["seconds"] = json!(seconds);
    print_or_json(&text, arguments.json.as_deref(), &value)
}

impl Arguments {
    fn name(&self) -> &str {
        let stem = self.recordings.first().and_then(|path| path.file_stem());
        stem.and_then(|stem| stem.to_str()).unwrap_or("leaf-area")
    }

    fn settings(&self) -> Result<Settings> {
        let range_m = match self.range.as_deref() {
            None => [0.0, f64::INFINITY],
            Some(&[near, far]) => [near, far],
            Some(_) => {
                return Err(usage("--range is not MIN,MAX; give two lengths such as 0.5,120"));
            }
        };
        if self.full_intensity.is_some() && self.weights != WeightsName::Calibrated {
            return Err(usage("--full-intensity is for --weights calibrated; give both"));
        }
        let settings = Settings {
            region: self.voxels.region()?,
            cell_m: self.voxels.cell_m(),
            estimator: match self.estimator {
                EstimatorName::ContactFrequency => Estimator::ContactFrequency,
                EstimatorName::BeerLambert => Estimator::BeerLambert,
                EstimatorName::MaximumLikelihood => Estimator::MaximumLikelihood,
                EstimatorName::BiasCorrected => Estimator::BiasCorrected,
            },
            weights: match self.weights {
                WeightsName::Auto => Weights::Auto,
                WeightsName::First => Weights::First,
                WeightsName::Equal => Weights::Equal,
                WeightsName::Intensity => Weights::Intensity,
                WeightsName::Calibrated => Weights::Calibrated(self.full_intensity),
            },
            leaf_angle: leaf_angles(&self.leaf_angle)?,
            leaf_width_m: self.leaf_width,
            clumping: self.clumping,
            wood_share: self.wood_share,
            pulses_min: self.pulses_min,
            range_m,
            confidence: self.confidence,
        };
        settings.check().map_err(|error| usage(error.to_string()))?;
        Ok(settings)
    }

    fn beam_options(&self, settings: &Settings) -> Result<BeamOptions> {
        let [range_min_m, range_max_m] = settings.range_m;
        let recover_misses = match self.recover_misses.as_deref() {
            None => RecoverMisses::No,
            Some("grid") => RecoverMisses::Grid,
            Some(name) => sensor(name)?.recovery_pattern()?,
        };
        Ok(BeamOptions { range_min_m, range_max_m, recover_misses, ..BeamOptions::default() })
    }

    fn inputs(&self) -> Result<Vec<Input>> {
        let options = self.reading.options()?;
        let paths = files_of(&self.recordings, self.poses.is_some())?;
        match &self.poses {
            Some(poses) => Ok(ScanPoses::read(poses)?.place(paths, &options)?),
            None => Ok(paths.into_iter().map(|path| Input::new(path, options.clone())).collect()),
        }
    }
}

/// Leaf angles by their name, to be fitted, or from a file.
fn leaf_angles(text: &str) -> Result<LeafAngles> {
    let named = match text {
        "fit" => return Ok(LeafAngles::Fitted),
        "spherical" => Some(LeafAngle::Spherical),
        "planophile" => Some(LeafAngle::Planophile),
        "erectophile" => Some(LeafAngle::Erectophile),
        "plagiophile" => Some(LeafAngle::Plagiophile),
        "extremophile" => Some(LeafAngle::Extremophile),
        "uniform" => Some(LeafAngle::Uniform),
        _ => None,
    };
    if let Some(named) = named {
        return Ok(LeafAngles::Named(named));
    }
    let path = Path::new(text);
    if !path.is_file() {
        return Err(usage(format!(
            "--leaf-angle {text} is neither a distribution nor a file; spherical is usual"
        )));
    }
    let content = bounded_file::read_text(path)
        .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
    // Bins of equal width: the shares alone, in the order of their inclinations.
    let rows = content.lines().skip(1).filter(|line| !line.trim().is_empty());
    let shares: Option<Vec<f64>> =
        rows.map(|line| line.split(',').nth(1)?.trim().parse().ok()).collect();
    let table = shares.and_then(|shares| Inclinations::from_areas(&shares));
    table.map(LeafAngles::Given).ok_or_else(|| {
        usage(format!(
            "{text} is no table of leaf angles; `understory truth SCENARIO --angles FILE.csv` writes one"
        ))
    })
}

fn summary(found: &LeafArea, seconds: f64) -> String {
    let counts = &found.counts;
    let percent = 100.0 * found.confidence;
    let within = |estimate: &AreaEstimate, digits: usize| {
        let AreaEstimate { value, low, high } = estimate;
        format!("{value:.digits$} ({percent:.0} %: {low:.digits$} to {high:.digits$})")
    };
    let unknown = 100.0 * counts.unknown as f64 / counts.voxels.max(1) as f64;
    let mut rows = vec![
        ("pulses", grouped(counts.pulses)),
        ("misses", grouped(counts.misses)),
        ("voxels", format!("{}, {unknown:.1} % of them unknown", grouped(counts.voxels))),
        ("ground", format!("{:.2} m²", found.ground_area_m2)),
        ("leaf area", format!("{} m²", within(&found.leaf_area_m2, 2))),
        ("leaf area index", within(&found.leaf_area_index, 3)),
        (
            "with unknown filled",
            format!(
                "{:.2} m², index {:.3}",
                found.leaf_area_filled_m2, found.leaf_area_index_filled
            ),
        ),
    ];
    if found.wood_area_m2 > 0.0 {
        rows.push(("wood area", format!("{:.2} m²", found.wood_area_m2)));
    }
    rows.push(("clumping", format!("{:.3} between columns", found.clumping_of_columns)));
    let fitted = found.fitted_angle.map_or(String::new(), |fitted| {
        let [low, high] = fitted.chi_interval;
        format!(", fitted: χ {:.2} (95 %: {low:.2} to {high:.2})", fitted.chi)
    });
    rows.push(("leaf angle", format!("{:.1}° in the mean{fitted}", found.mean_inclination_deg)));
    for (why, count) in found.read.skipped().into_iter().filter(|(_, count)| *count > 0) {
        rows.push(("left out", format!("{} {why}", grouped(count))));
    }
    let remarks = found.remarks.iter().chain(&found.read.remarks);
    rows.extend(remarks.map(|remark| ("remark", remark.clone())));
    rows.push(("took", format!("{seconds:.2} s")));
    let mut by = Table::new(&[("estimator", Align::Left), ("leaf area (m²)", Align::Right)]);
    for (name, area) in &found.by_estimator_m2 {
        by.row([(*name).to_owned(), format!("{area:.2}")]);
    }
    let mut table = Table::new(&[
        ("height (m)", Align::Right),
        ("leaf (m²/m³)", Align::Right),
        ("unknown (%)", Align::Right),
        ("leaf index", Align::Right),
    ]);
    let thin = found.profile.len().div_ceil(ROWS).max(1);
    for layers in found.profile.chunks(thin).rev() {
        let sum =
            |of: &dyn Fn(&understory_leaf_area::Layer) -> f64| layers.iter().map(of).sum::<f64>();
        let voxels = sum(&|layer| layer.voxels as f64);
        let known = sum(&|layer| (layer.voxels - layer.unknown) as f64);
        let leaves = sum(&|layer| {
            let known = (layer.voxels - layer.unknown) as f64;
            if known > 0.0 { layer.leaf_area_density * known } else { 0.0 }
        });
        let density = if known > 0.0 { format!("{:.4}", leaves / known) } else { "–".to_owned() };
        table.row([
            format!("{:.2}", sum(&|layer| layer.height_m) / layers.len() as f64),
            density,
            format!("{:.1}", 100.0 * (voxels - known) / voxels.max(1.0)),
            format!("{:.4}", sum(&|layer| layer.leaf_area_index)),
        ]);
    }
    format!("{}\n{}\n{}", facts(&rows), by.render(), table.render())
}

fn told<'a>(name: &'a str, found: &'a LeafArea) -> Told<'a> {
    let row = |layer: &understory_leaf_area::Layer| {
        vec![
            layer.height_m,
            layer.leaf_area_density,
            layer.wood_area_density,
            layer.voxels as f64,
            layer.unknown as f64,
            layer.leaf_area_index,
            layer.leaf_area_index_filled,
        ]
    };
    Told {
        name,
        grid: &found.grid,
        columns: found.columns(),
        profile_head: vec![
            "height_m",
            "leaf_area_density_m2_m3",
            "wood_area_density_m2_m3",
            "voxels",
            "unknown",
            "leaf_area_index",
            "leaf_area_index_filled",
        ],
        profile: found.profile.iter().map(row).collect(),
        lines: vec![(1, "leaf"), (2, "wood")],
        maps: vec![
            ("leaf area index", found.map.clone()),
            ("share unknown", found.map_unknown.clone()),
        ],
    }
}
