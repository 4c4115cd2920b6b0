//! `cargo xtask test`: everything that must pass, cheapest first, stopping at the first failure.
//! `--full` adds what takes hours.

use std::time::Instant;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::shell::{captured, cargo, run as run_command};
use crate::skips::Skips;
use crate::{
    blender, book, deny, dependencies, digests, layers, long_tests, package, python,
    shared_libraries, studio, system_packages, torture,
};

/// What to run.
#[derive(clap::Args)]
pub struct Arguments {
    /// Run only this step; may be given several times
    #[arg(long, value_name = "STEP")]
    only: Vec<Step>,
    /// Also run the steps that take long: browser, fuzz, soak and reproductions
    #[arg(long)]
    full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Step {
    /// cargo fmt --check
    Fmt,
    /// Crates only use crates to their left, no modules use each other in a circle, and each direct
    /// dependency has a reason
    Layers,
    /// The packages of the operating system; installs what is missing where it may
    System,
    /// Clippy on everything, warnings denied
    Clippy,
    /// The Python environments that the tests use
    Python,
    /// Every shared library that these load comes from a listed package
    Libraries,
    /// All unit and integration tests
    Tests,
    /// Kills, full disks and other calamities, a few of each kind; with --full many
    Torture,
    /// All examples in the documentation
    DocTests,
    /// The Python package: its wheel, its stubs and its tests
    Package,
    /// The Blender extension: it is built, installed into Blender as a Python module, and tested there
    Blender,
    /// The page of the studio: its types, its own tests, its bundle
    Studio,
    /// A browser goes one way through the studio
    Smoke,
    /// The book is built, and every link in it is followed
    Book,
    /// Licences, advisories, bans and sources of dependencies
    Deny,
    /// Only with --full: a browser uses all of the studio
    Browser,
    /// Only with --full: the long pages of the tutorial are followed, command by command
    Tutorial,
    /// Only with --full: files changed at random, random calls from Python
    Fuzz,
    /// Only with --full: the recorded digests of all outputs, on emulated processors
    Processors,
    /// Only with --full: what Foxglove and Rerun receive
    Viewers,
    /// Only with --full: live packets for minutes
    Soak,
    /// Only with --full: the leaf cubes of pyhelios3d, whose leaf area is known, estimated by both
    LeafCubes,
    /// Only with --full: the tables and figures of the papers with the papers' sample sizes
    Reproductions,
}

impl Step {
    /// Whether it is too long for every day.
    fn is_long(self) -> bool {
        matches!(
            self,
            Step::Browser
                | Step::Tutorial
                | Step::Fuzz
                | Step::Processors
                | Step::Viewers
                | Step::Soak
                | Step::LeafCubes
                | Step::Reproductions
        )
    }
}

/// Runs the chosen steps in order and prints how long each took.
pub fn run(arguments: &Arguments) -> Result<()> {
    let chosen = |step: &&Step| match arguments.only.is_empty() {
        true => arguments.full || !step.is_long(),
        false => arguments.only.contains(step),
    };
    let mut summary = Vec::new();
    for &step in Step::value_variants().iter().filter(chosen) {
        let name = name_of(step);
        println!("\n── {name} ──");
        let start = Instant::now();
        let outcome = perform(step, arguments.full);
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(note) => summary.push((name, seconds, note)),
            Err(error) => {
                print_summary(&summary);
                println!("  {name:<13} {seconds:>7.1} s  FAILED");
                return Err(error).with_context(|| {
                    format!("step {name} failed (again: cargo xtask test --only {name})")
                });
            }
        }
    }
    print_summary(&summary);
    Ok(())
}

fn print_summary(summary: &[(String, f64, Option<String>)]) {
    println!("\n── summary ──");
    for (name, seconds, note) in summary {
        let note = note.as_ref().map(|note| format!(", but {note}")).unwrap_or_default();
        println!("  {name:<13} {seconds:>7.1} s  ok{note}");
    }
}

fn name_of(step: Step) -> String {
    step.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Runs one step; gives a note where something had to be left out.
fn perform(step: Step, full: bool) -> Result<Option<String>> {
    match step {
        Step::Fmt => run_command(&mut cargo(["fmt", "--all", "--check"]))?,
        Step::Layers => {
            layers::check()?;
            dependencies::check()?;
        }
        Step::System => system_packages::ensure(system_packages::ALL)?,
        Step::Clippy => {
            let mut command = cargo(["clippy", "--workspace", "--all-targets", "--locked"]);
            run_command(command.args(FEATURES).args(["--", "-D", "warnings"]))?;
        }
        Step::Python => return python::prepare(),
        Step::Libraries => shared_libraries::check()?,
        Step::Tests => return run_tests(),
        Step::Torture => torture::everyday(if full { torture::LONG } else { torture::EVERYDAY })?,
        Step::DocTests => {
            let mut command = cargo(["test", "--doc", "--workspace", "--locked"]);
            run_command(command.args(FEATURES))?;
        }
        Step::Package => package::check(&FEATURES)?,
        Step::Blender => return blender::check(&FEATURES, full),
        Step::Studio => studio::check()?,
        Step::Smoke => studio::browse(&FEATURES, false)?,
        Step::Browser => studio::browse(&FEATURES, true)?,
        Step::Book => book::check()?,
        Step::Deny => return deny::check(),
        Step::Tutorial => long_tests::tutorial(&FEATURES)?,
        Step::Fuzz => long_tests::fuzz()?,
        Step::Processors => digests::on_emulated_processors()?,
        Step::Viewers => long_tests::viewers()?,
        Step::Soak => long_tests::soak()?,
        Step::LeafCubes => long_tests::leaf_cubes(&FEATURES)?,
        Step::Reproductions => long_tests::reproductions()?,
    }
    Ok(None)
}

/// What the program is tested with, the same in all steps, so that nothing is built twice: MPI and
/// ROS 2. The viewers are left out, because they are large; `--full` builds them.
const FEATURES: [&str; 2] = ["--features", "understory-cli/mpi,understory-cli/ros2"];

/// Which targets are built and run.
const TARGETS: [&str; 3] = ["--lib", "--bins", "--tests"];

/// With nextest where it is installed (it runs all binaries at once), else with plain cargo. Gives a
/// note on what was skipped.
fn run_tests() -> Result<Option<String>> {
    let mut command = if captured(&mut cargo(["nextest", "--version"])).is_ok() {
        cargo(["nextest", "run", "--workspace", "--locked", "--no-fail-fast"])
    } else {
        cargo(["test", "--workspace", "--locked", "--no-fail-fast"])
    };
    let skips = Skips::new()?;
    skips.pass_to(&mut command);
    // Clippy has seen the examples.
    let outcome = run_command(command.args(TARGETS).args(FEATURES));
    let note = skips.note();
    outcome.map(|()| note)
}
