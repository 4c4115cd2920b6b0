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
mod build;
mod curved_surface;
mod error;
mod filter;
mod instance;
mod mesh;
mod motion;
mod ray;
mod scene;
mod simd;
mod traverse;

pub use box_tree::BoxTree;
pub use brute_force::nearest_hit_by_brute_force;
pub use curved_surface::CurvedSurface;
pub use error::GeometryError;
pub use filter::{AcceptAll, HitFilter};
pub use instance::InstanceId;
pub use mesh::{Edges, MeshId, TriangleMesh};
pub use motion::{InstanceMotion, Sway};
pub use ray::{MAX_RAYS_PER_PULSE, PulseRays, RayHit, SurfacePoint};
pub use scene::RayScene;
pub use scene::at::RaySceneAt;
pub use scene::builder::RaySceneBuilder;
pub use scene::dynamic_bvh::DynamicBvh;
pub use simd::InstructionSet;
pub use traverse::boxes::BoxVisitor;
