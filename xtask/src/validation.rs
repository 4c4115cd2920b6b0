//! `cargo xtask validation`: reproduces all tables and figures and writes `docs/validation.md`.

use anyhow::Result;

use crate::shell::{cargo, root, run};

/// How much to do.
#[derive(clap::Args)]
pub struct Arguments {
    /// Take the papers' sample sizes
    #[arg(long)]
    full: bool,
}

/// Runs the program where the page and its plots belong.
pub fn refresh(arguments: &Arguments) -> Result<()> {
    let mut command = cargo(["run", "--release", "--locked", "--package", "understory-cli", "--"]);
    command.current_dir(root()).args(["reproduce", "all", "-o", "docs/validation"]);
    if arguments.full {
        command.arg("--full");
    }
    run(&mut command)
}
