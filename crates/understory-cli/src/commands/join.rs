//! `understory join SCENARIO DIR…`: the outputs of a run whose parts several hosts have stored.

use std::path::PathBuf;

use anyhow::Result;
use understory::run::{Checkpoint, RunBackend, RunOptions};
use understory::world::vegetation_lod::VegetationLod;
use understory_cloud::OutputFormat;

use super::run::{simulate_with, summary_text, vegetation_lod};
use crate::identity::identity;
use crate::live::Live;
use crate::loading::{MemoryArgument, load_with};
use crate::outputs::format_help;
use crate::report::{check_json, print_or_json, usage};

/// Write the outputs of a run from the parts that `understory run --parts` stored
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory run my.toml --interval 0..5 --parts a    on one host
  understory run my.toml --interval 5..10 --parts b   on another
  understory join my.toml a b --out results
  understory join my.toml a b --out results --format npy

The outputs have the same bytes as those of one run. What is missing is named.")]
pub struct Arguments {
    /// The scenario, as the hosts had it
    scenario: String,
    /// Folders of parts
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Folder for the outputs [default: out/NAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = format_help("Write points in this format"))]
    format: Vec<OutputFormat>,
    /// Seed that the hosts were given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What the hosts were given
    #[arg(long, value_name = "off|auto|METRES", value_parser = vegetation_lod)]
    vegetation_lod: Option<VegetationLod>,
    /// Simulate what is missing
    #[arg(long)]
    fill: bool,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Also write the summary as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw no picture
    #[arg(long)]
    no_picture: bool,
    /// No progress and no summary; errors still appear
    #[arg(long, short)]
    quiet: bool,
}

/// Joins parts.
pub fn join(arguments: &Arguments) -> Result<()> {
    let mut loaded = load_with(&arguments.scenario, &arguments.memory, arguments.vegetation_lod)?;
    loaded.reseed(arguments.seed);
    let (out, formats) = (arguments.out.as_deref(), &arguments.format);
    let outputs = loaded.chosen_outputs(out, formats, arguments.no_picture);
    check_json(arguments.json.as_deref())?;
    let keep_waveforms = !outputs.options.waveforms.is_empty();
    let options = RunOptions { keep_waveforms, ..RunOptions::default() };
    let identity = identity(&loaded, &options)?;
    let mut parts = Checkpoint::from_folders(&arguments.folders, &identity)?;
    if parts.torn() > 0 && !arguments.quiet {
        tracing::warn!(
            "{} files of parts end in something damaged, which is left out",
            parts.torn()
        );
    }
    let backend = RunBackend {
        parts: Some(&mut parts),
        stored_only: !arguments.fill,
        ..RunBackend::default()
    };
    let live = &mut Live::default();
    let done = simulate_with(&loaded, options, &outputs, live, arguments.quiet, backend)?;
    let Some((summary, report)) = done else {
        return Err(usage("joining is for one process; start it without mpirun"));
    };
    let text = if arguments.quiet { String::new() } else { summary_text(&summary, &report) };
    print_or_json(&text, arguments.json.as_deref(), &summary)
}
