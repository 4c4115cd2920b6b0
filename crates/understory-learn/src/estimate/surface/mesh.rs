//! The surface that was built, and what it was built from.

use std::fmt;

use glam::DVec3;

use super::METRES_PER_TICK;
use super::marching_cubes::Weld;

/// Triangles that face the sensors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Where the vertices are counted from, in the world.
    pub origin: DVec3,
    /// Positions from the origin.
    pub vertices: Vec<DVec3>,
    /// Counter-clockwise as seen from the sensors.
    pub triangles: Vec<[u32; 3]>,
    /// What it was built from.
    pub report: SurfaceReport,
}

/// What a surface was built from, and what was skipped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SurfaceReport {
    /// Points that were given.
    pub points: u64,
    /// Points skipped: a coordinate is no finite number.
    pub not_finite: u64,
    /// Points skipped: a coordinate is beyond a million kilometres.
    pub too_far: u64,
    /// Points skipped: at the very origin of their beam.
    pub at_origin: u64,
    /// Averages that the other points became.
    pub averaged: u64,
    /// Averages skipped: too few neighbours for a normal.
    pub too_few_neighbours: u64,
    /// Averages skipped: their neighbours are no surface.
    pub no_surface: u64,
    /// Averages that were used although their neighbours lie on a line.
    pub line_like: u64,
    /// Cells near points.
    pub cells_marked: u64,
    /// Cells with triangles.
    pub cells_crossed: u64,
    /// Cells that the surface crosses but whose corners are not all known: holes.
    pub cells_unknown: u64,
    /// Triangles removed because they reach too far from points.
    pub triangles_far: u64,
    /// Edges with a triangle on one side only.
    pub border_edges: u64,
    /// Connected borders: outlines of pieces and of holes in them.
    pub borders: u64,
    /// Memory of the sums, about.
    pub gathered_bytes: u64,
    /// Memory of the averages, about.
    pub points_bytes: u64,
    /// Memory of the mesh.
    pub mesh_bytes: u64,
}

impl fmt::Display for SurfaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} points in {} averages", self.points, self.averaged)?;
        for (count, what) in [
            (self.not_finite, "points with something that is no finite number"),
            (self.too_far, "points beyond a million kilometres"),
            (self.at_origin, "points at the origin of their beam"),
            (self.too_few_neighbours, "averages with too few neighbours"),
            (self.no_surface, "averages whose neighbours are no surface"),
            (self.triangles_far, "triangles far from points"),
        ] {
            if count > 0 {
                write!(f, "; skipped {count} {what}")?;
            }
        }
        let (crossed, marked) = (self.cells_crossed, self.cells_marked);
        write!(f, "; surface in {crossed} of {marked} cells near points")?;
        write!(f, ", {} more not known at all corners", self.cells_unknown)?;
        write!(f, "; {} borders of {} edges", self.borders, self.border_edges)
    }
}

impl SurfaceMesh {
    /// From welded blocks, whose first has its lowest corner at `origin`.
    pub(super) fn new(weld: Weld, origin: DVec3, mut report: SurfaceReport) -> SurfaceMesh {
        let place = |ticks: &[i64; 3]| DVec3::from_array(ticks.map(|t| t as f64)) * METRES_PER_TICK;
        let vertices: Vec<DVec3> = weld.vertices_ticks.iter().map(place).collect();
        let triangles = weld.triangles;
        let borders = border_edges(&triangles);
        report.border_edges = borders.len() as u64;
        report.borders = pieces(&borders);
        let bytes = vertices.len() * size_of::<DVec3>() + triangles.len() * size_of::<[u32; 3]>();
        report.mesh_bytes = bytes as u64;
        SurfaceMesh { origin, vertices, triangles, report }
    }

    /// Vertices in the world.
    pub fn world_vertices(&self) -> impl Iterator<Item = DVec3> {
        self.vertices.iter().map(|&vertex| self.origin + vertex)
    }
}

/// Edges that belong to one triangle only.
fn border_edges(triangles: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let sides = triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    let runs = edges.chunk_by(|a, b| a == b);
    runs.filter(|run| run.len() == 1).filter_map(|run| run.first().copied()).collect()
}

/// Number of connected pieces of a set of edges.
fn pieces(edges: &[[u32; 2]]) -> u64 {
    let mut ends: Vec<u32> = edges.iter().flatten().copied().collect();
    ends.sort_unstable();
    ends.dedup();
    let mut parent: Vec<usize> = (0..ends.len()).collect();
    let mut count = ends.len() as u64;
    for edge in edges {
        let [a, b] = edge.map(|end| root(&mut parent, ends.partition_point(|&e| e < end)));
        if a != b {
            parent[a] = b;
            count -= 1;
        }
    }
    count
}

fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}
