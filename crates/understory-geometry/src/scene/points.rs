//! The hits of a batch worked out in f64, eight at a time.
//!
//! What enters: what a [`PulseTracer`] has found. What leaves: for each hit its distance and the
//! cosine of its angle of incidence, to the same bits as [`RaySceneAt::surface_point`] gives one by
//! one. Eight hits are copied to lanes first, so that none waits for the division of the other.

use super::RayScene;
use super::at::RaySceneAt;
use super::batch::{PulseBatch, PulseTracer};
use super::dynamic_bvh::{ANYWHERE, DynamicBvh};
use crate::RayHit;
use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::{PACK, TrianglePack};
use glam::DVec3;
use std::ops::Range;

/// Hits that are worked out together.
const TOGETHER: usize = 8;

/// A hit of a batch, worked out in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PulseHit {
    /// Which ray of the batch, counted through all pulses.
    pub ray: usize,
    /// What was met.
    pub hit: RayHit,
    /// Distance, as in [`SurfacePoint`](crate::SurfacePoint).
    pub t: f64,
    /// Cosine of the angle between ray and normal, 0…1.
    pub cos_incidence: f64,
}

/// What working out hits needs of triangle, instance and ray; lanes are hits.
#[derive(Clone, Copy)]
pub(crate) struct PointLanes {
    vertex: [[f64; TOGETHER]; 3],
    edge1: [[f64; TOGETHER]; 3],
    edge2: [[f64; TOGETHER]; 3],
    /// Columns of the linear part of `mesh_from_world`.
    columns: [[[f64; TOGETHER]; 3]; 3],
    /// Origin of the ray from that of the mesh, in the world.
    origin: [[f64; TOGETHER]; 3],
    direction: [[f64; TOGETHER]; 3],
    t: [f64; TOGETHER],
    cos_incidence: [f64; TOGETHER],
}

impl PointLanes {
    const NONE: PointLanes = PointLanes {
        vertex: [[0.0; TOGETHER]; 3],
        edge1: [[0.0; TOGETHER]; 3],
        edge2: [[0.0; TOGETHER]; 3],
        columns: [[[0.0; TOGETHER]; 3]; 3],
        origin: [[0.0; TOGETHER]; 3],
        direction: [[0.0; TOGETHER]; 3],
        t: [0.0; TOGETHER],
        cos_incidence: [0.0; TOGETHER],
    };

    #[inline(always)]
    fn set(
        &mut self,
        lane: usize,
        (pack, slot): (&TrianglePack, usize),
        placed: &TlasInstance,
        origin: DVec3,
        direction: DVec3,
    ) {
        let [vertex, edge1, edge2] = pack.vertex_and_edges(slot);
        let origin = placed.relative_to_mesh(origin);
        let linear = &placed.mesh_from_world;
        for axis in 0..3 {
            self.vertex[axis][lane] = vertex[axis];
            self.edge1[axis][lane] = edge1[axis];
            self.edge2[axis][lane] = edge2[axis];
            self.origin[axis][lane] = origin[axis];
            self.direction[axis][lane] = direction[axis];
            for column in 0..3 {
                self.columns[column][axis][lane] = linear.col(column)[axis];
            }
        }
    }

    /// Distance and cosine of all lanes: the operations of
    /// [`RaySceneAt::surface_point`] in their order.
    #[inline(always)]
    pub fn work_out(&mut self) {
        for lane in 0..TOGETHER {
            let of = |rows: &[[f64; TOGETHER]; 3]| [rows[0][lane], rows[1][lane], rows[2][lane]];
            let (vertex, direction) = (of(&self.vertex), of(&self.direction));
            let columns = [of(&self.columns[0]), of(&self.columns[1]), of(&self.columns[2])];
            let normal = cross(of(&self.edge1), of(&self.edge2));
            let world_normal = columns.map(|column| dot(column, normal));
            let facing = dot(world_normal, direction);
            let from = of(&self.origin);
            let origin = [0, 1, 2].map(|row| {
                columns[0][row] * from[0] + columns[1][row] * from[1] + columns[2][row] * from[2]
            });
            let to_vertex = [0, 1, 2].map(|axis| vertex[axis] - origin[axis]);
            let turn = -facing.signum() / dot(world_normal, world_normal).sqrt();
            let unit = world_normal.map(|x| x * turn);
            self.t[lane] = dot(normal, to_vertex) / facing;
            self.cos_incidence[lane] = dot(unit, direction).abs();
        }
    }
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - b[1] * a[2], a[2] * b[0] - b[2] * a[0], a[0] * b[1] - b[0] * a[1]]
}

