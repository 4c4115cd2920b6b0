//! Normals of points by weighted principal components, turned towards the sensor.
//!
//! What enters: averaged points with the mean direction to their sensors. What leaves: each with the
//! eigenvector of the smallest eigenvalue of its neighbourhood's scatter, weights
//! w·(1 − r²/h²)⁴ about their weighted mean, so turned that it faces the sensor; points without one
//! are removed and counted. With fewer than six points within h, or with a mere line of them, the
//! radius is 2h.

use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use super::points::{LocalPoints, PointSet};
use super::{SurfaceOptions, SurfaceStep};

/// Search cells along the side of a tile, which one thread does at a time.
const TILE: i64 = 4;
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
pub(super) enum Found {
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
        let found: Vec<Vec<(u32, Found)>> = tiles
            .par_iter()
            .map_init(Default::default, |room, &tile| of_tile(set, room, tile, options))
            .collect();
        for (index, found) in found.into_iter().flatten() {
            normals[index as usize] = match found {
                Found::Normal(normal) => Some(normal),
                Found::OnLine(normal) => {
                    counts.line_like += 1;
                    Some(normal)
                }
                Found::TooFew => {
                    counts.too_few += 1;
                    None
                }
                Found::NoSurface => {
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

fn of_tile(
    set: &PointSet,
    (local, found): &mut (LocalPoints, Vec<u32>),
    tile: [i64; 3],
    options: &SurfaceOptions,
) -> Vec<(u32, Found)> {
    let low = tile.map(|at| at * TILE);
    local.gather(set, low.map(|at| at - 2), low.map(|at| at + TILE + 1));
    let mut normals = Vec::new();
    for x in low[0]..low[0] + TILE {
        for y in low[1]..low[1] + TILE {
            for z in low[2]..low[2] + TILE {
                for place in local.cell([x, y, z]) {
                    normals.push((local.index[place], of_point(set, local, found, place, options)));
                }
            }
        }
    }
    normals
}

/// The normal of the local point `place`.
fn of_point(
    set: &PointSet,
    local: &LocalPoints,
    found: &mut Vec<u32>,
    place: usize,
    options: &SurfaceOptions,
) -> Found {
    let at = local.at_ticks[place];
    let view = set.normal[local.index[place] as usize].map(f64::from);
    let kernel = options.kernel_ticks();
    local.near(at, kernel, found);
    match of_neighbours(set, local, found, at, kernel, view, options) {
        Found::TooFew | Found::OnLine(_) => {
            local.near(at, 2 * kernel, found);
            of_neighbours(set, local, found, at, 2 * kernel, view, options)
        }
        normal => normal,
    }
}

/// The normal of the points `found` within `radius` of `at`.
fn of_neighbours(
    set: &PointSet,
    local: &LocalPoints,
    found: &[u32],
    at: [i32; 3],
    radius: i64,
    view: [f64; 3],
    options: &SurfaceOptions,
) -> Found {
    if found.len() < options.normal_neighbours_min as usize {
        return Found::TooFew;
    }
    // Weight, first and second moments about the point, in radii.
    let (mut w0, mut w1, mut w2) = (0.0, [0.0; 3], [0.0; 6]);
    let scale = 1.0 / radius as f32;
    for &near in found {
        let near = near as usize;
        let d = [0, 1, 2].map(|axis| (local.at_ticks[near][axis] - at[axis]) as f32 * scale);
        let inside = 1.0 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        let w = f64::from(
            set.weight[local.index[near] as usize] * (inside * inside) * (inside * inside),
        );
        let d = d.map(f64::from);
        w0 += w;
        let wd = d.map(|d| w * d);
        for axis in 0..3 {
            w1[axis] += wd[axis];
        }
        for (sum, part) in w2.iter_mut().zip([
            wd[0] * d[0],
            wd[1] * d[1],
            wd[2] * d[2],
            wd[0] * d[1],
            wd[0] * d[2],
            wd[1] * d[2],
        ]) {
            *sum += part;
        }
    }
    let mean = w1.map(|sum| sum / w0);
    let [xx, yy, zz, xy, xz, yz] = w2.map(|sum| sum / w0);
    let (xy, xz, yz) = (xy - mean[0] * mean[1], xz - mean[0] * mean[2], yz - mean[1] * mean[2]);
    let diagonal = [xx - mean[0] * mean[0], yy - mean[1] * mean[1], zz - mean[2] * mean[2]];
    let scatter = Matrix3::new(diagonal[0], xy, xz, xy, diagonal[1], yz, xz, yz, diagonal[2]);
    from_scatter(scatter, view, options)
}

/// The normal that a scatter matrix and the direction to the sensor say.
fn from_scatter(scatter: Matrix3<f64>, view: [f64; 3], options: &SurfaceOptions) -> Found {
    let Some(eigen) = SymmetricEigen::try_new(scatter, f64::EPSILON, 100) else {
        return Found::NoSurface;
    };
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[a].total_cmp(&eigen.eigenvalues[b]));
    let values = order.map(|k| eigen.eigenvalues[k].max(0.0));
    let axis = |k: usize| eigen.eigenvectors.column(order[k]);
    if values[1] <= options.line_ratio_max * values[2] {
        // Across the line, as near to the sensor as it goes.
        let along = axis(2);
        let part: f64 = (0..3).map(|k| along[k] * view[k]).sum();
        let across = [0, 1, 2].map(|k| view[k] - part * along[k]);
        let length = across.iter().map(|c| c * c).sum::<f64>().sqrt();
        return if length > 1e-6 {
            Found::OnLine(across.map(|c| (c / length) as f32))
        } else {
            Found::NoSurface
        };
    }
    if options.normal_ratio_max.is_some_and(|most| values[0] > most * values[1]) {
        return Found::NoSurface;
    }
    let least = axis(0);
    let facing: f64 = (0..3).map(|k| least[k] * view[k]).sum();
    let sign = if facing < 0.0 { -1.0 } else { 1.0 };
    Found::Normal([0, 1, 2].map(|k| (least[k] * sign) as f32))
}
