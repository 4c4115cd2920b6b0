//! The projection function as a table, for the loop over pulses.

use understory_plants::Inclinations;

/// G(θ) in steps of half a degree.
pub(crate) struct Projection {
    values: Vec<f64>,
}

/// Steps in 90°.
const STEPS: usize = 180;

impl Projection {
    pub fn new(table: &Inclinations) -> Projection {
        let of = |step: usize| table.projection((90.0 * step as f64 / STEPS as f64).to_radians());
        Projection { values: (0..=STEPS).map(of).collect() }
    }

    /// G at a zenith angle between 0 and 90°.
    pub fn at(&self, zenith_rad: f64) -> f64 {
        let place =
            (zenith_rad / std::f64::consts::FRAC_PI_2 * STEPS as f64).clamp(0.0, STEPS as f64);
        let step = (place as usize).min(STEPS - 1);
        let share = place - step as f64;
        self.values[step] * (1.0 - share) + self.values[step + 1] * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_plants::LeafAngle;

    #[test]
    fn projections_lie_between_their_steps() {
        let table = Inclinations::of(LeafAngle::Erectophile);
        let projection = Projection::new(&table);
        for degrees in [0.0f64, 17.3, 44.9, 89.9, 90.0] {
            let off = projection.at(degrees.to_radians()) - table.projection(degrees.to_radians());
            assert!(off.abs() < 1e-4, "{degrees}: {off}");
        }
    }
}
