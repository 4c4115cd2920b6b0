//! Errors that are alike in neighbouring pulses: Weierstrass's function along a channel
//! (Bayraktaroglu 2023, §4.3, equation 4.16).
//!
//! W(x) = Σ_{n<N} γ^{−nH}·cos(2πγⁿx + φ_n), with x = column/P and phases φ_n that belong to a
//! channel. Over whole periods its mean is 0 and its variance ½·Σγ^{−2nH}; the wave is divided by
//! the root of that, not by the deviation of the points that were seen (equation 4.17), because a
//! scan that sees only a crest must stay a crest. The correlation of two columns that are Δ periods
//! apart, over all phases, is R(Δ) = Σγ^{−2nH}cos(2πγⁿΔ)/Σγ^{−2nH}.
//!
//! Nearly all of the energy is in the first term, so the wave is almost a cosine and its values
//! are not normal. The thesis leaves x open; one period is `period_columns` columns.
//!
//! **Drift.** The pattern of a channel may slide slowly from scan to scan: its first phase walks at
//! random, by `drift_rad` (standard deviation) per scan, and the others with it. The walk is a
//! function of the scan's number alone, by Lévy's construction: the place at 2ᵏ from the one at
//! 2ᵏ⁻¹, then midpoints between them.

use std::f64::consts::TAU;
use understory_base::math;

use understory_files::ValueOr;
use understory_files::sensor::CorrelationFile;

use crate::rng::{PulseRng, Stage};

/// Most terms of the sum.
pub const TERMS_MAX: usize = 8;

/// An error that runs along a channel as a wave.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// w, the wave's share of the variance, 0…1.
    pub share: f64,
    /// P, columns per period of the first term.
    pub period_columns: f64,
    /// γ, by which the frequency rises from term to term, above 1.
    pub gamma: f64,
    /// H, by whose power the amplitude falls, between 0 and 1.
    pub hurst: f64,
    /// N, terms of the sum, 1…[`TERMS_MAX`].
    pub terms: usize,
    /// Standard deviation of the first phase's step from scan to scan.
    pub drift_rad: f64,
}

/// Phases of a channel in a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    /// φ_n in turns.
    turns: [f64; TERMS_MAX],
    /// How far the pattern has slid.
    slid_columns: f64,
}

/// A wave of standard deviation 1.
#[derive(Clone, Copy, Debug)]
pub struct Wave {
    /// Amplitude, and frequency per column.
    terms: [(f64, f64); TERMS_MAX],
    count: usize,
}

impl Wave {
    /// Its value in a column.
    pub fn at(&self, column: u32, phase: &Phase) -> f64 {
        let x = f64::from(column) + phase.slid_columns;
        let terms = self.terms[..self.count].iter().zip(&phase.turns);
        terms
            .map(|((amplitude, frequency), turns)| amplitude * turn_cos(frequency * x, *turns))
            .sum()
    }
}

/// cos 2π(a + b). Whole turns are taken off `a` first, so that high terms keep their digits.
fn turn_cos(a: f64, b: f64) -> f64 {
    math::cos(TAU * (a.fract() + b))
}

/// Amplitude and frequency of term after term.
fn terms(gamma: f64, hurst: f64) -> impl Iterator<Item = (f64, f64)> {
    let steps = |ratio: f64| std::iter::successors(Some(1.0), move |value| Some(value * ratio));
    steps(math::powf(gamma, -hurst)).zip(steps(gamma))
}

/// W of any number of terms with phases of 0 (4.16).
pub fn weierstrass_sum(gamma: f64, hurst: f64, count: usize, x: f64) -> f64 {
    let terms = terms(gamma, hurst).take(count);
    terms.map(|(amplitude, frequency)| amplitude * turn_cos(frequency * x, 0.0)).sum()
}

impl Default for Correlation {
    /// γ and H of the thesis; share and period are not in it.
    fn default() -> Correlation {
        Correlation {
            share: 0.7,
            period_columns: 12.0,
            gamma: 5.0,
            hurst: 0.99,
            terms: 4,
            drift_rad: 0.0,
        }
    }
}

