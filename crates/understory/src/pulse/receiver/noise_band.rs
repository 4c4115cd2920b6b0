//! The band of a receiver's noise: which samples of it are alike.
//!
//! What enters: the bandwidth B of the electronics, the pulse and the step Δ of the samples. What
//! leaves: the correlation of the noise over time, noise with that correlation, and the bound that
//! it sets to ranges.
//!
//! The electronics are a Gaussian low-pass, which is what several real poles in a row come to. Its
//! response to an impulse is a Gaussian of the standard deviation σ_h, and white noise behind it has
//! the correlation
//!
//! ρ(τ) = exp(−τ²/4σ_h²), σ_h = 1/(4√π·B),
//!
//! with B the noise-equivalent bandwidth, the B of the variance 4kTB/R_L. The filter leaves that
//! variance as it is. The pulse of a receiver is given as it comes out of the electronics, with the
//! standard deviation σ; it cannot be shorter than their response. Where nothing is known of them,
//! and where B is less than that, the filter is the matched one: σ_h = σ/√2, the response as long as
//! the light of the laser itself, B = 0.47 over the pulse's width at half maximum.
//!
//! Noise is drawn as white numbers w_j, one every m-th sample, that go through the filter:
//! n_i = Σ_j c(i − m·j)·w_j. Where samples are close, m is the most for which the Gaussian c has no
//! ripple; where they are far apart, m is 1 and c is the inverse transform of the root of the
//! spectrum, whose products are ρ at every lag.
//!
//! **Bound.** A pulse whose peak is SNR times the noise has at best the error (Cramér and Rao)
//! 1/σ_t² = 1/2π·∫ Σω_k²|S(ω_k)|² / ΣN(ω_k) dω over |ω| < π/Δ, with ω_k = ω + 2πk/Δ, averaged over
//! where the samples lie. With samples far apart this is the bound of white noise, √(2σΔ/√π)/SNR;
//! close together it ends at 2√(σ_h·σ_l³)/(σ·SNR), σ_l² = σ² − σ_h², and more samples bring nothing.

use std::f64::consts::{FRAC_1_SQRT_2, PI};
use understory_base::math;

use super::Pulse;
use crate::rng::PulseRng;

/// Samples farther apart than this many σ_h are independent: ρ is below a thousandth.
const WHITE_FROM: f64 = 5.3;
/// White numbers this many σ_h apart give noise whose variance is even to 4·10⁻⁷.
const NODES_APART: f64 = 0.8;

/// The band of a receiver's noise, and the step of its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NoiseBand {
    /// σ_h, standard deviation of the response of the electronics to an impulse.
    pub response_s: f64,
    /// Time from sample to sample.
    pub bin_s: f64,
}

impl NoiseBand {
    /// The band of electronics of this noise-equivalent bandwidth that give `pulse`; none: matched.
    pub fn new(pulse: &Pulse, bandwidth_hz: Option<f64>, bin_s: f64) -> NoiseBand {
        let matched_s = FRAC_1_SQRT_2 * pulse.sigma_s;
        let given_s = bandwidth_hz.map_or(matched_s, |hz| 1.0 / (4.0 * PI.sqrt() * hz));
        NoiseBand { response_s: given_s.min(matched_s), bin_s }
    }

    /// ρ, the correlation of the noise at two times.
    pub fn correlation(&self, lag_s: f64) -> f64 {
        math::exp(-0.25 * (lag_s / self.response_s).powi(2))
    }

    /// The correlation of the noise of two samples side by side; 0 where they are independent.
    pub fn neighbours(&self) -> f64 {
        if self.is_white() { 0.0 } else { self.correlation(self.bin_s) }
    }

    fn is_white(&self) -> bool {
        self.bin_s > WHITE_FROM * self.response_s
    }

