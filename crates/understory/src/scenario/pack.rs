//! One file with everything that a scenario needs, so that it gives the same bytes elsewhere.
//!
//! A pack is a zip file that any zip program opens. It holds `manifest.toml` (what is inside, with
//! sizes and SHA-256 checksums; the versions; the digests of a run, if one was recorded), the
//! scenario with its paths changed to those within the pack, every file that it reads, and the
//! texts of the presets that it uses. [`Packing`] makes one, [`Pack`] opens one. The same scenario
//! gives the same pack, byte for byte: no time and no name of a machine goes into it.
//!
//! A pack comes from other people. Its names may not lead out of the folder into which it is
//! unpacked, its checksums must agree, and it takes no more room than a stated multiple of its own
//! size: see `docs/pack.md`.

mod digest;
mod manifest;
mod name;
mod read;
mod rewrite;
mod write;

pub use digest::{
    ColumnDigests, Difference, OutputDigest, Recorded, RecordsDigest, digest_outputs,
};
pub use manifest::{Entry, EntryKind, Manifest};
pub use read::Pack;
pub use write::Packing;

use std::io::Read;
use std::path::Path;
use understory_base::bounded_file;

/// The version of packs that this program writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

/// Ending of the names of packs.
pub const ENDING: &str = "understory";

/// Name of the entry that describes the others.
const MANIFEST: &str = "manifest.toml";

/// Name of the entry with the scenario.
const SCENARIO: &str = "scenario.toml";

/// A pack may become larger than itself by this factor, and by [`ROOM_BYTES`].
const GROWTH_MAX: u64 = 100;
const ROOM_BYTES: u64 = 1 << 30;

/// Most bytes that a pack of `packed_bytes` may hold.
fn room_bytes(packed_bytes: u64) -> u64 {
    packed_bytes.saturating_mul(GROWTH_MAX).saturating_add(ROOM_BYTES)
}

/// Whether a file is a pack, by its name or by its first bytes.
pub fn is_pack(path: &Path) -> bool {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(ENDING)) {
        return true;
    }
    let mut start = [0; 4];
    let read = bounded_file::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_ok() && start == *b"PK\x03\x04"
}

#[cfg(test)]
mod tests;
