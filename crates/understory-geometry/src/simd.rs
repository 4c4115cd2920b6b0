//! The arithmetic of the traversal, once as a trait and thrice in instructions.
//!
//! [`Vector`] is a row of f32 lanes, [`Isa`] the three widths that the traversal needs. Every
//! operation is exactly rounded or exact, and none depends on the width of a register, so AVX-512,
//! AVX2 and the portable twin give the same bits.
//!
//! The methods of the x86 types may only run on a machine that has their instructions. They are
//! reached through [`InstructionSet`] alone, which asks the machine first.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

use portable::Portable;
#[cfg(target_arch = "x86_64")]
use {avx2::Avx2, avx512::Avx512};

use crate::box_tree::BoxVisitor;
use crate::build::blas::MeshTree;
use crate::build::node8::Node8;
use crate::filter::HitFilter;
use crate::traverse::interleaved::SingleRays;
use crate::traverse::pulse::LanePulse;
use crate::traverse::slab_pulse::SlabPulse;
use crate::traverse::triangles::PackContext;
use crate::traverse::view::View;
use crate::traverse::walk::SlabRay;
use crate::traverse::{Nearest, NearestOfPulse};
use glam::DVec3;

/// A row of f32 lanes. Masks have one bit per lane, lane 0 lowest.
///
/// `min` and `max` give the second operand when either is NaN or both are zero, as x86 does.
pub(crate) trait Vector: Copy {
    fn splat(x: f32) -> Self;
    /// Reads one lane per element.
    ///
    /// # Safety
    /// `source` is valid for reads of all lanes.
    unsafe fn load(source: *const f32) -> Self;
    /// Writes one lane per element.
    ///
    /// # Safety
    /// `target` is valid for writes of all lanes.
    unsafe fn store(self, target: *mut f32);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    /// `self · factor + addend`, rounded once.
    fn mul_add(self, factor: Self, addend: Self) -> Self;
    /// `self · factor − subtrahend`, rounded once.
    fn mul_sub(self, factor: Self, subtrahend: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn le(self, other: Self) -> u32;
    fn lt(self, other: Self) -> u32;
    /// `other` in the lanes of `mask`, `self` in the rest.
    fn replace(self, mask: u32, other: Self) -> Self;
    /// Smallest of the lanes in `mask`, infinity if there is none.
    fn min_of(self, mask: u32) -> f32;
    /// Largest of the lanes in `mask`, −infinity if there is none.
    fn max_of(self, mask: u32) -> f32;
}

/// An instruction set: the rays of a pulse, the children of a node, the triangles of a pack.
pub(crate) trait Isa: Sized {
    type Rays: Vector;
    type Children: Vector;
    type Triangles: Vector;

    /// Asks for the cache line at `address` ahead of its use; any address will do.
    fn prefetch(address: *const u8);

    /// [`ray::ray_through_mesh`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `start` is a child code of `tree`.
    unsafe fn ray_through_mesh<F: HitFilter>(
        tree: &MeshTree,
        start: u32,
        ray: SlabRay,
        number: usize,
        context: PackContext,
        nearest: &mut Nearest,
        filter: &mut F,
    );

    /// [`pulse::pulse_through_mesh`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn pulse_through_mesh<F: HitFilter, const SPREAD: bool>(
        tree: &MeshTree,
        pulse: &SlabPulse<Self>,
        mask: u32,
        context: PackContext,
        nearest: &mut NearestOfPulse<Self>,
        filter: &mut F,
    );

    /// [`ray::ray_through_boxes`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `nodes` is a whole tree whose walk fits the stack.
    unsafe fn ray_through_boxes<V: BoxVisitor>(
        nodes: &[Node8],
        ray: SlabRay,
        t_max: f32,
        visitor: &mut V,
    );

    /// [`ray::ray_through_scene`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn ray_through_scene<F: HitFilter>(
        view: &View<'_>,
        origin: DVec3,
        direction: [f32; 3],
        nearest: &mut Nearest,
        filter: &mut F,
    );

    /// [`interleaved::rays_through_instance`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; there is one instance, as many directions as origins, and a place
    /// in `found` for each.
    unsafe fn rays_through_instance(view: &View<'_>, rays: &SingleRays<'_>, found: &mut [Nearest]);

    /// [`pulse::pulse_through_scene`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn pulse_through_scene<F: HitFilter, const SPREAD: bool>(
        view: &View<'_>,
        lanes: &LanePulse,
        nearest: &mut [Nearest; 16],
        filter: &mut F,
    );
}

