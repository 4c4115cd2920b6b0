//! The chances of a threshold in normal noise.
//!
//! Q is the upper tail of the normal law. A signal of SNR = A/σ passes a threshold that noise alone
//! passes with the probability P_fa with P_d = Q(Q⁻¹(P_fa) − SNR).

use understory_base::normal::{upper_quantile, upper_tail};

/// Probability that a signal `snr` times the noise is detected, where noise alone is with the
/// probability `false_alarm`.
pub fn detection_probability(false_alarm: f64, snr: f64) -> f64 {
    upper_tail(upper_quantile(false_alarm) - snr)
}

/// Probability that a sample of pure noise is above `threshold` standard deviations and above both
/// of its neighbours: ∫ φ·Φ² from there on, (1 − Φ³)/3.
pub fn false_peak_probability(threshold: f64) -> f64 {
    let tail = upper_tail(threshold);
    tail * (1.0 - tail + tail * tail / 3.0)
}

/// Height of such a false peak in standard deviations, for a uniform number `u` in (0, 1).
pub fn false_peak_height(threshold: f64, u: f64) -> f64 {
    // Φ³ is uniform from its value at the threshold to 1.
    let left = 3.0 * u * false_peak_probability(threshold);
    upper_quantile(-((-left).ln_1p() / 3.0).exp_m1())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn detection_probabilities_by_hand() {
        for (snr, expected) in
            [(3.0, 0.236_065_381), (5.0, 0.899_900_272), (6.0, 0.988_725_289), (8.0, 0.999_990_697)]
        {
            assert!((detection_probability(1e-4, snr) - expected).abs() < 1e-9);
        }
    }

    /// By Simpson's rule over the density φ·Φ², and its inverse by the share above a height.
    #[test]
    fn false_peaks_by_quadrature() {
        let density = |x: f64| {
            (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt() * (1.0 - upper_tail(x)).powi(2)
        };
        let above = |from: f64| {
            let (steps, h) = (4000, 10.0 / 4000.0);
            let inner = (1..steps)
                .map(|i| (2.0 + 2.0 * (i % 2) as f64) * density(from + i as f64 * h))
                .sum::<f64>();
            h / 3.0 * (density(from) + inner + density(from + 10.0))
        };
        for threshold in [0.0, 1.5, 3.0, 4.5] {
            let p = false_peak_probability(threshold);
            assert!((p / above(threshold) - 1.0).abs() < 1e-9, "{p}");
            for u in [0.1, 0.5, 0.9] {
                let height = false_peak_height(threshold, u);
                assert!((above(height) / (u * p) - 1.0).abs() < 1e-7);
            }
        }
    }
}
