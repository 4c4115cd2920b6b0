//! From what the lidar saw to what it costs to drive: one trait, a file each.
//!
//! What enters: the rows of each period, registered with the pose that the vehicle knows. What leaves:
//! the costs of cells, 0 to 100.

pub mod beside;
pub mod columns;
pub mod ground_height;
pub mod height_grid;
pub mod oracle;
pub mod penetration;

use understory::scenario::MapperName;
use understory::scenario::drive::{MapSpec, VehicleSpec};
use understory_cloud::Records;

use crate::cost_map::CostMap;
use crate::grid::Grid;

/// A rule by which cells get their costs.
pub trait Mapper: Send {
    /// Takes what was seen in a period.
    fn take(&mut self, rows: &Records);

    /// Brings a map up to date.
    fn update(&mut self, map: &mut CostMap);
}

/// What a mapper must know besides the rows.
#[derive(Clone, Debug)]
pub struct MapperSetting {
    /// Where the cells are.
    pub grid: Grid,
    /// Highest vegetation that the vehicle can push through.
    pub height_max_m: f64,
    /// What is lower goes below the vehicle.
    pub clearance_m: f64,
    /// What is higher is above it.
    pub vehicle_height_m: f64,
    /// How high each sensor stands above the ground under the vehicle.
    pub sensor_heights_m: Vec<f64>,
}

impl MapperSetting {
    /// The setting of a vehicle with sensors at these heights.
    pub fn new(
        grid: Grid,
        map: &MapSpec,
        vehicle: &VehicleSpec,
        sensor_heights_m: Vec<f64>,
    ) -> MapperSetting {
        MapperSetting {
            grid,
            height_max_m: map.height_max_m,
            clearance_m: vehicle.clearance_m,
            vehicle_height_m: vehicle.size_m[2],
            sensor_heights_m,
        }
    }

    /// Height of the ground under the vehicle when a row was fired.
    fn ground_below(&self, rows: &Records, row: usize) -> f64 {
        let mount = self.sensor_heights_m.get(usize::from(rows.sensor[row]));
        rows.origin_xyz_m[row][2] - mount.copied().unwrap_or(0.0)
    }
}

/// The names of all mappers, as scenarios and the command line have them.
pub const MAPPERS: [(&str, MapperName); 4] = [
    ("height", MapperName::Height),
    ("ground", MapperName::Ground),
    ("penetration", MapperName::Penetration),
    ("oracle", MapperName::Oracle),
];

/// The name of a mapper.
pub fn name_of(mapper: MapperName) -> &'static str {
    MAPPERS.iter().find(|(_, known)| *known == mapper).map_or("", |(name, _)| name)
}

/// A mapper that has seen nothing.
pub fn new(name: MapperName, setting: MapperSetting) -> Box<dyn Mapper> {
    match name {
        MapperName::Height => Box::new(height_grid::HeightGrid::new(setting)),
        MapperName::Ground => Box::new(ground_height::GroundHeight::new(setting)),
        MapperName::Penetration => Box::new(penetration::Penetration::new(setting)),
        MapperName::Oracle => Box::new(oracle::Oracle::new(setting)),
    }
}

#[cfg(test)]
mod tests;
