//! Whether the disk has room for what a run will write, said before the work and not after it.
//!
//! What enters: the outputs and how many pulses there will be. What leaves: nothing, a warning where
//! it will be close, or a refusal where not even a third will fit. How many returns a pulse has is
//! not known before, nor how well they can be packed, so a row a pulse is assumed.

use std::path::Path;

use anyhow::{Result, anyhow};
use understory_view::picture::grouped;

use crate::outputs::Outputs;

/// How far the estimate may be off before a run is refused.
const DOUBT: u64 = 3;

/// Refuses outputs that cannot fit.
pub fn check(outputs: &Outputs, pulses: u64) -> Result<()> {
    let row_bytes: u64 = outputs.files.iter().map(|file| file.format.info().row_bytes).sum();
    let wanted = pulses.saturating_mul(row_bytes);
    // The folder may be made later.
    let mut folders = outputs.folder.ancestors();
    let there = folders.find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    let Some(free) = free_bytes(there) else { return Ok(()) };
    if wanted <= free {
        return Ok(());
    }
    let sentence = format!(
        "{} has room for {}, and about {} are to be written ({} pulses, {row_bytes} bytes each)",
        outputs.folder.display(),
        size(free),
        size(wanted),
        grouped(pulses),
    );
    if wanted / DOUBT > free {
        return Err(anyhow!(
            "{sentence}; make room, give --out on another disk, --format with less, or --interval"
        ));
    }
    tracing::warn!("{sentence}");
    Ok(())
}

/// Bytes that may still be written below this folder, where the system says so.
fn free_bytes(folder: &Path) -> Option<u64> {
    #[cfg(unix)]
    {
        let disk = rustix::fs::statvfs(folder).ok()?;
        // Some kinds of disk say nothing.
        (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_disk_says_how_much_it_can_take() {
        let dir = tempfile::tempdir().unwrap();
        assert!(free_bytes(dir.path()).is_some_and(|free| free < 1 << 60));
        assert!(free_bytes(&dir.path().join("not there")).is_none());
    }
}
