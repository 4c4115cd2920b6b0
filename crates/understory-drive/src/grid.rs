//! Squares on the map: places in metres ↔ cells.

/// A square grid of square cells; cells are numbered row by row from the south-west.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// South-west corner.
    pub low_m: [f64; 2],
    /// Edge of a cell.
    pub cell_m: f64,
    /// Cells along a side.
    pub side: usize,
}

impl Grid {
    /// A grid about a place.
    pub fn about(centre_m: [f64; 2], cell_m: f64, side: usize) -> Grid {
        let half = 0.5 * cell_m * side as f64;
        Grid { low_m: centre_m.map(|c| c - half), cell_m, side }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.side * self.side
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.side == 0
    }

    /// Column and row of the cell at a place, which may lie outside.
    pub fn place(&self, at_m: [f64; 2]) -> [i64; 2] {
        let place = |axis: usize| ((at_m[axis] - self.low_m[axis]) / self.cell_m).floor() as i64;
        [place(0), place(1)]
    }

    /// The cell in a column and row; none outside.
    pub fn cell(&self, [column, row]: [i64; 2]) -> Option<usize> {
        let side = self.side as i64;
        let inside = (0..side).contains(&column) && (0..side).contains(&row);
        inside.then(|| (row * side + column) as usize)
    }

    /// The cell at a place; none outside.
    pub fn cell_at(&self, at_m: [f64; 2]) -> Option<usize> {
        at_m.iter().all(|c| c.is_finite()).then(|| self.place(at_m)).and_then(|p| self.cell(p))
    }

    /// Column and row of a cell.
    pub fn place_of(&self, cell: usize) -> [i64; 2] {
        [(cell % self.side) as i64, (cell / self.side) as i64]
    }

    /// Middle of a cell.
    pub fn middle(&self, cell: usize) -> [f64; 2] {
        let [column, row] = self.place_of(cell);
        [
            self.low_m[0] + (column as f64 + 0.5) * self.cell_m,
            self.low_m[1] + (row as f64 + 0.5) * self.cell_m,
        ]
    }

    /// Offsets of all cells whose middles are within a radius of a cell's own.
    pub fn disc(&self, radius_m: f64) -> Vec<[i64; 2]> {
        let reach = (radius_m / self.cell_m).floor().max(0.0) as i64;
        let span = -reach..=reach;
        let all = span.clone().flat_map(|row| span.clone().map(move |column| [column, row]));
        let within = |[column, row]: &[i64; 2]| {
            self.cell_m * ((column * column + row * row) as f64).sqrt() <= radius_m + 1e-9
        };
        all.filter(within).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_cells_go_both_ways() {
        let grid = Grid::about([3.0, -1.0], 0.5, 8);
        assert_eq!(grid.low_m, [1.0, -3.0]);
        for cell in 0..grid.len() {
            assert_eq!(grid.cell_at(grid.middle(cell)), Some(cell));
        }
        assert_eq!(grid.cell_at([0.99, 0.0]), None);
        assert_eq!(grid.cell_at([f64::NAN, 0.0]), None);
        assert_eq!(grid.disc(0.5).len(), 5);
        assert_eq!(grid.disc(0.0), [[0, 0]]);
    }
}
