//! Randomness that depends on nothing but what is drawn for: seed, sensor, pulse and stage.
//!
//! Philox 4×32-10 (Salmon et al. 2011) turns a key and a counter into random words. The key is
//! the mixed seed; stage, sensor and pulse are fields of the counter, so no two of them ever share
//! a word, and neither threads nor intervals nor the order of the work can change one.

use std::f64::consts::TAU;
use understory_base::math;

use rand_philox::{Philox, splitmix64, u32_to_unit_f64};

/// Which step of the pulse's path draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Stage {
    /// The error of the measured range.
    RangeError = 1,
    /// The bias of a laser; the channel stands in the place of the pulse.
    RangeBias = 16,
    /// Phases of the wave along a channel; the channel stands in the place of the pulse.
    RangePhase = 17,
    /// Drift of those phases; channel and scan stand in the place of the pulse.
    RangeDrift = 18,
    /// The smooth curve along a channel; the channel stands in the place of the pulse.
    RangeSmooth = 22,
    /// The search for planes in a recording; no pulse is fired.
    PlaneSearch = 19,
    /// Photon counts of a figure.
    FigurePhotons = 20,
    /// Stems of a figure, strewn without a scene; the beam stands in the place of the pulse.
    FigureStems = 21,
    /// Particles in the air.
    Air = 32,
    /// What rain does to ranges.
    AirRange = 33,
    /// Volumes of learned sites.
    Volume = 40,
    /// Points on retroreflectors in the halo of a beam.
    Halo = 41,
    /// Grains in the light.
    Speckle = 42,
    /// Turbulent air.
    Turbulence = 43,
    /// The noise of the receiver.
    Waveform = 10,
    /// Errors of GPS, compass and IMU; instrument and sample stand in the places of sensor and
    /// pulse.
    Navigation = 50,
    /// When a sensor that is not synchronised begins; no pulse is fired.
    SensorDelay = 51,
    /// What wheels count wrongly; the step of a drive stands in the place of the pulse.
    Odometry = 52,
}

/// Whose random numbers a batch of pulses draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchKey {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the sensor.
    pub sensor: u16,
    /// Index of the first pulse of the batch.
    pub first_pulse: u64,
}

impl BatchKey {
    /// The random numbers of one stage of pulse `pulse` of the batch.
    pub fn rng(&self, pulse: usize, stage: Stage) -> PulseRng {
        PulseRng::new(self.seed, self.sensor, self.first_pulse + pulse as u64, stage)
    }
}

/// The random numbers of one stage of one pulse.
///
/// ```
/// use understory::rng::{PulseRng, Stage};
/// let draw = |pulse| PulseRng::new(7, 0, pulse, Stage::RangeError).gaussian();
/// assert_eq!(draw(5), draw(5));
/// assert_ne!(draw(5), draw(6));
/// ```
#[derive(Clone, Debug)]
pub struct PulseRng(Philox);

impl PulseRng {
    /// The stream of these four; it holds 2³⁴ words.
    pub fn new(seed: u64, sensor: u16, pulse: u64, stage: Stage) -> PulseRng {
        let key = splitmix64(seed);
        let counter = (stage as u128) << 112 | u128::from(sensor) << 96 | u128::from(pulse) << 32;
        PulseRng(Philox::new([key as u32, (key >> 32) as u32], counter))
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in the open interval (0, 1).
    pub fn uniform(&mut self) -> f64 {
        u32_to_unit_f64(self.0.next_u32())
    }

    /// Normal with mean 0 and standard deviation 1, by Box and Muller's transform.
    pub fn gaussian(&mut self) -> f64 {
        let radius = (-2.0 * math::ln(self.uniform())).sqrt();
        radius * math::cos(TAU * self.uniform())
    }

    /// Two independent normal numbers for little more than the price of one.
    pub fn gaussian_pair(&mut self) -> [f64; 2] {
        let radius = (-2.0 * math::ln(self.uniform())).sqrt();
        let (sin, cos) = math::sin_cos(TAU * self.uniform());
        [radius * cos, radius * sin]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(seed: u64, sensor: u16, pulse: u64) -> f64 {
        PulseRng::new(seed, sensor, pulse, Stage::RangeError).uniform()
    }

    #[test]
    fn the_order_of_the_pulses_changes_nothing() {
        let forwards: Vec<f64> = (0..1000).map(|pulse| first(3, 1, pulse)).collect();
        let mut backwards: Vec<f64> = (0..1000).rev().map(|pulse| first(3, 1, pulse)).collect();
        backwards.reverse();
        assert_eq!(forwards, backwards);
    }

    #[test]
    fn every_field_of_the_key_matters() {
        let base = first(1, 0, 0);
        for other in [first(2, 0, 0), first(1, 1, 0), first(1, 0, 1), first(1, 0, 1 << 40)] {
            assert_ne!(base, other);
        }
    }

    /// χ² with 255 degrees of freedom stays below 347.7 with probability 0.9999.
    #[test]
    fn first_words_of_consecutive_pulses_are_uniform() {
        let mut counts = [0u32; 256];
        let draws = 256 * 1000;
        for pulse in 0..draws {
            counts[(first(11, 2, pulse) * 256.0) as usize] += 1;
        }
        let chi_squared: f64 = counts.iter().map(|&n| (n as f64 - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 347.7, "χ² is {chi_squared}");
    }

    /// Neighbouring pulses, sensors and seeds are uncorrelated: |ρ| of 10⁵ pairs stays below
    /// 3.9/√10⁵ with probability 0.9999.
    #[test]
    fn neighbours_are_uncorrelated() {
        let n = 100_000;
        let bound = 3.9 / (n as f64).sqrt();
        let correlation = |other: &dyn Fn(u64) -> f64| {
            let pairs = (0..n).map(|pulse| (first(5, 0, pulse) - 0.5) * (other(pulse) - 0.5));
            pairs.sum::<f64>() * 12.0 / n as f64
        };
        assert!(correlation(&|pulse| first(5, 0, pulse + 1)).abs() < bound);
        assert!(correlation(&|pulse| first(5, 1, pulse)).abs() < bound);
        assert!(correlation(&|pulse| first(6, 0, pulse)).abs() < bound);
    }
}
