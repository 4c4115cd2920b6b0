//! The chances of a threshold in normal noise.
//!
//! Q is the upper tail of the normal law. A signal of SNR = A/σ passes a threshold that noise alone
//! passes with the probability P_fa with P_d = Q(Q⁻¹(P_fa) − SNR). Both are of one sample, whatever
//! the noise of those beside it.
//!
//! How often noise alone has a peak depends on how alike neighbours are. Behind a Gaussian low-pass
//! ρ(2Δ) = ρ(Δ)⁴; given a sample x, its two neighbours have the mean ρx, the variance 1 − ρ² and the
//! correlation −ρ², so x is a peak with the probability Φ₂(h, h; −ρ²), h = x·√((1 − ρ)/(1 + ρ)). With
//! Owen's T and a = √((1 + ρ²)/(1 − ρ²)) that is Φ(h) − 2T(h, a) = Φ(ah)(2Φ(h) − 1) + 2T(ah, 1/a).

use std::f64::consts::PI;
use understory_base::math;

use understory_base::normal::{upper_quantile, upper_tail};

use crate::pulse::receiver::noise_band::simpson;

/// Probability that a signal `snr` times the noise is detected, where noise alone is with the
/// probability `false_alarm`.
pub fn detection_probability(false_alarm: f64, snr: f64) -> f64 {
    upper_tail(upper_quantile(false_alarm) - snr)
}

/// Heights of the table, in standard deviations.
const STEP: f64 = 0.05;
/// The last one is at 12.
const HEIGHTS: usize = 241;

/// Peaks of pure noise: samples that are above both of their neighbours.
#[derive(Clone, Debug, Default)]
pub struct FalsePeaks {
    neighbours: f64,
    /// Logarithm of the probability that a sample is a peak at least i·STEP high.
    ln_above: Vec<f64>,
}

impl FalsePeaks {
    /// Makes this the table for noise whose neighbours have the correlation `neighbours`, if it is
    /// not.
    pub fn prepare(&mut self, neighbours: f64) {
        if self.neighbours == neighbours && !self.ln_above.is_empty() {
            return;
        }
        self.neighbours = neighbours;
        let density = |x: f64| peak_density(x, neighbours);
        self.ln_above.clear();
        // Beyond the table nearly all are higher than both neighbours: φ(x)/x.
        let top = (HEIGHTS - 1) as f64 * STEP;
        let mut above = density(top) / top;
        self.ln_above.push(math::ln(above));
        for i in (0..HEIGHTS - 1).rev() {
            let (low, middle) = (i as f64 * STEP, (i as f64 + 0.5) * STEP);
            let sum = density(low) + 4.0 * density(middle) + density(low + STEP);
            above += STEP / 6.0 * sum;
            self.ln_above.push(math::ln(above));
        }
        self.ln_above.reverse();
    }

    /// Probability that a sample is a peak above `threshold` standard deviations.
    pub fn probability(&self, threshold: f64) -> f64 {
        let place = (threshold / STEP).max(0.0);
        let i = place as usize;
        match (self.ln_above.get(i), self.ln_above.get(i + 1)) {
            (Some(here), Some(next)) => math::exp(here + (next - here) * (place - i as f64)),
            _ => 0.0,
        }
    }

    /// Height of such a peak in standard deviations, for a uniform number `u` in (0, 1).
    pub fn height(&self, threshold: f64, u: f64) -> f64 {
        let wanted = math::ln(u * self.probability(threshold));
        let i = self.ln_above.partition_point(|ln| *ln > wanted);
        let (Some(&next), Some(&here)) =
            (self.ln_above.get(i), i.checked_sub(1).and_then(|i| self.ln_above.get(i)))
        else {
            return threshold.max(i as f64 * STEP);
        };
        (i as f64 - 1.0 + (here - wanted) / (here - next)) * STEP
    }
}

