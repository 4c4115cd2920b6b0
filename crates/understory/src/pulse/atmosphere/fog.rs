//! Fog: what its droplets send back beside the target (Hahner et al. 2021, corrected).
//!
//! What enters: extinction α and the sensor's pulse. What leaves: [`FogEcho`], a table from the
//! distance R0 of the target to the strongest echo of the fog before it and its range.
//!
//! - A hard target at R0 keeps e^(−2αR0) of its light.
//! - The fog's echo at R is I(R) = ∫₀^2τ sin²(πt/2τ)·e^(−2αx)·ξ(x)/x²·U(R0−x) dt with x = R − ct/2,
//!   the pulse's width τ (FWHM) and the overlap ξ of beam and view: 0 below R1, 1 from R2 on.
//! - In units in which a white target at R0 gives 1/R0² it is (β/β0)·max I, with β = 0.046/MOR and
//!   β0 = Γ/π; Γ = 10⁻⁶ is the paper's. It is reported at the R of the maximum less cτ/2.
//!
//! R0 matters only while it cuts into the integral at the maximum, which happens within a few
//! metres; so the table is short, and beyond its end the echo is the same for every target.

use std::f64::consts::PI;
use understory_base::math;

use super::extinction;

/// Speed of light.
pub const LIGHT_M_PER_S: f64 = 299_792_458.0;

/// What a fog is made of, and what the model must know of the sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FogSpec {
    /// Extinction coefficient α.
    pub extinction_per_m: f64,
    /// Backscatter coefficient β; the paper's is [`FogSpec::PAPER_BACKSCATTER`]/MOR.
    pub backscatter_per_m_sr: f64,
    /// The pulse's full width at half maximum, τ.
    pub pulse_s: f64,
    /// Γ of the paper, here of a white target.
    pub target_reflectivity: f64,
    /// R1 and R2: where the view begins to overlap with the beam, and where it holds all of it.
    pub overlap_m: [f64; 2],
    /// Standard deviation of the logarithm of β from pulse to pulse; 0: even fog, as in the paper.
    pub patchiness: f64,
}

impl FogSpec {
    /// β·MOR.
    pub const PAPER_BACKSCATTER: f64 = 0.046;

    /// The paper's fog of this visibility.
    pub fn with_visibility(visibility_m: f64) -> FogSpec {
        FogSpec {
            extinction_per_m: extinction::extinction_per_m(visibility_m),
            backscatter_per_m_sr: FogSpec::PAPER_BACKSCATTER / visibility_m,
            pulse_s: 20e-9,
            target_reflectivity: 1e-6,
            overlap_m: OVERLAP_M,
            patchiness: 0.0,
        }
    }

    /// I(R) of fog before a target at `target_m`, in s/m².
    pub fn response(&self, range_m: f64, target_m: f64) -> f64 {
        let length_m = LIGHT_M_PER_S * self.pulse_s;
        let [near_m, full_m] = self.overlap_m;
        let from_m = (range_m - length_m).max(near_m);
        let to_m = range_m.min(target_m);
        let density = |x: f64| {
            let pulse = math::sin(PI * (range_m - x) / length_m);
            pulse * pulse * math::exp(-2.0 * self.extinction_per_m * x) * self.overlap(x) / (x * x)
        };
        // Two pieces, because the overlap has a kink.
        let kink_m = full_m.clamp(from_m, to_m.max(from_m));
        let whole = simpson(&density, from_m, kink_m) + simpson(&density, kink_m, to_m);
        whole * 2.0 / LIGHT_M_PER_S
    }

    fn overlap(&self, distance_m: f64) -> f64 {
        overlap(self.overlap_m, distance_m)
    }
}

/// R1 and R2 of Hahner et al.
pub const OVERLAP_M: [f64; 2] = [0.9, 1.0];

/// Share of the beam that the receiver sees at a distance.
pub fn overlap([near_m, full_m]: [f64; 2], distance_m: f64) -> f64 {
    ((distance_m - near_m) / (full_m - near_m)).clamp(0.0, 1.0)
}

/// ∫ over [from, to]; 0 where that is empty.
fn simpson(f: &dyn Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const STEPS: usize = 200;
    if to <= from {
        return 0.0;
    }
    let h = (to - from) / STEPS as f64;
    let inner = (1..STEPS).map(|i| (2.0 + 2.0 * (i % 2) as f64) * f(from + i as f64 * h));
    h / 3.0 * (f(from) + inner.sum::<f64>() + f(to))
}

/// The strongest echo of a fog by the distance of the target behind it.
#[derive(Clone, Debug)]
pub struct FogEcho {
    /// The table's first distance.
    near_m: f64,
    step_m: f64,
    /// Power and reported range; the last holds for everything beyond.
    rows: Vec<(f64, f64)>,
    patchiness: f64,
}

