//! Which kernels run: the machine's instructions choose at run time.
//!
//! [`kernels!`] compiles the loops of [`ray`], [`pulse`] and [`interleaved`] for each instruction
//! set; the methods of [`InstructionSet`] here call those of the set that a scene uses.

use super::box_packet::{self, PACKET, are_neighbours};
use super::boxes::BoxVisitor;
use super::interleaved::{self, ReachingRay, SingleRays};
use super::kernels::Kernels;
use super::point_lanes::PointLanes;
use super::slab_pulse::{LanePulse, SlabPulse, WorldPulse};
use super::stream_mesh::{LaneReach, MeshStream, WorldSpans};
use super::stream_state::Stream;
use super::triangles::PackContext;
use super::view::View;
use super::walk::SlabRay;
use super::{Nearest, NearestOfPulse, PULSES, RAYS, SHARED, pulse, ray, stream};
use crate::build::blas::Blas;
use crate::build::node8::Node8;
use crate::filter::{Anyone, Asked, WalkFilter};
use crate::simd::portable::Portable;
use crate::simd::{InstructionSet, Isa};
#[cfg(target_arch = "x86_64")]
use crate::simd::{avx2::Avx2, avx512::Avx512};
use glam::DVec3;

/// The kernels of an instruction set, compiled with its instructions switched on.
macro_rules! kernels {
    ($set:ty $(, #[$features:meta])?) => {
        impl Kernels for $set {
        $(#[$features])?
        unsafe fn ray_through_mesh<F: WalkFilter>(
            tree: &Blas,
            start: u32,
            ray: SlabRay,
            number: usize,
            context: PackContext<'_>,
            nearest: &mut Nearest,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                ray::ray_through_mesh::<Self, F>(
                    tree, start, ray, number, context, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn pulse_through_mesh<F: WalkFilter>(
            tree: &Blas,
            pulse: &SlabPulse<Self>,
            mask: u32,
            context: PackContext<'_>,
            nearest: &mut NearestOfPulse<'_, Self>,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                pulse::pulse_through_mesh::<Self, F>(
                    tree, pulse, mask, context, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn ray_through_boxes<V: BoxVisitor>(
            nodes: &[Node8],
            start: u32,
            ray: SlabRay,
            t_max: f32,
            visitor: &mut V,
        ) -> f32 {
            // SAFETY: passed on to the caller.
            unsafe { ray::ray_through_boxes::<Self, V>(nodes, start, ray, t_max, visitor) }
        }
        $(#[$features])?
        unsafe fn packet_through_boxes<V: BoxVisitor>(
            nodes: &[Node8],
            rays: &[ReachingRay],
            visitors: &mut [V],
        ) {
            // SAFETY: passed on to the caller.
            unsafe { box_packet::packet_through_boxes::<Self, V>(nodes, rays, visitors) }
        }
        $(#[$features])?
        unsafe fn rays_through_boxes<V: BoxVisitor>(
            nodes: &[Node8],
            rays: &[ReachingRay],
            visitors: &mut [V],
        ) {
            // SAFETY: passed on to the caller.
            unsafe { interleaved::rays_through_boxes::<Self, V>(nodes, rays, visitors) }
        }
        $(#[$features])?
        unsafe fn ray_through_scene<F: WalkFilter>(
            view: &View<'_>,
            origin: DVec3,
            direction: [f32; 3],
            nearest: &mut Nearest,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                ray::ray_through_scene::<Self, F>(
                    view, origin, direction, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn rays_through_instance(
            view: &View<'_>,
            rays: &SingleRays<'_>,
            found: &mut [Nearest],
        ) {
            // SAFETY: passed on to the caller.
            unsafe { interleaved::rays_through_instance::<Self>(view, rays, found) }
        }
        $(#[$features])?
        unsafe fn pulse_through_scene<F: WalkFilter>(
            view: &View<'_>,
            lanes: &mut LanePulse,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe { pulse::pulse_through_scene::<Self, F>(view, lanes, filter) }
        }
        $(#[$features])?
        unsafe fn pulse_through_instance<F: WalkFilter>(
            view: &View<'_>,
            leaf: u32,
            world: &WorldPulse<'_, Self>,
            mask: u32,
            nearest: &mut NearestOfPulse<'_, Self>,
            filter: &mut F,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                pulse::pulse_through_instance::<Self, F>(
                    view, leaf, world, mask, nearest, filter,
                )
            }
        }
        $(#[$features])?
        unsafe fn stream_through_mesh<F: WalkFilter, const FROM: u8>(
            mut stream: MeshStream<'_, Self, F, FROM>,
            pulses: u32,
            lanes: &LaneReach<Self>,
        ) {
            // SAFETY: passed on to the caller.
            unsafe { stream.walk(pulses, lanes) }
        }
        $(#[$features])?
        unsafe fn stream_through_scene<const FROM: u8>(view: &View<'_>, stream: &mut Stream) {
            // SAFETY: passed on to the caller.
            unsafe { stream::stream_through_scene::<Self, FROM>(view, stream) }
        }
        $(#[$features])?
        unsafe fn stream_into_instance<const FROM: u8>(
            view: &View<'_>,
            stream: &mut Stream,
            leaf: u32,
            pulses: u32,
            rays: &[u32; 16],
            spans: &WorldSpans<Self>,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                stream::stream_into_instance::<Self, FROM>(view, stream, leaf, pulses, rays, spans)
            }
        }
        $(#[$features])?
        unsafe fn stream_into_moving<const FROM: u8>(
            view: &View<'_>,
            stream: &mut Stream,
            leaf: u32,
            pulses: u32,
            rays: &[u32; 16],
            spans: &WorldSpans<Self>,
        ) {
            // SAFETY: passed on to the caller.
            unsafe {
                stream::stream_into_moving::<Self, FROM>(view, stream, leaf, pulses, rays, spans)
            }
        }
        $(#[$features])?
        unsafe fn work_out_points(lanes: &mut PointLanes) {
            lanes.work_out();
        }
        }
    };
}

kernels!(Portable);
#[cfg(target_arch = "x86_64")]
kernels!(Avx2, #[target_feature(enable = "avx2,fma,bmi1,popcnt")]);
#[cfg(target_arch = "x86_64")]
kernels!(
    Avx512,
    #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx2,fma,bmi1,popcnt")]
);

impl InstructionSet {
    /// Asks for the cache line at `address` ahead of its use; any address will do.
    #[inline(always)]
    pub(crate) fn prefetch(self, address: *const u8) {
        match self {
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 | InstructionSet::Avx2 => Avx2::prefetch(address),
            _ => Portable::prefetch(address),
        }
    }

    /// Nearest hits of a pulse with these instructions, which the machine must have.
    pub(crate) fn trace_pulse<F: WalkFilter>(
        self,
        view: &View<'_>,
        lanes: &mut LanePulse,
        filter: &mut F,
    ) {
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => Avx512::pulse_through_scene(view, lanes, filter),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => Avx2::pulse_through_scene(view, lanes, filter),
                // Whoever is asked or nobody: one walk for both, to compile it once.
                _ => Portable::pulse_through_scene(view, lanes, &mut Asked(&mut Anyone(filter))),
            }
        }
    }

    /// Nearest hits of a stream with these instructions, which the machine must have; `from` says
    /// where its rays begin.
    pub(crate) fn trace_stream(self, view: &View<'_>, from: u8, stream: &mut Stream) {
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match (self, from) {
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx512, SHARED) => {
                    Avx512::stream_through_scene::<SHARED>(view, stream);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx512, PULSES) => {
                    Avx512::stream_through_scene::<PULSES>(view, stream);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx512, _) => Avx512::stream_through_scene::<RAYS>(view, stream),
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx2, SHARED) => {
                    Avx2::stream_through_scene::<SHARED>(view, stream);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx2, PULSES) => {
                    Avx2::stream_through_scene::<PULSES>(view, stream);
                }
                #[cfg(target_arch = "x86_64")]
                (InstructionSet::Avx2, _) => Avx2::stream_through_scene::<RAYS>(view, stream),
                // Pulse by pulse: the same hits, where the compiler would unroll streams over arrays
                // for minutes.
                _ => stream::pulses_through_scene::<Portable>(view, stream),
            }
        }
    }

    /// Works out hits with these instructions, which the machine must have.
    pub(crate) fn work_out_points(self, lanes: &mut PointLanes) {
        // SAFETY: a scene uses only sets that are available.
        unsafe {
            match self {
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => Avx512::work_out_points(lanes),
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => Avx2::work_out_points(lanes),
                _ => Portable::work_out_points(lanes),
            }
        }
    }

    /// Nearest hit of one ray with these instructions, which the machine must have.
    pub(crate) fn trace_ray<F: WalkFilter>(
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
                _ => {
                    let asked = &mut Asked(&mut Anyone(filter));
                    Portable::ray_through_scene(view, origin, direction, nearest, asked);
                }
            }
        }
    }

    /// Nearest hits of single rays with these instructions, which the machine must have, in a
    /// scene of one instance; rays without a place in `found` are not traced.
    pub(crate) fn trace_rays(self, view: &View<'_>, rays: &SingleRays<'_>, found: &mut [Nearest]) {
        let count = rays.origins.len().min(rays.directions.len()).min(found.len());
        if count == 0 || view.tlas.instances.is_empty() {
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

    /// Rays through a tree of boxes with these instructions, which the machine must have, each with
    /// the visitor of its number: neighbours as packets, others side by side.
    pub(crate) fn walk_boxes_together<V: BoxVisitor>(
        self,
        nodes: &[Node8],
        rays: &[ReachingRay],
        visitors: &mut [V],
    ) {
        for (rays, visitors) in rays.chunks(PACKET).zip(visitors.chunks_mut(PACKET)) {
            let packet = are_neighbours(rays);
            // SAFETY: a tree uses only sets that are available, and its walk fits the stack.
            unsafe {
                match (self, packet) {
                    #[cfg(target_arch = "x86_64")]
                    (InstructionSet::Avx512, true) => {
                        Avx512::packet_through_boxes(nodes, rays, visitors);
                    }
                    #[cfg(target_arch = "x86_64")]
                    (InstructionSet::Avx2, true) => {
                        Avx2::packet_through_boxes(nodes, rays, visitors);
                    }
                    #[cfg(target_arch = "x86_64")]
                    (InstructionSet::Avx512 | InstructionSet::Avx2, false) => {
                        Avx2::rays_through_boxes(nodes, rays, visitors);
                    }
                    _ => Portable::rays_through_boxes(nodes, rays, visitors),
                }
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
                    Avx2::ray_through_boxes(nodes, 0, ray, t_max, visitor);
                }
                _ => {
                    Portable::ray_through_boxes(nodes, 0, ray, t_max, visitor);
                }
            }
        }
    }
}
