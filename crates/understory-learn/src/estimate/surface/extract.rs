//! From points with normals to triangles: which blocks, distances at their corners, what reaches too
//! far.
//!
//! What enters: [`PointSet`] with normals. What leaves: the mesh. Blocks of cells are done on all
//! threads and welded in one fixed order. Nothing is as large as the box around the points: only
//! blocks near points exist, and only those in work hold distances.

use glam::DVec3;
use rayon::prelude::*;

use super::marching_cubes::{
    BLOCK, Block, CORNERS, Patch, Weld, cell_number, cells, corner_number,
};
use super::mesh::{SurfaceMesh, SurfaceReport};
use super::points::{CELLS_PER_KERNEL, LocalPoints, PointSet};
use super::rimls::{Neighbours, Robustness};
use super::{METRES_PER_TICK, SurfaceOptions, SurfaceStep};
use crate::SurfaceError;

/// Blocks between two reports of progress: enough for many threads, few enough for their memory.
const BLOCKS_AT_ONCE: usize = 1024;

/// Lengths in ticks, and how points lose weight.
struct Settings {
    grid: i64,
    reach: i64,
    neighbours_min: usize,
    robustness: Robustness,
    /// With twice the kernel, if corners may have that.
    widened: Option<Robustness>,
}

/// What a thread works with, used again for each block.
#[derive(Default)]
struct Room {
    local: LocalPoints,
    neighbours: Neighbours,
    block: Block,
    wanted: Vec<bool>,
}

/// Builds the mesh.
pub(super) fn extract(
    set: &PointSet,
    options: &SurfaceOptions,
    mut report: SurfaceReport,
    progress: &mut impl FnMut(SurfaceStep, u64, u64),
) -> Result<SurfaceMesh, SurfaceError> {
    let widened = Robustness::new(options, 2.0 * options.kernel_m);
    let settings = Settings {
        grid: options.grid_ticks(),
        reach: options.reach_ticks(),
        neighbours_min: options.neighbours_min as usize,
        robustness: Robustness::new(options, options.kernel_m),
        widened: options.widen_at_corners.then_some(widened),
    };
    let blocks = blocks_near(set, &settings);
    let total = blocks.len() as u64;
    progress(SurfaceStep::Triangles, 0, total);
    let mut weld = Weld::default();
    let mut done = 0;
    for blocks in blocks.chunks(BLOCKS_AT_ONCE) {
        let patches: Vec<Patch> = blocks
            .par_iter()
            .map_init(Room::default, |room, &block| room.patch(set, block, &settings))
            .collect();
        for (&block, patch) in blocks.iter().zip(&patches) {
            weld.add(block, patch, settings.grid);
            report.cells_marked += patch.cells_marked;
            report.cells_crossed += patch.cells_crossed;
            report.cells_unknown += patch.cells_unknown;
            report.triangles_far += patch.triangles_far;
        }
        if weld.overflow > 0 {
            let count = weld.vertices_ticks.len() as u64 + weld.overflow;
            return Err(SurfaceError::TooMany { what: "vertices", count });
        }
        done += blocks.len() as u64;
        progress(SurfaceStep::Triangles, done, total);
    }
    let side = BLOCK as i64 * settings.grid;
    let low = weld.origin.unwrap_or_default().map(|at| (at * side) as f64 * METRES_PER_TICK);
    Ok(SurfaceMesh::new(weld, DVec3::from_array(low), report))
}

/// Blocks that may be within reach of points, sorted.
fn blocks_near(set: &PointSet, settings: &Settings) -> Vec<[i64; 3]> {
    let side = BLOCK as i64 * settings.grid;
    let mut blocks = Vec::new();
    let mut room = 1 << 20;
    for search in set.cells() {
        let low = search.cell.map(|at| (at * set.side_ticks - settings.reach).div_euclid(side));
        let high =
            search.cell.map(|at| ((at + 1) * set.side_ticks + settings.reach).div_euclid(side));
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                for z in low[2]..=high[2] {
                    blocks.push([x, y, z]);
                }
            }
        }
        // Neighbours name the same blocks again and again.
        if blocks.len() > room {
            blocks.sort_unstable();
            blocks.dedup();
            room = room.max(2 * blocks.len());
        }
    }
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// All combinations, the last fastest.
fn product<'a, T>(
    xs: &'a [T],
    ys: &'a [T],
    zs: &'a [T],
) -> impl Iterator<Item = (&'a T, &'a T, &'a T)> {
    xs.iter().flat_map(move |x| ys.iter().flat_map(move |y| zs.iter().map(move |z| (x, y, z))))
}

