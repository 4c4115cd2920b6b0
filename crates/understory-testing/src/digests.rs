//! What a program makes of every scenario, as SHA-256 of each file, so that two programs, or one
//! program on two machines, can be compared to the bit.
//!
//! What enters: how the program `understory` is started. What leaves: a line per output.

use sha2::{Digest, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How the program is started.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    /// The program.
    pub program: PathBuf,
    /// What it is started with: an emulator of another processor and its arguments, say.
    pub emulator: Vec<String>,
    /// Variables that it is given.
    pub variables: Vec<(String, String)>,
    /// Where its outputs go for a while.
    pub folder: PathBuf,
}

/// A run whose outputs are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Name of a built-in scenario.
    pub scenario: String,
    /// As `--interval` takes it.
    pub interval: &'static str,
    /// As `--format` takes it.
    pub format: &'static str,
    /// Learns sites from what was simulated, in these ways.
    pub models: &'static [&'static str],
}

/// Scenarios whose first pulses take longer, or whose scans are slow.
const LONG: &[&str] = &["tripod-scan", "airborne-strip", "line-scanner"];
/// Formats beside CSV.
const FORMATS: &[&str] = &[
    "laz",
    "ply",
    "pcd",
    "npy",
    "parquet",
    "e57",
    "kitti",
    "pcap",
    "mcap",
    "ray-cloud",
    "helios-xyz",
    "blensor-csv",
];
/// What sites are learned from, and how.
const LEARNED: &[&str] = &["first-scan", "p1-mown-grass"];
const MODELS: &[&str] = &["voxel", "likelihood"];

/// All runs: every scenario of these names for a short interval into CSV, one into every other
/// format, and two from which sites are learned.
pub fn jobs(scenarios: &[String]) -> Vec<Job> {
    let job = |scenario: &str, interval, format| Job {
        scenario: scenario.to_owned(),
        interval,
        format,
        models: &[],
    };
    let mut jobs: Vec<Job> = scenarios
        .iter()
        .map(|name| {
            let is_long = LONG.contains(&name.as_str());
            job(name, if is_long { "0..0.05" } else { "0..0.01" }, "csv")
        })
        .collect();
    jobs.extend(FORMATS.iter().map(|format| job("first-scan", "0..0.02", format)));
    jobs.extend(LEARNED.iter().map(|name| Job { models: MODELS, ..job(name, "0..0.1", "npy") }));
    jobs
}

/// Names of all scenarios in a folder, sorted.
pub fn scenarios(folder: &Path) -> Result<Vec<String>, String> {
    let unreadable = |e| format!("cannot read {}: {e}", folder.display());
    let mut names = Vec::new();
    for file in fs::read_dir(folder).map_err(unreadable)? {
        let path = file.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

impl Machine {
    /// Runs the program, and gives a line for each file that it makes: scenario, interval, format,
    /// file, SHA-256.
    pub fn digests(&self, job: &Job) -> Result<Vec<String>, String> {
        let Job { scenario, interval, format, models } = job;
        let out = self.folder.join(format!("{scenario}-{interval}-{format}"));
        let mut command = self.command();
        command.args(["run", scenario, "--interval", interval, "--format", format]);
        command.args(["--no-picture", "--quiet", "--out"]).arg(&out);
        finish(command)?;
        let mut files = Vec::new();
        collect(&out, &mut files)?;
        let mut lines = Vec::new();
        for file in &files {
            let name = file.strip_prefix(&out).unwrap_or(file).display().to_string();
            // The summary of a run tells how long it took.
            if name != format!("{scenario}.json") {
                lines.push(format!("{scenario} {interval} {format} {name} {}", sha256(file)?));
            }
        }
        for model in *models {
            let site = self.folder.join(format!("{scenario}-{model}.site"));
            let mut command = self.command();
            command.arg("learn").arg(out.join(format!("{scenario}.{format}")));
            command.args(["--model", model, "-o"]).arg(&site);
            finish(command)?;
            lines.push(format!("{scenario} learned {model} {}", sha256(&site)?));
            remove(&site)?;
        }
        remove(&out)?;
        Ok(lines)
    }

    fn command(&self) -> Command {
        let mut words = self.emulator.iter();
        let mut command = match words.next() {
            Some(emulator) => Command::new(emulator),
            None => return self.with_variables(Command::new(&self.program)),
        };
        command.args(words).arg(&self.program);
        self.with_variables(command)
    }

    fn with_variables(&self, mut command: Command) -> Command {
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// The lines that are in one list alone: `-` before those of the first, `+` before those of the
/// second.
pub fn differences<'a>(before: &[&'a str], now: &[&'a str]) -> Vec<String> {
    let only = |these: &[&str], those: &[&str], sign: char| -> Vec<String> {
        let lines = these.iter().filter(|line| !those.contains(line));
        lines.map(|line| format!("{sign} {line}")).collect()
    };
    [only(before, now, '-'), only(now, before, '+')].concat()
}

fn finish(mut command: Command) -> Result<(), String> {
    let what = format!("{command:?}");
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{what}: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{what} ended with {}: {}", output.status, said.trim()))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |e| format!("cannot read {}: {e}", folder.display());
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for path in entries {
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

fn sha256(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

fn remove(path: &Path) -> Result<(), String> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.map_err(|e| format!("cannot remove {}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_named() {
        assert!(differences(&["a 1", "b 2"], &["a 1", "b 2"]).is_empty());
        assert_eq!(differences(&["a 1", "b 2"], &["a 1", "b 3"]), ["- b 2", "+ b 3"]);
    }

    #[test]
    fn what_is_run_is_there() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
        let scenarios = scenarios(&folder).unwrap();
        for name in LONG.iter().chain(LEARNED) {
            assert!(scenarios.iter().any(|scenario| scenario == name), "{name}");
        }
        assert!(jobs(&scenarios).len() > scenarios.len() + FORMATS.len());
    }
}
