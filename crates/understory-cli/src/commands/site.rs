//! `understory site …`: look into a learned site, cut it, put sites together, hand it on.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use clap::Subcommand;
use glam::DVec3;
use serde_json::{Value, json};
use understory_cloud::label_name;
use understory_learn::site::SiteStats;
use understory_learn::site::{Gate, Site};

use crate::report::shown;
use crate::report::{check_json, print_or_json, usage};
use crate::table::{Align, Table, facts};
use understory_view::picture::grouped;

/// Look into a learned site, crop it, merge sites, or write it for other programs
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site stats forest.site
  understory site crop forest.site --low 0,0,-5 --high 50,50,40 -o plot.site
  understory site merge tile-1.site tile-2.site -o both.site
  understory site ellipsoids forest.site -o forest.ply
  understory site convert forest.site volumes.csv")]
pub struct Arguments {
    #[command(subcommand)]
    verb: SiteVerb,
}

#[derive(Subcommand)]
enum SiteVerb {
    Stats(Stats),
    Crop(Crop),
    Merge(Merge),
    Ellipsoids(Ellipsoids),
    Convert(Convert),
}

/// Figures about a site: volumes, permeability, thickness, levels, labels
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site stats forest.site
  understory site stats forest.site --json -")]
struct Stats {
    /// A site file
    site: PathBuf,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Cut a box out of a site, by whole cells
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site crop forest.site --low 0,0,-5 --high 50,50,40 -o plot.site
  understory site crop forest.site --low 50,0,-5 --high 100,50,40 -o next.site

A cell is kept if its centre lies in the box, so boxes that tile space cut a site into parts that
`understory site merge` makes whole again.")]
struct Crop {
    /// A site file
    site: PathBuf,
    /// Least corner of the box in the world, in metres
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', allow_hyphen_values = true)]
    low: Vec<f64>,
    /// Largest corner of the box in the world, in metres
    #[arg(long, value_name = "X,Y,Z", value_delimiter = ',', allow_hyphen_values = true)]
    high: Vec<f64>,
    /// The site file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Put sites of the same model and grid together
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site merge tile-1.site tile-2.site -o both.site
  understory site merge plot.site next.site -o whole.site

Sites side by side are put together exactly. Where two `voxel` sites have the same cell, its points
and beams are pooled; sites of other models may not overlap.")]
struct Merge {
    /// Site files
    #[arg(required = true)]
    sites: Vec<PathBuf>,
    /// The site file to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Write the volumes as ellipsoids coloured by permeability, or the surface, as a PLY mesh
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site ellipsoids forest.site -o forest.ply
  understory site ellipsoids plot.site -o plot.ply --tau 1 --splits 2

Dark red lets no light through, yellow half of it, light blue all.")]
struct Ellipsoids {
    /// A site file
    site: PathBuf,
    /// The mesh to write, .ply
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Size of the ellipsoids, in standard deviations
    #[arg(long, value_name = "DISTANCE", default_value_t = 2.0)]
    tau: f64,
    /// How often the 20 triangles of each are split into four
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=4))]
    splits: u32,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Write the volumes as a table, .csv or .npy, or as ellipsoids, .ply
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory site convert forest.site volumes.csv
  understory site convert forest.site volumes.npy
  understory site convert forest.site forest.ply

A row has the centre in the world, the covariance, optical depth and permeability, intensity, label,
level, and what the volume was learned from.")]
struct Convert {
    /// A site file
    site: PathBuf,
    /// What to write: .csv, .npy or .ply
    to: PathBuf,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Does what was asked.
pub fn site(arguments: &Arguments) -> Result<()> {
    match &arguments.verb {
        SiteVerb::Stats(arguments) => {
            let stats = Site::read(&arguments.site)?.stats();
            print_or_json(&stats_text(&stats), arguments.json.as_deref(), &stats)
        }
        SiteVerb::Crop(arguments) => crop(arguments),
        SiteVerb::Merge(arguments) => merge(arguments),
        SiteVerb::Ellipsoids(arguments) => ellipsoids(
            &arguments.site,
            &arguments.out,
            arguments.tau,
            arguments.splits,
            arguments.json.as_deref(),
        ),
        SiteVerb::Convert(arguments) => convert(arguments),
    }
}

fn crop(arguments: &Crop) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let (low, high) = (corner("--low", &arguments.low)?, corner("--high", &arguments.high)?);
    if !low.cmplt(high).all() {
        return Err(usage(format!("--low {low} is not below --high {high} along every axis")));
    }
    let start = Instant::now();
    let site = Site::read(&arguments.site)?;
    let cropped = site.crop(low, high);
    cropped.write(&arguments.out)?;
    let (kept, all) = (size(&cropped), size(&site));
    let rows = [
        ("kept", format!("{} of {}", sizes(kept), sizes(all))),
        ("took", took(start)),
        ("wrote", shown(&arguments.out)),
    ];
    let value = json!({
        "volumes": kept.0, "triangles": kept.1, "of_volumes": all.0, "of_triangles": all.1,
        "out": arguments.out,
    });
    print_or_json(&facts(&rows), arguments.json.as_deref(), &value)
}

fn merge(arguments: &Merge) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let start = Instant::now();
    let sites: Vec<Site> =
        arguments.sites.iter().map(|path| Site::read(path)).collect::<Result<_, _>>()?;
    let (merged, report) = Site::merge(&sites)?;
    merged.write(&arguments.out)?;
    let mut rows = vec![("sites", grouped(sites.len() as u64)), ("together", sizes(size(&merged)))];
    if report.pooled > 0 {
        rows.push(("pooled", format!("{} volumes that share a cell", grouped(report.pooled))));
        rows.push((
            "remark",
            "their beams were counted in each part against that part's own ellipsoid".to_owned(),
        ));
    }
    rows.push(("took", took(start)));
    rows.push(("wrote", shown(&arguments.out)));
    let value = json!({
        "sites": sites.len(), "volumes": merged.volumes.len(), "triangles": size(&merged).1,
        "pooled": report.pooled, "out": arguments.out,
    });
    print_or_json(&facts(&rows), arguments.json.as_deref(), &value)
}

