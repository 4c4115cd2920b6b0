//! Growth by space colonisation (Runions, Lane and Prusinkiewicz 2007, "Modeling trees with a
//! space colonization algorithm").
//!
//! What enters: axes to start from and attraction points in the crown's envelope. What leaves: the
//! axes grown towards the points. In each step every point pulls at its nearest node within the
//! influence radius; a node that is pulled grows by one step in the mean direction; points within
//! the kill radius of a node vanish. Each point keeps its nearest node, and a grid over the points
//! finds those near a new node, so that a step costs no more than its new nodes.

use super::skeleton::Skeleton;
use crate::Random;
use glam::DVec3;

/// How the axes grow.
#[derive(Clone, Debug)]
pub(crate) struct Growth {
    pub step_m: f64,
    pub influence_radius_m: f64,
    pub kill_radius_m: f64,
    /// Added to each mean direction: positive up, negative down.
    pub tropism: f64,
    /// Most nodes that may be made.
    pub node_limit: usize,
}

/// Length of random bends, relative to the pull.
const WANDER: f64 = 0.12;

/// Directions nearer to each other than this (cosine) are the same: nothing new would grow.
const SAME_DIRECTION: f64 = 0.995;

/// Cells of a grid along one axis; bounds the grid's memory whatever the radii are.
const MAX_CELLS_PER_AXIS: f64 = 128.0;

/// Grows the axes of `skeleton` into `points` until no node is pulled any more.
pub(crate) fn colonise(
    skeleton: &mut Skeleton,
    points: &[DVec3],
    growth: &Growth,
    random: &mut Random,
) {
    let grid = PointGrid::new(points, growth.influence_radius_m);
    let mut pulled = Pulled::new(points.len(), growth);
    for node in 0..skeleton.nodes.len() {
        pulled.meet(node as u32, skeleton.nodes[node].position, points, &grid);
    }
    // Directions in which a node has grown already.
    let mut grown: Vec<Vec<DVec3>> = vec![Vec::new(); skeleton.nodes.len()];
    let mut pull = vec![DVec3::ZERO; skeleton.nodes.len()];
    let mut last_pull = pull.clone();
    loop {
        let mut growing: Vec<u32> = Vec::new();
        for (point, nearest) in points.iter().zip(&pulled.nearest) {
            if let Some((node, _)) = *nearest {
                let sum = &mut pull[node as usize];
                if *sum == DVec3::ZERO {
                    growing.push(node);
                }
                let towards = (*point - skeleton.position(node)).normalize_or(DVec3::Z);
                *sum += towards;
                last_pull[node as usize] = towards;
            }
        }
        let first_new = skeleton.nodes.len();
        for &node in &growing {
            let sum = std::mem::replace(&mut pull[node as usize], DVec3::ZERO);
            let bent = sum.normalize_or(DVec3::Z) + DVec3::Z * growth.tropism;
            let mut direction = (bent + random.direction() * WANDER).normalize_or(DVec3::Z);
            let before = &mut grown[node as usize];
            let known = |way: DVec3| before.iter().any(|other| other.dot(way) > SAME_DIRECTION);
            // Points on opposite sides hold a node between them for ever; one of them wins.
            if known(direction) {
                direction = last_pull[node as usize];
                if known(direction) {
                    continue;
                }
            }
            before.push(direction);
            let position = skeleton.position(node) + direction * growth.step_m;
            skeleton.push(position.with_z(position.z.max(0.02)), Some(node), false);
            if skeleton.nodes.len() >= growth.node_limit {
                return;
            }
        }
        if skeleton.nodes.len() == first_new {
            return;
        }
        grown.resize(skeleton.nodes.len(), Vec::new());
        pull.resize(skeleton.nodes.len(), DVec3::ZERO);
        last_pull.resize(skeleton.nodes.len(), DVec3::ZERO);
        for node in first_new..skeleton.nodes.len() {
            pulled.meet(node as u32, skeleton.nodes[node].position, points, &grid);
        }
    }
}

/// What each attraction point knows.
struct Pulled {
    /// Nearest node and its squared distance; none while it is too far from all, or dead.
    nearest: Vec<Option<(u32, f64)>>,
    dead: Vec<bool>,
    influence2: f64,
    kill2: f64,
}

impl Pulled {
    fn new(count: usize, growth: &Growth) -> Pulled {
        Pulled {
            nearest: vec![None; count],
            dead: vec![false; count],
            influence2: growth.influence_radius_m.powi(2),
            kill2: growth.kill_radius_m.powi(2),
        }
    }

