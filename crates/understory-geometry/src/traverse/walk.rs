//! Where a single ray is in a tree: eight children at a time, nearest first.

use super::{LEAST_DIRECTION, SLAB_PAD, Stack, along_slab, reciprocal};
use crate::build::node8::{LEAF, Node8};
use crate::simd::{Isa, Vector};

/// A ray in the frame of a tree, with the constants of its slab tests.
#[derive(Clone, Copy)]
pub(crate) struct SlabRay {
    pub origin: [f32; 3],
    pub direction: [f32; 3],
    reciprocal: [f32; 3],
}

impl SlabRay {
    #[inline(always)]
    pub fn new(origin: [f32; 3], direction: [f32; 3]) -> SlabRay {
        let [x, y, z] = direction;
        let reciprocal = [reciprocal(x), reciprocal(y), reciprocal(z)];
        SlabRay { origin, direction, reciprocal }
    }

    /// How far the slabs of an axis are widened, towards lower planes where the ray goes up it.
    #[inline(always)]
    fn widening(&self, axis: usize) -> f32 {
        let along = self.direction[axis].abs() < LEAST_DIRECTION;
        let widening = if along { along_slab(self.origin[axis]) } else { 0.0 };
        if self.reciprocal[axis] < 0.0 { -widening } else { widening }
    }

    /// Where the ray enters a box that it meets, by the test of a [`Walk`].
    #[inline(always)]
    pub fn entry(&self, bounds: &[f32; 6]) -> f32 {
        let mut entry = 0.0;
        for axis in 0..3 {
            let inverse = self.reciprocal[axis];
            let near = bounds[if inverse < 0.0 { 3 + axis } else { axis }];
            let at = (near - (self.origin[axis] + self.widening(axis))) * near_scale(inverse);
            entry = if at > entry { at } else { entry };
        }
        entry
    }
}

/// A reciprocal direction, widened towards near planes.
#[inline(always)]
fn near_scale(inverse: f32) -> f32 {
    inverse * (1.0 - SLAB_PAD)
}

/// Where the ray crosses the planes of one row of a node.
///
/// # Safety
/// `row` is below 6.
#[inline(always)]
unsafe fn slab<I: Isa>(
    node: &Node8,
    row: usize,
    origin: I::Children,
    scale: I::Children,
) -> I::Children {
    // SAFETY: a row has as many lanes as a vector of children.
    unsafe { I::Children::load(node.bounds.get_unchecked(row).as_ptr()).sub(origin).mul(scale) }
}

/// What is kept of a child for later: entry distance above child code, ordered as one number.
#[inline(always)]
fn key(entry: &[f32; 8], node: &Node8, place: usize) -> u64 {
    u64::from(entry[place].to_bits()) << 32 | u64::from(node.child[place])
}

/// The walk of one ray: constants of its slab tests, and what it has left for later.
pub(crate) struct Walk<I: Isa> {
    near_row: [usize; 3],
    far_row: [usize; 3],
    origin_near: [I::Children; 3],
    origin_far: [I::Children; 3],
    near_scale: [I::Children; 3],
    far_scale: [I::Children; 3],
    stack: Stack<u64>,
    open: usize,
    /// Child code where it is.
    pub current: u32,
}

impl<I: Isa> Walk<I> {
    #[inline(always)]
    pub fn new(ray: &SlabRay, start: u32) -> Self {
        let mut near_row = [0usize, 1, 2];
        let zero = [I::Children::splat(0.0); 3];
        let (mut near_scales, mut far_scale) = (zero, zero);
        let (mut origin_near, mut origin_far) = (zero, zero);
        for axis in 0..3 {
            let inverse = ray.reciprocal[axis];
            if inverse < 0.0 {
                near_row[axis] += 3;
            }
            let (origin, widening) = (ray.origin[axis], ray.widening(axis));
            origin_near[axis] = I::Children::splat(origin + widening);
            origin_far[axis] = I::Children::splat(origin - widening);
            near_scales[axis] = I::Children::splat(near_scale(inverse));
            far_scale[axis] = I::Children::splat(inverse * (1.0 + SLAB_PAD));
        }
        Walk {
            far_row: [3 - near_row[0], 5 - near_row[1], 7 - near_row[2]],
            near_row,
            origin_near,
            origin_far,
            near_scale: near_scales,
            far_scale,
            stack: Stack::new(),
            open: 0,
            current: start,
        }
    }

