//! Four triangles side by side, as the traversal tests them.

use crate::TriangleMesh;
use glam::{DVec3, Vec3};

/// Triangles in one pack.
pub(crate) const PACK: usize = 4;

/// One vertex, two edges and the index of four triangles, each value as a row of four.
///
/// A pack with fewer triangles repeats its last one; equal neighbouring indices say so.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct TrianglePack {
    /// Rows: vertex x, y, z; first edge x, y, z; second edge x, y, z.
    pub rows: [[f32; PACK]; 9],
    /// Index of each triangle in its mesh.
    pub triangle: [u32; PACK],
    /// The box by which walks reach it: least x, y, z, largest x, y, z.
    pub bounds: [f32; 6],
}

impl TrianglePack {
    /// Packs up to four triangles of `mesh`, at least one. A triangle that the builder has split
    /// may be named twice. Its box is set with the tree.
    pub fn new(mesh: &TriangleMesh, triangles: &[u32]) -> TrianglePack {
        let mut triangles = triangles.to_vec();
        triangles.sort_unstable();
        triangles.dedup();
        let mut pack =
            TrianglePack { rows: [[0.0; PACK]; 9], triangle: [0; PACK], bounds: [0.0; 6] };
        for slot in 0..PACK {
            let index = triangles[slot.min(triangles.len() - 1)];
            let [v0, v1, v2] = longest_side_last(mesh.corners(index));
            for axis in 0..3 {
                pack.rows[axis][slot] = v0[axis];
                pack.rows[3 + axis][slot] = v1[axis] - v0[axis];
                pack.rows[6 + axis][slot] = v2[axis] - v0[axis];
            }
            pack.triangle[slot] = index;
        }
        pack
    }

    /// Vertex and both edges of one triangle, in f64.
    pub fn vertex_and_edges(&self, slot: usize) -> [DVec3; 3] {
        [0, 3, 6].map(|row| {
            let [x, y, z] = [row, row + 1, row + 2].map(|r| f64::from(self.rows[r][slot]));
            DVec3::new(x, y, z)
        })
    }
}

/// The corners in the same sense, begun at [`first_corner`].
fn longest_side_last(mut corners: [[f32; 3]; 3]) -> [[f32; 3]; 3] {
    let first = first_corner(corners);
    corners.rotate_left(first);
    corners
}

/// The corner at which a triangle is begun, so that the side between the last two is the longest.
///
/// The test of that side is the difference of the tests of the other two and rounds like them; on
/// a long side that moves it least.
pub(crate) fn first_corner([a, b, c]: [[f32; 3]; 3]) -> usize {
    let length = |p: [f32; 3], q: [f32; 3]| Vec3::from(p).distance_squared(Vec3::from(q));
    let (ab, bc, ca) = (length(a, b), length(b, c), length(c, a));
    if bc >= ab && bc >= ca {
        0
    } else if ca >= ab {
        1
    } else {
        2
    }
}
