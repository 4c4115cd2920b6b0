//! The light that comes back: [`Interactions`] → [`EchoSignal`].
//!
//! Every surface is a diffuse reflector (Goodin 2018, equation 1): a sub-ray with the share w of
//! the pulse's light brings back I = w·ρ·cos θ. The shares sum to 1, so a white target that faces
//! the beam and fills it gives 1 over all sub-rays.

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
            let lambert = interactions.reflectance[row] * interactions.cos_incidence[row];
            let distance_m = interactions.distance_m[row];
            let counts = lambert > threshold * distance_m * distance_m;
            let weight = footprint.weight(interactions.sub_ray[row] as usize);
            if counts { weight * lambert } else { 0.0 }
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mavs_threshold_at_100_m() {
        let cut = EchoCut::Mavs { range_max_m: 100.0 };
        assert!((cut.threshold() / 2.864_789e-5 - 1.0).abs() < 1e-6);
    }
}
