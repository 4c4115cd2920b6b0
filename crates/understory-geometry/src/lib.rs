//! Rays against triangles, instances and voxels. Knows no lidar.

mod error;
mod mesh;

pub use error::GeometryError;
pub use mesh::{Edges, TriangleMesh};
