//! `understory demo`: the first thing that a newcomer runs.

use std::path::PathBuf;

use anyhow::Result;
use understory::run::RunOptions;
use understory_cloud::OutputFormat;

use super::run::{simulate, summary_text};
use crate::loading::{MemoryArgument, load};
use crate::outputs::OutputFile;
use crate::report::shown;
use crate::report::{print, write_json};

/// Simulate the demo: points, a picture and a summary within seconds
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory demo
  understory demo --out /tmp/demo")]
pub struct Arguments {
    /// Folder for the outputs
    #[arg(long, value_name = "DIR", default_value = "out/demo")]
    out: PathBuf,
}

/// Simulates the embedded scenario `demo`.
pub fn demo(arguments: &Arguments) -> Result<()> {
    let loaded = load("demo", &MemoryArgument::default())?;
    let mut outputs = loaded.outputs(Some(&arguments.out));
    outputs.files = vec![OutputFile::named(&outputs.folder, &loaded.name, OutputFormat::Laz)];
    let picture = loaded.beside(&outputs, "png");
    outputs.picture = Some(picture.clone());
    let (summary, report) = simulate(&loaded, RunOptions::default(), &outputs, false)?;
    let json = loaded.beside(&outputs, "json");
    write_json(&json, &summary)?;
    let picture = shown(&picture);
    print(&format!(
        "{}wrote      {}

Look at the picture first: {picture}
Then try:
  understory scenarios demo > my.toml    the scenario itself, to change and `understory run my.toml`
  understory trace demo --pulse 1000     every step of one pulse
  understory sensors                     the built-in sensors
",
        summary_text(&summary, &report),
        shown(&json),
    ))
}
