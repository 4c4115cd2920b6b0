//! The loops of the traversal, each compiled whole for one instruction set.
//!
//! A walk calls another walk (a ray through a mesh, from a leaf of the TLAS) through
//! this trait, so that each is one function of its instruction set rather than inlined everywhere.

use super::boxes::BoxVisitor;
use super::interleaved::{ReachingRay, SingleRays};
use super::point_lanes::PointLanes;
use super::slab_pulse::{LanePulse, SlabPulse, WorldPulse};
use super::stream_mesh::{LaneReach, MeshStream, WorldSpans};
use super::stream_state::Stream;
use super::triangles::PackContext;
use super::view::View;
use super::walk::SlabRay;
use super::{Nearest, NearestOfPulse};
use crate::build::blas::Blas;
use crate::build::node8::Node8;
use crate::filter::WalkFilter;
use crate::simd::Isa;
use glam::DVec3;

/// The kernels of an instruction set.
pub(crate) trait Kernels: Isa {
    /// [`ray_through_mesh`](super::ray::ray_through_mesh) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `start` is a child code of `tree`.
    unsafe fn ray_through_mesh<F: WalkFilter>(
        tree: &Blas,
        start: u32,
        ray: SlabRay,
        number: usize,
        context: PackContext<'_>,
        nearest: &mut Nearest,
        filter: &mut F,
    );

    /// [`pulse_through_mesh`](super::pulse::pulse_through_mesh) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn pulse_through_mesh<F: WalkFilter>(
        tree: &Blas,
        pulse: &SlabPulse<Self>,
        mask: u32,
        context: PackContext<'_>,
        nearest: &mut NearestOfPulse<'_, Self>,
        filter: &mut F,
    );

    /// [`ray_through_boxes`](super::ray::ray_through_boxes) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `nodes` is a whole tree whose walk fits the stack, and `start` one
    /// of them.
    unsafe fn ray_through_boxes<V: BoxVisitor>(
        nodes: &[Node8],
        start: u32,
        ray: SlabRay,
        t_max: f32,
        visitor: &mut V,
    ) -> f32;

    /// [`packet_through_boxes`](super::box_packet::packet_through_boxes) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `nodes` is a whole tree whose walk fits the stack, and there are 1
    /// to 16 rays.
    unsafe fn packet_through_boxes<V: BoxVisitor>(
        nodes: &[Node8],
        rays: &[ReachingRay],
        visitors: &mut [V],
    );

    /// [`rays_through_boxes`](super::interleaved::rays_through_boxes) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `nodes` is a whole tree whose walk fits the stack.
    unsafe fn rays_through_boxes<V: BoxVisitor>(
        nodes: &[Node8],
        rays: &[ReachingRay],
        visitors: &mut [V],
    );

    /// [`ray_through_scene`](super::ray::ray_through_scene) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn ray_through_scene<F: WalkFilter>(
        view: &View<'_>,
        origin: DVec3,
        direction: [f32; 3],
        nearest: &mut Nearest,
        filter: &mut F,
    );

    /// [`rays_through_instance`](super::interleaved::rays_through_instance) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; there is one instance, as many directions as origins, and a place
    /// in `found` for each.
    unsafe fn rays_through_instance(view: &View<'_>, rays: &SingleRays<'_>, found: &mut [Nearest]);

    /// [`pulse_through_scene`](super::pulse::pulse_through_scene) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn pulse_through_scene<F: WalkFilter>(
        view: &View<'_>,
        lanes: &mut LanePulse,
        filter: &mut F,
    );

    /// [`pulse_through_instance`](super::pulse::pulse_through_instance) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `leaf` is a leaf of the view's tree.
    unsafe fn pulse_through_instance<F: WalkFilter>(
        view: &View<'_>,
        leaf: u32,
        world: &WorldPulse<'_, Self>,
        mask: u32,
        nearest: &mut NearestOfPulse<'_, Self>,
        filter: &mut F,
    );

    /// [`MeshStream::walk`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; the pulses go the same way along every axis.
    unsafe fn stream_through_mesh<F: WalkFilter, const FROM: u8>(
        stream: MeshStream<'_, Self, F, FROM>,
        pulses: u32,
        lanes: &LaneReach<Self>,
    );

    /// [`stream_through_scene`](super::stream::stream_through_scene) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn stream_through_scene<const FROM: u8>(view: &View<'_>, stream: &mut Stream);

    /// [`stream_into_instance`](super::stream::stream_into_instance) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `leaf` is a leaf of the view's tree.
    unsafe fn stream_into_instance<const FROM: u8>(
        view: &View<'_>,
        stream: &mut Stream,
        leaf: u32,
        pulses: u32,
        rays: &[u32; 16],
        spans: &WorldSpans<Self>,
    );

    /// [`stream_into_moving`](super::stream::stream_into_moving) compiled for this set.
    ///
    /// # Safety
    /// The machine has the set; `leaf` is a leaf of the view's tree whose instance moves.
    unsafe fn stream_into_moving<const FROM: u8>(
        view: &View<'_>,
        stream: &mut Stream,
        leaf: u32,
        pulses: u32,
        rays: &[u32; 16],
        spans: &WorldSpans<Self>,
    );

    /// [`PointLanes::work_out`] compiled for this set.
    ///
    /// # Safety
    /// The machine has the set.
    unsafe fn work_out_points(lanes: &mut PointLanes);
}
