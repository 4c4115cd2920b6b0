//! `cargo xtask torture`: kills, full disks, interrupted calls, two writers, jumping clocks and
//! folders that cannot be written, at random moments.
//!
//! What enters: the program `understory`. What leaves: a table. In each trial one command meets one
//! calamity. It may end with the bytes that it makes in peace, or with one sentence and exit code 1
//! or 2; under their final names there are only whole files; and the same command in peace then ends
//! with the same bytes and leaves nothing else. Inputs are never changed.

mod hostile;
mod workplace;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;
use serde_json::json;

use crate::shell::target_dir;
use hostile::Hostile;
use workplace::{Contents, Ended, VERBS, Verb, Workplace, contents, wait};

/// Trials of each kind in the everyday tests.
pub const EVERYDAY: u64 = 7;
/// In the long ones.
pub const LONG: u64 = 1000;

/// How much, and of what.
#[derive(clap::Args)]
pub struct Arguments {
    /// Trials of each kind
    #[arg(long, default_value_t = LONG)]
    trials: u64,
    /// Begins the random numbers; a trial is made again with its seed and its number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this kind; may be given several times
    #[arg(long, value_name = "KIND")]
    only: Vec<Kind>,
    /// Only the trial of this number
    #[arg(long, value_name = "NUMBER")]
    trial: Option<u64>,
    /// The program `understory`; by default the one that the tests have built
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Also write the table as JSON to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Kind {
    /// SIGKILL at a random moment
    Kill,
    /// The disk is full after a random number of bytes
    Disk,
    /// Files may not become longer than a random number of bytes, which the kernel enforces
    Limit,
    /// What was written does not reach the disk
    Sync,
    /// System calls are interrupted and cut short, and a signal comes every millisecond
    Interrupt,
    /// Two processes write the same output at once
    Writers,
    /// The time of day jumps by years; files are from the future
    Clock,
    /// The folder of the outputs cannot be written
    ReadOnly,
}

/// What became of a trial.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    trials: u64,
    /// It ended as in peace.
    same: u64,
    /// It ended with a sentence.
    named: u64,
    /// It was killed before its end.
    killed: u64,
    failed: u64,
}

/// Runs the trials and prints the table; fails if any trial did.
pub fn run(arguments: &Arguments) -> Result<()> {
    let program = match &arguments.program {
        Some(program) => std::path::absolute(program)?,
        None => target_dir()?.join("debug/understory"),
    };
    ensure!(
        program.is_file(),
        "{} is missing; build it with `cargo build`, or name one with --program",
        program.display()
    );
    let folder = tempfile::Builder::new().prefix("understory-torture-").tempdir()?;
    let library = hostile::build(folder.path())?;
    let place = folder.path().join("place");
    fs::create_dir(&place)?;
    let workplace = Workplace::new(&program, &place)?;
    let is_wanted = |kind: &&Kind| arguments.only.is_empty() || arguments.only.contains(kind);
    let kinds: Vec<Kind> = Kind::value_variants().iter().filter(is_wanted).copied().collect();
    let (table, faults) = trials(arguments, &workplace, &library, &kinds);
    workplace.check_inputs()?;
    tell(arguments, &table)?;
    let failed: u64 = table.values().map(|(count, _)| count.failed).sum();
    for fault in faults.iter().take(20) {
        println!("{fault}");
    }
    ensure!(failed == 0, "{failed} trials ended otherwise than they may");
    Ok(())
}

/// What became of the trials of a kind and a verb, and how long they took.
type Table = BTreeMap<(Kind, usize), (Count, Duration)>;

