//! How far apart two recordings are as wholes: Deschaud et al. 2012, table I, with its floor.
//!
//! What enters: the histograms of both, and the orientations in which they are compared. What
//! leaves, for a size of range bins: the Bhattacharyya distance D = −ln Σ √(p q), both normalised
//! over all these orientations at once; the distance that chance alone would leave; the excess of
//! the one over the other; and an interval by drawing blocks of scans again.
//!
//! **Floor.** [`Occupancy`]: the exact sum for the distribution that explains the real counts. The
//! distance of random halves of the real recording stands beside it, as a check that needs no
//! theory but holds for half as many pulses.
//!
//! **Interval.** Scans drawn again with replacement leave bins empty that were not, and D rises and
//! scatters far more than it does from one recording to the next. So each block of scans is left
//! out once, which tells what it adds to D (jackknife), and what blocks add is drawn again.

use super::OrientationHistograms;
use super::floor::Occupancy;
use super::histograms::{Histogram, OUTSIDE};
use super::pairs::{CHUNK, Pair};
use crate::histogram_distance::mean_root_of_poisson;
use rand_philox::Philox;
use rayon::prelude::*;
use understory_base::math;

/// Distance of two recordings for one size of range bins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HistogramDistance {
    /// Size of the range bins.
    pub range_bin_m: f64,
    /// Bhattacharyya distance; infinite where no bin has counts of both.
    pub distance: f64,
    /// What chance alone would leave between two recordings of these sizes; not a number if no
    /// orientation has two pulses.
    pub floor: f64,
    /// Mean distance between random halves of the real recording; `None` if it has one scan.
    pub halves: Option<f64>,
    /// The exact sum with the real counts for the distribution: too low where bins are sparse.
    pub plug_in: f64,
    /// Distance minus floor.
    pub excess: f64,
    /// 95 % of the distance as the scans of both vary; `None` if one of them has a single scan or
    /// nothing is to be drawn again.
    pub interval: Option<[f64; 2]>,
}

impl HistogramDistance {
    /// Whether chance alone explains the distance: the floor lies within the 95 % of the distance,
    /// or above. `None` where nobody knows how the scans vary.
    pub fn is_noise(&self) -> Option<bool> {
        self.interval.map(|[low, _]| self.floor >= low)
    }
}

/// How blocks of scans are split and drawn again.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    /// Which blocks are in the first half, one mask per split.
    pub(super) splits: Vec<u64>,
    blocks: [u64; 2],
    seed: u64,
    drawings: u32,
}

impl Draws {
    /// Random halves of the real blocks, and `drawings` of the blocks of both.
    pub(super) fn new(blocks: [u64; 2], seed: u64, splits: u32, drawings: u32) -> Draws {
        let of_real = members(blocks[0]);
        let mut rng = Philox::from_u64_seed_stream(seed, 1);
        let mut halves = Vec::new();
        for _ in 0..if of_real.len() < 2 { 0 } else { splits } {
            let mut order = of_real.clone();
            for last in (1..order.len()).rev() {
                order.swap(last, rng.bounded(last as u32 + 1) as usize);
            }
            halves.push(order[..order.len() / 2].iter().fold(0, |mask, block| mask | 1 << block));
        }
        Draws { splits: halves, blocks, seed, drawings }
    }

    /// The middle 95 % of drawn distances, of which each block left out gave `without`.
    fn interval(&self, distance: f64, without: [&[f64; 64]; 2]) -> Option<[f64; 2]> {
        let drawings = self.drawings as usize;
        let mut drawn = vec![distance; drawings];
        for (side, without) in without.into_iter().enumerate() {
            let blocks = members(self.blocks[side]);
            let count = blocks.len() as f64;
            if blocks.len() < 2 || drawings < 2 {
                return None;
            }
            let mean = blocks.iter().map(|&block| without[block]).sum::<f64>() / count;
            // What a block adds, and a little more because as many were drawn as there are.
            let scale = (count - 1.0) / count * (count / (count - 1.0)).sqrt();
            let adds: Vec<f64> =
                blocks.iter().map(|&block| (mean - without[block]) * scale).collect();
            let mut rng = Philox::from_u64_seed_stream(self.seed, 2 + side as u64);
            for distance in &mut drawn {
                for _ in &blocks {
                    *distance += adds[rng.bounded(blocks.len() as u32) as usize];
                }
            }
        }
        if drawn.iter().any(|distance| !distance.is_finite()) {
            return None;
        }
        drawn.sort_by(f64::total_cmp);
        Some([0.025, 0.975].map(|share| quantile(&drawn, share)))
    }
}

/// Numbers of the bits that are set.
fn members(mask: u64) -> Vec<usize> {
    (0..64).filter(|block| mask >> block & 1 == 1).collect()
}

