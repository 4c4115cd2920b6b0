//! What changed between two simulations of a sample of pulses, and how sure that is.
//!
//! What enters: the rows of the sample in full detail and with coarser plants, block by block. What
//! leaves: the Bhattacharyya distance of the range histograms, the floor that two samples in full
//! detail have between them, and an error of their difference.
//!
//! Pulses of one channel go by turns into two halves A and B, so that B is as good a scan as A.
//! Their returns are counted by channel, sector of azimuth and range, with one more bin for no
//! return. Only channels and sectors count in which at least one return changed: elsewhere nothing
//! could differ, and the sky would hide what does. The floor is the distance of A and B in full
//! detail; the distance is that of one half in full detail and the other with coarser plants, as
//! the mean of both ways round. Both compare samples of the same size. All is the mean over several
//! ways to take turns, which takes the chance of a single one out of it. The error is that of the
//! jackknife over blocks of pulses (Efron and Stein 1981): blocks look at different plants, so it
//! holds for other plants of the same kind too.

use std::collections::{BTreeMap, BTreeSet};

use understory_compare::bhattacharyya_distance;

/// Ways to take turns: by every pulse, every second, every fourth.
const SPLITS: usize = 3;

/// One-sided 95 % of the normal distribution.
const ONE_SIDED_95: f64 = 1.645;

/// A return of a pulse of the sample, or that it had none.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Row {
    pub pulse: u64,
    pub range_bits: u32,
    /// Sensor, channel and sector.
    pub cell: u64,
    pub range_bin: u32,
    /// Number of the pulse in its channel.
    pub turn: u8,
}

/// Bin of pulses without a return.
pub(super) const NO_RETURN: u32 = u32::MAX;

/// What changed between two simulations of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Effect {
    pub distance: f64,
    pub floor: f64,
    /// Standard error of the difference of both.
    pub error: f64,
    pub pulses: u64,
    pub affected: u64,
}

/// Counts of a bin: full A, full B, coarse A, coarse B, for each way to take turns.
type Counts = [[u32; 4]; SPLITS];

impl Effect {
    pub fn of(full: &[Vec<Row>], coarse: &[Vec<Row>]) -> Effect {
        let changed = changed_cells(full, coarse);
        let mut number_of: BTreeMap<(u64, u32), usize> = BTreeMap::new();
        let mut all: Vec<Counts> = Vec::new();
        let mut blocks: Vec<Vec<(usize, Counts)>> = Vec::new();
        let (mut pulses, mut affected) = (0, 0);
        for (full, coarse) in full.iter().zip(coarse) {
            let mut block: BTreeMap<usize, Counts> = BTreeMap::new();
            for (which, rows) in [full, coarse].into_iter().enumerate() {
                let mut last = None;
                for row in rows {
                    let counts = which == 0 && last.replace(row.pulse) != Some(row.pulse);
                    pulses += u64::from(counts);
                    if !changed.contains(&row.cell) {
                        continue;
                    }
                    affected += u64::from(counts);
                    let next = number_of.len();
                    let bin = *number_of.entry((row.cell, row.range_bin)).or_insert(next);
                    let of_bin = block.entry(bin).or_default();
                    for (split, of_split) in of_bin.iter_mut().enumerate() {
                        of_split[2 * which + usize::from(row.turn >> split & 1)] += 1;
                    }
                }
            }
            all.resize(number_of.len(), Counts::default());
            for (bin, counts) in &block {
                add(&mut all[*bin], counts, u32::wrapping_add);
            }
            blocks.push(block.into_iter().collect());
        }
        if changed.is_empty() {
            return Effect { distance: 0.0, floor: 0.0, error: 0.0, pulses, affected };
        }
        let (distance, floor) = distances(&all);
        // Each block left out in its turn.
        let mut without: Vec<f64> = Vec::with_capacity(blocks.len());
        for block in blocks.iter().filter(|block| !block.is_empty()) {
            for (bin, counts) in block {
                add(&mut all[*bin], counts, u32::wrapping_sub);
            }
            let (distance, floor) = distances(&all);
            without.push(distance - floor);
            for (bin, counts) in block {
                add(&mut all[*bin], counts, u32::wrapping_add);
            }
        }
        let count = without.len() as f64;
        let mean = without.iter().sum::<f64>() / count;
        let squares = without.iter().map(|excess| (excess - mean).powi(2)).sum::<f64>();
        // One block says nothing of its error.
        let error =
            if count > 1.0 { (squares * (count - 1.0) / count).sqrt() } else { f64::INFINITY };
        Effect { distance, floor, error, pulses, affected }
    }

    /// How much farther than chance the histograms are apart.
    pub fn excess(&self) -> f64 {
        self.distance - self.floor
    }

    /// What the excess exceeds with a probability of 5 % at most.
    pub fn excess_bound(&self) -> f64 {
        self.excess() + ONE_SIDED_95 * self.error
    }
}

fn add(sum: &mut Counts, counts: &Counts, sign: impl Fn(u32, u32) -> u32) {
    for (sum, count) in sum.as_flattened_mut().iter_mut().zip(counts.as_flattened()) {
        *sum = sign(*sum, *count);
    }
}

/// Channels and sectors in which a return changed.
fn changed_cells(full: &[Vec<Row>], coarse: &[Vec<Row>]) -> BTreeSet<u64> {
    let mut changed = BTreeSet::new();
    for (full, coarse) in full.iter().zip(coarse) {
        let full = full.chunk_by(|a, b| a.pulse == b.pulse);
        let coarse = coarse.chunk_by(|a, b| a.pulse == b.pulse);
        for (full, coarse) in full.zip(coarse) {
            if full != coarse {
                changed.extend(full.first().map(|row| row.cell));
            }
        }
    }
    changed
}

/// Distance and floor, as means over the ways to take turns.
fn distances(bins: &[Counts]) -> (f64, f64) {
    let (mut distance, mut floor) = (0.0, 0.0);
    for split in 0..SPLITS {
        let [full_a, full_b, coarse_a, coarse_b] = [0, 1, 2, 3]
            .map(|place| bins.iter().map(|bin| u64::from(bin[split][place])).collect::<Vec<_>>());
        let one_way = bhattacharyya_distance(&full_a, &coarse_b);
        let other_way = bhattacharyya_distance(&coarse_a, &full_b);
        distance += 0.5 * (one_way + other_way);
        floor += bhattacharyya_distance(&full_a, &full_b);
    }
    (distance / SPLITS as f64, floor / SPLITS as f64)
}
