//! Trees that grow side by side and shade each other, year by year.
//!
//! What enters: how a species grows ([`Habit`]) and where its trees stand. What leaves: the axes of
//! each tree, alive and dead. The model is that of self-organising trees (Palubicki et al. 2009):
//! buds compete for light and space, light is gathered downwards and growth given out upwards with
//! the extended rule of Borchert and Honda (1984), shoots bend towards light and against gravity,
//! and branches that do not live by their own light are shed.

use glam::DVec3;
use rayon::prelude::*;
use understory_base::math;

use super::light::LightField;
use crate::Random;
use crate::tree::{GOLDEN_ANGLE, turned_from};

/// How the axes of a species grow.
#[derive(Clone, Debug)]
pub(crate) struct Habit {
    /// Length of the leading shoot of a year in full light.
    pub shoot_m: f64,
    /// Years of growth.
    pub years: u32,
    /// Shoots of branches against that of the stem, in full light.
    pub branch_share: f64,
    /// Shoots of side branches against those of their branch.
    pub side_share: f64,
    /// λ of Borchert and Honda's rule: above 0.5 the axis is favoured before its branches.
    pub apical_control: f64,
    /// Angle between an axis and its branches.
    pub branch_angle_deg: f64,
    /// The same for the youngest branches at the top, near the leader.
    pub side_angle_deg: f64,
    /// Branches along a full shoot of the stem and of other axes.
    pub branches_per_shoot: f64,
    pub sides_per_shoot: f64,
    /// Branches of branches of branches: how many generations.
    pub orders: u32,
    /// Whether the branches of a year's shoot stand together at its end.
    pub whorled: bool,
    /// Whether side branches lie flat to both hands of their branch.
    pub flat: bool,
    /// Bend of new shoots of the stem and of branches: up above 0, down below.
    pub stem_tropism: f64,
    pub branch_tropism: f64,
    /// Bend towards light.
    pub phototropism: f64,
    /// Random bend.
    pub wander: f64,
    /// Share of light by which a branch just lives.
    pub shade_limit: f64,
    /// Years that a dead branch stays.
    pub dead_years: u32,
    /// Years that leaves stay: 1 for deciduous trees.
    pub leaf_years: u32,
    /// Leaf area along a leafy shoot.
    pub leaf_m2_per_m: f64,
    /// Probability in a year that the leader dies and branches take its place.
    pub leader_loss: f64,
    /// From which share of the years on the leader slows down, and to which share of its growth.
    pub slow_from: f64,
    pub slow_to: f64,
    /// Branches below are cut off.
    pub pruned_below_m: f64,
    /// Where branches end, from the stem's foot.
    pub reach_m: f64,
}

/// A tree's place and its own chance.
#[derive(Clone, Debug)]
pub(crate) struct Seedling {
    pub foot: DVec3,
    pub seed: u64,
    /// Growth against that of the others: better or worse places and kinds.
    pub vigour: f64,
    /// Years that it begins later than the first.
    pub later: u32,
    /// Its habit, as index into those of the stand.
    pub habit: usize,
}

/// A piece of an axis, up to its upper end.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub end: DVec3,
    pub parent: Option<u32>,
    pub axis: u32,
    /// The last year in which it bore new leaves.
    pub leaf_year: u32,
}

/// An axis of pieces.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub order: u32,
    pub born: u32,
    pub died: Option<u32>,
    /// Its last piece.
    tip: u32,
    /// Its first piece.
    foot: u32,
    heading: DVec3,
    /// Whether it is the leader or took its place.
    leads: bool,
    /// Whether its end broke off; what it bears lives on.
    stopped: bool,
    /// Random growth of its own.
    luck: f64,
}

/// A bud on the side of a shoot.
#[derive(Clone, Debug)]
struct Bud {
    piece: u32,
    heading: DVec3,
}

