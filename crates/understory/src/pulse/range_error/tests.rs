//! The whole error: that its parts add up, have their laws, and depend on the pulse alone.

use super::*;
use crate::pulse::detector::Detection;

const RANGE_M: f64 = 25.0;

fn detection(range_m: f64, intensity: f32) -> Detection {
    Detection {
        range_m,
        intensity,
        truth: Some(0),
        sub_ray_hits: 1,
        near_m: range_m as f32,
        far_m: range_m as f32,
    }
}

fn found(range_m: f64, pulses: usize) -> Detections {
    Detections::from_pulses((0..pulses).map(|_| vec![detection(range_m, 0.8)]))
}

/// Pulses from `first`; the function gives channel, scan and column of an index.
fn pulses(first: u64, count: usize, place: impl Fn(u64) -> (u16, u32, u32)) -> Pulses {
    let mut pulses = Pulses { first, ..Pulses::default() };
    for index in first..first + count as u64 {
        let (channel, scan, column) = place(index);
        pulses.channel.push(channel);
        pulses.scan.push(scan);
        pulses.column.push(column);
    }
    pulses
}

fn one_channel(first: u64, count: usize) -> Pulses {
    pulses(first, count, |index| (0, 0, index as u32))
}

fn measure(report: &RangeModel, found: &Detections, pulses: &Pulses) -> Vec<f64> {
    let mut measured_m = Vec::new();
    let key = crate::rng::BatchKey { seed: 42, sensor: 0, first_pulse: pulses.first };
    report.measure(found, pulses, key, &mut measured_m);
    measured_m
}

fn measured(report: &RangeModel, range_m: f64, first: u64, count: usize) -> Vec<f64> {
    measure(report, &found(range_m, count), &one_channel(first, count))
}

fn with(error: RangeError) -> RangeModel {
    RangeModel { error, ..RangeModel::default() }
}

#[test]
fn ranges_are_rounded_to_the_nearest_step() {
    let report = RangeModel { quantum_m: 0.002, ..RangeModel::default() };
    for (range_m, expected) in [(10.0009, 10.0), (10.0011, 10.002), (7.1234, 7.124)] {
        assert!((measured(&report, range_m, 0, 1)[0] - expected).abs() < 1e-9);
    }
}

#[test]
fn without_error_and_step_nothing_changes() {
    assert_eq!(measured(&RangeModel::default(), 12.345_678, 0, 2), [12.345_678; 2]);
}

/// Kolmogorov and Smirnov's distance of 20 000 errors from a law stays below 2.75/√n with
/// probability above 1 − 6e−7.
fn assert_has_law(mut errors: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    errors.sort_by(f64::total_cmp);
    let n = errors.len() as f64;
    let distance = errors.iter().enumerate().map(|(i, &x)| {
        let (below, above) = (i as f64 / n, (i + 1) as f64 / n);
        (cdf(x) - below).abs().max((cdf(x) - above).abs())
    });
    let distance = distance.fold(0.0, f64::max);
    assert!(distance < 2.75 / n.sqrt(), "distance {distance}");
}

fn errors(error: RangeError, sigma_m: f64) -> Vec<f64> {
    measured(&with(error), RANGE_M, 7, 20_000).iter().map(|r| (r - RANGE_M) / sigma_m).collect()
}

#[test]
fn gaussian_errors_are_normal_with_their_sigma() {
    assert_has_law(errors(RangeError::gaussian(0.005), 0.005), normal_cdf);
}

#[test]
fn laplace_errors_have_their_law_and_sigma() {
    let error = RangeError { white: White::Laplace, ..RangeError::gaussian(0.03) };
    assert_has_law(errors(error, 0.03), |x| {
        let tail = 0.5 * (-std::f64::consts::SQRT_2 * x.abs()).exp();
        if x < 0.0 { tail } else { 1.0 - tail }
    });
}

