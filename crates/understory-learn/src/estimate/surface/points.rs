//! Averaged points sorted by place, and those near a small box.
//!
//! What enters: sums of cells in sorted order. What leaves: [`PointSet`], points in search cells of
//! half the kernel's radius; and [`LocalPoints`], a copy of those around a box, in which neighbours are
//! found by a few runs of consecutive indices.
//!
//! Positions are whole ticks everywhere. The difference of two of them is exact, and neighbours come
//! in the order of the whole set. A distance that two boxes both work out is therefore the same to
//! the last bit, and their triangles fit together.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use super::cell_sums::{CellHasher, CellSums};
use super::{SurfaceOptions, TICKS_PER_QUANTUM};

/// Search cells along a kernel's radius: smaller ones follow the ball better, and are more.
pub(super) const CELLS_PER_KERNEL: i64 = 2;

/// A search cell that holds points.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchCell {
    pub cell: [i64; 3],
    /// Index of its first point.
    pub start: u32,
}

/// All averaged points.
#[derive(Debug)]
pub(super) struct PointSet {
    /// Side of a search cell.
    pub side_ticks: i64,
    /// Sorted, with one more behind the last for its start.
    cells: Vec<SearchCell>,
    /// Which cells have the same x and y.
    columns: HashMap<[i64; 2], [u32; 2], BuildHasherDefault<CellHasher>>,
    /// From the lowest corner of the point's search cell.
    pub offset_ticks: Vec<[i32; 3]>,
    pub weight: Vec<f32>,
    /// Unit vector towards the sensor, later the normal.
    pub normal: Vec<[f32; 3]>,
}

impl PointSet {
    /// From sums of cells of side `side_quanta`, sorted by cell.
    pub fn new(
        sums: &[([i64; 3], CellSums)],
        side_quanta: i64,
        options: &SurfaceOptions,
    ) -> PointSet {
        let side_ticks = options.kernel_ticks() / CELLS_PER_KERNEL;
        let mut placed: Vec<([i64; 3], u32, [i32; 3])> = Vec::with_capacity(sums.len());
        for (index, (cell, sum)) in sums.iter().enumerate() {
            let mut key = [0; 3];
            let mut offset = [0; 3];
            for axis in 0..3 {
                let corner = cell[axis] * side_quanta * TICKS_PER_QUANTUM;
                let mean = sum.offset[axis] as f64 / sum.count as f64 * TICKS_PER_QUANTUM as f64;
                let at = corner + mean.round() as i64;
                key[axis] = at.div_euclid(side_ticks);
                offset[axis] = at.rem_euclid(side_ticks) as i32;
            }
            placed.push((key, index as u32, offset));
        }
        placed.sort_unstable();
        let unit = |view: [i64; 3]| {
            let view = view.map(|part| part as f64);
            let length = view.iter().map(|part| part * part).sum::<f64>().sqrt();
            // Seen from opposite sides in equal parts: no direction, and the normal stays as it is.
            view.map(|part| if length > 0.0 { (part / length) as f32 } else { 0.0 })
        };
        let by_count = options.weigh_by_count;
        let sum = |index: u32| &sums[index as usize].1;
        let weight = |index| if by_count { sum(index).count as f32 } else { 1.0 };
        let mut set = PointSet {
            side_ticks,
            cells: Vec::new(),
            columns: HashMap::default(),
            offset_ticks: placed.iter().map(|p| p.2).collect(),
            weight: placed.iter().map(|p| weight(p.1)).collect(),
            normal: placed.iter().map(|p| unit(sum(p.1).view)).collect(),
        };
        let keys: Vec<[i64; 3]> = placed.iter().map(|p| p.0).collect();
        set.index(&keys);
        set
    }

    pub fn is_empty(&self) -> bool {
        self.weight.is_empty()
    }

    /// Occupied search cells, sorted.
    pub fn cells(&self) -> &[SearchCell] {
        &self.cells[..self.cells.len() - 1]
    }

    /// Memory of the points and their index, about.
    pub fn memory_bytes(&self) -> u64 {
        let per_point = size_of::<[i32; 3]>() + size_of::<f32>() + size_of::<[f32; 3]>();
        let columns = self.columns.capacity() * (size_of::<([i64; 2], [u32; 2])>() + 1);
        let cells = self.cells.len() * size_of::<SearchCell>();
        (self.weight.len() * per_point + columns + cells) as u64
    }

    /// Gives the points their normals and removes those without one.
    pub fn set_normals(&mut self, normals: &[Option<[f32; 3]>]) {
        let mut keys = Vec::with_capacity(self.weight.len());
        for pair in self.cells.windows(2) {
            keys.extend((pair[0].start..pair[1].start).map(|_| pair[0].cell));
        }
        let mut kept = 0;
        for (index, normal) in normals.iter().enumerate() {
            if let Some(normal) = normal {
                keys[kept] = keys[index];
                self.offset_ticks[kept] = self.offset_ticks[index];
                self.weight[kept] = self.weight[index];
                self.normal[kept] = *normal;
                kept += 1;
            }
        }
        keys.truncate(kept);
        self.offset_ticks.truncate(kept);
        self.weight.truncate(kept);
        self.normal.truncate(kept);
        self.index(&keys);
    }

    /// Position, normal and weight of each point.
    #[cfg(test)]
    pub fn listed(&self) -> Vec<(glam::DVec3, glam::DVec3, f64)> {
        let mut points = Vec::new();
        for pair in self.cells.windows(2) {
            for index in pair[0].start as usize..pair[1].start as usize {
                let at = [0, 1, 2].map(|axis| {
                    let corner = pair[0].cell[axis] * self.side_ticks;
                    (corner + i64::from(self.offset_ticks[index][axis])) as f64
                });
                let normal = glam::DVec3::from_array(self.normal[index].map(f64::from));
                let at = glam::DVec3::from_array(at) * super::METRES_PER_TICK;
                points.push((at, normal, f64::from(self.weight[index])));
            }
        }
        points
    }

