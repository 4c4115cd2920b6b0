//! When a pulse in a waveform is said to have arrived: at its peak, where its leading edge passes
//! the threshold T, or where it passes a fraction f of its own peak.
//!
//! The leading edge of a Gaussian of height A passes T before its peak by σ√(2·ln(A/T)): the stronger
//! the echo, the nearer it seems (range walk). At the fraction f that is σ√(2·ln(1/f)), the same for
//! all, so it is calibrated away. What walks can be corrected where the receiver measures A.

use understory_base::math;

/// Range from the first sample at which the leading edge of the peak at `top` passes `level`, in
/// steps; none where the samples do not fall below it after `from`.
///
/// Between two samples the edge is taken as that of a Gaussian of the height `height`, whose
/// √(2·ln(A/y)) is a straight line.
pub(super) fn leading_edge(
    samples: &[f64],
    from: usize,
    top: usize,
    height: f64,
    level: f64,
) -> Option<f64> {
    let below = (from..top).rev().find(|&i| samples[i] < level)?;
    let (before, after) = (samples[below], samples[below + 1]);
    let depth = |y: f64| (2.0 * math::ln(height.max(after) / y)).max(0.0).sqrt();
    let share = if before > 0.0 && depth(before) > depth(after) {
        (depth(before) - depth(level)) / (depth(before) - depth(after))
    } else {
        (level - before) / (after - before)
    };
    Some(below as f64 + share.clamp(0.0, 1.0))
}

/// How far before its peak a Gaussian passes 1/`ratio` of it.
pub(super) fn walk_m(sigma_m: f64, ratio: f64) -> f64 {
    sigma_m * (2.0 * math::ln(ratio.max(1.0))).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::receiver::Pulse;

    #[test]
    fn range_walk_by_hand() {
        let sigma_m = Pulse::from_fwhm(5e-9).sigma_m;
        for (ratio, walk) in [(2.0, 0.374_740_573), (10.0, 0.683_008_062), (100.0, 0.965_919_264)] {
            assert!((walk_m(sigma_m, ratio) - walk).abs() < 1e-9);
        }
        assert_eq!(walk_m(sigma_m, 0.5), 0.0);
    }

    #[test]
    fn the_edge_of_a_gaussian_is_exact_between_samples() {
        let (sigma, centre) = (2.5, 9.37);
        let samples: Vec<f64> =
            (0..20).map(|i| (-0.5 * ((f64::from(i) - centre) / sigma).powi(2)).exp()).collect();
        for level in [0.02, 0.1, 0.5, 0.9] {
            let edge = leading_edge(&samples, 0, 9, 1.0, level).unwrap();
            let expected = centre - sigma * (2.0 * (1.0f64 / level).ln()).sqrt();
            assert!((edge - expected).abs() < 1e-9, "{edge} is not {expected}");
        }
        assert_eq!(leading_edge(&samples, 7, 9, 1.0, 0.1), None, "it never was below");
    }

    #[test]
    fn a_straight_line_where_noise_is_below_zero() {
        let edge = leading_edge(&[-1.0, 3.0, 4.0], 0, 2, 4.0, 1.0).unwrap();
        assert!((edge - 0.5).abs() < 1e-12);
    }
}