    /// Bound on the standard deviation of the time of a pulse as high as the noise; that of one SNR
    /// times as high is so much less.
    pub fn time_bound_s(&self, pulse: &Pulse) -> f64 {
        let (sigma_s, bin_s) = (pulse.sigma_s, self.bin_s);
        if self.is_white() {
            return (2.0 * sigma_s * bin_s / PI.sqrt()).sqrt();
        }
        // In units of σ.
        let (h, step) = (self.response_s / sigma_s, bin_s / sigma_s);
        let light = (1.0 - h * h).sqrt();
        let turn = 2.0 * PI / step;
        let aliases = (9.0 / (h * turn)).ceil() as i32;
        let ratio = |omega: f64| {
            let (mut signal, mut noise) = (0.0, 0.0);
            for k in -aliases..=aliases {
                let omega = omega + f64::from(k) * turn;
                let square = omega * omega;
                signal += square * 2.0 * PI * math::exp(-square);
                noise += 2.0 * PI.sqrt() * h * math::exp(-square * h * h);
            }
            signal / noise
        };
        let end = (0.5 * turn).min(9.0 / light);
        let information = simpson(ratio, end, 512) / PI;
        sigma_s / information.sqrt()
    }
}

/// ∫ f from 0 to `end`, by Simpson's rule in `steps` (even) steps.
pub(crate) fn simpson(f: impl Fn(f64) -> f64, end: f64, steps: usize) -> f64 {
    let h = end / steps as f64;
    let inner = (1..steps).map(|i| (2.0 + 2.0 * (i % 2) as f64) * f(i as f64 * h));
    h / 3.0 * (f(0.0) + inner.sum::<f64>() + f(end))
}

/// Draws noise of a band with the variance 1.
#[derive(Clone, Debug, Default)]
pub struct NoiseFilter {
    band: NoiseBand,
    /// Samples from one white number to the next.
    every: usize,
    /// c from −H to H.
    taps: Vec<f64>,
    white: Vec<f64>,
}

impl NoiseFilter {
    /// Makes this the filter of `band`, if it is not.
    pub fn prepare(&mut self, band: NoiseBand) {
        if self.band == band && !self.taps.is_empty() {
            return;
        }
        self.band = band;
        self.taps.clear();
        self.every = 1;
        let apart = band.bin_s / band.response_s;
        if band.is_white() {
            self.taps.push(1.0);
        } else if apart > NODES_APART {
            self.root_of_spectrum(apart);
        } else {
            self.every = ((NODES_APART / apart) as usize).max(1);
            let half = (5.0 / apart).ceil() as i64;
            let scale = (self.every as f64 * apart / PI.sqrt()).sqrt();
            let tap = |k: i64| scale * math::exp(-0.5 * (k as f64 * apart).powi(2));
            self.taps.extend((-half..=half).map(tap));
        }
    }

    /// c_k = 1/π·∫ √P(θ)·cos kθ dθ over 0 … π, with the spectrum P of samples `apart`·σ_h from each
    /// other.
    fn root_of_spectrum(&mut self, apart: f64) {
        const STEPS: usize = 256;
        const TAPS: usize = 64;
        let root = |theta: f64| {
            let part = |k: i32| math::exp(-((theta + 2.0 * PI * f64::from(k)) / apart).powi(2));
            (2.0 * PI.sqrt() / apart * (-6..=6).map(part).sum::<f64>()).sqrt()
        };
        let roots: Vec<f64> = (0..=STEPS).map(|i| root(PI * i as f64 / STEPS as f64)).collect();
        let tap = |k: usize| {
            let term = |i: usize| {
                let end = if i == 0 || i == STEPS { 0.5 } else { 1.0 };
                end * roots[i] * math::cos(PI * (k * i) as f64 / STEPS as f64)
            };
            (0..=STEPS).map(term).sum::<f64>() / STEPS as f64
        };
        let half: Vec<f64> = (0..TAPS).map(tap).collect();
        let last = half.iter().rposition(|c| c.abs() > 1e-6).unwrap_or(0);
        let both = half[1..=last].iter().rev().chain(&half[..=last]);
        self.taps.extend(both);
        let norm = self.taps.iter().map(|c| c * c).sum::<f64>().sqrt();
        self.taps.iter_mut().for_each(|c| *c /= norm);
    }

