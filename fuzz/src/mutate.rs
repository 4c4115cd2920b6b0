//! Changes that keep what a file needs to be looked into at all: lines of TOML, values of JSON,
//! chunks of GLB, records of MCAP, checksums.
//!
//! What enters: an input and random numbers. What leaves: another input, or none where it has not
//! the structure that is to be kept.

mod json;
mod mcap;
mod sums;
mod text;

/// How inputs of a target are changed besides byte by byte.
#[derive(Clone, Copy)]
pub enum Mutation {
    /// Only so.
    Bytes,
    /// Lines and words; other texts lend theirs.
    Lines(fn() -> Vec<String>),
    /// Values of JSON.
    Json,
    /// Values of the JSON in a GLB, whose lengths stay right.
    Glb,
    /// Records of an MCAP; checksums become 0, which means that there is none.
    Mcap,
    /// Checksums are made anew after any change.
    Sums(fn(&mut [u8])),
    /// A file of a zip, as lines.
    Zip(fn() -> Vec<String>),
}

impl Mutation {
    /// Another input; `change`: it is not changed yet, else only what must fit is mended.
    pub fn apply(self, bytes: &[u8], random: &mut Random, change: bool) -> Option<Vec<u8>> {
        match self {
            Mutation::Bytes => None,
            Mutation::Lines(_) if !change => None,
            Mutation::Lines(lend) => text::change(bytes, lend, random),
            Mutation::Json if !change => None,
            Mutation::Json => json::change(bytes, random),
            Mutation::Glb => json::change_glb(bytes, random, change),
            Mutation::Mcap => mcap::change(bytes, random, change),
            Mutation::Sums(mend) => {
                let mut bytes = bytes.to_vec();
                if change {
                    sums::change_field(&mut bytes, random);
                }
                mend(&mut bytes);
                Some(bytes)
            }
            Mutation::Zip(_) if !change => None,
            Mutation::Zip(lend) => sums::change_zip(bytes, lend, random),
        }
    }
}

pub use sums::{e57_pages, head_and_rest, site_sections};

/// Counts that break things.
pub(crate) const EDGES: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// xorshift: only for choosing changes.
pub struct Random(u64);

impl Random {
    /// A sequence of its own for every seed.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// One of these.
    pub(crate) fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Changes a few bytes anyhow: what the tests do where no libFuzzer is.
pub fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        // Headers stand at the beginning, footers at the end.
        let at = match random.below(4) {
            0 => random.below(length.min(600)),
            1 => length - 1 - random.below(length.min(600)),
            _ => random.below(length),
        };
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = *random.of(&[0, 1, 0x7f, 0x80, 0xff]),
            2 => bytes[at] = random.below(256) as u8,
            3 => sums::put_edge(bytes, at, random),
            4 => bytes.truncate(at),
            5 => {
                let end = (at + 1 + random.below(40)).min(length);
                bytes.drain(at..end);
            }
            _ => {
                let part = bytes[at..(at + 1 + random.below(100)).min(length)].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}
