//! A say in what counts as a hit: thin leaves, glass, hidden objects.
//!
//! The walks are compiled for two filters, one that asks nothing ([`AcceptAll`]) and one that asks
//! whoever wants to be asked ([`Asked`]): a question is rare, and a walk for every kind of filter
//! would take minutes to compile.

use crate::InstanceId;

/// Asked for each triangle that a ray meets nearer than anything that it has met so far.
///
/// A refused hit is no hit: the ray goes on behind it. The order of the questions is that of the
/// traversal, not of distance, and a hit that was accepted may still give way to a nearer one; a
/// filter that answers by its arguments alone gives the same result in any order.
pub trait HitFilter {
    /// Whether ray `ray` of the pulse (0 for a single ray) is stopped by this triangle at `t`.
    /// `weights` are those of two corners of the triangle as the tracer orders them; a little
    /// beyond 0 … 1 on closed edges.
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool;
}

impl<F: FnMut(usize, InstanceId, u32, f32) -> bool> HitFilter for F {
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        _: [f32; 2],
    ) -> bool {
        self(ray, instance, triangle, t)
    }
}

/// What the walks are compiled for.
pub(crate) trait WalkFilter {
    /// Whether there is anything to ask; without, the question costs nothing.
    const ACTIVE: bool;

    /// As [`HitFilter::accepts`].
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool;
}

/// Every triangle stops every ray.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AcceptAll;

impl WalkFilter for AcceptAll {
    const ACTIVE: bool = false;

    fn accepts(&mut self, _: usize, _: InstanceId, _: u32, _: f32, _: [f32; 2]) -> bool {
        true
    }
}

/// Someone is asked.
pub(crate) struct Asked<'a>(pub &'a mut dyn HitFilter);

impl WalkFilter for Asked<'_> {
    const ACTIVE: bool = true;

    #[inline]
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool {
        self.0.accepts(ray, instance, triangle, t, weights)
    }
}

/// A filter of either kind as one to be asked.
pub(crate) struct Anyone<'a, F>(pub &'a mut F);

impl<F: WalkFilter> HitFilter for Anyone<'_, F> {
    fn accepts(
        &mut self,
        ray: usize,
        instance: InstanceId,
        triangle: u32,
        t: f32,
        weights: [f32; 2],
    ) -> bool {
        self.0.accepts(ray, instance, triangle, t, weights)
    }
}