/// A tree as it grows.
#[derive(Clone, Debug)]
pub(crate) struct GrowingTree {
    pub pieces: Vec<Piece>,
    pub axes: Vec<Axis>,
    buds: Vec<Bud>,
    foot: DVec3,
    random: Random,
    vigour: f64,
    later: u32,
    habit: usize,
    turn: f64,
    /// A slow lean of the whole crown.
    lean: DVec3,
}

/// Most pieces of one tree.
const MAX_PIECES: usize = 80_000;

/// Leaf area index of a cell that has no room for another shoot.
const FULL_CELL: f64 = 0.8;

/// Grows all trees together.
pub(crate) fn grow_together(
    habits: &[Habit],
    seedlings: &[Seedling],
    field: &mut LightField,
    progress: &(dyn Fn(u32, u32) + Sync),
) -> Vec<GrowingTree> {
    let mut trees: Vec<GrowingTree> = seedlings.iter().map(GrowingTree::new).collect();
    let years = habits.iter().map(|habit| habit.years).max().unwrap_or(0);
    for year in 0..years {
        // Leaves are added in the order of the trees: sums do not depend on threads.
        field.clear();
        for tree in &trees {
            tree.add_leaves(&habits[tree.habit], field, year);
        }
        field.sweep();
        let field = &*field;
        trees.par_iter_mut().for_each(|tree| {
            let habit = &habits[tree.habit];
            if year >= tree.later && year - tree.later < habit.years {
                tree.grow(habit, field, year);
            }
        });
        progress(year + 1, years);
    }
    trees
}

impl GrowingTree {
    fn new(seedling: &Seedling) -> GrowingTree {
        let mut random = Random::new(seedling.seed);
        let turn = random.between(0.0, std::f64::consts::TAU);
        let lean = random.direction().with_z(0.0);
        let pieces = vec![Piece { end: seedling.foot, parent: None, axis: 0, leaf_year: 0 }];
        let axis = Axis {
            order: 0,
            born: 0,
            died: None,
            tip: 0,
            foot: 0,
            heading: (DVec3::Z + lean * 0.06).normalize_or(DVec3::Z),
            leads: true,
            stopped: false,
            luck: 1.0,
        };
        GrowingTree {
            pieces,
            axes: vec![axis],
            buds: Vec::new(),
            foot: seedling.foot,
            random,
            vigour: seedling.vigour,
            later: seedling.later,
            habit: seedling.habit,
            turn,
            lean,
        }
    }

    fn is_leafy(&self, piece: &Piece, habit: &Habit, year: u32) -> bool {
        let axis = &self.axes[piece.axis as usize];
        axis.died.is_none() && year.saturating_sub(piece.leaf_year) < habit.leaf_years
    }

    fn length(&self, piece: &Piece) -> f64 {
        piece.parent.map_or(0.0, |parent| piece.end.distance(self.pieces[parent as usize].end))
    }

    fn add_leaves(&self, habit: &Habit, field: &mut LightField, year: u32) {
        for piece in &self.pieces {
            if self.is_leafy(piece, habit, year) {
                let length = self.length(piece).max(0.25 * habit.shoot_m);
                field.add_leaf(piece.end, habit.leaf_m2_per_m * length);
            }
        }
    }

    /// One year: what branches live by, then shedding, then shoots.
    fn grow(&mut self, habit: &Habit, field: &LightField, year: u32) {
        let count = self.pieces.len();
        // Light gathered downwards.
        let (mut gathered, mut leafy) = (vec![0.0f64; count], vec![0.0f64; count]);
        for (i, piece) in self.pieces.iter().enumerate().rev() {
            if self.is_leafy(piece, habit, year) {
                let length = self.length(piece).max(0.25 * habit.shoot_m);
                gathered[i] += length * field.at(piece.end).0;
                leafy[i] += length;
            }
            if let Some(parent) = piece.parent {
                gathered[parent as usize] += gathered[i];
                leafy[parent as usize] += leafy[i];
            }
        }
        let mut favour = self.favour(habit, &gathered);
        self.shed(habit, year, &gathered, &leafy, &mut favour);
        self.lose_leader(habit, year);
        let buds = std::mem::take(&mut self.buds);
        for axis in 0..self.axes.len() {
            if self.axes[axis].died.is_none() && !self.axes[axis].stopped {
                let favoured = favour[self.axes[axis].tip as usize];
                self.extend(axis as u32, habit, field, year, favoured);
            }
        }
        for bud in buds {
            let favoured = favour.get(bud.piece as usize).copied().unwrap_or(1.0);
            self.sprout(bud, habit, field, year, favoured);
        }
    }

