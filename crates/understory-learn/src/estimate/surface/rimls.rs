//! Signed distance to the surface by Robust Implicit Moving Least Squares (Öztireli, Guennebaud and
//! Gross 2009).
//!
//! What enters: a place x and the points within h of it, each with position p, normal n and weight.
//! What leaves: f(x), positive on the side of the sensor, and its gradient. With φ = (1 − r²/h²)⁴,
//! ∇φ = −(8/h²)(1 − r²/h²)³(x − p) and fᵢ = n·(x − p), and α = 1 at first:
//!
//! f = Σαφfᵢ / Σαφ,  ∇f = (Σα∇φfᵢ − fΣα∇φ + Σαφn) / Σαφ,
//!
//! then α = exp(−((fᵢ − f)/σ_r)²) · exp(−(‖n − ∇f‖/σ_n)²) and again, until the gradient stays.
//!
//! The loops run over columns of f32, four lanes at a time, relative to x and in units of h.

use std::ops::Range;

use glam::Vec4;

use super::SurfaceOptions;
use super::points::{CELLS_PER_KERNEL, LocalPoints};

const LANES: usize = 4;
/// The gradient stays if the square of its change is below this.
const CHANGE_MAX: f32 = 1e-3;

/// A signed distance, in kernel radii.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Distance {
    pub f: f32,
    pub gradient: [f32; 3],
}

/// How points lose weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Robustness {
    /// 1/σ_r² for residuals in kernel radii.
    residual: f32,
    /// 1/σ_n².
    normal: f32,
    iterations_max: u32,
}

impl Robustness {
    /// For a kernel of radius `kernel_m`, which may be wider than that of the options.
    pub fn new(options: &SurfaceOptions, kernel_m: f64) -> Robustness {
        Robustness {
            residual: (kernel_m / options.sigma_residual_m).powi(2) as f32,
            normal: options.sigma_normal.powi(-2) as f32,
            iterations_max: options.iterations_max,
        }
    }
}

/// Neighbours of a place as columns, padded to whole lanes with points that weigh nothing.
#[derive(Debug, Default)]
pub(super) struct Neighbours {
    /// x − p, in kernel radii.
    pub d: [Vec<f32>; 3],
    n: [Vec<f32>; 3],
    /// Weight times φ.
    pub phi: Vec<f32>,
    /// Weight times −8(1 − r²)³: what makes ∇φ of x − p.
    slope: Vec<f32>,
    /// fᵢ.
    height: Vec<f32>,
    /// α of an iteration.
    alpha: Vec<f32>,
    /// Candidates: search cell and radius in kernels that they were taken for, which local points
    /// they are, positions and weights. The weights are padded with zeros to whole lanes.
    around: Option<([i64; 3], i64)>,
    runs: Vec<Range<usize>>,
    at_ticks: [Vec<i32>; 3],
    weight: Vec<f32>,
}

impl Neighbours {
    /// Forgets the candidates, before another box.
    pub fn clear(&mut self) {
        self.around = None;
    }

    /// Takes the positions and weights of the local points within `kernels` kernels of `at`, and
    /// tells how many they are. All points of the search cells around that of `at` come along, and
    /// those too far weigh nothing: to pick the others out one by one would cost more. They are the
    /// same for all places in a search cell, whatever the box.
    pub fn take_places(&mut self, local: &LocalPoints, at: [i32; 3], kernels: i64) -> usize {
        let cell = local.cell_at(at);
        if self.around != Some((cell, kernels)) {
            self.around = Some((cell, kernels));
            let reach = kernels * CELLS_PER_KERNEL;
            self.runs.clear();
            self.runs.extend(local.runs(cell.map(|c| c - reach), cell.map(|c| c + reach)));
            for axis in 0..3 {
                copy_runs(&mut self.at_ticks[axis], &self.runs, local.along(axis));
                copy_runs(&mut self.n[axis], &self.runs, &local.normal[axis]);
            }
            copy_runs(&mut self.weight, &self.runs, &local.weight);
        }
        let scale = 1.0 / (kernels * local.kernel_ticks()) as f32;
        for axis in 0..3 {
            self.d[axis].clear();
            let offset = |&place: &i32| (at[axis] - place) as f32 * scale;
            self.d[axis].extend(self.at_ticks[axis].iter().map(offset));
        }
        self.weigh();
        self.phi.iter().map(|&phi| u32::from(phi > 0.0)).sum::<u32>() as usize
    }

    /// Works out φ.
    fn weigh(&mut self) {
        let [x, y, z] = &self.d;
        fill_from(&mut self.phi, [x, y, z, &self.weight], |[x, y, z, weight]| {
            let inside = inside(x, y, z);
            inside * inside * (inside * inside) * weight
        });
    }

