//! One finished job: where it lies in the run, what was counted, its rows; and the same as bytes.
//!
//! A block of bytes is a CRC-32 of the rest, the length of the rest, both cuts, the counts and the
//! rows as [`encode_records`] packs them, all little-endian. It is what lies in the files of
//! [`parts`](super::checkpoint) and what ranks send to each other.

use understory_cloud::{Records, decode_records, encode_records};

use crate::pulse::detector::WaveformTally;
use crate::pulse::light_path::PathTally;

use super::plan::Cut;

/// Checksum and length.
pub(super) const FRAME_BYTES: usize = 8;
/// Longest block that is believed.
const LONGEST: usize = 1 << 30;

/// What workers count besides rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tallies {
    pub paths: PathTally,
    pub waveforms: WaveformTally,
}

impl Tallies {
    pub fn add(&mut self, other: Tallies) {
        self.paths.add(other.paths);
        self.waveforms.add(other.waveforms);
    }
}

/// A finished job. Its memory is used again for later ones.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub from: Cut,
    pub to: Cut,
    pub tallies: Tallies,
    pub records: Records,
    /// The same as bytes, where they are wanted.
    pub bytes: Vec<u8>,
    scratch: Vec<u8>,
}

impl Default for Finished {
    fn default() -> Finished {
        let nowhere = || Cut { time_s: 0.0, pulses: Vec::new() };
        Finished {
            from: nowhere(),
            to: nowhere(),
            tallies: Tallies::default(),
            records: Records::default(),
            bytes: Vec::new(),
            scratch: Vec::new(),
        }
    }
}

impl Finished {
    /// Fills `bytes` from everything else.
    pub fn encode(&mut self) {
        let Finished { from, to, tallies, records, bytes, scratch } = self;
        bytes.clear();
        bytes.extend_from_slice(&[0; FRAME_BYTES]);
        bytes.extend_from_slice(&(from.pulses.len() as u32).to_le_bytes());
        for cut in [&*from, &*to] {
            bytes.extend_from_slice(&cut.time_s.to_le_bytes());
            cut.pulses.iter().for_each(|pulse| bytes.extend_from_slice(&pulse.to_le_bytes()));
        }
        let Tallies { paths, waveforms } = tallies;
        for count in [paths.segments, paths.cut, waveforms.waveforms, waveforms.cut] {
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        encode_records(records, bytes, scratch);
        let length = (bytes.len() - FRAME_BYTES) as u32;
        bytes[4..FRAME_BYTES].copy_from_slice(&length.to_le_bytes());
        let sum = crc32fast::hash(&bytes[4..]);
        bytes[..4].copy_from_slice(&sum.to_le_bytes());
    }

    /// Fills everything else from `bytes`; `None` if they are no block.
    pub fn decode(&mut self) -> Option<()> {
        let rest = checked(&self.bytes)?;
        let (from, to, tallies, rows) = head(rest)?;
        decode_records(rows, &mut self.records, &mut self.scratch).ok()?;
        (self.from, self.to, self.tallies) = (from, to, tallies);
        Some(())
    }
}

/// How many bytes follow a frame; `None` if no block has so many.
pub(super) fn length_after(frame: &[u8; FRAME_BYTES]) -> Option<usize> {
    let [_, _, _, _, length @ ..] = *frame;
    let length = u32::from_le_bytes(length) as usize;
    (length <= LONGEST).then_some(length)
}

/// Where a block lies, if it is whole and unaltered.
pub(super) fn place(block: &[u8]) -> Option<(Cut, Cut)> {
    head(checked(block)?).map(|(from, to, _, _)| (from, to))
}

/// What stands behind the frame of a block that is whole and unaltered.
fn checked(block: &[u8]) -> Option<&[u8]> {
    let (frame, rest) = block.split_at_checked(FRAME_BYTES)?;
    let frame: &[u8; FRAME_BYTES] = frame.try_into().ok()?;
    let [a, b, c, d, ..] = *frame;
    let valid = length_after(frame)? == rest.len()
        && crc32fast::hash(block.get(4..)?) == u32::from_le_bytes([a, b, c, d]);
    valid.then_some(rest)
}

/// Takes the head of a block apart from its rows.
fn head(mut bytes: &[u8]) -> Option<(Cut, Cut, Tallies, &[u8])> {
    fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
        let (taken, rest) = bytes.split_at_checked(N)?;
        *bytes = rest;
        taken.try_into().ok()
    }
    let sensors = u32::from_le_bytes(take(&mut bytes)?) as usize;
    if sensors > bytes.len() / 16 {
        return None;
    }
    let mut cuts = [const { Cut { time_s: 0.0, pulses: Vec::new() } }; 2];
    for cut in &mut cuts {
        cut.time_s = f64::from_le_bytes(take(&mut bytes)?);
        for _ in 0..sensors {
            cut.pulses.push(u64::from_le_bytes(take(&mut bytes)?));
        }
    }
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = u64::from_le_bytes(take(&mut bytes)?);
    }
    let [segments, ended, waveforms, cut] = counts;
    let tallies = Tallies {
        paths: PathTally { segments, cut: ended },
        waveforms: WaveformTally { waveforms, cut },
    };
    let [from, to] = cuts;
    Some((from, to, tallies, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn a_block_comes_back_and_any_altered_byte_is_noticed() {
        let mut block = Finished {
            from: Cut { time_s: 0.25, pulses: vec![7, 9] },
            to: Cut { time_s: 0.5, pulses: vec![8, 11] },
            ..Finished::default()
        };
        block.tallies.paths.segments = 3;
        block.tallies.waveforms.cut = 4;
        for pulse in 7..10 {
            block.records.push(Record { pulse, time_s: 0.25, ..Record::miss() });
        }
        block.encode();
        let mut back = Finished { bytes: block.bytes.clone(), ..Finished::default() };
        back.decode().unwrap();
        assert_eq!((&back.from, &back.to, back.tallies), (&block.from, &block.to, block.tallies));
        assert_eq!(back.records.pulse, [7, 8, 9]);
        assert_eq!(place(&block.bytes).unwrap().1, block.to);
        for at in 0..block.bytes.len() {
            let mut altered = block.bytes.clone();
            altered[at] ^= 0x10;
            assert!(place(&altered).is_none(), "byte {at}");
        }
        for end in 0..block.bytes.len() {
            assert!(place(&block.bytes[..end]).is_none(), "{end} bytes");
        }
    }
}