#[test]
fn an_error_belongs_to_its_pulse_and_not_to_its_batch() {
    let error = RangeError {
        bias: Bias { listed_m: vec![], sigma_m: 0.05 },
        correlation: Some(Correlation { drift_rad: 0.2, ..Correlation::default() }),
        ..RangeError::gaussian(0.02)
    };
    let report = RangeModel { error, quantum_m: 0.004, ambiguity_m: 0.0 };
    let place = |index: u64| ((index % 3) as u16 * 256, (index / 40) as u32, index as u32 % 40);
    let part = |first, count| measure(&report, &found(9.0, count), &pulses(first, count, place));
    let whole = part(100, 100);
    assert_eq!(whole, [part(100, 33), part(133, 67)].concat());
    assert!(whole.windows(2).any(|pair| pair[0] != pair[1]));
}

#[test]
fn no_range_is_negative() {
    let report = with(RangeError::gaussian(1.0));
    assert!(measured(&report, 0.1, 0, 100).iter().all(|&r| r >= 0.0));
}

/// Gschwandtner 2011: the bias is the same in every rotation and normal over the lasers, the noise
/// of a ray is added to it.
#[test]
fn biases_stay_with_their_laser_and_are_normal_over_lasers() {
    let bias = Bias { listed_m: vec![], sigma_m: 0.078 };
    let lasers: Vec<f64> =
        (0..20_000).map(|channel| bias.of_channel(channel, 5, 1) / 0.078).collect();
    assert_has_law(lasers, normal_cdf);

    let error = RangeError { bias: bias.clone(), ..RangeError::gaussian(0.01) };
    let place = |index: u64| ((index % 2) as u16, (index / 1000) as u32, 0);
    let ranges = measure(&with(error), &found(RANGE_M, 40_000), &pulses(0, 40_000, place));
    for laser in 0..2u16 {
        let own: Vec<f64> = ranges.iter().skip(laser.into()).step_by(2).copied().collect();
        let mean_m = own.iter().sum::<f64>() / own.len() as f64;
        let expected = RANGE_M + bias.of_channel(laser, 42, 0);
        // 5.5 standard deviations of a mean of 20 000: error probability below 4e−8.
        assert!((mean_m - expected).abs() < 5.5 * 0.01 / (own.len() as f64).sqrt());
        assert_has_law(own.iter().map(|r| (r - expected) / 0.01).collect(), normal_cdf);
    }
}

#[test]
fn listed_biases_and_the_mean_are_added() {
    let bias = Bias { listed_m: vec![0.01, -0.02], sigma_m: 0.0 };
    let error = RangeError { mean_m: 0.1, bias, ..RangeError::none() };
    let ranges = measure(&with(error), &found(5.0, 3), &pulses(0, 3, |i| (i as u16, 0, 0)));
    for (range_m, expected) in ranges.iter().zip([5.11, 5.08, 5.1]) {
        assert!((range_m - expected).abs() < 1e-12);
    }
}

/// The noisy range is folded, then rounded: 10.003 m in an interval of 10 m is 0.004 m in steps
/// of 2 mm (3 mm rounds up).
#[test]
fn folding_comes_after_the_noise_and_before_the_step() {
    let error = RangeError { mean_m: 0.5, ..RangeError::none() };
    let report = RangeModel { error, ambiguity_m: 10.0, quantum_m: 0.002 };
    for (range_m, expected) in [(9.499, 9.999), (9.5, 0.0), (9.503_1, 0.004), (17.0, 7.5)] {
        let folded = measured(&report, range_m, 0, 1)[0];
        assert!((folded - expected).abs() < 1.001e-3, "{range_m} → {folded}");
    }
}

#[test]
fn sigma_follows_range_and_intensity() {
    let error = RangeError { sigma: Sigma::Bayraktaroglu, ..RangeError::default() };
    // Black at 90 m and white at 4 m: 2.3025 and 0.50989 cm.
    let pairs = [(90.0, 0.2f32, 0.0230249998), (4.0, 0.8, 0.00509889820)];
    for (range_m, intensity, sigma_m) in pairs {
        let n = 20_000;
        let found = Detections::from_pulses((0..n).map(|_| vec![detection(range_m, intensity)]));
        let ranges = measure(&with(error.clone()), &found, &one_channel(0, n));
        assert_has_law(ranges.iter().map(|r| (r - range_m) / sigma_m).collect(), normal_cdf);
    }
}