/// What is added up over orientations.
struct Sums {
    shared: f64,
    plug_in: f64,
    /// Σ √(n m) over orientations.
    even: f64,
    /// Σ n m / (E√N E√M) over orientations, N and M being Poisson with means n and m.
    sizes: f64,
    /// Σ n² over orientations.
    squares: f64,
    occupancy: Occupancy,
    halves: Vec<f64>,
    /// What `shared` loses if a block is left out, of the real and of the simulated recording.
    lost: [[f64; 64]; 2],
    pulses: [[u64; 64]; 2],
}

impl Sums {
    fn new(draws: &Draws) -> Sums {
        Sums {
            shared: 0.0,
            plug_in: 0.0,
            even: 0.0,
            sizes: 0.0,
            squares: 0.0,
            occupancy: Occupancy::new(),
            halves: vec![0.0; draws.splits.len()],
            lost: [[0.0; 64]; 2],
            pulses: [[0; 64]; 2],
        }
    }

    fn add(&mut self, other: &Sums) {
        self.shared += other.shared;
        self.plug_in += other.plug_in;
        self.even += other.even;
        self.sizes += other.sizes;
        self.squares += other.squares;
        self.occupancy.merge(&other.occupancy);
        self.halves.iter_mut().zip(&other.halves).for_each(|(sum, other)| *sum += other);
        for side in 0..2 {
            for block in 0..64 {
                self.lost[side][block] += other.lost[side][block];
                self.pulses[side][block] += other.pulses[side][block];
            }
        }
    }
}

/// Distance over `pairs` of orientations in range bins of `range_bin_m`, made of the bins counted.
pub(super) fn distance(
    real: &OrientationHistograms,
    simulated: &OrientationHistograms,
    pairs: &[Pair],
    range_bin_m: f64,
    draws: &Draws,
) -> HistogramDistance {
    let coarse = Coarse { ratio: real.options().range_bin_m / range_bin_m };
    let parts: Vec<Sums> = pairs
        .par_chunks(CHUNK)
        .map(|pairs| {
            let mut sums = Sums::new(draws);
            let mut pass = Pass::new(draws);
            for pair in pairs {
                let of = [real.histogram(pair.real), simulated.histogram(pair.simulated)];
                pass.orientation(of, coarse, &mut sums);
            }
            sums
        })
        .collect();
    let mut sums = Sums::new(draws);
    parts.iter().for_each(|part| sums.add(part));
    let [n, m] = sums.pulses.map(|blocks| blocks.iter().sum::<u64>() as f64);
    let distance = minus_ln(sums.shared / (n * m).sqrt());
    // Poisson counts have a total that varies, those of an orientation do not; and orientations may
    // have another share of one recording than of the other.
    let fixed = sums.sizes / (n * m).sqrt();
    let plug_in = minus_ln(fixed * sums.plug_in / sums.even);
    let others = 1.0 - n / sums.squares;
    let floor = if others > 0.0 {
        minus_ln(fixed * sums.occupancy.coefficient([1.0, m / n], others))
    } else {
        f64::NAN
    };
    let halves: Vec<f64> = sums
        .halves
        .iter()
        .zip(&draws.splits)
        .map(|(shared, &mask)| {
            let of = |mask| members(mask).iter().map(|&b| sums.pulses[0][b]).sum::<u64>() as f64;
            minus_ln(shared / (of(mask) * of(!mask)).sqrt())
        })
        .collect();
    let halves = (!halves.is_empty()).then(|| halves.iter().sum::<f64>() / halves.len() as f64);
    let mut without = [[0.0; 64]; 2];
    for (side, of) in without.iter_mut().enumerate() {
        for (block, without) in of.iter_mut().enumerate() {
            let left = [n, m][side] - sums.pulses[side][block] as f64;
            let whole = left * [m, n][side];
            *without = minus_ln((sums.shared - sums.lost[side][block]) / whole.sqrt());
        }
    }
    HistogramDistance {
        range_bin_m,
        distance,
        floor,
        halves,
        plug_in,
        excess: distance - floor,
        interval: draws.interval(distance, [&without[0], &without[1]]),
    }
}

/// −ln of a coefficient that rounding may put a little beyond 1.
fn minus_ln(coefficient: f64) -> f64 {
    if coefficient > 0.0 { 0.0 - math::ln(coefficient.min(1.0)) } else { f64::INFINITY }
}

/// A quantile of sorted numbers, between its two neighbours.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * sorted.len().saturating_sub(1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    match (sorted.get(below), sorted.get(above)) {
        (Some(low), Some(high)) if low == high => *low,
        (Some(low), Some(high)) => low + (high - low) * (place - place.floor()),
        _ => f64::NAN,
    }
}

/// Bins made of finer ones, each centred on a multiple of its size.
#[derive(Clone, Copy)]
struct Coarse {
    ratio: f64,
}

