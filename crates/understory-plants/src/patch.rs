//! Where the feet of a patch are: inside its rectangle, so that patches can be laid side by side.

use glam::DVec3;

use crate::{PlantError, Random, limits::within};

/// A rectangle of ground around the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    pub size_x_m: f64,
    pub size_y_m: f64,
}

impl Patch {
    pub fn check(&self) -> Result<(), PlantError> {
        within("size_x_m", self.size_x_m, 0.01, 1000.0)?;
        within("size_y_m", self.size_y_m, 0.01, 1000.0)
    }

    /// How many of something stand on it.
    pub fn count(&self, per_m2: f64) -> u64 {
        (per_m2 * self.size_x_m * self.size_y_m).round() as u64
    }

    /// A point of it at random.
    pub fn point(&self, random: &mut Random) -> DVec3 {
        let (x, y) = (random.unit() - 0.5, random.unit() - 0.5);
        DVec3::new(self.size_x_m * x, self.size_y_m * y, 0.0)
    }

    /// Brings a point that left on one side back in on the other, as if patches repeated.
    pub fn wrapped(&self, p: DVec3) -> DVec3 {
        let wrap = |v: f64, size: f64| (v + 0.5 * size).rem_euclid(size) - 0.5 * size;
        DVec3::new(wrap(p.x, self.size_x_m), wrap(p.y, self.size_y_m), p.z)
    }
}
