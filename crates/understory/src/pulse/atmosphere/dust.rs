//! Dust: where and how likely a cloud of it returns the pulse (after MAVS, Goodin et al.).
//!
//! A pulse that crosses dust of optical depth τ scatters back from it with probability
//! min(1, τ/0.7). The place is where the first particle is met: the depth t on the way there has the
//! density e^(−t), cut at τ. What is met before the receiver sees anything (nearer than R1 of the
//! overlap) brings nothing back, so that the probability of an echo is [`echo_probability`]. The echo is ρ·(1 − e^(−τ))·e^(−t): in the mean over the places ρ·(1 − e^(−2τ))/2, the
//! light that is scattered once.

use understory_base::math;

/// Optical depth from which on dust always returns the pulse.
pub const CERTAIN_DEPTH: f64 = 0.7;

/// Dust in all of the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DustSpec {
    /// Extinction coefficient.
    pub extinction_per_m: f64,
    /// Reflectance of the particles; 1: nothing is absorbed.
    pub reflectance: f64,
}

/// Probability that dust of this optical depth scatters the pulse back, seen or not.
pub fn return_probability(depth: f64) -> f64 {
    (depth / CERTAIN_DEPTH).min(1.0)
}

/// Probability of an echo of dust of this optical depth, of which `unseen` lies nearer than the
/// receiver sees: min(1, τ/0.7)·(e^(−τ₁) − e^(−τ))/(1 − e^(−τ)).
pub fn echo_probability(depth: f64, unseen: f64) -> f64 {
    if depth <= unseen {
        return 0.0;
    }
    let beyond = math::exp_m1(unseen - depth) / math::exp_m1(-depth) * math::exp(-unseen);
    return_probability(depth) * beyond
}

/// Optical depth at which the first particle is met, if one is, for a uniform `u`.
pub fn first_depth(depth: f64, u: f64) -> f64 {
    let met = -math::exp_m1(-depth);
    (-math::ln_1p(-u * met)).min(depth)
}

/// Optical depth of a particle cloud that MAVS holds for a ball: −ln(1 − s·(1 − T)), with T what it
/// lets through in the middle and s = 1 − (miss distance over radius).
pub fn ball_depth(transmission: f64, miss: f64) -> f64 {
    let share = (1.0 - miss).clamp(0.0, 1.0);
    -math::ln_1p(-share * (1.0 - transmission))
}

/// What comes back of the light from a first particle at optical depth `at` of `depth`.
pub fn backscatter(reflectance: f64, depth: f64, at: f64) -> f64 {
    -math::exp_m1(-depth) * math::exp(-at) * reflectance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_of_a_return() {
        for (depth, expected) in [(0.0, 0.0), (0.07, 0.1), (0.35, 0.5), (0.7, 1.0), (3.0, 1.0)] {
            assert!((return_probability(depth) - expected).abs() < 1e-15);
        }
    }

    /// Quantiles against the distribution function (1 − e^(−t))/(1 − e^(−τ)), and the mean echo
    /// against the closed form by the midpoint rule.
    #[test]
    fn first_particles_follow_the_law_of_extinction() {
        for depth in [0.01f64, 0.5, 3.0, 40.0] {
            let law = |t: f64| (-t).exp_m1() / (-depth).exp_m1();
            let mut mean = 0.0;
            let n = 2000;
            for i in 0..n {
                let u = (i as f64 + 0.5) / n as f64;
                let at = first_depth(depth, u);
                assert!((law(at) - u).abs() < 1e-9 && at <= depth);
                mean += backscatter(0.3, depth, at) / n as f64;
            }
            let once = 0.3 * -(-2.0 * depth).exp_m1() / 2.0;
            assert!((mean / once - 1.0).abs() < 1e-5, "{depth}: {mean} {once}");
        }
    }

    /// Three balls as in MAVS: τ = −ln ∏ (1 − s(1 − T)).
    #[test]
    fn depths_of_balls_add_up() {
        let balls = [(0.5, 0.0), (0.8, 0.25), (0.9, 1.5)];
        let sum: f64 = balls.iter().map(|&(t, miss)| ball_depth(t, miss)).sum();
        assert!((sum - -(0.5f64 * (1.0 - 0.75 * 0.2)).ln()).abs() < 1e-12);
    }
}
