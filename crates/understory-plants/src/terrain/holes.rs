//! Holes in a field of heights, filled from their rim.
//!
//! What enters: heights with NaN in the holes. What leaves: heights without. The fill is the
//! discrete harmonic function of the rim: each filled sample is the mean of its neighbours (those
//! within the field), so a fill neither rises above its rim nor sinks below it. Holes are filled on
//! coarser grids first and then relaxed on each finer one (cascadic multigrid, Bornemann and
//! Deuflhard 1996) by successive over-relaxation (Young 1954), which converges for any factor
//! below 2; the work stays in proportion to the field.

use understory_base::math;

/// A sweep that moves no sample by more than this ends the relaxation.
const SETTLED_M: f64 = 1e-5;

/// Most sweeps on one grid. Coarser grids have settled the wide shapes by then.
const MAX_SWEEPS: usize = 300;

/// Widest hole, in samples, whose best factor of over-relaxation is used: 300 sweeps settle it. The
/// shapes of wider holes come from the coarser grids.
const WIDEST: f64 = 100.0;

/// Fills all NaN; the heights hold at least one number. No recursion beyond the grid's logarithm.
pub fn fill(heights: &mut [f64], columns: usize, rows: usize) {
    let holes: Vec<usize> = (0..heights.len()).filter(|&at| heights[at].is_nan()).collect();
    if holes.is_empty() || holes.len() == heights.len() {
        return;
    }
    // Comparisons with NaN keep the number.
    let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
    let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (coarse_columns, coarse_rows) = (columns.div_ceil(2), rows.div_ceil(2));
    let mut coarse = shrink(heights, columns, rows);
    fill(&mut coarse, coarse_columns, coarse_rows);
    for &hole in &holes {
        let (column, row) = (hole % columns, hole / columns);
        heights[hole] = between(&coarse, coarse_columns, coarse_rows, column, row);
    }
    let width = (holes.len() as f64).sqrt().min(WIDEST);
    let factor = 2.0 / (1.0 + math::sin(std::f64::consts::PI / (width + 1.0)));
    for _ in 0..MAX_SWEEPS {
        let mut change: f64 = 0.0;
        for &hole in &holes {
            let (column, row) = (hole % columns, hole / columns);
            let (mut sum, mut count) = (0.0, 0.0);
            let mut add = |inside: bool, at: usize| {
                if inside {
                    sum += heights[at];
                    count += 1.0;
                }
            };
            add(column > 0, hole.wrapping_sub(1));
            add(column + 1 < columns, hole + 1);
            add(row > 0, hole.wrapping_sub(columns));
            add(row + 1 < rows, hole + columns);
            let step = factor * (sum / count - heights[hole]);
            change = change.max(step.abs());
            // Over-relaxation may overshoot on its way.
            heights[hole] = (heights[hole] + step).clamp(low, high);
        }
        if change < SETTLED_M {
            break;
        }
    }
}

/// Means of what is known in each two by two samples.
fn shrink(heights: &[f64], columns: usize, rows: usize) -> Vec<f64> {
    let mut coarse = Vec::with_capacity(columns.div_ceil(2) * rows.div_ceil(2));
    for row in (0..rows).step_by(2) {
        for column in (0..columns).step_by(2) {
            let (mut sum, mut count) = (0.0, 0.0);
            for y in row..(row + 2).min(rows) {
                for x in column..(column + 2).min(columns) {
                    let height = heights[y * columns + x];
                    if !height.is_nan() {
                        sum += height;
                        count += 1.0;
                    }
                }
            }
            // Nothing known gives 0/0, which is a hole again.
            coarse.push(sum / count);
        }
    }
    coarse
}

/// The coarse grid at a sample of the fine one, whose middle lies a quarter cell off.
fn between(coarse: &[f64], columns: usize, rows: usize, column: usize, row: usize) -> f64 {
    let at = |fine: usize, count: usize| {
        let place = ((fine as f64 - 0.5) / 2.0).clamp(0.0, (count - 1) as f64);
        let low = (place as usize).min(count.saturating_sub(2));
        (low, (low + 1).min(count - 1), place - low as f64)
    };
    let (west, east, u) = at(column, columns);
    let (south, north, v) = at(row, rows);
    let get = |x: usize, y: usize| coarse[y * columns + x];
    let low = get(west, south) * (1.0 - u) + get(east, south) * u;
    let high = get(west, north) * (1.0 - u) + get(east, north) * u;
    low * (1.0 - v) + high * v
}
