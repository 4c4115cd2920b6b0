//! Occupied cells in bricks of 8 × 8 × 8, and rays through them.
//!
//! What enters: the cells that hold something. What leaves: for a ray, those of them that it comes
//! through, in order, with the interval that it spends in each (Amanatides & Woo 1987); empty
//! bricks, and empty blocks of 8 × 8 × 8 bricks, are left behind in one step.

use glam::{DVec3, I64Vec3};

use super::cells::{CellIndex, MixedMap, whole_below};
use crate::LearnError;
use crate::site::REACH_MAX_M;

/// One brick: which of its cells are occupied, and the number of the first of them.
#[derive(Clone, Copy, Debug)]
struct Brick {
    mask: [u64; 8],
    first: u32,
}

/// Occupied cells that rays can be sent through.
#[derive(Clone, Debug)]
pub struct Bricks {
    cell_m: f64,
    /// The cell of the world's grid that begins at `origin`.
    base: I64Vec3,
    origin: DVec3,
    /// Least and largest corner of all occupied cells, in cells from the origin.
    bounds: [I64Vec3; 2],
    lookup: MixedMap<CellIndex, u32>,
    /// Blocks of 8 × 8 × 8 bricks in which there is any.
    blocks: MixedMap<CellIndex, ()>,
    bricks: Vec<Brick>,
    count: usize,
}

/// Place of a cell in its brick: which word, and which bit.
fn place(cell: I64Vec3) -> (usize, u32) {
    ((cell.z & 7) as usize, ((cell.y & 7) << 3 | cell.x & 7) as u32)
}

fn brick_of(cell: I64Vec3) -> I64Vec3 {
    I64Vec3::new(cell.x >> 3, cell.y >> 3, cell.z >> 3)
}

fn whole(position: DVec3) -> I64Vec3 {
    I64Vec3::from(position.to_array().map(whole_below))
}

fn brick_index(brick: I64Vec3) -> CellIndex {
    CellIndex(brick.to_array().map(|c| c as i32))
}

impl Bricks {
    /// From cells in the order of [`super::cells::Cells::sorted`]; the k-th of them has the number k.
    pub fn new(cells: &[CellIndex], cell_m: f64) -> Result<Bricks, LearnError> {
        let (mut low, mut high) = (I64Vec3::MAX, I64Vec3::MIN);
        for cell in cells {
            low = low.min(cell.wide());
            high = high.max(cell.wide() + I64Vec3::ONE);
        }
        if cells.is_empty() {
            (low, high) = (I64Vec3::ZERO, I64Vec3::ZERO);
        }
        let middle = I64Vec3::from((low + high).to_array().map(|c| c >> 4 << 3));
        let bounds = [low - middle, high - middle];
        let reach_m = bounds[0].abs().max(bounds[1].abs()).max_element() as f64 * cell_m;
        if reach_m > REACH_MAX_M {
            return Err(LearnError::TooLarge { reach_m, limit_m: REACH_MAX_M });
        }
        let (mut lookup, mut blocks) = (MixedMap::default(), MixedMap::default());
        let mut bricks: Vec<Brick> = Vec::new();
        let mut last = None;
        for (number, cell) in cells.iter().enumerate() {
            let cell = cell.wide() - middle;
            let brick = brick_of(cell);
            if last != Some(brick) {
                lookup.insert(brick_index(brick), bricks.len() as u32);
                blocks.insert(brick_index(brick_of(brick)), ());
                bricks.push(Brick { mask: [0; 8], first: number as u32 });
                last = Some(brick);
            }
            if let Some(brick) = bricks.last_mut() {
                let (word, bit) = place(cell);
                brick.mask[word] |= 1 << bit;
            }
        }
        let origin = middle.as_dvec3() * cell_m;
        let count = cells.len();
        Ok(Bricks { cell_m, base: middle, origin, bounds, lookup, blocks, bricks, count })
    }

    /// Where local coordinates begin, in the world.
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The cell of the world's grid that begins there.
    pub fn base(&self) -> I64Vec3 {
        self.base
    }

