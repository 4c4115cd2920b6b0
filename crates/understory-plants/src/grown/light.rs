//! The light that reaches each place of a growing stand, as voxels.
//!
//! What enters: leaf area by place. What leaves: for each voxel the share of the sky's light that
//! arrives and the direction where most of it comes from. Palubicki et al. (2009) cast a pyramid of
//! shadow below each bud; here the shadow is Beer and Lambert's (Monsi and Saeki 1953) along nine
//! directions of the sky: the zenith, four at 45° and four at 54.7° from it, each swept once from
//! the top layer down. A periodic field is a stand whose neighbours are its own copies.

use glam::DVec3;
use rayon::prelude::*;
use understory_base::math;

/// Steps to the layer above along each direction, and its share of the sky's light.
const SKY: [([i32; 2], f32); 9] = [
    ([0, 0], 0.24),
    ([1, 0], 0.11),
    ([-1, 0], 0.11),
    ([0, 1], 0.11),
    ([0, -1], 0.11),
    ([1, 1], 0.08),
    ([-1, 1], 0.08),
    ([1, -1], 0.08),
    ([-1, -1], 0.08),
];

/// Extinction of leaves without a preferred inclination (Ross 1981).
const EXTINCTION: f32 = 0.5;

/// Voxels over the ground around the origin.
#[derive(Clone, Debug)]
pub(crate) struct LightField {
    cell_m: f64,
    /// Cells along x, y and z.
    cells: [usize; 3],
    periodic: bool,
    /// Leaf area in each cell.
    leaf_m2: Vec<f32>,
    /// Light that enters each cell, and the light's mean direction times it.
    light: Vec<[f32; 4]>,
}

impl LightField {
    /// A dark field over `size_m` by `size_m`, `height_m` high.
    pub fn new(size_m: [f64; 2], height_m: f64, cell_m: f64, periodic: bool) -> LightField {
        // A periodic field is as wide as its cells are, so their size gives way a little.
        let count = |size: f64| ((size / cell_m).round().max(1.0)) as usize;
        let cells = [count(size_m[0]), count(size_m[1]), (height_m / cell_m).ceil() as usize + 2];
        let whole = cells.iter().product();
        LightField {
            cell_m,
            cells,
            periodic,
            leaf_m2: vec![0.0; whole],
            light: vec![[1.0, 0.0, 0.0, 1.0]; whole],
        }
    }

    /// The side of a cell.
    pub fn cell_m(&self) -> f64 {
        self.cell_m
    }

    /// Index of the cell at a place; none outside of the field.
    fn cell(&self, at: DVec3) -> Option<usize> {
        let [nx, ny, nz] = self.cells;
        let along = |value: f64, n: usize| -> Option<usize> {
            let index = (value / self.cell_m + 0.5 * n as f64).floor();
            if self.periodic {
                return Some((index as i64).rem_euclid(n as i64) as usize);
            }
            (index >= 0.0 && index < n as f64).then_some(index as usize)
        };
        let z = (at.z / self.cell_m).floor().max(0.0) as usize;
        (z < nz).then_some(())?;
        Some((z * ny + along(at.y, ny)?) * nx + along(at.x, nx)?)
    }

    /// Takes all leaves away.
    pub fn clear(&mut self) {
        self.leaf_m2.fill(0.0);
    }

    /// Adds leaf area at a place.
    pub fn add_leaf(&mut self, at: DVec3, area_m2: f64) {
        if let Some(cell) = self.cell(at) {
            self.leaf_m2[cell] += area_m2 as f32;
        }
    }

    /// Leaf area over ground in the cell at a place.
    pub fn leaf_area_index(&self, at: DVec3) -> f64 {
        let area = self.cell(at).map_or(0.0, |cell| self.leaf_m2[cell]);
        f64::from(area) / self.cell_m.powi(2)
    }

    /// Share of the sky's light at a place, and the direction where it comes from, shorter the
    /// more evenly it comes from all sides.
    pub fn at(&self, at: DVec3) -> (f64, DVec3) {
        let [light, x, y, z] = self.cell(at).map_or([1.0, 0.0, 0.0, 0.8], |cell| self.light[cell]);
        (f64::from(light), DVec3::new(x.into(), y.into(), z.into()))
    }

