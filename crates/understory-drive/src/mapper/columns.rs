//! What was seen above each cell, by height.
//!
//! A column has bins of 0.1 m from 2 m below the first thing that was seen in it. A few beams that get
//! through to the soil tell the ground for all around ([`GroundBelow`]).

use crate::grid::Grid;

/// Height of a bin.
pub const BIN_M: f64 = 0.1;
/// Bins of a column.
pub const BINS: usize = 48;
/// How far below the first thing seen a column begins.
const BELOW_M: f64 = 2.0;
/// How far around the ground is looked for, and how much of a rise is ground there.
const REACH_M: f64 = 1.0;
const RISE: f64 = 0.15;

/// Columns over all cells.
pub struct Columns {
    below: GroundBelow,
    base_m: Vec<f32>,
    low_m: Vec<f32>,
    hits: Vec<u16>,
    /// Cells in which something was seen, in the order in which they were.
    seen: Vec<u32>,
}

impl Columns {
    /// Columns in which nothing was seen.
    pub fn new(grid: Grid) -> Columns {
        Columns {
            below: GroundBelow::new(grid),
            base_m: vec![f32::NAN; grid.len()],
            low_m: vec![f32::INFINITY; grid.len()],
            hits: vec![0; grid.len() * BINS],
            seen: Vec::new(),
        }
    }

    fn bin(&mut self, cell: usize, z_m: f64) -> Option<usize> {
        if self.base_m[cell].is_nan() {
            self.base_m[cell] = (z_m - BELOW_M) as f32;
            self.seen.push(cell as u32);
        }
        let bin = (z_m - f64::from(self.base_m[cell])) / BIN_M;
        (0.0..BINS as f64).contains(&bin).then(|| cell * BINS + bin as usize)
    }

    /// Notes a hit, for the ground alone where it does not `count`.
    pub fn hit(&mut self, cell: usize, z_m: f64, count: bool) {
        let bin = self.bin(cell, z_m);
        self.low_m[cell] = self.low_m[cell].min(z_m as f32);
        if let Some(bin) = bin.filter(|_| count) {
            self.hits[bin] = self.hits[bin].saturating_add(1);
        }
    }

    /// Height of the ground under a cell.
    pub fn ground_m(&self, cell: usize) -> f32 {
        self.below.height_m(cell, &self.low_m)
    }

    /// Cells in which something was seen.
    pub fn seen(&self) -> impl Iterator<Item = usize> + '_ {
        self.seen.iter().map(|cell| *cell as usize)
    }

    /// Middle height above `ground_m` and hits of each bin of a cell, upwards.
    pub fn bins(&self, cell: usize, ground_m: f32) -> impl Iterator<Item = (f64, u16)> + '_ {
        let base = f64::from(self.base_m[cell] - ground_m);
        (0..BINS).map(move |bin| (base + (bin as f64 + 0.5) * BIN_M, self.hits[cell * BINS + bin]))
    }
}

/// The ground under cells: the lowest point within a metre, with so much rise allowed. On a slope of 30 %
/// it is 15 cm too low, and under a thing that is less than two metres wide it is that beside it.
pub struct GroundBelow {
    grid: Grid,
    /// Offsets of cells and the rise that is allowed to them.
    around: Vec<([i64; 2], f32)>,
}

impl GroundBelow {
    /// For cells of a grid.
    pub fn new(grid: Grid) -> GroundBelow {
        let rise = |[x, y]: [i64; 2]| RISE * grid.cell_m * ((x * x + y * y) as f64).sqrt();
        let around = grid.disc(REACH_M.max(grid.cell_m)).into_iter();
        GroundBelow { grid, around: around.map(|offset| (offset, rise(offset) as f32)).collect() }
    }

    /// The ground under a cell by the lowest points of all; infinite where there are none.
    pub fn height_m(&self, cell: usize, low_m: &[f32]) -> f32 {
        let [column, row] = self.grid.place_of(cell);
        let near = self.around.iter().filter_map(|([x, y], rise)| {
            Some(low_m[self.grid.cell([column + x, row + y])?] + rise)
        });
        near.fold(f32::INFINITY, f32::min)
    }
}
