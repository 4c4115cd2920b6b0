//! Distinct rays in an order in which neighbours are found: beams → [`Lines`], and where they ended.
//!
//! Lines lie place by place of the sensor, in rows of equal elevation, and by azimuth in a row. All that
//! are nearer than an angle are then a run in each of some rows, found by bisection.

use std::f64::consts::{FRAC_PI_2, TAU};
use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;
use understory_base::math;

use crate::estimate::cells::CellIndex;
use crate::input::beams::Beams;
use crate::input::rays::ray_bits;

/// Origins in one box of this size belong to one place of the sensor.
pub const PLACE_M: f64 = 0.5;
/// Height of a row.
const ROW_RAD: f64 = 0.004;
/// More than the rows between the nadir and the zenith: rows of one place never touch those of the next.
const ROWS: u64 = 1024;
/// Azimuths of a circle.
const TURN: f64 = (1u32 << 24) as f64;

/// Where a ray ended, each cell once.
#[derive(Clone, Copy)]
pub struct End {
    pub line: u32,
    pub range_m: f64,
    pub cell: CellIndex,
}

/// Rays that differ, and where they ended: each of them once in a cell.
pub fn distinct_lines(
    beams: &Beams,
    range_max_m: f64,
    anchor: DVec3,
    cell_m: f64,
) -> (Lines, Vec<End>) {
    let place_of = |beam: usize| {
        let place = ((beams.origin[beam] - anchor) / PLACE_M + 0.5).floor();
        let place = place.to_array().iter().fold(0u64, |hash, c| {
            let mixed = (hash ^ (*c as i64 as u64)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            mixed ^ mixed >> 32
        });
        place.wrapping_mul(0xBF58_476D_1CE4_E5B9)
    };
    let mut places: Vec<u64> = (0..beams.len()).into_par_iter().map(place_of).collect();
    let of_beams = places.clone();
    places.par_sort_unstable();
    places.dedup();
    let mut order: Vec<Key> = of_beams
        .par_iter()
        .enumerate()
        .map(|(beam, place)| Key {
            // Rows are numbered place by place.
            row: places.partition_point(|other| other < place) as u64 * ROWS
                + row(beams.direction[beam].as_dvec3()),
            azimuth: azimuth(beams.direction[beam].as_dvec3()),
            range: beams.range_m[beam].to_bits(),
            ray: ray_bits(beams.origin[beam], beams.direction[beam]),
            beam: beam as u32,
        })
        .collect();
    order.par_sort_unstable_by_key(|key| (key.row, key.azimuth, key.ray, key.range));
    let (mut lines, mut ends): (Lines, Vec<End>) = (Lines::default(), Vec::new());
    for run in order.chunk_by(|a, b| (a.row, a.ray) == (b.row, b.ray) && a.azimuth == b.azimuth) {
        let [Key { row, azimuth, beam: first, .. }, ..] = *run else { continue };
        let first = first as usize;
        let (origin, direction) = (beams.origin[first], beams.direction[first].as_dvec3());
        let line = lines.direction.len() as u32;
        // Ranges rise.
        for key in run {
            let range_m = f64::from(beams.range_m[key.beam as usize]);
            if range_m.is_nan() || range_m >= range_max_m {
                continue;
            }
            let cell = CellIndex::from_position(origin + direction * range_m, cell_m);
            let last = ends.last().filter(|end| end.line == line).map(|end| end.cell);
            if let Some(cell) = cell.filter(|cell| Some(*cell) != last) {
                ends.push(End { line, range_m, cell });
            }
        }
        lines.origin.push(origin);
        lines.direction.push(direction);
        lines.azimuth.push(azimuth);
        if lines.rows.last().is_none_or(|last| last.number != row) {
            lines.rows.push(Row { number: row, place: of_beams[first], from: line, to: line });
        }
        if let Some(last) = lines.rows.last_mut() {
            last.to = line + 1;
        }
    }
    (lines, ends)
}

/// By which beams are put in order.
struct Key {
    row: u64,
    azimuth: u32,
    range: u32,
    ray: u64,
    beam: u32,
}

/// Distinct rays, place by place, row by row of elevation, and by azimuth in a row.
#[derive(Default)]
pub struct Lines {
    pub origin: Vec<DVec3>,
    pub direction: Vec<DVec3>,
    azimuth: Vec<u32>,
    /// Those that have lines, in order.
    rows: Vec<Row>,
}

/// Lines of one place and one narrow band of elevation.
#[derive(Clone, Copy)]
struct Row {
    /// Place, and elevation.
    number: u64,
    place: u64,
    from: u32,
    to: u32,
}

/// The row of a direction in its place.
fn row(direction: DVec3) -> u64 {
    ((math::asin(direction.z.clamp(-1.0, 1.0)) + FRAC_PI_2) / ROW_RAD) as u64
}

/// The azimuth of a direction, in parts of a circle.
fn azimuth(direction: DVec3) -> u32 {
    let turn = math::atan2(direction.y, direction.x) / TAU + 0.5;
    (turn * TURN) as u32
}

impl Lines {
    /// The row of a line.
    fn row_of(&self, line: u32) -> usize {
        self.rows.partition_point(|row| row.to <= line)
    }

    /// A number of the place that a line left from.
    pub fn place(&self, line: u32) -> u64 {
        self.rows[self.row_of(line)].place
    }

    /// Hands out the lines of the same place that are nearer to `line` than an angle, and some beyond,
    /// row by row from its own.
    pub fn near(&self, line: u32, angle: f64, mut visit: impl FnMut(Range<usize>)) {
        let own = self.row_of(line);
        let Row { number, place, .. } = self.rows[own];
        let direction = self.direction[line as usize];
        let within = (angle / ROW_RAD).ceil() as u64;
        let is_near = |row: &&Row| row.place == place && row.number.abs_diff(number) <= within;
        let mut below = self.rows[..own].iter().rev().take_while(is_near);
        let mut above = self.rows[own..].iter().take_while(is_near);
        // Half the azimuths of a circle of this radius: all of them around a pole.
        let level = direction.truncate().length();
        let wide = if level > angle { math::asin(angle / level) / TAU * TURN } else { TURN };
        let middle = f64::from(self.azimuth[line as usize]);
        let (low, high) = (middle - wide - 1.0, middle + wide + 1.0);
        let mut some = true;
        while some {
            some = false;
            for row in [above.next(), below.next()].into_iter().flatten() {
                some = true;
                let lines = row.from as usize..row.to as usize;
                let azimuths = &self.azimuth[lines.clone()];
                let mut give = |low: f64, high: f64| {
                    let from = azimuths.partition_point(|at| f64::from(*at) < low);
                    let to = from + azimuths[from..].partition_point(|at| f64::from(*at) <= high);
                    if from < to {
                        visit(lines.start + from..lines.start + to);
                    }
                };
                if high - low >= TURN {
                    give(0.0, TURN);
                    continue;
                }
                give(low.max(0.0), high.min(TURN));
                if low < 0.0 {
                    give(low + TURN, TURN);
                }
                if high > TURN {
                    give(0.0, high - TURN);
                }
            }
        }
    }
}
