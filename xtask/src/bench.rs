//! Starts the benchmarks as a release build, with what they need.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::python;
use crate::shell::{root, run};

#[derive(clap::Args)]
pub struct Arguments {
    /// How often each contestant runs; the median counts
    #[arg(long, default_value_t = 7)]
    rounds: u64,
    /// Write the figures to this file as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Compares the tracer with Embree.
pub fn embree(arguments: &Arguments) -> Result<()> {
    let library = python::embree_library()?;
    start(arguments, &[Path::new("embree"), Path::new("--library"), &library])
}

/// Compares the whole path of a pulse with tracing alone, and writing LAZ with not writing.
pub fn pipeline(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("pipeline")])
}

/// Compares coarser versions of far plants with full detail.
pub fn far(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("far")])
}

/// The courtyard against the clock of its sensors and beside Embree.
pub fn courtyard(arguments: &Arguments) -> Result<()> {
    let library = python::embree_library()?;
    start(arguments, &[Path::new("courtyard"), Path::new("--library"), &library])
}

/// Time per pulse as triangles become more; draws the plot of the documentation.
pub fn scaling(arguments: &Arguments) -> Result<()> {
    let plot = root().join("docs/images/scaling.png");
    start(arguments, &[Path::new("scaling"), Path::new("--plot"), &plot])
}

/// Loads the scene of over 600 million triangles.
pub fn load(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("load")])
}

/// Measures learned sites.
pub fn site(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("site")])
}

/// Compares a scene that moves with the same standing still.
pub fn moving(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("moving")])
}

/// Compares weather with clear air.
pub fn weather(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("weather")])
}

/// Compares detectors in waveforms with windows.
pub fn detectors(arguments: &Arguments) -> Result<()> {
    start(arguments, &[Path::new("detectors")])
}

#[derive(clap::Args)]
pub struct FormatArguments {
    /// How often each contestant runs; the median counts
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// How many points are read and written
    #[arg(long, default_value_t = 1_000_000)]
    points: u64,
    /// Only contests whose name begins like this
    #[arg(long)]
    only: Option<String>,
    /// Another Python that has Open3D; by default the one of the benchmarks
    #[arg(long, value_name = "PYTHON")]
    python: Vec<PathBuf>,
}

/// Compares reading and writing points with the libraries of others.
pub fn formats(arguments: &FormatArguments) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--release", "--quiet", "--package", "understory-cloud"]);
    cargo.args(["--example", "format_speed", "--"]);
    cargo.args(["--rounds", &arguments.rounds.to_string()]);
    cargo.args(["--points", &arguments.points.to_string()]);
    if let Some(only) = &arguments.only {
        cargo.args(["--only", only]);
    }
    let mut pythons = arguments.python.clone();
    if pythons.is_empty() {
        pythons.push(python::benchmarks()?);
    }
    pythons.iter().for_each(|python| {
        cargo.arg("--python").arg(python);
    });
    run(&mut cargo)
}

fn start(arguments: &Arguments, contest: &[&Path]) -> Result<()> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["run", "--release", "--quiet", "--package", "understory-bench", "--"]);
    cargo.arg("--rounds").arg(arguments.rounds.to_string());
    if let Some(json) = &arguments.json {
        cargo.arg("--json").arg(json);
    }
    run(cargo.args(contest))
}
