//! `cargo xtask fuzz`: every reader under libFuzzer, guided by coverage.
//!
//! What enters: the targets of the crate `fuzz`, their seeds and corpora. What leaves: a table of
//! executions and rates, and in target/fuzz/finds the inputs that ended a program. Instrumentation is
//! what this compiler has (`sancov-module`, a pass of LLVM), so no other toolchain is needed; numbers
//! that overflow and assertions of the debug build end the program too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::shell::{captured, cargo, run as run_command, target_dir};

/// How long, and what.
#[derive(clap::Args)]
pub struct Arguments {
    /// Minutes for all targets together
    #[arg(long, default_value_t = 35.0)]
    minutes: f64,
    /// Only this target; may be given several times
    #[arg(long, value_name = "TARGET")]
    target: Vec<String>,
    /// Go on until each target was executed so often, however long that takes
    #[arg(long, value_name = "COUNT")]
    executions: Option<u64>,
    /// Minimise what was found to cover more, and put it into fuzz/corpus
    #[arg(long)]
    keep: bool,
    /// List the targets
    #[arg(long)]
    list: bool,
    /// Also write the table as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Instrumentation as `cargo fuzz` asks for it.
const FLAGS: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares";
/// Without naming a platform, build scripts and macros would be instrumented as well.
const PLATFORM: &str = env!("UNDERSTORY_PLATFORM");
/// Programs, each with the targets of a module.
const PROGRAMS: [&str; 3] = ["guided-clouds", "guided-worlds", "guided-servers"];
/// Seconds that one input may take, and memory that a program may have.
const INPUT_S: u32 = 10;
const MEMORY_MB: u32 = 2048;
/// After so many finds a target is left.
const FINDS_MAX: u32 = 10;

/// A target, the program that has it, and its longest input.
struct Target {
    name: String,
    program: PathBuf,
    bytes_max: u64,
}

/// What was done with a target.
#[derive(Default)]
struct Done {
    executions: u64,
    seconds: f64,
    /// Edges and features that its inputs cover.
    covered: u64,
    features: u64,
    finds: u32,
}

/// Builds, runs and reports; fails if anything was found.
pub fn run(arguments: &Arguments) -> Result<()> {
    let folder = target_dir()?.join("fuzz");
    build(&folder)?;
    let all = targets(&folder)?;
    for name in &arguments.target {
        let known = all.iter().any(|target| &target.name == name);
        ensure!(known, "{name} is no target; `cargo xtask fuzz --list` lists them");
    }
    let is_wanted =
        |target: &Target| arguments.target.is_empty() || arguments.target.contains(&target.name);
    let all: Vec<Target> = all.into_iter().filter(is_wanted).collect();
    if arguments.list {
        all.iter().for_each(|target| println!("{}", target.name));
        return Ok(());
    }
    let seconds = (arguments.minutes * 60.0 / all.len().max(1) as f64).max(1.0);
    println!(
        "{:<22} {:>12} {:>9} {:>8} {:>8} {:>9} {:>6}",
        "target", "executions", "seconds", "a second", "edges", "features", "finds"
    );
    let (mut rows, mut total, mut finds) = (Vec::new(), 0, 0);
    for target in &all {
        let done = fuzz(target, &folder, seconds, arguments.executions)?;
        if arguments.keep {
            keep(target, &folder)?;
        }
        let rate = done.executions as f64 / done.seconds;
        println!(
            "{:<22} {:>12} {:>9.0} {:>8.0} {:>8} {:>9} {:>6}",
            target.name,
            done.executions,
            done.seconds,
            rate,
            done.covered,
            done.features,
            done.finds
        );
        rows.push(json!({
            "target": target.name, "executions": done.executions, "seconds": done.seconds,
            "executions_per_s": rate, "edges": done.covered, "features": done.features,
            "finds": done.finds,
        }));
        total += done.executions;
        finds += done.finds;
    }
    println!("{total} executions, {finds} finds");
    if let Some(path) = &arguments.json {
        let table = json!({ "executions": total, "finds": finds, "targets": rows });
        fs::write(path, serde_json::to_string_pretty(&table)? + "\n")
            .with_context(|| path.display().to_string())?;
    }
    ensure!(
        finds == 0,
        "{finds} inputs ended a program; they are in {}",
        folder.join("finds").display()
    );
    Ok(())
}

fn build(folder: &Path) -> Result<()> {
    let mut command = cargo(["build", "--profile", "fuzz", "--locked", "-p", "understory-fuzz"]);
    command.args(["--features", "guided", "--target", PLATFORM, "--target-dir"]).arg(folder);
    run_command(command.env("RUSTFLAGS", FLAGS))
}

/// Asks the programs for their targets.
fn targets(folder: &Path) -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for name in PROGRAMS {
        let program = folder.join(PLATFORM).join("fuzz").join(name);
        let mut command = Command::new(&program);
        let listed = captured(command.env("UNDERSTORY_FUZZ_LIST", "1"))?;
        for line in String::from_utf8_lossy(&listed.stdout).lines() {
            let (name, bytes_max) = line.split_once(' ').context("a target has no length")?;
            let (name, bytes_max) = (name.to_owned(), bytes_max.parse()?);
            targets.push(Target { name, program: program.clone(), bytes_max });
        }
    }
    Ok(targets)
}

