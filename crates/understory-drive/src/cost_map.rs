//! What it costs to drive through each cell, from 0 (free) to 100 (impassable), as P2's equation 8
//! has it; cells of which nothing is known have no cost.
//!
//! What enters: costs of cells. What leaves: [`CostMap::passable`], the map as a planner needs it:
//! what cannot be passed, widened by half the vehicle.

use crate::grid::Grid;
use understory_base::math;

/// Cost of what cannot be passed.
pub const COST_MAX: f32 = 100.0;

/// Costs of cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMap {
    /// Where the cells are.
    pub grid: Grid,
    /// Cost of each, 0 to 100; NaN: nothing is known.
    pub costs: Vec<f32>,
}

impl CostMap {
    /// A map of which nothing is known.
    pub fn unknown(grid: Grid) -> CostMap {
        CostMap { grid, costs: vec![f32::NAN; grid.len()] }
    }

    /// Cost of a cell; 0 where nothing is known, as P2 draws it.
    pub fn cost(&self, cell: usize) -> f32 {
        self.costs.get(cell).copied().filter(|cost| !cost.is_nan()).unwrap_or(0.0)
    }

    /// Raises the cost of a cell to at least this.
    pub fn raise(&mut self, cell: usize, cost: f32) {
        if let Some(known) = self.costs.get_mut(cell)
            && (known.is_nan() || *known < cost)
        {
            *known = cost;
        }
    }

    /// Middle and cost of each cell of which something is known.
    pub fn known(&self) -> impl Iterator<Item = ([f64; 2], f32)> + '_ {
        let known = self.costs.iter().enumerate().filter(|(_, cost)| !cost.is_nan());
        known.map(|(cell, cost)| (self.grid.middle(cell), *cost))
    }

    /// The cost of each cell for the middle of a vehicle, and which cells it cannot pass: those nearer
    /// than `radius_m` to one of cost 100. Cells about `vehicle_m`, where it stands already, can be
    /// passed unless they themselves cost 100.
    pub fn passable(&self, radius_m: f64, vehicle_m: [f64; 2]) -> Passable {
        let mut blocked = vec![false; self.grid.len()];
        let disc = self.grid.disc(radius_m);
        for (cell, _) in self.costs.iter().enumerate().filter(|(_, cost)| **cost >= COST_MAX) {
            let [column, row] = self.grid.place_of(cell);
            for [x, y] in &disc {
                if let Some(near) = self.grid.cell([column + x, row + y]) {
                    blocked[near] = true;
                }
            }
        }
        let [column, row] = self.grid.place(vehicle_m);
        for [x, y] in self.grid.disc(radius_m) {
            if let Some(near) = self.grid.cell([column + x, row + y]) {
                blocked[near] &= self.costs[near] >= COST_MAX && [x, y] != [0, 0];
            }
        }
        let costs = (0..self.grid.len()).map(|cell| self.cost(cell)).collect();
        Passable { grid: self.grid, costs, blocked }
    }
}

/// A map for the middle of a vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct Passable {
    /// Where the cells are.
    pub grid: Grid,
    /// Cost of each, 0 to 100.
    pub costs: Vec<f32>,
    /// Whether it cannot be passed.
    pub blocked: Vec<bool>,
}

impl Passable {
    /// Whether a place is on the map and can be passed.
    pub fn is_free(&self, at_m: [f64; 2]) -> bool {
        self.grid.cell_at(at_m).is_some_and(|cell| !self.blocked[cell])
    }

    /// Cost of driving straight from one place to another in metres, where a metre through cost 100
    /// counts 1 + `weight` metres; none where something is in the way or the map ends.
    pub fn straight(&self, from_m: [f64; 2], to_m: [f64; 2], weight: f64) -> Option<f64> {
        let [dx, dy] = [to_m[0] - from_m[0], to_m[1] - from_m[1]];
        let length = math::hypot(dx, dy);
        // A tenth of a cell: corners that are cut by less are not seen.
        let steps = (length / (0.1 * self.grid.cell_m)).ceil().max(1.0);
        let mut cost = 0.0;
        for step in 0..steps as usize {
            let share = (step as f64 + 0.5) / steps;
            let at = [from_m[0] + share * dx, from_m[1] + share * dy];
            let cell = self.grid.cell_at(at).filter(|cell| !self.blocked[*cell])?;
            cost += length / steps * (1.0 + weight * f64::from(self.costs[cell]) / 100.0);
        }
        Some(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_passed_is_widened_and_the_vehicle_can_leave() {
        let grid = Grid::about([0.0, 0.0], 1.0, 11);
        let mut map = CostMap::unknown(grid);
        map.raise(grid.cell_at([0.0, 0.0]).unwrap(), 100.0);
        map.raise(grid.cell_at([3.0, 0.0]).unwrap(), 40.0);
        map.raise(grid.cell_at([3.0, 0.0]).unwrap(), 20.0);
        let wide = map.passable(1.0, [5.0, 5.0]);
        assert_eq!(wide.blocked.iter().filter(|blocked| **blocked).count(), 5);
        assert_eq!(wide.costs[grid.cell_at([3.0, 0.0]).unwrap()], 40.0);
        let beside = map.passable(1.0, [1.0, 0.0]);
        assert!(beside.is_free([1.0, 0.0]) && !beside.is_free([0.0, 0.0]));
        assert_eq!(map.known().count(), 2);
        let free = wide.straight([2.5, -3.0], [2.5, 3.0], 10.0).unwrap();
        assert!((free - (6.0 + 10.0 * 0.4)).abs() < 1e-9, "{free}");
        assert_eq!(wide.straight([-3.0, 0.0], [3.0, 0.0], 10.0), None);
    }
}