fn ellipsoids(from: &Path, to: &Path, tau: f64, splits: u32, json: Option<&Path>) -> Result<()> {
    check_json(json)?;
    if !(tau.is_finite() && tau > 0.0) {
        return Err(usage(format!("--tau {tau} is no distance; give a number above 0")));
    }
    let start = Instant::now();
    let site = Site::read(from)?;
    let report = site.write_ellipsoids(to, tau, splits)?;
    let rows = [
        ("volumes", grouped(site.volumes.len() as u64)),
        ("triangles", grouped(report.triangles)),
        ("took", took(start)),
        ("wrote", shown(to)),
    ];
    let value = json!({
        "volumes": site.volumes.len(), "vertices": report.vertices,
        "triangles": report.triangles, "out": to,
    });
    print_or_json(&facts(&rows), json, &value)
}

fn convert(arguments: &Convert) -> Result<()> {
    let (from, to, json) = (&arguments.site, &arguments.to, arguments.json.as_deref());
    let ending = to.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    if ending == "ply" {
        return ellipsoids(from, to, 2.0, 1, json);
    }
    check_json(json)?;
    let start = Instant::now();
    let site = match ending.as_str() {
        "csv" | "npy" => Site::read(from)?,
        _ => {
            let name = to.display();
            return Err(usage(format!("{name}: no known ending; write .csv, .npy or .ply")));
        }
    };
    match ending.as_str() {
        "csv" => site.write_csv(to)?,
        _ => site.write_npy(to)?,
    }
    let volumes = site.volumes.len();
    let rows = [("rows", grouped(volumes as u64)), ("took", took(start)), ("wrote", shown(to))];
    print_or_json(&facts(&rows), json, &json!({ "rows": volumes, "out": to }))
}

/// What `understory info` says of a site.
pub fn describe(path: &Path) -> Result<(String, Value)> {
    let site = Site::read(path)?;
    let stats = site.stats();
    let provenance = &site.provenance;
    let mut rows = vec![
        ("site", path.display().to_string()),
        ("model", site.model.name().to_owned()),
        ("gate", gate_name(site.gate)),
        ("cells", format!("{} m", site.cell_m)),
        ("origin", place(site.origin.to_array())),
        ("volumes", grouped(stats.volumes)),
    ];
    if stats.triangles > 0 {
        rows.push(("triangles", grouped(stats.triangles)));
    }
    if let (Some(low), Some(high)) = (stats.low_m, stats.high_m) {
        rows.extend([("lowest", place(low)), ("highest", place(high))]);
    }
    if stats.volumes > 0 {
        rows.push(("light", permeability_in_words(&stats)));
    }
    rows.push((
        "learned from",
        format!(
            "{} beams, {} without a return, {} skipped",
            grouped(provenance.beams),
            grouped(provenance.misses),
            grouped(provenance.skipped)
        ),
    ));
    rows.push(("range noise", format!("{:.1} mm contained", provenance.sigma_range_m * 1e3)));
    let footprint = if provenance.footprint_removed {
        "taken out: simulated with cones"
    } else {
        "contained: simulated along the axis"
    };
    rows.push(("footprint", footprint.to_owned()));
    rows.extend(provenance.remarks.iter().map(|remark| ("remark", remark.clone())));
    let value = json!({
        "kind": "site",
        "model": site.model.name(),
        "gate": gate_name(site.gate),
        "cell_m": site.cell_m,
        "origin_m": site.origin.to_array(),
        "stats": stats,
        "provenance": provenance,
    });
    Ok((facts(&rows), value))
}