    /// Branches die that have less light than they live by, and with them all that they bear.
    fn shed(
        &mut self,
        habit: &Habit,
        year: u32,
        gathered: &[f64],
        leafy: &[f64],
        favour: &mut Vec<f64>,
    ) {
        let mut dies: Vec<bool> = vec![false; self.axes.len()];
        // Length of all wood above each piece, which its light has to keep.
        let mut size = vec![0.0f64; self.pieces.len()];
        let mut top_m = 0.0f64;
        for (i, piece) in self.pieces.iter().enumerate().rev() {
            top_m = top_m.max(piece.end.z);
            if self.axes[piece.axis as usize].died.is_none() {
                size[i] += self.length(piece);
            }
            if let Some(parent) = piece.parent {
                size[parent as usize] += size[i];
            }
        }
        // A young tree is not pruned bare.
        let cut_m = habit.pruned_below_m.min(0.4 * top_m);
        for index in 1..self.axes.len() {
            let axis = &self.axes[index];
            let foot = axis.foot as usize;
            let below =
                self.pieces[foot].parent.map_or(0, |parent| self.pieces[parent as usize].axis);
            let light = gathered[foot] / leafy[foot].max(1e-9);
            let age = year.saturating_sub(axis.born);
            let pruned = self.pieces[foot].end.z < cut_m && !axis.leads;
            let upkeep = 0.35 * habit.shade_limit * size[foot];
            dies[index] = self.axes[below as usize].died.is_some()
                || pruned && age > 2
                || age > 4 && !axis.leads && gathered[foot] < upkeep
                || age > 2
                    && !axis.leads
                    && light < habit.shade_limit * (0.6 + 0.4 * f64::from(axis.order));
            if dies[index] && self.axes[index].died.is_none() {
                // What is cut leaves nothing behind.
                self.axes[index].died = Some(if pruned { 0 } else { year });
            }
        }
        self.tidy(habit, year, favour);
    }

