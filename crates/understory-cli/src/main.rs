//! The program `understory`: arguments in, results on stdout, the rest on stderr.
//!
//! Exit codes: 0, or 2 when the command line or the scenario must be changed, or 1 when something
//! failed on the way (an output that cannot be written, a mesh that cannot be read). Every failure
//! is one sentence.

mod colours;
mod commands;
mod disk_space;
mod identity;
mod instructions;
mod interrupt;
mod interval;
mod live;
mod loading;
mod lod_cache;
mod memory;
mod numbers;
mod outputs;
mod progress;
mod ranks;
mod reading;
mod renamed_flags;
mod report;
mod resume;
mod scenario_identity;
mod table;
mod threads;
mod voxels;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Understory simulates lidar in vegetation.
#[derive(Parser)]
#[command(
    name = "understory",
    version,
    after_help = "Start here:\n  understory demo\n  understory studio\n  understory scenarios\n  understory run SCENARIO"
)]
struct Arguments {
    /// Trace with these instructions instead of the fastest that the machine has; the results are
    /// the same
    #[arg(long, global = true, value_enum, hide_short_help = true, value_name = "SET")]
    instructions: Option<instructions::Instructions>,
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    Demo(commands::demo::Arguments),
    Run(Box<commands::run::Arguments>),
    Drive(Box<commands::drive::Arguments>),
    Join(commands::join::Arguments),
    Render(commands::render::Arguments),
    Film(Box<commands::film::Arguments>),
    Export(commands::export::Arguments),
    Compare(Box<commands::compare::Arguments>),
    FitError(commands::fit_error::Arguments),
    ImportHelios(commands::import_helios::Arguments),
    New(commands::new::Arguments),
    Check(commands::check::Arguments),
    Info(Box<commands::info::Arguments>),
    Convert(Box<commands::convert::Arguments>),
    Plants(commands::plants::Arguments),
    Play(Box<commands::play::Arguments>),
    Learn(Box<commands::learn::Arguments>),
    LeafArea(Box<commands::leaf_area::Arguments>),
    Register(Box<commands::register::Arguments>),
    Pack(commands::pack::Arguments),
    Unpack(commands::pack::UnpackArguments),
    Motion(commands::motion::Arguments),
    Reproduce(commands::reproduce::Arguments),
    Trace(commands::trace::Arguments),
    Truth(Box<commands::truth::Arguments>),
    Sensors(commands::sensors::Arguments),
    Scenarios(commands::scenarios::Arguments),
    Schema(commands::schema::Arguments),
    Site(commands::site::Arguments),
    Studio(commands::studio::Arguments),
    Doctor(commands::doctor::Arguments),
}

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_max_level(tracing::Level::WARN)
        .without_time()
        .with_target(false)
        .init();
    let code = perform();
    if code != ExitCode::SUCCESS {
        ranks::let_rank_0_be_heard();
    }
    code
}

fn perform() -> ExitCode {
    // Under mpirun only rank 0 speaks, and only some verbs are of use to more than one.
    let alone = ranks::rank() == 0;
    let arguments = match Arguments::try_parse_from(renamed_flags::current(std::env::args_os())) {
        Ok(arguments) => arguments,
        Err(error) if alone => return refuse(&error),
        Err(_) => return ExitCode::from(2),
    };
    if !alone && !matches!(arguments.verb, Verb::Run(_) | Verb::Learn(_)) {
        return ExitCode::SUCCESS;
    }
    if let Some(Err(error)) = arguments.instructions.map(instructions::Instructions::prefer) {
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::from(2);
    }
    if let Err(error) = understory_geometry::InstructionSet::allowed() {
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::from(2);
    }
    if let Err(error) = threads::start() {
        let _ = writeln!(std::io::stderr(), "error: {error}");
        return ExitCode::FAILURE;
    }
    let outcome = match arguments.verb {
        Verb::Demo(arguments) => commands::demo::demo(&arguments),
        Verb::Run(arguments) => commands::run::run(&arguments),
        Verb::Drive(arguments) => commands::drive::drive(&arguments),
        Verb::Join(arguments) => commands::join::join(&arguments),
        Verb::Render(arguments) => commands::render::render(&arguments),
        Verb::Film(arguments) => commands::film::film(&arguments),
        Verb::Export(arguments) => commands::export::export(&arguments),
        Verb::Compare(arguments) => commands::compare::compare(&arguments),
        Verb::FitError(arguments) => commands::fit_error::fit_error(&arguments),
        Verb::ImportHelios(arguments) => commands::import_helios::import_helios(&arguments),
        Verb::New(arguments) => commands::new::new(&arguments),
        Verb::Check(arguments) => commands::check::check(&arguments),
        Verb::Info(arguments) => commands::info::info(&arguments),
        Verb::Convert(arguments) => commands::convert::convert(&arguments),
        Verb::Plants(arguments) => commands::plants::plants(&arguments),
        Verb::Play(arguments) => commands::play::play(&arguments),
        Verb::Learn(arguments) => commands::learn::learn(&arguments),
        Verb::LeafArea(arguments) => commands::leaf_area::leaf_area(&arguments),
        Verb::Register(arguments) => commands::register::register(&arguments),
        Verb::Pack(arguments) => commands::pack::pack(&arguments),
        Verb::Unpack(arguments) => commands::pack::unpack(&arguments),
        Verb::Motion(arguments) => commands::motion::motion(&arguments),
        Verb::Reproduce(arguments) => commands::reproduce::reproduce(&arguments),
        Verb::Trace(arguments) => commands::trace::trace(&arguments),
        Verb::Truth(arguments) => commands::truth::truth(&arguments),
        Verb::Sensors(arguments) => commands::sensors::sensors(&arguments),
        Verb::Scenarios(arguments) => commands::scenarios::scenarios(&arguments),
        Verb::Schema(arguments) => commands::schema::schema(&arguments),
        Verb::Site(arguments) => commands::site::site(&arguments),
        Verb::Studio(arguments) => commands::studio::studio(&arguments),
        Verb::Doctor(arguments) => commands::doctor::doctor(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if alone {
                // Where stderr is closed there is nobody left to tell.
                let _ = writeln!(std::io::stderr(), "error: {}", report::sentence(&error));
            }
            ExitCode::from(report::exit_code(&error))
        }
    }
}

/// Help and version to stdout; a mistake as one sentence to stderr.
fn refuse(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let help_instead = error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || help_instead {
        // A reader that went away is no error.
        let _ = error.print();
        return if help_instead { ExitCode::from(2) } else { ExitCode::SUCCESS };
    }
    let _ = writeln!(std::io::stderr(), "{}; see understory --help", one_sentence(error));
    ExitCode::from(2)
}

/// What clap says over several lines, without usage and hints on where to read more.
fn one_sentence(error: &clap::Error) -> String {
    let text = error.to_string();
    let mut sentence = String::new();
    for line in text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:")) {
        if line.is_empty() || line.starts_with("For more information") {
            continue;
        }
        if !sentence.is_empty() {
            sentence += if sentence.ends_with(':') { " " } else { "; " };
        }
        sentence += line;
    }
    sentence
}
