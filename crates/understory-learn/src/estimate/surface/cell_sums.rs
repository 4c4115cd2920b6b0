//! Sums over the points of one small cell, and the hash by which cells are found.

use std::hash::Hasher;

/// Sums over the points of one cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellSums {
    pub count: u64,
    /// From the cell's lowest corner, in quanta.
    pub offset: [u64; 3],
    /// Unit vectors from point to sensor, in millionths (2⁻²⁰).
    pub view: [i64; 3],
}

impl CellSums {
    pub fn merge(&mut self, other: &CellSums) {
        self.count += other.count;
        for axis in 0..3 {
            self.offset[axis] += other.offset[axis];
            self.view[axis] += other.view[axis];
        }
    }
}

/// Mixes the three numbers of a cell. Cells come from measurements, so nobody chooses them to
/// collide.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        // Tables take their place from the low bits and a check from the high ones.
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        // An odd number near 2⁶⁴ divided by the golden ratio.
        self.0 = (self.0.rotate_left(26) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    fn write_usize(&mut self, _length: usize) {}
}
