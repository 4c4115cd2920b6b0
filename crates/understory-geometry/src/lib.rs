//! Rays against triangles, instances and voxels. Knows no lidar.
//!
//! What enters: [`TriangleMesh`]es, placed by [`RaySceneBuilder`] any number of times under any
//! affine transform, and rays in world coordinates (f64). What leaves: [`RayHit`]s, and for each of
//! them a [`SurfacePoint`] with distance and normal in f64.

mod brute_force;
mod error;
mod mesh;
mod ray;
mod ray_scene;

pub use brute_force::nearest_hit_by_brute_force;
pub use error::GeometryError;
pub use mesh::{Edges, TriangleMesh};
pub use ray::{MAX_RAYS_PER_PULSE, PulseRays, RayHit, SurfacePoint};
pub use ray_scene::{InstanceId, MeshId, RayScene, RaySceneBuilder};