    /// Calls `put` with the place and the noise of `count` samples side by side.
    pub fn draw(&mut self, count: usize, rng: &mut PulseRng, mut put: impl FnMut(usize, f64)) {
        let (every, reach) = (self.every.max(1), self.taps.len().saturating_sub(1));
        // White number j stands at the sample j·every − reach/2.
        let numbers = (count.saturating_sub(1) + reach) / every + 1;
        self.white.clear();
        for _ in 0..numbers.div_ceil(2) {
            self.white.extend(rng.gaussian_pair());
        }
        for i in 0..count {
            let from = i.div_ceil(every);
            let to = (i + reach) / every;
            let mut sum = 0.0;
            for (j, white) in self.white.iter().enumerate().take(to + 1).skip(from) {
                sum += white * self.taps[i + reach - j * every];
            }
            put(i, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stage;

    fn band(bandwidth_hz: f64, bin_s: f64) -> NoiseBand {
        NoiseBand::new(&Pulse::from_fwhm(5e-9), Some(bandwidth_hz), bin_s)
    }

    /// What leaves the filter has the correlation of the filter, at every lag and wherever samples
    /// stand between its white numbers: no drawing is needed to see it.
    #[test]
    fn products_of_the_taps_are_the_correlation() {
        for bandwidth_hz in [20e6, 60e6, 150e6, 400e6, 2e9] {
            for bin_s in [2e-9, 1e-9, 0.5e-9, 0.25e-9, 0.1e-9, 0.01e-9] {
                let band = band(bandwidth_hz, bin_s);
                let mut filter = NoiseFilter::default();
                filter.prepare(band);
                let reach = filter.taps.len() as i64 - 1;
                let tap = |k: i64| match (0..=reach).contains(&k) {
                    true => filter.taps[k as usize],
                    false => 0.0,
                };
                for first in 0..filter.every as i64 {
                    for lag in [0, 1, 2, 3, 5, 8, 20, 100] {
                        let product = |j: i64| {
                            let k = first + j * filter.every as i64;
                            tap(k) * tap(k + lag)
                        };
                        let found: f64 = (-reach - 1..=reach).map(product).sum();
                        let expected = match filter.taps.len() {
                            1 => f64::from(lag == 0),
                            _ => band.correlation(lag as f64 * bin_s),
                        };
                        assert!(
                            (found - expected).abs() < 2e-5,
                            "{bandwidth_hz} Hz, {bin_s} s, lag {lag}: {found} is not {expected}"
                        );
                    }
                }
            }
        }
    }

    /// Correlations of 2·10⁵ pairs from stretches of their own. An estimate of ρ has a standard
    /// deviation of at most √(2/n); 5.5 of them are passed with the probability 4·10⁻⁸.
    #[test]
    fn drawn_noise_has_the_correlation_of_the_filter() {
        let (stretches, samples) = (20_000u64, 12);
        for bin_s in [2e-9, 1e-9, 0.5e-9, 0.25e-9] {
            let band = band(150e6, bin_s);
            let mut filter = NoiseFilter::default();
            filter.prepare(band);
            let mut sums = [0.0; 4];
            let mut noise = vec![0.0; samples];
            for pulse in 0..stretches {
                let mut rng = PulseRng::new(9, 0, pulse, Stage::Waveform);
                filter.draw(samples, &mut rng, |i, n| noise[i] = n);
                for (lag, sum) in sums.iter_mut().enumerate() {
                    // One pair of a stretch: pairs are independent.
                    let at = (pulse as usize) % (samples - 3);
                    *sum += noise[at] * noise[at + lag];
                }
            }
            for (lag, sum) in sums.iter().enumerate() {
                let (found, expected) =
                    (sum / stretches as f64, band.correlation(lag as f64 * bin_s));
                let bound = 5.5 * (2.0 / stretches as f64).sqrt();
                assert!((found - expected).abs() < bound, "{bin_s} s, lag {lag}: {found}");
            }
        }
        // The example of 150 MHz and 0.5 ns: exp(−4π·0.075²).
        assert!((band(150e6, 0.5e-9).neighbours() - 0.931_76).abs() < 1e-4);
    }

    /// By the inverse of the covariance of all samples of a pulse: J = s′ᵀ·C⁻¹·s′. A
    /// little white noise keeps C sound and costs less than 1 % of the information here.
    #[test]
    fn the_bound_is_that_of_the_covariance() {
        let pulse = Pulse::from_fwhm(5e-9);
        let sigma = pulse.sigma_s;
        for (bandwidth_hz, bins) in
            [(94e6, [2.0, 1.0]), (150e6, [2.0, 1.0]), (200e6, [2.0, 1.0]), (600e6, [1.0, 0.5])]
        {
            for bin_s in bins.map(|ns| ns * 1e-9) {
                let band = band(bandwidth_hz, bin_s);
                let mut information = 0.0;
                const PHASES: usize = 4;
                for phase in 0..PHASES {
                    let shift = phase as f64 / PHASES as f64 * bin_s;
                    let half = (4.5 * sigma / bin_s) as i64;
                    let times: Vec<f64> =
                        (-half..=half).map(|k| k as f64 * bin_s + shift).collect();
                    let n = times.len();
                    let mut c: Vec<Vec<f64>> = times
                        .iter()
                        .map(|a| times.iter().map(|b| band.correlation(a - b)).collect())
                        .collect();
                    (0..n).for_each(|i| c[i][i] += 1e-4);
                    let slope = |t: f64| t / (sigma * sigma) * (-0.5 * (t / sigma).powi(2)).exp();
                    let slopes: Vec<f64> = times.iter().map(|&t| slope(t)).collect();
                    // Cholesky: J = |L⁻¹·s′|².
                    let mut solved = vec![0.0; n];
                    for i in 0..n {
                        for j in 0..=i {
                            let sum: f64 = (0..j).map(|k| c[i][k] * c[j][k]).sum();
                            c[i][j] = match i == j {
                                true => (c[i][i] - sum).sqrt(),
                                false => (c[i][j] - sum) / c[j][j],
                            };
                        }
                        let sum: f64 = (0..i).map(|k| c[i][k] * solved[k]).sum();
                        solved[i] = (slopes[i] - sum) / c[i][i];
                        information += solved[i] * solved[i] / PHASES as f64;
                    }
                }
                let (found, expected) = (band.time_bound_s(&pulse), 1.0 / information.sqrt());
                assert!(
                    (found / expected - 1.0).abs() < 0.01,
                    "{bandwidth_hz} Hz, {bin_s} s: {found} is not {expected}"
                );
            }
        }
    }

    #[test]
    fn the_bound_ends_where_more_samples_say_nothing_new() {
        let pulse = Pulse::from_fwhm(5e-9);
        let (sigma, far) = (pulse.sigma_s, band(1e12, 1e-9).time_bound_s(&pulse));
        assert!((far / (2.0 * sigma * 1e-9 / PI.sqrt()).sqrt() - 1.0).abs() < 1e-12, "white");
        for bandwidth_hz in [94e6, 150e6, 200e6, 400e6] {
            let level = |bin_s| band(bandwidth_hz, bin_s).time_bound_s(&pulse);
            let h = band(bandwidth_hz, 1e-9).response_s;
            let light = (sigma * sigma - h * h).sqrt();
            let end = 2.0 * (h * light.powi(3)).sqrt() / sigma;
            assert!((level(0.25e-9) / end - 1.0).abs() < 1e-6, "{bandwidth_hz}");
            assert!((level(0.02e-9) / end - 1.0).abs() < 1e-6, "{bandwidth_hz}");
            assert!(level(2e-9) > end);
        }
        // Behind the matched filter it is σ itself.
        let matched = NoiseBand::new(&pulse, None, 0.1e-9).time_bound_s(&pulse);
        assert!((matched / sigma - 1.0).abs() < 1e-9);
    }
}
