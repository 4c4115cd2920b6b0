//! Who is near a ray: lines by their place and the cell of their direction, at several resolutions.
//!
//! What enters: lines. What leaves: for a direction of a place, the lines in the cells about it. Each
//! level has cells twice as wide as the one before, and knows at most [`KEPT`] lines of each, spread
//! over all of them: who asks a wide level has seen those that are near, and of what is far away a few
//! tell where it begins. So a search looks at some hundred lines at most, however dense they are.

use rand_philox::splitmix64;
use rayon::prelude::*;

use super::lines::Line;

/// Width of the cells of the coarsest level.
const WIDEST: f32 = 0.256;
/// Most levels: the finest cells are so often half as wide.
const LEVELS: i32 = 10;
/// Lines of a cell that a level knows.
const KEPT: usize = 8;
/// Lines that cells of the finest level have on average, about.
const FINEST: f64 = 3.0;

/// Lines at all resolutions, the finest first.
pub struct Neighbours {
    levels: Vec<Level>,
}

/// Lines by cells of directions.
pub struct Level {
    /// Width of a cell.
    pub step: f32,
    /// Numbers of the cells in ascending order, and where the lines of each end.
    keys: Vec<u64>,
    ends: Vec<u32>,
    /// Where the keys with the same first bits begin.
    buckets: Vec<u32>,
    shift: u32,
    lines: Vec<Line>,
}

fn cell(direction: [f32; 3], step: f32) -> [i32; 3] {
    direction.map(|c| (c / step).floor() as i32)
}

/// One number for a place and a cell of directions.
#[inline]
fn key(place: u64, cell: [i32; 3]) -> u64 {
    let [x, y, z] = cell.map(|c| u64::from(c as u32 & 0x1F_FFFF));
    splitmix64(place ^ (x | y << 21 | z << 42))
}

impl Neighbours {
    /// Of all lines.
    pub fn new(lines: &[Line]) -> Neighbours {
        let all: Vec<u32> = (0..lines.len() as u32).collect();
        let width = |halvings: i32| WIDEST * 0.5f32.powi(halvings);
        // How many lines cells of some width have says how wide the finest shall be.
        let middle = 2;
        let sorted = sorted(lines, &all, width(middle));
        let cells = sorted.chunk_by(|a, b| a.0 == b.0).count().max(1);
        let finer = (0.5 * (sorted.len() as f64 / cells as f64 / FINEST).log2()).round() as i32;
        let mut levels: Vec<Level> = Vec::new();
        let mut known = all;
        for halvings in (0..=(middle + finer.max(0)).min(LEVELS)).rev() {
            let (level, kept) = Level::new(lines, &known, width(halvings));
            levels.push(level);
            known = kept;
        }
        Neighbours { levels }
    }

    /// From the finest to the coarsest.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }
}

fn sorted(lines: &[Line], some: &[u32], step: f32) -> Vec<(u64, u32)> {
    let keyed = |number: &u32| {
        let line = &lines[*number as usize];
        (key(line.place, cell(line.direction, step)), *number)
    };
    let mut keyed: Vec<(u64, u32)> = some.par_iter().map(keyed).collect();
    keyed.par_sort_unstable();
    keyed
}

impl Level {
    /// Of some lines; also tells those that it knows.
    fn new(lines: &[Line], some: &[u32], step: f32) -> (Level, Vec<u32>) {
        let keyed = sorted(lines, some, step);
        let (mut keys, mut ends, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        for same in keyed.chunk_by(|a, b| a.0 == b.0) {
            let count = same.len().min(KEPT);
            kept.extend((0..count).map(|k| same[k * same.len() / count].1));
            keys.push(same[0].0);
            ends.push(kept.len() as u32);
        }
        let bits = (keys.len().max(2) as u64).ilog2();
        let shift = 64 - bits;
        let mut buckets = vec![0u32; (1 << bits) + 1];
        for key in &keys {
            buckets[(key >> shift) as usize + 1] += 1;
        }
        let mut sum = 0;
        for bucket in &mut buckets {
            sum += *bucket;
            *bucket = sum;
        }
        let of_kept = kept.par_iter().map(|number| lines[*number as usize]).collect();
        (Level { step, keys, ends, buckets, shift, lines: of_kept }, kept)
    }

    #[inline]
    fn find(&self, key: u64) -> &[Line] {
        let bucket = (key >> self.shift) as usize;
        for slot in self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize {
            if self.keys[slot] == key {
                let from = if slot > 0 { self.ends[slot - 1] } else { 0 };
                return &self.lines[from as usize..self.ends[slot] as usize];
            }
        }
        &[]
    }

    /// Lines in the cells about the direction of `line`, the middle first: who is near makes the others
    /// superfluous.
    #[inline]
    pub fn near(&self, line: &Line, mut visit: impl FnMut(&[Line])) {
        let [x, y, z] = cell(line.direction, self.step);
        for (dx, dy, dz) in (13..40).map(|k| (k % 3 - 1, k / 3 % 3 - 1, k / 9 % 3 - 1)) {
            let cell = [x + dx, y + dy, z + dz];
            if has_directions(cell, self.step) {
                visit(self.find(key(line.place, cell)));
            }
        }
    }
}

/// Whether the unit sphere comes through a cell.
#[inline]
fn has_directions(cell: [i32; 3], step: f32) -> bool {
    let (mut nearest, mut farthest) = (0.0, 0.0);
    for c in cell {
        let (low, high) = (c as f32 * step, (c + 1) as f32 * step);
        let far = low.abs().max(high.abs());
        let near = if low > 0.0 {
            low
        } else if high < 0.0 {
            -high
        } else {
            0.0
        };
        nearest += near * near;
        farthest += far * far;
    }
    // Directions are unit vectors in f32.
    nearest <= 1.00001 && farthest >= 0.99999
}