    /// Works out what makes ∇φ of x − p, and the heights fᵢ.
    fn complete(&mut self) {
        let [x, y, z] = &self.d;
        fill_from(&mut self.slope, [x, y, z, &self.weight], |[x, y, z, weight]| {
            let inside = inside(x, y, z);
            inside * inside * inside * weight * -8.0
        });
        let [nx, ny, nz] = &self.n;
        fill_from(&mut self.height, [x, y, z, nx, ny, nz], |[x, y, z, nx, ny, nz]| {
            x * nx + y * ny + z * nz
        });
    }

    /// The distance after the iterations it takes; `None` where nothing weighs anything.
    pub fn distance(&mut self, robustness: &Robustness) -> Option<Distance> {
        self.complete();
        let mut distance = self.iterate(None, robustness)?;
        for _ in 1..robustness.iterations_max {
            // Where all points lost their weight, the last distance is the best.
            let Some(next) = self.iterate(Some(distance), robustness) else { break };
            let change: f32 =
                (0..3).map(|k| (next.gradient[k] - distance.gradient[k]).powi(2)).sum();
            distance = next;
            if change < CHANGE_MAX {
                break;
            }
        }
        Some(distance)
    }

    /// One iteration from the last one's distance.
    fn iterate(&mut self, last: Option<Distance>, robustness: &Robustness) -> Option<Distance> {
        let Neighbours { d, n, phi, slope, height, alpha, .. } = self;
        match last {
            None => fill_from(alpha, [&*phi], |_| 1.0),
            Some(Distance { f, gradient: [g0, g1, g2] }) => {
                let columns = [&n[0], &n[1], &n[2], &*height];
                fill_from(alpha, columns, |[x, y, z, height]| {
                    let (off, x, y, z) = (height - f, x - g0, y - g1, z - g2);
                    let normal = (x * x + y * y + z * z) * robustness.normal;
                    exp_of_minus(off * off * robustness.residual + normal)
                });
            }
        }
        let columns = [&d[0], &d[1], &d[2], &n[0], &n[1], &n[2], phi, slope, height, alpha];
        // Σαφ, Σαφf, Σαφn, Σα∇φ, Σα∇φf.
        let sums = sum_of(columns, |[x, y, z, nx, ny, nz, phi, slope, f, alpha]| {
            let w = alpha * phi;
            let s = alpha * slope;
            let (sx, sy, sz) = (s * x, s * y, s * z);
            [w, w * f, w * nx, w * ny, w * nz, sx, sy, sz, sx * f, sy * f, sz * f]
        });
        let per_weight = 1.0 / sums[0];
        let f = sums[1] * per_weight;
        let gradient =
            [0, 1, 2].map(|k| (sums[8 + k] - f * sums[5 + k] + sums[2 + k]) * per_weight);
        let known = sums[0] > 1e-20 && f.is_finite() && gradient.iter().all(|g| g.is_finite());
        known.then_some(Distance { f, gradient })
    }
}

/// 1 − r², or 0 beyond the kernel.
fn inside(x: f32, y: f32, z: f32) -> f32 {
    (1.0 - (x * x + y * y + z * z)).max(0.0)
}

/// Makes a column of runs of another, padded to whole lanes.
fn copy_runs<T: Copy + Default>(column: &mut Vec<T>, runs: &[Range<usize>], from: &[T]) {
    column.clear();
    for run in runs {
        column.extend_from_slice(&from[run.clone()]);
    }
    column.resize(column.len().next_multiple_of(LANES), T::default());
}

/// Makes a column of others of the same length, many rows at a time.
fn fill_from<const N: usize>(
    column: &mut Vec<f32>,
    from: [&Vec<f32>; N],
    value: impl Fn([f32; N]) -> f32,
) {
    let rows = from.iter().map(|column| column.len()).min().unwrap_or(0);
    let from = from.map(|column| &column[..rows]);
    column.resize(rows, 0.0);
    for (row, out) in column.iter_mut().enumerate() {
        // A loop, because the compiler does not see through a map over more than four columns.
        let mut values = [0.0; N];
        for k in 0..N {
            values[k] = from[k][row];
        }
        *out = value(values);
    }
}

/// Sums of what `parts` makes of each row, lane by lane and always in the same order.
pub(super) fn sum_of<const N: usize, const M: usize>(
    columns: [&Vec<f32>; N],
    parts: impl Fn([Vec4; N]) -> [Vec4; M],
) -> [f32; M] {
    let blocks = columns.iter().map(|column| column.len() / LANES).min().unwrap_or(0);
    let columns = columns.map(|column| &column.as_chunks::<LANES>().0[..blocks]);
    let mut sums = [Vec4::ZERO; M];
    for block in 0..blocks {
        let mut values = [Vec4::ZERO; N];
        for k in 0..N {
            values[k] = Vec4::from_array(columns[k][block]);
        }
        let parts = parts(values);
        for k in 0..M {
            sums[k] += parts[k];
        }
    }
    sums.map(|sum| (sum.x + sum.z) + (sum.y + sum.w))
}