    /// Finds where each search cell and each column of them begins.
    fn index(&mut self, keys: &[[i64; 3]]) {
        self.cells.clear();
        self.columns.clear();
        for (index, &cell) in keys.iter().enumerate() {
            if self.cells.last().is_none_or(|last| last.cell != cell) {
                let number = self.cells.len() as u32;
                self.cells.push(SearchCell { cell, start: index as u32 });
                let column = self.columns.entry([cell[0], cell[1]]).or_insert([number, number]);
                column[1] = number + 1;
            }
        }
        self.cells.push(SearchCell { cell: [i64::MAX; 3], start: keys.len() as u32 });
    }
}

/// Points in a box of search cells. One per thread, used again.
#[derive(Debug, Default)]
pub(super) struct LocalPoints {
    /// Lowest search cell of the box.
    low: [i64; 3],
    /// Number of search cells along each axis.
    size: [i64; 3],
    side_ticks: i64,
    /// First point of each search cell, z fastest, and the end.
    starts: Vec<u32>,
    /// From the lowest corner of the box, along each axis.
    at_ticks: [Vec<i32>; 3],
    pub weight: Vec<f32>,
    /// Along each axis.
    pub normal: [Vec<f32>; 3],
    /// Which points of the whole set these are.
    pub index: Vec<u32>,
}

impl LocalPoints {
    /// Copies the points of the search cells from `low` to `high`, both included.
    pub fn gather(&mut self, set: &PointSet, low: [i64; 3], high: [i64; 3]) {
        self.low = low;
        self.side_ticks = set.side_ticks;
        self.size = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
        self.starts.clear();
        self.at_ticks.iter_mut().for_each(Vec::clear);
        self.weight.clear();
        self.normal.iter_mut().for_each(Vec::clear);
        self.index.clear();
        for x in low[0]..=high[0] {
            for y in low[1]..=high[1] {
                let cells = set.columns.get(&[x, y]).map_or(0..0, |c| c[0] as usize..c[1] as usize);
                let column = &set.cells[cells.clone()];
                let mut next = cells.start + column.partition_point(|cell| cell.cell[2] < low[2]);
                for z in low[2]..=high[2] {
                    self.starts.push(self.index.len() as u32);
                    if next < cells.end && set.cells[next].cell[2] == z {
                        self.copy(set, next, [x, y, z]);
                        next += 1;
                    }
                }
            }
        }
        self.starts.push(self.index.len() as u32);
    }

    fn copy(&mut self, set: &PointSet, number: usize, cell: [i64; 3]) {
        let points = set.cells[number].start as usize..set.cells[number + 1].start as usize;
        for axis in 0..3 {
            let corner = ((cell[axis] - self.low[axis]) * self.side_ticks) as i32;
            let offsets = &set.offset_ticks[points.clone()];
            self.at_ticks[axis].extend(offsets.iter().map(|offset| corner + offset[axis]));
            let normals = &set.normal[points.clone()];
            self.normal[axis].extend(normals.iter().map(|normal| normal[axis]));
        }
        self.weight.extend_from_slice(&set.weight[points.clone()]);
        self.index.extend(points.start as u32..points.end as u32);
    }

    /// Position in the box of a place given in ticks of the world.
    pub fn local_ticks(&self, at_ticks: [i64; 3]) -> [i32; 3] {
        [0, 1, 2].map(|axis| (at_ticks[axis] - self.low[axis] * self.side_ticks) as i32)
    }

    /// Radius of the kernel.
    pub fn kernel_ticks(&self) -> i64 {
        self.side_ticks * CELLS_PER_KERNEL
    }

    /// Number of search cells along each axis.
    pub fn size(&self) -> [i64; 3] {
        self.size
    }

    /// Positions in the box along an axis.
    pub fn along(&self, axis: usize) -> &[i32] {
        &self.at_ticks[axis]
    }

    /// Position of a local point in the box.
    pub fn at(&self, place: usize) -> [i32; 3] {
        [0, 1, 2].map(|axis| self.at_ticks[axis][place])
    }

    /// The search cell, counted from the box's lowest, of a place in the box.
    pub fn cell_at(&self, at: [i32; 3]) -> [i64; 3] {
        at.map(|at| i64::from(at).div_euclid(self.side_ticks))
    }

    /// Runs of local points in the search cells from `low` to `high`, counted from the box's lowest,
    /// in the order of the whole set.
    pub fn runs(&self, low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = Range<usize>> {
        let range = |axis: usize| (low[axis].max(0), high[axis].min(self.size[axis] - 1));
        let (x, y, z) = (range(0), range(1), range(2));
        let columns = (x.0..=x.1).flat_map(move |x| (y.0..=y.1).map(move |y| (x, y)));
        columns.filter(move |_| z.0 <= z.1).map(move |(x, y)| {
            let column = (x * self.size[1] + y) * self.size[2];
            let start = self.starts[(column + z.0) as usize] as usize;
            start..self.starts[(column + z.1) as usize + 1] as usize
        })
    }

    /// Whether a point is within `radius` of `at`.
    pub fn any_near(&self, at: [i32; 3], radius: i64) -> bool {
        let near = |place| {
            let d = [0, 1, 2].map(|axis| i64::from(at[axis] - self.at_ticks[axis][place]));
            d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= radius * radius
        };
        let low = self.cell_at(at.map(|at| at - radius as i32));
        let high = self.cell_at(at.map(|at| at + radius as i32));
        self.runs(low, high).any(|mut run| run.any(near))
    }
}