impl Correlation {
    /// What the file says.
    pub(super) fn from_file(file: &CorrelationFile) -> Correlation {
        let usual = Correlation::default();
        Correlation {
            share: file.share.get(),
            period_columns: file.period_columns.get(),
            gamma: file.gamma.value_or(usual.gamma),
            hurst: file.hurst.value_or(usual.hurst),
            terms: file.terms.as_ref().map_or(usual.terms, |terms| terms.get() as usize),
            drift_rad: file.drift_deg.value_or(0.0).to_radians(),
        }
    }

    /// Amplitude and frequency of each term.
    fn terms(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        terms(self.gamma, self.hurst).take(self.terms.min(TERMS_MAX))
    }

    /// W at `x` periods with phases of 0, not normalised (4.16).
    pub fn weierstrass(&self, x: f64) -> f64 {
        weierstrass_sum(self.gamma, self.hurst, self.terms.min(TERMS_MAX), x)
    }

    /// Standard deviation of W over whole periods.
    pub fn standard_deviation(&self) -> f64 {
        (0.5 * self.terms().map(|(amplitude, _)| amplitude * amplitude).sum::<f64>()).sqrt()
    }

    /// R: correlation of the wave at two places that are `apart` periods apart.
    pub fn autocorrelation(&self, apart: f64) -> f64 {
        let (mut sum, mut energy) = (0.0, 0.0);
        for (amplitude, frequency) in self.terms() {
            sum += amplitude * amplitude * turn_cos(frequency * apart, 0.0);
            energy += amplitude * amplitude;
        }
        sum / energy
    }

    /// The wave with standard deviation 1, ready for many columns.
    pub fn wave(&self) -> Wave {
        let mut wave = Wave { terms: [(0.0, 0.0); TERMS_MAX], count: self.terms.min(TERMS_MAX) };
        let scale = self.standard_deviation().recip();
        for (slot, (amplitude, frequency)) in wave.terms.iter_mut().zip(self.terms()) {
            *slot = (scale * amplitude, frequency / self.period_columns);
        }
        wave
    }

    /// Phases of a channel in a scan.
    pub fn phase(&self, channel: u16, scan: u32, seed: u64, sensor: u16) -> Phase {
        let mut rng = PulseRng::new(seed, sensor, u64::from(channel), Stage::RangePhase);
        let mut turns = [0.0; TERMS_MAX];
        turns.iter_mut().take(self.terms).for_each(|turn| *turn = rng.uniform());
        let normal = |time| {
            let key = u64::from(channel) << 40 | time;
            PulseRng::new(seed, sensor, key, Stage::RangeDrift).gaussian()
        };
        let slid_columns = match self.drift_rad {
            0.0 => 0.0,
            drift_rad => drift_rad / TAU * self.period_columns * walk(scan, normal),
        };
        Phase { turns, slid_columns }
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "{:.0} % of its variance in waves of {} columns along a channel",
            100.0 * self.share,
            self.period_columns
        )
    }
}

