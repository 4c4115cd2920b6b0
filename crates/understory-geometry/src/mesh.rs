//! Triangle meshes, checked once when they are made.

use crate::GeometryError;
use glam::DVec3;

/// A mesh of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub u32);

/// What happens to a ray that meets a triangle exactly on its edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edges {
    /// Terrain, buildings: no ray passes between two triangles that share an edge. Triangles grow
    /// by the rounding error of the test, some 0.1 mm at 100 m.
    #[default]
    Closed,
    /// Foliage: the triangle as it is.
    Exact,
}

/// From where the rays of a scene mostly come upon a mesh: its tree is built for them. It changes how
/// fast hits are found, never what is hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SeenFrom {
    /// From anywhere.
    #[default]
    Anywhere,
    /// Rather from the side, as a sensor on the ground sees plants: few rays come through the
    /// horizontal faces of boxes.
    Side,
}

/// Triangles over shared vertices, all finite and in range.
///
/// Vertices are f32 around `origin`, which is f64: a mesh given in map coordinates loses nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    origin: DVec3,
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// Checks the vertices and indices and moves the mesh's origin into its middle.
    pub fn new(positions: &[DVec3], triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        TriangleMesh::checked(positions, triangles, None)
    }

    /// The same with its origin at a given point instead of in its middle.
    pub(crate) fn around(
        origin: DVec3,
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, GeometryError> {
        TriangleMesh::checked(positions, triangles, Some(origin))
    }

    fn checked(
        positions: &[DVec3],
        triangles: Vec<[u32; 3]>,
        origin: Option<DVec3>,
    ) -> Result<Self, GeometryError> {
        if triangles.is_empty() {
            return Err(GeometryError::EmptyMesh);
        }
        if positions.len() > u32::MAX as usize {
            return Err(too_many("vertices", positions.len(), u32::MAX as usize));
        }
        if triangles.len() > MAX_TRIANGLES {
            return Err(too_many("triangles in one mesh", triangles.len(), MAX_TRIANGLES));
        }
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for (vertex, p) in positions.iter().enumerate() {
            if !p.is_finite() || p.abs().max_element() > MAX_COORDINATE {
                return Err(GeometryError::BadVertex { vertex, x: p.x, y: p.y, z: p.z });
            }
            (low, high) = (low.min(*p), high.max(*p));
        }
        for (triangle, corners) in triangles.iter().enumerate() {
            for &index in corners {
                if index as usize >= positions.len() {
                    let vertices = positions.len();
                    return Err(GeometryError::BadIndex { triangle, index, vertices });
                }
            }
        }
        let origin = origin.unwrap_or((low + high) * 0.5);
        let positions = positions.iter().map(|p| (*p - origin).as_vec3().to_array()).collect();
        Ok(TriangleMesh { origin, positions, triangles })
    }

    /// The point around which the f32 vertices lie.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Vertices relative to [`TriangleMesh::origin`].
    pub fn positions(&self) -> &[[f32; 3]] {
        &self.positions
    }

    /// Corners of one triangle relative to [`TriangleMesh::origin`].
    pub(crate) fn corners(&self, triangle: u32) -> [[f32; 3]; 3] {
        self.triangles[triangle as usize].map(|vertex| self.positions[vertex as usize])
    }

    /// Vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

/// Leaves number packs of four triangles with 28 bits.
const MAX_TRIANGLES: usize = 1 << 28;

/// Products of coordinates must stay finite in f32.
const MAX_COORDINATE: f64 = 1e9;

fn too_many(what: &'static str, count: usize, limit: usize) -> GeometryError {
    GeometryError::TooMany { what, count, limit }
}
