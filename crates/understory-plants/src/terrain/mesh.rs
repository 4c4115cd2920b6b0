//! The ground as triangles, as many as its shape needs.
//!
//! What enters: a [`HeightField`] and a tolerance. What leaves: a [`GroundMesh`] without cracks
//! whose vertical distance from the field is nowhere above the tolerance, and the field of the mesh
//! itself, on which things stand exactly.
//!
//! The mesh is a right-triangulated irregular network (Evans, Kirkpatrick and Townsend 2001).
//! Squares of 2ᵏ cells are two right triangles; a triangle is halved at the middle of its
//! hypotenuse, together with the one behind that hypotenuse, so no vertex ever lies on another
//! triangle's edge. Which middles are vertices is settled from the smallest triangles up: a middle
//! is one if a triangle without it strays too far from a sample, or if a smaller one below it is.
//! Triangles of every size are unions of the field's own, so distances at the samples are the whole
//! truth. A field whose sides are no power of two lies in squares that reach beyond it; triangles
//! across its rim are halved until they end on the rim, and those outside are left out.

use super::{HeightField, check};
use crate::PlantError;
use glam::{DVec2, DVec3};
use serde::Deserialize;
use understory_geometry::{GeometryError, TriangleMesh};

/// How fine the triangles of the ground are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroundDetail {
    /// Two triangles for each cell of the field.
    #[default]
    Full,
    /// As few as keep within this vertical distance of the field.
    WithinM(f64),
}

impl GroundDetail {
    /// Is the tolerance within its limits?
    pub fn check(&self) -> Result<(), PlantError> {
        match *self {
            GroundDetail::Full => Ok(()),
            GroundDetail::WithinM(tolerance) => {
                check("within_m of the ground", tolerance, 0.0, 1e4)
            }
        }
    }
}

/// The ground as triangles, counter-clockwise as seen from above.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundMesh {
    /// Vertices in metres.
    pub positions: Vec<DVec3>,
    /// Vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Heights of this mesh at the samples of the field: what stands on `surface.height_at` stands
    /// on the mesh.
    pub surface: HeightField,
    /// Largest vertical distance between the mesh and the field it was made from.
    pub vertical_error_max_m: f64,
}

impl GroundMesh {
    /// The ground for the tracer.
    pub fn to_triangle_mesh(&self) -> Result<TriangleMesh, GeometryError> {
        TriangleMesh::new(&self.positions, self.triangles.clone())
    }
}

impl HeightField {
    /// The field as triangles. A tolerance that is negative or no number counts as zero: only what
    /// is exactly even is made coarser.
    pub fn mesh(&self, detail: GroundDetail) -> GroundMesh {
        let tolerance = match detail {
            GroundDetail::Full => None,
            GroundDetail::WithinM(tolerance) => Some(tolerance.max(0.0)),
        };
        let network = Network::new(self, tolerance);
        let mut writer = MeshWriter::new(self);
        network.write(&mut writer);
        writer.finish()
    }
}

/// A sample by column and row; those of the squares may lie beyond the field.
type Vertex = [usize; 2];

/// Which samples are vertices of the mesh.
struct Network<'a> {
    field: &'a HeightField,
    /// None: all samples.
    vertices: Option<Vec<bool>>,
    /// Cells along one side of a square.
    square: usize,
}

/// How a triangle lies to the rectangle of the field.
#[derive(PartialEq)]
enum Lies {
    Inside,
    Across,
    Outside,
}