/// The kernels of an [`Isa`], compiled with its instructions switched on.
macro_rules! kernels {
    ($(#[$features:meta])?) => {
        $(#[$features])?
        unsafe fn ray_through_mesh<F: crate::filter::HitFilter>(
            tree: &crate::build::blas::MeshTree,
            start: u32,
            ray: crate::traverse::walk::SlabRay,
            number: usize,
            context: crate::traverse::triangles::PackContext,
            nearest: &mut crate::traverse::Nearest,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                crate::traverse::ray::ray_through_mesh::<Self, F>(
                    tree, start, ray, number, context, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn pulse_through_mesh<F: crate::filter::HitFilter, const SPREAD: bool>(
            tree: &crate::build::blas::MeshTree,
            pulse: &crate::traverse::slab_pulse::SlabPulse<Self>,
            mask: u32,
            context: crate::traverse::triangles::PackContext,
            nearest: &mut crate::traverse::NearestOfPulse<Self>,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                crate::traverse::pulse::pulse_through_mesh::<Self, F, SPREAD>(
                    tree, pulse, mask, context, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn ray_through_boxes<V: crate::box_tree::BoxVisitor>(
            nodes: &[crate::build::node8::Node8],
            ray: crate::traverse::walk::SlabRay,
            t_max: f32,
            visitor: &mut V,
        ) {
            // SAFETY: passed on to the caller.
            unsafe { crate::traverse::ray::ray_through_boxes::<Self, V>(nodes, ray, t_max, visitor) }
        }
        $(#[$features])?
        unsafe fn ray_through_scene<F: crate::filter::HitFilter>(
            view: &crate::traverse::view::View<'_>,
            origin: glam::DVec3,
            direction: [f32; 3],
            nearest: &mut crate::traverse::Nearest,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                crate::traverse::ray::ray_through_scene::<Self, F>(
                    view, origin, direction, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn rays_through_instance(
            view: &crate::traverse::view::View<'_>,
            rays: &crate::traverse::interleaved::SingleRays<'_>,
            found: &mut [crate::traverse::Nearest],
        ) {
            // SAFETY: passed on to the caller.
            unsafe { crate::traverse::interleaved::rays_through_instance::<Self>(view, rays, found) }
        }
        $(#[$features])?
        unsafe fn pulse_through_scene<F: crate::filter::HitFilter, const SPREAD: bool>(
            view: &crate::traverse::view::View<'_>,
            lanes: &crate::traverse::pulse::LanePulse,
            nearest: &mut [crate::traverse::Nearest; 16],
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                crate::traverse::pulse::pulse_through_scene::<Self, F, SPREAD>(
                    view, lanes, nearest, filter,
                )
            }
        }
    };
}
use kernels;

/// Which instructions the tracer uses; the hits are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    /// 16 rays in one register.
    Avx512,
    /// 16 rays in two registers.
    Avx2,
    /// No more than the compiler's target has.
    Portable,
}

impl InstructionSet {
    /// All that this machine has, the fastest first.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("fma")
                && std::arch::is_x86_feature_detected!("bmi1")
                && std::arch::is_x86_feature_detected!("popcnt")
            {
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                {
                    sets.push(InstructionSet::Avx512);
                }
                sets.push(InstructionSet::Avx2);
            }
        }
        sets.push(InstructionSet::Portable);
        sets
    }

    /// Nearest hits of a pulse with these instructions, which the machine must have.
    pub(crate) fn trace_pulse<F: HitFilter>(
        self,
        view: &View<'_>,
        lanes: &LanePulse,
        spread: bool,
        nearest: &mut [Nearest; 16],
        filter: &mut F,
    ) {
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match (self, spread) {
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx512, false) => {
                    Avx512::pulse_through_scene::<F, false>(view, lanes, nearest, filter);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx512, true) => {
                    Avx512::pulse_through_scene::<F, true>(view, lanes, nearest, filter);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx2, false) => {
                    Avx2::pulse_through_scene::<F, false>(view, lanes, nearest, filter);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx2, true) => {
                    Avx2::pulse_through_scene::<F, true>(view, lanes, nearest, filter);
                }
                (_, false) => {
                    Portable::pulse_through_scene::<F, false>(view, lanes, nearest, filter);
                }
                (_, true) => {
                    Portable::pulse_through_scene::<F, true>(view, lanes, nearest, filter);
                }
            }
        }
    }

    /// Nearest hit of one ray with these instructions, which the machine must have.
    pub(crate) fn trace_ray<F: HitFilter>(
        self,
        view: &View<'_>,
        origin: DVec3,
        direction: [f32; 3],
        nearest: &mut Nearest,
        filter: &mut F,
    ) {
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match self {
                // One ray fills no wide register: both x86 sets run the same code.
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 | InstructionSet::Avx2 => {
                    Avx2::ray_through_scene(view, origin, direction, nearest, filter);
                }
                _ => Portable::ray_through_scene(view, origin, direction, nearest, filter),
            }
        }
    }

    /// Nearest hits of single rays with these instructions, which the machine must have, in a
    /// scene of one instance; rays without a place in `found` are not traced.
    pub(crate) fn trace_rays(self, view: &View<'_>, rays: &SingleRays<'_>, found: &mut [Nearest]) {
        let count = rays.origins.len().min(rays.directions.len()).min(found.len());
        if count == 0 || view.top.placed.is_empty() {
            return;
        }
        let rays = &SingleRays {
            origins: &rays.origins[..count],
            directions: &rays.directions[..count],
            ..*rays
        };
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 | InstructionSet::Avx2 => {
                    Avx2::rays_through_instance(view, rays, found);
                }
                _ => Portable::rays_through_instance(view, rays, found),
            }
        }
    }

    /// One ray through a tree of boxes with these instructions, which the machine must have.
    pub(crate) fn walk_boxes<V: BoxVisitor>(
        self,
        nodes: &[Node8],
        ray: SlabRay,
        t_max: f32,
        visitor: &mut V,
    ) {
        // SAFETY: a tree uses only sets that are available, and its walk fits the stack.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 | InstructionSet::Avx2 => {
                    Avx2::ray_through_boxes(nodes, ray, t_max, visitor);
                }
                _ => Portable::ray_through_boxes(nodes, ray, t_max, visitor),
            }
        }
    }
}
