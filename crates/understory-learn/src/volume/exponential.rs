//! What is stopped of a ray and what passes, for many meetings at once: x → 1 − e^(−x) and e^(−x).
//!
//! Written so that compilers make vectors of it: no branch, no call, no table. With n = ⌊−x/ln 2⌉ and
//! r = −x − n·ln 2, e^(−x) = 2ⁿ·(1 + p) and 1 − e^(−x) = (1 − 2ⁿ) − 2ⁿ·p, where p = e^r − 1 is a
//! polynomial. So both have the relative precision of f32: what is nearly transparent and what is nearly
//! opaque alike.

/// Larger x count as this one, of which e^(−x) is still a normal f32.
pub const X_MAX: f32 = 87.0;

/// Fills `stopped` with 1 − e^(−x) and `passed` with e^(−x) for x from 0 to [`X_MAX`].
pub fn stopped_and_passed(x: &[f32], stopped: &mut [f32], passed: &mut [f32]) {
    // 1.5·2²³: adding it leaves the nearest whole number in the lowest bits.
    const ROUND: f32 = 12_582_912.0;
    // The first bits of ln 2, so that n times it is exact, and the rest.
    const LN_2_HIGH: f32 = 0.693_359_4;
    const LN_2_LOW: f32 = -2.121_944_4e-4;
    for ((x, stopped), passed) in x.iter().zip(stopped).zip(passed) {
        let y = -x.min(X_MAX);
        let shifted = y * std::f32::consts::LOG2_E + ROUND;
        let n = shifted - ROUND;
        let r = (y - n * LN_2_HIGH) - n * LN_2_LOW;
        let tail = 1.0 / 2.0
            + r * (1.0 / 6.0
                + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * (1.0 / 5040.0)))));
        let p = r + r * r * tail;
        let two_n = f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3F80_0000));
        *passed = two_n + two_n * p;
        *stopped = (1.0 - two_n) - two_n * p;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the standard library in f64, over all magnitudes.
    #[test]
    fn both_are_known_to_the_last_bits() {
        let x: Vec<f32> = (0..40_000)
            .map(|k| (10f64.powf(-9.0 + f64::from(k) * (10.93 / 40_000.0))) as f32)
            .collect();
        let (mut stopped, mut passed) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        stopped_and_passed(&x, &mut stopped, &mut passed);
        for ((x, stopped), passed) in x.iter().zip(&stopped).zip(&passed) {
            let x = f64::from(*x);
            let wanted = [-(-x).exp_m1(), (-x).exp()];
            for (found, wanted) in [stopped, passed].into_iter().zip(wanted) {
                let error = (f64::from(*found) / wanted - 1.0).abs();
                assert!(error < 4e-7, "{x}: {found} for {wanted}");
            }
        }
    }

    #[test]
    fn nothing_stops_nothing_and_much_stops_all() {
        let (mut stopped, mut passed) = ([0.0; 3], [0.0; 3]);
        stopped_and_passed(&[0.0, 1e6, f32::INFINITY], &mut stopped, &mut passed);
        assert_eq!((stopped, passed[0]), ([0.0, 1.0, 1.0], 1.0));
        assert!(passed[1] > 0.0 && passed[1] < 1e-37 && passed[1] == passed[2]);
    }
}
