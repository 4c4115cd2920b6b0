//! Sun and sky: directions → light.
//!
//! Units are those of the picture: a white surface that faces a light of 1 sends out 1.

use glam::{DVec3, Vec3};
use understory_base::math;

use super::preetham::{Preetham, linear_rgb};

/// A light that is far away and small, so that its shadows are hard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// From x towards y, like a yaw.
    pub azimuth_deg: f64,
    /// Above the horizon; at 0 and below, the sun has set.
    pub elevation_deg: f64,
    /// Linear red, green and blue.
    pub colour: [f32; 3],
}

impl Default for Sun {
    fn default() -> Sun {
        Sun { azimuth_deg: -125.0, elevation_deg: 42.0, colour: [2.3, 2.1, 1.8] }
    }
}

impl Sun {
    /// Where it stands, unit length.
    pub fn direction(&self) -> DVec3 {
        let (azimuth, elevation) = (self.azimuth_deg.to_radians(), self.elevation_deg.to_radians());
        let level = math::cos(elevation);
        DVec3::new(level * math::cos(azimuth), level * math::sin(azimuth), math::sin(elevation))
    }

    /// Its light; none when it has set.
    pub fn light(&self) -> Vec3 {
        if self.elevation_deg > 0.0 { Vec3::from(self.colour) } else { Vec3::ZERO }
    }
}

/// The sky: clear, after Preetham et al. ([`super::preetham`]), and what lies below the horizon where
/// there is no ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// How hazy the air is: 2 is very clear, 3 clear, 6 hazy.
    pub turbidity: f64,
    /// Linear colour straight down.
    pub below: [f32; 3],
}

impl Default for Sky {
    fn default() -> Sky {
        Sky { turbidity: 3.0, below: [0.36, 0.37, 0.36] }
    }
}

/// Light of the picture for a kcd/m² of the sky: the mean of the default sky is about a quarter of
/// the sun's light, which is exposed for.
const LIGHT_PER_KCD_M2: f32 = 0.058;
/// Steps of the mean in each of two angles.
const MEAN_STEPS: u32 = 24;

impl Sky {
    /// The sky under this sun.
    pub fn under(&self, sun: &Sun) -> SkyLight {
        let direction = sun.direction();
        let model = Preetham::new(self.turbidity, math::acos(direction.z.clamp(-1.0, 1.0)));
        let (sun, below) = (direction.as_vec3(), Vec3::from(self.below));
        let mut light = SkyLight { model, sun, below, mean: Vec3::ZERO };
        let part = |step: u32| (step as f32 + 0.5) / MEAN_STEPS as f32;
        for i in 0..MEAN_STEPS {
            for j in 0..MEAN_STEPS {
                let direction = around(Vec3::Z, part(i), part(j));
                light.mean += light.light(direction) / (MEAN_STEPS * MEAN_STEPS) as f32;
            }
        }
        light
    }
}

/// The light of a sky under one sun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkyLight {
    model: Preetham,
    sun: Vec3,
    below: Vec3,
    mean: Vec3,
}

impl SkyLight {
    /// Light from a direction of unit length.
    pub fn light(&self, direction: Vec3) -> Vec3 {
        let level = direction.z.max(0.0);
        let from_sun = math::acos(direction.dot(self.sun).clamp(-1.0, 1.0));
        let colour = linear_rgb(self.model.at(level.into(), from_sun.into()));
        let above = Vec3::from(colour) * LIGHT_PER_KCD_M2;
        // The horizon is hazy: it fades over some twenty degrees.
        above.lerp(self.below, (-3.0 * direction.z).clamp(0.0, 1.0))
    }

    /// Mean light of the upper half on a level surface: ∫ light cosθ dω / π.
    pub fn mean(&self) -> Vec3 {
        self.mean
    }
}

/// A direction around `normal`, more often near it: probability cosθ/π. `u` and `v` are 0…1.
pub fn around(normal: Vec3, u: f32, v: f32) -> Vec3 {
    let (sin, cos) = math::sin_cos(std::f32::consts::TAU * u);
    let (sideways, along) = (v.sqrt(), (1.0 - v).max(0.0).sqrt());
    let (tangent, bitangent) = normal.any_orthonormal_pair();
    (tangent * (sideways * cos) + bitangent * (sideways * sin) + normal * along).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_around_a_normal_are_weighted_by_their_cosine() {
        let normal = Vec3::new(0.48, -0.6, 0.64);
        let (n, mut sum, mut square) = (200, Vec3::ZERO, 0.0);
        for i in 0..n * n {
            let (u, v) = ((i % n) as f32 + 0.5, (i / n) as f32 + 0.5);
            let direction = around(normal, u / n as f32, v / n as f32);
            sum += direction;
            square += direction.dot(normal).powi(2);
        }
        let count = (n * n) as f32;
        // E[cosθ] is 2/3 and E[cos²θ] is 1/2.
        assert!((sum / count - normal * (2.0 / 3.0)).length() < 1e-3);
        assert!((square / count - 0.5).abs() < 1e-3);
    }

    /// Against a sum over ten times as many directions, for a high and a low sun.
    #[test]
    fn the_mean_of_the_sky_is_that_of_its_directions() {
        for elevation_deg in [42.0, 5.0] {
            let sky = Sky::default().under(&Sun { elevation_deg, ..Sun::default() });
            let n = 250;
            let mean = (0..n * n).fold(Vec3::ZERO, |sum, i| {
                let (u, v) = ((i % n) as f32 + 0.5, (i / n) as f32 + 0.5);
                sum + sky.light(around(Vec3::Z, u / n as f32, v / n as f32)) / (n * n) as f32
            });
            assert!((mean / sky.mean() - 1.0).abs().max_element() < 0.02, "{mean}");
            assert!(mean.min_element() > 0.05 && mean.max_element() < 1.5, "{mean}");
        }
    }

    /// Below the horizon the ground's colour takes over without a step.
    #[test]
    fn the_horizon_has_no_step() {
        let sky = Sky::default().under(&Sun::default());
        let at = |z: f32| sky.light(Vec3::new(-(1.0 - z * z).sqrt(), 0.0, z));
        assert!((at(1e-4) - at(-1e-4)).length() < 1e-2);
        assert_eq!(at(-0.5), Vec3::from(Sky::default().below));
    }

    #[test]
    fn the_sun_stands_where_its_angles_say() {
        let sun = Sun { azimuth_deg: 90.0, elevation_deg: 30.0, ..Sun::default() };
        assert!((sun.direction() - DVec3::new(0.0, 0.75f64.sqrt(), 0.5)).length() < 1e-12);
        let set = Sun { elevation_deg: -1.0, ..sun };
        assert_eq!(set.light(), Vec3::ZERO);
    }
}