/// e^−x for x ≥ 0 to 2·10⁻⁷ of itself, the same on every machine and without a branch: 2 to a whole
/// power by the exponent's bits, and the Taylor series for the rest of at most a half.
fn exp_of_minus(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let power = -x.min(80.0) * std::f32::consts::LOG2_E;
    let shifted = power + ROUND;
    let rest = (power - (shifted - ROUND)) * std::f32::consts::LN_2;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest
                                    * (1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0))))));
    f32::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_exact_enough() {
        for k in 0..=80_000 {
            let x = k as f32 * 1e-3;
            let (ours, exact) = (f64::from(exp_of_minus(x)), (-f64::from(x)).exp());
            // x·log₂e is rounded, which costs up to half a last place of the power.
            let allowed = 3e-7 + f64::from(x) * 1.2e-7;
            assert!((ours / exact - 1.0).abs() < allowed, "{x}: {ours} {exact}");
        }
    }

    /// Points that each weigh 1, as neighbours of x.
    fn neighbours(points: &[[f64; 3]], normals: &[[f64; 3]], x: [f64; 3], h: f64) -> Neighbours {
        let mut neighbours = Neighbours::default();
        let padded = points.len().next_multiple_of(LANES);
        for axis in 0..3 {
            let offset = |p: &[f64; 3]| ((x[axis] - p[axis]) / h) as f32;
            neighbours.d[axis] = points.iter().map(offset).collect();
            neighbours.n[axis] = normals.iter().map(|n| n[axis] as f32).collect();
            neighbours.d[axis].resize(padded, 0.0);
            neighbours.n[axis].resize(padded, 0.0);
        }
        neighbours.weight = vec![1.0; points.len()];
        neighbours.weight.resize(padded, 0.0);
        neighbours.weigh();
        neighbours.complete();
        neighbours
    }

    /// The test vector: four points, one of them with a normal that does not belong.
    #[test]
    fn distances_of_each_iteration_by_test_vector() {
        let h = 0.04;
        let points = [[0.0; 3], [0.01, 0.0, 0.001], [0.0, 0.01, -0.001], [0.012, 0.011, 0.0]];
        let normals =
            [[0.0, 0.0, 1.0], [0.1, 0.0, 0.99f64.sqrt()], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let x = [0.004, 0.003, 0.002];
        let mut neighbours = neighbours(&points, &normals, x, h);
        let robustness = Robustness::new(&SurfaceOptions::standing(), h);
        let expected = [-2.90992e-4, 1.453554e-3, 1.663743e-3, 1.677404e-3, 1.678198e-3];
        let mut last = None;
        for f in expected {
            last = neighbours.iterate(last, &robustness);
            let ours = f64::from(last.unwrap().f) * h;
            assert!((ours - f).abs() < 1.5e-9, "{ours} not {f}");
        }
    }

    /// A floor and a wall with their true normals: on the floor, 1 cm from the edge, the plain mean
    /// takes the wall's points for points of a floor, and the robust one does not.
    #[test]
    fn an_edge_with_true_normals_is_sharp() {
        let h = 0.04;
        let mut corner = Vec::new();
        for i in 0..20 {
            for j in -20..=20 {
                let (a, b) = (f64::from(i) * 0.002 + 0.001, f64::from(j) * 0.002);
                corner.push(([-a, b, 0.0], [0.0, 0.0, 1.0]));
                corner.push(([0.0, b, -a], [1.0, 0.0, 0.0]));
            }
        }
        let x = [-0.01, 0.0, 0.0];
        corner.retain(|(p, _): &([f64; 3], _)| {
            (0..3).map(|k| (x[k] - p[k]).powi(2)).sum::<f64>() < h * h
        });
        let (points, normals): (Vec<_>, Vec<_>) = corner.into_iter().unzip();
        let mut neighbours = neighbours(&points, &normals, x, h);
        let mut distance = |options: SurfaceOptions| {
            f64::from(neighbours.distance(&Robustness::new(&options, h)).unwrap().f) * h
        };
        let usual = SurfaceOptions::standing();
        let plain = distance(SurfaceOptions { iterations_max: 1, ..usual });
        let robust = distance(usual);
        let sharp = distance(SurfaceOptions { sigma_normal: 0.5, ..usual });
        assert!(plain < -0.002, "{plain}");
        assert!(robust.abs() < 0.1 * plain.abs(), "{robust} {plain}");
        assert!(sharp.abs() < 0.01 * plain.abs(), "{sharp} {plain}");
    }
}