    /// Works the light out anew: all directions at once, each from the top down.
    pub fn sweep(&mut self) {
        let per_m2 = EXTINCTION / self.cell_m.powi(2) as f32;
        let passed: Vec<f32> = self.leaf_m2.par_iter().map(|leaf| -leaf * per_m2).collect();
        let fields: Vec<Vec<f32>> =
            SKY.par_iter().map(|(step, _)| self.sweep_along(*step, &passed)).collect();
        let ways: Vec<[f32; 3]> = SKY
            .iter()
            .map(|([x, y], _)| {
                let way = DVec3::new(f64::from(*x), f64::from(*y), 1.0).normalize();
                way.as_vec3().to_array()
            })
            .collect();
        self.light.par_iter_mut().enumerate().for_each(|(cell, light)| {
            *light = [0.0; 4];
            for ((field, way), (_, share)) in fields.iter().zip(&ways).zip(&SKY) {
                let part = share * field[cell];
                light[0] += part;
                for (sum, component) in light[1..].iter_mut().zip(way) {
                    *sum += part * component;
                }
            }
        });
    }

    /// What enters each cell along one direction.
    fn sweep_along(&self, [dx, dy]: [i32; 2], optical: &[f32]) -> Vec<f32> {
        let [nx, ny, nz] = self.cells;
        let mut entering = vec![1.0f32; optical.len()];
        let length = (1.0 + f64::from(dx * dx + dy * dy)).sqrt() as f32;
        let left: Vec<f32> = optical.iter().map(|depth| math::exp(depth * length)).collect();
        let from = |i: usize, step: i32, n: usize| -> Option<usize> {
            let index = i as i64 + i64::from(step);
            if self.periodic {
                return Some(index.rem_euclid(n as i64) as usize);
            }
            (0..n as i64).contains(&index).then_some(index as usize)
        };
        for z in (0..nz.saturating_sub(1)).rev() {
            for y in 0..ny {
                let Some(above_y) = from(y, dy, ny) else { continue };
                for x in 0..nx {
                    let Some(above_x) = from(x, dx, nx) else { continue };
                    let above = ((z + 1) * ny + above_y) * nx + above_x;
                    entering[(z * ny + y) * nx + x] = entering[above] * left[above];
                }
            }
        }
        entering
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_below_an_even_layer_is_that_of_the_nine_directions() {
        let mut field = LightField::new([4.0, 4.0], 5.0, 0.5, true);
        for x in 0..8 {
            for y in 0..8 {
                let at = DVec3::new(f64::from(x) * 0.5 - 1.9, f64::from(y) * 0.5 - 1.9, 3.2);
                field.add_leaf(at, 2.0 * 0.25);
            }
        }
        field.sweep();
        let law = |cos: f64| (-0.5 * 2.0 / cos).exp();
        let wanted = 0.24 + 0.44 + 0.32;
        assert!((wanted - 1.0f64).abs() < 1e-12);
        let wanted = 0.24 * law(1.0) + 0.44 * law(0.5f64.sqrt()) + 0.32 * law(1.0 / 3f64.sqrt());
        let (light, way) = field.at(DVec3::new(0.3, -1.0, 1.0));
        assert!((light - wanted).abs() < 1e-5, "{light} {wanted}");
        assert!(way.x.abs() < 1e-6 && way.y.abs() < 1e-6 && way.z > 0.0);
        assert!((field.at(DVec3::new(0.0, 0.0, 4.0)).0 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn light_beside_a_leaf_comes_from_the_other_side() {
        let mut field = LightField::new([8.0, 8.0], 8.0, 0.5, false);
        field.add_leaf(DVec3::new(0.2, 0.2, 6.2), 5.0);
        field.sweep();
        // Three layers below and three cells to the right, the leaf stands in the way from the left.
        let (light, way) = field.at(DVec3::new(1.7, 0.2, 4.7));
        assert!(light < 0.95 && way.x > 0.01, "{light} {way}");
    }
}
