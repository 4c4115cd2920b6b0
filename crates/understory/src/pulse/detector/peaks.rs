//! Peaks of a waveform, and where between two samples they lie.
//!
//! What enters: samples at equal steps. What leaves: local maxima that stand out from the valleys
//! beside them, refined. In noise, by the parabola that is nearest to the logarithms of the samples
//! within σ of the highest, each weighted by y²: exact for one Gaussian pulse, and as the variance of
//! ln y is that of the noise over y², nearly as good as anything can be. Without noise, as the zero of
//! the derivative of y(r) = Σ A_i·exp(−(r−r_i)²/2σ²) itself.

use understory_base::math;

/// One echo in a waveform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Echo {
    /// Reported range.
    pub(super) range_m: f64,
    /// A_i, its peak.
    pub(super) signal: f64,
    /// Row of its interaction.
    pub(super) row: u32,
}

/// One peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Peak {
    /// Index of the highest sample.
    pub(super) sample: usize,
    /// Where it is, in steps from the first sample or in metres, as the caller counts.
    pub(super) place: f64,
    /// How high it is.
    pub(super) height: f64,
}

/// Calls `found` with the index of each local maximum that is at least `threshold` high and from
/// which the samples fall by more than `prominence(height)` before they rise to another.
pub(super) fn pick(
    samples: &[f64],
    threshold: f64,
    prominence: impl Fn(f64) -> f64,
    mut found: impl FnMut(usize),
) {
    let (mut top, mut valley, mut rising) = (0, f64::INFINITY, true);
    for (i, &y) in samples.iter().enumerate() {
        if rising {
            if y > samples[top] {
                top = i;
            } else if y < samples[top] - prominence(samples[top]) {
                if samples[top] >= threshold {
                    found(top);
                }
                (rising, valley) = (false, y);
            }
        } else if y < valley {
            valley = y;
        } else if y > valley + prominence(y) {
            (rising, top) = (true, i);
        }
    }
    if rising && samples.get(top).is_some_and(|&y| y >= threshold) {
        found(top);
    }
}

/// Peak of the Gaussian nearest to the `half` samples on either side of `top`, at least one; `place`
/// in steps.
pub(super) fn refine(samples: &[f64], top: usize, half: usize) -> Peak {
    let at_sample = Peak { sample: top, place: top as f64, height: samples[top] };
    let half = half.max(1).min(top).min(samples.len() - 1 - top);
    if half == 0 {
        return at_sample;
    }
    let around = &samples[top - half..=top + half];
    // Noise can bring a sample below 0; a plain parabola does then.
    let gaussian = around.iter().all(|&y| y > 0.0);
    // Sums of w·x^k and w·x^k·v, with x in steps from the highest sample.
    let (mut moments, mut values) = ([0.0; 5], [0.0; 3]);
    for (i, &y) in around.iter().enumerate() {
        let x = i as f64 - half as f64;
        let relative = y / samples[top];
        let (v, w) = if gaussian { (math::ln(y), relative * relative) } else { (y, 1.0) };
        let mut power = w;
        for k in 0..5 {
            moments[k] += power;
            if k < 3 {
                values[k] += power * v;
            }
            power *= x;
        }
    }
    // v = a + b·x + c·x² by Cramer's rule.
    let [m0, m1, m2, m3, m4] = moments;
    let determinant = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1])
            + c[0] * (a[1] * b[2] - a[2] * b[1])
    };
    let columns = [[m0, m1, m2], [m1, m2, m3], [m2, m3, m4]];
    let [one, x, square] = columns;
    let whole = determinant(one, x, square);
    let (a, b, c) = (
        determinant(values, x, square) / whole,
        determinant(one, values, square) / whole,
        determinant(one, x, values) / whole,
    );
    if c.is_nan() || c >= 0.0 {
        return at_sample;
    }
    let shift = (-0.5 * b / c).clamp(-(half as f64), half as f64);
    let height = a + shift * (b + c * shift);
    let height = if gaussian { math::exp(height) } else { height };
    Peak { sample: top, place: top as f64 + shift, height }
}

