//! `understory reproduce [NAME…]`: tables and figures of the papers, theirs beside ours.

mod page;
mod rows;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, bail};
use serde_json::Value;
use understory_cloud::{RecordSink, StagedFile};
use understory_papers::{self, Ask, Reproduced, Reproduction, Verdict};

use crate::progress::StepProgress;
use crate::report::{cannot_write, check_json, print, usage, write_json};
use crate::table::facts;
use understory_base::Progress;
use understory_view::picture::PictureSink;
use understory_view::plot::{Plot, write_png, write_svg};
use understory_view::render::Picture as RenderedPicture;

/// Reproduce tables and figures of the papers
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory reproduce
  understory reproduce deschaud-table1
  understory reproduce goodin --json goodin.json
  understory reproduce deschaud-fig1 deschaud-fig6 --full -o plots
  understory reproduce all -o docs/validation

Exit code 1 says that something is neither as the paper has it nor as explained. See
docs/validation.md for all of them.")]
pub struct Arguments {
    /// What to reproduce: names, the first part of names (goodin), or all; without any, all are
    /// listed
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Take the papers' sample sizes
    #[arg(long)]
    full: bool,
    /// Seed of all randomness
    #[arg(long, default_value_t = 5)]
    seed: u64,
    /// Folder for the plots, as PNG and SVG; FOLDER.md shows them with all findings, beside those
    /// that it has of others [default: out/reproduce/NAME, without a page]
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Show no progress
    #[arg(short, long)]
    quiet: bool,
    /// Also write all findings as JSON to FILE; - writes them to stdout instead of the tables
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One reproduction and what was made of it.
struct Done {
    of: &'static Reproduction,
    found: Reproduced,
    /// File names of plots with their titles; those with an SVG beside the PNG are marked.
    plots: Vec<Picture>,
    seconds: f64,
}

struct Picture {
    name: String,
    title: String,
    has_svg: bool,
}

/// Reproduces some, or lists all.
pub fn reproduce(arguments: &Arguments) -> Result<()> {
    if arguments.names.is_empty() {
        return list(arguments);
    }
    let mut wanted: Vec<&'static Reproduction> = Vec::new();
    for name in &arguments.names {
        for one in understory_papers::chosen(name)? {
            if wanted.iter().all(|known| known.name != one.name) {
                wanted.push(one);
            }
        }
    }
    check_json(arguments.json.as_deref())?;
    let folder_of = |one: &Reproduction| match &arguments.out {
        Some(folder) => folder.clone(),
        None => Path::new("out/reproduce").join(one.name),
    };
    // Before the work, not after it.
    for folder in wanted.iter().map(|one| folder_of(one)) {
        fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, error))?;
    }
    let page = arguments.out.as_deref().map(page_beside).transpose()?;
    check_json(page.as_deref())?;

    let to_stdout = arguments.json.as_deref() == Some(Path::new("-"));
    let bar = StepProgress::new(arguments.quiet);
    let mut done: Vec<Done> = Vec::new();
    for (index, one) in wanted.iter().enumerate() {
        let report = |what: &str, share: f64| {
            let share = (index as f64 + share.clamp(0.0, 1.0)) / wanted.len() as f64;
            bar.step(&format!("{}: {what}", one.name), share);
        };
        report("begins", 0.0);
        let start = Instant::now();
        let ask = Ask { full: arguments.full, seed: arguments.seed, progress: &report };
        let mut found = (one.work_out)(&ask)?;
        let seconds = start.elapsed().as_secs_f64();
        let folder = folder_of(one);
        let plots = draw(one.name, &mut found, &folder)?;
        bar.finish();
        if !to_stdout {
            print(&rows::text(one, &found, &folder, plots.len()))?;
        }
        done.push(Done { of: one, found, plots, seconds });
    }
    let rows: Vec<Value> = done.iter().flat_map(|done| rows::json(done.of, &done.found)).collect();
    match &arguments.json {
        Some(_) if to_stdout => print(&(serde_json::to_string_pretty(&rows)? + "\n"))?,
        Some(path) => write_json(path, &rows)?,
        None => {}
    }
    if let (Some(page), Some(folder)) = (&page, &arguments.out) {
        let made = page::Made { folder, full: arguments.full, seed: arguments.seed };
        // One that cannot be read will not be overwritten either.
        let before = fs::read_to_string(page).ok();
        let text = page::text(&made, &done, before.as_deref());
        understory_cloud::write_whole(page, text.as_bytes())?;
    }
    let failed: Vec<String> = done.iter().flat_map(failures).collect();
    if !failed.is_empty() {
        bail!(
            "{} of {} findings fail: {}; they are neither as the paper has them nor as explained",
            failed.len(),
            rows.len(),
            failed.join(", ")
        );
    }
    Ok(())
}

