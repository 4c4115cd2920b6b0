//! What is around a volume: points at several resolutions → how range grows across the rays.
//!
//! The range of neighbouring points is regressed on their place across the ray. The surroundings are
//! the smallest that hold more than one scan line.

use glam::{DMat3, DVec3};

use super::nodes::Node;
use crate::estimate::cells::{CellIndex, MixedMap};
use crate::volume::moments::Moments;

/// Surroundings are cells of at most about this edge, and their neighbours.
const SURROUNDINGS_M: f64 = 3.2;
/// Surroundings hold more than one scan line if their scatter across the ray is this many times
/// the second moment of the gap: two lines a gap apart have three times, three lines eight times.
const LINES: f64 = 3.0;

/// Moments of the cells of each level above the finest.
pub struct Surroundings {
    levels: Vec<MixedMap<CellIndex, Moments>>,
}

impl Surroundings {
    /// Of the finest cells, which stand along the curve of [`CellIndex::on_curve`].
    pub fn new(finest: &[(CellIndex, Node)], finest_m: f64) -> Surroundings {
        let doublings = (SURROUNDINGS_M / finest_m).log2().ceil().clamp(3.0, 12.0) as usize;
        let mut levels = Vec::with_capacity(doublings);
        let mut below: Vec<(CellIndex, Moments)> =
            finest.iter().map(|(cell, node)| (*cell, node.moments)).collect();
        for _ in 0..doublings {
            let up = |cell: &CellIndex| CellIndex(cell.0.map(|c| c >> 1));
            below = below
                .chunk_by(|(a, _), (b, _)| up(a) == up(b))
                .map(|cells| {
                    let mut all = Moments::EMPTY;
                    cells.iter().for_each(|(_, moments)| all.merge(moments));
                    (up(&cells[0].0), all)
                })
                .collect();
            levels.push(below.iter().copied().collect());
        }
        Surroundings { levels }
    }

    /// The slope about a cell of some level, seen along `ray`.
    pub fn slope(&self, cell: CellIndex, level: usize, ray: DVec3, gap: DMat3) -> Option<Slope> {
        let h = ray.any_orthonormal_vector();
        let w = ray.cross(h);
        // The axes along and across the gap.
        let angle = 0.5 * (2.0 * h.dot(gap * w)).atan2(h.dot(gap * h) - w.dot(gap * w));
        let (sin, cos) = angle.sin_cos();
        let (h, w) = (h * cos + w * sin, w * cos - h * sin);
        let needed = [h.dot(gap * h), w.dot(gap * w)].map(|moment| LINES * moment + 1e-10);
        for (k, cells) in self.levels.iter().enumerate().skip(level) {
            let shift = (k + 1 - level) as u32;
            let [x, y, z] = cell.0.map(|c| c >> shift);
            let mut points = Moments::EMPTY;
            for (dx, dy, dz) in (0..27).map(|k| (k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)) {
                if let Some(moments) = cells.get(&CellIndex([x + dx, y + dy, z + dz])) {
                    points.merge(moments);
                }
            }
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