/// All trials, as many at a time as there are processors.
fn trials(
    arguments: &Arguments,
    workplace: &Workplace,
    library: &Path,
    kinds: &[Kind],
) -> (Table, Vec<String>) {
    let found = Mutex::new((Table::new(), Vec::new()));
    let next = AtomicU64::new(0);
    let all = arguments.trials * kinds.len() as u64;
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= all {
                return;
            }
            let (number, kind) =
                (at / kinds.len() as u64, kinds[(at % kinds.len() as u64) as usize]);
            if arguments.trial.is_some_and(|wanted| wanted != number) {
                continue;
            }
            let verb = (number % VERBS.len() as u64) as usize;
            let mut random = Random::new(arguments.seed, kind, number);
            let start = Instant::now();
            let trial = Trial { workplace, library, kind, verb, number };
            let outcome = trial.run(&mut random);
            let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (table, faults) = &mut *found;
            let (count, took) = table.entry((kind, verb)).or_default();
            *took += start.elapsed();
            count.trials += 1;
            match outcome {
                Ok(End::Same) => count.same += 1,
                Ok(End::Named) => count.named += 1,
                Ok(End::Killed) => count.killed += 1,
                Err(error) => {
                    count.failed += 1;
                    let again = format!(
                        "cargo xtask torture --only {} --seed {} --trial {number} --trials {}",
                        name_of(kind),
                        arguments.seed,
                        number + 1
                    );
                    faults.push(format!("{}: {error:#} (again: {again})", VERBS[verb].name));
                }
            }
        }
    };
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 1..processors {
            scope.spawn(work);
        }
        work();
    });
    found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn name_of(kind: Kind) -> String {
    kind.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Prints the table, and writes it.
fn tell(arguments: &Arguments, table: &Table) -> Result<()> {
    println!(
        "{:<10} {:<14} {:>7} {:>11} {:>12} {:>7} {:>7} {:>8}",
        "calamity", "command", "trials", "same bytes", "named error", "killed", "failed", "seconds"
    );
    let mut rows = Vec::new();
    for (&(kind, verb), &(count, took)) in table {
        let (kind, verb) = (name_of(kind), VERBS[verb].name);
        let Count { trials, same, named, killed, failed } = count;
        let seconds = took.as_secs_f64();
        println!(
            "{kind:<10} {verb:<14} {trials:>7} {same:>11} {named:>12} {killed:>7} {failed:>7} {seconds:>8.1}"
        );
        rows.push(json!({
            "calamity": kind, "command": verb, "trials": trials, "same_bytes": same,
            "named_error": named, "killed": killed, "failed": failed, "seconds": seconds,
        }));
    }
    let all: u64 = table.values().map(|(count, _)| count.trials).sum();
    println!("{all} trials");
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&json!({ "seed": arguments.seed, "rows": rows }))?;
        fs::write(path, text + "\n").with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// How a trial ended that ended well.
enum End {
    Same,
    Named,
    Killed,
}

/// One command and one calamity.
struct Trial<'a> {
    workplace: &'a Workplace,
    library: &'a Path,
    kind: Kind,
    verb: usize,
    number: u64,
}

