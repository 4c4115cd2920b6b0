//! Where a vehicle could truly drive: the map that none but the simulator knows.
//!
//! What enters: the scene and a grid. What leaves: a [`CostMap`] in which cells that hold something
//! solid between the clearance and the height of the vehicle cost 100 and all others nothing. The
//! triangles of all that stands are cut until they are smaller than a quarter of a cell; what moves is
//! not in it.

use std::collections::BTreeMap;

use glam::DVec3;
use rayon::prelude::*;
use understory::scenario::drive::VehicleSpec;
use understory::world::scene::Scene;
use understory_geometry::{InstanceId, MeshId};

use crate::contact::is_solid;
use crate::cost_map::{COST_MAX, CostMap};
use crate::grid::Grid;

/// Triangles are cut at most so often: a wall of a kilometre into centimetres.
const CUTS_MAX: u32 = 40;

/// Corners of the solid triangles of a mesh, in its own frame.
type Solid = Vec<[DVec3; 3]>;

/// Instances with the same of these have the same solid triangles: mesh, class, and wood.
type SolidKey = (MeshId, u16, Option<(u16, u16)>);

/// The map of what stands in a scene.
pub fn true_map(scene: &Scene, spec: &VehicleSpec, grid: Grid) -> CostMap {
    let mut map = CostMap { grid, costs: vec![0.0; grid.len()] };
    // Instances of one mesh have the same triangles, and mostly the same classes.
    let mut solids: BTreeMap<SolidKey, Solid> = BTreeMap::new();
    let mut placed = Vec::new();
    for number in 0..scene.rays.standing_count() {
        let instance = InstanceId(number as u32);
        let object = scene.object_of(instance);
        let label = scene.label_of(object, 0);
        let wood = scene.wood_of(object);
        if !is_solid(label) && wood.is_none_or(|(_, label)| !is_solid(label)) {
            continue;
        }
        let Some((mesh, world_from_mesh)) = scene.rays.instance(instance) else { continue };
        let key = (mesh, label, wood);
        solids.entry(key).or_insert_with(|| {
            let corners = scene.rays.triangle_corners(mesh).into_iter().enumerate();
            let solid = |triangle: usize| {
                let material = scene.material_of(instance, triangle as u32);
                is_solid(scene.label_of(object, material))
            };
            let kept = corners.filter(|(triangle, _)| solid(*triangle));
            kept.map(|(_, corners)| corners.map(|corner| corner.as_dvec3())).collect()
        });
        placed.push((key, world_from_mesh));
    }
    let marked: Vec<Vec<usize>> = placed
        .par_iter()
        .map(|(key, world_from_mesh)| {
            let mut marked = Vec::new();
            let band = Band { scene, spec, grid };
            for corners in solids.get(key).map_or(&[][..], Vec::as_slice) {
                let corners = corners.map(|corner| world_from_mesh.transform_point3(corner));
                band.mark(corners, CUTS_MAX, &mut marked);
            }
            marked.sort_unstable();
            marked.dedup();
            marked
        })
        .collect();
    for cell in marked.into_iter().flatten() {
        map.raise(cell, COST_MAX);
    }
    map
}

/// The heights at which things are in the way.
struct Band<'a> {
    scene: &'a Scene,
    spec: &'a VehicleSpec,
    grid: Grid,
}

impl Band<'_> {
    fn mark(&self, corners: [DVec3; 3], cuts: u32, marked: &mut Vec<usize>) {
        let low = corners[0].min(corners[1]).min(corners[2]);
        let high = corners[0].max(corners[1]).max(corners[2]);
        let side = self.grid.cell_m * self.grid.side as f64;
        let outside = |axis: usize| {
            high[axis] < self.grid.low_m[axis] || low[axis] > self.grid.low_m[axis] + side
        };
        if outside(0) || outside(1) {
            return;
        }
        let lengths = [0, 1, 2].map(|i| corners[i].distance(corners[(i + 1) % 3]));
        let longest = (0..3).fold(0, |best, i| if lengths[i] > lengths[best] { i } else { best });
        if lengths[longest] > 0.25 * self.grid.cell_m && cuts > 0 {
            let (a, b, c) =
                (corners[longest], corners[(longest + 1) % 3], corners[(longest + 2) % 3]);
            let middle = 0.5 * (a + b);
            self.mark([a, middle, c], cuts - 1, marked);
            self.mark([middle, b, c], cuts - 1, marked);
            return;
        }
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let Some(ground) = self.scene.ground_at(middle.x, middle.y) else { return };
        let (above, below) =
            (high.z - ground.height_m - self.spec.clearance_m, low.z - ground.height_m);
        if above > 0.0 && below < self.spec.size_m[2] {
            marked.extend(self.grid.cell_at([middle.x, middle.y]));
        }
    }
}
