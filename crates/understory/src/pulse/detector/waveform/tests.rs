//! Distribution tests have an error probability below 10⁻⁶: a normal number stays within 5 standard
//! deviations with the probability 1 − 5.7·10⁻⁷.

use super::*;
use crate::pulse::detector::{ReturnMode, WindowRange, sort};
use crate::pulse::receiver::{Link, NoiseBand, Pulse, ReceiverOptics, ReceiverSpec};
use crate::rng::Stage;
use proptest::prelude::*;

const SIGMAS: f64 = 5.0;

fn receiver(noise: NoiseMode, bin_s: f64) -> Receiver {
    let link = Link::Reference { snr: 1.0, range_m: 10.0, reflectance: 1.0 };
    Receiver::new(ReceiverSpec { link, overlap_m: [0.0; 2], pulse_fwhm_s: 5e-9, bin_s, noise })
}

/// A receiver of this bandwidth whose noise is thermal: what light adds to it is below 10⁻⁴.
fn thermal(bandwidth_hz: f64, bin_s: f64) -> Receiver {
    let link = Link::Physical(ReceiverOptics {
        peak_power_w: 75.0,
        aperture_m: 0.025,
        efficiency: 0.8,
        wavelength_m: 905e-9,
        solar_w_per_m2_nm: 0.0,
        filter_width_nm: 0.0,
        field_of_view_rad: 0.0,
        responsivity_a_per_w: 0.5,
        gain: 1.0,
        excess_noise: 1.0,
        bandwidth_hz,
        temperature_k: 300.0,
        load_ohm: 1e-3,
    });
    let noise = NoiseMode::Sampled;
    Receiver::new(ReceiverSpec { link, overlap_m: [0.0; 2], pulse_fwhm_s: 5e-9, bin_s, noise })
}

/// Noise of a band by the Cholesky factor of its covariance: another way than the filter's.
struct BruteForce(Vec<Vec<f64>>);

impl BruteForce {
    fn new(band: NoiseBand, samples: usize) -> BruteForce {
        let mut factor = vec![vec![0.0; samples]; samples];
        for i in 0..samples {
            for j in 0..=i {
                let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
                let here = band.correlation((i - j) as f64 * band.bin_s);
                // A millionth of white noise keeps the factor sound.
                factor[i][j] = match i == j {
                    true => (here + 1e-6 - sum).sqrt(),
                    false => (here - sum) / factor[j][j],
                };
            }
        }
        BruteForce(factor)
    }

    fn draw(&self, rng: &mut PulseRng) -> Vec<f64> {
        let white: Vec<f64> = self.0.iter().map(|_| rng.gaussian()).collect();
        let row = |row: &Vec<f64>| row.iter().zip(&white).map(|(a, w)| a * w).sum();
        self.0.iter().map(row).collect()
    }
}

fn gate(range_max_m: f64) -> DetectorSpec {
    DetectorSpec {
        range_min_m: 1.0,
        range_max_m,
        range_quantum_m: 0.0,
        range_offset_m: 0.0,
        mode: ReturnMode::All,
        signal_cutoff_m: 0.0,
        window: WindowRange::Mean,
        max_returns: 15,
    }
}

fn peaks(threshold_sigma: f64) -> WaveformSpec {
    WaveformSpec {
        timing: Timing::Peak,
        threshold: Threshold::Sigma(threshold_sigma),
        prominence_sigma: 4.0,
    }
}

/// Echoes as range and peak signal over the noise.
fn detect(
    waveform: &Waveform,
    echoes: &[(f64, f64)],
    pulse: u64,
    scratch: &mut Scratch,
) -> Vec<Detection> {
    let sample = |(row, &(range_m, signal)): (usize, &(f64, f64))| Sample {
        range_m,
        intensity: (waveform.receiver.intensity(signal, range_m) * waveform.receiver.dark_noise())
            as f32,
        row: row as u32,
    };
    let mut samples: Vec<Sample> = echoes.iter().enumerate().map(sample).collect();
    sort(&mut samples);
    let mut found = Vec::new();
    scratch.prepare(&waveform.receiver);
    let rng = PulseRng::new(5, 0, pulse, Stage::Waveform);
    waveform.detect(&samples, 0.0, rng, scratch, &mut |detection| found.push(detection));
    found
}