impl PulseTracer {
    /// The hits of `pulses` of the batch that was traced last, by rising ray. `directions` are
    /// those of all rays of the batch in f64; scene, tree and batch those that were traced.
    pub fn work_out(
        &mut self,
        scene: &RayScene,
        movers: &DynamicBvh,
        batch: &PulseBatch<'_>,
        directions: &[DVec3],
        pulses: Range<usize>,
    ) -> &[PulseHit] {
        self.hits.clear();
        let rays = batch.rays_per_pulse;
        let (mut lanes, mut waiting, mut count) = (PointLanes::NONE, [0; TOGETHER], 0);
        let mut now = RaySceneAt::new(scene, Some(movers), 0.0);
        for pulse in pulses {
            if !scene.is_still() {
                let time_s = batch.times_s.get(pulse).copied().unwrap_or(0.0);
                now = RaySceneAt::new(scene, Some(movers), time_s);
            }
            let Some(&origin) = batch.origins.get(pulse) else { break };
            for ray in pulse * rays..(pulse + 1) * rays {
                let (Some(found), Some(&direction)) = (self.found.get(ray), directions.get(ray))
                else {
                    break;
                };
                let Some(hit) = now.hit(found, origin) else { continue };
                let offset = batch.origin_offsets.get(ray);
                let from = offset.map_or(origin, |offset| origin + offset.as_dvec3());
                let mut found = PulseHit { ray, hit, t: 0.0, cos_incidence: 0.0 };
                match now.still_triangle(&hit) {
                    Some((placed, triangle)) => {
                        lanes.set(count, triangle, placed, from, direction);
                        waiting[count] = self.hits.len();
                        count += 1;
                    }
                    None => {
                        let point = now.surface_point(&hit, from, direction);
                        found.t = point.t;
                        found.cos_incidence = point.normal.dot(direction).abs().min(1.0);
                    }
                }
                self.hits.push(found);
                if count == TOGETHER {
                    scene.instructions.work_out_points(&mut lanes);
                    keep(&lanes, &waiting, &mut self.hits);
                    count = 0;
                }
            }
        }
        if count > 0 {
            scene.instructions.work_out_points(&mut lanes);
            keep(&lanes, &waiting[..count], &mut self.hits);
        }
        &self.hits
    }
}

/// Takes over what was worked out.
fn keep(lanes: &PointLanes, waiting: &[usize], hits: &mut [PulseHit]) {
    for (lane, &place) in waiting.iter().enumerate() {
        let hit = &mut hits[place];
        let t = lanes.t[lane];
        hit.t = if t.is_finite() { t } else { f64::from(hit.hit.t) };
        hit.cos_incidence = lanes.cos_incidence[lane].min(1.0);
    }
}

impl<'a> RaySceneAt<'a> {
    /// The instance and the triangle of a hit, where it stands still and is as flat as it looks.
    #[inline(always)]
    fn still_triangle(
        &self,
        hit: &RayHit,
    ) -> Option<(&'a TlasInstance, (&'a TrianglePack, usize))> {
        if hit.placed & ANYWHERE != 0 {
            return None;
        }
        let (placed, mesh) = self.standing_tree(hit.placed, hit.level)?;
        let pack = mesh.packs.get(hit.slot as usize / PACK)?;
        (mesh.curve.is_none() && !placed.moves())
            .then_some((placed, (pack, hit.slot as usize % PACK)))
    }
}
