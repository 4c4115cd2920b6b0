//! Turbulence: warm and cold air bend and focus the beam (Bayraktaroglu 2023, §3.7).
//!
//! What enters: C_n², the structure constant of the air's refractive index, and what was met. What
//! leaves:
//!
//! - Scintillation: the light of a target at L has a lognormal factor of mean 1 and variance σ_I².
//!   With β² = 0.5·C_n²·k^(7/6)·L^(11/6), the Rytov variance of a spherical wave, it is
//!   σ_I² = exp(0.49β²/(1 + 0.56β^(12/5))^(7/6) + 0.51β²/(1 + 0.69β^(12/5))^(5/6)) − 1 for a point,
//!   weak or strong (Andrews and Phillips 2005, "Laser Beam Propagation through Random Media",
//!   §9.5), and times (1 + 1.06·kD²/(4L))^(−7/6) for a receiver of diameter D (ibid., §10.3). What
//!   is met at one distance flickers together.
//! - Wander: the beam goes aside by an angle of the variance 2.42·C_n²·L·W₀^(−1/3) over both axes
//!   (ibid., §6.6), with W₀ the radius of the beam at its exit. On a target that stands askew by θ
//!   the range then errs by L·tan θ times the half of it that lies in the plane of incidence. It is
//!   microradians, far below the width of any beam, so that which things are met stays.

use understory_base::math;
use understory_files::ValueOr;
use understory_files::sensor::TurbulenceFile;

use crate::pulse::detector::Detections;
use crate::pulse::echo::EchoSignal;
use crate::pulse::interaction::Interactions;
use crate::rng::{BatchKey, Stage};

/// Turbulent air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turbulence {
    /// C_n², in m^(−2/3).
    pub cn2: f64,
    /// Diameter of the receiver over which scintillation is averaged; 0: a point.
    pub receiver_m: f64,
    /// W₀, radius of the beam where it leaves the sensor.
    pub beam_m: f64,
    /// k = 2π/λ.
    pub wavenumber_per_m: f64,
}

/// Steepest incidence that wander knows: beyond it a target is an edge.
const TAN_MAX: f64 = 20.0;

impl Turbulence {
    /// What the file says of a sensor of this wavelength.
    pub(super) fn from_file(file: &TurbulenceFile, wavelength_nm: f64) -> Turbulence {
        Turbulence {
            cn2: file.cn2.get(),
            receiver_m: 1e-3 * file.receiver_aperture_mm.value_or(0.0),
            beam_m: 1e-3 * file.beam_radius_mm.value_or(5.0),
            wavenumber_per_m: std::f64::consts::TAU / (wavelength_nm * 1e-9),
        }
    }

    /// σ_I² of light from a distance.
    pub fn scintillation(&self, distance_m: f64) -> f64 {
        let k = self.wavenumber_per_m;
        let rytov = 0.5 * self.cn2 * math::powf(k, 7.0 / 6.0) * math::powf(distance_m, 11.0 / 6.0);
        let power = math::powf(rytov, 6.0 / 5.0);
        let large = 0.49 * rytov / math::powf(1.0 + 0.56 * power, 7.0 / 6.0);
        let small = 0.51 * rytov / math::powf(1.0 + 0.69 * power, 5.0 / 6.0);
        let point = math::exp_m1(large + small);
        let fresnel = k * self.receiver_m * self.receiver_m / (4.0 * distance_m.max(1e-3));
        point * math::powf(1.0 + 1.06 * fresnel, -7.0 / 6.0)
    }

    /// Standard deviation of the angle by which the beam goes aside, along one axis, on the way to a
    /// distance.
    pub fn wander_rad(&self, distance_m: f64) -> f64 {
        (0.5 * 2.42 * self.cn2 * distance_m).sqrt() * math::powf(self.beam_m, -1.0 / 6.0)
    }

    /// Makes the light of each distance stronger or weaker.
    pub fn fluctuate(&self, interactions: &Interactions, signal: &mut EchoSignal, key: BatchKey) {
        for pulse in 0..interactions.pulses() {
            let rows = interactions.rows(pulse);
            if rows.is_empty() {
                continue;
            }
            let normal = key.rng(pulse, Stage::Turbulence).gaussian();
            for row in rows {
                let variance = self.scintillation(f64::from(interactions.distance_m[row]));
                let log = math::ln_1p(variance);
                signal.intensity[row] *= math::exp(log.sqrt() * normal - 0.5 * log) as f32;
            }
        }
    }

    /// What the wander of the beam does to ranges on surfaces that stand askew.
    pub fn wander(&self, interactions: &Interactions, found: &mut Detections, key: BatchKey) {
        for pulse in 0..found.pulses() {
            let rows = found.rows(pulse);
            if rows.is_empty() {
                continue;
            }
            let mut rng = key.rng(pulse, Stage::Turbulence);
            // The first was the scintillation's.
            let _ = rng.gaussian();
            let aside = rng.gaussian();
            for detection in &mut found.detections[rows] {
                let Some(row) = detection.truth.map(|row| row as usize) else { continue };
                let cos = interactions.cos_incidence[row].clamp(1e-6, 1.0);
                let tan = ((1.0 - cos * cos).sqrt() / cos).min(TAN_MAX);
                let distance_m = f64::from(interactions.distance_m[row]);
                let error_m = distance_m * self.wander_rad(distance_m) * tan * aside;
                detection.range_m = (detection.range_m + error_m).max(0.0);
            }
        }
    }

