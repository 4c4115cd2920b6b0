//! Small systems of normal equations.

/// A symmetric matrix with its right-hand side.
#[derive(Clone, Debug)]
pub(super) struct Normal {
    size: usize,
    /// Row by row; only the lower half is kept up.
    matrix: Vec<f64>,
    pub(super) right: Vec<f64>,
}

impl Normal {
    pub(super) fn new(size: usize) -> Normal {
        Normal { size, matrix: vec![0.0; size * size], right: vec![0.0; size] }
    }

    /// Adds w·a·aᵀ and w·a·y for a row that has these places and values.
    pub(super) fn add(&mut self, row: &[(usize, f64)], value: f64, weight: f64) {
        for &(i, a) in row {
            self.right[i] += weight * a * value;
            for &(j, b) in row {
                if j <= i {
                    self.matrix[i * self.size + j] += weight * a * b;
                }
            }
        }
    }

    /// The solution and the diagonal of the inverse, by Cholesky's factors. `None`: the equations
    /// do not determine the unknowns.
    pub(super) fn solve(mut self) -> Option<(Vec<f64>, Vec<f64>)> {
        let n = self.size;
        for i in 0..n {
            for j in 0..=i {
                let inner: f64 =
                    (0..j).map(|k| self.matrix[i * n + k] * self.matrix[j * n + k]).sum();
                let rest = self.matrix[i * n + j] - inner;
                if i != j {
                    self.matrix[i * n + j] = rest / self.matrix[j * n + j];
                } else if rest > 1e-13 * self.matrix[i * n + i] {
                    self.matrix[i * n + i] = rest.sqrt();
                } else {
                    return None;
                }
            }
        }
        let forward = |mut x: Vec<f64>| {
            for i in 0..n {
                let inner: f64 = (0..i).map(|k| self.matrix[i * n + k] * x[k]).sum();
                x[i] = (x[i] - inner) / self.matrix[i * n + i];
            }
            x
        };
        let mut solution = forward(self.right.clone());
        for i in (0..n).rev() {
            let inner: f64 = (i + 1..n).map(|k| self.matrix[k * n + i] * solution[k]).sum();
            solution[i] = (solution[i] - inner) / self.matrix[i * n + i];
        }
        // The diagonal of (L·Lᵀ)⁻¹: squared lengths of the columns of L⁻¹.
        let unit = |at: usize| (0..n).map(|i| f64::from(u8::from(i == at))).collect::<Vec<f64>>();
        let diagonal = (0..n).map(|at| forward(unit(at)).iter().map(|x| x * x).sum()).collect();
        Some((solution, diagonal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_with_its_errors() {
        // y = 2 + 3x at x = 0, 1, 2, 3: Σx = 6, Σx² = 14, inverse diagonal 14/20 and 4/20.
        let mut normal = Normal::new(2);
        for x in [0.0, 1.0, 2.0, 3.0] {
            normal.add(&[(0, 1.0), (1, x)], 2.0 + 3.0 * x, 1.0);
        }
        let (solution, diagonal) = normal.solve().unwrap();
        for (found, expected) in solution.iter().chain(&diagonal).zip([2.0, 3.0, 0.7, 0.2]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn what_is_not_determined_is_none() {
        let mut normal = Normal::new(2);
        normal.add(&[(0, 1.0), (1, 1.0)], 1.0, 1.0);
        assert!(normal.solve().is_none());
    }
}
