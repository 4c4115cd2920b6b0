//! What a walk sees: a tree over instances, their meshes, and where they are at one time.

use crate::build::blas::MeshTree;
use crate::build::lod::Coarser;
use crate::build::tlas::{Frame, Placed, TopTree};
use crate::motion::{PlacedSway, SwayClock};
use crate::scene::{Instance, SceneMover};
use glam::{DMat3, DVec3, Vec3};

/// The meshes of a scene and their coarser versions.
#[derive(Default)]
pub(crate) struct Meshes {
    pub trees: Vec<MeshTree>,
    /// Versions of them for instances far away.
    pub coarser: Coarser,
}

impl Meshes {
    /// The tree of a version of a mesh; 0 is the mesh itself.
    #[inline(always)]
    pub fn tree(&self, mesh: u32, version: u32) -> &MeshTree {
        let itself = || &self.trees[mesh as usize];
        if version == 0 {
            itself()
        } else {
            self.coarser.tree(mesh, version).unwrap_or_else(itself)
        }
    }

    /// Boxes that together hold a mesh, around its origin: those two levels below the root of its
    /// tree.
    pub fn outline(&self, mesh: u32) -> impl Iterator<Item = (DVec3, DVec3)> {
        let boxes = self.trees[mesh as usize].outline.iter().chain(self.coarser.outlines(mesh));
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

/// How the instances of a tree move.
#[derive(Clone, Copy)]
pub(crate) enum Moving<'a> {
    /// Some of them sway, by their number.
    Sway { sways: &'a [PlacedSway], clock: SwayClock },
    /// All of them go anywhere.
    Anywhere(&'a [SceneMover]),
}

/// A tree over instances at one time.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub top: &'a TopTree,
    pub meshes: &'a Meshes,
    pub moving: Moving<'a>,
    pub time_s: f64,
    /// Set in the places of instances that are reported.
    pub mark: u32,
}

impl<'a> View<'a> {
    /// Where an instance is and the tree of what it shows to rays from `origin`.
    #[inline(always)]
    pub fn enter(&self, placed: &Placed, origin: DVec3) -> (Frame, &'a MeshTree) {
        if !placed.moves() {
            let version = self.meshes.coarser.version_seen(placed, origin);
            return (placed.frame, self.meshes.tree(placed.mesh(), version));
        }
        match &self.moving {
            Moving::Sway { sways, clock } => {
                let sway = &sways[placed.instance().0 as usize];
                let version = self.meshes.coarser.version_seen(placed, origin);
                let frame = placed.leaning(sway.tangents(clock), sway.height);
                (frame, self.meshes.tree(placed.mesh(), version))
            }
            Moving::Anywhere(movers) => self.enter_mover(movers, placed),
        }
    }

    #[inline(never)]
    fn enter_mover(&self, movers: &[SceneMover], placed: &Placed) -> (Frame, &'a MeshTree) {
        let placed = self.placed_mover(movers, placed);
        (placed.frame, self.meshes.tree(placed.mesh(), 0))
    }

    fn placed_mover(&self, movers: &[SceneMover], placed: &Placed) -> Placed {
        let mover = &movers[placed.instance().0 as usize];
        mover.placed(placed.instance().0, self.meshes, self.time_s).unwrap_or(*placed)
    }

    /// An instance where it is, in f64.
    #[inline]
    pub fn exactly(&self, place: u32) -> Placed {
        let placed = &self.top.placed[place as usize];
        if !placed.moves() {
            return *placed;
        }
        match &self.moving {
            Moving::Sway { sways, clock } => {
                let sway = &sways[placed.instance().0 as usize];
                placed.leaning_exactly(sway.tangents(clock), sway.height)
            }
            Moving::Anywhere(movers) => self.placed_mover(movers, placed),
        }
    }
}

impl SceneMover {
    /// Where it is at a time; `None` where its motion has no such place.
    pub fn placed(&self, number: u32, meshes: &Meshes, time_s: f64) -> Option<Placed> {
        let (mesh, world_from_mesh) = self.motion.at(time_s);
        let tree = meshes.trees.get(mesh.0 as usize)?;
        let instance = Instance::new(number as usize, mesh, tree.origin, world_from_mesh).ok()?;
        Some(Placed::new(number, &instance, tree.edges).moving(0.0))
    }
}
