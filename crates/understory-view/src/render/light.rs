//! Sun and sky: directions → light.
//!
//! Units are those of the picture: a white surface that faces a light of 1 sends out 1.

use glam::{DVec3, Vec3};

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
        let level = elevation.cos();
        DVec3::new(level * azimuth.cos(), level * azimuth.sin(), elevation.sin())
    }

    /// Its light; none when it has set.
    pub fn light(&self) -> Vec3 {
        if self.elevation_deg > 0.0 { Vec3::from(self.colour) } else { Vec3::ZERO }
    }
}

/// The sky: one colour above, another at the horizon, and what lies below where there is no
/// ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Linear colour straight up.
    pub zenith: [f32; 3],
    /// Linear colour at the horizon.
    pub horizon: [f32; 3],
    /// Linear colour straight down.
    pub below: [f32; 3],
}

impl Default for Sky {
    fn default() -> Sky {
        Sky { zenith: [0.22, 0.44, 0.86], horizon: [0.80, 0.88, 0.98], below: [0.36, 0.37, 0.36] }
    }
}

impl Sky {
    /// Light from a direction of unit length.
    pub fn light(&self, direction: Vec3) -> Vec3 {
        let [zenith, horizon, below] = [self.zenith, self.horizon, self.below].map(Vec3::from);
        if direction.z >= 0.0 {
            horizon.lerp(zenith, direction.z.min(1.0).sqrt())
        } else {
            // The horizon is hazy: it fades over some twenty degrees.
            horizon.lerp(below, (-3.0 * direction.z).min(1.0))
        }
    }

    /// Mean light of the upper half on a level surface: ∫ light cosθ dω / π.
    pub fn mean(&self) -> Vec3 {
        // The mean of √(cosθ) weighted by cosθ is ∫ 2 z^1.5 dz = 4/5.
        Vec3::from(self.horizon).lerp(Vec3::from(self.zenith), 0.8)
    }
}

/// A direction around `normal`, more often near it: probability cosθ/π. `u` and `v` are 0…1.
pub fn around(normal: Vec3, u: f32, v: f32) -> Vec3 {
    let (sin, cos) = (std::f32::consts::TAU * u).sin_cos();
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

    #[test]
    fn the_mean_of_the_sky_is_that_of_its_directions() {
        let sky = Sky::default();
        let n = 100_000;
        let mean = (0..n).fold(Vec3::ZERO, |sum, i| {
            let direction = around(Vec3::Z, 0.3, (i as f32 + 0.5) / n as f32);
            sum + sky.light(direction) / n as f32
        });
        assert!((mean - sky.mean()).abs().max_element() < 2e-3, "{mean}");
    }

    #[test]
    fn the_sun_stands_where_its_angles_say() {
        let sun = Sun { azimuth_deg: 90.0, elevation_deg: 30.0, ..Sun::default() };
        assert!((sun.direction() - DVec3::new(0.0, 0.75f64.sqrt(), 0.5)).length() < 1e-12);
        let set = Sun { elevation_deg: -1.0, ..sun };
        assert_eq!(set.light(), Vec3::ZERO);
    }
}