impl Coarse {
    fn bin(self, bin: u32) -> u32 {
        if self.ratio >= 1.0 || bin >= OUTSIDE {
            return bin;
        }
        // A little more, so that rounding cannot decide where two coarse bins meet.
        (f64::from(bin) * self.ratio + 0.5 + 1e-9) as u32
    }
}

/// Means of √Poisson by count, remembered for one ratio of mean to count.
struct Roots {
    ratio: f64,
    known: Vec<f64>,
}

impl Roots {
    fn new() -> Roots {
        Roots { ratio: f64::NAN, known: vec![f64::NAN; 1024] }
    }

    fn at(&mut self, count: u64, ratio: f64) -> f64 {
        if ratio != self.ratio {
            self.ratio = ratio;
            self.known.fill(f64::NAN);
        }
        let mean = count as f64 * ratio;
        match self.known.get_mut(count as usize) {
            Some(known) => {
                if known.is_nan() {
                    *known = mean_root_of_poisson(mean);
                }
                *known
            }
            None => mean_root_of_poisson(mean),
        }
    }
}

/// What a thread needs to go through orientations.
struct Pass<'a> {
    draws: &'a Draws,
    roots: [Roots; 2],
    /// Counts of one bin by block, real and simulated.
    blocks: [[u32; 64]; 2],
    /// Real blocks that have counts, each as its bit.
    present: Vec<(u64, u32)>,
}

impl Pass<'_> {
    fn new(draws: &Draws) -> Pass<'_> {
        Pass {
            draws,
            roots: [Roots::new(), Roots::new()],
            blocks: [[0; 64]; 2],
            present: Vec::with_capacity(64),
        }
    }

    fn orientation(&mut self, of: [Histogram<'_>; 2], to: Coarse, sums: &mut Sums) {
        let [real, simulated] = of;
        for (histogram, blocks) in of.iter().zip(&mut sums.pulses) {
            for (&block, &count) in histogram.blocks.iter().zip(histogram.counts) {
                blocks[usize::from(block) % 64] += u64::from(count);
            }
        }
        let [n, m] = of.map(|histogram| histogram.pulses() as f64);
        sums.even += (n * m).sqrt();
        sums.squares += n * n;
        sums.sizes += n * m / (mean_root_of_poisson(n) * mean_root_of_poisson(m));
        let (mut i, mut j) = (0, 0);
        while let Some(&first) = real.bins.get(i) {
            let bin = to.bin(first);
            let p = gather(&real, &mut i, bin, to, &mut self.blocks[0]);
            while simulated.bins.get(j).is_some_and(|&other| to.bin(other) < bin) {
                j += 1;
            }
            let q = gather(&simulated, &mut j, bin, to, &mut self.blocks[1]);
            self.bin(p, q, m / n, sums);
        }
    }

    /// One bin with `p` real and `q` simulated pulses.
    fn bin(&mut self, p: u64, q: u64, simulated_per_real: f64, sums: &mut Sums) {
        let [same, other] = &mut self.roots;
        sums.plug_in += same.at(p, 1.0) * other.at(p, simulated_per_real);
        sums.occupancy.add(p);
        let counts = [p as f64, q as f64];
        let roots = counts.map(f64::sqrt);
        if p > 1 {
            self.present.clear();
            let blocks = self.blocks[0].iter().enumerate().filter(|(_, count)| **count > 0);
            self.present.extend(blocks.map(|(block, &count)| (1u64 << block, count)));
            for (sum, mask) in sums.halves.iter_mut().zip(&self.draws.splits) {
                let in_first = self.present.iter().filter(|(bit, _)| mask & bit != 0);
                let first = in_first.map(|&(_, count)| f64::from(count)).sum::<f64>();
                *sum += (first * (counts[0] - first)).sqrt();
            }
        }
        if q == 0 {
            return;
        }
        sums.shared += roots[0] * roots[1];
        for side in 0..2 {
            for (lost, &count) in sums.lost[side].iter_mut().zip(&self.blocks[side]) {
                if count > 0 {
                    let left = (counts[side] - f64::from(count)).max(0.0);
                    *lost += roots[1 - side] * (roots[side] - left.sqrt());
                }
            }
        }
    }
}

/// Counts of `bin` from entry `at` on, by block; `at` goes on behind them.
fn gather(of: &Histogram<'_>, at: &mut usize, bin: u32, to: Coarse, blocks: &mut [u32; 64]) -> u64 {
    blocks.fill(0);
    let mut sum = 0;
    while of.bins.get(*at).is_some_and(|&fine| to.bin(fine) == bin) {
        let count = of.counts[*at];
        sum += u64::from(count);
        let block = &mut blocks[usize::from(of.blocks[*at]) % 64];
        *block = block.saturating_add(count);
        *at += 1;
    }
    sum
}
