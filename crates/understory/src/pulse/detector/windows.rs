//! Detection by windows over the sub-rays' ranges (Goodin 2018, §3.2.3).
//!
//! What enters: distance and intensity of each sub-ray that met something. What leaves: at most one
//! detection per window, nearest first. With W the signal cutoff:
//!
//! - first: {r_i − r_min < W}; last: {r_max − r_i < W},
//! - strongest: {|r_i − r_s| < W/2}, where r_s has the largest intensity and is the nearer of equals,
//! - strongest and last: both windows if r_max − r_s > W, else the strongest alone; a sub-ray
//!   between the two may belong to both,
//! - all: the first window, again and again, of what the windows before it left.
//!
//! The sub-ray that was selected is always in its window, as is any at exactly its range.

use super::{Detection, DetectorSpec, ReturnMode, Sample, WindowRange};

/// Detects the returns of one pulse, nearest first, in samples sorted by range.
pub(super) fn detect(spec: &DetectorSpec, samples: &[Sample], mut found: impl FnMut(Detection)) {
    let Some(last) = samples.len().checked_sub(1) else { return };
    let cutoff_m = spec.signal_cutoff_m;
    match spec.mode {
        ReturnMode::First => found(window(spec, samples, 0, cutoff_m)),
        ReturnMode::Last => found(window(spec, samples, last, cutoff_m)),
        ReturnMode::Strongest => {
            found(window(spec, samples, strongest(samples), cutoff_m / 2.0));
        }
        ReturnMode::StrongestAndLast => {
            let strongest = strongest(samples);
            found(window(spec, samples, strongest, cutoff_m / 2.0));
            if samples[last].range_m - samples[strongest].range_m > cutoff_m {
                found(window(spec, samples, last, cutoff_m));
            }
        }
        ReturnMode::All => {
            let mut rest = samples;
            for _ in 0..spec.max_returns {
                if rest.is_empty() {
                    break;
                }
                let first = window(spec, rest, 0, cutoff_m);
                rest = &rest[first.sub_ray_hits as usize..];
                found(first);
            }
        }
    }
}

/// The detection from the samples nearer than `reach_m` to the selected one. Samples are
/// sorted, so these stand together.
fn window(spec: &DetectorSpec, samples: &[Sample], selected: usize, reach_m: f64) -> Detection {
    let centre_m = samples[selected].range_m;
    let inside = |sample: &&Sample| {
        let apart_m = (sample.range_m - centre_m).abs();
        apart_m < reach_m || apart_m == 0.0
    };
    let before = samples[..selected].iter().rev().take_while(inside).count();
    let after = samples[selected..].iter().take_while(inside).count();
    let window = &samples[selected - before..selected + after];

    let (mut range_sum, mut intensity_sum, mut weighted_sum) = (0.0, 0.0, 0.0);
    for sample in window {
        let intensity = f64::from(sample.intensity);
        range_sum += sample.range_m;
        intensity_sum += intensity;
        weighted_sum += intensity * sample.range_m;
    }
    Detection {
        range_m: match spec.window {
            WindowRange::Mean => range_sum / window.len() as f64,
            WindowRange::Weighted => weighted_sum / intensity_sum,
            WindowRange::Off => centre_m,
        },
        intensity: intensity_sum as f32,
        truth: window.iter().map(|sample| sample.row).min(),
        sub_ray_hits: window.len() as u16,
        near_m: window[0].range_m as f32,
        far_m: window[window.len() - 1].range_m as f32,
    }
}

