//! How far rays are apart: which part of space a ray speaks for.
//!
//! Between the scan lines of a lidar no ray passed, and nothing that was measured says what is
//! there. A volume learned from a ray stands for the surroundings that are nearer to that ray than
//! to any other: its Voronoi cell in the plane across the ray. What enters: beams. What leaves: for
//! each coarse cell of space the mean second moment of those Voronoi cells, so that volumes can be
//! made as wide as the spacing, in any direction in which the gaps lie.
//!
//! Along a direction u the border of the Voronoi cell is at ρ(u) = min |δ|²/(2 δ·u) over the
//! neighbours δ with δ·u > 0, and its second moment is ∫ρ⁴uuᵀ/4 dφ / ∫ρ²/2 dφ. Neighbours are
//! sought among beams that left from about the same place; where a cell was seen from K places, the
//! rays of all of them fill it K times as densely, and its gaps have a K-th of the area. At the edge of
//! what a sensor sees a gap is at most twice as wide outwards as inwards.

mod lines;

use std::f64::consts::TAU;

use glam::{DMat3, DVec2, DVec3};
use rand_philox::splitmix64;
use rayon::prelude::*;

use super::cells::{CellIndex, MixedMap};
use crate::input::beams::Beams;
use lines::{End, Lines, distinct_lines};

pub use lines::PLACE_M;

/// Angles within which neighbours are sought: wider ones only where nearer ones leave a border open.
const ANGLES: [f64; 6] = [0.006, 0.015, 0.035, 0.08, 0.2, 0.4];
/// Directions in which the border of a Voronoi cell is looked for.
const SPOKES: usize = 24;
/// Beams nearer than this to each other are one ray.
const SAME_RAY_M: f64 = 1e-3;
/// Cells without a ray of their own have the gaps of the nearest within this many cells.
const NEAREST_CELLS: i32 = 3;
/// A gap is at most this many times as wide as to the other side of its ray.
const EDGE: f64 = 2.0;
/// Ends of a cell whose gaps are worked out; more would tell no more.
const ENDS: u32 = 24;
/// Quanta of a square metre.
const QUANTA: f64 = 1e9;

/// Second moments of the gaps between rays in coarse cells.
#[derive(Clone, Debug)]
pub struct RaySpacing {
    cell_m: f64,
    radius_max_m: f64,
    /// Origin of the first beam; places of the sensor are told apart around it, so that a sensor
    /// that stands is at one place.
    anchor: Option<DVec3>,
    cells: MixedMap<CellIndex, GapSums>,
}

#[derive(Clone, Copy, Debug, Default)]
struct GapSums {
    beams: u64,
    /// xx, yy, zz, xy, xz, yz.
    moments: [i64; 6],
    /// A bit for each place of the sensor, by its hash.
    places: u64,
}

impl RaySpacing {
    /// None yet: coarse cells of edge `cell_m`, and gaps that count as at most `radius_max_m` wide to
    /// either side.
    pub fn new(cell_m: f64, radius_max_m: f64) -> RaySpacing {
        RaySpacing { cell_m, radius_max_m, anchor: None, cells: MixedMap::default() }
    }

    /// Adds beams; the more at a time, the better gaps between them are known.
    pub fn add(&mut self, beams: &Beams, range_max_m: f64) {
        let Some(first) = beams.origin.iter().find(|origin| origin.is_finite()) else { return };
        let anchor = *self.anchor.get_or_insert(*first);
        let (lines, ends) = distinct_lines(beams, range_max_m, anchor, self.cell_m);
        let asked = asked(&ends, &lines);
        let moments: Vec<[f64; 6]> =
            asked.par_iter().map(|end| voronoi_moment(end, &lines, self.radius_max_m)).collect();
        for end in &ends {
            self.cells.entry(end.cell).or_default().places |= 1 << (lines.place(end.line) >> 58);
        }
        for (end, moment) in asked.iter().zip(&moments) {
            let sums = self.cells.entry(end.cell).or_default();
            sums.beams += 1;
            for (sum, value) in sums.moments.iter_mut().zip(moment) {
                *sum += (value * QUANTA).round() as i64;
            }
        }
    }

