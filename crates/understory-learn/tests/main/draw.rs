//! Beams drawn from known volumes.

use glam::{DMat3, DVec3};
use understory_learn::input::Beams;

/// SplitMix64 and the laws that are needed.
pub struct Random(pub u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// In 0…1.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Of the standard normal law (Box & Muller).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// A volume that returns light.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub mean: DVec3,
    /// A factor of the covariance: Σ = F·Fᵀ.
    pub factor: DMat3,
    pub permeability: f64,
}

impl Known {
    /// A tilted volume of these standard deviations.
    pub fn new(mean: DVec3, sigmas: DVec3, turn: f64, permeability: f64) -> Known {
        let rotation = DMat3::from_axis_angle(DVec3::new(0.3, -0.5, 0.81).normalize(), turn);
        Known { mean, factor: rotation * DMat3::from_diagonal(sigmas), permeability }
    }

    /// A point of it.
    pub fn point(&self, random: &mut Random) -> DVec3 {
        self.mean + self.factor * DVec3::new(random.normal(), random.normal(), random.normal())
    }
}

/// Volumes on a wall at x = 10 m, so far apart that no beam comes near two of them; the standard
/// deviations are one to three times `sigma_m`.
pub fn wall(across: i32, sigma_m: f64, random: &mut Random) -> Vec<Known> {
    let mut volumes = Vec::new();
    for row in 0..across {
        for column in 0..across {
            let mean = DVec3::new(10.0, f64::from(column) * 0.6, f64::from(row) * 0.6) + 0.05;
            let sigma = |random: &mut Random| sigma_m * (1.0 + 2.0 * random.uniform());
            let sigmas = DVec3::new(sigma(random), sigma(random), sigma(random));
            let permeability = 0.1 + 0.8 * random.uniform();
            volumes.push(Known::new(mean, sigmas, random.uniform() * 3.0, permeability));
        }
    }
    volumes
}

/// Beams aimed at points of the volumes, `each` at every one: they end there, or go on for ever.
pub fn beams_at(volumes: &[Known], each: usize, random: &mut Random) -> Vec<Beams> {
    let mut batches = Vec::new();
    for volume in volumes {
        let mut beams = Beams::default();
        for _ in 0..each {
            let origin = DVec3::new(0.0, random.uniform() * 3.0, random.uniform() * 3.0)
                .as_vec3()
                .as_dvec3();
            let along = volume.point(random) - origin;
            let passes = random.uniform() < volume.permeability;
            let range = if passes { f64::INFINITY } else { along.length() };
            beams.push(origin, along.normalize().as_vec3(), range as f32, f32::NAN, 0);
        }
        batches.push(beams);
    }
    batches
}

/// Least and largest of a mean of `n` values of the χ² law with `k` degrees, but for one in ten
/// million: normal, which is what it is for many.
pub fn chi_square_mean(k: f64, n: f64) -> [f64; 2] {
    let off = 5.4 * (2.0 * k / n).sqrt();
    [k - off, k + off]
}

/// Whether `count` of `n` are plausible for a probability, but for one in ten million.
pub fn plausible(count: u64, n: u64, probability: f64) -> bool {
    let (count, n) = (count as f64, n as f64);
    (count - n * probability).abs() < 5.4 * (n * probability * (1.0 - probability)).sqrt() + 1.0
}
