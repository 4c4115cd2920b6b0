//! `cargo xtask digests`: what a program makes of every scenario, as SHA-256 per file, so that two
//! versions of it can be compared to the bit.
//!
//! What enters: a program `understory`. What leaves: a line per output. Every scenario runs for a
//! short interval into CSV, one into every other format, and sites are learned from two.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use crate::shell::{captured, root, target_dir};

/// Which program, and what to do with what was found.
#[derive(clap::Args)]
pub struct Arguments {
    /// The program `understory`; by default the release build in the target directory
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Trace with these instructions (avx512, avx2, portable) instead of the fastest
    #[arg(long, value_name = "SET")]
    instructions: Option<String>,
    /// Write the digests to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with the digests in this file, and fail where one differs
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
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

/// Runs everything and prints the digests.
pub fn run(arguments: &Arguments) -> Result<()> {
    let program = match &arguments.program {
        Some(program) => std::path::absolute(program)?,
        None => target_dir()?.join("release/understory"),
    };
    ensure!(
        program.is_file(),
        "{} is not there; build it with `cargo build --release`, or give --program PATH",
        program.display()
    );
    let folder = target_dir()?.join("digests");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let work = Work { program, folder, instructions: arguments.instructions.clone() };
    let mut found = String::new();
    for scenario in scenarios()? {
        let interval = if LONG.contains(&scenario.as_str()) { "0..0.05" } else { "0..0.01" };
        work.simulate(&scenario, interval, "csv", &mut found)?;
    }
    for format in FORMATS {
        work.simulate("first-scan", "0..0.02", format, &mut found)?;
    }
    for scenario in LEARNED {
        work.simulate(scenario, "0..0.1", "npy", &mut found)?;
        for model in MODELS {
            work.learn(scenario, model, &mut found)?;
        }
    }
    fs::remove_dir_all(&work.folder)?;
    print!("{found}");
    if let Some(path) = &arguments.out {
        fs::write(path, &found).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &arguments.against {
        let before = fs::read_to_string(path)
            .with_context(|| format!("cannot read the digests in {}", path.display()))?;
        compare(&before, &found)?;
    }
    Ok(())
}

/// Names of all scenarios of the program.
fn scenarios() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in fs::read_dir(root().join("scenarios"))? {
        let path = file?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

struct Work {
    program: PathBuf,
    folder: PathBuf,
    instructions: Option<String>,
}

impl Work {
    /// The program with the instructions that were chosen.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        if let Some(set) = &self.instructions {
            command.args(["--instructions", set]);
        }
        command
    }

    fn simulate(
        &self,
        scenario: &str,
        interval: &str,
        format: &str,
        found: &mut String,
    ) -> Result<()> {
        let out = self.folder.join(scenario).join(format);
        let mut command = self.command();
        command.args(["run", scenario, "--interval", interval, "--format", format]);
        command.args(["--no-picture", "--quiet", "--out"]).arg(&out);
        captured(&mut command)?;
        let files = WalkDir::new(&out).sort_by_file_name().into_iter();
        for file in files.filter_map(Result::ok).filter(|file| file.file_type().is_file()) {
            // The summary of a run tells how long it took.
            let name = file.path().strip_prefix(&out)?.display().to_string();
            if name != format!("{scenario}.json") {
                writeln!(found, "{scenario} {interval} {format} {name} {}", sha256(file.path())?)?;
            }
        }
        Ok(())
    }

    fn learn(&self, scenario: &str, model: &str, found: &mut String) -> Result<()> {
        let scans = self.folder.join(scenario).join("npy").join(format!("{scenario}.npy"));
        let site = self.folder.join(format!("{scenario}-{model}.site"));
        let mut command = self.command();
        command.arg("learn").arg(scans).args(["--model", model, "-o"]).arg(&site);
        captured(&mut command)?;
        writeln!(found, "{scenario} learned {model} {}", sha256(&site)?)?;
        Ok(())
    }
}

fn sha256(path: &Path) -> Result<String> {
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Fails with the lines that are in one list alone.
fn compare(before: &str, now: &str) -> Result<()> {
    let only = |these: &str, those: &str, sign: char| -> Vec<String> {
        let those: Vec<&str> = those.lines().collect();
        let lines = these.lines().filter(|line| !those.contains(line));
        lines.map(|line| format!("{sign} {line}")).collect()
    };
    let differs = [only(before, now, '-'), only(now, before, '+')].concat();
    if differs.is_empty() {
        println!("all {} digests are the same", now.lines().count());
        return Ok(());
    }
    bail!("digests differ:\n{}", differs.join("\n"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_named() {
        assert!(compare("a 1\nb 2\n", "a 1\nb 2\n").is_ok());
        let error = compare("a 1\nb 2\n", "a 1\nb 3\n").unwrap_err().to_string();
        assert_eq!(error, "digests differ:\n- b 2\n+ b 3");
    }

    #[test]
    fn what_is_run_is_there() {
        let scenarios = scenarios().unwrap();
        for name in LONG.iter().chain(LEARNED) {
            assert!(scenarios.iter().any(|scenario| scenario == name), "{name}");
        }
    }
}
