//! Rays that enter the tracer and hits that leave it.

use crate::{InstanceId, MeshId};
use glam::{DVec3, Vec3};

/// Most rays that one pulse can have; a caller with more gives them as several pulses.
pub const MAX_RAYS_PER_PULSE: usize = 16;

/// The rays of one pulse: nearly parallel, from one point or from points close to each other.
#[derive(Clone, Copy, Debug)]
pub struct PulseRays<'a> {
    /// Where the pulse leaves, in the world.
    pub origin: DVec3,
    /// Direction of each ray in the world, unit length; at most [`MAX_RAYS_PER_PULSE`].
    pub directions: &'a [Vec3],
    /// Where each ray leaves, relative to `origin`; empty: all leave from `origin`.
    pub origin_offsets: &'a [Vec3],
    /// Hits at this distance or beyond are none.
    pub t_max: f32,
}

/// The nearest triangle on a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance in units of the direction's length.
    pub t: f32,
    /// Which instance was met.
    pub instance: InstanceId,
    /// Which triangle of the instance's mesh.
    pub triangle: u32,
    /// Where the tracer keeps that triangle.
    pub(crate) slot: u32,
    /// Where it keeps the instance.
    pub(crate) placed: u32,
    /// Which level of the instance's mesh was met.
    pub(crate) level: u32,
}

/// A hit worked out in f64.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Distance in units of the direction's length, exact to f64 for the f32 vertices of the mesh.
    pub t: f64,
    /// Unit normal in the world, turned against the ray.
    pub normal: DVec3,
    /// Mesh of the instance that was met.
    pub mesh: MeshId,
}