    /// Second moment of the gaps at a position, in square metres; zero where no ray ended near.
    pub fn at(&self, position: DVec3) -> DMat3 {
        let Some(sums) = self.nearest(position) else { return DMat3::ZERO };
        let places = f64::from(sums.places.count_ones().max(1));
        let each = 1.0 / (sums.beams as f64 * QUANTA * places);
        let [xx, yy, zz, xy, xz, yz] = sums.moments.map(|sum| sum as f64 * each);
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }

    /// The sums of the cell of a position, or of the nearest cells that have some.
    fn nearest(&self, position: DVec3) -> Option<GapSums> {
        let CellIndex([x, y, z]) = CellIndex::from_position(position, self.cell_m)?;
        for shell in 0..=NEAREST_CELLS {
            let mut all = GapSums::default();
            let steps = || -shell..=shell;
            for (dx, dy, dz) in
                steps().flat_map(|x| steps().flat_map(move |y| steps().map(move |z| (x, y, z))))
            {
                if dx.abs().max(dy.abs()).max(dz.abs()) != shell {
                    continue;
                }
                if let Some(sums) = self.cells.get(&CellIndex([x + dx, y + dy, z + dz])) {
                    all.beams += sums.beams;
                    all.places |= sums.places;
                    all.moments.iter_mut().zip(sums.moments).for_each(|(all, one)| *all += one);
                }
            }
            if all.beams > 0 {
                return Some(all);
            }
        }
        None
    }

    /// How far rays are apart where they end, across the wider gap, in the middle of all cells; NaN
    /// without any. A rectangle of a × b has the second moments a²/12 and b²/12.
    pub fn typical_m(&self) -> f64 {
        let mut gaps: Vec<f64> = self
            .cells
            .values()
            .filter(|sums| sums.beams > 0)
            .map(|sums| {
                let trace: i64 = sums.moments[..3].iter().sum();
                (12.0 * trace as f64 / (sums.beams as f64 * QUANTA)).max(0.0).sqrt()
            })
            .collect();
        let middle = gaps.len() / 2;
        if gaps.is_empty() {
            return f64::NAN;
        }
        *gaps.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Bytes that it takes, roughly.
    pub fn memory_bytes(&self) -> usize {
        self.cells.capacity() * (size_of::<(CellIndex, GapSums)>() + 1)
    }
}

/// The ends whose gaps are worked out: all of a cell that has few, and about [`ENDS`] of one that has
/// many, chosen by their rays alone.
fn asked(ends: &[End], lines: &Lines) -> Vec<End> {
    let mut counts: MixedMap<CellIndex, u32> = MixedMap::default();
    ends.iter().for_each(|end| *counts.entry(end.cell).or_default() += 1);
    let is_asked = |end: &&End| {
        let every = counts.get(&end.cell).copied().unwrap_or(0).div_ceil(ENDS).max(1);
        let direction = lines.direction[end.line as usize];
        let [x, y, z] = direction.to_array().map(f64::to_bits);
        splitmix64(x ^ y.rotate_left(21) ^ z.rotate_left(42)).is_multiple_of(u64::from(every))
    };
    ends.iter().filter(is_asked).copied().collect()
}

/// Second moment of the Voronoi cell of a line where it ended: xx, yy, zz, xy, xz, yz.
fn voronoi_moment(at: &End, lines: &Lines, radius_max_m: f64) -> [f64; 6] {
    let own = at.line as usize;
    let direction = lines.direction[own];
    let end = lines.origin[own] + direction * at.range_m;
    let h = direction.any_orthonormal_vector();
    let w = direction.cross(h);
    let spokes: [DVec2; SPOKES] =
        std::array::from_fn(|k| DVec2::from_angle(TAU * k as f64 / SPOKES as f64));
    let across = spokes.map(|spoke| spoke.x as f32);
    let up = spokes.map(|spoke| spoke.y as f32);
    let mut border = [radius_max_m; SPOKES];
    for angle in ANGLES {
        // One over the distance of the border: 2 δ·u/|δ|² of the neighbour for which that is largest.
        let mut nearness = [0f32; SPOKES];
        // Neighbours beyond twice the farthest border change nothing.
        let mut reach = f32::INFINITY;
        lines.near(at.line, angle, |others| {
            for other in others {
                if other == own {
                    continue;
                }
                // Where the neighbour crosses the plane across this line through its end.
                let along = lines.direction[other];
                let from = end - lines.origin[other];
                let t = from.dot(direction) / along.dot(direction);
                let offset = along * t - from;
                let [x, y] = [offset.dot(h) as f32, offset.dot(w) as f32];
                let square = x * x + y * y;
                if square > (SAME_RAY_M * SAME_RAY_M) as f32 && square < reach {
                    let [x, y] = [2.0 * x / square, 2.0 * y / square];
                    for k in 0..SPOKES {
                        nearness[k] = nearness[k].max(x * across[k] + y * up[k]);
                    }
                }
            }
            let widest = borders(&nearness, radius_max_m).iter().fold(0.0f64, |a, b| a.max(*b));
            reach = (4.0 * widest * widest) as f32;
        });
        border = borders(&nearness, radius_max_m);
        // All neighbours within this distance were looked at.
        let seen_m = angle * at.range_m;
        if 2.0 * border.iter().fold(0.0f64, |a, b| a.max(*b)) <= seen_m {
            break;
        }
    }
    let (mut area, mut hh, mut hw, mut ww) = (0.0, 0.0, 0.0, 0.0);
    for (border, spoke) in border.iter().zip(&spokes) {
        area += border.powi(2) / 2.0;
        let fourth = border.powi(4) / 4.0;
        hh += fourth * spoke.x * spoke.x;
        hw += fourth * spoke.x * spoke.y;
        ww += fourth * spoke.y * spoke.y;
    }
    let [hh, hw, ww] = [hh / area, hw / area, ww / area];
    let entry =
        |a: usize, b: usize| hh * h[a] * h[b] + ww * w[a] * w[b] + hw * (h[a] * w[b] + w[a] * h[b]);
    [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)]
}

