//! Points summed up in the cells of a sparse grid: points → counts and moments, exactly.
//!
//! The sufficient statistics of Deschaud's Gaussian volumes (2012, §III-C) as whole numbers: any
//! order, any number of threads and any partition of the points among hosts gives the same bits.
//! Cells are those of the world's grid: cell (0, 0, 0) begins at the world's origin, so parts that
//! were gathered apart fit together.
//!
//! A point is rounded once, to 2⁻²³ of the cell's edge from the cell's centre: 6 nm for 5 cm, a
//! hundredth of what an f32 range knows. Covariances are then exact for the rounded points; against
//! the points themselves they are off by less than 1e-6 of the variance where that is above a
//! square millimetre. No sum overflows below 2³² points in a cell, and a cell that has as many
//! takes no more.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::Range;

use glam::{DMat3, DVec3, I64Vec3};
use rayon::prelude::*;

use crate::input::beams::Beams;
use crate::volume::moments::Moments;

/// Quanta in a cell's edge.
const QUANTA: f64 = (1u32 << 23) as f64;
/// Quanta of a product of two components of a unit vector.
const DIRECTION_QUANTA: f64 = (1u32 << 24) as f64;
/// Quanta of a square metre of squared range; ranges beyond 64 km count as 64 km.
const SQUARE_QUANTA: f64 = 1024.0;
const RANGE_CAP_M: f64 = 65_536.0;
/// Quanta of an intensity of 1; intensities beyond 65 536 count as that.
const INTENSITY_QUANTA: f64 = 1024.0;
const INTENSITY_CAP: f64 = 65_536.0;
/// Parts of a map that are filled side by side.
const SHARDS: usize = 16;

/// The whole number below, as `floor` without a call of the mathematics library.
#[inline]
pub(crate) fn whole_below(x: f64) -> i64 {
    let toward_zero = x as i64;
    toward_zero - i64::from(toward_zero as f64 > x)
}

/// The nearest whole number, as `round` without a call of the mathematics library.
#[inline]
fn nearest(x: f64) -> i64 {
    (x + 0.5f64.copysign(x)) as i64
}

/// Which cell of the world's grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellIndex(pub [i32; 3]);

impl CellIndex {
    /// The cell that holds a position; `None` beyond ±2³¹ cells.
    #[inline]
    pub fn from_position(position: DVec3, cell_m: f64) -> Option<CellIndex> {
        let cell = position / cell_m;
        let limit = f64::from(i32::MAX);
        let fits = cell.cmpgt(DVec3::splat(-limit)).all() && cell.cmplt(DVec3::splat(limit)).all();
        fits.then(|| CellIndex(cell.to_array().map(|c| whole_below(c) as i32)))
    }

    /// Its centre.
    #[inline]
    pub fn centre(self, cell_m: f64) -> DVec3 {
        let [x, y, z] = self.0.map(f64::from);
        (DVec3::new(x, y, z) + 0.5) * cell_m
    }

    /// As larger numbers.
    pub fn wide(self) -> I64Vec3 {
        I64Vec3::from(self.0.map(i64::from))
    }

    #[inline]
    fn mixed(self) -> u64 {
        let [x, y, z] = self.0.map(|c| u64::from(c as u32));
        let mut h = (x | y << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^= h >> 29;
        h = (h ^ z).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        h ^ h >> 32
    }
}

impl Hash for CellIndex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.mixed());
    }
}

/// Takes numbers that are mixed already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// A map from mixed numbers.
pub(crate) type MixedMap<Key, Value> = HashMap<Key, Value, BuildHasherDefault<Mixed>>;

/// What is known of the points of one cell, in whole numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Points.
    pub points: u64,
    /// Of them, points with an intensity.
    pub(crate) lit: u64,
    /// Offsets from the centre.
    pub(crate) first: [i64; 3],
    /// Their products: xx, yy, zz, xy, xz, yz.
    pub(crate) second: [i128; 6],
    /// Products of the components of the beams' directions, in the same order.
    pub(crate) directions: [i64; 6],
    /// Squared ranges.
    pub(crate) squared_range: u128,
    pub(crate) intensity: u64,
    pub(crate) squared_intensity: u128,
}

