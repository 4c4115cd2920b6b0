//! By height above the ground, which is estimated from the lowest returns; what is above the vehicle
//! does not count. On a slope, and below branches, it sees what equation 8 alone cannot.

use understory_cloud::Records;

use super::columns::Columns;
use super::height_grid::cost;
use super::{Mapper, MapperSetting};
use crate::cost_map::CostMap;

/// The mapper.
pub struct GroundHeight {
    setting: MapperSetting,
    columns: Columns,
}

impl GroundHeight {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> GroundHeight {
        GroundHeight { columns: Columns::new(setting.grid), setting }
    }
}

impl Mapper for GroundHeight {
    fn take(&mut self, rows: &Records) {
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            let [x, y, z] = rows.world_xyz_m[row];
            if let Some(cell) = self.setting.grid.cell_at([x, y]) {
                self.columns.hit(cell, z, true);
            }
        }
    }

    fn update(&mut self, map: &mut CostMap) {
        for cell in self.columns.seen() {
            let below = |height: &f64| *height < self.setting.vehicle_height_m;
            let heights = self.columns.bins(cell, self.columns.ground_m(cell));
            let hit = heights.filter(|(_, hits)| *hits > 0).map(|(height, _)| height);
            let top = hit.filter(below).fold(0.0, f64::max);
            // The bin of the ground itself is no height.
            let top = if top < self.setting.clearance_m { 0.0 } else { top };
            map.costs[cell] = cost(top, self.setting.height_max_m) as f32;
        }
    }
}
