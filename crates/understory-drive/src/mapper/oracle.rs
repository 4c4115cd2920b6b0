//! By the true classes of what the lidar hit: the best that any mapper could make of the same points.
//! It knows no more of what was not hit than the others do.

use understory_cloud::Records;

use super::columns::Columns;
use super::{Mapper, MapperSetting};
use crate::contact::is_solid;
use crate::cost_map::{COST_MAX, CostMap};

/// The mapper.
pub struct Oracle {
    setting: MapperSetting,
    columns: Columns,
}

impl Oracle {
    /// One that has seen nothing.
    pub fn new(setting: MapperSetting) -> Oracle {
        Oracle { columns: Columns::new(setting.grid), setting }
    }
}

impl Mapper for Oracle {
    fn take(&mut self, rows: &Records) {
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            let [x, y, z] = rows.world_xyz_m[row];
            if let Some(cell) = self.setting.grid.cell_at([x, y]) {
                // An echo that belongs to no object, such as of a drop, says nothing.
                let solid = rows.object[row] > 0 && is_solid(rows.label[row]);
                self.columns.hit(cell, z, solid);
            }
        }
    }

    fn update(&mut self, map: &mut CostMap) {
        let (low, high) = (self.setting.clearance_m, self.setting.vehicle_height_m);
        for cell in self.columns.seen() {
            let mut bins = self.columns.bins(cell, self.columns.ground_m(cell));
            let solid = bins.any(|(height, hits)| hits > 0 && (low..high).contains(&height));
            map.costs[cell] = if solid { COST_MAX } else { 0.0 };
        }
    }
}
