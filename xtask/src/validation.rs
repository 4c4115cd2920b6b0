//! `cargo xtask validation [NAME…]`: reproduces tables and figures and writes their sections of
//! `docs/validation.md`.

use std::fs;

use anyhow::{Context, Result};

use crate::shell::{cargo, root, run};
use crate::small_picture::shrink;

/// Pictures of more bytes, which are those of point clouds, become smaller.
const LARGE_BYTES: u64 = 250_000;
/// How wide they are then, and most of their bytes.
const WIDTH: u32 = 960;
const SMALL_BYTES: usize = 150_000;

/// How much to do.
#[derive(clap::Args)]
pub struct Arguments {
    /// Which, as of `understory reproduce` [default: all]
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Take the papers' sample sizes
    #[arg(long)]
    full: bool,
}

/// Runs the program where the page and its plots belong.
pub fn refresh(arguments: &Arguments) -> Result<()> {
    let folder = root().join("docs/validation");
    if arguments.names.is_empty() && folder.exists() {
        // Plots that are no longer drawn must not stay.
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot clear {}", folder.display()))?;
    }
    let mut command = cargo(["run", "--release", "--locked", "--package", "understory-cli", "--"]);
    command.current_dir(root()).args(["reproduce", "-o", "docs/validation"]);
    match arguments.names.is_empty() {
        true => command.arg("all"),
        false => command.args(&arguments.names),
    };
    if arguments.full {
        command.arg("--full");
    }
    run(&mut command)?;
    for file in fs::read_dir(&folder)? {
        let file = file?;
        let is_png = file.path().extension().is_some_and(|ending| ending == "png");
        if is_png && file.metadata()?.len() > LARGE_BYTES {
            shrink(&file.path(), &file.path(), WIDTH, SMALL_BYTES)?;
        }
    }
    Ok(())
}
