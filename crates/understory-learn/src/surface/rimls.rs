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

use super::SurfaceOptions;
use super::points::{LocalPoints, PointSet};

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
    d: [Vec<f32>; 3],
    n: [Vec<f32>; 3],
    /// Weight times φ.
    phi: Vec<f32>,
    /// Weight times −8(1 − r²)³: what makes ∇φ of x − p.
    slope: Vec<f32>,
    /// fᵢ.
    height: Vec<f32>,
}

impl Neighbours {
    /// Takes the local points `found`, all within `radius` of `at`, in ticks.
    pub fn take(
        &mut self,
        set: &PointSet,
        local: &LocalPoints,
        found: &[u32],
        at: [i32; 3],
        radius: i64,
    ) {
        self.resize(found.len());
        let scale = 1.0 / radius as f32;
        for (k, &near) in found.iter().enumerate() {
            let place = local.at_ticks[near as usize];
            let index = local.index[near as usize] as usize;
            let d = [0, 1, 2].map(|axis| (at[axis] - place[axis]) as f32 * scale);
            self.put(k, d, set.normal[index], set.weight[index]);
        }
    }

    /// Makes room for `count` points.
    fn resize(&mut self, count: usize) {
        let columns = self.d.iter_mut().chain(&mut self.n);
        for column in columns.chain([&mut self.phi, &mut self.slope, &mut self.height]) {
            column.clear();
            column.resize(count.next_multiple_of(LANES), 0.0);
        }
    }

    fn put(&mut self, k: usize, d: [f32; 3], n: [f32; 3], weight: f32) {
        let inside = (1.0 - (d[0] * d[0] + d[1] * d[1] + d[2] * d[2])).max(0.0);
        let cube = inside * inside * inside * weight;
        for axis in 0..3 {
            self.d[axis][k] = d[axis];
            self.n[axis][k] = n[axis];
        }
        self.phi[k] = cube * inside;
        self.slope[k] = -8.0 * cube;
        self.height[k] = n[0] * d[0] + n[1] * d[1] + n[2] * d[2];
    }

    /// The distance after the iterations it takes; `None` where nothing weighs anything.
    pub fn distance(&self, robustness: &Robustness) -> Option<Distance> {
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
    fn iterate(&self, last: Option<Distance>, robustness: &Robustness) -> Option<Distance> {
        // Without a last distance both factors of α are exp(0).
        let (residual, normal) =
            last.map_or((0.0, 0.0), |_| (robustness.residual, robustness.normal));
        let last = last.unwrap_or(Distance { f: 0.0, gradient: [0.0; 3] });
        let [g0, g1, g2] = last.gradient;
        // Σαφ, Σαφf, Σαφn, Σα∇φ, Σα∇φf.
        let mut sums = [[0.0f32; LANES]; 11];
        let (d0, d1, d2) = (lanes(&self.d[0]), lanes(&self.d[1]), lanes(&self.d[2]));
        let (n0, n1, n2) = (lanes(&self.n[0]), lanes(&self.n[1]), lanes(&self.n[2]));
        let (phi, slope, height) = (lanes(&self.phi), lanes(&self.slope), lanes(&self.height));
        let blocks = phi.len();
        let columns = [d0, d1, d2, n0, n1, n2, slope, height];
        if columns.iter().any(|column| column.len() != blocks) {
            return None;
        }
        for b in 0..blocks {
            for l in 0..LANES {
                let f = height[b][l];
                let (nx, ny, nz) = (n0[b][l], n1[b][l], n2[b][l]);
                let off = f - last.f;
                let (x, y, z) = (nx - g0, ny - g1, nz - g2);
                let lost = off * off * residual + (x * x + y * y + z * z) * normal;
                let alpha = exp_of_minus(lost);
                let w = alpha * phi[b][l];
                let s = alpha * slope[b][l];
                let (sx, sy, sz) = (s * d0[b][l], s * d1[b][l], s * d2[b][l]);
                sums[0][l] += w;
                sums[1][l] += w * f;
                sums[2][l] += w * nx;
                sums[3][l] += w * ny;
                sums[4][l] += w * nz;
                sums[5][l] += sx;
                sums[6][l] += sy;
                sums[7][l] += sz;
                sums[8][l] += sx * f;
                sums[9][l] += sy * f;
                sums[10][l] += sz * f;
            }
        }
        let sums = sums.map(|lanes| (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]));
        let per_weight = 1.0 / sums[0];
        let f = sums[1] * per_weight;
        let gradient =
            [0, 1, 2].map(|k| (sums[8 + k] - f * sums[5 + k] + sums[2 + k]) * per_weight);
        let known = sums[0] > 1e-20 && f.is_finite() && gradient.iter().all(|g| g.is_finite());
        known.then_some(Distance { f, gradient })
    }
}

fn lanes(column: &[f32]) -> &[[f32; LANES]] {
    column.as_chunks().0
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

    /// The test vector: four points, one of them with a normal that does not belong.
    #[test]
    fn distances_of_each_iteration_by_test_vector() {
        let h = 0.04;
        let points = [[0.0; 3], [0.01, 0.0, 0.001], [0.0, 0.01, -0.001], [0.012, 0.011, 0.0]];
        let normals =
            [[0.0, 0.0, 1.0], [0.1, 0.0, 0.99f64.sqrt()], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        let x = [0.004, 0.003, 0.002];
        let mut neighbours = Neighbours::default();
        neighbours.resize(4);
        for k in 0..4 {
            let d = [0, 1, 2].map(|axis| ((x[axis] - points[k][axis]) / h) as f32);
            neighbours.put(k, d, normals[k].map(|n: f64| n as f32), 1.0);
        }
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
        let near: Vec<([f32; 3], [f32; 3])> = corner
            .iter()
            .map(|(p, n)| ([0, 1, 2].map(|k| ((x[k] - p[k]) / h) as f32), *n))
            .filter(|(d, _)| d.iter().map(|d| d * d).sum::<f32>() < 1.0)
            .collect();
        let mut neighbours = Neighbours::default();
        neighbours.resize(near.len());
        for (k, &(d, n)) in near.iter().enumerate() {
            neighbours.put(k, d, n, 1.0);
        }
        let distance = |options: SurfaceOptions| {
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