impl Trial<'_> {
    fn verb(&self) -> &Verb {
        &VERBS[self.verb]
    }

    fn run(&self, random: &mut Random) -> Result<End> {
        let (reference, took) = &self.workplace.references[self.verb];
        let out = self.workplace.out(&format!("{}-{}", name_of(self.kind), self.number))?;
        let size: u64 = reference.values().map(|bytes| bytes.len() as u64).sum();
        let peaceful = || self.workplace.command(self.verb(), &out);
        let with = |hostile: Hostile| {
            let mut command = peaceful();
            hostile.apply(&mut command, self.library);
            wait(command, Duration::MAX)
        };
        let end = match self.kind {
            Kind::Kill => {
                let moment = took.mul_f64(1.1 * random.fraction());
                let ended = wait(peaceful(), moment)?;
                if ended.code.is_none() {
                    End::Killed
                } else {
                    self.judge(&ended, reference, &out)?
                }
            }
            Kind::Disk => {
                let space = Some((size as f64 * 1.3 * random.fraction()) as u64);
                let ended = with(Hostile { space, ..Hostile::default() })?;
                named_by(&ended, &["o space left"])?;
                self.judge(&ended, reference, &out)?
            }
            Kind::Limit => {
                let largest = reference.values().map(Vec::len).max().unwrap_or_default();
                let limit = (largest as f64 * 1.2 * random.fraction()) as u64;
                let ended = wait(limited(&peaceful(), limit), Duration::MAX)?;
                named_by(&ended, &["ile too large"])?;
                self.judge(&ended, reference, &out)?
            }
            Kind::Sync => {
                let ended = with(Hostile { sync_fails: true, ..Hostile::default() })?;
                named_by(&ended, &["nput/output error"])?;
                self.judge(&ended, reference, &out)?
            }
            Kind::Interrupt => {
                let interrupts = Some((2 + random.below(30), 500 + random.below(3000)));
                let ended = with(Hostile { interrupts, ..Hostile::default() })?;
                ensure!(ended.is_success(), "interrupted, it ended with {}", ended.said.trim());
                self.judge(&ended, reference, &out)?
            }
            Kind::Clock => {
                let future = SystemTime::now() + Duration::from_secs(86_400 * 365 * 5);
                for name in ["drive.toml", "scan.npy"] {
                    fs::File::open(self.workplace.folder.join(name))?.set_modified(future)?;
                }
                let clock = Some(1 + random.below(1 << 30));
                let ended = with(Hostile { clock, ..Hostile::default() })?;
                ensure!(
                    ended.is_success(),
                    "with another time it ended with {}",
                    ended.said.trim()
                );
                self.judge(&ended, reference, &out)?
            }
            Kind::ReadOnly => {
                let ended = with(Hostile { readonly: Some(out.clone()), ..Hostile::default() })?;
                ensure!(!ended.is_success(), "it wrote where nothing can be written");
                named_by(&ended, &["ead-only"])?;
                ensure!(contents(&out)?.is_empty(), "something is in the folder");
                self.judge(&ended, reference, &out)?
            }
            Kind::Writers => self.two_writers(reference, &out, random)?,
        };
        // Whatever happened, the same command in peace ends as ever and tidies up.
        let ended = wait(peaceful(), Duration::MAX)?;
        ensure!(ended.is_success(), "in peace again: {}", ended.said.trim());
        let left = contents(&out)?;
        differs(&left, reference).map_or(Ok(()), |what| bail!("in peace again: {what}"))?;
        fs::remove_dir_all(&out)?;
        Ok(end)
    }

    /// What a command has left: the same, or a sentence and only whole files.
    fn judge(&self, ended: &Ended, reference: &Contents, out: &Path) -> Result<End> {
        let left = contents(out)?;
        if ended.is_success() {
            return match differs(&left, reference) {
                Some(what) => bail!("it succeeded, but {what}"),
                None => Ok(End::Same),
            };
        }
        ended.error()?;
        self.only_whole(&left, reference)?;
        Ok(End::Named)
    }

    /// Under their final names there are only whole files.
    fn only_whole(&self, left: &Contents, reference: &Contents) -> Result<()> {
        for (name, bytes) in left {
            let is_hidden = name.split('/').any(|part| part.starts_with('.'));
            let is_same = reference.get(name).is_some_and(|whole| whole == bytes);
            let is_part = self.verb().keeps_parts && name.contains(".parts/");
            ensure!(is_same || is_hidden || is_part, "{name} is there and is not whole");
        }
        Ok(())
    }

    fn two_writers(&self, reference: &Contents, out: &Path, random: &mut Random) -> Result<End> {
        let (_, took) = &self.workplace.references[self.verb];
        let delay = took.mul_f64(random.fraction());
        let command = || self.workplace.command(self.verb(), out);
        let second = command();
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(move || {
                std::thread::sleep(delay);
                wait(second, Duration::MAX)
            });
            (wait(command(), Duration::MAX), other.join())
        });
        let ended = [first?, second.map_err(|_| anyhow::anyhow!("a thread died"))??];
        for ended in &ended {
            if !ended.is_success() {
                ended.error()?;
            }
        }
        ensure!(ended.iter().any(Ended::is_success), "both failed: {}", ended[0].said.trim());
        match differs(&contents(out)?, reference) {
            Some(what) => bail!("with two writers {what}"),
            None if ended.iter().all(Ended::is_success) => Ok(End::Same),
            None => Ok(End::Named),
        }
    }
}

/// If it failed, then for this reason.
fn named_by(ended: &Ended, reasons: &[&str]) -> Result<()> {
    if ended.is_success() {
        return Ok(());
    }
    let error = ended.error()?;
    ensure!(reasons.iter().any(|reason| error.contains(reason)), "it does not say why: {error}");
    Ok(())
}

/// The first difference.
fn differs(left: &Contents, reference: &Contents) -> Option<String> {
    let missing = reference.keys().find(|name| !left.contains_key(*name));
    let more = left.keys().find(|name| !reference.contains_key(*name));
    let other = reference.iter().find(|(name, bytes)| left.get(*name) != Some(bytes));
    missing
        .map(|name| format!("{name} is missing"))
        .or_else(|| more.map(|name| format!("{name} is left over")))
        .or_else(|| other.map(|(name, _)| format!("{name} has other bytes")))
}

/// The same command, with a limit on the length of files that is an error and no signal.
fn limited(command: &Command, bytes: u64) -> Command {
    let mut limited = Command::new("sh");
    limited.arg("-c").arg(format!("trap '' XFSZ; exec prlimit --fsize={bytes} \"$@\""));
    limited.arg("sh").arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited
}

/// xorshift: a sequence of its own for every trial.
struct Random(u64);

impl Random {
    fn new(seed: u64, kind: Kind, number: u64) -> Random {
        let mixed = (seed << 40) ^ ((kind as u64) << 32) ^ number;
        let mut random = Random(mixed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.below(1);
        }
        random
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit.max(1)
    }

    fn fraction(&mut self) -> f64 {
        self.below(1 << 53) as f64 / (1u64 << 53) as f64
    }
}

/// The short version of the everyday tests.
pub fn everyday(trials: u64) -> Result<()> {
    let only = Vec::new();
    run(&Arguments { trials, seed: 1, only, trial: None, program: None, json: None })
}