/// y, y′ and y″ of a waveform without noise.
pub(super) fn shape(echoes: &[Echo], sigma_m: f64, range_m: f64) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for echo in echoes {
        let u = (range_m - echo.range_m) / sigma_m;
        let y = echo.signal * math::exp(-0.5 * u * u);
        sum[0] += y;
        sum[1] -= u * y;
        sum[2] += (u * u - 1.0) * y;
    }
    [sum[0], sum[1] / sigma_m, sum[2] / (sigma_m * sigma_m)]
}

/// The maxima of a waveform without noise between two ranges, from a first guess at one; calls
/// `found` with range and height.
pub(super) fn refine_exactly(
    echoes: &[Echo],
    sigma_m: f64,
    (low_m, high_m): (f64, f64),
    guess_m: f64,
    mut found: impl FnMut(f64, f64),
) {
    let mut range_m = guess_m;
    for _ in 0..8 {
        let [height, slope, bend] = shape(echoes, sigma_m, range_m);
        // One pulse alone has y″ = −y/σ²; where two are about to part, y″ is near 0 and Newton's
        // way may lead anywhere.
        if !(low_m..=high_m).contains(&range_m) || bend * sigma_m * sigma_m > -0.3 * height {
            break;
        }
        let step_m = slope / bend;
        range_m -= step_m;
        if step_m.abs() < 1e-10 {
            return found(range_m, height);
        }
    }
    const PIECES: usize = 32;
    let place = |i: usize| low_m + (high_m - low_m) * i as f64 / PIECES as f64;
    let rises = |range_m: f64| shape(echoes, sigma_m, range_m)[1] > 0.0;
    let mut rising = rises(low_m);
    for i in 1..=PIECES {
        let rises_here = rises(place(i));
        if rising && !rises_here {
            let (mut low, mut high) = (place(i - 1), place(i));
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if rises(middle) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            let top_m = 0.5 * (low + high);
            found(top_m, shape(echoes, sigma_m, top_m)[0]);
        }
        rising = rises_here;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(samples: &[f64], threshold: f64, prominence: f64) -> Vec<usize> {
        let mut found = Vec::new();
        pick(samples, threshold, |_| prominence, |i| found.push(i));
        found
    }

    #[test]
    fn peaks_by_hand() {
        let samples = [0.0, 2.0, 1.0, 5.0, 4.5, 4.8, 1.0, 0.5, 3.0];
        assert_eq!(picked(&samples, 0.1, 0.0), [1, 3, 5, 8]);
        assert_eq!(picked(&samples, 2.5, 0.0), [3, 5, 8]);
        assert_eq!(picked(&samples, 0.1, 0.6), [1, 3, 8]);
        assert_eq!(picked(&samples, 0.1, 2.0), [3, 8]);
        assert!(picked(&[], 0.1, 0.0).is_empty());
        assert_eq!(picked(&[1.0], 0.1, 0.0), [0]);
    }

    #[test]
    fn samples_of_a_gaussian_give_its_peak() {
        let (sigma, centre) = (2.123, 7.31);
        let samples: Vec<f64> = (0..15)
            .map(|i| 4.2 * (-0.5 * ((f64::from(i) - centre) / sigma).powi(2)).exp())
            .collect();
        for half in [1, 2, 4, 7] {
            let peak = refine(&samples, 7, half);
            assert!((peak.place - centre).abs() < 1e-9 && (peak.height - 4.2).abs() < 1e-9);
        }
    }

    #[test]
    fn a_plain_parabola_where_a_neighbour_is_negative() {
        let peak = refine(&[-1.0, 2.0, 1.0], 1, 1);
        assert!((peak.place - 1.25).abs() < 1e-12 && (peak.height - 2.125).abs() < 1e-12);
        assert_eq!(refine(&[3.0, 2.0], 0, 1).place, 0.0);
    }
}