fn list(arguments: &Arguments) -> Result<()> {
    if arguments.json.is_some() || arguments.out.is_some() {
        return Err(usage("nothing is named that could be written; give names, or all"));
    }
    let names: Vec<(&str, String)> =
        understory_papers::ALL.iter().map(|one| (one.name, one.about.to_owned())).collect();
    print(&facts(&names))
}

fn failures(done: &Done) -> Vec<String> {
    let failed = done.found.findings.iter().filter(|finding| finding.verdict() == Verdict::Fails);
    failed.map(|finding| format!("{}: {}", done.of.name, finding.quantity)).collect()
}

/// `FOLDER.md`.
fn page_beside(folder: &Path) -> Result<PathBuf> {
    let mut name = match folder.file_name() {
        Some(name) => name.to_owned(),
        None => {
            return Err(usage(format!(
                "{} has no name to call a page by; give -o a folder of its own",
                folder.display()
            )));
        }
    };
    name.push(".md");
    Ok(folder.with_file_name(name))
}

/// Draws everything into a folder, under names that begin with that of the reproduction.
fn draw(name: &str, found: &mut Reproduced, folder: &Path) -> Result<Vec<Picture>> {
    let family = name.split_inclusive('-').next().unwrap_or_default();
    let prefix = |plot: &mut String| {
        if !plot.starts_with(name) {
            let own = plot.strip_prefix(family).unwrap_or(plot);
            *plot = if own.is_empty() { name.to_owned() } else { format!("{name}-{own}") };
        }
    };
    let mut plots = Vec::new();
    for maps in &mut found.maps {
        prefix(&mut maps.name);
        write_png(Plot::Maps(maps), folder)?;
        write_svg(Plot::Maps(maps), folder)?;
        plots.push(Picture { name: maps.name.clone(), title: maps.title.clone(), has_svg: true });
    }
    for figure in &mut found.figures {
        prefix(&mut figure.name);
        write_png(Plot::Figure(figure), folder)?;
        write_svg(Plot::Figure(figure), folder)?;
        let (name, title) = (figure.name.clone(), figure.title.clone());
        plots.push(Picture { name, title, has_svg: true });
    }
    for cloud in &mut found.clouds {
        prefix(&mut cloud.name);
        let path = folder.join(format!("{}.png", cloud.name));
        let mut picture = PictureSink::create(&path, &cloud.title)?;
        picture.write(&cloud.records)?;
        Box::new(picture).finish()?;
        let (name, title) = (cloud.name.clone(), cloud.title.clone());
        plots.push(Picture { name, title, has_svg: false });
    }
    for picture in &mut found.pictures {
        prefix(&mut picture.name);
        let path = folder.join(format!("{}.png", picture.name));
        let mut file = StagedFile::create(&path)?;
        let drawn = RenderedPicture { size: picture.size, rgb: std::mem::take(&mut picture.rgb) };
        drawn.write_png(&mut file).map_err(|error| cannot_write(&path, error))?;
        file.publish()?;
        let (name, title) = (picture.name.clone(), picture.title.clone());
        plots.push(Picture { name, title, has_svg: false });
    }
    Ok(plots)
}
