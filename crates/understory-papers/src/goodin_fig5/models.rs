//! Models of ranges in grass as tables over the depth of a stand.

use super::ranges::DEPTH_M;
use crate::grass_theory::StemStand;
use understory_base::math;

/// Bins of likelihoods.
pub const BIN_M: f64 = 0.1;
/// Steps of a bin in which densities are summed up.
const STEPS: usize = 50;

/// A density of the range r ≥ D.
pub type Density = fn(&StemStand, f64) -> f64;

/// Name and density of each model.
pub const MODELS: [(&str, Density); 4] = [
    ("equation 2 as printed", StemStand::printed),
    ("equation 2 corrected", StemStand::corrected),
    ("strip law of the first stem", StemStand::physical),
    ("gamma, equation 5", StemStand::gamma),
];
/// Places in [`MODELS`].
pub const CORRECTED: usize = 1;
/// See [`CORRECTED`].
pub const GAMMA: usize = 3;

/// A model, normalised to the depth of a stand.
pub struct Model {
    distance_m: f64,
    /// Probability up to the end of each step, from 0.
    cumulated: Vec<f64>,
}

impl Model {
    /// The table of `density` for `stand`.
    pub fn new(stand: &StemStand, density: Density) -> Model {
        let steps = (DEPTH_M / BIN_M).round() as usize * STEPS;
        let step_m = DEPTH_M / steps as f64;
        let mut cumulated = vec![0.0];
        let mut sum = 0.0;
        for step in 0..steps {
            sum += step_m * density(stand, stand.distance_m + (step as f64 + 0.5) * step_m);
            cumulated.push(sum);
        }
        cumulated.iter_mut().for_each(|value| *value /= sum);
        Model { distance_m: stand.distance_m, cumulated }
    }

    /// Probability of a range of `range_m` or less.
    pub fn up_to(&self, range_m: f64) -> f64 {
        let steps = self.cumulated.len() - 1;
        let place = ((range_m - self.distance_m) / DEPTH_M).clamp(0.0, 1.0) * steps as f64;
        let step = (place.floor() as usize).min(steps.saturating_sub(1));
        let [low, high] = [self.cumulated[step], self.cumulated[step + 1]];
        low + (high - low) * (place - step as f64)
    }

    /// Logarithm of the mean density in the bin of `range_m`, in nats per metre.
    pub fn log_density(&self, range_m: f64) -> f64 {
        let last = (self.cumulated.len() - 1) / STEPS - 1;
        let bin = (((range_m - self.distance_m) / BIN_M).max(0.0) as usize).min(last);
        let share = self.cumulated[(bin + 1) * STEPS] - self.cumulated[bin * STEPS];
        math::ln((share / BIN_M).max(f64::MIN_POSITIVE))
    }
}

/// The integral of a density over 60 mean free paths, by Simpson's rule.
pub fn integral(stand: &StemStand, density: Density) -> f64 {
    let (steps, length_m) = (200_000, 60.0 / (stand.stems_per_m2 * stand.diameter_m));
    let h = length_m / f64::from(steps);
    let at = |step: i32| density(stand, stand.distance_m + f64::from(step) * h);
    let inner: f64 = (1..steps).map(|step| f64::from(2 + 2 * (step % 2)) * at(step)).sum();
    h / 3.0 * (at(0) + inner + at(steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAND: StemStand =
        StemStand { stems_per_m2: 50.0, diameter_m: 0.01, distance_m: 20.0, divergence_rad: 1e-3 };

    #[test]
    fn a_table_is_what_its_formula_says() {
        let model = Model::new(&STAND, StemStand::physical);
        let met = |r: f64| 1.0 - STAND.physical_survival(r);
        for range_m in [20.0, 20.3, 21.25, 24.9, 25.0] {
            let expected = met(range_m) / met(25.0);
            assert!((model.up_to(range_m) - expected).abs() < 1e-6, "{range_m}");
        }
        let expected = ((met(21.3) - met(21.2)) / met(25.0) / 0.1).ln();
        assert!((model.log_density(21.25) - expected).abs() < 1e-5);
        // What lies before or beyond belongs to the first and last bin.
        assert_eq!(model.log_density(19.9), model.log_density(20.05));
        assert_eq!(model.log_density(26.0), model.log_density(24.95));
    }
}
