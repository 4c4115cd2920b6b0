//! Detection by the phase of modulated light (Bayraktaroglu 2023, §3.1.2 and equation 3.2).
//!
//! What enters: distance and intensity of each sub-ray. What leaves: one detection. The light is
//! modulated with the frequency f; each sub-ray brings it back with the phase φ = 2π·r/A, with
//! A = c/(2f) the distance after which ranges repeat, and with the power I/r². The receiver sees the
//! sum, a sinusoid again, and takes its phase: r = A·Δφ/2π (the equation of the thesis lacks c and
//! counts from the end of the period). Two surfaces in one spot give a range between or, half a
//! period apart, anywhere: no window tells them apart.

use std::f64::consts::TAU;
use understory_base::math;

use super::{Detection, Sample};

/// Of the light that comes back, what must be left of the sum for a phase.
const LEAST: f64 = 1e-6;

/// Detects the return of one pulse in samples of ranges modulo `ambiguity_m`.
///
/// The range is that of the sum's phase nearest to the strongest sample; folding comes after the
/// errors.
pub(super) fn detect(ambiguity_m: f64, samples: &[Sample], mut found: impl FnMut(Detection)) {
    let power = |sample: &Sample| {
        let range_m = sample.range_m.max(1e-3);
        f64::from(sample.intensity) / (range_m * range_m)
    };
    let mut strongest = match samples.first() {
        Some(first) => first,
        None => return,
    };
    for sample in samples {
        if power(sample) > power(strongest) {
            strongest = sample;
        }
    }
    let (mut cos_sum, mut sin_sum, mut sum) = (0.0, 0.0, 0.0);
    for sample in samples {
        let phase = TAU * (sample.range_m - strongest.range_m) / ambiguity_m;
        let (sin, cos) = math::sin_cos(phase);
        let power = power(sample);
        cos_sum += power * cos;
        sin_sum += power * sin;
        sum += power;
    }
    let amplitude = math::hypot(cos_sum, sin_sum);
    if amplitude <= LEAST * sum {
        return;
    }
    let range_m = strongest.range_m + ambiguity_m * math::atan2(sin_sum, cos_sum) / TAU;
    let square = strongest.range_m * strongest.range_m;
    found(Detection {
        range_m: range_m.max(0.0),
        intensity: (amplitude * square) as f32,
        truth: samples.iter().map(|sample| sample.row).min(),
        sub_ray_hits: samples.len() as u16,
        near_m: samples[0].range_m as f32,
        far_m: samples[samples.len() - 1].range_m as f32,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range_m(ambiguity_m: f64, light: &[(f64, f64)]) -> Option<f64> {
        let sample = |(row, &(range_m, intensity)): (usize, &(f64, f64))| Sample {
            range_m,
            intensity: intensity as f32,
            row: row as u32,
        };
        let samples: Vec<Sample> = light.iter().enumerate().map(sample).collect();
        let mut found = None;
        detect(ambiguity_m, &samples, |detection| found = Some(detection.range_m));
        found
    }

    /// A camera's own way: four samples of the light's correlation with the modulation, a quarter of
    /// a period apart, of light that is summed up in time.
    fn by_four_samples(ambiguity_m: f64, light: &[(f64, f64)]) -> f64 {
        let sample = |turn: f64| -> f64 {
            let steps = 3600;
            let each = (0..steps).map(|i| {
                let t = f64::from(i) / f64::from(steps);
                let sent = |t: f64| 1.0 + (TAU * t).cos();
                let back = |&(r, i): &(f64, f64)| i / (r * r) * sent(t - r / ambiguity_m);
                light.iter().map(back).sum::<f64>() * sent(t - turn)
            });
            each.sum::<f64>() / f64::from(steps)
        };
        let [a, b, c, d] = [0.0, 0.25, 0.5, 0.75].map(sample);
        (ambiguity_m * (b - d).atan2(a - c) / TAU).rem_euclid(ambiguity_m)
    }

    #[test]
    fn one_surface_is_where_it_is() {
        for range in [0.4, 3.0, 7.3, 12.0] {
            assert!((range_m(5.0, &[(range, 0.3)]).unwrap() - range).abs() < 1e-12);
        }
        assert_eq!(range_m(5.0, &[]), None);
    }

    #[test]
    fn mixed_surfaces_agree_with_four_samples_of_a_sinusoid() {
        let mixtures: [&[(f64, f64)]; 4] = [
            &[(2.0, 0.5), (2.6, 0.5)],
            &[(2.0, 0.2), (4.1, 0.9)],
            &[(1.0, 0.1), (1.5, 0.2), (4.9, 0.9), (9.0, 0.8)],
            &[(3.0, 0.5), (8.0, 0.5)],
        ];
        for light in mixtures {
            let found = range_m(5.0, light).unwrap().rem_euclid(5.0);
            let expected = by_four_samples(5.0, light);
            assert!((found - expected).abs() < 1e-6, "{light:?}: {found} {expected}");
        }
    }

    /// Equal light half a period apart leaves no phase.
    #[test]
    fn light_that_cancels_gives_nothing() {
        assert_eq!(range_m(10.0, &[(2.0, 4.0), (7.0, 49.0)]), None);
    }
}