fn ranges(waveform: &Waveform, echoes: &[(f64, f64)]) -> Vec<f64> {
    detect(waveform, echoes, 0, &mut Scratch::default()).iter().map(|d| d.range_m).collect()
}

fn without_noise(how: WaveformSpec) -> Waveform {
    Waveform::new(receiver(NoiseMode::None, 1e-9), how, gate(50.0))
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} are not {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < tolerance, "{found} is not {expected}");
    }
}

#[test]
fn two_echoes_merge_and_part_as_their_sum_says() {
    let waveform = without_noise(peaks(5.0));
    for (second, apart_m, expected) in [
        (1.0, 0.4, &[8.2][..]),
        (1.0, 0.8, &[8.046_070_76, 8.753_929_24]),
        (0.5, 0.8, &[8.019_308_84]),
        (0.5, 1.2, &[8.000_493_97, 9.197_990_89]),
    ] {
        let echoes = [(8.0, 100.0), (8.0 + apart_m, second * 100.0)];
        near(&ranges(&waveform, &echoes), expected, 1e-6);
    }
}

/// Equal pulses of 5 ns part at 2σ = 0.636550676 m, wherever the bins lie.
#[test]
fn equal_echoes_part_at_twice_sigma() {
    let waveform = without_noise(peaks(5.0));
    for start in 0..20 {
        let first = 8.0 + 0.01 * f64::from(start);
        let count =
            |apart_m: f64| ranges(&waveform, &[(first, 50.0), (first + apart_m, 50.0)]).len();
        assert_eq!((count(0.636_550_676 * 0.99), count(0.636_550_676 * 1.01)), (1, 2));
    }
}

#[test]
fn the_leading_edge_walks_with_the_signal_and_the_constant_fraction_does_not() {
    let timed = |timing| without_noise(WaveformSpec { timing, ..peaks(5.0) });
    let edge = timed(Timing::LeadingEdge { corrected: false });
    let corrected = timed(Timing::LeadingEdge { corrected: true });
    let fraction = timed(Timing::ConstantFraction(0.5));
    for (ratio, walk) in [(2.0, 0.374_740_573), (10.0, 0.683_008_062), (100.0, 0.965_919_264)] {
        for at in [12.0, 12.05, 12.11] {
            let echo = [(at, 5.0 * ratio)];
            near(&ranges(&edge, &echo), &[at - walk], 1e-6);
            near(&ranges(&corrected, &echo), &[at], 1e-6);
            near(&ranges(&fraction, &echo), &[at], 1e-6);
        }
    }
}

#[test]
fn edges_join_what_they_cannot_part() {
    let two = [(20.0, 100.0), (20.9, 60.0)];
    let three = [(20.0, 100.0), (20.9, 60.0), (26.0, 40.0)];
    let with = |timing| without_noise(WaveformSpec { timing, ..peaks(5.0) });
    assert_eq!(ranges(&with(Timing::Peak), &two).len(), 2);
    assert_eq!(ranges(&with(Timing::LeadingEdge { corrected: false }), &two).len(), 1);
    assert_eq!(ranges(&with(Timing::LeadingEdge { corrected: false }), &three).len(), 2);
    assert_eq!(ranges(&with(Timing::ConstantFraction(0.3)), &two).len(), 1);
    assert_eq!(ranges(&with(Timing::ConstantFraction(0.95)), &two).len(), 2);
}

