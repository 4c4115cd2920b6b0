//! Questions to a scene that need no lidar: what a ray meets, and which cells hold something.

use glam::{DVec3, UVec3};
use understory_geometry::DynamicBvh;

use super::{Scene, Surface};

/// Most cells of an occupancy grid.
pub const CELLS_MAX: u64 = 1 << 28;
/// Surfaces that one ray may pass on its way through a grid.
const PASSES_MAX: usize = 4096;

/// What a ray met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneHit {
    /// Distance along the ray.
    pub distance_m: f64,
    /// Unit normal, turned against the ray.
    pub normal: DVec3,
    /// What stands there.
    pub surface: Surface,
}

/// A scene at one time, for many questions.
pub struct SceneQuery<'a> {
    scene: &'a Scene,
    movers: DynamicBvh,
    time_s: f64,
}

impl Scene {
    /// The scene at a time, with everything that moves where it is then.
    pub fn query(&self, time_s: f64) -> SceneQuery<'_> {
        let mut movers = DynamicBvh::default();
        if self.rays.mover_count() > 0 {
            self.rays.refit(&mut movers, time_s, time_s);
        }
        SceneQuery { scene: self, movers, time_s }
    }
}

impl SceneQuery<'_> {
    /// The first surface on a ray; volumes of learned sites are none. Directions may have any
    /// length but 0.
    pub fn cast_ray(&self, origin: DVec3, direction: DVec3, range_max_m: f64) -> Option<SceneHit> {
        let direction = direction.try_normalize().filter(|_| origin.is_finite())?;
        let at = self.scene.at(&self.movers, self.time_s);
        let hit = at.rays.trace_ray(origin, direction.as_vec3(), range_max_m as f32)?;
        let point = at.rays.surface_point(&hit, origin, direction);
        let surface = self.scene.surface_of(&hit);
        Some(SceneHit { distance_m: point.t, normal: point.normal, surface })
    }

    /// Which cells of a grid hold a surface: along each axis `rays` × `rays` rays go through every
    /// row of cells, and each surface that they meet marks its cell. Cells come with z fastest, then
    /// y, then x.
    ///
    /// What lies between all rays of a cell is not seen: a cell of 0.5 m with 4 rays has one every
    /// 12.5 cm.
    pub fn occupancy(&self, low: DVec3, cell_m: f64, cells: UVec3, rays: u32) -> Vec<bool> {
        let [nx, ny, nz] = cells.to_array().map(|n| n as usize);
        let mut occupied = vec![false; nx * ny * nz];
        let size = cells.as_dvec3() * cell_m;
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let steps = |side: usize| cells[side] * rays;
            for (i, j) in (0..steps(u)).flat_map(|i| (0..steps(v)).map(move |j| (i, j))) {
                let at = |step: u32| (f64::from(step) + 0.5) * cell_m / f64::from(rays);
                let mut from = low;
                from[u] += at(i);
                from[v] += at(j);
                self.mark(from, axis, size[axis], &mut |along_m| {
                    let mut cell = [0; 3];
                    cell[u] = (i / rays) as usize;
                    cell[v] = (j / rays) as usize;
                    cell[axis] = ((along_m / cell_m) as usize).min(cells[axis] as usize - 1);
                    occupied[(cell[0] * ny + cell[1]) * nz + cell[2]] = true;
                });
            }
        }
        occupied
    }

    /// Tells how far along an axis a ray of this length meets surfaces.
    fn mark(&self, from: DVec3, axis: usize, length_m: f64, meets: &mut dyn FnMut(f64)) {
        let direction = DVec3::AXES[axis];
        let mut gone_m = 0.0;
        for _ in 0..PASSES_MAX {
            let left_m = length_m - gone_m;
            let Some(hit) = self.cast_ray(from + direction * gone_m, direction, left_m) else {
                return;
            };
            gone_m += hit.distance_m;
            if gone_m >= length_m {
                return;
            }
            meets(gone_m);
            // Behind this surface, by more than the grain of single precision.
            gone_m += 1e-4;
        }
    }
}
