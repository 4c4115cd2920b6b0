//! From the echo signal to detections: windows over the sub-rays' ranges (Goodin 2018, §3.2.3).
//!
//! What enters: distance and intensity of each sub-ray that met something. What leaves:
//! [`Detections`], at most one per window, nearest first. With W the signal cutoff:
//!
//! - first: {r_i − r_min < W}; last: {r_max − r_i < W},
//! - strongest: {|r_i − r_s| < W/2}, where r_s has the largest intensity and is the nearer of equals,
//! - strongest and last: both windows if r_max − r_s > W, else the strongest alone; a sub-ray
//!   between the two may belong to both,
//! - all: the first window, again and again, of what the windows before it left.
//!
//! The sub-ray that was selected is always in its window, as is any at exactly its range. Ranges
//! here are reported ranges: distance plus `range_offset_m`, and only those within `range_min_m` …
//! `range_max_m` count. A surface nearer than that still stops the light.

use crate::echo::EchoSignal;
use crate::interaction::Interactions;

/// Which returns of a pulse the sensor reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReturnMode {
    /// The nearest.
    First,
    /// The farthest.
    Last,
    /// The one with the largest signal.
    Strongest,
    /// The strongest and, where it is another one, the last.
    StrongestAndLast,
    /// All, nearest first.
    All,
}

/// How the range of a window follows from the sub-rays in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowRange {
    /// Plain mean, as P2 prints it.
    Mean,
    /// Mean weighted by intensity.
    Weighted,
    /// No averaging: the selected sub-ray alone.
    Off,
}

/// What a receiver makes of the light that comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectorSpec {
    /// Nearest range that is reported.
    pub range_min_m: f64,
    /// Farthest range that is reported.
    pub range_max_m: f64,
    /// Step of the reported range; 0: none.
    pub range_quantum_m: f64,
    /// Added to the distance from the beam's origin to give the reported range.
    pub range_offset_m: f64,
    /// Which returns are reported.
    pub mode: ReturnMode,
    /// P2's signal cutoff W: sub-rays nearer to each other than this are one echo.
    pub signal_cutoff_m: f64,
    /// How the range of a window is formed.
    pub window: WindowRange,
    /// Most returns per pulse in mode `All`, 1…15.
    pub max_returns: u8,
}

/// One return of a pulse as the receiver saw it, before errors of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Reported range: distance with the range offset.
    pub range_m: f64,
    /// Sum over the window.
    pub intensity: f32,
    /// Row of the interaction that stands for the window in the ground truth: that of the sub-ray
    /// nearest to the beam's axis, which is the direction that the sensor reports.
    pub truth: u32,
    /// Number of sub-rays in the window.
    pub sub_ray_hits: u16,
    /// Range of the nearest sub-ray in the window.
    pub near_m: f32,
    /// Range of the farthest sub-ray in the window.
    pub far_m: f32,
}

/// The detections of a batch of pulses, those of one pulse together.
#[derive(Clone, Debug, Default)]
pub struct Detections {
    /// First detection of each pulse, and the number of all at the end.
    start: Vec<u32>,
    /// Nearest first within a pulse.
    pub detections: Vec<Detection>,
}

impl Detections {
    /// Rows of pulse `pulse` of the batch.
    pub fn rows(&self, pulse: usize) -> std::ops::Range<usize> {
        self.start[pulse] as usize..self.start[pulse + 1] as usize
    }

    /// Number of pulses.
    pub fn pulses(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    #[cfg(test)]
    pub(crate) fn from_pulses(pulses: impl Iterator<Item = Vec<Detection>>) -> Detections {
        let mut found = Detections { start: vec![0], detections: Vec::new() };
        for pulse in pulses {
            found.detections.extend(pulse);
            found.start.push(found.detections.len() as u32);
        }
        found
    }
}

/// A sub-ray that counts: its reported range, its intensity and its row in the interactions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Distance with the range offset.
    pub range_m: f64,
    /// What came back, above 0.
    pub intensity: f32,
    /// Row of the interaction.
    pub row: u32,
}