#[test]
fn truth_is_nearest_to_the_axis_among_the_echoes_of_the_peak() {
    let waveform = without_noise(peaks(5.0));
    let echoes = [(30.9, 40.0), (20.3, 40.0), (20.1, 40.0), (30.0, 40.0), (20.2, 40.0)];
    let found = detect(&waveform, &echoes, 0, &mut Scratch::default());
    let facts: Vec<_> =
        found.iter().map(|d| (d.truth, d.sub_ray_hits, d.near_m, d.far_m)).collect();
    let expected = [(Some(1), 3, 20.1, 20.3), (Some(3), 1, 30.0, 30.0), (Some(0), 1, 30.9, 30.9)];
    assert_eq!(facts, expected);
    let alone = waveform.receiver.intensity(40.0, 30.0) as f32;
    assert!((found[1].intensity / alone - 1.0).abs() < 0.03, "the neighbour adds 1.8 %");
}

#[test]
fn pulses_below_the_threshold_are_not_there() {
    let waveform = without_noise(peaks(5.0));
    assert!(ranges(&waveform, &[(9.0, 4.999)]).is_empty());
    assert_eq!(ranges(&waveform, &[(9.07, 5.001)]).len(), 1, "between two samples");
}

/// Adding pulses by products gives the exponentials themselves.
#[test]
fn the_waveform_is_a_sum_of_gaussians_on_whole_bins() {
    let waveform = without_noise(peaks(5.0));
    let echoes = [(8.0, 90.0), (8.7, 20.0), (9.3, 50.0), (30.0, 70.0)];
    let mut scratch = Scratch { keep: true, ..Scratch::default() };
    detect(&waveform, &echoes, 0, &mut scratch);
    scratch.keep_waveform(3, 17, waveform.receiver.bin_m);
    let kept = &scratch.kept;
    assert_eq!((kept.len(), kept.sensor[0], kept.pulse[1]), (2, 3, 17));
    let sigma_m = Pulse::from_fwhm(5e-9).sigma_m;
    for stretch in 0..2 {
        for (i, &y) in kept.samples(stretch).iter().enumerate() {
            let at = kept.first_range_m[stretch] + i as f64 * kept.bin_m[stretch];
            let bins = at / waveform.receiver.bin_m;
            assert!((bins - bins.round()).abs() < 1e-9);
            let exact: f64 =
                echoes.iter().map(|&(r, a)| a * (-0.5 * ((at - r) / sigma_m).powi(2)).exp()).sum();
            // Each echo ends at 5σ, where it is 3.7·10⁻⁶ of its peak.
            assert!((f64::from(y) - exact).abs() < 1e-3, "{y} is not {exact} at {at} m");
        }
    }
    assert_eq!(scratch.tally, WaveformTally { waveforms: 1, cut: 0 });
}

#[test]
fn a_waveform_beyond_the_gate_is_cut_and_counted() {
    let waveform = without_noise(peaks(5.0));
    let mut scratch = Scratch { keep: true, ..Scratch::default() };
    for (pulse, at) in [1.2, 25.0, 49.8].into_iter().enumerate() {
        detect(&waveform, &[(at, 80.0)], pulse as u64, &mut scratch);
        scratch.keep_waveform(0, pulse as u64, waveform.receiver.bin_m);
    }
    assert_eq!(scratch.tally, WaveformTally { waveforms: 3, cut: 2 });
    let kept = &scratch.kept;
    assert!(kept.first_range_m[0] >= 1.0);
    let last_m = kept.first_range_m[2] + (kept.samples(2).len() - 1) as f64 * kept.bin_m[2];
    assert!(last_m <= 50.0);
}

fn within(found: f64, expected: f64, sigma: f64, what: &str) {
    assert!(
        (found - expected).abs() < SIGMAS * sigma,
        "{what}: {found} is not {expected} ± {sigma}"
    );
}

