//! Ranges that are known but for whole multiples of an interval: Gschwandtner 2011, equation 3.
//!
//! A time-of-flight camera cannot tell an echo of this pulse from one of the pulse before, so what
//! lies in the upper half of its range appears in the lower one: d < d_max/2 stays, else d − d_max/2.
//! That is the range modulo d_max/2, and with a range beyond d_max/2 of several intervals it folds
//! as often as needed. Folding comes after the noise: a range that noise carries below 0 wraps to
//! the far end, as the phase that such a camera measures does.

/// `range_m` within 0 … `ambiguity_m`, the end excluded.
pub fn backfold(range_m: f64, ambiguity_m: f64) -> f64 {
    let folded = range_m.rem_euclid(ambiguity_m);
    // A tiny negative range rounds up to the interval itself.
    if folded < ambiguity_m { folded } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_half_appears_in_the_lower() {
        let range_max_m = 20.0;
        for (range_m, expected) in [(9.999, 9.999), (10.0, 0.0), (17.5, 7.5)] {
            assert!((backfold(range_m, range_max_m / 2.0) - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn several_intervals_fold_and_negative_ranges_wrap() {
        assert!((backfold(26.25, 5.0) - 1.25).abs() < 1e-12);
        assert!((backfold(-0.25, 5.0) - 4.75).abs() < 1e-12);
        assert_eq!(backfold(-1e-300, 5.0), 0.0);
    }
}
