//! What a contributor runs: `cargo xtask test` before every commit, and a few rarer errands.
//!
//! One subcommand, one file. Each ends with exit code 0, or with one sentence that says what
//! failed and how to run just that part again.

// This program talks to a person at a terminal; that is all it does.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod bench_ranks;
mod demo_picture;
mod deny;
mod doc_paths;
mod gallery;
mod layers;
mod modules;
mod package;
mod python;
mod shared_libraries;
mod shell;
mod small_picture;
mod system_packages;
mod test;
mod validation;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "What a contributor to Understory runs.")]
struct Arguments {
    #[command(subcommand)]
    errand: Errand,
}

#[derive(Subcommand)]
enum Errand {
    /// Formatting, lints, layers, licences, all tests: what must pass before a commit
    Test(test::Arguments),
    /// Check that crates only use crates to their left, and that no modules use each other in a circle
    CheckLayers,
    /// Report circles among modules, lines of code and public items of every crate
    Modules(modules::Arguments),
    /// Check licences, advisories, bans and sources of all dependencies
    Deny,
    /// Create the Python environment that the tests use and print its interpreter
    Python,
    /// Compare the tracer with Embree, interleaved in one run
    BenchEmbree(bench::Arguments),
    /// Compare the whole path of a pulse with tracing alone, and writing LAZ with not writing
    BenchPipeline(bench::Arguments),
    /// Compare coarser versions of far plants with full detail in the courtyard, interleaved
    BenchFar(bench::Arguments),
    /// The courtyard against the clock of its sensors on two threads, and beside Embree
    BenchCourtyard(bench::Arguments),
    /// Time per pulse as triangles grow from 10⁵ to 6 × 10⁸, as a table and a plot
    BenchScaling(bench::Arguments),
    /// Load the scene of over 600 million triangles and scan it: time and memory
    BenchLoad(bench::Arguments),
    /// Learned sites: pulses per second and bytes per volume
    BenchSite(bench::Arguments),
    /// Speedup over processes under MPI, and what Amdahl's law makes of it
    BenchRanks(bench_ranks::Arguments),
    /// Make the pictures of docs/gallery.md
    Gallery(gallery::Arguments),
    /// Compare the path of a pulse in a scene that moves with that in one that does not
    BenchMoving(bench::Arguments),
    /// Compare the path of a pulse in weather with that in clear air
    BenchWeather(bench::Arguments),
    /// Compare detection in waveforms with windows over the whole path of a pulse
    BenchDetectors(bench::Arguments),
    /// Compare reading and writing points with laspy, pyarrow and Open3D
    BenchFormats(bench::FormatArguments),
    /// Compare rays against a mesh from Python with Open3D and Embree
    BenchPython(PythonArguments),
    /// Run the demo and put its picture where the README shows it
    DemoPicture,
    /// Reproduce all tables and figures of the papers and write docs/validation.md
    Validation(validation::Arguments),
}

#[derive(clap::Args)]
struct PythonArguments {
    /// The mesh, and whatever else the script takes
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().errand {
        Errand::Test(arguments) => test::run(&arguments),
        Errand::CheckLayers => layers::check(),
        Errand::Modules(arguments) => modules::report(&arguments),
        Errand::Deny => deny::check().map(|note| note.iter().for_each(|note| println!("{note}"))),
        Errand::Python => python::interpreter().map(|python| println!("{}", python.display())),
        Errand::BenchPython(arguments) => package::bench(&arguments.arguments),
        Errand::BenchEmbree(arguments) => bench::embree(&arguments),
        Errand::BenchPipeline(arguments) => bench::pipeline(&arguments),
        Errand::BenchFar(arguments) => bench::far(&arguments),
        Errand::BenchCourtyard(arguments) => bench::courtyard(&arguments),
        Errand::BenchScaling(arguments) => bench::scaling(&arguments),
        Errand::BenchLoad(arguments) => bench::load(&arguments),
        Errand::BenchSite(arguments) => bench::site(&arguments),
        Errand::BenchRanks(arguments) => bench_ranks::bench(&arguments),
        Errand::Gallery(arguments) => gallery::refresh(&arguments),
        Errand::BenchMoving(arguments) => bench::moving(&arguments),
        Errand::BenchWeather(arguments) => bench::weather(&arguments),
        Errand::BenchDetectors(arguments) => bench::detectors(&arguments),
        Errand::BenchFormats(arguments) => bench::formats(&arguments),
        Errand::DemoPicture => demo_picture::refresh(),
        Errand::Validation(arguments) => validation::refresh(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
