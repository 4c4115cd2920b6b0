//! Nearest hits: the walk of a pulse and of a single ray through the two levels of the tree.
//!
//! What enters: a [`View`](view::View) of a tree and rays in its frame. What leaves: for each ray the
//! nearest slot (a place in a pack of triangles) and its instance.
//!
//! The walks are written once over [`Isa`]; `dispatch` compiles them for each instruction set and
//! chooses at run time.

pub(crate) mod boxes;
mod dispatch;
pub(crate) mod interleaved;
mod kernels;
pub(crate) mod pulse;
pub(crate) mod ray;
pub(crate) mod slab_pulse;
pub(crate) mod triangles;
pub(crate) mod view;
pub(crate) mod walk;

use crate::build::node8::EMPTY;
use crate::build::wide_tree::STACK;
use crate::simd::{Isa, Vector};
use std::mem::MaybeUninit;

/// Relative widening of slabs: six roundings of f32, more than the slab tests make.
const SLAB_PAD: f32 = 3.6e-7;
/// Least component of a direction, so that its reciprocal times any coordinate stays finite.
const LEAST_DIRECTION: f32 = 1e-18;

/// Reciprocal of a direction's component, finite also for 0.
#[inline(always)]
fn reciprocal(component: f32) -> f32 {
    if component.abs() < LEAST_DIRECTION {
        1.0 / LEAST_DIRECTION.copysign(component)
    } else {
        1.0 / component
    }
}

/// Room for what a walk leaves for later, uninitialised: a walk is too short to clear it first.
struct Stack<T: Copy> {
    entries: [MaybeUninit<T>; STACK],
}

impl<T: Copy> Stack<T> {
    #[inline(always)]
    fn new() -> Self {
        Stack { entries: [const { MaybeUninit::uninit() }; STACK] }
    }

    /// # Safety
    /// `at` is below [`STACK`] and was set before.
    #[inline(always)]
    unsafe fn get(&self, at: usize) -> T {
        // SAFETY: as promised by the caller.
        unsafe { self.entries.get_unchecked(at).assume_init() }
    }

    /// # Safety
    /// `at` is below [`STACK`].
    #[inline(always)]
    unsafe fn set(&mut self, at: usize, value: T) {
        // SAFETY: as promised by the caller.
        unsafe { *self.entries.get_unchecked_mut(at) = MaybeUninit::new(value) }
    }
}

/// Nearest hit so far of one ray.
#[derive(Clone, Copy)]
pub(crate) struct Nearest {
    pub t: f32,
    /// Pack index times four plus place in the pack; [`EMPTY`]: none.
    pub slot: u32,
    /// Place of the instance in the TLAS.
    pub placed: u32,
}

impl Nearest {
    pub fn none(t_max: f32) -> Nearest {
        Nearest { t: t_max, slot: EMPTY, placed: EMPTY }
    }
}

/// Nearest hits so far of the rays of a pulse.
pub(crate) struct NearestOfPulse<I: Isa> {
    pub t: I::Rays,
    pub slot: [u32; 16],
    pub placed: [u32; 16],
    /// Largest of `t`: nothing beyond can matter.
    pub farthest: f32,
}

impl<I: Isa> NearestOfPulse<I> {
    /// Rays of `mask` may hit nearer than what they have hit so far; the others never.
    #[inline(always)]
    pub fn from_rays(mask: u32, rays: &[Nearest; 16]) -> Self {
        let mut t = [0.0f32; 16];
        let (mut slot, mut placed) = ([EMPTY; 16], [EMPTY; 16]);
        let mut farthest = 0.0f32;
        for ray in 0..16 {
            let open = mask >> ray & 1 != 0;
            t[ray] = if open { rays[ray].t } else { -1.0 };
            farthest = farthest.max(t[ray]);
            (slot[ray], placed[ray]) = (rays[ray].slot, rays[ray].placed);
        }
        // SAFETY: 16 rays are there.
        NearestOfPulse { t: unsafe { I::Rays::load(t.as_ptr()) }, slot, placed, farthest }
    }
}
