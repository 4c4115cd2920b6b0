//! The light that comes back: [`Interactions`] → [`EchoSignal`].
//!
//! A sub-ray with the share w of the pulse's light brings back w times what its surface sends
//! back: I = w·ρ·cos θ for a diffuse one (Goodin 2018, equation 1). The shares sum to 1, so a white
//! target that faces the beam and fills it gives 1 over all sub-rays.

use std::f32::consts::PI;

use crate::beam::Footprint;
use crate::interaction::Interactions;

/// Which sub-rays are too faint to count.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum EchoCut {
    /// None but those that bring back nothing.
    #[default]
    Dark,
    /// As in MAVS, the program of P2's authors: those whose ρ·cos θ/r² is not above
    /// 0.9/(π·r_max²). P2 does not print this rule.
    Mavs {
        /// r_max, the range at which a target of ρ·cos θ = 0.9/π is just lost.
        range_max_m: f32,
    },
}

impl EchoCut {
    /// Least ρ·cos θ/r² that counts.
    fn threshold(self) -> f32 {
        match self {
            EchoCut::Dark => 0.0,
            EchoCut::Mavs { range_max_m } => 0.9 / (PI * range_max_m * range_max_m),
        }
    }
}

/// What each interaction sends back, one row per row of [`Interactions`].
#[derive(Clone, Debug, Default)]
pub struct EchoSignal {
    /// Intensity; 0: too faint to count.
    pub intensity: Vec<f32>,
}

impl EchoSignal {
    /// Fills the signal of every interaction.
    pub fn receive(&mut self, interactions: &Interactions, footprint: &Footprint, cut: EchoCut) {
        let threshold = cut.threshold();
        self.intensity.clear();
        self.intensity.extend((0..interactions.sub_ray.len()).map(|row| {
            let backscatter = interactions.backscatter[row];
            let distance_m = interactions.distance_m[row];
            let counts = backscatter > threshold * distance_m * distance_m;
            let weight = footprint.weight(interactions.sub_ray[row] as usize);
            if counts { weight * backscatter } else { 0.0 }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::beam::{BeamSpec, Sampling, SpotShape};

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
        interactions.backscatter = vec![0.3, 0.25, 0.25, 0.0];
        let mut signal = EchoSignal::default();
        signal.receive(&interactions, &footprint, EchoCut::Dark);
        assert_eq!(signal.intensity, [0.3, 0.25, 0.25, 0.0]);
        signal.receive(&interactions, &footprint, EchoCut::Mavs { range_max_m: 100.0 });
        assert_eq!(signal.intensity, [0.3, 0.0, 0.25, 0.0]);
    }

    #[test]
    fn mavs_threshold_at_100_m() {
        let cut = EchoCut::Mavs { range_max_m: 100.0 };
        assert!((cut.threshold() / 2.864_789e-5 - 1.0).abs() < 1e-6);
    }
}
