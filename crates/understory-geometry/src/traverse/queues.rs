//! What few pulses of a stream enter waits here and is done in flat loops.
//!
//! What enters: pairs of a box and a pulse, and pairs of a node and a pulse, both with the rays of
//! the pulse that may enter. What leaves: the hits of those rays in the mesh. Rays are tested
//! against boxes, pulses against the children of nodes, rays against triangles, in turns: no loop
//! waits for the outcome of its last pass, and memory is asked for a round before it is needed.
//!
//! The queues are bounded: a round takes at most [`ROUND`] nodes, and takes fewer, in the end one
//! after another as a walk with a stack would, when they fill.

use super::SHARED;
use crate::build::node8::Node8;
use crate::build::wide_tree::STACK;
use crate::simd::{Isa, Vector};

/// Most nodes of a round.
pub(super) const ROUND: usize = 64;
/// From this many waiting leaves on their triangles come first.
pub(super) const LEAVES: usize = 64;
/// Pairs of a box and a pulse that are worth a round.
pub(super) const FLUSH: usize = 32;
/// Most pairs of a box and a pulse: those of a round's nodes, more than the [`FLUSH`] − 1 and the
/// 8 × 16 of one node that a stream leaves.
const PAIRS: usize = 8 * ROUND;
/// Most waiting nodes.
const NODES: usize = 4096;
/// From this many waiting nodes on they are taken one by one: a walk from one of them never has
/// more than [`STACK`] open.
pub(super) const FULL: usize = NODES - STACK - 16;

const _: () = assert!(FLUSH + 8 * 16 <= PAIRS && FULL > PAIRS + ROUND && FLUSH < ROUND);

/// The boxes of a node for the pulses of a stream: four cache lines.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Block {
    /// Near planes along x, y, z, then far planes; less the origin where all pulses share it.
    pub planes: [[f32; 8]; 6],
    /// Where the first ray enters.
    pub entry: [f32; 8],
    pub child: [u32; 8],
}

impl Block {
    pub const EMPTY: Block = Block { planes: [[0.0; 8]; 6], entry: [0.0; 8], child: [0; 8] };

    /// Near and far plane of a box along an axis.
    ///
    /// # Safety
    /// `place` is below 8, `axis` below 3.
    #[inline(always)]
    pub(super) unsafe fn planes_of(&self, place: usize, axis: usize) -> (f32, f32) {
        // SAFETY: as promised by the caller.
        unsafe {
            let of = |row: usize| *self.planes.get_unchecked(row).get_unchecked(place);
            (of(axis), of(3 + axis))
        }
    }
}

/// A node or a pack of triangles, and rays of a pulse that enter it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Waiting {
    /// Index of the node or pack.
    pub index: u32,
    /// Number of the pulse in the upper, its rays in the lower 16 bits.
    pub who: u32,
    pub entry: f32,
}

/// The queues of a stream, kept from mesh to mesh, where they are always empty.
pub(crate) struct Queues {
    pub(super) blocks: [Block; ROUND],
    /// Boxes of pairs: block times eight plus place, with room for eight more.
    pub(super) boxes: [u32; PAIRS + 8],
    /// Their pulses and rays, as in [`Waiting`].
    pub(super) whose: [u32; PAIRS + 8],
    pub(super) pairs: usize,
    pub(super) blocks_used: usize,
    pub(super) nodes: [Waiting; NODES],
    pub(super) waiting: usize,
    pub(super) leaves: [Waiting; LEAVES + PAIRS + 1],
}

impl Queues {
    pub fn new() -> Queues {
        let none = Waiting { index: 0, who: 0, entry: 0.0 };
        Queues {
            blocks: [Block::EMPTY; ROUND],
            boxes: [0; PAIRS + 8],
            whose: [0; PAIRS + 8],
            pairs: 0,
            blocks_used: 0,
            nodes: [none; NODES],
            waiting: 0,
            leaves: [none; LEAVES + PAIRS + 1],
        }
    }

    /// The block for the next node of the stream.
    #[inline(always)]
    pub fn next_block(&mut self) -> &mut Block {
        // Each block but the last has a pair, and there are fewer than FLUSH pairs.
        &mut self.blocks[self.blocks_used % ROUND]
    }