/// Detections follow P_d = Q(Q⁻¹(P_fa) − SNR) and ranges the bound of Cramér and Rao.
#[test]
fn chances_without_samples_are_those_of_the_noise() {
    let n = 20_000;
    for snr in [3.0, 5.0, 6.0] {
        let threshold = understory_base::normal::upper_quantile(1e-4);
        let waveform =
            Waveform::new(receiver(NoiseMode::Analytic, 1e-9), peaks(threshold), gate(30.0));
        let mut scratch = Scratch::default();
        let seen = |pulse| {
            let found = detect(&waveform, &[(20.0, snr)], pulse, &mut scratch);
            found.iter().any(|d| d.truth.is_some())
        };
        let rate = (0..n).map(seen).filter(|&seen| seen).count() as f64 / n as f64;
        // Some 9 bins around the echo may have a false peak that passes for it.
        let p = chance::detection_probability(1e-4, snr) + 2e-4;
        within(rate, p, (p * (1.0 - p) / n as f64).sqrt(), "rate");
    }
    let waveform = Waveform::new(receiver(NoiseMode::Analytic, 1e-9), peaks(7.0), gate(30.0));
    let mut scratch = Scratch::default();
    // Behind the matched filter the bound is the pulse's σ over the ratio.
    for (snr, bound_m) in [(30.0, 0.318_275_338 / 30.0), (100.0, 0.003_182_753)] {
        let errors: Vec<f64> = (0..n)
            .map(|pulse| detect(&waveform, &[(20.0, snr)], pulse, &mut scratch)[0].range_m - 20.0)
            .collect();
        let (mean, sigma) = moments(&errors);
        within(mean, 0.0, bound_m / (n as f64).sqrt(), "mean");
        within(sigma, bound_m, bound_m / (2.0 * n as f64).sqrt(), "sigma");
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt())
}

/// A pulse is detected where any sample is above the threshold: against samples of the whole gate
/// that are all drawn, by another way.
#[test]
fn detections_in_samples_are_those_of_the_noise() {
    let (n, threshold) = (10_000, 3.6);
    for receiver in [receiver(NoiseMode::Sampled, 1e-9), thermal(300e6, 1e-9)] {
        let (bin_m, sigma_m) = (receiver.bin_m, receiver.pulse.sigma_m);
        let waveform = Waveform::new(receiver, peaks(threshold), gate(20.0));
        let bins = waveform.gate.clone();
        let noise = BruteForce::new(receiver.band, (bins.end - bins.start) as usize);
        let mut scratch = Scratch::default();
        for snr in [1.5, 3.0, 4.5] {
            let count = (0..n)
                .filter(|&pulse| !detect(&waveform, &[(12.0, snr)], pulse, &mut scratch).is_empty())
                .count();
            let passes = |pulse: u64| {
                let mut rng = PulseRng::new(6, 0, pulse, Stage::Waveform);
                bins.clone().zip(noise.draw(&mut rng)).any(|(bin, noise)| {
                    let u = (bin as f64 * bin_m - 12.0) / sigma_m;
                    snr * (-0.5 * u * u).exp() + noise > threshold
                })
            };
            let expected = (0..n).filter(|&pulse| passes(pulse)).count();
            let p = expected as f64 / n as f64;
            let sigma = (2.0 * p * (1.0 - p) / n as f64).sqrt();
            within(count as f64 / n as f64, p, sigma, "rate");
        }
    }
}

fn errors_of(receiver: Receiver, timing: Timing, snr: f64, n: u64) -> (f64, f64) {
    let bin_m = receiver.bin_m;
    let waveform = Waveform::new(receiver, WaveformSpec { timing, ..peaks(6.0) }, gate(30.0));
    let mut scratch = Scratch::default();
    let errors: Vec<f64> = (0..n)
        .map(|pulse| {
            // Wherever the samples lie.
            let at = 18.0 + bin_m * (pulse as f64 * 0.618_033_988_7).fract();
            let found = detect(&waveform, &[(at, snr)], pulse, &mut scratch);
            assert_eq!(found.len(), 1, "one pulse");
            found[0].range_m - at
        })
        .collect();
    moments(&errors)
}