    /// What is rotten falls, with all that sits on it, and short pieces without a branch become one.
    fn tidy(&mut self, habit: &Habit, year: u32, favour: &mut Vec<f64>) {
        let rotten = |axis: &Axis| {
            let stays = if axis.order <= 1 { habit.dead_years } else { habit.dead_years / 3 };
            axis.died.is_some_and(|died| year > died + stays)
        };
        let count = self.pieces.len();
        let mut only_child = vec![None; count];
        let mut borne = vec![0u32; count];
        for (i, piece) in self.pieces.iter().enumerate() {
            if let Some(parent) = piece.parent {
                borne[parent as usize] += 1;
                only_child[parent as usize] = Some(i);
            }
        }
        for bud in &self.buds {
            borne[bud.piece as usize] += 2;
        }
        // Where each piece is afterwards; one that is joined with its child is where its parent is.
        let mut place = vec![u32::MAX; count];
        let mut joined = vec![false; count];
        let mut kept: Vec<Piece> = Vec::with_capacity(count);
        let mut kept_favour = Vec::with_capacity(count);
        for (i, piece) in self.pieces.iter().enumerate() {
            let axis = &self.axes[piece.axis as usize];
            let gone = piece.parent.is_some_and(|parent| place[parent as usize] == u32::MAX);
            if gone || rotten(axis) {
                continue;
            }
            if let (1, Some(child), Some(parent)) = (borne[i], only_child[i], piece.parent) {
                let next = &self.pieces[child];
                let both = self.length(piece) + self.length(next);
                let joins = next.axis == piece.axis
                    && axis.foot as usize != i
                    && !joined[parent as usize]
                    && both < habit.shoot_m * if axis.order < 2 { 0.6 } else { 1.1 };
                if joins && year > piece.leaf_year {
                    joined[i] = true;
                    place[i] = place[parent as usize];
                    continue;
                }
            }
            place[i] = kept.len() as u32;
            let parent = piece.parent.map(|parent| place[parent as usize]);
            kept.push(Piece { parent, ..piece.clone() });
            kept_favour.push(favour[i]);
        }
        if kept.len() == count {
            return;
        }
        let mut axes = Vec::with_capacity(self.axes.len());
        let mut axis_place = vec![u32::MAX; self.axes.len()];
        for (i, axis) in self.axes.iter().enumerate() {
            if place[axis.foot as usize] == u32::MAX {
                continue;
            }
            axis_place[i] = axes.len() as u32;
            let (tip, foot) = (place[axis.tip as usize], place[axis.foot as usize]);
            axes.push(Axis { tip, foot, ..axis.clone() });
        }
        for piece in &mut kept {
            piece.axis = axis_place[piece.axis as usize];
        }
        self.buds.retain_mut(|bud| {
            bud.piece = place[bud.piece as usize];
            bud.piece != u32::MAX
        });
        (self.pieces, self.axes, *favour) = (kept, axes, kept_favour);
    }

    /// Growth that each piece is given against the light that it gathers, from the foot up
    /// (Borchert and Honda 1984, as extended by Palubicki et al. 2009).
    fn favour(&self, habit: &Habit, gathered: &[f64]) -> Vec<f64> {
        let count = self.pieces.len();
        let lambda = habit.apical_control;
        let (mut even, mut weighted) = (vec![0.0f64; count], vec![0.0f64; count]);
        let share = |piece: &Piece, parent: u32| {
            if self.pieces[parent as usize].axis == piece.axis { lambda } else { 1.0 - lambda }
        };
        for (i, piece) in self.pieces.iter().enumerate() {
            if let Some(parent) = piece.parent {
                even[parent as usize] += gathered[i];
                weighted[parent as usize] += share(piece, parent) * gathered[i];
            }
        }
        let mut favour = vec![1.0f64; count];
        for (i, piece) in self.pieces.iter().enumerate() {
            if let Some(parent) = piece.parent {
                let p = parent as usize;
                let bias = if weighted[p] > 0.0 {
                    share(piece, parent) * even[p] / weighted[p]
                } else {
                    1.0
                };
                favour[i] = (favour[p] * bias).clamp(0.2, 2.5);
            }
        }
        favour
    }

    /// By chance the leader dies; the branches next below rise in its place.
    fn lose_leader(&mut self, habit: &Habit, year: u32) {
        let lost = self.random.unit() < habit.leader_loss;
        let early = year < self.later + habit.years * 3 / 10;
        let Some(leader) = self.axes.iter().position(|axis| axis.leads && axis.died.is_none())
        else {
            return;
        };
        if !lost || early {
            return;
        }
        let top = self.pieces[self.axes[leader].tip as usize].end;
        let mut heirs: Vec<usize> = (0..self.axes.len())
            .filter(|&i| {
                let axis = &self.axes[i];
                let reach = self.pieces[axis.tip as usize].end;
                axis.order == self.axes[leader].order + 1
                    && axis.died.is_none()
                    && reach.distance(top) < 4.0 * habit.shoot_m
            })
            .collect();
        heirs.sort_by(|a, b| {
            let height = |i: &usize| self.pieces[self.axes[*i].tip as usize].end.z;
            height(b).total_cmp(&height(a))
        });
        if heirs.is_empty() {
            return;
        }
        self.axes[leader].leads = false;
        self.axes[leader].stopped = true;
        let heirs_count = 1 + usize::from(self.random.unit() < 0.6);
        for &heir in heirs.iter().take(heirs_count) {
            self.axes[heir].leads = true;
            self.axes[heir].order = 0;
            let heading = self.axes[heir].heading;
            self.axes[heir].heading = (heading + DVec3::Z * 0.8).normalize_or(DVec3::Z);
        }
    }

