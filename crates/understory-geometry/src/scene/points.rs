//! The hits of a stream worked out in f64, eight at a time, while what was hit is still at hand.
//!
//! What enters: what the pulses of a stream have met. What leaves: for each hit its distance and the
//! cosine of its angle of incidence, to the same bits as [`RaySceneAt::surface_point`] gives one by
//! one. Eight hits are copied to lanes first, so that none waits for the division of the other.

use super::at::RaySceneAt;
use crate::build::tlas::TlasInstance;
use crate::build::triangle_pack::{PACK, TrianglePack};
use crate::traverse::ANYWHERE;
use crate::traverse::point_lanes::{PointLanes, TOGETHER};
use crate::{InstructionSet, RayHit};
use glam::DVec3;

/// A hit in f64.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExactHit {
    pub t: f64,
    pub cos_incidence: f64,
}

/// Hits that wait to be worked out, and what was worked out of all, by ray of the batch.
#[derive(Clone)]
pub(super) struct Points {
    lanes: PointLanes,
    /// Ray and f32 distance of each lane in use.
    waiting: [(u32, f32); TOGETHER],
    count: usize,
    pub exact: Vec<ExactHit>,
}

impl Points {
    pub const NONE: Points = Points {
        lanes: PointLanes::NONE,
        waiting: [(0, 0.0); TOGETHER],
        count: 0,
        exact: Vec::new(),
    };

    /// Takes up the hit of ray `ray` from `from` along `direction`, of a scene at its time.
    #[inline(always)]
    pub fn add(
        &mut self,
        now: &RaySceneAt<'_>,
        set: InstructionSet,
        (ray, hit): (u32, &RayHit),
        from: DVec3,
        direction: DVec3,
    ) {
        let Some((placed, triangle)) = now.still_triangle(hit) else {
            let point = now.surface_point(hit, from, direction);
            let cos_incidence = point.normal.dot(direction).abs().min(1.0);
            self.exact[ray as usize] = ExactHit { t: point.t, cos_incidence };
            return;
        };
        self.lanes.set(self.count, triangle, placed, from, direction);
        self.waiting[self.count] = (ray, hit.t);
        self.count += 1;
        if self.count == TOGETHER {
            self.work_out(set);
        }
    }

    /// Works out all that waits.
    #[inline(never)]
    pub fn work_out(&mut self, set: InstructionSet) {
        if self.count == 0 {
            return;
        }
        set.work_out_points(&mut self.lanes);
        for (lane, &(ray, nearly)) in self.waiting[..self.count].iter().enumerate() {
            let t = self.lanes.t[lane];
            self.exact[ray as usize] = ExactHit {
                t: if t.is_finite() { t } else { f64::from(nearly) },
                cos_incidence: self.lanes.cos_incidence[lane].min(1.0),
            };
        }
        self.count = 0;
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
