//! The range of a return from a volume, drawn from a uniform number.
//!
//! Deschaud 2012, equations 2 and 3: N(μ_t, σ_t²). Taken literally a range may lie outside the
//! volume's interval, before the sensor or behind a wall; the truncated draw stays inside by the
//! inverse of the distribution function.

use understory_base::normal;

/// Below this share of the normal law in the interval the inverse has no digits left.
const SHARE_MIN: f64 = 1e-12;

/// A range from N(`mean_m`, `sigma_m`²) within `low_m`…`high_m`, for a uniform number in (0, 1).
pub fn truncated(mean_m: f64, sigma_m: f64, (low_m, high_m): (f64, f64), uniform: f64) -> f64 {
    let below = normal::cdf((low_m - mean_m) / sigma_m);
    let share = normal::cdf((high_m - mean_m) / sigma_m) - below;
    if share.is_nan() || share <= SHARE_MIN {
        return mean_m.clamp(low_m.min(high_m), high_m.max(low_m));
    }
    let drawn = mean_m + sigma_m * normal::quantile(below + uniform * share);
    drawn.clamp(low_m, high_m)
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
        let outside = normal::cdf(-1.0) + 1.0 - normal::cdf(1.5);
        assert!((outside - 0.225_462_455).abs() < 1e-9, "{outside}");
        assert_eq!(truncated(8.02, 0.001, (9.0, 9.05), 0.5), 9.0, "far outside: the nearer end");
    }
}