impl<'a> Network<'a> {
    fn new(field: &'a HeightField, tolerance: Option<f64>) -> Network<'a> {
        let cells = (field.columns() - 1).min(field.rows() - 1);
        let square = cells.next_power_of_two();
        let mut network = Network { field, vertices: None, square };
        if let Some(tolerance) = tolerance {
            network.vertices = Some(vec![false; field.columns() * field.rows()]);
            let mut side = 2;
            while side <= square {
                network.settle_edges(side, tolerance);
                network.settle_centres(side, tolerance);
                side *= 2;
            }
        }
        network
    }

    /// Settles the middles of the sides of all squares of this side length.
    fn settle_edges(&mut self, side: usize, tolerance: f64) {
        let (half, quarter) = (side / 2, side / 4);
        for row in (0..self.field.rows()).step_by(half) {
            let on_square_row = row.is_multiple_of(side);
            let first = if on_square_row { half } else { 0 };
            for column in (first..self.field.columns()).step_by(side) {
                let middle = [column, row];
                // The halves of both triangles have their own middles a quarter away, diagonally.
                let mut needed = quarter > 0
                    && [(-1, -1), (-1, 1), (1, -1), (1, 1)]
                        .into_iter()
                        .any(|step| self.is_vertex_at(middle, step, quarter));
                let steps = if on_square_row { [(1, 0), (0, 1)] } else { [(0, 1), (1, 0)] };
                for sign in [-1, 1] {
                    if needed {
                        break;
                    }
                    let (along, across) = (steps[0], (steps[1].0 * sign, steps[1].1 * sign));
                    // A triangle on the far side of the world's first row or column is outside.
                    let Some(apex) = shift(middle, across, half) else { continue };
                    let back = (-along.0, -along.1);
                    let (Some(a), Some(b)) =
                        (shift(middle, back, half), shift(middle, along, half))
                    else {
                        continue;
                    };
                    needed = self.must_split([a, b, apex], tolerance);
                }
                self.set_vertex(middle, needed);
            }
        }
    }

    /// Settles the centres of all squares of this side length.
    fn settle_centres(&mut self, side: usize, tolerance: f64) {
        let half = side / 2;
        for row in (half..self.field.rows()).step_by(side) {
            for column in (half..self.field.columns()).step_by(side) {
                let centre = [column, row];
                let needed = [(-1, 0), (1, 0), (0, -1), (0, 1)]
                    .into_iter()
                    .any(|step| self.is_vertex_at(centre, step, half))
                    || square_halves([column - half, row - half], side)
                        .into_iter()
                        .any(|triangle| self.must_split(triangle, tolerance));
                self.set_vertex(centre, needed);
            }
        }
    }

    fn set_vertex(&mut self, at: Vertex, needed: bool) {
        let place = at[1] * self.field.columns() + at[0];
        if let Some(vertex) = self.vertices.as_mut().and_then(|all| all.get_mut(place)) {
            *vertex |= needed;
        }
    }

    /// Is the sample a vertex? Those beyond the field are none.
    fn is_vertex(&self, [column, row]: Vertex) -> bool {
        let inside = column < self.field.columns() && row < self.field.rows();
        inside && self.vertices.as_ref().is_none_or(|all| all[row * self.field.columns() + column])
    }

    fn is_vertex_at(&self, from: Vertex, step: (isize, isize), length: usize) -> bool {
        shift(from, step, length).is_some_and(|vertex| self.is_vertex(vertex))
    }

    fn lies(&self, triangle: &[Vertex; 3]) -> Lies {
        let [low, high] = bounds(triangle);
        let last = [self.field.columns() - 1, self.field.rows() - 1];
        if low[0] >= last[0] || low[1] >= last[1] {
            Lies::Outside
        } else if high[0] <= last[0] && high[1] <= last[1] {
            Lies::Inside
        } else {
            Lies::Across
        }
    }

    fn must_split(&self, triangle: [Vertex; 3], tolerance: f64) -> bool {
        match self.lies(&triangle) {
            Lies::Outside => false,
            Lies::Across => true,
            Lies::Inside => {
                let mut strays = false;
                for_each_sample(self.field, &triangle, |column, row, height| {
                    strays = (height - self.field.height(column, row)).abs() > tolerance;
                    !strays
                });
                strays
            }
        }
    }

    fn write(&self, writer: &mut MeshWriter) {
        for row in (0..self.field.rows() - 1).step_by(self.square) {
            for column in (0..self.field.columns() - 1).step_by(self.square) {
                for half in square_halves([column, row], self.square) {
                    self.write_triangle(half, writer);
                }
            }
        }
    }

    /// Writes a triangle, or its halves. The depth is twice the squares' power of two.
    fn write_triangle(&self, triangle: [Vertex; 3], writer: &mut MeshWriter) {
        let [a, b, apex] = triangle;
        let lies = self.lies(&triangle);
        if lies == Lies::Outside {
            return;
        }
        // A diagonal of one cell has no sample in its middle; no other hypotenuse has odd sums.
        let unit = a[0].abs_diff(b[0]).max(a[1].abs_diff(b[1])) == 1;
        let middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        if !unit && (lies == Lies::Across || self.is_vertex(middle)) {
            self.write_triangle([apex, a, middle], writer);
            self.write_triangle([b, apex, middle], writer);
        } else {
            writer.triangle(triangle);
        }
    }
}

/// The two triangles of a square, counter-clockwise, each with its right angle last. The diagonal
/// follows the rule of [`HeightField`], squares taken as cells.
fn square_halves(corner: Vertex, side: usize) -> [[Vertex; 3]; 2] {
    let [west, south] = corner;
    let (east, north) = (west + side, south + side);
    if super::rising_diagonal(west / side, south / side) {
        [
            [[east, north], [west, south], [east, south]],
            [[west, south], [east, north], [west, north]],
        ]
    } else {
        [
            [[west, north], [east, south], [east, north]],
            [[east, south], [west, north], [west, south]],
        ]
    }
}

fn shift(from: Vertex, step: (isize, isize), length: usize) -> Option<Vertex> {
    let move_one = |from: usize, step: isize| match step {
        0 => Some(from),
        1 => Some(from + length),
        _ => from.checked_sub(length),
    };
    Some([move_one(from[0], step.0)?, move_one(from[1], step.1)?])
}

fn bounds(triangle: &[Vertex; 3]) -> [Vertex; 2] {
    let [a, b, c] = triangle;
    [
        [a[0].min(b[0]).min(c[0]), a[1].min(b[1]).min(c[1])],
        [a[0].max(b[0]).max(c[0]), a[1].max(b[1]).max(c[1])],
    ]
}

/// Calls `each(column, row, height of the triangle)` for all samples of a triangle inside the field,
/// its rim included, until it says false.
fn for_each_sample(
    field: &HeightField,
    triangle: &[Vertex; 3],
    mut each: impl FnMut(usize, usize, f64) -> bool,
) {
    let flat = triangle.map(|[column, row]| DVec2::new(column as f64, row as f64));
    let [a, b, c] = triangle.map(|[column, row]| field.height(column, row));
    // Rise from the first corner for each column and row. The area is a power of two, so the
    // division is exact.
    let (to_b, to_c) = (flat[1] - flat[0], flat[2] - flat[0]);
    let area = to_b.perp_dot(to_c);
    let east = ((b - a) * to_c.y - (c - a) * to_b.y) / area;
    let north = ((c - a) * to_b.x - (b - a) * to_c.x) / area;
    let [low, high] = bounds(triangle);
    for row in low[1]..=high[1] {
        let (first, last) = row_range(triangle, row, low[0], high[0]);
        for column in first..=last {
            let height = a + east * (column as f64 - flat[0].x) + north * (row as f64 - flat[0].y);
            if !each(column, row, height) {
                return;
            }
        }
    }
}

/// First and last column of a triangle in one row. All its edges run along the axes or at 45°, so
/// these are whole numbers.
fn row_range(triangle: &[Vertex; 3], row: usize, low: usize, high: usize) -> (usize, usize) {
    let (mut first, mut last) = (high, low);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let ([x0, y0], [x1, y1]) = (triangle[from], triangle[to]);
        if row < y0.min(y1) || row > y0.max(y1) {
            continue;
        }
        let ends = if y0 == y1 {
            [x0, x1]
        } else {
            let along = row.abs_diff(y0);
            let x = match x1.cmp(&x0) {
                std::cmp::Ordering::Equal => x0,
                std::cmp::Ordering::Greater => x0 + along,
                std::cmp::Ordering::Less => x0 - along,
            };
            [x, x]
        };
        first = first.min(ends[0]).min(ends[1]);
        last = last.max(ends[0]).max(ends[1]);
    }
    (first, last)
}