fn command(target: &Target) -> Command {
    let mut command = Command::new(&target.program);
    command.env("UNDERSTORY_FUZZ_TARGET", &target.name).env("RAYON_NUM_THREADS", "1");
    command
}

/// Lets libFuzzer work until the time is over or the executions are there, and starts it again after
/// a find.
fn fuzz(target: &Target, folder: &Path, seconds: f64, executions: Option<u64>) -> Result<Done> {
    let corpus = folder.join("corpus").join(&target.name);
    let finds = folder.join("finds");
    fs::create_dir_all(&corpus)?;
    fs::create_dir_all(&finds)?;
    captured(command(target).env("UNDERSTORY_FUZZ_PUT", &corpus))?;
    let (start, mut done) = (Instant::now(), Done::default());
    loop {
        let left = seconds - start.elapsed().as_secs_f64();
        let more = executions.map(|wanted| wanted.saturating_sub(done.executions));
        if done.finds >= FINDS_MAX || more.unwrap_or(u64::from(left > 0.5)) == 0 {
            break;
        }
        let mut command = command(target);
        match more {
            Some(more) => command.arg(format!("-runs={more}")),
            None => command.arg(format!("-max_total_time={}", left.ceil().max(1.0))),
        };
        command.arg(format!("-max_len={}", target.bytes_max));
        command.args([format!("-timeout={INPUT_S}"), format!("-rss_limit_mb={MEMORY_MB}")]);
        command.args(["-print_final_stats=1", "-verbosity=1"]);
        command.arg(format!("-artifact_prefix={}/{}-", finds.display(), target.name));
        let output = command.arg(&corpus).stdin(Stdio::null()).output()?;
        let before = done.executions;
        done.take(&output);
        if !output.status.success() {
            done.finds += 1;
            let log = finds.join(format!("{}-{}.log", target.name, done.finds));
            fs::write(log, &output.stderr)?;
            // A seed that fails would fail again and again.
            if done.executions == before {
                break;
            }
        }
    }
    done.seconds = start.elapsed().as_secs_f64().max(1e-3);
    Ok(done)
}

impl Done {
    /// Reads what libFuzzer says at its end.
    fn take(&mut self, output: &Output) {
        let said = String::from_utf8_lossy(&output.stderr);
        let number = |text: &str| text.split_whitespace().next()?.parse::<u64>().ok();
        let stat =
            |name: &str| said.lines().find_map(|line| number(line.strip_prefix(name)?.trim()));
        self.executions += stat("stat::number_of_executed_units:").unwrap_or(0);
        for line in said.lines().filter(|line| line.starts_with('#')) {
            let after = |word: &str| line.split_once(word).and_then(|(_, rest)| number(rest));
            self.covered = after("cov: ").unwrap_or(self.covered);
            self.features = after("ft: ").unwrap_or(self.features);
        }
    }
}

/// Leaves only what covers something that nothing smaller covers, and stores it.
fn keep(target: &Target, folder: &Path) -> Result<()> {
    let corpus = folder.join("corpus").join(&target.name);
    let small = tempfile::tempdir()?;
    let merged = command(target)
        .args(["-merge=1", &format!("-timeout={INPUT_S}")])
        .arg(small.path())
        .arg(&corpus)
        .stdin(Stdio::null())
        .output()?;
    ensure!(merged.status.success(), "the inputs of {} cannot be merged", target.name);
    captured(command(target).env("UNDERSTORY_FUZZ_TAKE", small.path()))?;
    Ok(())
}

/// All targets for some minutes.
pub fn for_minutes(minutes: f64) -> Result<()> {
    run(&Arguments {
        minutes,
        target: Vec::new(),
        executions: None,
        keep: false,
        list: false,
        json: None,
    })
}