    /// Queues the pulses of `pulses` with all of their `rays` for a box of the next block.
    ///
    /// # Safety
    /// There are fewer than [`FLUSH`] pairs of blocks before.
    #[inline(always)]
    pub unsafe fn push_box(&mut self, place: usize, pulses: u32, rays: &[u32; 16]) {
        let at = (self.blocks_used * 8 + place) as u32;
        let (mut left, mut pairs) = (pulses, self.pairs);
        // One pulse is the most frequent: it is written whether there is one or not.
        loop {
            let pulse = left.trailing_zeros() & 15;
            // SAFETY: fewer than FLUSH pairs before this node and 8 × 16 of it fit.
            unsafe {
                *self.boxes.get_unchecked_mut(pairs) = at;
                *self.whose.get_unchecked_mut(pairs) = pulse << 16 | rays[pulse as usize];
            }
            pairs += usize::from(left != 0);
            left &= left.wrapping_sub(1);
            if left == 0 {
                break;
            }
        }
        self.pairs = pairs;
    }

    /// Keeps the next block if any pair was queued for it since there were `before`.
    #[inline(always)]
    pub fn keep_block(&mut self, before: usize) {
        self.blocks_used += usize::from(self.pairs > before);
    }

    /// Number of pairs that wait.
    #[inline(always)]
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Queues the root of a mesh for one pulse.
    #[inline(always)]
    pub fn push_root(&mut self, pulse: usize, rays: u32) {
        self.nodes[self.waiting] =
            Waiting { index: 0, who: (pulse as u32) << 16 | rays, entry: 0.0 };
        self.waiting += 1;
    }

    /// Whether nothing waits.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.pairs == 0 && self.waiting == 0
    }
}

/// Between which bounds the rays of pulses lie: reciprocal directions, and where they begin, so
/// that near planes are nearest and far planes farthest.
#[derive(Clone, Copy)]
pub(crate) struct Reach {
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub origin_near: [f32; 3],
    pub origin_far: [f32; 3],
}

/// Which planes of the boxes of a [`Block`] lie below the origin of its stream, by axis; a bit per
/// box.
pub(crate) struct Below {
    pub near: [u32; 3],
    pub far: [u32; 3],
}

/// Children of `node` that rays within `reach` may enter, with what later tests need of them.
///
/// # Safety
/// Rows are below 6; called only from a kernel of `I`.
#[inline(always)]
pub(super) unsafe fn enter_children<I: Isa, const FROM: u8>(
    node: &Node8,
    near_row: &[usize; 3],
    far_row: &[usize; 3],
    reach: &Reach,
    farthest: f32,
    block: &mut Block,
) -> (u32, Below) {
    let mut below = Below { near: [0; 3], far: [0; 3] };
    let zero = I::Children::splat(0.0);
    let mut enter = I::Children::splat(0.0);
    let mut leave = I::Children::splat(farthest);
    for axis in 0..3 {
        // SAFETY: rows are below 6 and have 8 lanes, as have those of a block.
        unsafe {
            let near_plane = I::Children::load(node.bounds.get_unchecked(near_row[axis]).as_ptr());
            let far_plane = I::Children::load(node.bounds.get_unchecked(far_row[axis]).as_ptr());
            let near = near_plane.sub(I::Children::splat(reach.origin_near[axis]));
            let far = far_plane.sub(I::Children::splat(reach.origin_far[axis]));
            let (keep_near, keep_far) =
                if FROM == SHARED { (near, far) } else { (near_plane, far_plane) };
            keep_near.store(block.planes[axis].as_mut_ptr());
            keep_far.store(block.planes[3 + axis].as_mut_ptr());
            (below.near[axis], below.far[axis]) = (near.lt(zero), far.lt(zero));
            let low = I::Children::splat(reach.low[axis]);
            let high = I::Children::splat(reach.high[axis]);
            enter = near.mul(low).min(near.mul(high)).max(enter);
            leave = far.mul(low).max(far.mul(high)).min(leave);
        }
    }
    // SAFETY: rows of a block have 8 lanes.
    unsafe { enter.store(block.entry.as_mut_ptr()) };
    block.child = node.child;
    (enter.le(leave) & node.occupied, below)
}