    /// Tells all points near a new node of it.
    fn meet(&mut self, node: u32, position: DVec3, points: &[DVec3], grid: &PointGrid) {
        grid.for_each_near(position, |i| {
            if self.dead[i] {
                return;
            }
            let distance2 = points[i].distance_squared(position);
            if distance2 < self.kill2 {
                self.dead[i] = true;
                self.nearest[i] = None;
            } else if distance2 < self.influence2
                && self.nearest[i].is_none_or(|(_, other)| distance2 < other)
            {
                self.nearest[i] = Some((node, distance2));
            }
        });
    }
}

/// Points sorted into cubes that are at least as large as the radius of the search.
struct PointGrid {
    low: DVec3,
    cell_m: f64,
    cells: [usize; 3],
    /// Where each cell's points begin in `order`.
    starts: Vec<u32>,
    order: Vec<u32>,
}

impl PointGrid {
    fn new(points: &[DVec3], radius_m: f64) -> PointGrid {
        let low = points.iter().copied().reduce(DVec3::min).unwrap_or_default();
        let high = points.iter().copied().reduce(DVec3::max).unwrap_or_default();
        let cell_m = radius_m.max((high - low).max_element() / MAX_CELLS_PER_AXIS).max(1e-6);
        let cells = ((high - low) / cell_m).to_array().map(|count| count as usize + 1);
        let mut grid = PointGrid { low, cell_m, cells, starts: Vec::new(), order: Vec::new() };
        let cell_of: Vec<usize> = points
            .iter()
            .map(|point| {
                let place = ((*point - low) / cell_m).to_array().map(|x| x as usize);
                grid.index(place)
            })
            .collect();
        let mut starts = vec![0u32; cells.iter().product::<usize>() + 1];
        for &cell in &cell_of {
            starts[cell + 1] += 1;
        }
        for cell in 1..starts.len() {
            starts[cell] += starts[cell - 1];
        }
        let mut order: Vec<u32> = (0..points.len() as u32).collect();
        order.sort_by_key(|&point| cell_of[point as usize]);
        (grid.starts, grid.order) = (starts, order);
        grid
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.cells[1] + y) * self.cells[0] + x
    }

    /// Calls `visit` with every point in the cell of `position` and the cells around it.
    fn for_each_near(&self, position: DVec3, mut visit: impl FnMut(usize)) {
        let place = ((position - self.low) / self.cell_m).floor();
        let span = |axis: usize| {
            let low = (place[axis] - 1.0).max(0.0) as usize;
            let high = place[axis] + 1.0;
            let end = if high < 0.0 { 0 } else { (high as usize + 1).min(self.cells[axis]) };
            low..end
        };
        for z in span(2) {
            for y in span(1) {
                for x in span(0) {
                    let cell = self.index([x, y, z]);
                    let (start, end) = (self.starts[cell] as usize, self.starts[cell + 1] as usize);
                    for &point in &self.order[start..end] {
                        visit(point as usize);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_finds_every_point_within_its_radius() {
        let mut random = Random::new(3);
        let points: Vec<DVec3> =
            (0..2000).map(|_| random.direction() * random.between(0.0, 3.0)).collect();
        let grid = PointGrid::new(&points, 0.5);
        for _ in 0..200 {
            let centre = random.direction() * random.between(0.0, 5.0);
            let mut found = Vec::new();
            grid.for_each_near(centre, |i| {
                if points[i].distance(centre) < 0.5 {
                    found.push(i);
                }
            });
            found.sort_unstable();
            let wanted: Vec<usize> =
                (0..points.len()).filter(|&i| points[i].distance(centre) < 0.5).collect();
            assert_eq!(found, wanted);
        }
    }

    #[test]
    fn a_shoot_grows_to_a_single_point_and_kills_it() {
        let mut skeleton = Skeleton::default();
        skeleton.push(DVec3::ZERO, None, false);
        let goal = DVec3::new(1.0, 0.0, 1.0);
        let growth = Growth {
            step_m: 0.1,
            influence_radius_m: 2.0,
            kill_radius_m: 0.15,
            tropism: 0.0,
            node_limit: 1000,
        };
        colonise(&mut skeleton, &[goal], &growth, &mut Random::new(1));
        let last = skeleton.nodes.last().unwrap().position;
        assert!(last.distance(goal) < 0.15, "{last}");
        assert!(skeleton.nodes.len() < 25);
    }

    #[test]
    fn points_out_of_reach_grow_nothing() {
        let mut skeleton = Skeleton::default();
        skeleton.push(DVec3::ZERO, None, false);
        let growth = Growth {
            step_m: 0.1,
            influence_radius_m: 0.5,
            kill_radius_m: 0.1,
            tropism: 0.0,
            node_limit: 1000,
        };
        colonise(&mut skeleton, &[DVec3::X], &growth, &mut Random::new(1));
        assert_eq!(skeleton.nodes.len(), 1);
    }
}
