//! Runs that can be killed: when their parts are kept, where, and what a killed run left behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::run::{Checkpoint, RunIdentity};

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

/// Opens the parts of a run, and removes the half-written outputs of one that was killed: as long
/// as its folder of parts is ours, nobody else writes these outputs.
pub fn open(
    folder: &Path,
    identity: &RunIdentity,
    interval_s: (f64, f64),
    restart: bool,
    outputs: &Outputs,
) -> Result<Checkpoint> {
    let killed = folder.exists();
    let parts = Checkpoint::for_run(folder, identity, interval_s, restart)?;
    if killed {
        remove_leftovers(outputs, ".partial");
    }
    Ok(parts)
}

/// The run is complete and its outputs are on the disk: neither its parts nor older versions of the
/// outputs are needed any more.
pub fn close(parts: Checkpoint, outputs: &Outputs, written: &[PathBuf]) -> Result<()> {
    for path in written {
        sync(path).map_err(|error| cannot_write(path, error))?;
    }
    remove_leftovers(outputs, ".old");
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

/// Removes `.NAME.??????SUFFIX` beside each output NAME. Where one cannot be removed it stays.
fn remove_leftovers(outputs: &Outputs, suffix: &str) {
    let paths = outputs.files.iter().map(|file| &file.path).chain(&outputs.picture);
    for path in paths {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
        // Some formats have files beside them that share the stem.
        let stem = path.file_stem().unwrap_or(name).to_string_lossy().into_owned();
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.filter_map(Result::ok) {
            let found = entry.file_name().to_string_lossy().into_owned();
            if is_leftover(&found, &stem, suffix) {
                let path = entry.path();
                let _ =
                    if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            }
        }
    }
}

/// Whether a name is one that a file `STEM.…` has before it is complete.
fn is_leftover(name: &str, stem: &str, suffix: &str) -> bool {
    let middle = name.strip_prefix('.').and_then(|name| name.strip_prefix(stem));
    let middle = middle.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(suffix));
    middle.is_some_and(|middle| {
        let random = middle.rsplit('.').next().unwrap_or_default();
        random.len() == 6 && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::is_leftover;

    #[test]
    fn only_half_written_outputs_are_leftovers() {
        for name in [".drive.laz.Ab12Cd.partial", ".drive.samples.npy.Ab12Cd.partial"] {
            assert!(is_leftover(name, "drive", ".partial"), "{name}");
        }
        for name in [".drive.laz.partial", "drive.laz.Ab12Cd.partial", ".drives.laz.Ab12Cd.partial"]
        {
            assert!(!is_leftover(name, "drive", ".partial"), "{name}");
        }
        assert!(is_leftover(".drive.kitti.Ab12Cd.old", "drive", ".old"));
    }
}