/// Brownian motion at a whole time: 0 at 0, independent steps of variance 1. `normal` gives the
/// normal number of each time and is requested about twice the binary logarithm of `time`.
fn walk(time: u32, normal: impl Fn(u64) -> f64) -> f64 {
    let time = u64::from(time);
    if time == 0 {
        return 0.0;
    }
    let (mut low, mut low_at) = (1, normal(1));
    while low * 2 <= time {
        low_at += (low as f64).sqrt() * normal(low * 2);
        low *= 2;
    }
    if low == time {
        return low_at;
    }
    let mut high = low * 2;
    let mut high_at = low_at + (low as f64).sqrt() * normal(high);
    while low != time {
        let middle = (low + high) / 2;
        let spread = 0.5 * ((high - low) as f64).sqrt();
        let middle_at = 0.5 * (low_at + high_at) + spread * normal(middle);
        if middle <= time {
            (low, low_at) = (middle, middle_at);
        } else {
            (high, high_at) = (middle, middle_at);
        }
    }
    low_at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(terms: usize) -> Correlation {
        Correlation { terms, ..Correlation::default() }
    }

    #[test]
    fn values_of_the_function() {
        for (n, x, expected) in
            [(8, 0.1, 0.553929815), (8, 1.0 / 3.0, -0.627543590), (4, 0.1, 0.556067837)]
        {
            let value = terms(n).weierstrass(x);
            assert!((value - expected).abs() < 1e-9, "W_{n}({x}) = {value}");
        }
        // The infinite sum at 0 is 1/(1 − γ^−H); eight terms miss at most 3.7e−6 of it.
        let missing = 1.25509083 - terms(8).weierstrass(0.0);
        assert!((0.0..3.75e-6).contains(&missing), "{missing}");
    }

    #[test]
    fn analytic_standard_deviation() {
        for (n, expected) in [(1, 0.5f64.sqrt()), (4, 0.722179125), (8, 0.722180176)] {
            assert!((terms(n).standard_deviation() - expected).abs() < 1e-9, "{n}");
        }
        assert!((terms(4).standard_deviation().powi(2) - 0.521542689).abs() < 1e-9);
        let energy = 0.5 / terms(8).standard_deviation().powi(2);
        assert!((energy - 0.9587).abs() < 1e-4, "share of the first term: {energy}");
    }

    #[test]
    fn analytic_autocorrelation() {
        for (apart, expected) in [(0.01, 0.994466480), (0.05, 0.911772456), (0.1, 0.734294272)] {
            let value = terms(4).autocorrelation(apart);
            assert!((value - expected).abs() < 1e-9, "R({apart}) = {value}");
        }
        assert_eq!(terms(4).autocorrelation(0.0), 1.0);
    }

    /// By sums over a whole period in steps of 1/1250, which carry all four frequencies exactly:
    /// mean, variance and correlation for any phases, and the kurtosis, which says that the wave
    /// is no Gaussian.
    #[test]
    fn sums_over_a_period_agree_with_the_formulas() {
        let wave = Correlation { period_columns: 1250.0, ..terms(4) };
        let phase = wave.phase(3, 0, 11, 0);
        let values: Vec<f64> = (0..1250).map(|column| wave.wave().at(column, &phase)).collect();
        let mean = |f: &dyn Fn(usize) -> f64| (0..1250).map(f).sum::<f64>() / 1250.0;
        assert!(mean(&|i| values[i]).abs() < 1e-12);
        assert!((mean(&|i| values[i].powi(2)) - 1.0).abs() < 1e-12);
        for lag in [1, 7, 125, 400] {
            let found = mean(&|i| values[i] * values[(i + lag) % 1250]);
            assert!((found - wave.autocorrelation(lag as f64 / 1250.0)).abs() < 1e-12);
        }
        let still = Correlation { terms: 8, ..wave };
        let samples = 390_625 * 2;
        let scale = still.standard_deviation();
        let fourth: f64 = (0..samples)
            .map(|i| (still.weierstrass(f64::from(i) / f64::from(samples)) / scale).powi(4))
            .sum();
        assert!((fourth / f64::from(samples) - 3.0 + 1.381).abs() < 2e-3, "{fourth}");
    }

    /// Steps of the walk are independent and normal with variance 1, wherever they lie between
    /// powers of two: mean, variance and correlation of 16384 walks stay within 5.5 of their
    /// standard deviations with probability above 1 − 4e−8 each.
    #[test]
    fn the_walk_has_independent_steps() {
        let n = 16_384u64;
        let bound = 5.5 / (n as f64).sqrt();
        for time in [0, 1, 2, 3, 5, 8, 100, 1023, 40_000] {
            let step = |walker: u64, time: u32| {
                let normal =
                    |t| PulseRng::new(9, 0, walker << 40 | t, Stage::RangeDrift).gaussian();
                walk(time + 1, normal) - walk(time, normal)
            };
            let (mut sum, mut squares, mut products) = (0.0, 0.0, 0.0);
            for walker in 0..n {
                let (a, b) = (step(walker, time), step(walker, time + 1));
                sum += a;
                squares += a * a - 1.0;
                products += a * b;
            }
            assert!((sum / n as f64).abs() < bound, "mean after {time}");
            assert!((squares / n as f64).abs() < bound * 2f64.sqrt(), "variance after {time}");
            assert!((products / n as f64).abs() < bound, "correlation after {time}");
        }
    }
}
