//! A body that goes anywhere: where it is at a time, and the box that holds it for a while.

use super::meshes::{Meshes, around};
use super::tlas::TlasInstance;
use crate::instance::Instance;
use crate::motion::InstanceMotion;
use glam::DVec3;

/// A body that goes anywhere.
pub(crate) struct SceneMover {
    pub motion: Box<dyn InstanceMotion>,
    /// Boxes that together hold all that it shows at some time, in its own frame.
    pub outline: Vec<(DVec3, DVec3)>,
}

impl SceneMover {
    /// Where it is at a time; `None` where its motion has no such place.
    pub fn placed(&self, number: u32, meshes: &Meshes, time_s: f64) -> Option<TlasInstance> {
        let (mesh, world_from_mesh) = self.motion.at(time_s);
        let tree = meshes.trees.get(mesh.0 as usize)?;
        let instance = Instance::new(number as usize, mesh, tree.origin, world_from_mesh).ok()?;
        Some(TlasInstance::new(number, &instance, tree.edges).moving(0.0))
    }

    /// A box that holds it from one time to another; a point where it has no valid pose.
    pub fn bounds(&self, from_s: f64, to_s: f64) -> (DVec3, DVec3) {
        let (_, world_from_mesh) = self.motion.at(0.5 * (from_s + to_s));
        let (low, high) = around(world_from_mesh.matrix3, self.outline.iter().copied());
        let reach = DVec3::splat(self.motion.reach_m(from_s, to_s));
        let (low, high) = (low - reach, high + reach);
        let there = world_from_mesh.translation;
        let valid = there.is_finite() && low.is_finite() && high.is_finite();
        if valid { (there + low, there + high) } else { (DVec3::ZERO, DVec3::ZERO) }
    }
}
