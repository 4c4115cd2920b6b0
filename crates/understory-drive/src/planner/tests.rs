use super::*;
use crate::cost_map::CostMap;
use crate::grid::Grid;
use understory::rng::{PulseRng, Stage};

/// A random map: some cells blocked, others costly.
fn random_map(seed: u64, side: usize) -> CostMap {
    let mut rng = PulseRng::new(seed, 0, 0, Stage::Odometry);
    let grid = Grid::about([0.0, 0.0], 0.5, side);
    let mut map = CostMap::unknown(grid);
    for cost in &mut map.costs {
        let draw = rng.uniform();
        *cost = if draw < 0.25 { 100.0 } else { (80.0 * rng.uniform()) as f32 };
    }
    map
}

/// By Bellman and Ford, which shares nothing with A*: rounds over all cells until nothing changes.
fn brute_force(map: &Passable, start: usize, goal: usize, weight: f64) -> Option<u64> {
    let mut cost = vec![u64::MAX; map.grid.len()];
    cost[start] = 0;
    loop {
        let mut changed = false;
        for cell in (0..map.grid.len()).filter(|cell| *cell == start || !map.blocked[*cell]) {
            if cost[cell] == u64::MAX {
                continue;
            }
            for (next, step) in neighbours(map, cell, weight) {
                if cost[cell] + step < cost[next] {
                    cost[next] = cost[cell] + step;
                    changed = true;
                }
            }
        }
        if !changed {
            return Some(cost[goal]).filter(|cost| *cost < u64::MAX);
        }
    }
}

#[test]
fn a_star_costs_what_dijkstra_and_brute_force_say() {
    let (mut found, mut none) = (0, 0);
    for seed in 0..200 {
        let map = random_map(seed, 20).passable(0.0, [-4.75, -4.75]);
        let (from, goal) = ([-4.75, -4.75], [4.75, 4.75]);
        let [start, end] = [from, goal].map(|at| map.grid.cell_at(at).unwrap());
        let weight = [0.0, 3.0, 10.0][(seed % 3) as usize];
        let planned = plan(&map, from, goal, weight, false);
        let by_dijkstra = pathfinding::prelude::dijkstra(
            &start,
            |cell| neighbours(&map, *cell, weight),
            |cell| *cell == end,
        );
        let expected = brute_force(&map, start, end, weight).filter(|_| !map.blocked[end]);
        assert_eq!(by_dijkstra.map(|(_, cost)| cost).filter(|_| !map.blocked[end]), expected);
        match (planned, expected) {
            (Some(planned), Some(expected)) => {
                assert_eq!((planned.cost_m * MICROMETRES).round() as u64, expected, "{seed}");
                found += 1;
            }
            (None, None) => none += 1,
            (planned, expected) => panic!("{seed}: {planned:?} {expected:?}"),
        }
    }
    assert!(found > 50 && none > 10, "{found} {none}");
}

/// Straight lines never cost more than the corners that they replace, and never cross what is blocked.
#[test]
fn straight_lines_cost_no_more() {
    for seed in 0..60 {
        let map = random_map(seed, 30).passable(0.0, [-7.25, -7.25]);
        let Some(planned) = plan(&map, [-7.25, -7.25], [7.25, 7.25], 5.0, false) else { continue };
        let sum: Option<f64> =
            planned.path.points_m.windows(2).map(|p| map.straight(p[0], p[1], 5.0)).sum();
        let sum = sum.unwrap();
        // A step's two halves count by their own cells, by samples of a tenth of a cell.
        assert!(sum <= planned.cost_m * 1.001, "{seed}: {sum} {}", planned.cost_m);
    }
}

#[test]
fn on_an_empty_map_the_path_is_straight() {
    let map = CostMap::unknown(Grid::about([0.0, 0.0], 0.5, 100)).passable(1.0, [-20.0, -20.0]);
    let planned = plan(&map, [-20.0, -20.0], [20.0, 3.0], 10.0, false).unwrap();
    assert_eq!(planned.path.points_m, [[-20.0, -20.0], [20.0, 3.0]]);
}

#[test]
fn without_a_path_it_explores_or_says_so() {
    let grid = Grid::about([0.0, 0.0], 0.5, 40);
    let mut map = CostMap::unknown(grid);
    for row in 0..40 {
        map.raise(grid.cell([20, row]).unwrap(), 100.0);
    }
    let wall = map.passable(0.0, [-9.0, 0.0]);
    assert_eq!(plan(&wall, [-9.0, 0.1], [9.0, 0.1], 1.0, false), None);
    let near = plan(&wall, [-9.0, 0.1], [9.0, 0.1], 1.0, true).unwrap();
    let end = near.path.points_m.last().unwrap();
    assert!(!near.reaches_goal && (end[0] + 0.25).abs() < 1e-9, "{end:?}");
    assert_eq!(plan(&wall, [-90.0, 0.0], [9.0, 0.1], 1.0, true), None);
    // A goal outside the map is only approached.
    let free = CostMap::unknown(grid).passable(0.0, [-9.0, 0.0]);
    assert!(plan(&free, [-9.0, 0.1], [90.0, 0.1], 1.0, false).is_none());
    assert!(!plan(&free, [-9.0, 0.1], [90.0, 0.1], 1.0, true).unwrap().reaches_goal);
}
