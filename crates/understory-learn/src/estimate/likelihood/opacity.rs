//! Maximisation: what a volume stops and what of it returns, from the expectations of its beams.
//!
//! The depth c of a volume maximises Σ γ·ln(1 − e^(−cg)) − c·Σ (R − γ)·g, where the derivative
//! Σ γ·g/(e^(cg) − 1) equals P = Σ (R − γ)·g. The sum A = Σ γ·g/(e^(cg) − 1) is known at the present c
//! only; taken as Γ·ĝ/(e^(cĝ) − 1) with Γ = Σ γ and the ĝ that makes it equal to A, it gives
//! c = ln(1 + Γ·ĝ/P)/ĝ. That stands still exactly where the likelihood does, and goes to an opaque
//! volume's depth in a few steps, where the step with expected numbers of events takes hundreds.

use super::sums::VolumeSums;
use crate::volume::beer_lambert::{DEPTH_LIMITS, Prior};
use understory_base::math;

/// Beams that every volume has returned and swallowed before the first is known.
const RETURNS_PRIOR: f64 = 2.0;
const SWALLOWED_PRIOR: f64 = 0.02;
/// A volume has settled when a step changes what passes it by less, wherever a ray comes through.
const SETTLED: f32 = 2e-3;

/// What a volume does to a beam through its middle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Opacity {
    /// Optical depth c.
    pub depth: f32,
    /// Probability ρ that what it stops returns.
    pub returns: f32,
}

impl Opacity {
    /// Before anything is known.
    pub const UNKNOWN: Opacity =
        Opacity { depth: 1.0, returns: (RETURNS_PRIOR / (RETURNS_PRIOR + SWALLOWED_PRIOR)) as f32 };

    /// The next one.
    pub fn next(&self, sums: &VolumeSums, prior: &Prior) -> Opacity {
        let depth = improved(f64::from(self.depth), sums, prior) as f32;
        Opacity { depth, returns: returning(sums) as f32 }
    }

    /// Whether `next` is so near that rays need not be asked again. A ray that meets x = cg passes with
    /// e^(−x), which changes by at most x·e^(−x) ≤ min(c, 1)·e⁻¹ for each part of c.
    pub fn has_settled(&self, next: &Opacity) -> bool {
        let change = (next.depth / self.depth - 1.0).abs() * self.depth.min(1.0) * 0.37;
        change < SETTLED && (next.returns - self.returns).abs() < SETTLED
    }
}

impl VolumeSums {
    /// Share of what it stops that does not return, without the seed from which the rounds began: a
    /// volume of which nobody knows better swallows nothing.
    pub fn swallowed_share(&self) -> f64 {
        self.swallowed / (self.stopped.max(self.swallowed) + RETURNS_PRIOR)
    }
}

/// The next probability that what a volume stops returns.
fn returning(sums: &VolumeSums) -> f64 {
    let returned = (sums.stopped - sums.swallowed).max(0.0) + RETURNS_PRIOR;
    returned / (returned + sums.swallowed + SWALLOWED_PRIOR)
}

/// The next depth of a volume.
fn improved(depth: f64, sums: &VolumeSums, prior: &Prior) -> f64 {
    let stopped = sums.stopped + prior.events;
    let slope = sums.slope + prior.events / depth;
    let passed = sums.passed + prior.exposure;
    if !(stopped > 0.0 && passed > 0.0) {
        return DEPTH_LIMITS.0;
    }
    let g = (bernoulli_inverse(depth * slope / stopped) / depth).clamp(1e-9, 1.0);
    (math::ln_1p(stopped * g / passed) / g).clamp(DEPTH_LIMITS.0, DEPTH_LIMITS.1)
}

/// The y of which y/(e^y − 1) = b, for b from 0 to 1: Newton's steps on the logarithm, which is nearly
/// straight; infinite for b = 0.
fn bernoulli_inverse(b: f64) -> f64 {
    if b >= 1.0 {
        return 0.0;
    }
    let ln_b = math::ln(b);
    let mut y = if b > 0.5 { 2.0 * (1.0 - b) } else { -ln_b + math::ln(1.0 - ln_b) };
    for _ in 0..4 {
        let e = math::exp_m1(y);
        let f = math::ln(y / e) - ln_b;
        let slope = 1.0 / y - 1.0 - 1.0 / e;
        y = (y - f / slope).max(0.5 * y);
    }
    y
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_is_one() {
        for k in 1..2000 {
            let y = f64::from(k) * 0.03;
            let b = y / y.exp_m1();
            let found = bernoulli_inverse(b);
            assert!((found / y - 1.0).abs() < 1e-6, "{y}: {found}");
        }
        for y in [1e-6, 1e-4, 1e-2] {
            let found = bernoulli_inverse(y / f64::exp_m1(y));
            assert!((found - y).abs() < 1e-9, "{y}: {found}");
        }
        assert_eq!(bernoulli_inverse(1.0), 0.0);
        assert!(bernoulli_inverse(0.0).is_infinite());
    }

    #[test]
    fn an_opaque_volume_is_opaque_at_once() {
        let prior = Prior::default();
        let sums =
            VolumeSums { stopped: 300.0, slope: 300.0 / 1f64.exp_m1(), ..VolumeSums::default() };
        let depth = improved(1.0, &sums, &prior);
        assert!(depth > 9.0, "{depth}");
        let never = VolumeSums { passed: 300.0, ..VolumeSums::default() };
        assert!(improved(1.0, &never, &prior) < 1e-4);
    }

    #[test]
    fn settled_is_what_rays_do_not_notice() {
        let of = |depth| Opacity { depth, returns: 0.9 };
        assert!(of(1.0).has_settled(&of(1.001)) && !of(1.0).has_settled(&of(1.01)));
        assert!(of(1e-4).has_settled(&of(2e-4)) && !of(10.0).has_settled(&of(11.0)));
        assert!(!of(1.0).has_settled(&Opacity { depth: 1.0, returns: 0.8 }));
    }
}
