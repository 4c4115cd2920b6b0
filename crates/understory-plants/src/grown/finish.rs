//! From the axes of a grown tree to its mesh.
//!
//! What enters: the pieces of a simulated tree. What leaves: a skeleton of the size asked for, whose
//! branches sag under their weight, with leafy shoots; and the plant around it. A branch bends like
//! a beam of green wood, κ = M / (E·I) with I = π r⁴ / 4 (Gere and Timoshenko 1997), times how much
//! it has crept over the years.

use std::collections::HashMap;
use understory_base::math;

use glam::{DQuat, DVec3};

use super::GrownSpec;
use super::light::LightField;
use super::simulation::{GrowingTree, Seedling, grow_together};
use super::{CELLS_PER_HEIGHT, YEARS};
use crate::tree::{GOLDEN_ANGLE, Skeleton, add_leaves, add_needles, add_wood, turned_from};
use crate::{Plant, Random};

/// Density of green wood with its twigs and leaves, its stiffness, and gravity.
const GREEN_KG_M3: f64 = 1000.0;
const STIFFNESS_PA: f64 = 7e9;
const GRAVITY_M_S2: f64 = 9.81;

/// Most that one piece bends.
const MOST_BEND_RAD: f64 = 0.35;

impl GrownSpec {
    pub(crate) fn skeleton(&self, random: &Random) -> Skeleton {
        let seed = random.fork(0).next_u64();
        let cell_m = self.height_m / CELLS_PER_HEIGHT;
        // The share of branches that makes the crown as wide as asked is found by trying.
        let mut share = (0.9 * self.crown_width_m / self.height_m).clamp(0.1, 1.3);
        let mut tree = self.simulate(share, cell_m, seed);
        if self.neighbours_m.is_none() {
            for _ in 0..3 {
                let factor = self.crown_width_m / spread(&tree).max(0.01);
                if (factor - 1.0).abs() < 0.08 {
                    break;
                }
                share = (share * factor.clamp(0.5, 2.0)).clamp(0.05, 1.6);
                tree = self.simulate(share, cell_m, seed);
            }
        }
        self.finish(&tree, random)
    }

    /// The skeleton of a tree that has grown, of this height.
    pub(crate) fn finish(&self, tree: &GrowingTree, random: &Random) -> Skeleton {
        let mut skeleton = self.axes(tree);
        skeleton.stretch_to(self.height_m);
        let radius = |diameter: f64| 0.5 * diameter;
        skeleton.set_radii(radius(self.twig_diameter_m), radius(self.stem_diameter_m), 1);
        sag(&mut skeleton, self.sag);
        self.fit(&mut skeleton);
        self.add_shoots(&mut skeleton, &mut random.fork(3));
        skeleton.stretch_to(self.height_m - 0.5 * self.leaf_plan().length_m.min(0.1));
        skeleton.set_radii(radius(self.twig_diameter_m), radius(self.stem_diameter_m), 1);
        skeleton
    }

    fn simulate(&self, branch_share: f64, cell_m: f64, seed: u64) -> GrowingTree {
        let habit = self.habit(branch_share, cell_m);
        let side = self.neighbours_m.unwrap_or(1.5 * self.crown_width_m + 4.0 * cell_m);
        let mut field = LightField::new(
            [side, side],
            1.15 * self.height_m,
            cell_m,
            self.neighbours_m.is_some(),
        );
        let seedling = Seedling { foot: DVec3::ZERO, seed, vigour: 1.0, later: 0, habit: 0 };
        let mut trees = grow_together(&[habit], &[seedling], &mut field, &|_, _| ());
        trees.remove(0)
    }

    /// The pieces as nodes; those with leaves are marked.
    fn axes(&self, tree: &GrowingTree) -> Skeleton {
        let mut skeleton = Skeleton::default();
        let last = tree.pieces.iter().map(|piece| piece.leaf_year).max().unwrap_or(0);
        for piece in &tree.pieces {
            let dead = tree.axes[piece.axis as usize].died.is_some();
            let leafy = !dead && piece.parent.is_some() && last - piece.leaf_year < self.leaf_years;
            let end = piece.end - tree.foot();
            skeleton.push(end, piece.parent, leafy && end.z > 0.85 * self.pruned_below_m);
        }
        skeleton
    }

    /// Brings the tree to the width asked for, as far as that does not distort it.
    fn fit(&self, skeleton: &mut Skeleton) {
        if self.neighbours_m.is_some() {
            return;
        }
        let (low, high) = bounds(skeleton.nodes.iter().map(|node| node.position));
        let wide = (high - low).truncate().max_element() + self.shoot_length_m;
        let factor = (self.crown_width_m / wide.max(0.01)).clamp(0.6, 1.5);
        for node in &mut skeleton.nodes {
            node.position.x *= factor;
            node.position.y *= factor;
        }
    }

