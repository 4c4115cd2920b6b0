//! Plants that the air has moved a little: a plant and a state of the wind → the plant displaced.
//!
//! The displacement is a smooth random field: a sum of waves of random direction, length and phase,
//! so that neighbouring leaves move together and distant ones do not. Its components are normal to
//! a good approximation, with the standard deviation that is requested; at the ground it is nothing
//! and grows with height to its full size.

use std::f64::consts::TAU;
use understory_base::math;

use glam::DVec3;

use crate::{Plant, Random};

/// Waves of which a state is made.
const WAVES: usize = 16;
/// Height from which plants sway fully.
const ROOTED_M: f64 = 0.1;

/// One state of swaying.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sway {
    /// Standard deviation of the displacement along each axis.
    pub sigma_m: f64,
    /// About how long the waves are in space.
    pub wavelength_m: f64,
    /// Which state.
    pub seed: u64,
}

struct Wave {
    number_per_m: DVec3,
    phase: f64,
    amplitude_m: DVec3,
}

impl Sway {
    fn waves(&self) -> Vec<Wave> {
        let mut random = Random::new(self.seed).fork(0x5357_4159);
        // A wave of amplitude a in a random direction has the variance a²/6 along an axis.
        let amplitude_m = self.sigma_m * (6.0 / WAVES as f64).sqrt();
        (0..WAVES)
            .map(|_| {
                let length_m = self.wavelength_m * math::exp2(random.between(-1.0, 1.0));
                Wave {
                    number_per_m: random.direction() * (TAU / length_m),
                    phase: random.between(0.0, TAU),
                    amplitude_m: random.direction() * amplitude_m,
                }
            })
            .collect()
    }

    /// Moves the vertices of a plant.
    pub fn apply(&self, plant: &mut Plant) {
        let waves = self.waves();
        for point in &mut plant.positions {
            let free = (point.z / ROOTED_M).clamp(0.0, 1.0);
            let moved: DVec3 = waves
                .iter()
                .map(|wave| {
                    wave.amplitude_m * math::cos(wave.number_per_m.dot(*point) + wave.phase)
                })
                .sum();
            *point += moved * free;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points() -> Plant {
        let positions = (0..64)
            .map(|k| DVec3::new(f64::from(k % 8), f64::from(k / 8), 1.0))
            .chain([DVec3::ZERO, DVec3::new(0.001, 0.0, 1.0)])
            .collect();
        Plant { positions, triangles: Vec::new(), parts: Vec::new() }
    }

    /// 400 states of 64 places: the variance's standard error is below 2 % although the places of
    /// a state share its waves; six of them are allowed.
    #[test]
    fn places_move_as_far_as_they_are_told_and_together_with_their_neighbours() {
        let still = points();
        let (mut squares, mut sum, mut count) = (0.0, DVec3::ZERO, 0.0);
        for seed in 0..400 {
            let mut plant = still.clone();
            Sway { sigma_m: 0.004, wavelength_m: 0.3, seed }.apply(&mut plant);
            let moved: Vec<DVec3> =
                plant.positions.iter().zip(&still.positions).map(|(a, b)| *a - *b).collect();
            for each in &moved[..64] {
                squares += each.length_squared();
                sum += *each;
                count += 1.0;
            }
            assert_eq!(moved[64], DVec3::ZERO, "the root stays");
            assert!((moved[65] - moved[0]).length() < 0.1 * 0.004, "neighbours go along");
        }
        let sigma = (squares / (3.0 * count)).sqrt();
        assert!((sigma / 0.004 - 1.0).abs() < 0.12, "{sigma}");
        assert!((sum / count).length() < 0.004 * 0.15);
    }
}
