//! Many copies of a small shape in a volume, as one mesh: leaves of a crown, blades of a hedge.
//!
//! What enters: the mesh of one leaf and the volume that it fills. What leaves: one mesh. Places
//! are uniform in the volume and every leaf is turned at random, so that the projected area is
//! half the leaf area in every direction (G = 0.5, a spherical distribution of leaf angles).

use super::shape::ShapeMesh;
use glam::{DQuat, DVec3};
use rand_philox::{Philox, u32_to_unit_f64};
use std::f64::consts::TAU;
use understory_base::math;

/// Which part of its box the foliage fills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Volume {
    /// The ellipsoid that touches all sides.
    #[default]
    Ellipsoid,
    /// The whole box.
    Box,
}

/// How a shape is multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foliage {
    /// How many copies.
    pub count: u32,
    /// Lengths of the volume along x, y and z; its middle is the origin.
    pub size_m: [f64; 3],
    /// Which part of the box is filled.
    pub volume: Volume,
    /// Key of the random numbers.
    pub seed: u64,
}

impl Foliage {
    /// `leaf` at all its places.
    pub fn spread(&self, leaf: &ShapeMesh) -> ShapeMesh {
        let mut random = Philox::from_u64_seed(self.seed);
        let mut uniform = move || u32_to_unit_f64(random.next_u32());
        let mut mesh = ShapeMesh::default();
        for _ in 0..self.count {
            let place = loop {
                let cube = DVec3::new(uniform(), uniform(), uniform()) * 2.0 - 1.0;
                if self.volume == Volume::Box || cube.length_squared() <= 1.0 {
                    break cube * DVec3::from(self.size_m) * 0.5;
                }
            };
            let turn = uniform_rotation([uniform(), uniform(), uniform()]);
            let first = mesh.positions.len() as u32;
            mesh.positions.extend(leaf.positions.iter().map(|p| place + turn * *p));
            mesh.triangles.extend(leaf.triangles.iter().map(|t| t.map(|i| first + i)));
        }
        mesh
    }
}

/// A rotation without preference from three numbers in 0…1 (Shoemake 1992).
fn uniform_rotation([a, b, c]: [f64; 3]) -> DQuat {
    let ((s1, c1), (s2, c2)) = (math::sin_cos(TAU * b), math::sin_cos(TAU * c));
    let (u, v) = ((1.0 - a).sqrt(), a.sqrt());
    DQuat::from_xyzw(u * s1, u * c1, v * s2, v * c2).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::scene::shape::Shape;

    #[test]
    fn leaves_fill_the_ellipsoid_and_look_everywhere() {
        let leaf = Shape::Plane { size_m: [0.1, 0.1] }.mesh(1e-3, "leaf").unwrap();
        let size_m = [4.0, 2.0, 6.0];
        let foliage = Foliage { count: 20_000, size_m, volume: Volume::Ellipsoid, seed: 3 };
        let mesh = foliage.spread(&leaf);
        assert_eq!(mesh.triangles.len(), 40_000);
        assert_eq!(mesh, foliage.spread(&leaf));
        let mut moment = DVec3::ZERO;
        let mut projected = DVec3::ZERO;
        for t in mesh.triangles.chunks(2) {
            let [a, b, c] = t[0].map(|i| mesh.positions[i as usize]);
            let middle = (a + c) * 0.5;
            let unit = middle / (DVec3::from(size_m) * 0.5);
            assert!(unit.length() <= 1.0 + 1e-12);
            moment += unit * unit;
            projected += (b - a).cross(c - a).normalize().abs();
        }
        // Second moment of the unit ball is 1/5 per axis; mean |cos| of a random normal is 1/2.
        assert!((moment / 20_000.0 - 0.2).abs().max_element() < 0.005, "{moment}");
        assert!((projected / 20_000.0 - 0.5).abs().max_element() < 0.01, "{projected}");
    }
}
