//! How alike the ranges of single orientations are.
//!
//! What enters: two histograms of one orientation. What leaves: on their returns, Wasserstein's
//! W₁ = ∫|F − G| dr and the fair CRPS (Ferro 2014) of the simulated ranges as a forecast of the real
//! ones; on all pulses, the statistic of Kolmogorov and Smirnov, with pulses without a return
//! beyond all ranges, the difference of the shares of pulses without a return, and Bhattacharyya's
//! distance with half a count spread over the occupied bins of both, so that it is always finite.
//! Ranges are known to their bin.

use super::distance::quantile;
use super::histograms::{Histogram, NO_RETURN, OUTSIDE};
use understory_base::math;

/// Scores of one orientation; `None` where there are too few returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BeamScore {
    /// Wasserstein-1 distance of the returns.
    pub wasserstein_m: Option<f64>,
    /// Two-sample Kolmogorov–Smirnov statistic, no return being beyond all ranges.
    pub ks: f64,
    /// Fair CRPS of the simulated returns, mean over the real ones.
    pub crps_m: Option<f64>,
    /// What the fair CRPS would be if the simulated returns had the distribution of the real ones.
    pub crps_of_real_m: Option<f64>,
    /// Simulated minus real share of pulses without a return.
    pub no_return_difference: f64,
    /// Bhattacharyya distance with half a count spread over the bins.
    pub smoothed_distance: f64,
}

/// How a score is spread over orientations, each counted once.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Spread {
    /// Orientations that have the score.
    pub orientations: usize,
    /// Mean.
    pub mean: f64,
    /// Root of the mean square.
    pub rms: f64,
    /// Median.
    pub median: f64,
    /// 95 % are not above it.
    pub p95: f64,
}

impl Spread {
    /// Of these values; `None` without any.
    pub fn of(mut values: Vec<f64>) -> Option<Spread> {
        if values.is_empty() {
            return None;
        }
        values.sort_by(f64::total_cmp);
        let mean_of =
            |f: fn(f64) -> f64| values.iter().map(|&v| f(v)).sum::<f64>() / values.len() as f64;
        Some(Spread {
            orientations: values.len(),
            mean: mean_of(|v| v),
            rms: mean_of(|v| v * v).sqrt(),
            median: quantile(&values, 0.5),
            p95: quantile(&values, 0.95),
        })
    }
}

/// Scores over all orientations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct BeamScores {
    /// Wasserstein-1 distance of the returns, in metres.
    pub wasserstein_m: Option<Spread>,
    /// Kolmogorov–Smirnov statistic.
    pub ks: Option<Spread>,
    /// Fair CRPS, in metres.
    pub crps_m: Option<Spread>,
    /// What a perfect simulation's fair CRPS would be, in metres.
    pub crps_of_real_m: Option<Spread>,
    /// Absolute difference of the shares of pulses without a return.
    pub no_return: Option<Spread>,
    /// Bhattacharyya distance of single orientations, smoothed.
    pub smoothed_distance: Option<Spread>,
}

impl BeamScores {
    /// Of the scores of orientations.
    pub fn of(scores: &[BeamScore]) -> BeamScores {
        let spread = |get: fn(&BeamScore) -> Option<f64>| {
            Spread::of(scores.iter().filter_map(get).collect())
        };
        BeamScores {
            wasserstein_m: spread(|score| score.wasserstein_m),
            ks: spread(|score| Some(score.ks)),
            crps_m: spread(|score| score.crps_m),
            crps_of_real_m: spread(|score| score.crps_of_real_m),
            no_return: spread(|score| Some(score.no_return_difference.abs())),
            smoothed_distance: spread(|score| Some(score.smoothed_distance)),
        }
    }
}

/// Counts of one orientation without blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Plain {
    bins: Vec<u32>,
    counts: Vec<f64>,
}

