//! What surrounds a volume: moments of cells → how range grows across the rays.
//!
//! The moments of all points are summed up in cells of doubling edges, each with its 26 neighbours. The
//! smallest of these surroundings that holds more than one scan line tells how the surface goes on
//! between the lines: ranges are regressed on the place across the ray.

use glam::{DMat3, DVec3};
use rayon::prelude::*;
use understory_base::math;

use crate::estimate::cells::{CellIndex, MixedMap};
use crate::volume::moments::Moments;

/// Surroundings are cells of at most about this edge, and their neighbours.
const SURROUNDINGS_M: f64 = 3.2;
/// Surroundings hold more than one scan line if their scatter across the ray is this many times
/// the second moment of the gap: two lines a gap apart have three times, three lines eight times.
const LINES: f64 = 3.0;

/// Moments of cells and their neighbours, by doubling edges.
pub struct Surroundings {
    levels: Vec<MixedMap<CellIndex, Moments>>,
}

/// The cell of the doubled edge that holds a cell.
pub fn parent(cell: CellIndex) -> CellIndex {
    CellIndex(cell.0.map(|c| c >> 1))
}

/// Moments of the cells of each level above the finest, each with its 26 neighbours.
pub fn surroundings(finest: Vec<(CellIndex, Moments)>, finest_m: f64) -> Surroundings {
    let doublings = math::log2(SURROUNDINGS_M / finest_m).ceil().clamp(3.0, 12.0) as usize;
    let mut levels: Vec<MixedMap<CellIndex, Moments>> = Vec::with_capacity(doublings);
    let mut below = finest;
    for _ in 0..doublings {
        let mut level: MixedMap<CellIndex, Moments> = MixedMap::default();
        let mut order = Vec::new();
        for (cell, moments) in &below {
            let up = parent(*cell);
            level
                .entry(up)
                .or_insert_with(|| {
                    order.push(up);
                    Moments::EMPTY
                })
                .merge(moments);
        }
        below = order.iter().filter_map(|cell| Some((*cell, *level.get(cell)?))).collect();
        levels.push(with_neighbours(&below, &level));
    }
    Surroundings { levels }
}

fn with_neighbours(
    cells: &[(CellIndex, Moments)],
    level: &MixedMap<CellIndex, Moments>,
) -> MixedMap<CellIndex, Moments> {
    let around = |cell: &CellIndex| {
        let [x, y, z] = cell.0;
        let mut points = Moments::EMPTY;
        for (dx, dy, dz) in (0..27).map(|k| (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) {
            if let Some(moments) = level.get(&CellIndex([x + dx, y + dy, z + dz])) {
                points.merge(moments);
            }
        }
        (*cell, points)
    };
    let all: Vec<(CellIndex, Moments)> = cells.par_iter().map(|(cell, _)| around(cell)).collect();
    all.into_iter().collect()
}

/// How range grows across the rays.
pub struct Slope {
    /// Metres of range per metre across, as a vector.
    pub rise: DVec3,
    /// Share of the ranges' scatter that it explains.
    pub explains: f64,
    /// Variance that it leaves.
    pub residual: f64,
}

/// The slope of what surrounds a cell of some level above the finest, in the smallest surroundings that
/// hold more than one scan line.
pub fn slope(
    cell: CellIndex,
    level: usize,
    ray: DVec3,
    gap: DMat3,
    surroundings: &Surroundings,
) -> Option<Slope> {
    let h = ray.any_orthonormal_vector();
    let w = ray.cross(h);
    // The axes along and across the gap.
    let angle = 0.5 * math::atan2(2.0 * h.dot(gap * w), h.dot(gap * h) - w.dot(gap * w));
    let (sin, cos) = math::sin_cos(angle);
    let (h, w) = (h * cos + w * sin, w * cos - h * sin);
    let needed = [h.dot(gap * h), w.dot(gap * w)].map(|moment| LINES * moment + 1e-10);
    for (k, cells) in surroundings.levels.iter().enumerate().skip(level) {
        let shift = (k + 1 - level) as u32;
        let Some(points) = cells.get(&CellIndex(cell.0.map(|c| c >> shift))) else { continue };
        let covariance = points.covariance();
        let entry = |a: DVec3, b: DVec3| a.dot(covariance * b);
        let (hh, ww, hw) = (entry(h, h), entry(w, w), entry(h, w));
        if hh < needed[0] || ww < needed[1] {
            continue;
        }
        let determinant = hh * ww - hw * hw;
        if determinant <= 1e-6 * hh * ww {
            continue;
        }
        let (rh, rw, rr) = (entry(ray, h), entry(ray, w), entry(ray, ray));
        let along_h = (rh * ww - rw * hw) / determinant;
        let along_w = (rw * hh - rh * hw) / determinant;
        let explained = along_h * rh + along_w * rw;
        let residual = (rr - explained).max(0.0);
        let explains = explained / (explained + residual).max(1e-12);
        return Some(Slope { rise: h * along_h + w * along_w, explains, residual });
    }
    None
}
