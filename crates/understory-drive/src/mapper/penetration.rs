//! By how much light gets through: plants let some of it pass, rocks, trunks and walls do not.
//!
//! For each bin of a cell, of the beams that came so far, h were stopped in it and p went through.
//! With a flat prior the share that is stopped is (h + 1)/(h + p + 2). Where enough beams came and
//! nearly all were stopped, between the clearance and the height of the vehicle, something solid
//! stands there; where they passed, only plants do, however high they are. Beams that are stopped by
//! grass in front say nothing of what is behind: the share is of those that came.
//!
//! The last return of a pulse ends its way, so a sensor of several returns tells more. Passes are
//! followed for every n-th pulse alone and count n times.

use understory_cloud::Records;

use super::columns::Columns;
use super::{Mapper, MapperSetting};
use crate::cost_map::{COST_MAX, CostMap};

/// Beams are followed up to here: beyond, cells are too small for them.
const REACH_M: f64 = 30.0;
/// Pulses that are followed in a period.
const FOLLOWED_MAX: usize = 20_000;
/// Least number of beams that say something.
const BEAMS_MIN: u32 = 6;
/// A cell is solid where at least this share of light is stopped.
const SOLID: f64 = 0.75;
/// Cost of a cell of plants that stop half of the light.
const PLANTS: f64 = 20.0;
/// Beams higher above the ground under the vehicle are not followed.
const ABOVE_M: f64 = 3.0;

/// The mapper.
pub struct Penetration {
    setting: MapperSetting,
    columns: Columns,
}

impl Penetration {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> Penetration {
        Penetration { columns: Columns::new(setting.grid, true), setting }
    }

    /// Notes the cells through which a beam went for `length_m`, the last of them not.
    fn follow(&mut self, from: [f64; 3], along: [f64; 3], length_m: f64, top_m: f64, pulses: u16) {
        let grid = self.setting.grid;
        let end = [0, 1].map(|axis| from[axis] + length_m * along[axis]);
        let last = grid.place(end);
        let mut place = grid.place([from[0], from[1]]);
        // Amanatides and Woo (1987), in the plane.
        let step = [0, 1].map(|axis| if along[axis] >= 0.0 { 1i64 } else { -1 });
        let per_cell = [0, 1].map(|axis| grid.cell_m / along[axis].abs().max(1e-12));
        let mut next = [0, 1].map(|axis| {
            let edge = place[axis] + i64::from(along[axis] >= 0.0);
            let edge_m = grid.low_m[axis] + edge as f64 * grid.cell_m;
            ((edge_m - from[axis]) / along[axis].abs().max(1e-12) * step[axis] as f64).max(0.0)
        });
        let mut entered = 0.0;
        let most = 4 + 2 * (length_m / grid.cell_m) as usize;
        for _ in 0..most {
            let axis = usize::from(next[1] < next[0]);
            let left = next[axis].min(length_m);
            if place == last {
                return;
            }
            let z = from[2] + along[2] * 0.5 * (entered + left);
            if z < top_m
                && let Some(cell) = grid.cell(place)
            {
                self.columns.pass(cell, z, pulses);
            }
            if next[axis] >= length_m {
                return;
            }
            entered = next[axis];
            place[axis] += step[axis];
            next[axis] += per_cell[axis];
        }
    }
}

impl Mapper for Penetration {
    fn take(&mut self, rows: &Records) {
        let stride = rows.len().div_ceil(FOLLOWED_MAX).max(1);
        for row in 0..rows.len() {
            let is_miss = rows.is_miss(row);
            let [x, y, z] = rows.world_xyz_m[row];
            if !is_miss && let Some(cell) = self.setting.grid.cell_at([x, y]) {
                self.columns.hit(cell, z, true);
            }
            let is_last = is_miss || rows.return_number[row] == rows.return_count[row];
            if !is_last || rows.pulse[row] % stride as u64 != 0 {
                continue;
            }
            let length = if is_miss { REACH_M } else { f64::from(rows.range_m[row]).min(REACH_M) };
            let along = rows.direction_xyz[row].map(f64::from);
            let top_m = self.setting.ground_below(rows, row) + ABOVE_M;
            if length.is_finite() && along.iter().all(|c| c.is_finite()) {
                self.follow(rows.origin_xyz_m[row], along, length, top_m, stride as u16);
            }
        }
    }

    fn update(&mut self, map: &mut CostMap) {
        let ground = self.columns.ground();
        let (low, high) = (self.setting.clearance_m, self.setting.vehicle_height_m);
        for cell in self.columns.seen() {
            let mut cost = 0.0f64;
            for (height, hits, passes) in self.columns.bins(cell, ground[cell]) {
                let beams = u32::from(hits) + u32::from(passes);
                if !(low..high).contains(&height) || hits == 0 || beams < BEAMS_MIN {
                    continue;
                }
                let stopped = (f64::from(hits) + 1.0) / (f64::from(beams) + 2.0);
                let solid = stopped >= SOLID;
                cost = cost.max(if solid { f64::from(COST_MAX) } else { PLANTS * stopped });
            }
            map.costs[cell] = cost as f32;
        }
    }
}
