//! Rays against triangles, instances and boxes. Knows no lidar.
//!
//! What enters: [`TriangleMesh`]es, placed by [`RaySceneBuilder`] any number of times under any
//! affine transform, and rays in world coordinates (f64). What leaves: [`RayHit`]s, and for each of
//! them a [`SurfacePoint`] with distance and normal in f64.
//!
//! ```
//! use glam::{DAffine3, DVec3, Vec3};
//! use understory_geometry::{Edges, RaySceneBuilder, TriangleMesh};
//!
//! let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
//! let mut builder = RaySceneBuilder::default();
//! let mesh = builder.add_mesh(&TriangleMesh::new(&corners, vec![[0, 1, 2]])?, Edges::Exact)?;
//! builder.add_instance(mesh, DAffine3::from_translation(DVec3::new(0.0, 0.0, -5.0)))?;
//! let scene = builder.build();
//! let hit = scene.trace_ray(DVec3::new(0.2, 0.2, 0.0), Vec3::NEG_Z, 100.0).unwrap();
//! assert_eq!(hit.t, 5.0);
//! # Ok::<(), understory_geometry::GeometryError>(())
//! ```
//!
//! This is the only home of `unsafe` and of SIMD in the workspace: the traversal is written once
//! over the traits of `simd` and compiled for AVX-512, AVX2 and plain code, chosen at run time.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]
#![allow(unsafe_code)]

mod box_tree;
mod brute_force;
mod build;
mod curved_surface;
mod cutout;
mod error;
mod filter;
mod instance;
mod mesh;
mod motion;
mod ray;
mod scene;
mod simd;
mod traverse;
mod weld;

pub use box_tree::BoxTree;
pub use brute_force::nearest_hit_by_brute_force;
pub use curved_surface::CurvedSurface;
pub use cutout::{AlphaImage, Cutout, Texels, Wrap};
pub use error::GeometryError;
pub use filter::HitFilter;
pub use instance::InstanceId;
pub use mesh::{Edges, MeshId, SeenFrom, TriangleMesh};
pub use motion::{InstanceMotion, Sway};
pub use ray::{MAX_RAYS_PER_PULSE, PulseRays, RayHit, SurfacePoint};
pub use scene::RayScene;
pub use scene::at::RaySceneAt;
pub use scene::batch::{Met, PulseBatch, PulseHit, PulseTracer};
pub use scene::builder::RaySceneBuilder;
pub use scene::dynamic_bvh::DynamicBvh;
pub use scene::near_order::NearOrder;
pub use scene::track_order::TrackOrder;
pub use simd::InstructionSet;
pub use traverse::boxes::BoxVisitor;
pub use weld::weld;
