//! Gaussian Beer–Lambert volumes and the likelihood of beams: the step of an expectation–
//! maximisation that knows what beams did not see.
//!
//! A volume j has the optical depth c_j at its centre. A ray that comes as near to it as the
//! Mahalanobis distance d meets x = c_j·g with g = exp(−d²/2) and is stopped with the probability
//! h = 1 − exp(−x): large c makes it opaque far out, so walls do not leak, and small c is
//! Deschaud's permeability e^(−c). Volumes are met in the order of their nearest approach, and a
//! beam reaches one with the probability that none before it stopped it. So the density of a return
//! at z is Σ T·h·N(z; t*, σ_t²) + ε·T_end, and a beam without a return has T_end.
//!
//! A hit is at least one event of a Poisson number of mean x, whose expectation given a hit is
//! x/(1 − e^(−x)). That makes the update exact: c ← (Σ γ·x/(1 − e^(−x)) + a₀)/(Σ R·g + b₀), where γ
//! is the probability that the beam was stopped here and R that it came this far, and the
//! likelihood never falls.

/// What a beam meets of one volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Which volume.
    pub volume: u32,
    /// exp(−d²/2).
    pub g: f64,
    /// Range of the nearest approach.
    pub range_m: f64,
    /// Spread of the range.
    pub sigma_m: f64,
}

/// What keeps the estimate valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    /// Density of returns from nothing, per metre, ε.
    pub clutter_per_m: f64,
    /// Events of the weak gamma prior, a₀.
    pub events: f64,
    /// Exposure of the weak gamma prior, b₀.
    pub exposure: f64,
}

impl Default for Prior {
    fn default() -> Prior {
        Prior { clutter_per_m: 1e-3, events: 1e-3, exposure: 1e-2 }
    }
}

/// Limits of an optical depth.
pub const DEPTH_LIMITS: (f64, f64) = (1e-5, 60.0);

/// The step written out beam by beam, in f64: what the fast one is held to.
#[cfg(test)]
pub(crate) mod reference {
    use super::{DEPTH_LIMITS, Meeting, Prior};

    const SQRT_TAU: f64 = 2.506_628_274_631_000_7;

    /// Sums of one volume over all beams. Sums of parts add up to those of the whole.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct DepthSums {
        /// Σ γ·x/(1 − e^(−x)).
        pub events: f64,
        /// Σ R·g.
        pub exposure: f64,
    }

    impl DepthSums {
        /// The new optical depth.
        pub fn depth(&self, prior: &Prior) -> f64 {
            let exposure = self.exposure + prior.exposure;
            if exposure > 0.0 {
                ((self.events + prior.events) / exposure).clamp(DEPTH_LIMITS.0, DEPTH_LIMITS.1)
            } else {
                DEPTH_LIMITS.0
            }
        }
    }

    /// Expectation for one beam: adds to the sums of the volumes that it met and returns the logarithm
    /// of its likelihood.
    ///
    /// `meetings` are sorted by range; `depths` and `sums` are indexed by volume; `range_m` is infinite
    /// for a beam without a return. `weights` is scratch. A volume that is not there is ignored.
    pub fn expect(
        meetings: &[Meeting],
        range_m: f64,
        depths: &[f64],
        prior: &Prior,
        weights: &mut Vec<f64>,
        sums: &mut [DepthSums],
    ) -> f64 {
        weights.clear();
        let no_return = range_m == f64::INFINITY;
        let mut reach = 1.0;
        let mut total = 0.0;
        for meeting in meetings {
            let x = depths.get(meeting.volume as usize).copied().unwrap_or(0.0) * meeting.g;
            let hit = -(-x).exp_m1();
            let here = if no_return {
                0.0
            } else {
                let u = (range_m - meeting.range_m) / meeting.sigma_m;
                reach * hit * (-0.5 * u * u).exp() / (meeting.sigma_m * SQRT_TAU)
            };
            weights.push(here);
            total += here;
            reach *= 1.0 - hit;
        }
        let end = if no_return { reach } else { prior.clutter_per_m * reach };
        total += end;
        if total.is_nan() || total <= 0.0 {
            return f64::MIN_POSITIVE.ln();
        }
        // From the far end: the beam came as far as a volume if it was stopped there or behind it.
        let mut came = end / total;
        for (meeting, here) in meetings.iter().zip(weights.iter()).rev() {
            let gamma = here / total;
            came += gamma;
            let Some(sums) = sums.get_mut(meeting.volume as usize) else { continue };
            let x = depths.get(meeting.volume as usize).copied().unwrap_or(0.0) * meeting.g;
            // x/(1 − e^(−x)) → 1 where x → 0.
            let events = if x > 1e-12 { x / -(-x).exp_m1() } else { 1.0 };
            sums.events += gamma * events;
            sums.exposure += came * meeting.g;
        }
        total.ln()
    }
}

#[cfg(test)]
mod tests {
    use super::reference::{DepthSums, expect};
    use super::*;

    fn iterate(depths: &mut [f64], prior: &Prior) -> f64 {
        let meetings = [
            Meeting { volume: 0, g: 0.8, range_m: 8.0, sigma_m: 0.01 },
            Meeting { volume: 1, g: 0.5, range_m: 8.1, sigma_m: 0.02 },
        ];
        let mut sums = [DepthSums::default(); 2];
        let mut scratch = Vec::new();
        let likelihood = [8.005, 8.09, f64::INFINITY]
            .iter()
            .map(|z| expect(&meetings, *z, depths, prior, &mut scratch, &mut sums))
            .sum();
        for (depth, sums) in depths.iter_mut().zip(&sums) {
            *depth = sums.depth(prior);
        }
        likelihood
    }

    #[test]
    fn one_step_and_the_limit_by_test_vector() {
        let prior = Prior { clutter_per_m: 1e-3, events: 0.0, exposure: 0.0 };
        let mut depths = [1.0, 1.0];
        let first = iterate(&mut depths, &prior);
        assert!((first - 2.800_050_23).abs() < 1e-8, "{first}");
        assert!((depths[0] - 0.605_312_175).abs() < 1e-8, "{depths:?}");
        assert!((depths[1] - 1.270_628_30).abs() < 1e-7, "{depths:?}");
        let second = iterate(&mut depths, &prior);
        assert!((second - 3.113_537_08).abs() < 1e-8, "{second}");
        let mut last = second;
        for _ in 0..2000 {
            let now = iterate(&mut depths, &prior);
            assert!(now >= last - 1e-12, "the likelihood never falls");
            last = now;
        }
        assert!((depths[0] - 0.506_809).abs() < 1e-5, "{depths:?}");
        assert!((depths[1] - 1.386_159).abs() < 1e-5, "{depths:?}");
    }

    #[test]
    fn beams_that_met_nothing_change_nothing() {
        let mut sums = [DepthSums::default(); 1];
        let mut scratch = Vec::new();
        let prior = Prior::default();
        let likelihood = expect(&[], f64::INFINITY, &[1.0], &prior, &mut scratch, &mut sums);
        assert_eq!((likelihood, sums[0]), (0.0, DepthSums::default()));
        let stray = Meeting { volume: 9, g: 1.0, range_m: 1.0, sigma_m: 0.1 };
        expect(&[stray], 1.0, &[1.0], &prior, &mut scratch, &mut sums);
        assert_eq!(sums[0], DepthSums::default());
    }
}
