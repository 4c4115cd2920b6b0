//! The normal distribution, at home here and nowhere else: Φ, its upper tail Q = 1 − Φ, and their
//! inverses, by the complementary error function of `libm`.

use crate::math;
use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

/// Φ.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// Φ⁻¹, by Halley's method from a rough start (Abramowitz & Stegun 26.2.23), to 1e-15.
pub fn quantile(p: f64) -> f64 {
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
        let l = (-2.0 * math::ln(tail)).sqrt();
        l - (2.515_517 + l * (0.802_853 + l * 0.010_328))
            / (1.0 + l * (1.432_788 + l * (0.189_269 + l * 0.001_308)))
    };
    for _ in 0..4 {
        let upper = 0.5 * libm::erfc(x / SQRT_2);
        let density = math::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
        let step = (upper - tail) / density;
        // Halley: the density's slope is −x times itself.
        x += step / (1.0 - 0.5 * x * step);
    }
    sign * x
}

/// Φ⁻¹ to 1.2e-9 of its value, by Acklam's quotients of polynomials (2003): ranges need no more, and
/// the exact [`quantile`] costs twenty times as much.
#[inline]
pub fn fast_quantile(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 6] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
        1.0,
    ];
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 5] = [
        7.784_695_709_041_462e-3,
        3.224_671_290_700_398e-1,
        2.445_134_137_142_996,
        3.754_408_661_907_416,
        1.0,
    ];
    const TAIL: f64 = 0.02425;
    let tail = |p: f64| {
        let q = (-2.0 * math::ln(p)).sqrt();
        polynomial(&C, q) / polynomial(&D, q)
    };
    if p < TAIL {
        tail(p)
    } else if p > 1.0 - TAIL {
        -tail(1.0 - p)
    } else {
        let q = p - 0.5;
        let r = q * q;
        polynomial(&A, r) * q / polynomial(&B, r)
    }
}

/// By Horner's rule, the highest power first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, c| sum * x + c)
}

/// Probability that a standard normal number is above `x`.
///
/// ```
/// let p = understory_base::normal::upper_tail(1.959_963_984_540_054);
/// assert!((p - 0.025).abs() < 1e-12);
/// ```
pub fn upper_tail(x: f64) -> f64 {
    0.5 * libm::erfc(x * FRAC_1_SQRT_2)
}

/// The number that a standard normal number is above with the probability `p`, within ±38.
pub fn upper_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-38.0, 38.0);
    // By bisection: as exact as the tail itself, and asked for rarely.
    for _ in 0..64 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle) > p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_undoes_the_tail() {
        for x in [-5.0, -1.0, 0.0, 0.3, 2.0, 6.0, 12.0, 30.0] {
            assert!((upper_quantile(upper_tail(x)) - x).abs() < 1e-9 * (1.0 + x.abs()));
        }
    }

    #[test]
    fn quantiles_invert_the_distribution() {
        for p in [1e-300, 1e-12, 1e-4, 0.02, 0.3, 0.5, 0.8, 0.999, 1.0 - 1e-10] {
            let x = quantile(p);
            assert!((cdf(x) / p - 1.0).abs() < 1e-12, "{p}: {x}");
        }
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert!(quantile(0.0).is_infinite() && quantile(1.0).is_infinite());
    }

    #[test]
    fn the_fast_quantile_has_nine_digits() {
        for k in 1..20_000 {
            let p = f64::from(k) / 20_000.0;
            for p in [p, p * 1e-9] {
                let exact = quantile(p);
                assert!((fast_quantile(p) - exact).abs() < 1.3e-9 * exact.abs() + 1e-12, "{p}");
            }
        }
    }
}
