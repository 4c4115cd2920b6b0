//! Hybrid A* (Dolgov et al. 2010) for vehicles that cannot turn on the spot: from a pose along arcs
//! that their front wheels can follow.
//!
//! States are poses; of all poses in one cell with headings in the same 5° the cheapest is kept. From
//! each go five arcs of one and a half cells, ahead only: the follower drives no other way. What is
//! left to the goal is estimated by the cheapest way over cells, which no arc undercuts by more than
//! cells are coarse. The path ends where it comes within the goal's radius.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::f64::consts::TAU;

use understory::scenario::drive::{Steering, VehicleSpec};

use super::{MICROMETRES, Plan, neighbours};
use crate::cost_map::Passable;
use crate::path::{Path, distance_m};
use crate::vehicle::{ackermann, arc};

/// Headings that are told apart.
const HEADINGS: i64 = 72;
/// Shares of the tightest bend.
const BENDS: [f64; 5] = [0.0, 0.5, -0.5, 1.0, -1.0];
/// Length of an arc in cells: it always leaves its cell.
const STEP_CELLS: f64 = 1.5;
/// Poses that are looked at before it gives up.
const POSES_MAX: usize = 200_000;

/// How tightly a vehicle turns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Car {
    /// Radius of its tightest circle.
    pub radius_min_m: f64,
}

impl Car {
    /// That of a vehicle; those that turn on the spot turn about half their length.
    pub fn of(spec: &VehicleSpec) -> Car {
        let radius_min_m = match spec.steering {
            // A little is left to the follower.
            Steering::Ackermann { steer_max_rad, .. } => {
                1.1 * ackermann::radius_min_m(spec.wheelbase_m, steer_max_rad)
            }
            _ => 0.5 * spec.size_m[0],
        };
        Car { radius_min_m }
    }
}

/// A pose on the way, and from where it was reached.
struct Node {
    at_m: [f64; 2],
    heading: f64,
    cost: u64,
    from: usize,
    closed: bool,
}

/// The cheapest path from a pose to within `radius_m` of a goal; none where none was found.
pub fn plan(
    map: &Passable,
    car: &Car,
    from_m: [f64; 2],
    heading_rad: f64,
    goal_m: [f64; 2],
    radius_m: f64,
    weight: f64,
) -> Option<Plan> {
    let to_go = cost_to_go(map, map.grid.cell_at(goal_m)?, weight);
    let estimate =
        |at: [f64; 2]| to_go.get(map.grid.cell_at(at)?).copied().filter(|c| *c < u64::MAX);
    let key = |at: [f64; 2], heading: f64| {
        let turn = (heading.rem_euclid(TAU) / TAU * HEADINGS as f64) as i64 % HEADINGS;
        map.grid.cell_at(at).map(|cell| (cell, turn))
    };
    let mut nodes =
        vec![Node { at_m: from_m, heading: heading_rad, cost: 0, from: 0, closed: false }];
    let mut best = BTreeMap::from([(key(from_m, heading_rad)?, 0usize)]);
    let mut open = BinaryHeap::from([Reverse((estimate(from_m)?, 0usize))]);
    let length = STEP_CELLS * map.grid.cell_m;
    while let Some(Reverse((_, index))) = open.pop() {
        let Node { at_m, heading, cost, closed, .. } = nodes[index];
        if closed {
            continue;
        }
        nodes[index].closed = true;
        if distance_m(at_m, goal_m) <= radius_m {
            return Some(way(&nodes, index, goal_m));
        }
        if nodes.len() > POSES_MAX {
            return None;
        }
        for bend in BENDS.map(|share| share / car.radius_min_m) {
            let next = arc(at_m, heading, [1.0, 0.0, bend], length);
            let turned = heading + bend * length;
            let middle = arc(at_m, heading, [1.0, 0.0, bend], 0.5 * length);
            // Along two chords: what lies between them and the arc is far below a cell.
            let chords = map.straight(at_m, middle, weight).zip(map.straight(middle, next, weight));
            let Some((first, second)) = chords else { continue };
            let (Some(key), Some(left)) = (key(next, turned), estimate(next)) else { continue };
            let cost = cost + (MICROMETRES * (first + second)).round() as u64;
            if best.get(&key).is_some_and(|known| nodes[*known].cost <= cost) {
                continue;
            }
            nodes.push(Node { at_m: next, heading: turned, cost, from: index, closed: false });
            best.insert(key, nodes.len() - 1);
            open.push(Reverse((cost + left, nodes.len() - 1)));
        }
    }
    None
}