    /// A year's shoot on the end of an axis.
    fn extend(&mut self, index: u32, habit: &Habit, field: &LightField, year: u32, favour: f64) {
        let axis = self.axes[index as usize].clone();
        let tip = self.pieces[axis.tip as usize].end;
        let (light, from) = field.at(tip);
        let age = f64::from(year.saturating_sub(self.later)) / f64::from(habit.years);
        let potential = match (axis.leads, axis.order) {
            (true, _) | (_, 0) => {
                let slow =
                    ((age - habit.slow_from) / (1.0 - habit.slow_from).max(1e-3)).clamp(0.0, 1.0);
                1.0 + (habit.slow_to - 1.0) * slow
            }
            (_, order) => habit.branch_share * habit.side_share.powi(order as i32 - 1),
        };
        // Light saturates growth; Lambert's law is in the light already.
        let reach = (tip - self.foot).truncate().length() / habit.reach_m;
        let potential = potential * (1.0 - reach.powi(4)).max(0.0);
        let lit = (light / (light + 0.25) * 1.25).min(1.0);
        let chance = self.random.between(0.75, 1.2) * axis.luck;
        let length =
            habit.shoot_m * potential * lit * favour.clamp(0.3, 1.6) * chance * self.vigour;
        let least = 0.12 * habit.shoot_m;
        if length < least || axis.order > 1 && self.pieces.len() > MAX_PIECES {
            // A short shoot: leaves, and no way.
            self.pieces[axis.tip as usize].leaf_year = year + 1;
            return;
        }
        let tropism = if axis.order == 0 { habit.stem_tropism } else { habit.branch_tropism };
        let bend = DVec3::Z * tropism
            + (from - DVec3::Z * from.z * 0.5) * habit.phototropism
            + self.random.direction() * habit.wander
            + self.lean * if axis.order == 0 { 0.01 } else { 0.0 };
        let heading =
            (axis.heading + bend * (length / habit.shoot_m).max(0.3)).normalize_or(axis.heading);
        self.axes[index as usize].heading = heading;
        self.shoot(index, length, habit, year);
    }