fn gate_name(gate: Gate) -> String {
    match gate {
        Gate::Cell { tau } => format!("nearer than {tau} within the cell"),
        Gate::Ellipsoid { tau } => format!("nearer than {tau}"),
        Gate::Soft => "soft".to_owned(),
    }
}

/// How much of the site lets how much light through.
fn permeability_in_words(stats: &SiteStats) -> String {
    let share = |bins: std::ops::Range<usize>| {
        let count: u64 = stats.permeability_histogram[bins].iter().sum();
        100.0 * count as f64 / stats.volumes.max(1) as f64
    };
    format!(
        "{:.0} % of the volumes let less than a tenth through, {:.0} % a tenth to a half, \
         {:.0} % a half to nine tenths, {:.0} % more; {:.2} on average",
        share(0..1),
        share(1..5),
        share(5..9),
        share(9..10),
        stats.permeability_mean.unwrap_or(0.0)
    )
}

fn stats_text(stats: &SiteStats) -> String {
    let mut rows = vec![
        ("volumes", grouped(stats.volumes)),
        ("cells", grouped(stats.cells)),
        ("points", grouped(stats.points)),
        ("triangles", grouped(stats.triangles)),
        ("opaque", grouped(stats.opaque)),
        ("with intensity", grouped(stats.with_intensity)),
        ("memory", format!("{:.1} MB without the tree", stats.volume_bytes as f64 / 1e6)),
    ];
    if let (Some(low), Some(high)) = (stats.low_m, stats.high_m) {
        rows.extend([("lowest", place(low)), ("highest", place(high))]);
    }
    if let Some([least, middle, largest]) = stats.thickness_m.map(|t| t.map(|m| m * 1e3)) {
        let text = format!("{least:.1} mm least, {middle:.1} mm middle, {largest:.1} mm largest");
        rows.push(("thinnest axis", text));
    }
    let mut text = facts(&rows);
    if stats.volumes == 0 {
        return text;
    }
    let mut table = Table::new(&[("permeability", Align::Left), ("volumes", Align::Right)]);
    for (bin, count) in stats.permeability_histogram.iter().enumerate() {
        let tenth = |k: usize| k as f64 / 10.0;
        table.row([format!("{:.1} … {:.1}", tenth(bin), tenth(bin + 1)), grouped(*count)]);
    }
    text += &format!("\n{}", table.render());
    let mut table = Table::new(&[("level", Align::Right), ("volumes", Align::Right)]);
    stats.levels.iter().for_each(|(level, n)| table.row([level.to_string(), grouped(*n)]));
    text += &format!("\n{}", table.render());
    let mut table = Table::new(&[("label", Align::Left), ("volumes", Align::Right)]);
    for (label, count) in &stats.labels {
        let name = label_name(*label).map_or_else(|| label.to_string(), str::to_owned);
        table.row([name, grouped(*count)]);
    }
    text + &format!("\n{}", table.render())
}

fn corner(name: &str, numbers: &[f64]) -> Result<DVec3> {
    match *numbers {
        [x, y, z] if [x, y, z].iter().all(|n| n.is_finite()) => Ok(DVec3::new(x, y, z)),
        _ => Err(usage(format!("{name} is no corner; give three numbers: x,y,z in metres"))),
    }
}

fn size(site: &Site) -> (usize, usize) {
    (site.volumes.len(), site.surface.as_ref().map_or(0, |surface| surface.triangles.len()))
}

fn sizes((volumes, triangles): (usize, usize)) -> String {
    match (volumes, triangles) {
        (_, 0) => format!("{} volumes", grouped(volumes as u64)),
        (0, _) => format!("{} triangles", grouped(triangles as u64)),
        _ => format!(
            "{} volumes and {} triangles",
            grouped(volumes as u64),
            grouped(triangles as u64)
        ),
    }
}

fn took(start: Instant) -> String {
    format!("{:.2} s", start.elapsed().as_secs_f64())
}

fn place([x, y, z]: [f64; 3]) -> String {
    format!("({x:.3}, {y:.3}, {z:.3}) m")
}
