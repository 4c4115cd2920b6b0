//! Rays in an order in which neighbours come together.
//!
//! What enters: rays from anywhere to anywhere. What leaves: an order in which those follow each
//! other that enter the scene near each other and go nearly the same way, so that what one has
//! fetched from memory serves the next. Rays are counted into cells (places along a Morton curve,
//! directions by the octahedral map of Cigolle et al. 2014), which takes a small part of the time of
//! their walks. The order never shows in what they find.

use super::RayScene;
use glam::{DVec3, Vec2, Vec3};

/// Cells of the scene's box along each axis, and of the map of directions along each of its two:
/// powers of two, these many bits.
const PLACE_BITS: u32 = 3;
const DIRECTION_BITS: u32 = 3;
const CELLS: usize = 1 << (3 * PLACE_BITS + 2 * DIRECTION_BITS);
/// Fewer rays are left as they are: to count them would take as long as is saved.
const LEAST: usize = 512;

/// Puts rays in order, and keeps the memory for it.
#[derive(Clone, Debug, Default)]
pub struct NearOrder {
    cell: Vec<u16>,
    start: Vec<u32>,
    order: Vec<u32>,
}

impl NearOrder {
    /// The numbers of rays through `scene`, neighbours one after another.
    pub fn set(
        &mut self,
        scene: &RayScene,
        rays: impl ExactSizeIterator<Item = (DVec3, Vec3)>,
    ) -> &[u32] {
        self.order.clear();
        if rays.len() < LEAST {
            self.order.extend(0..rays.len() as u32);
            return &self.order;
        }
        let (low, high) = scene.around();
        let per_m = (high - low).max(Vec3::splat(f32::MIN_POSITIVE)).recip();
        let middle = scene.tlas.scene_origin();
        self.start.clear();
        self.start.resize(CELLS + 1, 0);
        self.order.resize(rays.len(), 0);
        self.cell.clear();
        for (origin, direction) in rays {
            let from = ((origin - middle).as_vec3() - low) * per_m;
            let cell = cell(from, direction, direction * per_m);
            self.start[cell + 1] += 1;
            self.cell.push(cell as u16);
        }
        for cell in 0..CELLS {
            self.start[cell + 1] += self.start[cell];
        }
        for (ray, cell) in self.cell.iter().enumerate() {
            let next = &mut self.start[usize::from(*cell)];
            self.order[*next as usize] = ray as u32;
            *next += 1;
        }
        &self.order
    }
}

impl RayScene {
    /// The box around all that stands, in the frame of the tree over instances.
    fn around(&self) -> (Vec3, Vec3) {
        let around = self.tlas.nodes.first().map(|root| root.union());
        around.map_or((Vec3::ZERO, Vec3::ZERO), |b| (Vec3::from(b.min), Vec3::from(b.max)))
    }
}

/// The cell of a ray: `from` and `way` in shares of the scene's box.
fn cell(from: Vec3, direction: Vec3, way: Vec3) -> usize {
    let inverse = way.recip();
    let (a, b) = (-from * inverse, (Vec3::ONE - from) * inverse);
    let enter = a.min(b).max_element().max(0.0);
    let place = (from + way * enter) * (1 << PLACE_BITS) as f32;
    // The octahedron's lower half is folded out.
    let unit = direction / (direction.x.abs() + direction.y.abs() + direction.z.abs());
    let above = unit.truncate();
    let below = (Vec2::ONE - Vec2::new(unit.y, unit.x).abs()) * above.signum();
    let map = if unit.z < 0.0 { below } else { above };
    let map = (map * 0.5 + 0.5) * (1 << DIRECTION_BITS) as f32;
    // What is no number is in the first cell; what rounding moved outside, in the last.
    let bits = |x: f32, bits: u32| (x as u32).min((1 << bits) - 1);
    let axes = [place.x, place.y, place.z].map(|x| bits(x, PLACE_BITS));
    let ways = [map.x, map.y].map(|x| bits(x, DIRECTION_BITS));
    (interleaved(&ways, DIRECTION_BITS) << (3 * PLACE_BITS)) + interleaved(&axes, PLACE_BITS)
}

/// The bits of all numbers by turns.
fn interleaved(numbers: &[u32], bits: u32) -> usize {
    let mut code = 0;
    for bit in (0..bits).rev() {
        for number in numbers {
            code = code << 1 | (number >> bit & 1) as usize;
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edges, RaySceneBuilder, TriangleMesh};
    use glam::DAffine3;

    fn scene() -> RayScene {
        let corners = [DVec3::ZERO, DVec3::new(8.0, 0.0, 8.0), DVec3::new(0.0, 8.0, 8.0)];
        let mesh = TriangleMesh::new(&corners, vec![[0, 1, 2]]).unwrap();
        let mut builder = RaySceneBuilder::default();
        let mesh = builder.add_mesh(&mesh, Edges::Exact).unwrap();
        builder.add_instance(mesh, DAffine3::IDENTITY).unwrap();
        builder.build()
    }

    #[test]
    fn every_ray_comes_once_and_neighbours_together() {
        let from = |x: f64| (DVec3::new(x, 4.0, 20.0), Vec3::NEG_Z);
        let back = |x: f64| (DVec3::new(x, 4.0, -20.0), Vec3::Z);
        let rays: Vec<_> = [from(1.0), back(7.0), from(7.0), back(1.0)]
            .into_iter()
            .cycle()
            .take(4 * LEAST)
            .collect();
        let mut order = NearOrder::default();
        let order = order.set(&scene(), rays.into_iter()).to_vec();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, ray)| i as u32 == *ray));
        // Four kinds of rays, each together and in its old order.
        for kind in order.chunks(LEAST) {
            assert!(kind.windows(2).all(|pair| pair[0] % 4 == pair[1] % 4 && pair[0] < pair[1]));
        }
    }

    #[test]
    fn rays_that_are_no_numbers_have_a_place_too() {
        let odd = [f64::NAN, f64::INFINITY, 1e300, 0.0];
        let ways = [Vec3::NAN, Vec3::ZERO, Vec3::new(f32::INFINITY, 0.0, 1.0), Vec3::NEG_X];
        let rays = odd.iter().flat_map(|x| ways.map(|way| (DVec3::splat(*x), way))).cycle();
        let rays: Vec<_> = rays.take(LEAST).collect();
        let mut order = NearOrder::default();
        let mut order_of =
            |count: usize| order.set(&scene(), rays[..count].iter().copied()).to_vec();
        for count in [0, 1, LEAST] {
            let mut order = order_of(count);
            order.sort_unstable();
            assert_eq!(order, (0..count as u32).collect::<Vec<_>>());
        }
    }
}