    /// Leafy shoots on the leafy pieces, as many as the leaves need.
    fn add_shoots(&self, skeleton: &mut Skeleton, random: &mut Random) {
        let least = 0.2 * self.height_m / YEARS.1;
        // Each leafy piece bears shoots by its length; what stands below the cut bears none.
        let mut seats: Vec<(u32, f64)> = (0..skeleton.nodes.len() as u32)
            .filter(|&node| skeleton.nodes[node as usize].leafy)
            .map(|node| (node, &skeleton.nodes[node as usize]))
            .filter(|(_, node)| node.position.z > 0.85 * self.pruned_below_m)
            .filter_map(|(i, node)| {
                Some((i, node.position.distance(skeleton.position(node.parent?))))
            })
            .map(|(node, length)| (node, length.max(least)))
            .collect();
        // Where twigs stand close, each bears fewer.
        let cell =
            |node: u32| (skeleton.position(node) * (30.0 / self.height_m)).as_ivec3().to_array();
        let mut full: HashMap<[i32; 3], f64> = HashMap::new();
        for (node, length) in &seats {
            *full.entry(cell(*node)).or_default() += length;
        }
        for (node, length) in &mut seats {
            *length /= math::powf(full.get(&cell(*node)).copied().unwrap_or(1.0), 0.75);
        }
        let whole: f64 = seats.iter().map(|(_, length)| length).sum();
        let count = self.shoot_count();
        for node in &mut skeleton.nodes {
            node.leafy = false;
        }
        let (mut passed, mut place) = (0.0, 0);
        let flat_share = if self.flat { 0.85 } else { 0.0 };
        for shoot in 0..count {
            let wanted = whole * (shoot as f64 + 0.5) / count as f64;
            while place + 1 < seats.len() && passed + seats[place].1 < wanted {
                passed += seats[place].1;
                place += 1;
            }
            let Some(&(seat, _)) = seats.get(place) else { return };
            let along = skeleton.direction(seat);
            let turn = shoot as f64 * GOLDEN_ANGLE + random.unit();
            let angle = random.between(0.3, 1.1);
            let mut start = turned_from(along, angle, turn);
            if random.unit() < flat_share {
                let hand = if shoot % 2 == 0 { 1.0 } else { -1.0 };
                let across = along.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::X) * hand;
                let across = (across + random.direction() * 0.2).normalize_or(across);
                start = along * math::cos(angle) + across * math::sin(angle);
            }
            let length = self.shoot_length_m * random.between(0.6, 1.3);
            let first = (start + DVec3::Z * (0.35 * self.shoot_tropism)).normalize_or(start);
            let second = (first + DVec3::Z * (0.65 * self.shoot_tropism)).normalize_or(first);
            let second = (second + random.direction() * 0.2).normalize_or(first);
            let below = skeleton.nodes[seat as usize].parent.unwrap_or(seat);
            let mut position =
                skeleton.position(seat).lerp(skeleton.position(below), random.unit());
            let mut node = seat;
            for direction in [first, second] {
                position += direction * (0.5 * length);
                position.z = position.z.max(0.02);
                node = skeleton.push(position, Some(node), true);
            }
        }
    }

    /// Wood and leaves around a skeleton.
    pub(crate) fn dress(&self, skeleton: Skeleton, draw: &mut Random) -> Plant {
        let mut plant = Plant::default();
        add_wood(&mut plant, &skeleton, true);
        let plan = self.leaf_plan();
        if self.needles {
            add_needles(&mut plant, &skeleton, &plan, draw);
        } else {
            add_leaves(&mut plant, &skeleton, &plan, self.leaf_shape, self.leaf_angle, draw);
        }
        plant
    }
}

fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(p), high.max(p)))
}

/// Largest horizontal extent of what is alive, but for single twigs that stand out.
fn spread(tree: &GrowingTree) -> f64 {
    let alive = tree.pieces.iter().filter(|piece| tree.axes[piece.axis as usize].died.is_none());
    let (mut x, mut y): (Vec<f64>, Vec<f64>) =
        alive.map(|piece| (piece.end.x, piece.end.y)).unzip();
    let extent = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let cut = values.len() / 300;
        let high = values.get(values.len().saturating_sub(1 + cut)).copied().unwrap_or(0.0);
        high - values.get(cut).copied().unwrap_or(0.0)
    };
    extent(&mut x).max(extent(&mut y))
}

/// Bends all axes but the stem under their weight.
fn sag(skeleton: &mut Skeleton, creep: f64) {
    let nodes = &mut skeleton.nodes;
    let count = nodes.len();
    // Mass beyond each node and its moment about the origin.
    let (mut mass, mut moment) = (vec![0.0f64; count], vec![DVec3::ZERO; count]);
    let old: Vec<DVec3> = nodes.iter().map(|node| node.position).collect();
    for i in (0..count).rev() {
        let Some(parent) = nodes[i].parent.map(|parent| parent as usize) else { continue };
        let own = GREEN_KG_M3
            * std::f64::consts::PI
            * nodes[i].radius_m.powi(2)
            * old[i].distance(old[parent]);
        mass[i] += own;
        moment[i] += (old[i] + old[parent]) * (0.5 * own);
        let (m, w) = (mass[i], moment[i]);
        mass[parent] += m;
        moment[parent] += w;
    }
    let mut turns = vec![DQuat::IDENTITY; count];
    for i in 0..count {
        let Some(parent) = nodes[i].parent.map(|parent| parent as usize) else { continue };
        let piece = old[i] - old[parent];
        let lever = (moment[i] / mass[i].max(1e-12) - old[parent]).truncate().length();
        let inertia = 0.25 * std::f64::consts::PI * nodes[i].radius_m.powi(4);
        let bend = creep * mass[i] * GRAVITY_M_S2 * lever / (STIFFNESS_PA * inertia);
        let angle = (bend * piece.length()).min(MOST_BEND_RAD);
        let way = turns[parent] * piece;
        let axis = way.cross(DVec3::NEG_Z);
        // What hangs already bends no further.
        let level = axis.length() / way.length().max(1e-9);
        let turn = match axis.try_normalize() {
            Some(axis) => DQuat::from_axis_angle(axis, angle * level),
            None => DQuat::IDENTITY,
        };
        turns[i] = turn * turns[parent];
        let mut end = nodes[parent].position + turns[i] * piece;
        end.z = end.z.max(0.03);
        nodes[i].position = end;
    }
}
