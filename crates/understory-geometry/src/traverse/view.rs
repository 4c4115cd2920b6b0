//! What a walk sees: a tree over instances, their meshes, and where they are at one time.

use crate::build::blas::Blas;
use crate::build::meshes::Meshes;
use crate::build::mover::SceneMover;
use crate::build::tlas::{Frame, Tlas, TlasInstance};
use crate::motion::{InstanceSway, SwayClock};
use glam::DVec3;

/// How the instances of a tree move.
#[derive(Clone, Copy)]
pub(crate) enum Moving<'a> {
    /// Some of them sway, by their number.
    Sway { sways: &'a [InstanceSway], clock: SwayClock },
    /// All of them go anywhere.
    Anywhere(&'a [SceneMover]),
}

/// A tree over instances at one time.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub tlas: &'a Tlas,
    pub meshes: &'a Meshes,
    pub moving: Moving<'a>,
    pub time_s: f64,
    /// Set in the places of instances that are reported.
    pub mark: u32,
}

impl<'a> View<'a> {
    /// Where an instance is and the tree of what it shows to rays from `origin`.
    #[inline(always)]
    pub fn resolve_instance(&self, placed: &TlasInstance, origin: DVec3) -> (Frame, &'a Blas) {
        if !placed.moves() {
            let level = self.meshes.lods.level_seen(placed, origin);
            return (placed.frame, self.meshes.tree(placed.mesh(), level));
        }
        match &self.moving {
            Moving::Sway { sways, clock } => {
                let sway = &sways[placed.instance().0 as usize];
                let level = self.meshes.lods.level_seen(placed, origin);
                let frame = placed.leaning(sway.tangents(clock), sway.height);
                (frame, self.meshes.tree(placed.mesh(), level))
            }
            Moving::Anywhere(movers) => self.resolve_mover(movers, placed),
        }
    }

    #[inline(never)]
    fn resolve_mover(&self, movers: &[SceneMover], placed: &TlasInstance) -> (Frame, &'a Blas) {
        let placed = self.mover_instance(movers, placed);
        (placed.frame, self.meshes.tree(placed.mesh(), 0))
    }

    fn mover_instance(&self, movers: &[SceneMover], placed: &TlasInstance) -> TlasInstance {
        let mover = &movers[placed.instance().0 as usize];
        mover.placed(placed.instance().0, self.meshes, self.time_s).unwrap_or(*placed)
    }

    /// An instance where it is, in f64.
    #[inline]
    pub fn exactly(&self, place: u32) -> TlasInstance {
        let placed = &self.tlas.instances[place as usize];
        if !placed.moves() {
            return *placed;
        }
        match &self.moving {
            Moving::Sway { sways, clock } => {
                let sway = &sways[placed.instance().0 as usize];
                placed.leaning_exactly(sway.tangents(clock), sway.height)
            }
            Moving::Anywhere(movers) => self.mover_instance(movers, placed),
        }
    }
}
