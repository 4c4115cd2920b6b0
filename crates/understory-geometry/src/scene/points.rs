//! The hits of a batch worked out in f64, eight at a time.
//!
//! What enters: what a [`PulseTracer`] has found. What leaves: for each hit its distance and the
//! cosine of its angle of incidence, to the same bits as [`RaySceneAt::surface_point`] gives one by
//! one. Eight hits are copied to lanes first, so that none waits for the division of the other.

use super::RayScene;
use super::at::RaySceneAt;
use super::batch::{PulseBatch, PulseHit, PulseTracer};
use super::dynamic_bvh::DynamicBvh;
use crate::RayHit;
use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::{PACK, TrianglePack};
use crate::traverse::ANYWHERE;
use crate::traverse::point_lanes::{PointLanes, TOGETHER};
use glam::DVec3;
use std::ops::Range;

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