/// Collects triangles and what the mesh does to the heights.
struct MeshWriter<'a> {
    field: &'a HeightField,
    positions: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Index of each sample in `positions`, [`NONE`] before its first triangle.
    index: Vec<u32>,
    surface: HeightField,
    error_max: f64,
}

/// A field has fewer samples than this.
const NONE: u32 = u32::MAX;

impl<'a> MeshWriter<'a> {
    fn new(field: &'a HeightField) -> MeshWriter<'a> {
        MeshWriter {
            field,
            positions: Vec::new(),
            triangles: Vec::new(),
            index: vec![NONE; field.columns() * field.rows()],
            surface: field.clone(),
            error_max: 0.0,
        }
    }

    fn triangle(&mut self, triangle: [Vertex; 3]) {
        let corners = triangle.map(|[column, row]| {
            let index = &mut self.index[row * self.field.columns() + column];
            if *index == NONE {
                *index = self.positions.len() as u32;
                self.positions.push(self.field.sample(column, row));
            }
            *index
        });
        self.triangles.push(corners);
        let [low, high] = bounds(&triangle);
        if high[0] - low[0] == 1 && high[1] - low[1] == 1 {
            return;
        }
        let (surface, error_max) = (&mut self.surface, &mut self.error_max);
        for_each_sample(self.field, &triangle, |column, row, height| {
            // Corners keep their own height, not that height after rounding.
            if !triangle.contains(&[column, row]) {
                *error_max = error_max.max((height - self.field.height(column, row)).abs());
                surface.heights[row * surface.columns + column] = height;
            }
            true
        });
    }

    fn finish(self) -> GroundMesh {
        GroundMesh {
            positions: self.positions,
            triangles: self.triangles,
            surface: self.surface,
            vertical_error_max_m: self.error_max,
        }
    }
}
