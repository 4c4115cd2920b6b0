//! From a map to a path: A* from cell to cell (Hart et al. 1968), over the crate `pathfinding`.
//!
//! A step to one of the eight neighbours costs its length times 1 + w·c/100, where c is the mean cost
//! of both cells; steps between two blocked corners are not taken. Costs are whole micrometres, so
//! that the same map gives the same path everywhere. The cells of the path are joined by straight
//! lines wherever that costs no more ([`straighten`]). [`hybrid`] is for vehicles that cannot turn on
//! the spot.

pub mod hybrid;

use pathfinding::prelude::astar;
use understory_base::math;

use crate::cost_map::Passable;
use crate::path::Path;

/// A cost counts in micrometres.
const MICROMETRES: f64 = 1e6;

/// A path and its cost in metres.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Where to drive.
    pub path: Path,
    /// What it costs from cell to cell, in metres.
    pub cost_m: f64,
    /// Whether it ends at the goal.
    pub reaches_goal: bool,
}

/// The cheapest path from one place to another.
///
/// Where the start lies outside the map there is none. Where no path leads to the goal, it is the path
/// to the cell nearest to the goal that can be reached, if `explore` is set, and none if not.
pub fn plan(
    map: &Passable,
    from_m: [f64; 2],
    goal_m: [f64; 2],
    weight: f64,
    explore: bool,
) -> Option<Plan> {
    let start = map.grid.cell_at(from_m)?;
    let goal = map.grid.cell_at(goal_m);
    let found = goal.filter(|goal| !map.blocked[*goal]).and_then(|goal| {
        let estimate = |cell: &usize| octile(map, *cell, goal);
        astar(&start, |cell| neighbours(map, *cell, weight), estimate, |cell| *cell == goal)
    });
    if let Some((cells, cost)) = found {
        let mut points_m: Vec<[f64; 2]> = cells.iter().map(|cell| map.grid.middle(*cell)).collect();
        ends(&mut points_m, from_m, Some(goal_m));
        let path = straighten(map, &Path { points_m }, weight);
        return Some(Plan { path, cost_m: cost as f64 / MICROMETRES, reaches_goal: true });
    }
    if !explore {
        return None;
    }
    let (cells, cost) = nearest_to(map, start, goal_m, weight)?;
    let mut points_m: Vec<[f64; 2]> = cells.iter().map(|cell| map.grid.middle(*cell)).collect();
    ends(&mut points_m, from_m, None);
    let path = straighten(map, &Path { points_m }, weight);
    Some(Plan { path, cost_m: cost as f64 / MICROMETRES, reaches_goal: false })
}

/// A path begins and ends where it was asked to, not in the middle of a cell.
fn ends(points_m: &mut Vec<[f64; 2]>, from_m: [f64; 2], goal_m: Option<[f64; 2]>) {
    if let Some(first) = points_m.first_mut() {
        *first = from_m;
    }
    match (goal_m, points_m.len()) {
        (Some(goal_m), 0 | 1) => points_m.push(goal_m),
        (Some(goal_m), last) => points_m[last - 1] = goal_m,
        (None, _) => {}
    }
}

/// The eight neighbours of a cell with what it costs to get there.
pub fn neighbours(
    map: &Passable,
    cell: usize,
    weight: f64,
) -> impl Iterator<Item = (usize, u64)> + '_ {
    let [column, row] = map.grid.place_of(cell);
    let offsets = [[1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [1, -1], [-1, 1], [-1, -1]];
    offsets.into_iter().filter_map(move |[x, y]: [i64; 2]| {
        let free = |place| map.grid.cell(place).filter(|near| !map.blocked[*near]);
        let next = free([column + x, row + y])?;
        let diagonal = x != 0 && y != 0;
        if diagonal && (free([column + x, row]).is_none() || free([column, row + y]).is_none()) {
            return None;
        }
        let length = map.grid.cell_m * if diagonal { std::f64::consts::SQRT_2 } else { 1.0 };
        let mean = 0.5 * f64::from(map.costs[cell] + map.costs[next]);
        Some((next, (MICROMETRES * length * (1.0 + weight * mean / 100.0)).round() as u64))
    })
}

/// What the way costs at least: that over eight neighbours through cells that cost nothing.
fn octile(map: &Passable, from: usize, to: usize) -> u64 {
    let (a, b) = (map.grid.place_of(from), map.grid.place_of(to));
    let (x, y) = ((a[0] - b[0]).unsigned_abs(), (a[1] - b[1]).unsigned_abs());
    let step = |length: f64| (MICROMETRES * map.grid.cell_m * length).round() as u64;
    x.min(y) * step(std::f64::consts::SQRT_2) + (x.max(y) - x.min(y)) * step(1.0)
}

/// The way to the cell nearest to a place among all that can be reached.
fn nearest_to(
    map: &Passable,
    start: usize,
    goal_m: [f64; 2],
    weight: f64,
) -> Option<(Vec<usize>, u64)> {
    let reached = pathfinding::prelude::dijkstra_all(&start, |cell| neighbours(map, *cell, weight));
    let away = |cell: usize| {
        let [x, y] = map.grid.middle(cell);
        math::hypot(x - goal_m[0], y - goal_m[1])
    };
    // The order in which cells were reached does not matter: ties go to the lower number.
    let mut cells: Vec<usize> = reached.keys().copied().chain([start]).collect();
    cells.sort_unstable();
    let best = cells.into_iter().min_by(|a, b| away(*a).total_cmp(&away(*b)))?;
    let cost = reached.get(&best).map_or(0, |(_, cost)| *cost);
    Some((pathfinding::prelude::build_path(&best, &reached), cost))
}

/// The same path with straight lines wherever they cost no more than its corners.
pub fn straighten(map: &Passable, path: &Path, weight: f64) -> Path {
    let points = &path.points_m;
    let Some(&first) = points.first() else { return Path::default() };
    let mut kept = vec![first];
    let mut from = 0;
    while from + 1 < points.len() {
        let mut along = 0.0;
        let mut best = from + 1;
        for to in from + 1..points.len() {
            // A step that cannot be taken straight, at the very start or end, is taken as it is.
            let step = map.straight(points[to - 1], points[to], weight);
            along += step.unwrap_or(f64::INFINITY);
            if !along.is_finite() {
                break;
            }
            match map.straight(points[from], points[to], weight) {
                Some(straight) if straight <= along * (1.0 + 1e-9) => best = to,
                Some(_) => {}
                None => break,
            }
        }
        kept.push(points[best]);
        from = best;
    }
    Path { points_m: kept }
}

#[cfg(test)]
mod tests;