impl Room {
    /// Triangles of one block.
    fn patch(&mut self, set: &PointSet, block: [i64; 3], settings: &Settings) -> Patch {
        let side = BLOCK as i64 * settings.grid;
        let low = block.map(|at| at * side);
        let halo = CELLS_PER_KERNEL * if settings.widened.is_some() { 2 } else { 1 };
        let search = |ticks: i64| ticks.div_euclid(set.side_ticks);
        self.local.gather(
            set,
            low.map(|at| search(at) - halo),
            low.map(|at| search(at + side) + halo),
        );
        self.neighbours.clear();
        self.block.clear();
        let corner = self.local.local_ticks(low);
        if !self.mark(corner, settings) {
            return Patch::default();
        }
        self.measure(corner, settings);
        let mut patch = self.block.march(settings.grid);
        self.keep_near(&mut patch, corner, settings);
        patch
    }

    /// Marks the cells within reach of a point; false if there are none. `low` is the block's lowest
    /// corner in the local frame.
    fn mark(&mut self, low: [i32; 3], settings: &Settings) -> bool {
        let (grid, reach) = (settings.grid, settings.reach);
        let most = BLOCK as i64 - 1;
        let mut any = false;
        for place in 0..self.local.index.len() {
            let at = self.local.at(place);
            let at = [0, 1, 2].map(|axis| i64::from(at[axis] - low[axis]));
            let first = at.map(|at| (at - reach).div_euclid(grid).max(0));
            let last = at.map(|at| (at + reach).div_euclid(grid).min(most));
            // Distance from a coordinate to a cell's extent along an axis.
            let gap = |axis: usize, cell: i64| {
                let (at, start) = (at[axis], cell * grid);
                (start - at).max(at - start - grid).max(0) as f32
            };
            for x in first[0]..=last[0] {
                for y in first[1]..=last[1] {
                    for z in first[2]..=last[2] {
                        let (dx, dy, dz) = (gap(0, x), gap(1, y), gap(2, z));
                        if dx * dx + dy * dy + dz * dz <= (reach * reach) as f32 {
                            let cell = [x, y, z].map(|at| at as usize);
                            self.block.marked[cell_number(cell)] = true;
                            any = true;
                        }
                    }
                }
            }
        }
        any
    }

    /// Works out the distance at all corners of marked cells.
    fn measure(&mut self, low: [i32; 3], settings: &Settings) {
        self.wanted.clear();
        self.wanted.resize(CORNERS.pow(3), false);
        for cell in cells().filter(|&cell| self.block.marked[cell_number(cell)]) {
            for corner in 0..8 {
                let at = [0, 1, 2].map(|axis| cell[axis] + (corner >> axis & 1));
                self.wanted[corner_number(at)] = true;
            }
        }
        let at = |axis: usize, corner: usize| low[axis] + (corner as i64 * settings.grid) as i32;
        // By search cell, since its corners have the same candidates.
        let [xs, ys, zs] = [0, 1, 2].map(|axis| {
            let cell = |corner: &usize| self.local.cell_at([at(axis, *corner); 3])[0];
            let corners: Vec<usize> = (0..CORNERS).collect();
            corners.chunk_by(|a, b| cell(a) == cell(b)).map(<[usize]>::to_vec).collect::<Vec<_>>()
        });
        for (xs, ys, zs) in product(&xs, &ys, &zs) {
            for (&x, &y, &z) in product(xs, ys, zs) {
                let number = corner_number([x, y, z]);
                if self.wanted[number] {
                    self.block.distance[number] =
                        self.distance([at(0, x), at(1, y), at(2, z)], settings);
                }
            }
        }
    }

    /// The distance at a place of the local frame, in kernel radii; NaN where it is not known.
    fn distance(&mut self, at: [i32; 3], settings: &Settings) -> f32 {
        for (kernels, robustness) in
            [(1, Some(&settings.robustness)), (2, settings.widened.as_ref())]
        {
            let Some(robustness) = robustness else { continue };
            let count = self.neighbours.take_places(&self.local, at, kernels);
            if count >= settings.neighbours_min {
                let distance = self.neighbours.distance(robustness);
                return distance.map_or(f32::NAN, |distance| distance.f * kernels as f32);
            }
        }
        f32::NAN
    }

    /// Removes triangles with a vertex that is out of reach of all points.
    fn keep_near(&self, patch: &mut Patch, low: [i32; 3], settings: &Settings) {
        let near: Vec<bool> = patch
            .vertices
            .iter()
            .map(|vertex| {
                let at = [0, 1, 2].map(|axis| low[axis] + vertex.at_ticks[axis]);
                self.local.any_near(at, settings.reach)
            })
            .collect();
        let before = patch.triangles.len();
        patch.triangles.retain(|triangle| triangle.iter().all(|&k| near[k as usize]));
        patch.triangles_far = (before - patch.triangles.len()) as u64;
    }
}
