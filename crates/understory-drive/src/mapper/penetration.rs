//! By how much light gets through: plants let some of it pass, rocks, trunks, rails and walls do not.
//!
//! Space is cut into voxels of about 12.5 × 12.5 × 10 cm. Of the beams that came into a voxel, h were
//! stopped in it and p went through. A surface stops nine in ten of them, plants in so short a way at
//! most two in ten, so the logarithm of the likelihood ratio of both is h·ln(0.9/0.2) + p·ln(0.1/0.8).
//! Voxels for which it speaks clearly for a surface are added up over a cell, between the clearance and
//! the height of the vehicle; where the sum is above a limit, which no single voxel reaches, something
//! solid stands there, and otherwise only plants do, however high they are. Beams that are stopped by
//! grass in front say nothing of what is behind: the ratio is of those that came. A surface that lies
//! between two voxels is found in the farther one, which none passes.
//!
//! The last return of a pulse ends its way, so a sensor of several returns tells more. Passes are
//! followed for every n-th pulse alone and count n times, up to a distance beyond which beams are too
//! far apart for voxels.

use understory_cloud::Records;

use super::columns::GroundBelow;
use super::{Mapper, MapperSetting};
use crate::cost_map::{COST_MAX, CostMap};
use crate::grid::Grid;

/// Voxels are at most so wide, and so high.
const VOXEL_M: f64 = 0.13;
const BIN_M: f64 = 0.1;
/// Voxels above each other, and how far below the first thing seen the lowest begins.
const BINS: usize = 40;
const BELOW_M: f64 = 1.6;
/// Beams are followed up to here.
const REACH_M: f64 = 15.0;
/// Pulses that are followed in a period.
const FOLLOWED_MAX: usize = 5_000;
/// Thousandths of ln(0.9/0.2) and of ln(0.1/0.8): whole numbers add up the same in any order.
const STOPPED: i32 = 1504;
const PASSED: i32 = -2079;
/// A voxel speaks from here on (two beams that were stopped and none that passed), and no louder.
const SPEAKS: i32 = 3000;
const LOUDEST: i32 = 8000;
/// From this sum on a cell is impassable.
const SOLID: i32 = 12_000;
/// Cost of a cell of plants that stop all light somewhere.
const PLANTS: f64 = 20.0;
/// Beams higher above the vehicle's roof are not followed.
const ABOVE_M: f64 = 0.3;
/// No column.
const NONE: u32 = u32::MAX;

/// Voxels above each other.
#[derive(Clone)]
struct Column {
    fine: u32,
    base_m: f32,
    /// The period in which it was seen last.
    period: u32,
    /// What its voxels say together.
    solid: i32,
    hits: [u16; BINS],
    passes: [u16; BINS],
}

/// The mapper.
pub struct Penetration {
    setting: MapperSetting,
    /// Columns stand on a finer grid than cells.
    fine: Grid,
    per_cell: usize,
    /// Which column stands on each fine cell.
    place: Vec<u32>,
    columns: Vec<Column>,
    /// Columns that were seen in this period.
    touched: Vec<u32>,
    period: u32,
    low_m: Vec<f32>,
    below: GroundBelow,
    /// What the voxels of each cell say together, and the largest share of light that a voxel stops.
    solid: Vec<i32>,
    stopped: Vec<f32>,
}

impl Penetration {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> Penetration {
        let grid = setting.grid;
        let per_cell = (grid.cell_m / VOXEL_M).ceil().clamp(1.0, 16.0) as usize;
        let fine = Grid {
            low_m: grid.low_m,
            cell_m: grid.cell_m / per_cell as f64,
            side: grid.side * per_cell,
        };
        Penetration {
            fine,
            per_cell,
            place: vec![NONE; fine.len()],
            columns: Vec::new(),
            touched: Vec::new(),
            period: 0,
            low_m: vec![f32::INFINITY; grid.len()],
            below: GroundBelow::new(grid),
            solid: vec![0; grid.len()],
            stopped: vec![f32::NAN; grid.len()],
            setting,
        }
    }

    /// The voxel at a height over a fine cell: its column, and its number there.
    fn voxel(&mut self, fine: usize, z_m: f64) -> Option<(usize, usize)> {
        if self.place[fine] == NONE {
            self.place[fine] = self.columns.len() as u32;
            let base_m = (z_m - BELOW_M) as f32;
            let (hits, passes) = ([0; BINS], [0; BINS]);
            let fine = fine as u32;
            self.columns.push(Column { fine, base_m, period: NONE, solid: 0, hits, passes });
        }
        let number = self.place[fine] as usize;
        let column = &mut self.columns[number];
        if column.period != self.period {
            column.period = self.period;
            self.touched.push(number as u32);
        }
        let bin = (z_m - f64::from(column.base_m)) / BIN_M;
        (0.0..BINS as f64).contains(&bin).then_some((number, bin as usize))
    }

