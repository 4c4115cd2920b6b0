//! `cargo xtask book`: the book in `target/book`, with every link followed.

use std::process::Command;

use anyhow::Result;

use crate::shell::{cargo, root, run as run_command, target_dir};

/// What to do with it.
#[derive(clap::Args)]
pub struct Arguments {
    /// Show it in the browser
    #[arg(long)]
    open: bool,
}

/// Builds the book, and shows it if asked.
pub fn run(arguments: &Arguments) -> Result<()> {
    check()?;
    if arguments.open {
        let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
        run_command(Command::new(program).arg(target_dir()?.join("book/index.html")))?;
    }
    Ok(())
}

/// Builds the book; dead links and pages without a chapter are failures.
pub fn check() -> Result<()> {
    let mut command = cargo(["run", "--quiet", "--locked", "--package", "understory-book", "--"]);
    run_command(command.arg(root().join("docs")).arg(target_dir()?.join("book")))
}
