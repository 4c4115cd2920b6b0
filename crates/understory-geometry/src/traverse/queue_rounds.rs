//! Rounds over the queues of a stream in a mesh: rays against boxes, pulses against the children of
//! nodes, rays against triangles, until nothing waits.

use super::queues::{FULL, LEAVES, ROUND, Waiting, enter_children};
use super::stream_mesh::{LocalEntry, MeshStream};
use super::triangles::pack_against_pulse;
use super::{NearestOfPulse, RAYS, SHARED};
use crate::build::node8::LEAF;
use crate::filter::WalkFilter;
use crate::simd::{Isa, Vector};

impl<I: Isa, F: WalkFilter, const FROM: u8> MeshStream<'_, I, F, FROM> {
    /// Does all that waits.
    ///
    /// # Safety
    /// All that waits is of this mesh, and its pulses are transformed; called only from a kernel
    /// of `I`.
    #[inline(always)]
    pub(super) unsafe fn empty_queues(&mut self) {
        let mut leaves = 0;
        let mut ahead = false;
        // SAFETY: as promised by the caller, and the bounds of the queues as said at each.
        unsafe {
            loop {
                leaves = self.rays_into_boxes(leaves, ahead);
                ahead = true;
                if leaves >= LEAVES || self.queues.waiting == 0 {
                    self.rays_onto_triangles(leaves);
                    leaves = 0;
                }
                if self.queues.waiting == 0 {
                    return;
                }
                self.pulses_into_nodes();
            }
        }
    }

    /// Rays of all pairs against their boxes: those that enter wait at nodes and leaves.
    ///
    /// # Safety
    /// There are fewer than [`LEAVES`] leaves, and room for [`PAIRS`] nodes or as many as pairs.
    #[inline(always)]
    unsafe fn rays_into_boxes(&mut self, leaves: usize, ahead: bool) -> usize {
        let mut leaves = leaves;
        let mut waiting = self.queues.waiting;
        for pair in 0..self.queues.pairs {
            // SAFETY: pairs name blocks, places below 8 and pulses below 16; a pair adds one node
            // or one leaf.
            unsafe {
                let at = *self.queues.boxes.get_unchecked(pair) as usize;
                let who = *self.queues.whose.get_unchecked(pair);
                let (pulse, place) = ((who >> 16) as usize, at & 7);
                let block = self.queues.blocks.get_unchecked(at >> 3);
                let planes = |axis: usize| block.planes_of(place, axis);
                let t = self.pulses.get_unchecked(pulse).t.load::<I>();
                let entering = self.local.get_unchecked(pulse).enter::<I, FROM>(planes, t);
                let rays = who & 0xffff & entering;
                let child = *block.child.get_unchecked(place);
                let entry = *block.entry.get_unchecked(place);
                let item = Waiting { index: child & !LEAF, who: who & !0xffff | rays, entry };
                *self.queues.nodes.get_unchecked_mut(waiting) = item;
                *self.queues.leaves.get_unchecked_mut(leaves) = item;
                let enters = usize::from(rays != 0);
                let at_leaf = (child >> 31) as usize;
                waiting += enters & (at_leaf ^ 1);
                leaves += enters & at_leaf;
                if ahead {
                    self.tree.prefetch::<I>(if rays != 0 { child } else { 0 });
                }
            }
        }
        self.queues.waiting = waiting;
        self.queues.pairs = 0;
        self.queues.blocks_used = 0;
        leaves
    }

    /// The rays that wait at leaves against their triangles.
    ///
    /// # Safety
    /// So many leaves wait, of this mesh.
    #[inline(always)]
    unsafe fn rays_onto_triangles(&mut self, leaves: usize) {
        for leaf in 0..leaves {
            // SAFETY: pulses are below 16, and leaves number the packs of the mesh.
            unsafe {
                let Waiting { index, who, entry } = *self.queues.leaves.get_unchecked(leaf);
                let number = (who >> 16) as usize;
                let pulse = self.pulses.get_unchecked_mut(number);
                let t = pulse.t.load::<I>();
                let rays = who & 0xffff & I::Rays::splat(entry).le(t);
                if rays == 0 {
                    continue;
                }
                let local = self.local.get_unchecked(number);
                let farthest = pulse.farthest;
                let mut nearest = NearestOfPulse::<I> { t, met: &mut pulse.met, farthest };
                let pack = self.tree.packs.get_unchecked(index as usize);
                let direction = [
                    local.direction[0].load::<I>(),
                    local.direction[1].load::<I>(),
                    local.direction[2].load::<I>(),
                ];
                let (near_row, origin) = (self.near_row, self.origin);
                let entry = &LocalEntry::<FROM> { local, near_row, origin };
                let hit = if FROM == RAYS {
                    let origins = [
                        local.origins[0].load::<I>(),
                        local.origins[1].load::<I>(),
                        local.origins[2].load::<I>(),
                    ];
                    pack_against_pulse::<I, F, true>(
                        pack,
                        index,
                        direction,
                        local.origin,
                        origins,
                        rays,
                        entry,
                        &self.context,
                        &mut nearest,
                        self.filter,
                    )
                } else {
                    // Without origins of their own the rays' are not read.
                    let origin = if FROM == SHARED { self.origin } else { local.origin };
                    pack_against_pulse::<I, F, false>(
                        pack,
                        index,
                        direction,
                        origin,
                        direction,
                        rays,
                        entry,
                        &self.context,
                        &mut nearest,
                        self.filter,
                    )
                };
                if hit {
                    let t = nearest.t;
                    t.store(pulse.t.0.as_mut_ptr());
                    pulse.farthest = t.max_of(0xffff);
                    self.far.0[number & 15] = pulse.farthest;
                }
            }
        }
    }

    /// The pulses that wait at nodes against the children of those: survivors become pairs.
    ///
    /// # Safety
    /// Nodes wait, of this mesh, and no pairs.
    #[inline(always)]
    unsafe fn pulses_into_nodes(&mut self) {
        let waiting = self.queues.waiting;
        let room = FULL.saturating_sub(waiting) / 8;
        let first = waiting - waiting.min(room.clamp(1, ROUND));
        let mut pairs = 0;
        for (block_number, at) in (first..waiting).enumerate() {
            // SAFETY: at most ROUND nodes of at most eight children are taken; nodes are those of
            // the tree and pulses below 16.
            unsafe {
                let Waiting { index, who, entry } = *self.queues.nodes.get_unchecked(at);
                let number = (who >> 16) as usize & 15;
                let pulse = self.pulses.get_unchecked(number);
                let rays = who & 0xffff & I::Rays::splat(entry).le(pulse.t.load::<I>());
                let node = self.tree.nodes.get_unchecked(index as usize);
                let reach = self.reach_of(number);
                let block = self.queues.blocks.get_unchecked_mut(block_number);
                let (entered, _) = enter_children::<I, FROM>(
                    node,
                    &self.near_row,
                    &self.far_row,
                    &reach,
                    pulse.farthest,
                    block,
                );
                let entered = if rays != 0 { entered } else { 0 };
                let boxes = self.queues.boxes.as_mut_ptr().add(pairs);
                I::write_places(entered, (block_number * 8) as u32, boxes);
                let who = f32::from_bits((number as u32) << 16 | rays);
                let whose = self.queues.whose.as_mut_ptr().add(pairs);
                I::Children::splat(who).store(whose.cast());
                pairs += entered.count_ones() as usize;
            }
        }
        self.queues.pairs = pairs;
        self.queues.waiting = first;
    }
}
