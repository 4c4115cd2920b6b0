//! The cost map of Goodin et al. (2018), equation 8: from points to what a vehicle may drive over.
//!
//! Each point costs 100·h/h_max between 0 and 100, where h is its height above the ground and h_max
//! = 1.5 m what the vehicle can push through. Printed is max(100h/h_max, 100), which is never below
//! 100 and would leave no cell black; it must be min, and heights below the ground cost nothing. How
//! the points of one cell are combined the paper does not say; here the costliest counts.

use understory_cloud::Records;

/// Cells along a side, and the size of one.
pub const CELLS: usize = 400;
/// See [`CELLS`].
pub const CELL_M: f64 = 0.5;
/// Highest vegetation that the vehicle can push through.
pub const HEIGHT_MAX_M: f64 = 1.5;

/// Equation 8, corrected.
pub fn cost(height_m: f64) -> f64 {
    understory_drive::mapper::height_grid::cost(height_m, HEIGHT_MAX_M)
}

/// Equation 8 as printed.
pub fn printed_cost(height_m: f64) -> f64 {
    (100.0 * height_m / HEIGHT_MAX_M).max(100.0)
}

/// A square map about the origin; cells that no point fell into have no cost.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMap {
    cells: Vec<Option<f64>>,
}

impl CostMap {
    /// The map of all returns over level ground at the height 0.
    pub fn of(rows: &Records) -> CostMap {
        let mut cells = vec![None; CELLS * CELLS];
        for row in (0..rows.len()).filter(|row| !rows.is_miss(*row)) {
            let [x_m, y_m, z_m] = rows.world_xyz_m[row];
            if let Some(cell) = place(x_m).zip(place(y_m)).map(|(x, y)| y * CELLS + x) {
                let cost = cost(z_m);
                cells[cell] = Some(cells[cell].map_or(cost, |known: f64| known.max(cost)));
            }
        }
        CostMap { cells }
    }

    /// Middle and cost of every cell that a point fell into.
    pub fn seen(&self) -> impl Iterator<Item = ([f64; 2], f64)> + '_ {
        let middle = |place: usize| (place as f64 + 0.5 - CELLS as f64 / 2.0) * CELL_M;
        let cells = self.cells.iter().enumerate();
        cells.filter_map(move |(cell, cost)| {
            cost.map(|cost| ([middle(cell % CELLS), middle(cell / CELLS)], cost))
        })
    }
}

fn place(metres: f64) -> Option<usize> {
    let place = (metres / CELL_M).floor() + CELLS as f64 / 2.0;
    (0.0..CELLS as f64).contains(&place).then_some(place as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn costs_rise_to_the_limit_and_stay() {
        for (height_m, expected) in
            [(-0.3, 0.0), (0.0, 0.0), (0.75, 50.0), (1.5, 100.0), (9.0, 100.0)]
        {
            assert!((cost(height_m) - expected).abs() < 1e-12, "{height_m}");
            assert!(printed_cost(height_m) >= 100.0);
        }
    }

    #[test]
    fn the_costliest_point_of_a_cell_counts() {
        let mut rows = Records::default();
        for (x, y, z) in [(0.1, 0.1, 0.3), (0.4, 0.2, 0.6), (-0.1, 0.1, 3.0), (150.0, 0.0, 1.0)] {
            let world_xyz_m = [x, y, z];
            rows.push(Record { return_number: 1, world_xyz_m, ..Record::miss() });
        }
        rows.push(Record::miss());
        let seen: Vec<_> = CostMap::of(&rows).seen().collect();
        assert_eq!(seen, [([-0.25, 0.25], 100.0), ([0.25, 0.25], 40.0)]);
    }
}
