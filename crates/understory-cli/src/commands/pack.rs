//! `understory pack SCENARIO`: one file with everything that it needs; `understory unpack PACK`: an
//! editable folder from it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::Value;
use understory::run::RunOptions;
use understory::scenario::Scenario;
use understory::scenario::pack::{
    ColumnDigests, ENDING, EntryKind, Manifest, OutputDigest, Pack, Packing, Recorded,
    RecordsDigest, digest_outputs,
};
use understory_cloud::{MultiSink, OutputFormat};

use crate::interrupt::stop_on_signal;
use crate::loading::{Loaded, MemoryArgument, load, read_scenario};
use crate::outputs::{NewFolder, Outputs, format_help};
use crate::progress::BarProgress;
use crate::report::{check_json, print_or_json, shown, usage};
use crate::table::{Align, Table, facts};
use understory_view::picture::grouped;

/// Put a scenario and everything that it reads into one file
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory pack my.toml
  understory pack my.toml -o trial-7.understory --record
  understory run trial-7.understory --verify")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one
    scenario: String,
    /// The pack [default: NAME.understory]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Simulate it and keep the digests of its outputs and records, for `understory run --verify`
    #[arg(long)]
    record: bool,
    #[arg(long, value_name = "FORMAT", help = format_help("With --record: the formats to write"), requires = "record")]
    format: Vec<OutputFormat>,
    /// With --record: draw no picture
    #[arg(long, requires = "record")]
    no_picture: bool,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Also write the manifest as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// No progress and no table; errors still appear
    #[arg(long, short)]
    quiet: bool,
}

/// Turn a pack into a folder with a scenario and its files
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory unpack trial-7.understory
  understory unpack trial-7.understory trial-8")]
pub struct UnpackArguments {
    /// The pack
    pack: PathBuf,
    /// Folder for its files, new or empty [default: the pack's name without its ending]
    folder: Option<PathBuf>,
}

/// Packs a scenario.
pub fn pack(arguments: &Arguments) -> Result<()> {
    let (name, scenario) = read_scenario(&arguments.scenario)?;
    let target = match &arguments.output {
        Some(output) => output.clone(),
        None => PathBuf::from(format!("{name}.{ENDING}")),
    };
    if !target.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING)) {
        return Err(usage(format!(
            "{}: packs end in .{ENDING}; give such a name to -o",
            target.display()
        )));
    }
    check_json(arguments.json.as_deref())?;
    let name = target.file_stem().map_or(name, |stem| stem.to_string_lossy().into_owned());
    let mut packing = Packing::new(&scenario, &name)?;
    if arguments.record {
        let mut loaded = load(&arguments.scenario, &arguments.memory)?;
        loaded.name = name;
        let formats: Vec<String> =
            arguments.format.iter().map(|format| format.name().to_owned()).collect();
        packing.record(record(&loaded, formats, !arguments.no_picture, arguments.quiet)?);
    }
    let manifest = packing.write(&target)?;
    let text = match arguments.quiet {
        true => String::new(),
        false => format!("{}\nwrote {}\n", manifest_text(&manifest), target.display()),
    };
    print_or_json(&text, arguments.json.as_deref(), &manifest)
}

/// Unpacks a pack into a folder that stays.
pub fn unpack(arguments: &UnpackArguments) -> Result<()> {
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => arguments.pack.with_extension(""),
    };
    let scenario = Pack::unpack(&arguments.pack, &folder)?;
    crate::report::print(&format!("wrote {}\n", scenario.display()))
}

/// Simulates into a temporary folder and takes the digests.
fn record(loaded: &Loaded, formats: Vec<String>, picture: bool, quiet: bool) -> Result<Recorded> {
    let folder = tempfile::tempdir()?;
    let mut outputs = loaded.outputs(Some(folder.path()));
    let picture = picture && outputs.picture.is_some();
    as_recorded(&mut outputs, &loaded.name, &formats, picture)?;
    let (records, output) = simulate(loaded, RunOptions::default(), &outputs, quiet)?;
    let program = env!("CARGO_PKG_VERSION").to_owned();
    Ok(Recorded { program, formats, picture, records, output })
}