impl Plain {
    /// Takes over the counts of the blocks in `mask`.
    pub(super) fn set(&mut self, histogram: &Histogram<'_>, mask: u64) {
        self.bins.clear();
        self.counts.clear();
        for ((&bin, &block), &count) in
            histogram.bins.iter().zip(histogram.blocks).zip(histogram.counts)
        {
            if mask >> block & 1 == 0 {
                continue;
            }
            match (self.bins.last(), self.counts.last_mut()) {
                (Some(&last), Some(sum)) if last == bin => *sum += f64::from(count),
                _ => {
                    self.bins.push(bin);
                    self.counts.push(f64::from(count));
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum()
    }

    fn returns(&self) -> f64 {
        let entries = self.bins.iter().zip(&self.counts);
        entries.filter(|(bin, _)| **bin < OUTSIDE).map(|(_, count)| count).sum()
    }

    fn no_return(&self) -> f64 {
        match (self.bins.last(), self.counts.last()) {
            (Some(&NO_RETURN), Some(&count)) => count,
            _ => 0.0,
        }
    }
}

/// Calls `visit` with each bin of either and its counts, in rising order.
fn for_each_bin(real: &Plain, simulated: &Plain, mut visit: impl FnMut(u32, f64, f64)) {
    let (mut i, mut j) = (0, 0);
    loop {
        let bin = match (real.bins.get(i), simulated.bins.get(j)) {
            (Some(&a), Some(&b)) => a.min(b),
            (Some(&a), None) => a,
            (None, Some(&b)) => b,
            (None, None) => return,
        };
        let take = |of: &Plain, at: &mut usize| match of.bins.get(*at) {
            Some(&found) if found == bin => {
                *at += 1;
                of.counts[*at - 1]
            }
            _ => 0.0,
        };
        let (p, q) = (take(real, &mut i), take(simulated, &mut j));
        visit(bin, p, q);
    }
}

/// Scores of `simulated` against `real`, neither of which is empty.
pub(super) fn score(real: &Plain, simulated: &Plain, range_bin_m: f64) -> BeamScore {
    let (n, m) = (real.total(), simulated.total());
    let (returns, simulated_returns) = (real.returns(), simulated.returns());
    let mut bins = 0.0;
    let (mut ks, mut f_all, mut g_all) = (0.0f64, 0.0, 0.0);
    // Of the returns: real F, simulated G, and integrals in bins.
    let (mut f, mut g, mut last) = (0.0f64, 0.0f64, 0u32);
    let (mut w1, mut across, mut within, mut within_real) = (0.0, 0.0, 0.0, 0.0);
    for_each_bin(real, simulated, |bin, p, q| {
        bins += 1.0;
        f_all += p / n;
        g_all += q / m;
        ks = ks.max((f_all - g_all).abs());
        if bin < OUTSIDE {
            let width = f64::from(bin - last);
            w1 += (f - g).abs() * width;
            across += (f * (1.0 - g) + g * (1.0 - f)) * width;
            within += g * (1.0 - g) * width;
            within_real += f * (1.0 - f) * width;
            f += p / returns;
            g += q / simulated_returns;
            last = bin;
        }
    });
    // Half a count in all, spread evenly.
    let share = 0.5 / bins;
    let mut coefficient = 0.0;
    for_each_bin(real, simulated, |_, p, q| {
        coefficient += ((p + share) * (q + share) / ((n + 0.5) * (m + 0.5))).sqrt();
    });
    let both = returns > 0.0 && simulated_returns > 0.0;
    let fair = |within: f64, count: f64| within * count / (count - 1.0) * range_bin_m;
    BeamScore {
        wasserstein_m: both.then_some(w1 * range_bin_m),
        ks,
        crps_m: (both && simulated_returns > 1.0)
            .then(|| across * range_bin_m - fair(within, simulated_returns)),
        crps_of_real_m: (returns > 1.0).then(|| fair(within_real, returns)),
        no_return_difference: simulated.no_return() / m - real.no_return() / n,
        smoothed_distance: -math::ln(f64::min(coefficient, 1.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(values: &[(u32, f64)]) -> Plain {
        Plain {
            bins: values.iter().map(|v| v.0).collect(),
            counts: values.iter().map(|v| v.1).collect(),
        }
    }

    /// Test vectors: a = {8, 8.02, 8.05, 8.10}, b = {8.01, 8.03, 8.04, 8.20} in bins of 1 cm.
    #[test]
    fn scores_have_their_known_values() {
        let a = plain(&[(800, 1.0), (802, 1.0), (805, 1.0), (810, 1.0)]);
        let b = plain(&[(801, 1.0), (803, 1.0), (804, 1.0), (820, 1.0)]);
        let found = score(&a, &b, 0.01);
        assert!((found.wasserstein_m.unwrap() - 0.0325).abs() < 1e-12, "{found:?}");
        assert!((found.ks - 0.25).abs() < 1e-12, "{found:?}");
        let found = score(&plain(&[(805, 1.0)]), &b, 0.01);
        assert!((found.crps_m.unwrap() - 0.006_666_666_67).abs() < 1e-11, "{found:?}");
        assert_eq!(found.crps_of_real_m, None);
    }

    #[test]
    fn a_pulse_without_a_return_is_beyond_all_ranges() {
        let real = plain(&[(10, 3.0), (NO_RETURN, 1.0)]);
        let simulated = plain(&[(10, 1.0), (OUTSIDE, 1.0), (NO_RETURN, 2.0)]);
        let found = score(&real, &simulated, 1.0);
        assert!((found.ks - 0.5).abs() < 1e-12);
        assert!((found.no_return_difference - 0.25).abs() < 1e-12);
        assert_eq!(found.wasserstein_m, Some(0.0));
        assert_eq!(found.crps_m, None, "one simulated return is no ensemble");
        let missed = score(&real, &plain(&[(NO_RETURN, 5.0)]), 1.0);
        assert_eq!((missed.wasserstein_m, missed.crps_m), (None, None));
        assert!(missed.smoothed_distance.is_finite() && missed.smoothed_distance > 0.3);
    }

    /// Direct sums over all pairs of values.
    #[test]
    fn crps_is_the_sum_over_pairs() {
        let values = |seed: u64, count: u64| -> Vec<u32> {
            (0..count).map(|i| 100 + (rand_philox::splitmix64(seed + i) % 40) as u32).collect()
        };
        let of = |values: &[u32]| {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            let mut entries: Vec<(u32, f64)> = Vec::new();
            for value in sorted {
                match entries.last_mut() {
                    Some(last) if last.0 == value => last.1 += 1.0,
                    _ => entries.push((value, 1.0)),
                }
            }
            plain(&entries)
        };
        let (real, simulated) = (values(1, 57), values(1000, 83));
        let apart = |a: u32, b: u32| (f64::from(a) - f64::from(b)).abs();
        let mean_across: f64 =
            real.iter().flat_map(|&y| simulated.iter().map(move |&x| apart(x, y))).sum::<f64>()
                / (57.0 * 83.0);
        let all = |of: &[u32]| -> f64 {
            of.iter().flat_map(|&x| of.iter().map(move |&y| apart(x, y))).sum()
        };
        let wanted = 0.002 * (mean_across - all(&simulated) / (2.0 * 83.0 * 82.0));
        let found = score(&of(&real), &of(&simulated), 0.002);
        assert!((found.crps_m.unwrap() - wanted).abs() < 1e-12, "{found:?} {wanted}");
        let wanted = 0.002 * all(&real) / (2.0 * 57.0 * 56.0);
        assert!((found.crps_of_real_m.unwrap() - wanted).abs() < 1e-12);
    }
}