/// Distances of the borders. Beyond the edge of what the sensor sees there is nobody, or somebody far
/// aside.
fn borders(nearness: &[f32; SPOKES], radius_max_m: f64) -> [f64; SPOKES] {
    let open = nearness.map(|nearness| 1.0 / f64::from(nearness));
    std::array::from_fn(|k| {
        let other_side = open[(k + SPOKES / 2) % SPOKES];
        open[k].min(EDGE * other_side).min(radius_max_m)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::likelihood::tests::Numbers;
    use glam::Vec3;

    /// A grid of rays that end on a wall 10 m away, `a` apart across and `b` up.
    fn grid(a: f64, b: f64, from: DVec3) -> Beams {
        let mut beams = Beams::default();
        for i in -20..=20 {
            for j in -20..=20 {
                let at = DVec3::new(10.0, a * f64::from(i), b * f64::from(j)) - DVec3::Y * from.y;
                beams.push(from, (at - DVec3::X * from.x).normalize().as_vec3(), 0.0, 1.0, 0);
                let last = beams.len() - 1;
                beams.range_m[last] = 10.0 / beams.direction[last].x;
            }
        }
        beams
    }

    /// Voronoi cells of a rectangular grid are its rectangles, with the second moments a²/12, b²/12;
    /// 24 spokes know a long rectangle to some percent.
    #[test]
    fn gaps_of_a_grid_are_its_rectangles() {
        let mut spacing = RaySpacing::new(0.1, 0.2);
        spacing.add(&grid(0.02, 0.03, DVec3::ZERO), f64::INFINITY);
        let moment = spacing.at(DVec3::new(10.0, 0.01, 0.01));
        assert!((moment.y_axis.y / (4e-4 / 12.0) - 1.0).abs() < 0.08, "{moment}");
        assert!((moment.z_axis.z / (9e-4 / 12.0) - 1.0).abs() < 0.08, "{moment}");
        assert!(moment.x_axis.x < 1e-6 && moment.y_axis.z.abs() < 2e-6, "{moment}");
        let typical = spacing.typical_m();
        assert!((typical / 0.02f64.hypot(0.03) - 1.0).abs() < 0.1, "{typical}");
        let nowhere = spacing.at(DVec3::new(5.0, 0.0, 0.0));
        assert_eq!(nowhere, DMat3::ZERO);
    }

    #[test]
    fn wide_gaps_count_as_their_limit() {
        let mut spacing = RaySpacing::new(0.5, 0.05);
        spacing.add(&grid(0.4, 0.4, DVec3::ZERO), f64::INFINITY);
        let moment = spacing.at(DVec3::new(10.0, 0.01, 0.01));
        // A disc of radius r has the second moment r²/4.
        assert!((moment.y_axis.y / (0.05f64.powi(2) / 4.0) - 1.0).abs() < 0.02, "{moment}");
    }

    /// Rays in all directions, around both poles and across the seam of azimuths too: the moments are
    /// those from all pairs of rays.
    #[test]
    fn neighbours_are_those_of_all_pairs() {
        let mut numbers = Numbers(5);
        let mut beams = Beams::default();
        for _ in 0..3000 {
            let direction = DVec3::new(numbers.normal(), numbers.normal(), numbers.normal());
            let range_m = (5.0 + numbers.uniform()) as f32;
            beams.push(DVec3::ZERO, direction.normalize().as_vec3(), range_m, 1.0, 0);
        }
        for close in [DVec3::Z, -DVec3::Z, -DVec3::X, DVec3::X] {
            for _ in 0..60 {
                let off = DVec3::new(numbers.normal(), numbers.normal(), numbers.normal());
                let direction = (close + off * 0.01).normalize().as_vec3();
                beams.push(DVec3::ZERO, direction, 6.0, 1.0, 0);
            }
        }
        let (lines, ends) = distinct_lines(&beams, f64::INFINITY, DVec3::ZERO, 0.1);
        assert_eq!((lines.direction.len(), ends.len()), (3240, 3240));
        for end in &ends {
            let [xx, yy, zz, ..] = voronoi_moment(end, &lines, 1.5);
            let wanted = moment_of_all_pairs(end, &lines, 1.5);
            assert!(((xx + yy + zz) / wanted - 1.0).abs() < 1e-4, "{xx} {yy} {zz}: {wanted}");
        }
    }

    /// The trace of the second moment, with the distance of the border from every other ray.
    fn moment_of_all_pairs(at: &End, lines: &Lines, radius_max_m: f64) -> f64 {
        let own = at.line as usize;
        let direction = lines.direction[own];
        let end = direction * at.range_m;
        let h = direction.any_orthonormal_vector();
        let w = direction.cross(h);
        let open: Vec<f64> = (0..SPOKES)
            .map(|k| {
                let spoke = DVec2::from_angle(TAU * k as f64 / SPOKES as f64);
                let others = lines.direction.iter().enumerate().filter(|(k, _)| *k != own);
                others.fold(f64::INFINITY, |border, (_, other)| {
                    let slope = other.dot(direction);
                    let offset = *other * (end.dot(direction) / slope) - end;
                    let offset = DVec2::new(offset.dot(h), offset.dot(w));
                    // Rays behind the sensor, and those that are one ray, are none.
                    let towards = offset.dot(spoke);
                    let counts = slope > 0.3 && towards > 0.0 && offset.length() > SAME_RAY_M;
                    if counts {
                        border.min(offset.length_squared() / (2.0 * towards))
                    } else {
                        border
                    }
                })
            })
            .collect();
        let (mut area, mut moment) = (0.0, 0.0);
        for k in 0..SPOKES {
            let border = open[k].min(EDGE * open[(k + SPOKES / 2) % SPOKES]).min(radius_max_m);
            area += border.powi(2) / 2.0;
            moment += border.powi(4) / 4.0;
        }
        moment / area
    }

    /// Repeated beams change nothing, rays from a second place halve the area.
    #[test]
    fn repeats_add_nothing_and_places_add_up() {
        let once = grid(0.02, 0.02, DVec3::ZERO);
        let mut twice = once.clone();
        twice.append(&once);
        let at = DVec3::new(10.0, 0.01, 0.01);
        let moment = |all: &[&Beams]| {
            let mut spacing = RaySpacing::new(0.1, 0.2);
            all.iter().for_each(|beams| spacing.add(beams, f64::INFINITY));
            spacing.at(at)
        };
        assert_eq!(moment(&[&once]), moment(&[&twice]));
        let mut both = once.clone();
        both.append(&grid(0.02, 0.02, DVec3::Y * 3.0));
        let [one, two] = [moment(&[&once]), moment(&[&both])];
        assert!((two.z_axis.z / one.z_axis.z - 0.5).abs() < 0.1, "{one} {two}");
    }

    /// A cell beside those in which rays ended has their gaps, and one far away none.
    #[test]
    fn a_cell_without_a_ray_takes_the_nearest() {
        let mut spacing = RaySpacing::new(0.1, 0.2);
        spacing.add(&grid(0.02, 0.03, DVec3::ZERO), f64::INFINITY);
        let beside = spacing.at(DVec3::new(10.25, 0.01, 0.01));
        assert!((beside.y_axis.y / (4e-4 / 12.0) - 1.0).abs() < 0.15, "{beside}");
        assert_eq!(spacing.at(DVec3::new(10.6, 0.01, 0.01)), DMat3::ZERO);
    }

    /// Each return of a ray has a gap where it ended, as wide as rays are apart there.
    #[test]
    fn all_returns_of_a_ray_count() {
        let mut beams = grid(0.02, 0.02, DVec3::ZERO);
        let mut near = beams.clone();
        near.range_m.iter_mut().for_each(|range| *range *= 0.5);
        beams.append(&near);
        let mut spacing = RaySpacing::new(0.1, 0.2);
        spacing.add(&beams, f64::INFINITY);
        for (x_m, apart_m) in [(10.0, 0.02f64), (5.0, 0.01)] {
            let moment = spacing.at(DVec3::new(x_m, 0.01, 0.01));
            assert!((moment.y_axis.y / (apart_m.powi(2) / 12.0) - 1.0).abs() < 0.1, "{moment}");
        }
    }

    /// At the edge gaps are at most twice as wide outwards as inwards: over −a…2a the mean square is a²,
    /// three times that of the inside.
    #[test]
    fn edges_are_hardly_wider_than_the_inside() {
        let mut spacing = RaySpacing::new(0.02, 1.5);
        spacing.add(&grid(0.02, 0.02, DVec3::ZERO), f64::INFINITY);
        let edge = spacing.at(DVec3::new(10.0, 0.4, 0.01));
        let wanted = 0.02f64.powi(2) / 12.0;
        assert!(edge.y_axis.y < 4.0 * wanted && edge.y_axis.y > 0.5 * wanted, "{edge}");
    }

    #[test]
    fn beams_that_are_none_teach_nothing() {
        let mut spacing = RaySpacing::new(0.1, 0.2);
        spacing.add(&Beams::default(), 100.0);
        let mut bad = Beams::default();
        bad.push(DVec3::NAN, Vec3::X, 5.0, 1.0, 0);
        bad.push(DVec3::ZERO, Vec3::NAN, 5.0, 1.0, 0);
        bad.push(DVec3::ZERO, Vec3::X, f32::INFINITY, 1.0, 0);
        spacing.add(&bad, 100.0);
        assert_eq!(spacing.at(DVec3::X * 5.0), DMat3::ZERO);
    }
}
