//! The map of Goodin et al. (2018), equation 8: each point costs 100·h/h_max, at most 100.
//!
//! Printed is max(100h/h_max, 100), which is never below 100; it must be min. h is the height above
//! the ground under the vehicle, which on level ground is the paper's height of a point. How the points
//! of one cell are combined the paper does not say; here the costliest counts, whatever hangs above.

use understory_cloud::Records;

use super::{Mapper, MapperSetting};
use crate::cost_map::{COST_MAX, CostMap};

/// Equation 8, corrected; heights below the ground cost nothing.
pub fn cost(height_m: f64, height_max_m: f64) -> f64 {
    (100.0 * height_m / height_max_m).clamp(0.0, f64::from(COST_MAX))
}

/// The mapper.
pub struct HeightGrid {
    setting: MapperSetting,
    map: CostMap,
}

impl HeightGrid {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> HeightGrid {
        HeightGrid { map: CostMap::unknown(setting.grid), setting }
    }
}

impl Mapper for HeightGrid {
    fn take(&mut self, rows: &Records) {
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            let [x, y, z] = rows.world_xyz_m[row];
            if let Some(cell) = self.setting.grid.cell_at([x, y]) {
                let height = z - self.setting.ground_below(rows, row);
                self.map.raise(cell, cost(height, self.setting.height_max_m) as f32);
            }
        }
    }

    fn update(&mut self, map: &mut CostMap) {
        map.clone_from(&self.map);
    }
}