fn way(nodes: &[Node], mut index: usize, goal_m: [f64; 2]) -> Plan {
    let cost_m = nodes[index].cost as f64 / MICROMETRES;
    let mut points_m = vec![goal_m];
    loop {
        points_m.push(nodes[index].at_m);
        if index == 0 {
            break;
        }
        index = nodes[index].from;
    }
    points_m.reverse();
    Plan { path: Path { points_m }, cost_m, reaches_goal: true }
}

/// What the way from each cell to the goal costs at least, over cells.
fn cost_to_go(map: &Passable, goal: usize, weight: f64) -> Vec<u64> {
    let mut costs = vec![u64::MAX; map.grid.len()];
    costs[goal] = 0;
    let mut open = BinaryHeap::from([Reverse((0u64, goal))]);
    while let Some(Reverse((cost, cell))) = open.pop() {
        if cost > costs[cell] {
            continue;
        }
        for (next, step) in neighbours(map, cell, weight) {
            if cost + step < costs[next] {
                costs[next] = cost + step;
                open.push(Reverse((cost + step, next)));
            }
        }
    }
    costs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cost_map::CostMap;
    use crate::grid::Grid;

    /// The goal lies behind: the way round is half a circle of the tightest radius and more, and no
    /// part of it bends tighter.
    #[test]
    fn a_car_turns_round_on_its_circle() {
        let map = CostMap::unknown(Grid::about([0.0, 0.0], 0.5, 160)).passable(0.5, [0.0, 0.0]);
        let car = Car { radius_min_m: 4.0 };
        let plan = plan(&map, &car, [0.0, 0.0], 0.0, [-25.0, 0.0], 1.0, 1.0).unwrap();
        let points = &plan.path.points_m[..plan.path.points_m.len() - 1];
        for three in points.windows(3) {
            let turn =
                |i: usize| (three[i + 1][1] - three[i][1]).atan2(three[i + 1][0] - three[i][0]);
            let bend = (turn(1) - turn(0) + 3.0 * std::f64::consts::PI).rem_euclid(TAU);
            let bend = (bend - std::f64::consts::PI).abs();
            assert!(bend <= 0.75 / 4.0 + 1e-6, "{bend}");
        }
        // Dubins: half a circle, then straight to the goal's circle.
        let dubins = std::f64::consts::PI * 4.0 + (25.0f64.powi(2) + 8.0f64.powi(2)).sqrt() - 1.0;
        let length = Path { points_m: points.to_vec() }.length_m();
        assert!(length > 0.9 * dubins && length < 1.1 * dubins, "{length} {dubins}");
    }

    #[test]
    fn walls_are_driven_round_and_nothing_is_found_behind_closed_ones() {
        let grid = Grid::about([0.0, 0.0], 0.5, 80);
        let mut map = CostMap::unknown(grid);
        for row in 0..60 {
            map.raise(grid.cell([40, row]).unwrap(), 100.0);
        }
        let car = Car { radius_min_m: 3.0 };
        let open = map.passable(0.5, [-10.0, -10.0]);
        let found = plan(&open, &car, [-10.0, -10.0], 0.0, [10.0, -10.0], 1.5, 1.0).unwrap();
        assert!(found.path.points_m.windows(2).all(|p| open.straight(p[0], p[1], 1.0).is_some()));
        for row in 60..80 {
            map.raise(grid.cell([40, row]).unwrap(), 100.0);
        }
        let closed = map.passable(0.5, [-10.0, -10.0]);
        assert_eq!(plan(&closed, &car, [-10.0, -10.0], 0.0, [10.0, -10.0], 1.5, 1.0), None);
    }
}