/// Makes `outputs` those of a recorded run.
pub fn as_recorded(
    outputs: &mut Outputs,
    name: &str,
    formats: &[String],
    picture: bool,
) -> Result<()> {
    if !formats.is_empty() {
        let mut known = Vec::new();
        for format in formats {
            known.push(format.parse().map_err(|_| {
                usage(format!(
                    "the run was recorded in the format {format:?}, which is not known; update Understory"
                ))
            })?);
        }
        outputs.only(name, known);
    }
    if !picture {
        outputs.picture = None;
    }
    Ok(())
}

/// Simulates into `outputs` and takes the digests of all that it wrote.
pub fn simulate(
    loaded: &Loaded,
    options: RunOptions,
    outputs: &Outputs,
    quiet: bool,
) -> Result<(RecordsDigest, Vec<OutputDigest>)> {
    let (sink, new_folders) = outputs.open(Vec::new())?;
    let digests = ColumnDigests::default();
    let sink = Box::new(MultiSink::new(vec![sink, digests.sink()]));
    let keep_waveforms = !outputs.options.waveforms.is_empty();
    let options = RunOptions { cancel: Some(stop_on_signal()), keep_waveforms, ..options };
    let progress = BarProgress::new(quiet);
    let (_, report) = understory::run::run(&loaded.run, &options, sink, &progress)?;
    new_folders.into_iter().for_each(NewFolder::keep);
    let files = digest_outputs(&outputs.folder, &report.paths)?;
    Ok((digests.digest(), files))
}

/// What is in a pack.
pub fn describe(path: &Path) -> Result<(String, Value)> {
    let manifest = Pack::check(path)?;
    let scenario = Scenario::load(path)?;
    let files: Vec<String> = scenario.output_files().map(shown).collect();
    let text = format!("{}\n{}All checksums agree.\n", manifest_text(&manifest), wanted(&files));
    let mut value = serde_json::to_value(&manifest)?;
    value["output_files"] = files.into();
    Ok((text, value))
}

/// What a run of the pack writes.
fn wanted(files: &[String]) -> String {
    match files {
        [] => String::new(),
        files => format!("A run writes, in its folder: {}.\n", files.join(", ")),
    }
}

fn manifest_text(manifest: &Manifest) -> String {
    let mut rows = vec![
        ("pack of", manifest.name.clone()),
        ("made by", format!("Understory {}, format {}", manifest.program, manifest.format)),
        ("seed", manifest.seed.to_string()),
        ("entries", grouped(manifest.entry.len() as u64)),
        ("unpacked", format!("{} bytes", grouped(manifest.bytes()))),
    ];
    match &manifest.recorded {
        None => rows.push(("recorded run", "none".to_owned())),
        Some(recorded) => rows.push((
            "recorded run",
            format!(
                "by Understory {}: {} rows, {} columns, {} files",
                recorded.program,
                grouped(recorded.records.rows),
                recorded.records.columns.len(),
                recorded.output.len()
            ),
        )),
    }
    let mut table = Table::new(&[
        ("entry", Align::Left),
        ("kind", Align::Left),
        ("from", Align::Left),
        ("bytes", Align::Right),
        ("SHA-256", Align::Left),
    ]);
    for entry in &manifest.entry {
        let kind = match entry.kind {
            EntryKind::Scenario => "scenario",
            EntryKind::File => "file",
            EntryKind::Preset => "preset",
        };
        table.row([
            entry.name.clone(),
            kind.to_owned(),
            entry.from.clone().unwrap_or_default(),
            grouped(entry.bytes),
            start_of(&entry.sha256),
        ]);
    }
    for output in manifest.recorded.iter().flat_map(|recorded| &recorded.output) {
        table.row([
            output.file.clone(),
            "output".to_owned(),
            String::new(),
            grouped(output.bytes),
            start_of(&output.sha256),
        ]);
    }
    format!("{}\n{}", facts(&rows), table.render())
}

fn start_of(sha256: &str) -> String {
    sha256.chars().take(16).collect()
}
