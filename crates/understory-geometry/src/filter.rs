//! A say in what counts as a hit: thin leaves, glass, hidden objects.

use crate::InstanceId;

/// Asked for each triangle that a ray meets nearer than anything that it has met so far.
///
/// A refused hit is no hit: the ray goes on behind it. The order of the questions is that of the
/// traversal, not of distance, and a hit that was accepted may still give way to a nearer one; a
/// filter that answers by its arguments alone gives the same result in any order.
pub trait HitFilter {
    /// Whether there is anything to ask; without, the question costs nothing.
    const ACTIVE: bool = true;

    /// Whether ray `ray` of the pulse (0 for a single ray) is stopped by this triangle at `t`.
    fn accepts(&mut self, ray: usize, instance: InstanceId, triangle: u32, t: f32) -> bool;
}

/// Every triangle stops every ray.
#[derive(Clone, Copy, Debug, Default)]
pub struct AcceptAll;

impl HitFilter for AcceptAll {
    const ACTIVE: bool = false;

    fn accepts(&mut self, _ray: usize, _instance: InstanceId, _triangle: u32, _t: f32) -> bool {
        true
    }
}

impl<F: FnMut(usize, InstanceId, u32, f32) -> bool> HitFilter for F {
    fn accepts(&mut self, ray: usize, instance: InstanceId, triangle: u32, t: f32) -> bool {
        self(ray, instance, triangle, t)
    }
}
