//! What a walk sees: a tree over instances, their meshes, and where they are at one time.

use crate::build::blas::MeshTree;
use crate::build::meshes::Meshes;
use crate::build::mover::SceneMover;
use crate::build::tlas::{Frame, Placed, TopTree};
use crate::motion::{PlacedSway, SwayClock};
use glam::DVec3;

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
