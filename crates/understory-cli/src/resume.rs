//! Runs that can be killed: when their parts are kept, where, and until when.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::run::Checkpoint;

use crate::outputs::Outputs;
use crate::report::cannot_write;

/// A run of more pulses keeps its parts without being asked: beyond a minute or so on two cores.
pub const KEEP_ABOVE_PULSES: u64 = 5_000_000;

/// `--resume`, `--no-resume` and `--restart`.
#[derive(clap::Args, Clone, Copy, Default)]
pub struct ResumeArguments {
    /// Store finished work as it goes, and go on from what a run that was killed has stored [default: with more than 5 million pulses, or where there is something stored]
    #[arg(long)]
    resume: bool,
    /// Store nothing and leave alone what is stored
    #[arg(long, conflicts_with_all = ["resume", "restart"])]
    no_resume: bool,
    /// Discard what is stored and begin anew
    #[arg(long)]
    pub restart: bool,
}

/// Where the parts of a run with these outputs are: `.NAME.parts` beside them.
pub fn folder(outputs: &Outputs, name: &str) -> PathBuf {
    outputs.folder.join(format!(".{name}.parts"))
}

impl ResumeArguments {
    /// Whether a run of so many pulses keeps its parts in `folder`.
    pub fn wanted(&self, pulses: u64, folder: &Path) -> bool {
        !self.no_resume
            && (self.resume || self.restart || pulses > KEEP_ABOVE_PULSES || folder.exists())
    }
}

/// The run is complete; when its outputs are on the disk its parts are not needed any more.
pub fn close(parts: Checkpoint, written: &[PathBuf]) -> Result<()> {
    for path in written {
        sync(path).map_err(|error| cannot_write(path, error))?;
    }
    Ok(parts.remove()?)
}

/// Waits until a file, or all files of a folder, are on the disk.
fn sync(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            sync(&entry?.path())?;
        }
    }
    // Some file systems cannot; they do what they can.
    let _ = fs::File::open(path)?.sync_all();
    Ok(())
}
