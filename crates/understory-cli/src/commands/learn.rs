//! `understory learn RECORDING… -o SITE`: how each small volume of a site returns light.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use glam::DVec3;
use serde_json::json;
use understory_learn::colours::{ColourReport, learn_colours};
use understory_learn::estimate::parts::{CountsPart, PointsPart};
use understory_learn::estimate::voxel::{self, Geometry};
use understory_learn::estimate::{HeldOut, RANGE_EDGES_M, Report, Settings, Tau};
use understory_learn::input::{
    BeamOptions, BeamSource, Input, MovingBeams, ReadingReport, RecordingBeams, RecoverMisses,
    Returns, WithoutMoving, recognise_frames,
};
use understory_learn::register::ScanPoses;
use understory_learn::site::{Model, Site};

mod advice;
mod on_ranks;
pub mod scored;

use advice::{choose_cell, told_of_moving};
use scored::Judged;

use crate::progress::{StepProgress, scaled};
use crate::ranks;
use crate::reading::{ReadingArguments, files_of, recording_help, sensor};
use crate::report::shown;
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;
use understory_base::Progress;
use understory_cloud::check_writable;
use understory_view::picture::grouped;

/// Cells are finer than the sampling if rays end this many cells apart.
const FINER: f64 = 4.0;

/// Learn from recordings how each small volume of a site returns light
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory learn out/demo/demo.npy -o demo.site
  understory learn rays.ply -o forest.site --model voxel --cell 0.1
  understory learn flight.laz -o hill.site --trajectory poses.txt --cell 0.3
  understory learn scan.pcd -o tree.site --pose 2,0,1.8,0,0,90 --recover-misses vlp-16
  understory learn frames/*.npy -o street.site --poses poses.txt --columns x,y,z,intensity,-,label \\
    --points-in sensor --recover-misses grid --every 0/2
  understory learn drive/ -o street.site --poses refined.txt --hold-out 1/2
  understory learn drive/ -o street.site --poses refined.txt --moving leave-out

Over several hosts, with the same bytes as in one run:
  understory learn a/*.laz --stage points -o a.cells --trajectory poses.txt --model voxel
  understory learn a.cells b.cells --stage merge -o all.cells
  understory learn a/*.laz --stage counts --geometry all.cells -o a.counts --trajectory poses.txt
  understory learn a.counts b.counts --stage site --geometry all.cells -o whole.site

A pulse that returned nothing teaches as much as one that did. Formats that drop such pulses need
--recover-misses; without them the site stops too much light.")]
pub struct Arguments {
    #[arg(required = true, value_name = "RECORDING", help = recording_help("Recordings"))]
    recordings: Vec<PathBuf>,
    /// The site file to write; with --stage, the file of that stage
    #[arg(short, long, value_name = "SITE")]
    output: PathBuf,
    /// How volumes are found [default: likelihood; voxel with --stage]
    #[arg(long, value_name = "NAME")]
    model: Option<ModelName>,
    /// One of the steps by which a site of voxels is learned in parts: sums of points, all sums
    /// merged, counts of beams, and the site
    #[arg(long, value_name = "NAME")]
    stage: Option<Stage>,
    /// The merged sums of points of all parts, for --stage counts and --stage site
    #[arg(long, value_name = "CELLS")]
    geometry: Option<PathBuf>,
    /// Edge of the cells in metres; of likelihood, of the largest of them; of a surface, of its
    /// grid [default: 0.05; of likelihood what suits the spacing of the rays; of a surface 0.01]
    #[arg(long, value_name = "METRES")]
    cell: Option<f64>,
    /// Radius of a surface's kernel in metres [default: four cells, or 4/3 of one above 0.1]
    #[arg(long, value_name = "METRES")]
    kernel: Option<f64>,
    /// How near a beam must come to a volume to count, as a Mahalanobis distance; auto: so near
    /// that nine tenths of the beams that end in cells count
    #[arg(long, default_value = "2", value_name = "NUMBER|auto")]
    tau: String,
    /// Least number of points of a volume
    #[arg(long, default_value_t = 1, value_name = "COUNT")]
    points: u64,
    /// Permeability by Jeffreys' rule for volumes that fewer beams met
    #[arg(long, default_value_t = 0, value_name = "COUNT")]
    jeffreys_below: u64,
    /// Variance of the volumes of likelihood across the rays, in those of the gaps between rays; auto
    /// takes what predicts held-out beams best, 0.01 is for the very rays that were learned from
    #[arg(long, default_value = "auto", value_name = "FACTOR")]
    width: String,
    /// Largest number of volumes of top-down
    #[arg(long, value_name = "COUNT")]
    leaves: Option<usize>,
    /// Parts of each split of top-down
    #[arg(long, default_value_t = 2, value_name = "COUNT")]
    split_into: usize,
    /// Let top-down leave whole what looks Gaussian
    #[arg(long)]
    gaussian_stop: bool,
    /// Ranges that count: returns from beyond the second are none, pulses that return from before
    /// the first are skipped
    #[arg(long, value_name = "MIN,MAX", value_delimiter = ',')]
    range: Option<Vec<f64>>,
    /// Which return of a pulse counts
    #[arg(long, default_value = "first", value_name = "first|strongest|last")]
    returns: ReturnsName,
    /// Find pulses without a return again: on the pattern of a spinning sensor, or on the grid that
    /// the recording shows itself
    #[arg(long, value_name = "PRESET|grid")]
    recover_misses: Option<String>,
    /// Only what happens in this box: x,y,z of its lower and of its upper corner
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    region: Option<Vec<f64>>,
    /// Only every N-th scan, from scan K on: 0/5 is a fifth
    #[arg(long, value_name = "K/N")]
    every: Option<String>,
    /// Learn from the other scans and judge the site by these: 1/2 is every second. Beside it stand the
    /// nearest beams that were learned from
    #[arg(long, value_name = "K/N")]
    hold_out: Option<String>,
    /// Poses of recordings, a line each: a file's name and twelve numbers, as `understory register`
    /// writes them, or KITTI's twelve numbers in the order of the files
    #[arg(long, value_name = "FILE")]
    poses: Option<PathBuf>,
    /// What moved while it was recorded, such as people and cars: leave-out skips the beams that met
    /// it, keep learns it like everything else
    #[arg(long, default_value = "keep", value_name = "keep|leave-out", conflicts_with = "stage")]
    moving: MovingName,
    /// Give volumes the colours of recordings that have some; simulated returns then have them
    #[arg(long, conflicts_with = "stage")]
    colours: bool,
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
enum Stage {
    /// Sums of the points of recordings
    Points,
    /// All sums together
    Merge,
    /// What the beams of recordings did in the cells of all
    Counts,
    /// The site of all counts
    Site,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ModelName {
    /// Optical depths that make the beams most likely
    Likelihood,
    /// A Gaussian for each cell
    Voxel,
    /// Points halved again and again
    TopDown,
    /// Ellipsoids grown together
    BottomUp,
    /// A surface through the points, for comparison
    Surface,
}

impl ModelName {
    fn model(self) -> Model {
        match self {
            ModelName::Likelihood => Model::Likelihood,
            ModelName::Voxel => Model::Voxel,
            ModelName::TopDown => Model::TopDown,
            ModelName::BottomUp => Model::BottomUp,
            ModelName::Surface => Model::Surface,
        }
    }
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ReturnsName {
    First,
    Strongest,
    Last,
}

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum MovingName {
    Keep,
    LeaveOut,
}

/// Learns one site, or a part of one.
pub fn learn(arguments: &Arguments) -> Result<()> {
    if let Some(ranks) = ranks::start()? {
        let learned = on_ranks::learn(arguments, &ranks);
        ranks.end();
        return learned;
    }
    check_json(arguments.json.as_deref())?;
    check_writable(&arguments.output)?;
    let bar = StepProgress::new(arguments.quiet);
    let progress = |what: &str, share: f64| bar.step(what, share);
    let start = Instant::now();
    if let Some(stage) = arguments.stage {
        if !matches!(arguments.model, None | Some(ModelName::Voxel)) {
            return Err(usage("--stage is for voxels alone; say --model voxel, or leave it away"));
        }
        return match stage {
            Stage::Points => arguments.gather_points(&progress, start),
            Stage::Merge => arguments.merge_points(),
            Stage::Counts => arguments.count_beams(&progress, start),
            Stage::Site => arguments.make_site(start),
        };
    }
    let beam_options = arguments.beam_options()?;
    let mut settings = arguments.settings(beam_options.range_max_m)?;
    if arguments.colours && matches!(arguments.model, Some(ModelName::Surface)) {
        return Err(usage("--colours is for volumes, which a surface does not have"));
    }
    let mut inputs = arguments.inputs()?;
    let recognised = recognise_frames(&mut inputs)?;
    let source = RecordingBeams::open(inputs.clone(), beam_options.clone())?;
    let model = arguments.model.map_or(Model::Likelihood, ModelName::model);
    let mut remarks = recognised;
    if arguments.cell.is_none() && model == Model::Likelihood {
        remarks.extend(choose_cell(&mut settings, &source)?);
    }
    remarks.extend(arguments.check_poses(&source, &progress)?);
    let moving = match arguments.moving {
        MovingName::Keep => None,
        MovingName::LeaveOut => Some(MovingBeams::find(&source, &progress)?),
    };
    remarks.extend(moving.as_ref().map(told_of_moving));
    let still = moving.as_ref().map(|moving| WithoutMoving::new(&source, moving));
    let beams: &dyn BeamSource = match &still {
        Some(still) => still,
        None => &source,
    };
    let learned = understory_learn::estimate::learn(beams, model, &settings, &progress);
    let seconds = start.elapsed().as_secs_f64();
    let mut read = source.report();
    read.remarks.extend(remarks);
    let judged = learned.map_err(anyhow::Error::from).and_then(|(mut site, report)| {
        let coloured = match arguments.colours {
            true => Some(learn_colours(&mut site, &inputs, &beam_options, &progress)?),
            false => None,
        };
        let judged = scored::judge(&site, &source, inputs, &beam_options, &progress)?;
        Ok((site, report, judged, coloured))
    });
    bar.finish();
    let (mut site, report, judged, coloured) = judged?;
    read.remarks.extend(coloured.map(|coloured| {
        let ColourReport { coloured, used, volumes } = coloured;
        let [coloured, used, volumes] = [coloured, used, volumes].map(grouped);
        format!("{used} of {coloured} coloured returns gave {volumes} volumes their colours")
    }));
    site.provenance.skipped = skipped(&read);
    site.provenance.remarks.extend(learned_from(&arguments.names()));
    site.write(&arguments.output)?;
    arguments.print_summary(&site, &report, &read, judged.as_ref(), seconds)
}

fn skipped(read: &ReadingReport) -> u64 {
    read.skipped().iter().map(|(_, count)| count).sum()
}

/// What people find in a site about its recordings: sorted, and not too many of them.
fn learned_from(names: &[String]) -> Vec<String> {
    const SHOWN: usize = 100;
    let mut lines: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("learned from {name}")).collect();
    if names.len() > SHOWN {
        lines.push(format!("and {} more", names.len() - SHOWN));
    }
    lines
}

impl Arguments {
    /// Names of the recordings, sorted.
    fn names(&self) -> Vec<String> {
        let name = |path: &PathBuf| {
            path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = self.recordings.iter().map(name).collect();
        names.sort();
        names
    }

    fn gather_points(&self, progress: &dyn Progress, start: Instant) -> Result<()> {
        let beam_options = self.beam_options()?;
        let settings = self.settings(beam_options.range_max_m)?;
        let source = RecordingBeams::open(self.inputs()?, beam_options)?;
        let (cells, beams) = voxel::gather(&source, &settings, progress)?;
        let part = PointsPart { settings, recordings: self.names(), beams, cells };
        part.write(&self.output)?;
        self.tell_part(part.cells.len(), part.cells.points(), beams, start)
    }

    fn merge_points(&self) -> Result<()> {
        let start = Instant::now();
        let mut merged: Option<PointsPart> = None;
        for path in &self.recordings {
            let part = PointsPart::read(path)?;
            match &mut merged {
                None => merged = Some(part),
                Some(merged) => merged.merge(&part)?,
            }
        }
        let Some(merged) = merged else { return Ok(()) };
        merged.write(&self.output)?;
        self.tell_part(merged.cells.len(), merged.cells.points(), merged.beams, start)
    }

    /// The merged sums of all parts, with the gate of this run.
    fn all_points(&self) -> Result<(PointsPart, Geometry)> {
        let path = self.geometry.as_ref().ok_or_else(|| {
            usage("this stage needs --geometry; give the file that --stage merge wrote")
        })?;
        let part = PointsPart::read(path)?;
        let geometry = Geometry::new(&part.cells, &part.settings)?;
        Ok((part, geometry))
    }

    fn count_beams(&self, progress: &dyn Progress, start: Instant) -> Result<()> {
        let (part, geometry) = self.all_points()?;
        let Tau::Fixed(tau) = self.settings(part.settings.range_max_m)?.tau else {
            return Err(usage(
                "--tau auto needs all beams at once; give all parts the same number",
            ));
        };
        let beam_options = self.beam_options()?;
        if beam_options.range_max_m != part.settings.range_max_m {
            return Err(usage(format!(
                "--range ends at {} m and that of the points at {} m; give both stages the same",
                beam_options.range_max_m, part.settings.range_max_m
            )));
        }
        let source = RecordingBeams::open(self.inputs()?, beam_options)?;
        let counts = voxel::count(&source, &geometry, tau, &part.settings, progress)?;
        let beams = counts.beams;
        let skipped = skipped(&source.report());
        let counted = CountsPart { geometry: part.checksum(), tau, skipped, counts };
        counted.write(&self.output)?;
        self.tell_part(geometry.cells.len(), part.cells.points(), beams, start)
    }

    fn make_site(&self, start: Instant) -> Result<()> {
        let (part, geometry) = self.all_points()?;
        let mut merged: Option<CountsPart> = None;
        for path in &self.recordings {
            let counted = CountsPart::read(path)?;
            let fits = counted.geometry == part.checksum()
                && counted.counts.cells.len() == geometry.cells.len();
            if !fits {
                return Err(usage(format!(
                    "{} was counted in other cells; count it again with this --geometry",
                    path.display()
                )));
            }
            match &mut merged {
                None => merged = Some(counted),
                Some(merged) => merged.merge(&counted)?,
            }
        }
        let Some(merged) = merged else { return Ok(()) };
        if merged.counts.beams != part.beams {
            return Err(usage(format!(
                "the parts counted {} beams and the points are of {}; give the counts of every part once",
                merged.counts.beams, part.beams
            )));
        }
        let (mut site, mut report) =
            voxel::site(&geometry, &merged.counts, merged.tau, &part.settings);
        report.out_of_reach = part.cells.out_of_reach;
        report.working_bytes =
            part.cells.memory_bytes() as u64 / geometry.cells.len().max(1) as u64;
        site.provenance.skipped = merged.skipped;
        site.provenance.remarks.extend(learned_from(&part.recordings));
        site.write(&self.output)?;
        let seconds = start.elapsed().as_secs_f64();
        self.print_summary(&site, &report, &ReadingReport::default(), None, seconds)
    }

    fn tell_part(&self, cells: usize, points: u64, beams: u64, start: Instant) -> Result<()> {
        let seconds = start.elapsed().as_secs_f64();
        let text = facts(&[
            ("beams", grouped(beams)),
            ("points", grouped(points)),
            ("cells", grouped(cells as u64)),
            ("took", format!("{seconds:.2} s")),
            ("wrote", shown(&self.output)),
        ]);
        let value = json!({
            "part": self.output,
            "beams": beams,
            "points": points,
            "cells": cells,
            "seconds": seconds,
        });
        print_or_json(&text, self.json.as_deref(), &value)
    }

    fn beam_options(&self) -> Result<BeamOptions> {
        let [range_min_m, range_max_m] = match self.range.as_deref() {
            None => [0.0, f64::INFINITY],
            Some(&[low, high]) if low >= 0.0 && high > low => [low, high],
            Some(_) => {
                return Err(usage("--range is not MIN,MAX; give two lengths such as 0.5,120"));
            }
        };
        let region = match self.region.as_deref() {
            None => None,
            Some(&[a, b, c, d, e, f]) if a < d && b < e && c < f => {
                Some([DVec3::new(a, b, c), DVec3::new(d, e, f)])
            }
            Some(_) => {
                return Err(usage(
                    "--region is no box; give x,y,z of its lower and of its upper corner",
                ));
            }
        };
        let every = scans("--every", self.every.as_deref())?;
        let except = scans("--hold-out", self.hold_out.as_deref())?;
        if every.is_some() && except.is_some() {
            return Err(usage("--every and --hold-out both choose scans; give one of them"));
        }
        let recover_misses = match self.recover_misses.as_deref() {
            None => RecoverMisses::No,
            Some("grid") => RecoverMisses::Grid,
            Some(name) => sensor(name)?.recovery_pattern()?,
        };
        let returns = match self.returns {
            ReturnsName::First => Returns::First,
            ReturnsName::Strongest => Returns::Strongest,
            ReturnsName::Last => Returns::Last,
        };
        Ok(BeamOptions { returns, range_min_m, range_max_m, region, every, except, recover_misses })
    }

    fn settings(&self, range_max_m: f64) -> Result<Settings> {
        let tau = match self.tau.as_str() {
            "auto" => Tau::Auto,
            text => Tau::Fixed(text.parse().map_err(|_| {
                usage(format!("--tau is {text}, which is neither a number nor auto; 2 is usual"))
            })?),
        };
        let widening = match self.width.as_str() {
            "auto" => None,
            text => Some(text.parse().map_err(|_| {
                usage(format!("--width is {text}, which is neither a number nor auto"))
            })?),
        };
        let model = self.model.map_or(Model::Likelihood, ModelName::model);
        let mut settings = Settings {
            tau,
            widening,
            range_max_m,
            points_min: self.points,
            jeffreys_below: self.jeffreys_below,
            ..Settings::for_model(model, self.cell, self.kernel)
        };
        settings.top_down.target_leaves = self.leaves;
        settings.top_down.parts = self.split_into;
        settings.top_down.gaussian_stop = self.gaussian_stop;
        if let Some(name) = &self.reading.sensor {
            settings.sensor = sensor(name)?.point_uncertainty();
        }
        settings.surface.sigma_range_m = settings.sensor.sigma_range_m;
        settings.check().map_err(|error| usage(error.to_string()))?;
        if model == Model::Surface {
            settings.surface.check().map_err(|error| usage(error.to_string()))?;
        }
        Ok(settings)
    }

    fn inputs(&self) -> Result<Vec<Input>> {
        let options = self.reading.options()?;
        let paths = files_of(&self.recordings, self.poses.is_some())?;
        match &self.poses {
            Some(poses) => Ok(ScanPoses::read(poses)?.place(paths, &options)?),
            None => Ok(paths.into_iter().map(|path| Input::new(path, options.clone())).collect()),
        }
    }

    fn print_summary(
        &self,
        site: &Site,
        report: &Report,
        read: &ReadingReport,
        judged: Option<&Judged>,
        seconds: f64,
    ) -> Result<()> {
        let rate = report.beams as f64 / seconds.max(1e-9);
        let bytes = site.volume_bytes() as u64 / report.volumes.max(1);
        let orphaned = report.counts.orphaned_share();
        let mut rows = vec![("beams", grouped(report.beams)), ("misses", grouped(report.misses))];
        if read.recovered > 0 {
            rows.push(("recovered", format!("{} of the misses", grouped(read.recovered))));
        }
        if read.beyond_range > 0 {
            let beyond = grouped(read.beyond_range);
            rows.push(("remark", format!("{beyond} returns from beyond the range count as none")));
        }
        for (why, count) in read.skipped().into_iter().filter(|(_, count)| *count > 0) {
            rows.push(("left out", format!("{} {why}", grouped(count))));
        }
        for path in &read.duplicated_files {
            rows.push(("left out", format!("{}, a copy of another", path.display())));
        }
        if read.lost_gaps > 0 {
            let gaps = grouped(read.lost_gaps);
            rows.push((
                "lost data",
                format!(
                    "{gaps} gaps in which all rings end at once; no misses are recovered there"
                ),
            ));
        }
        if read.clock_steps_back > 0 {
            let by = read.largest_step_back_s;
            let steps = grouped(read.clock_steps_back);
            rows.push(("clock", format!("goes back {steps} times, by up to {by:.6} s")));
        }
        rows.extend(read.remarks.iter().map(|remark| ("remark", remark.clone())));
        if report.misses == 0 {
            let remark = "no pulse without a return: nothing goes through to the sky, so the site returns something almost everywhere; see --recover-misses";
            rows.push(("remark", remark.to_owned()));
        }
        rows.push(("points", grouped(report.points)));
        if let Some(surface) = &site.surface {
            rows.push(("triangles", grouped(surface.triangles.len() as u64)));
        }
        let has_volumes = site.model != Model::Surface;
        if has_volumes {
            rows.push(("volumes", grouped(report.volumes)));
        }
        for (count, why) in [
            (report.unobserved, "volumes that no beam came near enough"),
            (report.sparse, "volumes of too few points"),
            (report.out_of_reach, "points beyond all cells"),
        ] {
            if count > 0 {
                rows.push(("left out", format!("{} {why}", grouped(count))));
            }
        }
        if has_volumes {
            let memory = format!("{bytes} bytes a volume, {} while learning", report.working_bytes);
            let share = format!("{:.2} % of the beams that ended in volumes", orphaned * 100.0);
            rows.push(("gate", format!("{:.2} Mahalanobis", report.tau)));
            rows.push(("orphans", share));
            rows.push(("permeability", format!("{:.3} on average", report.mean_permeability)));
            rows.push(("memory", memory));
            rows.extend(held_out_rows(report));
        }
        if report.sampling_m > FINER * site.cell_m {
            rows.push((
                "remark",
                format!(
                    "cells of {} m are finer than the sampling: rays end {:.2} m apart; --cell {:.1} learns as much, sooner",
                    site.cell_m,
                    report.sampling_m,
                    (0.5 * report.sampling_m).clamp(0.1, 0.4)
                ),
            ));
        }
        if let Some(judged) = judged {
            rows.extend(judged.rows());
        }
        rows.push(("took", format!("{seconds:.2} s, {} pulses/s", scaled(rate))));
        rows.push(("wrote", shown(&self.output)));
        let left: serde_json::Map<_, _> = read
            .skipped()
            .into_iter()
            .map(|(why, count)| (why.replace(' ', "_"), json!(count)))
            .collect();
        let value = json!({
            "site": self.output,
            "model": format!("{:?}", site.model),
            "cell_m": site.cell_m,
            "beams": report.beams,
            "misses": report.misses,
            "recovered": read.recovered,
            "beyond_range": read.beyond_range,
            "other_returns": read.other_returns,
            "left_out": left,
            "lost_gaps": read.lost_gaps,
            "duplicated_files": read.duplicated_files,
            "clock_steps_back": read.clock_steps_back,
            "remarks": read.remarks,
            "points": report.points,
            "volumes": report.volumes,
            "triangles": site.surface.as_ref().map(|surface| surface.triangles.len()),
            "unobserved": report.unobserved,
            "sparse": report.sparse,
            "tau": report.tau,
            "stopped": report.counts.stopped,
            "passed": report.counts.passed,
            "orphaned": report.counts.orphaned,
            "orphaned_volumes": report.orphaned_volumes,
            "mean_permeability": report.mean_permeability,
            "held_out": report.held_out,
            "widening": report.widening,
            "sampling_m": report.sampling_m,
            "judged": judged,
            "seconds": seconds,
            "pulses_per_second": rate,
            "bytes_per_volume": bytes,
            "working_bytes_per_volume": report.working_bytes,
        });
        print_or_json(&facts(&rows), self.json.as_deref(), &value)
    }
}

/// Which scans an argument names: K/N.
fn scans(argument: &str, text: Option<&str>) -> Result<Option<[u32; 2]>> {
    let Some(text) = text else { return Ok(None) };
    let parts = text.split_once('/');
    let numbers = parts.and_then(|(k, n)| Some([k.parse().ok()?, n.parse().ok()?]));
    match numbers {
        Some([k, n]) if k < n => Ok(Some([k, n])),
        _ => Err(usage(format!(
            "{argument} is {text}, which is not K/N with K below N; 0/5 takes every fifth scan"
        ))),
    }
}

/// How well beams that were held out are predicted with the width that was chosen.
fn held_out_rows(report: &Report) -> Vec<(&'static str, String)> {
    let chosen = report.held_out.iter().find(|score| score.widening == report.widening);
    let Some(HeldOut { beams, capped_m, lost, false_returns, lost_by_range, .. }) = chosen else {
        return Vec::new();
    };
    let percent = |share: f64| match share.is_nan() {
        true => "–".to_owned(),
        false => format!("{:.1} %", 100.0 * share),
    };
    let by_range: Vec<String> = lost_by_range.iter().map(|share| percent(*share)).collect();
    let edges: Vec<String> = RANGE_EDGES_M.iter().map(|edge| format!("{edge}")).collect();
    vec![
        ("held out", format!("{} beams, score {capped_m:.3} m of 1", grouped(*beams))),
        (
            "lost",
            format!(
                "{} of their returns; by range ({} m): {}",
                percent(*lost),
                edges.join(", "),
                by_range.join(", ")
            ),
        ),
        ("false", format!("{} of those without a return", percent(*false_returns))),
        (
            "width",
            format!("variance of volumes {} times that of the gaps between rays", report.widening),
        ),
    ]
}