impl FogEcho {
    /// Works the table out.
    pub fn new(spec: &FogSpec) -> FogEcho {
        const ROWS: usize = 96;
        let near_m = spec.overlap_m[0];
        let scale = spec.backscatter_per_m_sr * PI / spec.target_reflectivity;
        let half_pulse_m = LIGHT_M_PER_S * spec.pulse_s / 2.0;
        let row = |target_m: f64| {
            let (range_m, response) = maximum(spec, target_m);
            (scale * response, (range_m - half_pulse_m).clamp(0.0, target_m))
        };
        // A target behind the last light that the unhindered maximum needs changes nothing.
        let (far_m, _) = maximum(spec, f64::INFINITY);
        let step_m = (far_m - near_m) / (ROWS - 1) as f64;
        let mut rows: Vec<(f64, f64)> =
            (0..ROWS - 1).map(|i| row(near_m + i as f64 * step_m)).collect();
        rows.push(row(f64::INFINITY));
        FogEcho { near_m, step_m, rows, patchiness: spec.patchiness }
    }

    /// Power of the fog's echo before a target at `target_m`, in units in which a white target at
    /// R0 gives 1/R0² in clear air, and its range.
    #[inline]
    pub fn before(&self, target_m: f64) -> (f64, f64) {
        let last = self.rows.len() - 1;
        let place = (target_m - self.near_m) / self.step_m;
        if place >= last as f64 {
            return self.rows[last];
        }
        if place < 0.0 {
            return (0.0, target_m);
        }
        let index = place as usize;
        let (low, high, part) = (self.rows[index], self.rows[index + 1], place.fract());
        (low.0 + (high.0 - low.0) * part, low.1 + (high.1 - low.1) * part)
    }

    /// The echo before a target that is far away.
    pub fn unhindered(&self) -> (f64, f64) {
        self.rows[self.rows.len() - 1]
    }

    /// From which distance on a target changes nothing.
    pub fn reach_m(&self) -> f64 {
        self.near_m + self.step_m * (self.rows.len() - 1) as f64
    }

    /// Standard deviation of the logarithm of the echo from pulse to pulse.
    pub fn patchiness(&self) -> f64 {
        self.patchiness
    }
}

/// Place and value of the maximum of I, by golden section: I has one maximum, because the pulse is
/// log-concave and what it is folded with rises and falls once.
fn maximum(spec: &FogSpec, target_m: f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let length_m = LIGHT_M_PER_S * spec.pulse_s;
    let (mut low, mut high) = (spec.overlap_m[0], spec.overlap_m[1] + length_m);
    let response = |range_m: f64| spec.response(range_m, target_m);
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_a, mut at_b) = (response(a), response(b));
    while high - low > 1e-5 {
        if at_a > at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - GOLDEN * (high - low);
            at_a = response(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + GOLDEN * (high - low);
            at_b = response(b);
        }
    }
    let range_m = (low + high) / 2.0;
    (range_m, response(range_m))
}

#[cfg(test)]
mod tests {
    use super::super::extinction::visibility_m;
    use super::*;

    fn fog(extinction_per_m: f64) -> FogSpec {
        FogSpec { extinction_per_m, ..FogSpec::with_visibility(visibility_m(extinction_per_m)) }
    }

    /// Maxima in steps of 0.1 m, I there, and soft over hard echo of a white target at 30 m.
    #[test]
    fn soft_echoes_before_a_target_at_30_m() {
        for (alpha, argmax, response, ratio) in [
            (0.06, 4.6, 3.815_420_85e-9, 0.363_748_365),
            (0.005, 4.7, 4.567_969_05e-9, 0.001_338_532_00),
        ] {
            let spec = fog(alpha);
            let steps = (1..300).map(|i| i as f64 * 0.1);
            let best =
                steps.map(|r| (r, spec.response(r, 30.0))).max_by(|a, b| a.1.total_cmp(&b.1));
            let (range_m, found) = best.unwrap();
            assert!((range_m - argmax).abs() < 1e-9, "{range_m}");
            assert!((found / response - 1.0).abs() < 1e-6, "{found:e}");
            let soft = 900.0 * spec.backscatter_per_m_sr / (1e-6 / PI) * found;
            let hard = (-2.0 * alpha * 30.0f64).exp();
            assert!((soft / hard / ratio - 1.0).abs() < 1e-6, "{}", soft / hard);
            // The table's maximum is no step's but lies within one of it and is no lower.
            let (power, reported_m) = FogEcho::new(&spec).before(30.0);
            assert!((900.0 * power / soft - 1.0 - 5e-4).abs() < 5e-4, "{}", 900.0 * power / soft);
            assert!((reported_m - (argmax - 2.997_924_58)).abs() < 0.05);
        }
    }

