//! Marching cubes over blocks of cells (Lorensen and Cline 1987), and blocks welded to one mesh.
//!
//! What enters: signed distances at the corners of a block's cells, NaN where unknown, and which
//! cells may have a surface. What leaves: a [`Patch`] per block, and a [`Weld`] of them, in which
//! cells that share an edge share its vertex. A cell has triangles only if all eight distances are
//! known and their signs differ. Positions are whole ticks.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::cell_sums::CellHasher;
use super::cube_cases::{CASES, EDGES};

/// Cells along the side of a block.
pub(super) const BLOCK: usize = 16;
/// Corners along the side of a block.
pub(super) const CORNERS: usize = BLOCK + 1;
/// Vertices keep this part of an edge's length from its ends, so that no triangle is a mere line.
const FROM_END: f32 = 1e-3;
const NO_VERTEX: u32 = u32::MAX;

/// Number of the corner at x, y, z of a block.
pub(super) fn corner_number(at: [usize; 3]) -> usize {
    (at[0] * CORNERS + at[1]) * CORNERS + at[2]
}

/// Number of the cell at x, y, z of a block.
pub(super) fn cell_number(at: [usize; 3]) -> usize {
    (at[0] * BLOCK + at[1]) * BLOCK + at[2]
}

/// All cells of a block.
pub(super) fn cells() -> impl Iterator<Item = [usize; 3]> {
    (0..BLOCK.pow(3)).map(|k| [k / (BLOCK * BLOCK), k / BLOCK % BLOCK, k % BLOCK])
}

/// What is known of a block before it is marched, and the vertices of its edges.
#[derive(Debug)]
pub(super) struct Block {
    /// Distance at each corner; NaN: unknown.
    pub distance: Vec<f32>,
    /// Which cells may have a surface.
    pub marked: Vec<bool>,
    vertex: Vec<u32>,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            distance: vec![f32::NAN; CORNERS.pow(3)],
            marked: vec![false; BLOCK.pow(3)],
            vertex: vec![NO_VERTEX; CORNERS.pow(3) * 3],
        }
    }
}

/// A vertex on an edge of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeVertex {
    /// Lower corner of the edge within the block.
    pub corner: [u8; 3],
    pub axis: u8,
    /// From the block's lowest corner.
    pub at_ticks: [i32; 3],
}

/// The triangles of one block.
#[derive(Debug, Default)]
pub(super) struct Patch {
    pub vertices: Vec<EdgeVertex>,
    pub triangles: Vec<[u32; 3]>,
    /// Cells that may have a surface.
    pub cells_marked: u64,
    /// Cells with triangles.
    pub cells_crossed: u64,
    /// Marked cells of which a corner is unknown while others differ in sign: a hole.
    pub cells_unknown: u64,
    /// Triangles that were removed because they reach too far from points.
    pub triangles_far: u64,
}