    #[inline(always)]
    pub fn at_leaf(&self) -> bool {
        self.current & LEAF != 0
    }

    /// From a node to the nearest of its children that the ray enters before `nearest_t`, leaving
    /// the others for later; false: it enters none.
    ///
    /// # Safety
    /// The walk is at a node of `nodes`, a whole tree whose walk fits a [`Stack`].
    #[inline(always)]
    pub unsafe fn descend(
        &mut self,
        nodes: &[Node8],
        nearest_t: f32,
        prefetch: impl Fn(u32),
    ) -> bool {
        // SAFETY: codes without the leaf bit are nodes of the tree, and rows have 8 lanes.
        let (node, mut entered, entry) = unsafe {
            let node = nodes.get_unchecked(self.current as usize);
            let near = |axis: usize| {
                slab::<I>(node, self.near_row[axis], self.origin_near[axis], self.near_scale[axis])
            };
            let far = |axis: usize| {
                slab::<I>(node, self.far_row[axis], self.origin_far[axis], self.far_scale[axis])
            };
            let enter = near(0).max(near(1)).max(near(2).max(I::Children::splat(0.0)));
            let leave = far(0).min(far(1)).min(far(2).min(I::Children::splat(nearest_t)));
            let mut entry = [0.0f32; 8];
            enter.store(entry.as_mut_ptr());
            (node, enter.le(leave) & node.occupied, entry)
        };
        if entered == 0 {
            return false;
        }
        let mut next = || {
            let place = entered.trailing_zeros() as usize & 7;
            entered &= entered.wrapping_sub(1);
            (key(&entry, node, place), entered)
        };
        // Most nodes have one or two: without a branch on which, for nothing foretells it.
        let (first, others) = next();
        let (second, mut left) = next();
        prefetch(first.max(second) as u32);
        let second = if others == 0 { u64::MAX } else { second };
        let (nearer, farther) = (first.min(second), first.max(second));
        // SAFETY: the walk fits the stack.
        unsafe { self.stack.set(self.open, farther) };
        if left == 0 {
            self.open += usize::from(others != 0);
            self.current = nearer as u32;
            return true;
        }
        let base = self.open;
        // SAFETY: the walk fits the stack, so `open` and all before it are in it.
        unsafe { self.stack.set(base + 1, nearer) };
        self.open += 2;
        while left != 0 {
            let key;
            (key, left) = next();
            prefetch(key as u32);
            // SAFETY: as above.
            unsafe {
                let mut at = self.open;
                while at > base && self.stack.get(at - 1) < key {
                    self.stack.set(at, self.stack.get(at - 1));
                    at -= 1;
                }
                self.stack.set(at, key);
            }
            self.open += 1;
        }
        self.open -= 1;
        // SAFETY: just pushed.
        self.current = unsafe { self.stack.get(self.open) } as u32;
        true
    }

    /// On to what was left for later and begins no farther than `nearest_t`; false: the walk is
    /// over.
    #[inline(always)]
    pub fn go_back(&mut self, nearest_t: f32) -> bool {
        while self.open > 0 {
            self.open -= 1;
            // SAFETY: `open` was pushed before.
            let key = unsafe { self.stack.get(self.open) };
            if f32::from_bits((key >> 32) as u32) <= nearest_t {
                self.current = key as u32;
                return true;
            }
        }
        false
    }
}