/// Correlation of the error in two columns of a channel, over 65 536 channels, against w·R(Δ): the
/// mean of the products stays within 5.5 of its standard errors with probability above 1 − 4e−8,
/// for each of 40 lags. With a wrong formula (w for √w, or the deviation of the points seen for
/// the analytic one) the first lags are off by dozens.
#[test]
fn autocorrelation_is_the_analytic_curve() {
    let (sigma_m, share) = (0.02, 0.7);
    let correlation = Correlation { share, period_columns: 14.5, ..Correlation::default() };
    let error =
        RangeError { correlation: Some(correlation.clone()), ..RangeError::gaussian(sigma_m) };
    let n = 65_536;
    let column = |column: u32| {
        let first = u64::from(column) * n as u64;
        let place = move |index: u64| ((index - first) as u16, 0, column);
        let ranges = measure(&with(error.clone()), &found(RANGE_M, n), &pulses(first, n, place));
        ranges.iter().map(|r| (r - RANGE_M) / sigma_m).collect::<Vec<f64>>()
    };
    let start = column(5);
    let mut worst = 0.0f64;
    for lag in 0..40 {
        let other = column(5 + lag);
        let products: Vec<f64> = start.iter().zip(&other).map(|(a, b)| a * b).collect();
        let mean = products.iter().sum::<f64>() / n as f64;
        let variance = products.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / n as f64;
        let white = if lag == 0 { 1.0 - share } else { 0.0 };
        let apart = f64::from(lag) / correlation.period_columns;
        let expected = share * correlation.autocorrelation(apart) + white;
        let off = (mean - expected) / (variance / n as f64).sqrt();
        worst = worst.max(off.abs());
        assert!(off.abs() < 5.5, "lag {lag}: {mean} instead of {expected}, {off} standard errors");
    }
    println!("worst lag is {worst:.2} standard errors off");
}

/// The air stretches ranges before anything is added.
#[test]
fn refraction_is_a_factor_of_the_detected_range() {
    let refraction = Some(Refraction { factor: 1.0 + 2.8e-4 });
    let error = RangeError { refraction, mean_m: 0.1, ..RangeError::none() };
    let found = measured(&with(error), 100.0, 0, 1)[0];
    assert!((found - 100.128).abs() < 1e-9, "{found}");
    let alone = RangeError { refraction, ..RangeError::none() };
    assert!(!alone.is_none());
    assert!((measured(&with(alone), 100.0, 0, 1)[0] - 100.028).abs() < 1e-9);
}

/// Wave, smooth curve and white noise share one variance: over 65 536 channels it is σ², and the
/// correlation of neighbours w·R(1/P) + s·exp(−1/2ℓ²); 5.5 standard errors (4e−8).
#[test]
fn smooth_and_rough_waves_share_the_variance() {
    let correlation = Correlation { share: 0.3, ..Correlation::default() };
    let smooth = Some(Smooth { share: 0.5, length_columns: 4.0 });
    let wave = correlation.autocorrelation(1.0 / correlation.period_columns);
    let error = RangeError { correlation: Some(correlation), smooth, ..RangeError::gaussian(0.02) };
    let n = 65_536;
    let column = |column: u32| {
        let first = u64::from(column) * n as u64;
        let place = move |index: u64| ((index - first) as u16, 0, column);
        let ranges = measure(&with(error.clone()), &found(RANGE_M, n), &pulses(first, n, place));
        ranges.iter().map(|r| (r - RANGE_M) / 0.02).collect::<Vec<f64>>()
    };
    let (here, next) = (column(7), column(8));
    let mean = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / n as f64;
    let slack = 5.5 * (2.0 / n as f64).sqrt();
    assert!((mean(&here, &here) - 1.0).abs() < slack);
    let expected = 0.3 * wave + 0.5 * (-1.0f64 / 32.0).exp();
    assert!((mean(&here, &next) - expected).abs() < slack, "{}", mean(&here, &next));
}

/// By Simpson's rule from 0, good to 1e-9 for |x| < 8.
fn normal_cdf(x: f64) -> f64 {
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let (steps, x) = (200, x.clamp(-8.0, 8.0));
    let h = x / steps as f64;
    let inner = (1..steps).map(|i| (2.0 + 2.0 * (i % 2) as f64) * density(i as f64 * h));
    0.5 + h / 3.0 * (density(0.0) + inner.sum::<f64>() + density(x))
}
