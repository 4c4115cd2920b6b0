//! `cargo xtask digests`: what a program makes of every scenario, as SHA-256 per file, so that two
//! versions of it can be compared to the bit.
//!
//! What enters: a program `understory`. What leaves: a line per output. Every scenario runs for a
//! short interval into CSV, one into every other format, and sites are learned from two
//! (`understory_testing::digests`; the tests do the same with the recorded ones).

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Error, Result, bail, ensure};
use understory_testing::digests::{Machine, differences, jobs, scenarios};

use crate::shell::{cargo, root, run as run_command, target_dir};

/// Which program, and what to do with what was found.
#[derive(clap::Args)]
pub struct Arguments {
    /// The program `understory`; by default the release build in the target directory
    #[arg(long, value_name = "PATH")]
    program: Option<PathBuf>,
    /// Write the digests to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Compare with the digests in this file, and fail where one differs
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
    /// Run the program on this processor, emulated by qemu-x86_64: Nehalem, Haswell, EPYC …
    #[arg(long, value_name = "MODEL")]
    processor: Option<String>,
}

/// What the tests compare with.
const RECORDED: &str = "crates/understory-cli/tests/digests.txt";
/// Two of other vendors and times: one without vectors of eight, one with them.
const PROCESSORS: [&str; 2] = ["Nehalem", "EPYC"];

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
    let emulator = match &arguments.processor {
        Some(model) => ["qemu-x86_64", "-cpu", model].map(str::to_owned).to_vec(),
        None => Vec::new(),
    };
    let machine = Machine { program, emulator, folder, ..Machine::default() };
    let mut found = Vec::new();
    for job in jobs(&scenarios(&root().join("scenarios")).map_err(Error::msg)?) {
        found.extend(machine.digests(&job).map_err(Error::msg)?);
    }
    fs::remove_dir_all(&machine.folder)?;
    let text: String = found.iter().map(|line| format!("{line}\n")).collect();
    print!("{text}");
    if let Some(path) = &arguments.out {
        fs::write(path, &text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &arguments.against {
        let before = fs::read_to_string(path)
            .with_context(|| format!("cannot read the digests in {}", path.display()))?;
        let before: Vec<&str> = before.lines().collect();
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let differ = differences(&before, &found);
        if !differ.is_empty() {
            bail!("digests differ:\n{}", differ.join("\n"));
        }
        println!("all {} digests are the same", found.len());
    }
    Ok(())
}

/// Compares what a release build makes on emulated processors with what is recorded.
pub fn on_emulated_processors() -> Result<()> {
    run_command(&mut cargo(["build", "--release", "--locked", "-p", "understory-cli"]))?;
    for model in PROCESSORS {
        println!("on {model}:");
        let against = Some(root().join(RECORDED));
        let processor = Some(model.to_owned());
        run(&Arguments { program: None, out: None, against, processor })?;
    }
    Ok(())
}