fn add(sum: &mut u64, votes: u64) {
    *sum = sum.saturating_add(votes);
}

/// Indices of the six products.
const PAIRS: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

fn symmetric([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> DMat3 {
    DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
}

impl Sums {
    #[inline]
    fn add(&mut self, offset: [i32; 3], direction: DVec3, range_m: f64, intensity: f32) {
        if self.points >= u64::from(u32::MAX) {
            return;
        }
        self.points += 1;
        for axis in 0..3 {
            self.first[axis] += i64::from(offset[axis]);
        }
        for (k, [a, b]) in PAIRS.into_iter().enumerate() {
            self.second[k] += i128::from(i64::from(offset[a]) * i64::from(offset[b]));
            self.directions[k] += nearest(direction[a] * direction[b] * DIRECTION_QUANTA);
        }
        let square = range_m.min(RANGE_CAP_M).powi(2);
        self.squared_range += nearest(square * SQUARE_QUANTA) as u128;
        if intensity.is_finite() {
            let value = f64::from(intensity).clamp(0.0, INTENSITY_CAP);
            let value = nearest(value * INTENSITY_QUANTA) as u64;
            self.lit += 1;
            self.intensity += value;
            self.squared_intensity += u128::from(value) * u128::from(value);
        }
    }

    /// Adds what was summed up elsewhere for the same cell. Sums of points are far from the ends of
    /// their types; what a file made up stops there.
    pub fn merge(&mut self, other: &Sums) {
        self.points = self.points.saturating_add(other.points);
        self.lit = self.lit.saturating_add(other.lit);
        for axis in 0..3 {
            self.first[axis] = self.first[axis].saturating_add(other.first[axis]);
        }
        for k in 0..6 {
            self.second[k] = self.second[k].saturating_add(other.second[k]);
            self.directions[k] = self.directions[k].saturating_add(other.directions[k]);
        }
        self.squared_range = self.squared_range.saturating_add(other.squared_range);
        self.intensity = self.intensity.saturating_add(other.intensity);
        self.squared_intensity = self.squared_intensity.saturating_add(other.squared_intensity);
    }

    /// Count, mean and scatter, around the cell's centre.
    pub fn moments(&self, cell_m: f64) -> Moments {
        let n = i128::from(self.points);
        if n == 0 {
            return Moments::EMPTY;
        }
        let quantum = cell_m / QUANTA;
        let weight = self.points as f64;
        let mean = DVec3::from(self.first.map(|sum| sum as f64)) * (quantum / weight);
        // n·Σx² − (Σx)² in whole numbers: nothing is lost between two large numbers.
        let mut scatter = [0.0; 6];
        for (k, [a, b]) in PAIRS.into_iter().enumerate() {
            let exact = n * self.second[k] - i128::from(self.first[a]) * i128::from(self.first[b]);
            scatter[k] = exact as f64 * (quantum * quantum / weight);
        }
        Moments { weight, mean, scatter: symmetric(scatter) }
    }

    /// Mean of r̂r̂ᵀ over the beams that made the points.
    pub fn mean_direction_square(&self) -> DMat3 {
        let each = 1.0 / (self.points.max(1) as f64 * DIRECTION_QUANTA);
        symmetric(self.directions.map(|sum| sum as f64 * each))
    }

    /// Root of the mean squared range.
    pub fn range_m(&self) -> f64 {
        (self.squared_range as f64 / (self.points.max(1) as f64 * SQUARE_QUANTA)).sqrt()
    }

    /// Mean and standard deviation of the intensities; `None` where none is known.
    pub fn intensity(&self) -> Option<[f64; 2]> {
        if self.lit == 0 {
            return None;
        }
        let n = u128::from(self.lit);
        let spread = (n * self.squared_intensity).saturating_sub(u128::from(self.intensity).pow(2));
        let count = self.lit as f64;
        Some([
            self.intensity as f64 / (count * INTENSITY_QUANTA),
            (spread as f64).sqrt() / (count * INTENSITY_QUANTA),
        ])
    }
}

#[derive(Clone, Debug, Default)]
struct Shard {
    slots: MixedMap<CellIndex, u32>,
    cells: Vec<CellIndex>,
    sums: Vec<Sums>,
    labels: BTreeMap<(u32, u16), u64>,
}

impl Shard {
    #[inline]
    fn slot(&mut self, cell: CellIndex) -> u32 {
        let next = self.cells.len() as u32;
        let slot = *self.slots.entry(cell).or_insert(next);
        if slot == next {
            self.cells.push(cell);
            self.sums.push(Sums::default());
        }
        slot
    }
}

/// One cell as [`Cells::sorted`] gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Which one.
    pub index: CellIndex,
    /// Its points.
    pub sums: Sums,
    /// How many points had which semantic class, by class; those without are not counted.
    pub labels: Vec<(u16, u64)>,
}

impl Cell {
    /// The class of most points; 0: none.
    pub fn label(&self) -> u16 {
        let most = self.labels.iter().max_by_key(|(label, votes)| (*votes, u16::MAX - label));
        most.map_or(0, |(label, _)| *label)
    }
}

/// A sparse grid of sums.
#[derive(Clone, Debug)]
pub struct Cells {
    cell_m: f64,
    shards: Vec<Shard>,
    /// Points beyond ±2³¹ cells from the world's origin.
    pub out_of_reach: u64,
}

/// A point on its way into its cell.
struct Point {
    cell: CellIndex,
    offset: [i32; 3],
    beam: u32,
}

impl Cells {
    /// None yet, with this edge.
    pub fn new(cell_m: f64) -> Cells {
        Cells { cell_m, shards: vec![Shard::default(); SHARDS], out_of_reach: 0 }
    }

    /// Edge of a cell.
    pub fn cell_m(&self) -> f64 {
        self.cell_m
    }

    /// How many hold a point.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.cells.len()).sum()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Points in all of them.
    pub fn points(&self) -> u64 {
        self.shards.iter().flat_map(|shard| &shard.sums).map(|sums| sums.points).sum()
    }

    /// Bytes that they take, roughly.
    pub fn memory_bytes(&self) -> usize {
        let each = size_of::<Sums>() + size_of::<CellIndex>();
        let of = |shard: &Shard| {
            shard.sums.capacity() * each
                + shard.slots.capacity() * (size_of::<(CellIndex, u32)>() + 1)
                + shard.labels.len() * 32
        };
        self.shards.iter().map(of).sum()
    }

    /// Adds the ends of beams that returned nearer than `range_max_m`.
    pub fn add(&mut self, beams: &Beams, range_max_m: f64) {
        const TAKEN: usize = 1 << 20;
        for start in (0..beams.len()).step_by(TAKEN) {
            self.add_some(beams, start..(start + TAKEN).min(beams.len()), range_max_m);
        }
    }

    fn add_some(&mut self, beams: &Beams, range: Range<usize>, range_max_m: f64) {
        let cell_m = self.cell_m;
        let chunk = (range.len() / rayon::current_num_threads().max(1)).max(2048);
        let starts: Vec<usize> = range.clone().step_by(chunk).collect();
        let parts: Vec<(Vec<Vec<Point>>, u64)> = starts
            .into_par_iter()
            .map(|start| {
                let mut lists: Vec<Vec<Point>> = (0..SHARDS).map(|_| Vec::new()).collect();
                let mut lost = 0;
                for beam in start..(start + chunk).min(range.end) {
                    if f64::from(beams.range_m[beam]) >= range_max_m {
                        continue;
                    }
                    let Some(end) = beams.end(beam) else { continue };
                    let Some(cell) = CellIndex::from_position(end, cell_m) else {
                        lost += 1;
                        continue;
                    };
                    let from = (end - cell.centre(cell_m)) * (QUANTA / cell_m);
                    // At map coordinates a rounding may put a point a little out of its cell.
                    let from = from.clamp(DVec3::splat(-QUANTA / 2.0), DVec3::splat(QUANTA / 2.0));
                    let offset = from.to_array().map(|x| nearest(x) as i32);
                    let shard = (cell.mixed() >> 60) as usize % SHARDS;
                    lists[shard].push(Point { cell, offset, beam: beam as u32 });
                }
                (lists, lost)
            })
            .collect();
        self.out_of_reach += parts.iter().map(|(_, lost)| lost).sum::<u64>();
        self.shards.par_iter_mut().enumerate().for_each(|(number, shard)| {
            for (lists, _) in &parts {
                for point in &lists[number] {
                    let beam = point.beam as usize;
                    let slot = shard.slot(point.cell);
                    shard.sums[slot as usize].add(
                        point.offset,
                        beams.direction[beam].as_dvec3(),
                        f64::from(beams.range_m[beam]),
                        beams.intensity[beam],
                    );
                    if beams.label[beam] != 0 {
                        *shard.labels.entry((slot, beams.label[beam])).or_default() += 1;
                    }
                }
            }
        });
    }

    /// Adds cells of the same edge that were filled elsewhere.
    pub fn merge(&mut self, other: &Cells) {
        self.out_of_reach = self.out_of_reach.saturating_add(other.out_of_reach);
        for (shard, from) in self.shards.iter_mut().zip(&other.shards) {
            let slots: Vec<u32> = from.cells.iter().map(|cell| shard.slot(*cell)).collect();
            for (slot, sums) in slots.iter().zip(&from.sums) {
                shard.sums[*slot as usize].merge(sums);
            }
            for ((slot, label), votes) in &from.labels {
                add(shard.labels.entry((slots[*slot as usize], *label)).or_default(), *votes);
            }
        }
    }

    /// Puts a cell in, or adds it to what is there.
    pub fn put(&mut self, cell: &Cell) {
        let shard = &mut self.shards[(cell.index.mixed() >> 60) as usize % SHARDS];
        let slot = shard.slot(cell.index);
        shard.sums[slot as usize].merge(&cell.sums);
        for (label, votes) in &cell.labels {
            add(shard.labels.entry((slot, *label)).or_default(), *votes);
        }
    }

    /// All cells, by brick of 8 × 8 × 8 and then by place in it: the same whatever the order in
    /// which points came.
    pub fn sorted(&self) -> Vec<Cell> {
        let mut cells = Vec::with_capacity(self.len());
        for shard in &self.shards {
            let mut labels = shard.labels.iter().peekable();
            for (slot, (index, sums)) in shard.cells.iter().zip(&shard.sums).enumerate() {
                let mut votes = Vec::new();
                while let Some(((_, label), count)) =
                    labels.next_if(|((of, _), _)| *of as usize == slot)
                {
                    votes.push((*label, *count));
                }
                cells.push(Cell { index: *index, sums: *sums, labels: votes });
            }
        }
        cells.par_sort_unstable_by_key(|cell| {
            let [x, y, z] = cell.index.0;
            ([z >> 3, y >> 3, x >> 3], [z, y, x])
        });
        cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::moments::tests::{POINTS, moments};
    use glam::Vec3;

    /// Beams that end in the points.
    pub(crate) fn beams_to(points: &[DVec3], from: DVec3) -> Beams {
        let mut beams = Beams::default();
        for (k, point) in points.iter().enumerate() {
            let along = *point - from;
            let label = [0, 7, 7, 9][k % 4];
            let intensity = if k % 3 == 0 { f32::NAN } else { 0.25 * (k % 3) as f32 };
            let direction = (along / along.length()).as_vec3();
            beams.push(from, direction, along.length() as f32, intensity, label);
        }
        beams
    }

    /// What the whole numbers say of the test vector's points, against doubles; the beams begin so
    /// near that their f32 ranges do not matter.
    #[test]
    fn six_points_by_test_vector_at_map_coordinates() {
        let shift = DVec3::new(500_000.0, 4_500_000.0, 300.0);
        let at: Vec<DVec3> = POINTS.iter().map(|point| *point + shift).collect();
        let beams = beams_to(&at, DVec3::new(8.02, 0.02, 0.02) + shift);
        let ends: Vec<DVec3> = (0..6).filter_map(|k| beams.end(k)).map(|p| p - shift).collect();
        let mut cells = Cells::new(0.05);
        cells.add(&beams, 100.0);
        let cell = &cells.sorted()[0];
        assert_eq!((cells.len(), cell.sums.points), (1, 6));
        let (kept, real) = (cell.sums.moments(0.05), moments(&ends));
        let off = kept.covariance() - real.covariance();
        // The subtraction of map coordinates itself knows 1e-9 m.
        for (off, of) in off.to_cols_array().iter().zip(real.covariance().to_cols_array()) {
            assert!(off.abs() < 1e-6 * of.abs(), "{off} of {of}");
        }
        let exact = moments(&POINTS);
        assert!((kept.covariance().x_axis.x / exact.covariance().x_axis.x - 1.0).abs() < 1e-5);
        let mean = cell.index.centre(0.05) + kept.mean - shift;
        assert!((mean - exact.mean).length() < 1e-8);
    }

    #[test]
    fn any_order_and_any_parts_are_the_same() {
        let points: Vec<DVec3> = (0..4000u32)
            .map(|k| {
                let at = |m: u32| f64::from(k.wrapping_mul(m) >> 12) / f64::from(1 << 20);
                DVec3::new(3.0 + at(2_654_435_761), at(2_246_822_519), at(3_266_489_917))
            })
            .collect();
        let whole = {
            let mut cells = Cells::new(0.1);
            cells.add(&beams_to(&points, DVec3::ZERO), 100.0);
            cells.sorted()
        };
        let all = beams_to(&points, DVec3::ZERO);
        let mut parts: Vec<Beams> = vec![Beams::default(); 3];
        for k in (0..all.len()).rev() {
            parts[k % 3].push(
                all.origin[k],
                all.direction[k],
                all.range_m[k],
                all.intensity[k],
                all.label[k],
            );
        }
        let mut merged = Cells::new(0.1);
        for part in &parts {
            let mut cells = Cells::new(0.1);
            cells.add(part, 100.0);
            merged.merge(&cells);
        }
        assert_eq!(merged.sorted(), whole);
        let mut put = Cells::new(0.1);
        whole.iter().rev().for_each(|cell| put.put(cell));
        assert_eq!(put.sorted(), whole);
        assert!(whole.iter().all(|cell| [0, 7, 9].contains(&cell.label())));
    }

    #[test]
    fn directions_ranges_and_intensities() {
        let mut beams = Beams::default();
        beams.push(DVec3::ZERO, Vec3::X, 3.01, 0.5, 0);
        beams.push(DVec3::new(3.01, -4.0, 0.01), Vec3::Y, 4.01, 0.75, 0);
        beams.push(DVec3::ZERO, Vec3::X, f32::INFINITY, f32::NAN, 0);
        beams.push(DVec3::ZERO, Vec3::X, 30.0, f32::NAN, 0);
        beams.push(DVec3::ZERO, Vec3::X, 3e12, f32::NAN, 0);
        let mut cells = Cells::new(0.1);
        cells.add(&beams, 20.0);
        let cell = &cells.sorted()[0];
        assert_eq!((cells.points(), cell.sums.points), (2, 2));
        let square = cell.sums.mean_direction_square();
        assert!((square.x_axis.x - 0.5).abs() < 1e-7 && (square.y_axis.y - 0.5).abs() < 1e-7);
        let range = ((3.01f64.powi(2) + 4.01f64.powi(2)) / 2.0).sqrt();
        assert!((cell.sums.range_m() - range).abs() < 1e-4);
        assert_eq!(cell.sums.intensity(), Some([0.625, 0.125]));
        cells.add(&beams, f64::INFINITY);
        assert_eq!(cells.out_of_reach, 1);
    }
}
