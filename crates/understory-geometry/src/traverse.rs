//! Nearest hits: the walk of a pulse and of a single ray through the two levels of the tree.
//!
//! What enters: a [`View`](view::View) of a tree and rays in its frame. What leaves: for each ray the
//! nearest slot (a place in a pack of triangles) and its instance.
//!
//! A ray is tested against the triangles of a leaf where it enters the leaf's box, by one test that
//! all walks share: the planes less the origin, times a reciprocal widened by [`SLAB_PAD`]. Rounding
//! keeps order, so a ray that enters a box enters all around it, and bounds of several rays hold
//! for each of them to the last bit. Thus a single ray, a pulse and a stream of pulses find the same.
//!
//! The walks are written once over [`Isa`]; `dispatch` compiles them for each instruction set and
//! chooses at run time.

pub(crate) mod box_packet;
pub(crate) mod boxes;
mod dispatch;
pub(crate) mod interleaved;
mod kernels;
pub(crate) mod point_lanes;
pub(crate) mod pulse;
mod queue_rounds;
pub(crate) mod queues;
pub(crate) mod ray;
pub(crate) mod ray_origins;
pub(crate) mod slab_pulse;
pub(crate) mod stream;
pub(crate) mod stream_mesh;
pub(crate) mod stream_state;
pub(crate) mod triangles;
pub(crate) mod view;
pub(crate) mod walk;

use crate::build::node8::EMPTY;
use crate::build::wide_tree::STACK;
use crate::simd::{Isa, Vector};
use std::mem::MaybeUninit;

/// Set in [`RayHit::placed`](crate::RayHit) of bodies that go anywhere.
pub(crate) const ANYWHERE: u32 = 1 << 31;

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

/// How much the slabs of a tree are widened for a ray that goes along them: such a ray may begin on
/// the very plane of a box, where no distance tells inside from outside.
#[inline(always)]
fn along_slab(origin: f32) -> f32 {
    origin.abs().mul_add(2.0 * SLAB_PAD, LEAST_WIDENING)
}
/// The same at the origin of a tree.
const LEAST_WIDENING: f32 = 1e-12;

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

/// From where the rays of a stream begin: all from one point,
pub(crate) const SHARED: u8 = 0;
/// those of each pulse from one,
pub(crate) const PULSES: u8 = 1;
/// each from its own.
pub(crate) const RAYS: u8 = 2;

/// A row of 16 lanes in memory, the same for all instruction sets.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row(pub [f32; 16]);

impl Row {
    /// # Safety
    /// Called only from a kernel of `I`.
    #[inline(always)]
    unsafe fn load<I: Isa>(&self) -> I::Rays {
        // SAFETY: there are 16 lanes.
        unsafe { I::Rays::load(self.0.as_ptr()) }
    }
}

/// What the rays of a pulse have met so far, by ray.
#[derive(Clone, Copy)]
pub(crate) struct Met {
    /// As in [`Nearest`].
    pub slot: [u32; 16],
    pub placed: [u32; 16],
}

/// Nearest hits so far of the rays of a pulse.
pub(crate) struct NearestOfPulse<'a, I: Isa> {
    /// Rays that are none have a distance below 0.
    pub t: I::Rays,
    pub met: &'a mut Met,
    /// Largest of `t`: nothing beyond can matter.
    pub farthest: f32,
}
