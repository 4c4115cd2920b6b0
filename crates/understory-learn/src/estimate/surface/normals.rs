//! Normals of points by weighted principal components, turned towards the sensor.
//!
//! What enters: averaged points with the mean direction to their sensors. What leaves: each with the
//! eigenvector of the smallest eigenvalue of its neighbourhood's scatter, weights
//! w·(1 − r²/h²)⁴ about their weighted mean, so turned that it faces the sensor; points without one
//! are removed and counted. With fewer than six points within h, or with a mere line of them, the
//! radius is 2h.

use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use super::points::{CELLS_PER_KERNEL, LocalPoints, PointSet};
use super::rimls::{Neighbours, sum_of};
use super::{SurfaceOptions, SurfaceStep};

/// Search cells along the side of a tile, which one thread does at a time.
const TILE: i64 = 4 * CELLS_PER_KERNEL;
/// Search cells around it that twice the kernel may reach.
const HALO: i64 = 2 * CELLS_PER_KERNEL;
/// Tiles between two reports of progress.
const TILES_AT_ONCE: usize = 1024;

/// What became of the points.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// Removed: too few points within 2h.
    pub too_few: u64,
    /// Removed: as thick as wide.
    pub no_surface: u64,
    /// Kept, though they lie on a line: the normal nearest to the sensor.
    pub line_like: u64,
}

/// What the neighbourhood of a point says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Normal([f32; 3]),
    OnLine([f32; 3]),
    TooFew,
    NoSurface,
}

/// Gives all points their normals and removes those that have none.
pub(super) fn estimate(
    set: &mut PointSet,
    options: &SurfaceOptions,
    progress: &mut impl FnMut(SurfaceStep, u64, u64),
) -> Counts {
    let mut tiles: Vec<[i64; 3]> =
        set.cells().iter().map(|c| c.cell.map(|at| at.div_euclid(TILE))).collect();
    tiles.sort_unstable();
    tiles.dedup();
    let mut counts = Counts::default();
    let mut normals: Vec<Option<[f32; 3]>> = vec![None; set.weight.len()];
    let total = tiles.len() as u64;
    progress(SurfaceStep::Normals, 0, total);
    let mut done = 0;
    for tiles in tiles.chunks(TILES_AT_ONCE) {
        let found: Vec<Vec<(u32, Verdict)>> = tiles
            .par_iter()
            .map_init(Room::default, |room, &tile| room.of_tile(set, tile, options))
            .collect();
        for (index, found) in found.into_iter().flatten() {
            normals[index as usize] = match found {
                Verdict::Normal(normal) => Some(normal),
                Verdict::OnLine(normal) => {
                    counts.line_like += 1;
                    Some(normal)
                }
                Verdict::TooFew => {
                    counts.too_few += 1;
                    None
                }
                Verdict::NoSurface => {
                    counts.no_surface += 1;
                    None
                }
            };
        }
        done += tiles.len() as u64;
        progress(SurfaceStep::Normals, done, total);
    }
    set.set_normals(&normals);
    counts
}

/// What a thread works with, used again for each tile.
#[derive(Default)]
struct Room {
    local: LocalPoints,
    neighbours: Neighbours,
}

impl Room {
    fn of_tile(
        &mut self,
        set: &PointSet,
        tile: [i64; 3],
        options: &SurfaceOptions,
    ) -> Vec<(u32, Verdict)> {
        let low = tile.map(|at| at * TILE);
        self.local.gather(set, low.map(|at| at - HALO), low.map(|at| at + TILE - 1 + HALO));
        self.neighbours.clear();
        let last = self.local.size().map(|size| size - 1 - HALO);
        let runs: Vec<_> = self.local.runs([HALO; 3], last).collect();
        let mut verdicts = Vec::new();
        // In the order of the points, and so by search cell.
        for place in runs.into_iter().flatten() {
            verdicts.push((self.local.index[place], self.of_point(place, options)));
        }
        verdicts
    }

    /// The normal of the local point `place`.
    fn of_point(&mut self, place: usize, options: &SurfaceOptions) -> Verdict {
        match self.within(place, 1, options) {
            Verdict::TooFew | Verdict::OnLine(_) => self.within(place, 2, options),
            verdict => verdict,
        }
    }

    /// The normal of the points within so many kernels of the local point `place`.
    fn within(&mut self, place: usize, kernels: i64, options: &SurfaceOptions) -> Verdict {
        let at = self.local.at(place);
        let count = self.neighbours.take_places(&self.local, at, kernels);
        if count < options.normal_neighbours_min as usize {
            return Verdict::TooFew;
        }
        let (d, phi) = (&self.neighbours.d, &self.neighbours.phi);
        // Weight, first and second moments about the point, in radii.
        let sums = sum_of([&d[0], &d[1], &d[2], phi], |[x, y, z, w]| {
            let (wx, wy, wz) = (w * x, w * y, w * z);
            [w, wx, wy, wz, wx * x, wy * y, wz * z, wx * y, wx * z, wy * z]
        });
        let [w, x, y, z, xx, yy, zz, xy, xz, yz] = sums.map(f64::from);
        let scatter = |product: f64, a: f64, b: f64| product / w - (a / w) * (b / w);
        let (xy, xz, yz) = (scatter(xy, x, y), scatter(xz, x, z), scatter(yz, y, z));
        let (xx, yy, zz) = (scatter(xx, x, x), scatter(yy, y, y), scatter(zz, z, z));
        let scatter = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        let view = [0, 1, 2].map(|axis| f64::from(self.local.normal[axis][place]));
        let noise = options.sigma_range_m / (options.kernel_m * kernels as f64);
        from_scatter(scatter, view, noise * noise, options)
    }
}

/// The normal that a scatter matrix, the direction to the sensor and the variance of ranges say.
fn from_scatter(
    scatter: Matrix3<f64>,
    view: [f64; 3],
    noise: f64,
    options: &SurfaceOptions,
) -> Verdict {
    let Some(eigen) = SymmetricEigen::try_new(scatter, f64::EPSILON, 100) else {
        return Verdict::NoSurface;
    };
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let values = order.map(|k| eigen.eigenvalues[k].max(0.0));
    let axis = |k: usize| eigen.eigenvectors.column(order[k]);
    let second = axis(1);
    let along_beam: f64 = (0..3).map(|k| second[k] * view[k]).sum();
    let width = (values[1] - noise * along_beam * along_beam).max(0.0);
    if options.line_ratio_max > 0.0 && width <= options.line_ratio_max * values[2] {
        // Across the line, as near to the sensor as it goes.
        let along = axis(2);
        let part: f64 = (0..3).map(|k| along[k] * view[k]).sum();
        let across = [0, 1, 2].map(|k| view[k] - part * along[k]);
        let length = across.iter().map(|c| c * c).sum::<f64>().sqrt();
        return if length > 1e-6 {
            Verdict::OnLine(across.map(|c| (c / length) as f32))
        } else {
            Verdict::NoSurface
        };
    }
    if options.normal_ratio_max.is_some_and(|most| values[0] > most * values[1]) {
        return Verdict::NoSurface;
    }
    let least = axis(0);
    let facing: f64 = (0..3).map(|k| least[k] * view[k]).sum();
    let sign = if facing < 0.0 { -1.0 } else { 1.0 };
    Verdict::Normal([0, 1, 2].map(|k| (least[k] * sign) as f32))
}
