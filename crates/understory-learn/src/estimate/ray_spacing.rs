//! How far rays are apart: which part of space a ray speaks for.
//!
//! Between the scan lines of a lidar no ray passed, and nothing that was measured says what is
//! there. A volume learned from a ray stands for the surroundings that are nearer to that ray than
//! to any other: its Voronoi cell in the plane across the ray ([`voronoi`]). What enters: beams. What
//! leaves: for each coarse cell of space the mean second moment of those Voronoi cells, so that volumes
//! can be made as wide as the spacing, in any direction in which the gaps lie.
//!
//! Neighbours are sought among beams that left from about the same place ([`neighbours`]); where a cell
//! was seen from K places, the rays of all of them fill it K times as densely, and its gaps have a K-th
//! of the area. At the edge of what a sensor sees a gap is at most twice as wide outwards as inwards.

mod lines;
mod neighbours;
mod voronoi;

use glam::{DMat3, DVec3};
use rand_philox::splitmix64;
use rayon::prelude::*;

use super::cells::{CellIndex, MixedMap};
use crate::input::beams::Beams;
use lines::{End, Line, distinct_lines};
use neighbours::Neighbours;
use voronoi::Spokes;

pub use lines::PLACE_M;

/// Cells without a ray of their own have the gaps of the nearest within this many cells.
const NEAREST_CELLS: i32 = 3;
/// Ends of a cell whose gaps are worked out; more would tell no more.
const ENDS: u32 = 12;
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

impl GapSums {
    fn merge(&mut self, other: &GapSums) {
        self.beams += other.beams;
        self.places |= other.places;
        self.moments.iter_mut().zip(other.moments).for_each(|(all, one)| *all += one);
    }
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
        let (neighbours, spokes) = (Neighbours::new(&lines), Spokes::new());
        let seen = seen(&ends, &lines);
        let radius_max_m = self.radius_max_m as f32;
        let asked: Vec<(CellIndex, [i64; 6])> = ends
            .par_iter()
            .filter(|end| is_asked(end, &lines, &seen))
            .map(|end| {
                let line = &lines[end.line as usize];
                let moment = spokes.moment(line, end.range_m, &neighbours, radius_max_m);
                (end.cell, moment.map(|value| (value * QUANTA).round() as i64))
            })
            .collect();
        let add = |(cell, seen): (&CellIndex, &Seen)| {
            self.cells.entry(*cell).or_default().places |= seen.places;
        };
        seen.iter().for_each(add);
        for (cell, moments) in asked {
            self.cells.entry(cell).or_default().merge(&GapSums { beams: 1, moments, places: 0 });
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
                    all.merge(sums);
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

/// Who ended in a cell.
#[derive(Clone, Copy, Default)]
struct Seen {
    ends: u32,
    /// A bit for each place.
    places: u64,
}

/// Those of all cells.
fn seen(ends: &[End], lines: &[Line]) -> MixedMap<CellIndex, Seen> {
    let part = ends.len().div_ceil(rayon::current_num_threads()).max(1);
    let parts: Vec<MixedMap<CellIndex, Seen>> = ends
        .par_chunks(part)
        .map(|ends| {
            let mut seen: MixedMap<CellIndex, Seen> = MixedMap::default();
            for end in ends {
                let seen = seen.entry(end.cell).or_default();
                seen.ends += 1;
                seen.places |= 1 << (lines[end.line as usize].place >> 58);
            }
            seen
        })
        .collect();
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    parts.flatten().for_each(|(cell, part)| {
        let seen = all.entry(cell).or_default();
        seen.ends += part.ends;
        seen.places |= part.places;
    });
    all
}

/// Whether the gap at an end is worked out: all of a cell that has few, and about [`ENDS`] of one that
/// has many, chosen by their rays alone.
fn is_asked(end: &End, lines: &[Line], seen: &MixedMap<CellIndex, Seen>) -> bool {
    let every = seen.get(&end.cell).map_or(1, |seen| seen.ends.div_ceil(ENDS).max(1));
    let [x, y, z] = lines[end.line as usize].direction.map(|c| u64::from(c.to_bits()));
    splitmix64(x ^ y.rotate_left(21) ^ z.rotate_left(42)).is_multiple_of(u64::from(every))
}

#[cfg(test)]
mod tests {
    use super::*;
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