/// A receiver that turns signals into detections.
#[derive(Clone, Copy, Debug)]
pub struct Detector {
    spec: DetectorSpec,
}

impl Detector {
    /// A receiver after `spec`.
    pub fn new(spec: DetectorSpec) -> Detector {
        Detector { spec }
    }

    /// What the receiver was made from.
    pub fn spec(&self) -> &DetectorSpec {
        &self.spec
    }

    /// Distance from the beam's origin beyond which nothing can count.
    pub fn distance_max_m(&self) -> f32 {
        ((self.spec.range_max_m - self.spec.range_offset_m) as f32).next_up()
    }

    /// Detects the returns of every pulse; `samples` is scratch.
    pub fn detect(
        &self,
        interactions: &Interactions,
        signal: &EchoSignal,
        samples: &mut Vec<Sample>,
        found: &mut Detections,
    ) {
        found.start.clear();
        found.detections.clear();
        found.start.push(0);
        for pulse in 0..interactions.pulses() {
            samples.clear();
            for row in interactions.rows(pulse) {
                let (distance_m, intensity) = (interactions.distance_m[row], signal.intensity[row]);
                samples.extend(self.sample(row as u32, distance_m, intensity));
            }
            self.detect_pulse(samples, |detection| found.detections.push(detection));
            found.start.push(found.detections.len() as u32);
        }
    }

    /// The sample of an interaction, if it is bright and within the range limits.
    pub fn sample(&self, row: u32, distance_m: f32, intensity: f32) -> Option<Sample> {
        let range_m = f64::from(distance_m) + self.spec.range_offset_m;
        let gate = self.spec.range_min_m..=self.spec.range_max_m;
        let counts = intensity > 0.0 && gate.contains(&range_m);
        counts.then_some(Sample { range_m, intensity, row })
    }

    /// Detects the returns of one pulse, nearest first; leaves `samples` sorted by range.
    pub fn detect_pulse(&self, samples: &mut [Sample], mut found: impl FnMut(Detection)) {
        samples.sort_unstable_by(|a, b| a.range_m.total_cmp(&b.range_m).then(a.row.cmp(&b.row)));
        let samples: &[Sample] = samples;
        let Some(last) = samples.len().checked_sub(1) else { return };
        let cutoff_m = self.spec.signal_cutoff_m;
        match self.spec.mode {
            ReturnMode::First => found(self.window(samples, 0, cutoff_m)),
            ReturnMode::Last => found(self.window(samples, last, cutoff_m)),
            ReturnMode::Strongest => {
                found(self.window(samples, strongest(samples), cutoff_m / 2.0));
            }
            ReturnMode::StrongestAndLast => {
                let strongest = strongest(samples);
                found(self.window(samples, strongest, cutoff_m / 2.0));
                if samples[last].range_m - samples[strongest].range_m > cutoff_m {
                    found(self.window(samples, last, cutoff_m));
                }
            }
            ReturnMode::All => {
                let mut rest = samples;
                for _ in 0..self.spec.max_returns {
                    if rest.is_empty() {
                        break;
                    }
                    let first = self.window(rest, 0, cutoff_m);
                    rest = &rest[first.sub_ray_hits as usize..];
                    found(first);
                }
            }
        }
    }

    /// The detection from the samples nearer than `reach_m` to the selected one. Samples are
    /// sorted, so these stand together.
    fn window(&self, samples: &[Sample], selected: usize, reach_m: f64) -> Detection {
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
            range_m: match self.spec.window {
                WindowRange::Mean => range_sum / window.len() as f64,
                WindowRange::Weighted => weighted_sum / intensity_sum,
                WindowRange::Off => centre_m,
            },
            intensity: intensity_sum as f32,
            truth: window.iter().map(|sample| sample.row).min().unwrap_or(samples[selected].row),
            sub_ray_hits: window.len() as u16,
            near_m: window[0].range_m as f32,
            far_m: window[window.len() - 1].range_m as f32,
        }
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
        Detector::new(spec).detect_pulse(&mut samples, |detection| found.push(detection));
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
        assert_eq!((found.truth, found.sub_ray_hits), (0, 2));
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
