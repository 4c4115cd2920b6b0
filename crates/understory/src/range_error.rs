//! Errors of the measured range: [`Detections`] → measured ranges.
//!
//! What enters: detected ranges. What leaves: one measured range per detection, with the error
//! added and then rounded to the sensor's step. The bias of each laser and errors that are
//! correlated from beam to beam have their place here.

use crate::detector::Detections;
use crate::rng::{PulseRng, Stage};

/// How a measured range departs from the detected one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RangeError {
    /// Not at all.
    #[default]
    None,
    /// By independent normal errors (Deschaud 2012, §IV: 5 mm).
    Gaussian {
        /// Standard deviation.
        sigma_m: f64,
    },
}

/// The error of a sensor's ranges and the step in which it reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RangeReport {
    /// The error.
    pub error: RangeError,
    /// Step of the reported range; 0: none.
    pub quantum_m: f64,
}

impl RangeReport {
    /// Fills `measured_m` with one range per detection, never below 0. The batch starts at pulse
    /// `first_pulse` of sensor `sensor`.
    pub fn measure(
        &self,
        found: &Detections,
        seed: u64,
        sensor: u16,
        first_pulse: u64,
        measured_m: &mut Vec<f64>,
    ) {
        measured_m.clear();
        measured_m.extend(found.detections.iter().map(|detection| detection.range_m));
        if let RangeError::Gaussian { sigma_m } = self.error {
            for pulse in 0..found.pulses() {
                let index = first_pulse + pulse as u64;
                let mut rng = PulseRng::new(seed, sensor, index, Stage::RangeError);
                for range_m in &mut measured_m[found.rows(pulse)] {
                    *range_m = (*range_m + sigma_m * rng.gaussian()).max(0.0);
                }
            }
        }
        if self.quantum_m > 0.0 {
            for range_m in measured_m {
                *range_m = (*range_m / self.quantum_m).round() * self.quantum_m;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detector::Detection;

    fn found(range_m: f64, pulses: usize) -> Detections {
        let detection = Detection {
            range_m,
            intensity: 1.0,
            truth: Some(0),
            sub_ray_hits: 1,
            near_m: range_m as f32,
            far_m: range_m as f32,
        };
        Detections::from_pulses((0..pulses).map(|_| vec![detection]))
    }

    fn measured(report: RangeReport, found: &Detections, first_pulse: u64) -> Vec<f64> {
        let mut measured_m = Vec::new();
        report.measure(found, 42, 0, first_pulse, &mut measured_m);
        measured_m
    }

    #[test]
    fn ranges_are_rounded_to_the_nearest_step() {
        let report = RangeReport { error: RangeError::None, quantum_m: 0.002 };
        for (range_m, expected) in [(10.0009, 10.0), (10.0011, 10.002), (7.1234, 7.124)] {
            assert!((measured(report, &found(range_m, 1), 0)[0] - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn without_error_and_step_nothing_changes() {
        assert_eq!(measured(RangeReport::default(), &found(12.345_678, 2), 0), [12.345_678; 2]);
    }

    /// Kolmogorov and Smirnov's distance of 20 000 errors from the normal law stays below
    /// 2.23/√n with probability 0.9999.
    #[test]
    fn gaussian_errors_are_normal_with_their_sigma() {
        let report = RangeReport { error: RangeError::Gaussian { sigma_m: 0.005 }, quantum_m: 0.0 };
        let n = 20_000;
        let mut errors: Vec<f64> =
            measured(report, &found(25.0, n), 7).iter().map(|r| (r - 25.0) / 0.005).collect();
        errors.sort_by(f64::total_cmp);
        let distance = errors.iter().enumerate().map(|(i, &x)| {
            let (below, above) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
            (normal_cdf(x) - below).abs().max((normal_cdf(x) - above).abs())
        });
        let distance = distance.fold(0.0, f64::max);
        assert!(distance < 2.23 / (n as f64).sqrt(), "distance {distance}");
    }

    #[test]
    fn an_error_belongs_to_its_pulse_and_not_to_its_batch() {
        let report =
            RangeReport { error: RangeError::Gaussian { sigma_m: 0.02 }, quantum_m: 0.004 };
        let whole = measured(report, &found(9.0, 10), 100);
        let parts =
            [measured(report, &found(9.0, 4), 100), measured(report, &found(9.0, 6), 104)].concat();
        assert_eq!(whole, parts);
    }

    #[test]
    fn no_range_is_negative() {
        let report = RangeReport { error: RangeError::Gaussian { sigma_m: 1.0 }, quantum_m: 0.0 };
        assert!(measured(report, &found(0.1, 100), 0).iter().all(|&r| r >= 0.0));
    }

    /// By Simpson's rule from 0, good to 1e-9 for |x| < 8.
    fn normal_cdf(x: f64) -> f64 {
        let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let (steps, x) = (200, x.clamp(-8.0, 8.0));
        let h = x / steps as f64;
        let inner = (1..steps).map(|i| (2.0 + 2.0 * (i % 2) as f64) * density(i as f64 * h));
        0.5 + h / 3.0 * (density(0.0) + inner.sum::<f64>() + density(x))
    }
}