    /// How many cells are occupied.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Calls `visit` with the number, entry and exit of each occupied cell on a ray as far as
    /// `end_m`, until it returns false. The exit of the last may lie beyond.
    pub fn walk(
        &self,
        origin: DVec3,
        direction: DVec3,
        end_m: f64,
        mut visit: impl FnMut(usize, f64, f64) -> bool,
    ) {
        // In cells from here on; ranges stay in metres.
        let o = (origin - self.origin) / self.cell_m;
        let d = direction / self.cell_m;
        if !(o.is_finite() && d.is_finite()) {
            return;
        }
        let inverse = d.map(|c| if c == 0.0 { 0.0 } else { 1.0 / c });
        let (mut enter, mut end) = (0.0f64, end_m);
        for axis in 0..3 {
            let (low, high) = (self.bounds[0][axis] as f64, self.bounds[1][axis] as f64);
            if d[axis] == 0.0 {
                if o[axis] < low || o[axis] >= high {
                    return;
                }
                continue;
            }
            let (a, b) = ((low - o[axis]) * inverse[axis], (high - o[axis]) * inverse[axis]);
            enter = enter.max(a.min(b));
            end = end.min(a.max(b));
        }
        if enter >= end {
            return;
        }
        let last = self.bounds[1] - I64Vec3::ONE;
        let step = d.map(|c| if c > 0.0 { 1.0 } else { -1.0 }).as_i64vec3();
        let ahead = I64Vec3::new((d.x > 0.0).into(), (d.y > 0.0).into(), (d.z > 0.0).into());
        // Range of the plane across an axis at a whole number of cells.
        let plane = |axis: usize, at: i64| {
            if d[axis] == 0.0 { f64::INFINITY } else { (at as f64 - o[axis]) * inverse[axis] }
        };
        let nearest = |next: DVec3| {
            let xy = usize::from(next.y < next.x);
            if next.z < next[xy] { 2 } else { xy }
        };
        let mut cell = whole(o + d * enter).clamp(self.bounds[0], last);
        let (mut block, mut block_occupied) = (I64Vec3::MAX, false);
        loop {
            let brick = brick_of(cell);
            if brick_of(brick) != block {
                block = brick_of(brick);
                block_occupied = self.blocks.contains_key(&brick_index(block));
            }
            let found = if block_occupied { self.lookup.get(&brick_index(brick)) } else { None };
            let corner = brick * 8;
            let Some(found) = found else {
                // To the end of the empty brick, or of the empty block.
                let (corner, size) = if block_occupied { (corner, 8) } else { (block * 64, 64) };
                let far = corner + ahead * size;
                let next = DVec3::new(plane(0, far.x), plane(1, far.y), plane(2, far.z));
                let axis = nearest(next);
                enter = enter.max(next[axis]);
                if enter >= end {
                    return;
                }
                // Never back, whatever the rounding.
                let there = whole(o + d * enter).clamp(corner, corner + (size - 1));
                for other in 0..3 {
                    let forward = (there[other] - cell[other]) * step[other] > 0;
                    if forward && d[other] != 0.0 {
                        cell[other] = there[other];
                    }
                }
                cell[axis] = if ahead[axis] == 1 { corner[axis] + size } else { corner[axis] - 1 };
                if cell[axis] < self.bounds[0][axis] || cell[axis] > last[axis] {
                    return;
                }
                continue;
            };
            let brick = &self.bricks[*found as usize];
            let far = cell + ahead;
            let mut next = DVec3::new(plane(0, far.x), plane(1, far.y), plane(2, far.z));
            loop {
                let axis = nearest(next);
                let leave = next[axis].max(enter);
                let (word, bit) = place(cell);
                if brick.mask[word] >> bit & 1 == 1 {
                    let below: u32 = brick.mask[..word].iter().map(|word| word.count_ones()).sum();
                    let before = (brick.mask[word] & ((1 << bit) - 1)).count_ones();
                    let number = (brick.first + below + before) as usize;
                    if !visit(number, enter, leave) {
                        return;
                    }
                }
                enter = leave;
                if enter >= end {
                    return;
                }
                cell[axis] += step[axis];
                if cell[axis] < self.bounds[0][axis] || cell[axis] > last[axis] {
                    return;
                }
                if cell[axis] >> 3 != corner[axis] >> 3 {
                    break;
                }
                next[axis] = plane(axis, cell[axis] + ahead[axis]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::march::March;
    use glam::Vec3;

    fn number(k: u32) -> f64 {
        let mixed = k.wrapping_mul(0x9E37_79B9) ^ k.wrapping_mul(0x85EB_CA6B).rotate_left(13);
        f64::from(mixed.wrapping_mul(0xC2B2_AE35) >> 8) / f64::from(1 << 24)
    }

    /// The same cells and intervals as voxel by voxel, at map coordinates too.
    #[test]
    fn bricks_are_skipped_and_cells_are_not() {
        for base in [0, 90_000_000] {
            let mut cells: Vec<CellIndex> = (0..4000u32)
                .map(|k| {
                    let at = |m: u32| (number(k * 3 + m) * number(k * 5 + m + 7) * 90.0) as i32;
                    CellIndex([at(0) - 20, at(1) + base, at(2)])
                })
                .collect();
            cells.sort_unstable_by_key(|cell| {
                let [x, y, z] = cell.0;
                ([z >> 3, y >> 3, x >> 3], [z, y, x])
            });
            cells.dedup();
            let bricks = Bricks::new(&cells, 0.05).unwrap();
            let mut seen = 0;
            for k in 0..600u32 {
                let near =
                    Vec3::new(number(k) as f32, number(k + 99) as f32, number(k + 55) as f32);
                let from = (near.as_dvec3() * 12.0 - 4.0) + DVec3::Y * f64::from(base) * 0.05;
                let to = DVec3::new(number(k + 7), number(k + 8), number(k + 9)) * 3.0 - 0.5
                    + DVec3::Y * f64::from(base) * 0.05;
                let direction = match k % 7 {
                    0 => DVec3::NEG_Y,
                    1 => DVec3::new(0.6, 0.0, -0.8),
                    _ => (to - from).normalize(),
                };
                let local = from - bricks.origin();
                let plain: Vec<_> = March::new(local, direction, 0.05, 0.0, 9.0)
                    .filter_map(|crossing| {
                        let cell = crossing.voxel + bricks.base();
                        let index = CellIndex(cell.to_array().map(|c| c as i32));
                        let number = cells.iter().position(|cell| *cell == index)?;
                        let sliver = crossing.leave_m - crossing.enter_m < 1e-7;
                        (!sliver).then_some((number, crossing.enter_m, crossing.leave_m))
                    })
                    .collect();
                let mut walked = Vec::new();
                bricks.walk(from, direction, 9.0, |number, enter, leave| {
                    if leave - enter >= 1e-7 {
                        walked.push((number, enter, leave.min(9.0)));
                    }
                    true
                });
                assert_eq!(walked.len(), plain.len(), "ray {k}");
                for (a, b) in walked.iter().zip(&plain) {
                    assert_eq!(a.0, b.0);
                    assert!((a.1 - b.1).abs() < 1e-7 && (a.2 - b.2).abs() < 1e-7);
                }
                seen += walked.len();
            }
            assert!(seen > 300, "{seen}");
        }
    }

    #[test]
    fn a_site_has_its_limits() {
        let cells = [CellIndex([0, 0, 0]), CellIndex([100_000, 0, 0])];
        assert!(matches!(Bricks::new(&cells, 0.05), Err(LearnError::TooLarge { .. })));
        let none = Bricks::new(&[], 0.05).unwrap();
        none.walk(DVec3::ZERO, DVec3::X, 10.0, |_, _, _| panic!());
        let one = Bricks::new(&cells[..1], 0.05).unwrap();
        one.walk(DVec3::NAN, DVec3::X, 10.0, |_, _, _| panic!());
    }
}