    /// Adds the pieces of a shoot and the buds along it.
    fn shoot(&mut self, index: u32, length: f64, habit: &Habit, year: u32) {
        let (order, heading, leads) = {
            let axis = &self.axes[index as usize];
            (axis.order, axis.heading, axis.leads)
        };
        let stem = order == 0;
        let full = if stem { habit.branches_per_shoot } else { habit.sides_per_shoot };
        let wanted = full
            * (length / (habit.shoot_m * if stem { 1.0 } else { habit.branch_share })).min(1.5);
        let count = wanted.floor() + f64::from(u8::from(self.random.unit() < wanted.fract()));
        let steps = match order {
            0 => 3,
            1 => 2,
            _ => 1,
        };
        let mut ends = Vec::with_capacity(steps);
        for _ in 0..steps {
            let tip = self.axes[index as usize].tip;
            let kink = self.random.direction() * (0.25 * habit.wander);
            let way = (heading + kink).normalize_or(heading);
            let mut end = self.pieces[tip as usize].end + way * (length / steps as f64);
            end.z = end.z.max(0.05);
            let piece = self.pieces.len() as u32;
            self.pieces.push(Piece { end, parent: Some(tip), axis: index, leaf_year: year + 1 });
            self.axes[index as usize].tip = piece;
            ends.push(piece);
        }
        if order >= habit.orders {
            return;
        }
        for bud in 0..count as u32 {
            let place =
                if habit.whorled && (stem && f64::from(bud) < 0.6 * count || !stem && bud < 2) {
                    steps - 1
                } else {
                    // Buds near the end of a shoot are the stronger ones.
                    ((f64::from(bud) + self.random.unit()) / count * steps as f64) as usize
                };
            let piece = ends[place.min(steps - 1)];
            self.turn += if habit.whorled && stem {
                std::f64::consts::TAU / count + self.random.between(-0.25, 0.25)
            } else {
                GOLDEN_ANGLE
            };
            let angle_deg =
                if stem || leads { habit.branch_angle_deg } else { habit.side_angle_deg };
            let angle = (angle_deg + 12.0 * self.random.normal()).clamp(10.0, 150.0).to_radians();
            let heading = if stem || !habit.flat {
                turned_from(heading, angle, self.turn)
            } else {
                let hand = if bud % 2 == 0 { 1.0 } else { -1.0 };
                let across = heading.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::X);
                let out = (across * hand + self.random.direction() * 0.3).normalize_or(across);
                (heading * math::cos(angle) + out * math::sin(angle)).normalize_or(heading)
            };
            self.buds.push(Bud { piece, heading });
        }
    }

    /// A bud of last year becomes a branch where there is light and room.
    fn sprout(&mut self, bud: Bud, habit: &Habit, field: &LightField, year: u32, favour: f64) {
        let piece = &self.pieces[bud.piece as usize];
        let parent = &self.axes[piece.axis as usize];
        let ahead = piece.end + bud.heading * field.cell_m();
        let light = field.at(ahead).0.min(field.at(piece.end).0);
        let dead = parent.died.is_some();
        let opens = ((light - habit.shade_limit) / 0.3).clamp(0.0, 1.0).sqrt();
        let order = parent.order + 1;
        let draw = self.random.unit();
        let luck = (1.0 + 0.28 * self.random.normal()).clamp(0.35, 1.6);
        let room = order <= 1 || field.leaf_area_index(ahead) < FULL_CELL;
        if dead || draw > opens || !room || order > 1 && self.pieces.len() > MAX_PIECES {
            return;
        }
        let share = habit.branch_share * habit.side_share.powi(order as i32 - 1);
        let lit = (light / (light + 0.25) * 1.25).min(1.0);
        let chance = self.random.between(0.7, 1.2) * luck;
        let length = habit.shoot_m * share * lit * favour.clamp(0.3, 1.6) * chance * self.vigour;
        let length = length.max(0.15 * habit.shoot_m);
        let index = self.axes.len() as u32;
        self.axes.push(Axis {
            order,
            born: year,
            died: None,
            tip: bud.piece,
            foot: self.pieces.len() as u32,
            heading: bud.heading,
            leads: false,
            stopped: false,
            luck,
        });
        self.shoot(index, length, habit, year);
    }

    /// Which of the habits is its own.
    pub fn habit(&self) -> usize {
        self.habit
    }

    /// Height of its highest living twig.
    pub fn top_m(&self) -> f64 {
        let alive = self.pieces.iter().filter(|p| self.axes[p.axis as usize].died.is_none());
        alive.map(|piece| piece.end.z).fold(0.0, f64::max)
    }

    /// Leaf area that it has while growing.
    pub fn leafy_m2(&self, habit: &Habit) -> f64 {
        let last = self.pieces.iter().map(|piece| piece.leaf_year).max().unwrap_or(0);
        let leafy = self.pieces.iter().filter(|piece| self.is_leafy(piece, habit, last));
        leafy.map(|p| habit.leaf_m2_per_m * self.length(p).max(0.25 * habit.shoot_m)).sum()
    }

    /// Where it stands.
    pub fn foot(&self) -> DVec3 {
        self.foot
    }
}