/// Density of the height of peaks, per sample.
fn peak_density(x: f64, neighbours: f64) -> f64 {
    let h = x * ((1.0 - neighbours) / (1.0 + neighbours)).sqrt();
    let square = neighbours * neighbours;
    let a = ((1.0 + square) / (1.0 - square)).sqrt();
    // T(ah, 1/a) = 1/2π·∫ exp(−(ah)²/(2·cos²φ)) dφ over 0 … atan 1/a.
    let owen = simpson(
        |angle| math::exp(-0.5 * (a * h / math::cos(angle)).powi(2)),
        math::atan(a.recip()),
        32,
    );
    let both = (1.0 - upper_tail(a * h)) * (1.0 - 2.0 * upper_tail(h)) + owen / PI;
    math::exp(-0.5 * x * x) / (2.0 * PI).sqrt() * both
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn detection_probabilities_by_hand() {
        for (snr, expected) in
            [(3.0, 0.236_065_381), (5.0, 0.899_900_272), (6.0, 0.988_725_289), (8.0, 0.999_990_697)]
        {
            assert!((detection_probability(1e-4, snr) - expected).abs() < 1e-9);
        }
    }

    fn peaks(neighbours: f64) -> FalsePeaks {
        let mut peaks = FalsePeaks::default();
        peaks.prepare(neighbours);
        peaks
    }

    /// Of independent samples ∫ φ·Φ² from the threshold on is (1 − Φ³)/3, and Φ³ is uniform.
    #[test]
    fn peaks_of_independent_samples_in_closed_form() {
        let above = |x: f64| {
            let tail = upper_tail(x);
            tail * (1.0 - tail + tail * tail / 3.0)
        };
        let peaks = peaks(0.0);
        for threshold in [0.0, 1.5, 2.03, 3.0, 4.52, 7.0] {
            let p = peaks.probability(threshold);
            // Between the heights of the table the logarithm is a straight line.
            assert!((p / above(threshold) - 1.0).abs() < 5e-4, "{threshold}: {p}");
            for u in [0.1, 0.5, 0.9] {
                let height = peaks.height(threshold, u);
                assert!((above(height) / (u * p) - 1.0).abs() < 1e-3);
            }
        }
    }

    /// Samples close together show every peak of the noise over time. Rice: it passes the level x
    /// upwards exp(−x²/2)/2π·√(−ρ″(0)) times a second, and high above the noise each time has one
    /// peak.
    #[test]
    fn peaks_of_close_samples_are_those_of_rice() {
        // ρ = exp(−κ) at one step, −ρ″(0) = 2κ.
        let kappa = 1e-4f64;
        let peaks = peaks((-kappa).exp());
        for threshold in [4.0, 5.0, 6.0] {
            let rice = (2.0 * kappa).sqrt() / TAU * (-0.5f64 * threshold * threshold).exp();
            let p = peaks.probability(threshold);
            assert!((p / rice - 1.0).abs() < 0.005, "{threshold}: {p} is not {rice}");
        }
    }

    /// Between both: the same integral over both neighbours by brute force.
    #[test]
    fn peaks_of_alike_samples_by_quadrature() {
        for rho in [0.2f64, 0.6, 0.93] {
            let (spread, r) = ((1.0 - rho * rho).sqrt(), -rho * rho);
            let density = |x: f64| {
                // P(y < x and z < x), y = ρx + spread·u, z likewise, u and v of the correlation r.
                let end = x * (1.0 - rho) / spread;
                let part = |u: f64| {
                    let rest = (end - r * u) / (1.0 - r * r).sqrt();
                    (-0.5 * u * u).exp() / TAU.sqrt() * (1.0 - upper_tail(rest))
                };
                let both = simpson(|t| part(t - 9.0), end + 9.0, 2000);
                (-0.5 * x * x).exp() / TAU.sqrt() * both
            };
            let peaks = peaks(rho);
            for threshold in [2.0, 3.0, 5.0] {
                let expected = simpson(|t| density(threshold + t), 6.0, 400);
                let p = peaks.probability(threshold);
                assert!((p / expected - 1.0).abs() < 1e-4, "{rho}, {threshold}: {p}, {expected}");
            }
        }
    }
}