    /// Notes the voxels through which a beam went for `length_m`, the last of them not.
    fn follow(&mut self, from: [f64; 3], along: [f64; 3], length_m: f64, top_m: f64, pulses: u16) {
        let grid = self.fine;
        // What is above the vehicle is of no interest.
        let start_m = match along[2] < 0.0 {
            true => ((from[2] - top_m) / -along[2]).max(0.0),
            false if from[2] > top_m => return,
            false => 0.0,
        };
        if start_m >= length_m {
            return;
        }
        let at = |way: f64| [from[0] + way * along[0], from[1] + way * along[1]];
        let last = grid.place(at(length_m));
        let mut place = grid.place(at(start_m));
        // Amanatides and Woo (1987), in the plane.
        let step = [0, 1].map(|axis| if along[axis] >= 0.0 { 1i64 } else { -1 });
        let per_cell = [0, 1].map(|axis| grid.cell_m / along[axis].abs().max(1e-12));
        let mut next = [0, 1].map(|axis| {
            let edge = place[axis] + i64::from(along[axis] >= 0.0);
            let edge_m = grid.low_m[axis] + edge as f64 * grid.cell_m;
            ((edge_m - from[axis]) / along[axis].abs().max(1e-12) * step[axis] as f64).max(start_m)
        });
        let mut entered = start_m;
        let most = 4 + 2 * (length_m / grid.cell_m) as usize;
        for _ in 0..most {
            if place == last {
                return;
            }
            let axis = usize::from(next[1] < next[0]);
            let left = next[axis].min(length_m);
            let z = from[2] + along[2] * 0.5 * (entered + left);
            if z < top_m
                && let Some(fine) = grid.cell(place)
                && let Some((column, bin)) = self.voxel(fine, z)
            {
                let passes = &mut self.columns[column].passes[bin];
                *passes = passes.saturating_add(pulses);
            }
            if next[axis] >= length_m {
                return;
            }
            entered = next[axis];
            place[axis] += step[axis];
            next[axis] += per_cell[axis];
        }
    }

    /// The cell of the map to which a fine cell belongs.
    fn cell_of(&self, fine: u32) -> Option<usize> {
        let per_cell = self.per_cell as i64;
        self.setting.grid.cell(self.fine.place_of(fine as usize).map(|place| place / per_cell))
    }
}

impl Mapper for Penetration {
    fn take(&mut self, rows: &Records) {
        let stride = rows.len().div_ceil(FOLLOWED_MAX).max(1);
        for row in 0..rows.len() {
            let is_miss = rows.is_miss(row);
            let range = f64::from(rows.range_m[row]);
            let [x, y, z] = rows.world_xyz_m[row];
            if !is_miss && let Some(cell) = self.setting.grid.cell_at([x, y]) {
                self.low_m[cell] = self.low_m[cell].min(z as f32);
                if range <= REACH_M
                    && let Some(fine) = self.fine.cell_at([x, y])
                    && let Some((column, bin)) = self.voxel(fine, z)
                {
                    let hits = &mut self.columns[column].hits[bin];
                    *hits = hits.saturating_add(1);
                }
            }
            let is_last = is_miss || rows.return_number[row] == rows.return_count[row];
            if !is_last || !rows.pulse[row].is_multiple_of(stride as u64) {
                continue;
            }
            let length = if is_miss { REACH_M } else { range.min(REACH_M) };
            let along = rows.direction_xyz[row].map(f64::from);
            let top_m = self.setting.ground_below(rows, row) + self.setting.vehicle_height_m;
            if length.is_finite() && along.iter().all(|c| c.is_finite()) {
                let from = rows.origin_xyz_m[row];
                self.follow(from, along, length, top_m + ABOVE_M, stride as u16);
            }
        }
    }

    fn update(&mut self, map: &mut CostMap) {
        let (low, high) = (self.setting.clearance_m, self.setting.vehicle_height_m);
        let mut cells = Vec::with_capacity(self.touched.len());
        for number in std::mem::take(&mut self.touched) {
            let Some(cell) = self.cell_of(self.columns[number as usize].fine) else { continue };
            let column = &mut self.columns[number as usize];
            let base = f64::from(column.base_m - self.below.height_m(cell, &self.low_m));
            let mut solid = 0;
            for bin in 0..BINS {
                let (hits, passes) = (column.hits[bin], column.passes[bin]);
                let height = base + (bin as f64 + 0.5) * BIN_M;
                if hits == 0 || !(low..high).contains(&height) {
                    continue;
                }
                let ratio = STOPPED * i32::from(hits) + PASSED * i32::from(passes);
                solid += if ratio >= SPEAKS { ratio.min(LOUDEST) } else { 0 };
                let stopped = (f64::from(hits) + 1.0) / (f64::from(hits) + f64::from(passes) + 2.0);
                self.stopped[cell] = self.stopped[cell].max(stopped as f32);
            }
            self.solid[cell] += solid - column.solid;
            column.solid = solid;
            cells.push(cell);
        }
        for cell in cells {
            let plants = if self.stopped[cell].is_nan() { 0.0 } else { self.stopped[cell] };
            let is_solid = self.solid[cell] >= SOLID;
            map.costs[cell] = if is_solid { COST_MAX } else { PLANTS as f32 * plants };
        }
        self.period += 1;
    }
}