/// Finer samples of the same noise say nothing new: σ ends where the bound does, and stays by it.
#[test]
fn ranges_from_samples_stay_by_the_bound() {
    let (n, snr) = (10_000, 100.0);
    for bandwidth_hz in [94e6, 150e6, 200e6] {
        let mut last = f64::NAN;
        for bin_s in [2e-9, 1e-9, 0.5e-9, 0.25e-9] {
            let receiver = thermal(bandwidth_hz, bin_s);
            let (mean, sigma) = errors_of(receiver, Timing::Peak, snr, n);
            let bound = receiver.range_sigma_m(snr);
            let chance = 1.0 / (2.0 * n as f64).sqrt();
            let what = format!("{bandwidth_hz} Hz, {bin_s} s");
            println!("{what}: σ {:.3} mm, bound {:.3} mm", 1e3 * sigma, 1e3 * bound);
            within(mean, 0.0, sigma / (n as f64).sqrt(), &what);
            assert!(sigma > bound * (1.0 - SIGMAS * chance), "{what}: no estimate beats the bound");
            assert!(sigma < 1.25 * bound, "{what}: {sigma} is far from {bound}");
            if bin_s < 0.5e-9 {
                let more = sigma / last - 1.0;
                assert!(more < 0.06 + SIGMAS * chance * 1.42, "{what}: finer is worse by {more}");
            }
            last = sigma;
        }
    }
}

/// Neither edge is drawn to a side by noise, at any step of the samples.
#[test]
fn edges_in_noise_are_not_biased() {
    let (n, snr) = (10_000, 100.0);
    for bandwidth_hz in [94e6, 150e6] {
        for bin_s in [2e-9, 1e-9, 0.5e-9, 0.25e-9] {
            for timing in [Timing::ConstantFraction(0.5), Timing::LeadingEdge { corrected: true }] {
                let receiver = thermal(bandwidth_hz, bin_s);
                let (mean, sigma) = errors_of(receiver, timing, snr, n);
                let what = format!("{timing:?}, {bandwidth_hz} Hz, {bin_s} s");
                println!("{what}: mean {:.3} mm, σ {:.3} mm", 1e3 * mean, 1e3 * sigma);
                // What is left is of the second order, a part of σ²/σ_pulse.
                let second_m = sigma * sigma / receiver.pulse.sigma_m;
                let allowed = SIGMAS * sigma / (n as f64).sqrt() + 2.0 * second_m;
                assert!(mean.abs() < allowed, "{what}: {mean} is not 0 ± {allowed}");
            }
        }
    }
}

/// False alarms of an empty gate against samples of noise that are all drawn and searched.
#[test]
fn false_alarms_are_as_many_and_as_high_as_peaks_of_noise() {
    let (n, threshold) = (4_000, 3.0);
    for receiver in [receiver(NoiseMode::Sampled, 1e-9), thermal(300e6, 1e-9)] {
        let waveform = Waveform::new(receiver, peaks(threshold), gate(40.0));
        let bins = (waveform.gate.end - waveform.gate.start) as usize;
        let brute = BruteForce::new(receiver.band, bins + 2);
        let unit = receiver.dark_noise();
        let mut scratch = Scratch::default();
        let (mut ours, mut drawn) = (Vec::new(), Vec::new());
        for pulse in 0..n {
            for found in detect(&waveform, &[], pulse, &mut scratch) {
                assert_eq!((found.truth, found.sub_ray_hits), (None, 0));
                assert!((1.0..=40.0).contains(&found.range_m));
                ours.push(receiver.signal(found.intensity.into(), found.range_m) / unit);
            }
            let noise = brute.draw(&mut PulseRng::new(6, 0, pulse, Stage::Waveform));
            drawn.extend(noise.windows(3).filter_map(|w| {
                let [a, b, c] = [w[0], w[1], w[2]];
                (b > threshold && b > a && b > c).then_some(b)
            }));
        }
        let mut peaks = chance::FalsePeaks::default();
        peaks.prepare(receiver.band.neighbours());
        let expected = (n as usize * bins) as f64 * peaks.probability(threshold);
        within(ours.len() as f64, expected, expected.sqrt(), "false alarms");
        within(drawn.len() as f64, expected, expected.sqrt(), "peaks of noise");
        let ((mean_a, sigma), (mean_b, _)) = (moments(&ours), moments(&drawn));
        within(mean_a, mean_b, sigma * (2.0 / expected).sqrt(), "heights");
    }
}

