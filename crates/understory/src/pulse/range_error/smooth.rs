//! Errors that are alike in neighbouring pulses and smooth: a random curve along a channel, beside
//! the rough one of Weierstrass.
//!
//! The thesis finds that its measured waves are smoother than Weierstrass's function
//! (Bayraktaroglu 2023, §6.1). This curve is S(x) = √(2/N)·Σ cos(2πf_n·x + φ_n), x in columns, whose
//! frequencies are drawn for each channel from the normal law of standard deviation 1/(2πℓ), one
//! from each N-th of it, and whose phases are uniform. Over channels its variance is 1 and its
//! correlation exp(−Δ²/(2ℓ²)), ℓ being `length_columns`.

use std::f64::consts::TAU;
use understory_base::math;

use understory_base::normal::quantile;
use understory_files::sensor::SmoothFile;

use crate::rng::{PulseRng, Stage};

/// N, cosines of the sum.
const TERMS: usize = 8;

/// A smooth curve along a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smooth {
    /// Its share of the variance, 0…1.
    pub share: f64,
    /// ℓ, columns over which it forgets itself.
    pub length_columns: f64,
}

/// The curve of a channel.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Curve {
    /// Frequency per column and phase, in turns.
    terms: [(f64, f64); TERMS],
}

impl Smooth {
    /// What the file says.
    pub(super) fn from_file(file: &SmoothFile) -> Smooth {
        Smooth { share: file.share.get(), length_columns: file.length_columns.get() }
    }

    /// The curve of a channel.
    pub fn curve(&self, channel: u16, seed: u64, sensor: u16) -> Curve {
        let mut rng = PulseRng::new(seed, sensor, u64::from(channel), Stage::RangeSmooth);
        let mut curve = Curve::default();
        for (n, term) in curve.terms.iter_mut().enumerate() {
            let place = (n as f64 + rng.uniform()) / TERMS as f64;
            *term = (quantile(place) / (TAU * self.length_columns), rng.uniform());
        }
        curve
    }

    pub(super) fn describe(&self) -> String {
        format!(
            "{:.0} % of its variance in smooth curves of {} columns along a channel",
            100.0 * self.share,
            self.length_columns
        )
    }
}

impl Curve {
    /// Its value in a column, of variance 1.
    pub fn at(&self, column: u32) -> f64 {
        let x = f64::from(column);
        let cosine = |&(frequency, phase): &(f64, f64)| math::cos((frequency * x + phase) * TAU);
        (2.0 / TERMS as f64).sqrt() * self.terms.iter().map(cosine).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over 20 000 channels: mean 0, variance 1, correlation exp(−Δ²/2ℓ²) at lags from a column to
    /// four lengths, each within 5.5 standard errors of products of unit numbers (√2/√n at most,
    /// 4·10⁻⁸).
    #[test]
    fn correlation_falls_as_a_gaussian() {
        let smooth = Smooth { share: 1.0, length_columns: 6.0 };
        let n = 20_000u16;
        let curves: Vec<Curve> = (0..n).map(|channel| smooth.curve(channel, 9, 0)).collect();
        let slack = 5.5 * (2.0 / f64::from(n)).sqrt();
        let mean = |f: &dyn Fn(&Curve) -> f64| curves.iter().map(f).sum::<f64>() / f64::from(n);
        for column in [0, 500] {
            assert!(mean(&|curve| curve.at(column)).abs() < slack);
            for lag in [0, 1, 3, 6, 12, 24] {
                let expected = (-f64::from(lag * lag) / 72.0).exp();
                let found = mean(&|curve| curve.at(column) * curve.at(column + lag));
                assert!((found - expected).abs() < slack, "{lag}: {found} {expected}");
            }
        }
    }

    /// Smooth: the step from column to column is small beside that of Weierstrass's function of
    /// the same correlation length. Its mean square is 2(1 − R(1)) = 2(1 − e^(−1/72)) here.
    #[test]
    fn steps_are_small() {
        let smooth = Smooth { share: 1.0, length_columns: 6.0 };
        let steps = (0..4000u16).map(|channel| {
            let curve = smooth.curve(channel, 3, 1);
            (curve.at(41) - curve.at(40)).powi(2)
        });
        let found = steps.sum::<f64>() / 4000.0;
        let expected = 2.0 * (1.0 - (-1.0f64 / 72.0).exp());
        // Squares of normal numbers: 5.5·√(2/n) and the little that eight cosines are not normal.
        assert!((found / expected - 1.0).abs() < 0.15, "{found} {expected}");
    }
}
