//! Rays against triangles, instances and boxes. Knows no lidar.
//!
//! What enters: [`TriangleMesh`]es, placed by [`RaySceneBuilder`] any number of times under any
//! affine transform, and rays in world coordinates (f64). What leaves: [`RayHit`]s, and for each of
//! them a [`SurfacePoint`] with distance and normal in f64.
//!
//! This is the only home of `unsafe` and of SIMD in the workspace: the traversal is written once
//! over the traits of `simd` and compiled for AVX-512, AVX2 and plain code, chosen at run time.

#![allow(unsafe_code)]

mod box_tree;
mod brute_force;
mod coarser;
mod collapse;
mod curved_surface;
mod error;
mod filter;
mod mesh;
mod mesh_tree;
mod motion;
mod moving_tree;
mod node8;
mod ray;
mod ray_scene;
mod scene_at;
mod simd;
mod top_tree;
mod trace;
mod triangle_pack;
mod triangles_of;
mod view;

pub use box_tree::{BoxTree, BoxVisitor};
pub use brute_force::nearest_hit_by_brute_force;
pub use curved_surface::CurvedSurface;
pub use error::GeometryError;
pub use filter::{AcceptAll, HitFilter};
pub use mesh::{Edges, TriangleMesh};
pub use motion::{InstanceMotion, Sway};
pub use moving_tree::MovingTree;
pub use ray::{MAX_RAYS_PER_PULSE, PulseRays, RayHit, SurfacePoint};
pub use ray_scene::{InstanceId, MeshId, RayScene, RaySceneBuilder};
pub use scene_at::RaySceneAt;
pub use simd::InstructionSet;