#[test]
fn noise_alone_does_not_split_a_strong_pulse() {
    let split = |receiver: Receiver, prominence_sigma| {
        let how = WaveformSpec { prominence_sigma, ..peaks(6.0) };
        let waveform = Waveform::new(receiver, how, gate(30.0));
        let mut scratch = Scratch::default();
        let more = |&pulse: &u64| detect(&waveform, &[(20.0, 40.0)], pulse, &mut scratch).len() > 1;
        (0..2000).filter(more).count()
    };
    let wide = thermal(3e9, 0.2e-9);
    assert!(split(wide, 0.0) > 1800, "five samples per nanosecond are rough");
    // Over some 20 pairs of samples a fall and a rise of 6σ each have 2·10⁻⁵.
    assert!(split(wide, 6.0) < 10);
    assert!(split(receiver(NoiseMode::Sampled, 0.2e-9), 0.0) < 10, "a matched filter is smooth");
}

#[test]
fn noise_belongs_to_its_pulse() {
    let waveform = Waveform::new(receiver(NoiseMode::Sampled, 1e-9), peaks(4.0), gate(30.0));
    let mut scratch = Scratch::default();
    let mut draw = |pulse| detect(&waveform, &[(20.0, 30.0)], pulse, &mut scratch);
    let (one, two) = (draw(1), draw(2));
    assert_ne!(one, two);
    assert_eq!(one, draw(1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn any_echoes_give_sound_detections(
        echoes in prop::collection::vec((1.0f64..50.0, -3.0f64..5.0), 0..20),
        noise in 0usize..3, timing in 0usize..4, mode in 0usize..5, pulse in 0u64..1000,
    ) {
        let modes = [ReturnMode::First, ReturnMode::Last, ReturnMode::Strongest,
            ReturnMode::StrongestAndLast, ReturnMode::All];
        let timings = [Timing::Peak, Timing::LeadingEdge { corrected: false },
            Timing::LeadingEdge { corrected: true }, Timing::ConstantFraction(0.5)];
        let noise = [NoiseMode::Sampled, NoiseMode::Analytic, NoiseMode::None][noise];
        let spec = DetectorSpec { mode: modes[mode], ..gate(50.0) };
        let how = WaveformSpec { timing: timings[timing], ..peaks(3.0) };
        let waveform = Waveform::new(receiver(noise, 1e-9), how, spec);
        let echoes: Vec<(f64, f64)> = echoes.iter().map(|&(r, s)| (r, 10f64.powf(s))).collect();
        let mut scratch = Scratch::default();
        let found = detect(&waveform, &echoes, pulse, &mut scratch);
        prop_assert!(found.len() <= 15);
        prop_assert!(found.windows(2).all(|pair| pair[0].range_m <= pair[1].range_m));
        for d in &found {
            prop_assert!(d.range_m.is_finite() && d.range_m >= 0.0 && d.range_m < 55.0);
            prop_assert!(d.intensity.is_finite() && d.near_m <= d.far_m);
            prop_assert!(d.truth.is_none_or(|row| (row as usize) < echoes.len()));
            prop_assert_eq!(d.truth.is_some(), d.sub_ray_hits > 0);
        }
        if noise == NoiseMode::None {
            let strongest = echoes.iter().map(|e| e.1).fold(0.0, f64::max);
            prop_assert_eq!(found.is_empty(), strongest < 3.0 && found.is_empty());
        }
    }
}
