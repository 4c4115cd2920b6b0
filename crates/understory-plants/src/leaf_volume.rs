//! A box of leaves placed at random: the volume for which Beer and Lambert's law is exact.
//!
//! What enters: a box, a leaf area index, one leaf's size and a leaf angle distribution. What
//! leaves: leaves with their middles uniform in the box. Laid side by side, boxes make an even
//! layer, of which a beam under zenith angle θ passes the share exp(−G(θ)·LAI/cos θ) (Monsi and
//! Saeki 1953; Nilson 1971), as long as leaves are small against the box.

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::limits::{fits, within};
use crate::patch::Patch;
use crate::{Leaf, LeafAngle, LeafShape, Plant, PlantError, Random};

/// Parameters of a box of leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LeafVolumeSpec {
    /// Size of the box.
    pub size_x_m: f64,
    /// Size of the box.
    pub size_y_m: f64,
    /// Size of the box.
    pub size_z_m: f64,
    /// Height of its underside; leaves reach beyond the box by half their length.
    pub base_m: f64,
    /// One-sided leaf area per ground area of the box; met exactly.
    pub leaf_area_index: f64,
    /// One-sided area of one leaf; changed a little so that a whole number gives the index.
    pub leaf_area_m2: f64,
    /// Width of a leaf as a share of its length.
    pub leaf_width_per_length: f64,
    /// Outline of the leaves.
    pub leaf_shape: LeafShape,
    /// How the leaves are inclined.
    pub leaf_angle: LeafAngle,
}

impl Default for LeafVolumeSpec {
    fn default() -> LeafVolumeSpec {
        LeafVolumeSpec {
            size_x_m: 1.0,
            size_y_m: 1.0,
            size_z_m: 1.0,
            base_m: 0.0,
            leaf_area_index: 2.0,
            leaf_area_m2: 5e-5,
            leaf_width_per_length: 0.6,
            leaf_shape: LeafShape::Rhombus,
            leaf_angle: LeafAngle::Spherical,
        }
    }
}

impl LeafVolumeSpec {
    /// Refuses parameters outside their limits.
    pub fn check(&self) -> Result<(), PlantError> {
        self.patch().check()?;
        within("size_z_m", self.size_z_m, 0.001, 100.0)?;
        within("base_m", self.base_m, 0.0, 100.0)?;
        within("leaf_area_index", self.leaf_area_index, 0.0, 50.0)?;
        within("leaf_area_m2", self.leaf_area_m2, 1e-7, 1.0)?;
        within("leaf_width_per_length", self.leaf_width_per_length, 0.001, 5.0)?;
        fits(self.triangle_estimate())
    }

    /// Number of triangles.
    pub fn triangle_estimate(&self) -> u64 {
        self.leaf_count().saturating_mul(self.leaf_shape.triangles())
    }

    fn patch(&self) -> Patch {
        Patch { size_x_m: self.size_x_m, size_y_m: self.size_y_m }
    }

    fn leaf_count(&self) -> u64 {
        let count = self.patch().count(self.leaf_area_index / self.leaf_area_m2);
        if self.leaf_area_index > 0.0 { count.max(1) } else { 0 }
    }

    /// Grows the box around the origin, standing on `base_m`.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let mut random = Random::new(seed);
        let mut plant = Plant::default();
        let count = self.leaf_count();
        let total_m2 = self.leaf_area_index * self.size_x_m * self.size_y_m;
        let leaf =
            Leaf::from_area(self.leaf_shape, total_m2 / count as f64, self.leaf_width_per_length);
        for _ in 0..count {
            let height = self.base_m + self.size_z_m * random.unit();
            let centre = self.patch().point(&mut random) + DVec3::Z * height;
            let normal = self.leaf_angle.normal(&mut random);
            leaf.push_centred(&mut plant, centre, normal, &mut random);
        }
        Ok(plant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_leaf_area_index_is_met_exactly() {
        let spec = LeafVolumeSpec {
            size_x_m: 0.7,
            size_y_m: 1.3,
            leaf_area_index: 1.7,
            leaf_area_m2: 3.3e-4,
            ..LeafVolumeSpec::default()
        };
        let area = spec.grow(1).unwrap().measures(5).leaf_area_m2;
        assert!((area / (0.7 * 1.3) - 1.7).abs() < 1e-10, "{area}");
    }

    #[test]
    fn no_leaves_are_no_error() {
        let spec = LeafVolumeSpec { leaf_area_index: 0.0, ..LeafVolumeSpec::default() };
        assert!(spec.grow(1).unwrap().triangles.is_empty());
    }
}