impl Block {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.distance.fill(f32::NAN);
        self.marked.fill(false);
        self.vertex.fill(NO_VERTEX);
    }

    /// Triangles of all marked cells.
    pub fn march(&mut self, grid_ticks: i64) -> Patch {
        let mut patch = Patch::default();
        for cell in cells() {
            if !self.marked[cell_number(cell)] {
                continue;
            }
            patch.cells_marked += 1;
            let distance: [f32; 8] =
                std::array::from_fn(|corner| self.distance[corner_number(corner_of(cell, corner))]);
            let inside = distance.iter().any(|&d| d < 0.0);
            if !(inside && distance.iter().any(|&d| d >= 0.0)) {
                continue;
            }
            if distance.iter().any(|d| d.is_nan()) {
                patch.cells_unknown += 1;
                continue;
            }
            patch.cells_crossed += 1;
            let case = (0..8).fold(0, |case, k| case | usize::from(distance[k] < 0.0) << k);
            for triangle in &CASES[case] {
                let corners = triangle
                    .map(|edge| self.edge_vertex(&mut patch, cell, edge as usize, grid_ticks));
                patch.triangles.push(corners);
            }
        }
        patch
    }

    /// The vertex on an edge of a cell, made if need be.
    fn edge_vertex(
        &mut self,
        patch: &mut Patch,
        cell: [usize; 3],
        edge: usize,
        grid_ticks: i64,
    ) -> u32 {
        let (lower, axis) = EDGES[edge];
        let corner = corner_of(cell, lower);
        let place = corner_number(corner) * 3 + axis;
        if self.vertex[place] == NO_VERTEX {
            let mut upper = corner;
            upper[axis] += 1;
            let (low, high) =
                (self.distance[corner_number(corner)], self.distance[corner_number(upper)]);
            let part = (low / (low - high)).clamp(FROM_END, 1.0 - FROM_END);
            let mut at_ticks = corner.map(|at| (at as i64 * grid_ticks) as i32);
            at_ticks[axis] += (part * grid_ticks as f32).round() as i32;
            self.vertex[place] = patch.vertices.len() as u32;
            let corner = corner.map(|at| at as u8);
            patch.vertices.push(EdgeVertex { corner, axis: axis as u8, at_ticks });
        }
        self.vertex[place]
    }
}

/// Place of corner `corner` of a cell.
fn corner_of(cell: [usize; 3], corner: usize) -> [usize; 3] {
    [0, 1, 2].map(|axis| cell[axis] + (corner >> axis & 1))
}

/// One mesh of many blocks.
#[derive(Debug, Default)]
pub(super) struct Weld {
    /// From the lowest corner of the first block.
    pub vertices_ticks: Vec<[i64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    /// Vertices on the outer faces of blocks: lower corner of their edge in the world, and axis.
    shared: HashMap<[i64; 4], u32, BuildHasherDefault<CellHasher>>,
    /// First block.
    pub origin: Option<[i64; 3]>,
    /// Vertices that did not fit into 32 bits.
    pub overflow: u64,
}

impl Weld {
    /// Adds the patch of a block. Vertices that no triangle uses are left out.
    pub fn add(&mut self, block: [i64; 3], patch: &Patch, grid_ticks: i64) {
        let origin = *self.origin.get_or_insert(block);
        let side = BLOCK as i64;
        let mut number: Vec<u32> = vec![NO_VERTEX; patch.vertices.len()];
        for triangle in &patch.triangles {
            let corners = triangle.map(|k| {
                let k = k as usize;
                if number[k] == NO_VERTEX {
                    number[k] = self.vertex(block, origin, &patch.vertices[k], side, grid_ticks);
                }
                number[k]
            });
            self.triangles.push(corners);
        }
    }