    /// Midpoints of the table against the maximum found by a walk in steps of 5 mm.
    #[test]
    fn the_table_follows_targets_near_and_far() {
        let spec = fog(0.06);
        let echo = FogEcho::new(&spec);
        let scale = spec.backscatter_per_m_sr * PI / spec.target_reflectivity;
        for target_m in [1.05, 1.5, 2.2, 3.3, 4.5, 4.7, 8.0, 100.0] {
            let steps = (180..1400).map(|i| i as f64 * 0.005);
            let found = steps.map(|r| (r, spec.response(r, target_m)));
            let (range_m, best) = found.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
            let (power, reported_m) = echo.before(target_m);
            assert!((power / (scale * best) - 1.0).abs() < 4e-3, "{target_m}: {power:e}");
            assert!((reported_m - (range_m - 2.997_924_58)).abs() < 0.02, "{target_m}");
        }
        assert_eq!(echo.before(0.5).0, 0.0);
        assert!(echo.reach_m() < 5.0);
    }

    /// Γ = 2/c is the lidar equation of a white target and of fog in slabs: the light that leaves at
    /// the time s reaches the slab at x and is back at t = s + 2x/c, β·dx/x² of it where a white
    /// target sends 1/(π·R0²) back. So the paper's Γ = 10⁻⁶ is fog 150 times weaker.
    #[test]
    fn two_over_c_is_the_lidar_equation() {
        let spec = fog(0.015);
        let (step_m, pulse_s) = (0.002, spec.pulse_s);
        let slabs: Vec<f64> = (0..10_000).map(|i| 0.9 + step_m * (f64::from(i) + 0.5)).collect();
        let received = |t: f64| -> f64 {
            let of_slab = |x: &f64| {
                let s = t - 2.0 * x / LIGHT_M_PER_S;
                let lit = if (0.0..2.0 * pulse_s).contains(&s) { 1.0 } else { 0.0 };
                let emitted = lit * (0.5 - 0.5 * (PI * s / pulse_s).cos());
                let through = (-2.0 * 0.015 * x).exp() * ((x - 0.9) / 0.1).min(1.0);
                emitted * through * spec.backscatter_per_m_sr * step_m / (x * x)
            };
            PI * slabs.iter().map(of_slab).sum::<f64>()
        };
        let best = (0..400).map(|i| received(f64::from(i) * 2e-10)).fold(0.0, f64::max);
        let equation = FogSpec { target_reflectivity: 2.0 / LIGHT_M_PER_S, ..spec };
        let (power, _) = FogEcho::new(&equation).unhindered();
        assert!((power / best - 1.0).abs() < 1e-3, "{power:e} {best:e}");
        let (of_paper, _) = FogEcho::new(&spec).unhindered();
        assert!((power / of_paper / 149.896 - 1.0).abs() < 1e-5, "{}", power / of_paper);
    }

    /// The table of docs/weather.md: the echo at 200 m of visibility in that of the weakest target that
    /// a VLP-16 sees (100 m).
    #[test]
    fn how_bright_fog_is_at_200_m() {
        let weakest = 0.9 / PI / (100.0 * 100.0);
        let of = |reflectivity: f64, overlap_m: [f64; 2], pulse_s: f64| {
            let spec = FogSpec::with_visibility(200.0);
            let spec = FogSpec { target_reflectivity: reflectivity, overlap_m, pulse_s, ..spec };
            FogEcho::new(&spec).unhindered().0 / weakest
        };
        let equation = 2.0 / LIGHT_M_PER_S;
        for (found, documented) in [
            (of(1e-6, OVERLAP_M, 20e-9), 0.11),
            (of(equation, OVERLAP_M, 20e-9), 16.7),
            (of(equation, OVERLAP_M, 5e-9), 9.6),
            (of(equation, [2.0, 5.0], 20e-9), 2.4),
            (of(equation, [2.0, 5.0], 5e-9), 0.70),
            (of(equation, [5.0, 15.0], 20e-9), 0.28),
            (of(equation, [5.0, 15.0], 5e-9), 0.07),
        ] {
            assert!((found / documented - 1.0).abs() < 0.05, "{found} {documented}");
        }
    }

    #[test]
    fn a_nearer_target_never_makes_the_fog_brighter() {
        let echo = FogEcho::new(&fog(0.02));
        let powers: Vec<f64> = (0..200).map(|i| echo.before(0.5 + i as f64 * 0.03).0).collect();
        assert!(powers.windows(2).all(|pair| pair[1] >= pair[0]));
    }
}
