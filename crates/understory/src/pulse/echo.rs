//! The light that comes back: [`Interactions`] → [`EchoSignal`].
//!
//! A sub-ray with the share w of the pulse's light brings back w times what its surface sends
//! back: I = w·ρ·cos θ for a diffuse one (Goodin 2018, equation 1). The shares sum to 1, so a white
//! target that faces the beam and fills it gives 1 over all sub-rays.

mod sensitivity;

pub use sensitivity::SensitivityModel;

use crate::pulse::beam::Footprint;
use crate::pulse::interaction::Interactions;

/// What each interaction sends back, one row per row of [`Interactions`].
#[derive(Clone, Debug, Default)]
pub struct EchoSignal {
    /// Intensity; 0: too faint to count.
    pub intensity: Vec<f32>,
}

impl EchoSignal {
    /// Fills the signal of every interaction.
    pub fn receive(
        &mut self,
        interactions: &Interactions,
        footprint: &Footprint,
        cut: SensitivityModel,
    ) {
        self.intensity.clear();
        self.intensity.extend((0..interactions.sub_ray.len()).map(|row| {
            let backscatter = interactions.backscatter[row];
            let cos_incidence = interactions.cos_incidence[row] as f32;
            // What a diffuse surface here would have to reflect to send back as much.
            let reflectance = backscatter / cos_incidence.max(f32::MIN_POSITIVE);
            let counts = cut.detects(reflectance, cos_incidence, interactions.distance_m[row]);
            let weight = footprint.weight(interactions.sub_ray[row] as usize);
            if counts { weight * backscatter } else { 0.0 }
        }));
    }

    /// Lets returns count that the sensor of a learned site detected in training, however
    /// faint they are now: in clear air they are as bright as they were.
    pub fn keep_detected(&mut self, interactions: &Interactions, footprint: &Footprint) {
        for row in interactions.detected_in_training().iter().map(|row| *row as usize) {
            let weight = footprint.weight(interactions.sub_ray[row] as usize);
            self.intensity[row] = weight * interactions.backscatter[row];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::beam::{BeamSpec, Sampling, SpotShape};

    /// A beam of one ray; 100 m away, 2.86e-5·r² is 0.286.
    #[test]
    fn faint_and_dark_sub_rays_do_not_count() {
        let footprint = Footprint::new(&BeamSpec {
            shape: SpotShape::Circular,
            divergence_horizontal_rad: 0.0,
            divergence_vertical_rad: 0.0,
            aperture_horizontal_m: 0.0,
            aperture_vertical_m: 0.0,
            sampling: Sampling::Single,
            rays: 1,
        });
        let mut interactions = Interactions::default();
        interactions.sub_ray = vec![0; 4];
        interactions.distance_m = vec![100.0, 100.0, 50.0, 50.0];
        interactions.cos_incidence = vec![0.5; 4];
        interactions.backscatter = vec![0.3, 0.25, 0.25, 0.0];
        let mut signal = EchoSignal::default();
        signal.receive(&interactions, &footprint, SensitivityModel::Dark);
        assert_eq!(signal.intensity, [0.3, 0.25, 0.25, 0.0]);
        signal.receive(&interactions, &footprint, SensitivityModel::Mavs { range_max_m: 100.0 });
        assert_eq!(signal.intensity, [0.3, 0.0, 0.25, 0.0]);
    }
}
