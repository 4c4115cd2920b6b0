//! Beams → rays that differ, and the coarse cells in which each of them ended.

use glam::DVec3;
use rayon::prelude::*;

use crate::estimate::cells::CellIndex;
use crate::input::beams::Beams;
use crate::input::rays::ray_bits;

/// Origins in one box of this size belong to one place of the sensor.
pub const PLACE_M: f64 = 0.5;

/// A ray, around the middle of the place that it left from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Line {
    pub origin_m: [f32; 3],
    pub direction: [f32; 3],
    /// Which place, as a hash.
    pub place: u64,
}

/// Where a ray ended, each cell once.
#[derive(Clone, Copy, Debug)]
pub struct End {
    pub line: u32,
    pub range_m: f32,
    pub cell: CellIndex,
}

/// Lines in an order that depends on nothing but themselves, and where they ended nearer than
/// `range_max_m`, in cells of the edge `cell_m`. Places are told apart around `anchor`.
pub fn distinct_lines(
    beams: &Beams,
    range_max_m: f64,
    anchor: DVec3,
    cell_m: f64,
) -> (Vec<Line>, Vec<End>) {
    let mut keys: Vec<(u64, u32, u32)> = (0..beams.len())
        .into_par_iter()
        .map(|beam| {
            let ray = ray_bits(beams.origin[beam], beams.direction[beam]);
            (ray, beams.range_m[beam].to_bits(), beam as u32)
        })
        .collect();
    // Beams that share ray and range may stand in any order.
    keys.par_sort_unstable_by_key(|(ray, range, _)| (*ray, *range));
    let chunks: Vec<(Vec<Line>, Vec<End>)> = parts(&keys)
        .into_par_iter()
        .map(|keys| {
            let (mut lines, mut ends): (Vec<Line>, Vec<End>) = (Vec::new(), Vec::new());
            for same in keys.chunk_by(|a, b| a.0 == b.0) {
                let beam = same[0].2 as usize;
                let (origin, direction) = (beams.origin[beam], beams.direction[beam]);
                let number = lines.len() as u32;
                let (place, middle) = place(origin, anchor);
                let origin_m = (origin - middle).as_vec3().to_array();
                lines.push(Line { origin_m, direction: direction.to_array(), place });
                let first_end = ends.len();
                // Ranges rise.
                for (_, range_bits, _) in same {
                    let range_m = f32::from_bits(*range_bits);
                    if range_m.is_nan() || f64::from(range_m) >= range_max_m {
                        continue;
                    }
                    let end = origin + direction.as_dvec3() * f64::from(range_m);
                    let last = ends[first_end..].last().map(|end| end.cell);
                    let cell = CellIndex::from_position(end, cell_m);
                    if let Some(cell) = cell.filter(|cell| Some(*cell) != last) {
                        ends.push(End { line: number, range_m, cell });
                    }
                }
            }
            (lines, ends)
        })
        .collect();
    let (mut lines, mut ends): (Vec<Line>, Vec<End>) = (Vec::new(), Vec::new());
    for (some_lines, some_ends) in chunks {
        let before = lines.len() as u32;
        ends.extend(some_ends.into_iter().map(|end| End { line: before + end.line, ..end }));
        lines.extend(some_lines);
    }
    (lines, ends)
}

/// About equal parts, none of which divides beams of one ray.
fn parts<T>(keys: &[(u64, u32, T)]) -> Vec<&[(u64, u32, T)]> {
    const PART: usize = 1 << 15;
    let (mut parts, mut rest) = (Vec::new(), keys);
    while !rest.is_empty() {
        let mut cut = PART.min(rest.len());
        while cut < rest.len() && rest[cut].0 == rest[cut - 1].0 {
            cut += 1;
        }
        let (part, others) = rest.split_at(cut);
        parts.push(part);
        rest = others;
    }
    parts
}

/// The place of an origin, as a hash, and its middle.
fn place(origin: DVec3, anchor: DVec3) -> (u64, DVec3) {
    let place = ((origin - anchor) / PLACE_M + 0.5).floor();
    let hash = place.to_array().iter().fold(0u64, |hash, c| {
        let mixed = (hash ^ (*c as i64 as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ mixed >> 32
    });
    (hash.wrapping_mul(0xBF58_476D_1CE4_E5B9), anchor + place * PLACE_M)
}
