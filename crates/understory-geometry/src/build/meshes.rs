//! The meshes of a scene as trees, with their LOD levels.

use super::blas::Blas;
use super::lod::Lods;
use crate::instance::Instance;
use glam::{DMat3, DVec3, Vec3};

/// The meshes of a scene and their LOD levels.
#[derive(Default)]
pub(crate) struct Meshes {
    pub trees: Vec<Blas>,
    /// Levels of them for instances far away.
    pub lods: Lods,
}

impl Meshes {
    /// The tree of a level of a mesh; 0 is the mesh itself.
    #[inline(always)]
    pub fn tree(&self, mesh: u32, level: u32) -> &Blas {
        let itself = || &self.trees[mesh as usize];
        if level == 0 { itself() } else { self.lods.tree(mesh, level).unwrap_or_else(itself) }
    }

    /// Boxes that together hold a mesh, around its origin: those two levels below the root of its
    /// tree.
    pub fn outline(&self, mesh: u32) -> impl Iterator<Item = (DVec3, DVec3)> {
        let boxes = self.trees[mesh as usize].outline.iter().chain(self.lods.outlines(mesh));
        boxes.map(|part| (Vec3::from(part.min).as_dvec3(), Vec3::from(part.max).as_dvec3()))
    }

    /// Box of an instance in the world.
    pub fn world_bounds(&self, instance: &Instance) -> (DVec3, DVec3) {
        let (low, high) = around(instance.world_from_mesh, self.outline(instance.mesh));
        (instance.translation + low, instance.translation + high)
    }
}

/// Box around boxes that are turned and stretched.
pub(crate) fn around(linear: DMat3, boxes: impl Iterator<Item = (DVec3, DVec3)>) -> (DVec3, DVec3) {
    let size = DMat3::from_cols(linear.x_axis.abs(), linear.y_axis.abs(), linear.z_axis.abs());
    boxes.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), (min, max)| {
        let middle = linear * ((min + max) * 0.5);
        let half = size * ((max - min) * 0.5);
        (low.min(middle - half), high.max(middle + half))
    })
}
