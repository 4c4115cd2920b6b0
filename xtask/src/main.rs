//! What a contributor runs: `cargo xtask test` before every commit, and a few rarer errands.
//!
//! One subcommand, one file. Each ends with exit code 0, or with one sentence that says what
//! failed and how to run just that part again.

// This program talks to a person at a terminal; that is all it does.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod bench_ranks;
mod blender;
mod book;
mod demo_picture;
mod deny;
mod dependencies;
mod digests;
mod doc_paths;
mod fuzz;
mod gallery;
mod layers;
mod long_tests;
mod modules;
mod mutants;
mod package;
mod python;
mod sensors;
mod shared_libraries;
mod shell;
mod skips;
mod small_picture;
mod studio;
mod system_packages;
mod test;
mod torture;
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
    /// Run every scenario shortly and print the digests of the outputs, to compare two versions
    Digests(digests::Arguments),
    /// Create the Python environment that the tests use and print its interpreter
    Python,
    /// Run a benchmark, or list them
    Bench(bench::Arguments),
    /// Build the Blender extension into target/blender
    Blender,
    /// Build the book into target/book and follow all its links
    Book(book::Arguments),
    /// Make the pictures of docs/sensors.md
    Sensors,
    /// Make the pictures of docs/gallery.md
    Gallery(gallery::Arguments),
    /// Run the demo and put its picture where the README shows it
    DemoPicture,
    /// Put deliberate errors into formulas and see whether the tests notice
    Mutants(mutants::Arguments),
    /// Every reader under libFuzzer, guided by coverage
    Fuzz(fuzz::Arguments),
    /// Kills, full disks, interrupted calls, two writers, jumping clocks: nothing is lost or half written
    Torture(torture::Arguments),
    /// Build the page of the studio from its sources, or take its pictures
    Studio(studio::Arguments),
    /// Reproduce all tables and figures of the papers and write docs/validation.md
    Validation(validation::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse_from(bench::with_old_names(std::env::args_os())).errand {
        Errand::Test(arguments) => test::run(&arguments),
        Errand::CheckLayers => layers::check(),
        Errand::Modules(arguments) => modules::report(&arguments),
        Errand::Deny => deny::check().map(|note| note.iter().for_each(|note| println!("{note}"))),
        Errand::Digests(arguments) => digests::run(&arguments),
        Errand::Python => python::interpreter().map(|python| println!("{}", python.display())),
        Errand::Bench(arguments) => bench::start(&arguments),
        Errand::Blender => blender::build(),
        Errand::Book(arguments) => book::run(&arguments),
        Errand::Sensors => sensors::refresh(),
        Errand::Gallery(arguments) => gallery::refresh(&arguments),
        Errand::DemoPicture => demo_picture::refresh(),
        Errand::Mutants(arguments) => mutants::run(&arguments),
        Errand::Fuzz(arguments) => fuzz::run(&arguments),
        Errand::Torture(arguments) => torture::run(&arguments),
        Errand::Studio(arguments) => studio::start(&arguments),
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
