//! The tree over bodies that go anywhere, fitted to a span of time.
//!
//! Each thread has one and fits it to the pulses that it traces next. A body's box holds it at
//! every time of the span; where exactly it is, is asked at the time of the pulse that enters the
//! box. So the span changes how fast hits are found, never what is hit.

use super::RayScene;
use crate::build::tlas::{Tlas, TlasInstance};
use crate::traverse::ANYWHERE;
use crate::traverse::view::{Moving, View};
use glam::DVec3;

/// A fitted tree whose boxes have grown this much in area is built anew.
const GROWN: f64 = 2.0;

/// A tree over bodies that go anywhere. Belongs to the scene that fits it.
#[derive(Default)]
pub struct DynamicBvh {
    tlas: Tlas,
    boxes: Vec<(DVec3, DVec3)>,
    placed: Vec<TlasInstance>,
    /// Area of all boxes when the tree was built.
    built_area: f64,
}

impl DynamicBvh {
    /// Whether it was fitted to anything.
    #[inline]
    pub(crate) fn is_fitted(&self) -> bool {
        !self.tlas.nodes.is_empty()
    }

    #[inline]
    pub(crate) fn view<'a>(&'a self, scene: &'a RayScene, time_s: f64) -> View<'a> {
        let moving = Moving::Anywhere(&scene.movers);
        View { tlas: &self.tlas, meshes: &scene.meshes, moving, time_s, mark: ANYWHERE }
    }
}

impl RayScene {
    /// Fits `tree` to everything that moves at any time from `from_s` to `to_s`.
    pub fn refit(&self, tree: &mut DynamicBvh, from_s: f64, to_s: f64) {
        if self.movers.is_empty() {
            return;
        }
        let DynamicBvh { tlas, boxes, placed, built_area } = tree;
        let middle_s = 0.5 * (from_s + to_s);
        boxes.clear();
        placed.clear();
        for (number, mover) in self.movers.iter().enumerate() {
            let number = number as u32;
            boxes.push(mover.bounds(from_s, to_s));
            // Without a valid place it is met nowhere, but its leaf must be there.
            let place = mover.placed(number, &self.meshes, middle_s);
            placed.push(place.unwrap_or_else(|| TlasInstance::nowhere(number)));
        }
        let area: f64 = boxes.iter().map(|(low, high)| half_area(*high - *low)).sum();
        let known = tlas.instances.len() == placed.len();
        if known && area <= *built_area * GROWN {
            tlas.refit(boxes, |number| placed[number as usize]);
        } else {
            *tlas = Tlas::build(boxes, |number| placed[number as usize]);
            *built_area = area;
        }
    }
}

fn half_area(size: DVec3) -> f64 {
    size.x * size.y + size.y * size.z + size.z * size.x
}