/// Index of the largest intensity, the nearer of equals in sorted samples.
fn strongest(samples: &[Sample]) -> usize {
    let mut best = 0;
    for (index, sample) in samples.iter().enumerate() {
        if sample.intensity > samples[best].intensity {
            best = index;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::Detector;
    use super::*;
    use proptest::prelude::*;

    const MODES: [ReturnMode; 5] = [
        ReturnMode::First,
        ReturnMode::Last,
        ReturnMode::Strongest,
        ReturnMode::StrongestAndLast,
        ReturnMode::All,
    ];

    fn spec(mode: ReturnMode, signal_cutoff_m: f64) -> DetectorSpec {
        DetectorSpec {
            range_min_m: 0.5,
            range_max_m: 100.0,
            range_quantum_m: 0.0,
            range_offset_m: 0.0,
            mode,
            signal_cutoff_m,
            window: WindowRange::Mean,
            max_returns: 3,
        }
    }

    fn detect(spec: DetectorSpec, signal: &[(f64, f32)]) -> Vec<Detection> {
        let sample = |(row, &(range_m, intensity)): (usize, &(f64, f32))| Sample {
            range_m,
            intensity,
            row: row as u32,
        };
        let mut samples: Vec<Sample> = signal.iter().enumerate().map(sample).collect();
        let mut found = Vec::new();
        super::super::sort(&mut samples);
        super::detect(&spec, &samples, |detection| found.push(detection));
        found
    }

    fn ranges(spec: DetectorSpec, signal: &[(f64, f32)]) -> Vec<f64> {
        detect(spec, signal).iter().map(|detection| detection.range_m).collect()
    }

    /// Tuley's rods at 0.80 m before a wall 0.6 m and 2.0 m behind them, cutoff 1.6 m, first.
    #[test]
    fn rods_before_a_wall() {
        let first = spec(ReturnMode::First, 1.6);
        for on_rod in 0..=9usize {
            let mix = |wall_m| -> Vec<(f64, f32)> {
                (0..9).map(|ray| (if ray < on_rod { 0.8 } else { wall_m }, 0.05)).collect()
            };
            let near = ranges(first, &mix(1.4))[0];
            let expected = (0.8 * on_rod as f64 + 1.4 * (9 - on_rod) as f64) / 9.0;
            assert!((near - expected).abs() < 1e-12);
            let far = ranges(first, &mix(2.8))[0];
            assert!((far - if on_rod > 0 { 0.8 } else { 2.8 }).abs() < 1e-12);
        }
        let three: Vec<(f64, f32)> =
            [0.8, 0.8, 0.8, 1.4, 1.4, 1.4, 1.4, 1.4, 1.4].map(|r| (r, 0.1)).into();
        assert!((ranges(first, &three)[0] - 1.2).abs() < 1e-12);
        let six: Vec<(f64, f32)> =
            [0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 1.4, 1.4, 1.4].map(|r| (r, 0.1)).into();
        assert!((ranges(first, &six)[0] - 1.0).abs() < 1e-12);
    }

    /// A bush with a gap: 4.0, 4.4 | 6.0 (strongest), 6.4 | 9.0.
    const BUSH: [(f64, f32); 5] = [(6.0, 0.3), (4.0, 0.1), (9.0, 0.2), (4.4, 0.1), (6.4, 0.1)];

    #[test]
    fn each_mode_by_hand() {
        assert_eq!(ranges(spec(ReturnMode::First, 1.0), &BUSH), [4.2]);
        assert_eq!(ranges(spec(ReturnMode::Last, 1.0), &BUSH), [9.0]);
        assert_eq!(ranges(spec(ReturnMode::Strongest, 1.0), &BUSH), [6.2]);
        assert_eq!(ranges(spec(ReturnMode::Strongest, 0.8), &BUSH), [6.0], "W/2 is excluded");
        assert_eq!(ranges(spec(ReturnMode::StrongestAndLast, 1.0), &BUSH), [6.2, 9.0]);
        assert_eq!(ranges(spec(ReturnMode::StrongestAndLast, 3.0), &BUSH).len(), 1, "not above W");
        assert_eq!(ranges(spec(ReturnMode::All, 1.0), &BUSH), [4.2, 6.2, 9.0]);
        let two = DetectorSpec { max_returns: 2, ..spec(ReturnMode::All, 1.0) };
        assert_eq!(ranges(two, &BUSH), [4.2, 6.2], "the nearest are kept");
    }

    #[test]
    fn the_range_of_a_window_by_hand() {
        let strongest = spec(ReturnMode::Strongest, 1.0);
        let weighted = DetectorSpec { window: WindowRange::Weighted, ..strongest };
        let off = DetectorSpec { window: WindowRange::Off, ..strongest };
        assert!((ranges(weighted, &BUSH)[0] - (6.0 * 0.3 + 6.4 * 0.1) / 0.4).abs() < 1e-7);
        assert_eq!(ranges(off, &BUSH), [6.0]);
        let found = detect(strongest, &BUSH)[0];
        assert!((found.intensity - 0.4).abs() < 1e-7);
        assert_eq!((found.truth, found.sub_ray_hits), (Some(0), 2));
        assert_eq!((found.near_m, found.far_m), (6.0, 6.4));
    }

    #[test]
    fn the_nearer_of_equals_is_the_strongest() {
        let signal = [(8.0, 0.2), (5.0, 0.2), (3.0, 0.1)];
        assert_eq!(ranges(spec(ReturnMode::Strongest, 0.5), &signal), [5.0]);
    }

    #[test]
    fn without_a_cutoff_each_range_is_a_return_of_its_own() {
        let signal = [(8.0, 0.2), (5.0, 0.2), (5.0, 0.1)];
        for mode in MODES {
            let found = detect(spec(mode, 0.0), &signal);
            assert!(found.iter().all(|d| d.near_m == d.far_m));
        }
        assert_eq!(ranges(spec(ReturnMode::All, 0.0), &signal), [5.0, 8.0]);
    }

    #[test]
    fn nothing_comes_of_nothing() {
        assert!(MODES.iter().all(|&mode| detect(spec(mode, 1.0), &[]).is_empty()));
    }

    #[test]
    fn the_tracer_is_asked_as_far_as_the_gate_reaches() {
        let mut spec = spec(ReturnMode::First, 1.0);
        spec.range_offset_m = 0.25;
        let distance = f64::from(Detector::new(spec).distance_max_m());
        assert!(distance > 99.75 && distance < 99.751);
    }

    /// The same law by sets and without sorting.
    fn by_sets(spec: &DetectorSpec, signal: &[(f64, f32)]) -> Vec<(f64, f32, usize)> {
        let w = spec.signal_cutoff_m;
        let nearest = |set: &[usize]| {
            set.iter().copied().reduce(|a, b| if signal[b].0 < signal[a].0 { b } else { a })
        };
        let farthest = |set: &[usize]| {
            set.iter().copied().reduce(|a, b| if signal[b].0 > signal[a].0 { b } else { a })
        };
        let brightest = |set: &[usize]| {
            set.iter().copied().reduce(|a, b| {
                let ((range_a, a_is), (range_b, b_is)) = (signal[a], signal[b]);
                if b_is > a_is || (b_is == a_is && range_b < range_a) { b } else { a }
            })
        };
        let form = |members: &[usize], selected: usize| {
            let total: f64 = members.iter().map(|&i| signal[i].1 as f64).sum();
            let range = match spec.window {
                WindowRange::Mean => {
                    members.iter().map(|&i| signal[i].0).sum::<f64>() / members.len() as f64
                }
                WindowRange::Weighted => {
                    members.iter().map(|&i| signal[i].0 * signal[i].1 as f64).sum::<f64>() / total
                }
                WindowRange::Off => signal[selected].0,
            };
            (range, total as f32, members.len())
        };
        let all: Vec<usize> = (0..signal.len()).collect();
        let within = |set: &[usize], centre: usize, reach: f64| -> Vec<usize> {
            let near = |&i: &usize| (signal[i].0 - signal[centre].0).abs() < reach || i == centre;
            set.iter().copied().filter(near).collect()
        };
        let Some(first) = nearest(&all) else { return vec![] };
        let (Some(last), Some(strong)) = (farthest(&all), brightest(&all)) else { return vec![] };
        match spec.mode {
            ReturnMode::First => vec![form(&within(&all, first, w), first)],
            ReturnMode::Last => vec![form(&within(&all, last, w), last)],
            ReturnMode::Strongest => vec![form(&within(&all, strong, w / 2.0), strong)],
            ReturnMode::StrongestAndLast => {
                let mut found = vec![form(&within(&all, strong, w / 2.0), strong)];
                if (signal[last].0 - signal[strong].0).abs() > w {
                    found.push(form(&within(&all, last, w), last));
                }
                found
            }
            ReturnMode::All => {
                let (mut rest, mut found) = (all, vec![]);
                while let Some(first) =
                    nearest(&rest).filter(|_| found.len() < spec.max_returns as usize)
                {
                    let members = within(&rest, first, w);
                    rest.retain(|i| !members.contains(i));
                    found.push(form(&members, first));
                }
                found
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn windows_agree_with_sets(
            // Coarse steps give equal ranges, equal intensities and differences of exactly W.
            steps in prop::collection::vec((4u32..60, 1u32..8, 0u32..1000), 0..24),
            cutoff in 1u32..24, mode in 0usize..5, window in 0usize..3, max_returns in 1u8..6,
        ) {
            let windows = [WindowRange::Mean, WindowRange::Weighted, WindowRange::Off];
            let spec = DetectorSpec {
                window: windows[window],
                max_returns,
                ..spec(MODES[mode], cutoff as f64 * 0.25)
            };
            let signal: Vec<(f64, f32)> =
                steps.iter().map(|&(r, i, _)| (r as f64 * 0.25, i as f32 * 0.125)).collect();
            let found = detect(spec, &signal);
            let expected = by_sets(&spec, &signal);
            prop_assert_eq!(found.len(), expected.len());
            for (found, (range, intensity, hits)) in found.iter().zip(expected) {
                prop_assert!((found.range_m - range).abs() < 1e-9);
                prop_assert!((found.intensity - intensity).abs() < 1e-5);
                prop_assert_eq!(found.sub_ray_hits as usize, hits);
            }
            prop_assert!(found.windows(2).all(|pair| pair[0].range_m <= pair[1].range_m));
        }
    }
}