    fn vertex(
        &mut self,
        block: [i64; 3],
        origin: [i64; 3],
        vertex: &EdgeVertex,
        side: i64,
        grid_ticks: i64,
    ) -> u32 {
        let next = self.vertices_ticks.len() as u32;
        let axis = vertex.axis as usize;
        let outer = (0..3).any(|k| k != axis && (vertex.corner[k] as usize).is_multiple_of(BLOCK));
        if outer {
            let [x, y, z] = [0, 1, 2].map(|k| block[k] * side + i64::from(vertex.corner[k]));
            let known = *self.shared.entry([x, y, z, axis as i64]).or_insert(next);
            if known != next {
                return known;
            }
        }
        if self.vertices_ticks.len() >= NO_VERTEX as usize {
            self.overflow += 1;
            return 0;
        }
        self.vertices_ticks.push(
            [0, 1, 2].map(|k| {
                (block[k] - origin[k]) * side * grid_ticks + i64::from(vertex.at_ticks[k])
            }),
        );
        next
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use glam::DVec3;

    const GRID: i64 = 1000;

    /// Marches a function of corner coordinates over all cells of blocks −2…1 along each axis.
    fn march(distance: impl Fn([i64; 3]) -> f32) -> Weld {
        let mut weld = Weld::default();
        let mut block = Block::default();
        for number in 0..64 {
            let at = [number / 16 - 2, number / 4 % 4 - 2, number % 4 - 2];
            block.clear();
            block.marked.fill(true);
            for k in 0..CORNERS.pow(3) {
                let corner = [k / (CORNERS * CORNERS), k / CORNERS % CORNERS, k % CORNERS];
                let place = [0, 1, 2].map(|axis| at[axis] * BLOCK as i64 + corner[axis] as i64);
                block.distance[k] = distance(place);
            }
            let patch = block.march(GRID);
            assert_eq!(patch.cells_unknown, 0);
            weld.add(at, &patch, GRID);
        }
        weld
    }

    /// Asserts that each directed edge has its opposite exactly once; gives V − E + F.
    pub fn euler_of_closed(vertices: usize, triangles: &[[u32; 3]]) -> i64 {
        let mut edges: Vec<[u32; 2]> =
            triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]).collect();
        edges.sort_unstable();
        for pair in edges.windows(2) {
            assert_ne!(pair[0], pair[1], "an edge is used twice in one direction");
        }
        for &[a, b] in &edges {
            assert!(edges.binary_search(&[b, a]).is_ok(), "edge {a} {b} has one side only");
        }
        vertices as i64 - edges.len() as i64 / 2 + triangles.len() as i64
    }

    fn volume(weld: &Weld) -> f64 {
        let at = |k: u32| {
            DVec3::from_array(weld.vertices_ticks[k as usize].map(|t| t as f64 / GRID as f64))
        };
        let parts = weld.triangles.iter().map(|t| at(t[0]).dot(at(t[1]).cross(at(t[2]))) / 6.0);
        parts.sum()
    }

    fn place(at: [i64; 3]) -> DVec3 {
        DVec3::from_array(at.map(|c| c as f64)) - DVec3::new(0.3, 0.2, 0.1)
    }

    #[test]
    fn a_sphere_is_closed_and_has_its_volume() {
        let weld = march(|at| (place(at).length() - 20.5) as f32);
        assert_eq!(euler_of_closed(weld.vertices_ticks.len(), &weld.triangles), 2);
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 20.5f64.powi(3);
        // Triangles between vertices at most √3 apart sag by up to 3/8R, and the line between two
        // corners misses the zero by up to 1/8R, all inwards: 4πR²·4/8R at most.
        let missing = exact - volume(&weld);
        assert!(missing > 0.0 && missing < std::f64::consts::TAU * 20.5, "{missing}");
    }

    #[test]
    fn a_torus_is_closed_and_has_a_hole() {
        let weld = march(|at| {
            let p = place(at);
            ((p.x.hypot(p.y) - 18.0).hypot(p.z) - 7.5) as f32
        });
        assert_eq!(euler_of_closed(weld.vertices_ticks.len(), &weld.triangles), 0);
        let exact = 2.0 * std::f64::consts::PI.powi(2) * 18.0 * 7.5f64.powi(2);
        assert!((volume(&weld) / exact - 1.0).abs() < 0.01, "{}", volume(&weld) / exact);
    }

    /// Noise meets all cases and all ambiguous faces; positive all round so that it closes.
    #[test]
    fn noise_is_closed_too() {
        let weld = march(|at| {
            if at.iter().any(|&c| c <= -31 || c >= 31) {
                return 1.0;
            }
            let mixed = at.iter().fold(17u64, |mixed, &c| {
                let mixed = (mixed ^ c as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                mixed ^ mixed >> 29
            });
            (mixed >> 40) as f32 / (1u64 << 24) as f32 - 0.5
        });
        assert!(weld.triangles.len() > 100_000);
        let _ = euler_of_closed(weld.vertices_ticks.len(), &weld.triangles);
    }
}