    pub(super) fn describe(&self) -> String {
        format!("turbulence of C_n² {:e} m^(−2/3)", self.cn2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pulse::detector::Detection;

    const AIR: Turbulence =
        Turbulence { cn2: 1e-13, receiver_m: 0.0, beam_m: 0.005, wavenumber_per_m: 6.942_746e6 };

    /// At 905 nm, 100 m and 10⁻¹³: β² = 0.5·10⁻¹³·(6.9427·10⁶)^(7/6)·100^(11/6) = 0.022253, worked
    /// out by logarithms. Weak air has σ_I² = β², strong air saturates near 1.
    #[test]
    fn scintillation_by_hand() {
        let weak = AIR.scintillation(100.0);
        assert!((weak / 0.022_25 - 1.0).abs() < 0.02, "{weak}");
        let tenth = Turbulence { cn2: 1e-15, ..AIR }.scintillation(100.0);
        assert!((tenth / 2.2253e-4 - 1.0).abs() < 1e-3, "{tenth}");
        let strong = Turbulence { cn2: 1e-11, ..AIR }.scintillation(5000.0);
        assert!(strong > 1.0 && strong < 1.3, "{strong}");
        // A receiver of 25 mm at 100 m: kD²/4L = 10.848, (1 + 11.499)^(−7/6) = 0.05251.
        let wide = Turbulence { receiver_m: 0.025, ..AIR }.scintillation(100.0);
        assert!((wide / weak / 0.05251 - 1.0).abs() < 2e-3, "{}", wide / weak);
    }

    /// Light of a target flickers with the lognormal law: mean 1 and the variance of the formula;
    /// 40 000 pulses, 5.5 standard errors (4·10⁻⁸), the variance's by its fourth moment.
    #[test]
    fn light_is_lognormal_with_mean_1() {
        let n = 40_000;
        let air = Turbulence { cn2: 1e-12, ..AIR };
        let mut interactions = Interactions::of_sub_rays(n, 1);
        interactions.distance_m.fill(100.0);
        let mut signal = EchoSignal { intensity: vec![1.0; n] };
        air.fluctuate(&interactions, &mut signal, BatchKey { seed: 6, sensor: 0, first_pulse: 0 });
        let variance = air.scintillation(100.0);
        assert!(variance > 0.15 && variance < 0.25, "{variance}");
        let logs: Vec<f64> = signal.intensity.iter().map(|i| f64::from(*i).ln()).collect();
        let count = n as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let spread = logs.iter().map(|l| (l - mean).powi(2)).sum::<f64>() / count;
        let expected = variance.ln_1p();
        assert!((mean + expected / 2.0).abs() < 5.5 * (expected / count).sqrt(), "{mean}");
        assert!((spread / expected - 1.0).abs() < 5.5 * (2.0 / count).sqrt(), "{spread}");
    }

    /// On a wall that stands askew by 60° ranges scatter by L·σ·tan 60°, with
    /// σ = √(1.21·10⁻¹³·100)·0.005^(−1/6) = 8.412 µrad; on one that faces the beam not at all.
    /// 40 000 pulses, 5.5 standard errors (4·10⁻⁸).
    #[test]
    fn wander_scatters_ranges_on_slopes() {
        assert!((AIR.wander_rad(100.0) / 8.412e-6 - 1.0).abs() < 1e-3, "{}", AIR.wander_rad(100.0));
        let n = 40_000;
        for (cos, sigma_m) in [(0.5, 100.0 * 8.412e-6 * 3f64.sqrt()), (1.0, 0.0)] {
            let mut interactions = Interactions::of_sub_rays(n, 1);
            interactions.distance_m.fill(100.0);
            interactions.cos_incidence.fill(cos);
            let one = |row: usize| Detection {
                range_m: 100.0,
                intensity: 1.0,
                truth: Some(row as u32),
                sub_ray_hits: 1,
                near_m: 100.0,
                far_m: 100.0,
            };
            let mut found = Detections::from_pulses((0..n).map(|row| vec![one(row)]));
            AIR.wander(&interactions, &mut found, BatchKey { seed: 6, sensor: 0, first_pulse: 0 });
            let square = found.detections.iter().map(|d| (d.range_m - 100.0).powi(2)).sum::<f64>();
            let sigma = (square / n as f64).sqrt();
            let slack = 5.5 * sigma_m / (2.0 * n as f64).sqrt() + 1e-3 * sigma_m;
            assert!((sigma - sigma_m).abs() <= slack, "{sigma} {sigma_m}");
        }
    }
}
