//! The range of a return from a volume, drawn from a uniform number.
//!
//! Deschaud 2012, equations 2 and 3: N(μ_t, σ_t²). Taken literally a range may lie outside the
//! volume's interval, before the sensor or behind a wall; the truncated draw stays inside by the
//! inverse of the distribution function.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Below this share of the normal law in the interval the inverse has no digits left.
const SHARE_MIN: f64 = 1e-12;

/// A range from N(`mean_m`, `sigma_m`²) within `low_m`…`high_m`, for a uniform number in (0, 1).
pub fn truncated(mean_m: f64, sigma_m: f64, (low_m, high_m): (f64, f64), uniform: f64) -> f64 {
    let below = normal_cdf((low_m - mean_m) / sigma_m);
    let share = normal_cdf((high_m - mean_m) / sigma_m) - below;
    if share.is_nan() || share <= SHARE_MIN {
        return mean_m.clamp(low_m.min(high_m), high_m.max(low_m));
    }
    let drawn = mean_m + sigma_m * normal_quantile(below + uniform * share);
    drawn.clamp(low_m, high_m)
}

/// Φ.
pub fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// Φ⁻¹, by Halley's method from a rough start (Abramowitz & Stegun 26.2.23), to 1e-15.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p.is_nan() || p >= 1.0 {
        return f64::INFINITY;
    }
    // A start by the tail's leading terms or by the centre's slope is enough for Newton's method
    // on the logarithm of the tail, which is nearly a parabola.
    let (tail, sign) = if p < 0.5 { (p, -1.0) } else { (1.0 - p, 1.0) };
    let mut x = if tail > 0.1 {
        (0.5 - tail) * (2.0 * std::f64::consts::PI).sqrt()
    } else {
        let l = (-2.0 * tail.ln()).sqrt();
        l - (2.515_517 + l * (0.802_853 + l * 0.010_328))
            / (1.0 + l * (1.432_788 + l * (0.189_269 + l * 0.001_308)))
    };
    for _ in 0..4 {
        let upper = 0.5 * libm::erfc(x / SQRT_2);
        let density = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = (upper - tail) / density;
        // Halley: the density's slope is −x times itself.
        x += step / (1.0 - 0.5 * x * step);
    }
    sign * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_draws_by_test_vector() {
        for (uniform, expected) in [(0.1, 8.005_622_50), (0.5, 8.022_307_40), (0.9, 8.041_227_39)] {
            let drawn = truncated(8.02, 0.02, (8.0, 8.05), uniform);
            assert!((drawn - expected).abs() < 1e-8, "{drawn} not {expected}");
        }
        let outside = normal_cdf(-1.0) + 1.0 - normal_cdf(1.5);
        assert!((outside - 0.225_462_455).abs() < 1e-9, "{outside}");
        assert_eq!(truncated(8.02, 0.001, (9.0, 9.05), 0.5), 9.0, "far outside: the nearer end");
    }

    #[test]
    fn quantiles_invert_the_distribution() {
        for p in [1e-300, 1e-12, 1e-4, 0.02, 0.3, 0.5, 0.8, 0.999, 1.0 - 1e-10] {
            let x = normal_quantile(p);
            assert!((normal_cdf(x) / p - 1.0).abs() < 1e-12, "{p}: {x}");
        }
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert!(normal_quantile(0.0).is_infinite() && normal_quantile(1.0).is_infinite());
    }
}
