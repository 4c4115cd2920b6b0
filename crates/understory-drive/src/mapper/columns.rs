//! What was seen above each cell, by height: hits of light, and how often it passed.
//!
//! A column has bins of 0.1 m from 2 m below the first thing that was seen in it. The ground is the
//! lower envelope of the lowest hits: no cell's ground is higher than its neighbour's by more than a
//! slope of 1 in 2, so that a few beams that get through to the soil tell it for all around.

use crate::grid::Grid;

/// Height of a bin.
pub const BIN_M: f64 = 0.1;
/// Bins of a column.
pub const BINS: usize = 48;
/// How far below the first thing seen a column begins.
const BELOW_M: f64 = 2.0;
/// Steepest ground.
const SLOPE_MAX: f32 = 0.5;

/// Columns over all cells.
pub struct Columns {
    /// Where the cells are.
    pub grid: Grid,
    base_m: Vec<f32>,
    low_m: Vec<f32>,
    hits: Vec<u16>,
    passes: Vec<u16>,
    /// Cells in which something was seen, in the order in which they were.
    seen: Vec<u32>,
}

impl Columns {
    /// Columns in which nothing was seen; passes are only counted where they are wanted.
    pub fn new(grid: Grid, with_passes: bool) -> Columns {
        let bins = grid.len() * BINS;
        Columns {
            grid,
            base_m: vec![f32::NAN; grid.len()],
            low_m: vec![f32::INFINITY; grid.len()],
            hits: vec![0; bins],
            passes: vec![0; if with_passes { bins } else { 0 }],
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

    /// Notes that light passed, on behalf of so many pulses.
    pub fn pass(&mut self, cell: usize, z_m: f64, pulses: u16) {
        if let Some(bin) = self.bin(cell, z_m)
            && let Some(passes) = self.passes.get_mut(bin)
        {
            *passes = passes.saturating_add(pulses);
        }
    }

    /// Height of the ground of every cell; infinite where nothing around was seen.
    pub fn ground(&self) -> Vec<f32> {
        let side = self.grid.side;
        let mut ground = self.low_m.clone();
        let straight = SLOPE_MAX * self.grid.cell_m as f32;
        let diagonal = straight * std::f32::consts::SQRT_2;
        // Forth and back, as distances are transformed: each cell hears of all others.
        for row in 0..side {
            for column in 0..side {
                let cell = row * side + column;
                let mut least = ground[cell];
                if column > 0 {
                    least = least.min(ground[cell - 1] + straight);
                }
                if row > 0 {
                    least = least.min(ground[cell - side] + straight);
                    if column > 0 {
                        least = least.min(ground[cell - side - 1] + diagonal);
                    }
                    if column + 1 < side {
                        least = least.min(ground[cell - side + 1] + diagonal);
                    }
                }
                ground[cell] = least;
            }
        }
        for row in (0..side).rev() {
            for column in (0..side).rev() {
                let cell = row * side + column;
                let mut least = ground[cell];
                if column + 1 < side {
                    least = least.min(ground[cell + 1] + straight);
                }
                if row + 1 < side {
                    least = least.min(ground[cell + side] + straight);
                    if column > 0 {
                        least = least.min(ground[cell + side - 1] + diagonal);
                    }
                    if column + 1 < side {
                        least = least.min(ground[cell + side + 1] + diagonal);
                    }
                }
                ground[cell] = least;
            }
        }
        ground
    }

    /// Cells in which something was seen.
    pub fn seen(&self) -> impl Iterator<Item = usize> + '_ {
        self.seen.iter().map(|cell| *cell as usize)
    }

    /// Middle height above `ground_m`, hits and passes of each bin of a cell, upwards.
    pub fn bins(&self, cell: usize, ground_m: f32) -> impl Iterator<Item = (f64, u16, u16)> + '_ {
        let base = f64::from(self.base_m[cell] - ground_m);
        (0..BINS).map(move |bin| {
            let at = cell * BINS + bin;
            let passes = self.passes.get(at).copied().unwrap_or(0);
            (base + (bin as f64 + 0.5) * BIN_M, self.hits[at], passes)
        })
    }
}
