//! Ranges to upright stems on paper: what a beam that crosses a stand of grass should measure.
//!
//! What enters: a stand of vertical stems, strewn at random (λ stems per square metre, diameter d),
//! whose edge is at the distance D, and a beam of full divergence γ. What leaves: the density of
//! the first range r ≥ D, with a = 2·tan(γ/2):
//!
//! - [`StemStand::physical`]: the strip that the beam sweeps at r is d + a·r wide, and the nearest
//!   stem in it is met: p = λ(d + ar)·exp(−λ[d(r − D) + a(r² − D²)/2]).
//! - [`StemStand::corrected`]: equation 2 of Goodin 2018 with (r + D)/2 where (r + D)²/2 is printed,
//!   without which it is no density; it adds a length to a number in 1 + ar all the same.
//! - [`StemStand::printed`]: equation 2 as printed.
//! - [`StemStand::gamma`]: equation 5, a gamma distribution of r − D of shape α = 1 + γD² and mean
//!   1/(λd), for beams that average over several stems.
//!
//! [`SampledBeam`] is the same stand before a beam of some sub-rays.

mod sampled_beam;

pub use sampled_beam::{DrawnRanges, SampledBeam};
use understory_base::math;

/// A stand of upright stems before a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StemStand {
    /// λ.
    pub stems_per_m2: f64,
    /// d.
    pub diameter_m: f64,
    /// D.
    pub distance_m: f64,
    /// γ, full angle.
    pub divergence_rad: f64,
}

impl StemStand {
    /// Widening of the beam per metre.
    fn widening(&self) -> f64 {
        2.0 * math::tan(self.divergence_rad / 2.0)
    }

    /// λd, one over the mean free path of a thin beam.
    fn rate(&self) -> f64 {
        self.stems_per_m2 * self.diameter_m
    }

    /// Density of the first range, from the strip that the beam sweeps.
    pub fn physical(&self, range_m: f64) -> f64 {
        let strip_m = self.diameter_m + self.widening() * range_m;
        self.stems_per_m2 * strip_m * self.physical_survival(range_m)
    }

    /// Probability that no stem is met before `range_m`, from the strip that the beam sweeps.
    pub fn physical_survival(&self, range_m: f64) -> f64 {
        let depth_m = (range_m - self.distance_m).max(0.0);
        let widened = self.widening() * depth_m * (range_m + self.distance_m) / 2.0;
        math::exp(-self.stems_per_m2 * (self.diameter_m * depth_m + widened))
    }

    /// Equation 2, corrected.
    pub fn corrected(&self, range_m: f64) -> f64 {
        self.equation_2(range_m, (range_m + self.distance_m) / 2.0)
    }

    /// Equation 2 as printed; its integral is not 1.
    pub fn printed(&self, range_m: f64) -> f64 {
        self.equation_2(range_m, (range_m + self.distance_m).powi(2) / 2.0)
    }

    fn equation_2(&self, range_m: f64, mean: f64) -> f64 {
        let (rate, a) = (self.rate(), self.widening());
        let depth_m = range_m - self.distance_m;
        if depth_m < 0.0 {
            return 0.0;
        }
        rate * (1.0 + a * range_m) * math::exp(-rate * depth_m * (1.0 + a * mean))
    }

    /// Equation 5.
    pub fn gamma(&self, range_m: f64) -> f64 {
        let shape = self.gamma_shape();
        let (rate, depth_m) = (shape * self.rate(), range_m - self.distance_m);
        if depth_m <= 0.0 {
            return 0.0;
        }
        let log = shape * math::ln(rate) + (shape - 1.0) * math::ln(depth_m) - rate * depth_m;
        math::exp(log) / libm::tgamma(shape)
    }

    /// α of equation 5.
    pub fn gamma_shape(&self) -> f64 {
        1.0 + self.divergence_rad * self.distance_m * self.distance_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THIN: StemStand =
        StemStand { stems_per_m2: 50.0, diameter_m: 0.01, distance_m: 20.0, divergence_rad: 1e-3 };
    const DENSE: StemStand =
        StemStand { stems_per_m2: 100.0, diameter_m: 0.02, distance_m: 30.0, divergence_rad: 1e-3 };

    fn close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-8, "{value} instead of {expected}");
    }

    /// By Simpson's rule over 60 mean free paths.
    fn integral(stand: &StemStand, of: impl Fn(f64) -> f64) -> f64 {
        let (steps, length_m) = (400_000, 60.0 / stand.rate());
        let h = length_m / steps as f64;
        let at = |i: usize| of(stand.distance_m + i as f64 * h);
        let inner: f64 = (1..steps).map(|i| (2.0 + 2.0 * (i % 2) as f64) * at(i)).sum();
        h / 3.0 * (at(0) + inner + at(steps))
    }

    #[test]
    fn densities_by_test_vector() {
        close(THIN.corrected(21.0), 0.306_476_365);
        close(THIN.physical(21.0), 0.337_312_628);
        assert!((THIN.gamma_shape() - 1.4).abs() < 1e-12);
        assert!((DENSE.gamma_shape() - 1.9).abs() < 1e-12);
        close(THIN.gamma(21.0), 0.339_686_547);
        close(DENSE.gamma(31.0), 0.293_900_590);
    }

    #[test]
    fn only_the_printed_one_is_no_density() {
        for stand in [THIN, DENSE] {
            for integral in
                [integral(&stand, |r| stand.corrected(r)), integral(&stand, |r| stand.physical(r))]
            {
                assert!((integral - 1.0).abs() < 1e-9, "{integral}");
            }
            // The gamma density has a root at its beginning, which Simpson's rule meets roughly.
            assert!((integral(&stand, |r| stand.gamma(r)) - 1.0).abs() < 1e-4);
        }
        close(integral(&THIN, |r| THIN.printed(r)), 0.541_822_267);
        close(integral(&DENSE, |r| DENSE.printed(r)), 0.365_154_860);
    }

    /// Mean and mode of r − D are 1/(λd) and (α − 1)/(αλd).
    #[test]
    fn mean_and_mode_of_the_gamma_model() {
        for (stand, mode_m) in [(THIN, 0.571_428_571), (DENSE, 0.236_842_105)] {
            let mean = integral(&stand, |r| (r - stand.distance_m) * stand.gamma(r));
            assert!((mean * stand.rate() - 1.0).abs() < 1e-6, "{mean}");
            let at = |depth_m: f64| stand.gamma(stand.distance_m + depth_m);
            assert!(at(mode_m) > at(mode_m - 1e-3) && at(mode_m) > at(mode_m + 1e-3));
        }
    }

    #[test]
    fn survival_is_what_the_density_leaves() {
        let met = integral(&THIN, |r| if r <= 23.0 { THIN.physical(r) } else { 0.0 });
        assert!((1.0 - met - THIN.physical_survival(23.0)).abs() < 1e-4);
    }
}
