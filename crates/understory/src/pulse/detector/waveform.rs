//! Detection in the waveform of a pulse: y(r) = Σ A_i·exp(−(r−r_i)²/2σ²) + noise.
//!
//! What enters: the samples of one pulse, sorted by range. What leaves: its returns. Only the
//! sections of the waveform in which echoes stand are computed; what noise alone does elsewhere in
//! the gate follows from its probabilities, see `chance`. Samples stand at whole multiples of the
//! bin, so a waveform does not depend on what else is in it. The noise of a section is that of the
//! receiver's band: its samples are alike where they are close. Sections are independent.
//!
//! Shot noise follows the light: at every sample the noise has the variance of its own signal. Its
//! correlation is that of the filter, whose response is shorter than a pulse.
//!
//! A return belongs to the sub-rays whose echoes are within ±2σ of its peak and nearer to it than
//! to the peaks beside it. One with none is a false alarm and has no truth.

use std::ops::Range;
use understory_base::math;

use understory_cloud::Waveforms;

use super::peaks::{Echo, pick, refine, refine_exactly, shape};
use super::select::select;
use super::timing::{leading_edge, walk_m};
use super::{Detection, DetectorSpec, Sample, chance};
use crate::pulse::receiver::{NoiseFilter, NoiseMode, Receiver};
use crate::rng::PulseRng;

/// How returns are found in a waveform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveformSpec {
    /// What of a pulse gives its range.
    pub timing: Timing,
    /// How high a pulse must be.
    pub threshold: Threshold,
    /// How deep the valley between two peaks must be, in standard deviations of the noise at the
    /// peak; of no account where no noise is added.
    pub prominence_sigma: f64,
}

/// What of a pulse gives its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Timing {
    /// Its peak.
    Peak,
    /// Where it passes the threshold. A new pulse begins below half the threshold.
    LeadingEdge {
        /// Whether the receiver corrects range walk by the height of the pulse.
        corrected: bool,
    },
    /// Where it passes this fraction of its peak. A new pulse begins below it.
    ConstantFraction(f64),
}

/// How high a pulse must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// In standard deviations of the noise without an echo, sunlight included: a receiver that
    /// keeps its rate of false alarms.
    Sigma(f64),
    /// As a signal.
    Signal(f64),
}

/// Waveforms of a run, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct WaveformTally {
    /// Pulses that had one.
    pub waveforms: u64,
    /// Those that reached beyond the range gate and were cut there.
    pub cut: u64,
}

impl WaveformTally {
    /// Adds what another one counted.
    pub fn add(&mut self, other: WaveformTally) {
        self.waveforms += other.waveforms;
        self.cut += other.cut;
    }
}

/// Memory of the detector, kept from pulse to pulse.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    echoes: Vec<Echo>,
    samples: Vec<f64>,
    sections: Vec<Section>,
    tops: Vec<usize>,
    found: Vec<Found>,
    noise: NoiseFilter,
    false_peaks: chance::FalsePeaks,
    /// Whether the waveforms of the batch are to be kept.
    pub keep: bool,
    /// Waveforms that were kept.
    pub kept: Waveforms,
    samples_f32: Vec<f32>,
    /// Waveforms since the first batch.
    pub tally: WaveformTally,
}

/// Samples side by side and the echoes in them.
struct SampleRun<'a> {
    samples: &'a [f64],
    /// Range of the first sample.
    first_m: f64,
    echoes: &'a [Echo],
}

/// The peak of a pulse.
#[derive(Clone, Copy)]
struct PulsePeak {
    /// Its highest sample.
    top: usize,
    /// Range of the peak itself.
    peak_m: f64,
    height: f64,
}

/// Part of a waveform: bins side by side.
#[derive(Clone, Debug)]
struct Section {
    first_bin: i64,
    samples: Range<usize>,
    echoes: Range<usize>,
}

/// A pulse in the waveform.
#[derive(Clone, Copy, Debug)]
struct Found {
    range_m: f64,
    peak_m: f64,
    signal: f64,
}

impl Scratch {
    /// Makes the noise that of a receiver, if it is not.
    pub(super) fn prepare(&mut self, receiver: &Receiver) {
        self.noise.prepare(receiver.band);
        self.false_peaks.prepare(receiver.band.neighbours());
    }

    /// Keeps the waveform of the last pulse.
    pub(super) fn keep_waveform(&mut self, sensor: u16, pulse: u64, bin_m: f64) {
        for section in &self.sections {
            let samples = &self.samples[section.samples.clone()];
            self.samples_f32.clear();
            self.samples_f32.extend(samples.iter().map(|&y| y as f32));
            let first_m = section.first_bin as f64 * bin_m;
            self.kept.push(sensor, pulse, first_m, bin_m, &self.samples_f32);
        }
    }
}

/// Everything that the waveforms of a sensor have in common.
pub(super) struct Waveform {
    pub(super) receiver: Receiver,
    how: WaveformSpec,
    spec: DetectorSpec,
    /// Bins of the gate.
    gate: Range<i64>,
}

/// Level of noise and threshold of one pulse.
#[derive(Clone, Copy)]
struct Levels {
    /// Variance of the noise without an echo.
    variance: f64,
    threshold: f64,
}

impl Waveform {
    pub(super) fn new(receiver: Receiver, how: WaveformSpec, spec: DetectorSpec) -> Waveform {
        let first = (spec.range_min_m / receiver.bin_m).ceil() as i64;
        let last = ((spec.range_max_m / receiver.bin_m).floor() as i64).max(first);
        Waveform { receiver, how, spec, gate: first..last + 1 }
    }

    /// Detects the returns of one pulse in samples sorted by range. `scratch` has been prepared for
    /// the receiver.
    pub(super) fn detect(
        &self,
        samples: &[Sample],
        reflectance: f64,
        mut rng: PulseRng,
        scratch: &mut Scratch,
        report: &mut impl FnMut(Detection),
    ) {
        let variance = self.receiver.noise_variance(reflectance);
        let threshold = match self.how.threshold {
            Threshold::Sigma(sigma) => sigma * variance.sqrt(),
            Threshold::Signal(signal) => signal,
        };
        let levels = Levels { variance, threshold };
        self.fill(samples, levels, scratch);
        let noise = self.receiver.spec().noise;
        if noise == NoiseMode::Sampled {
            self.add_noise(variance, &mut rng, scratch);
        }
        scratch.found.clear();
        for section in 0..scratch.sections.len() {
            self.find(section, levels, scratch);
        }
        if noise == NoiseMode::Analytic {
            self.draw(levels, &mut rng, &mut scratch.found);
        }
        if noise != NoiseMode::None {
            self.add_false_alarms(levels, &mut rng, scratch);
        }
        if scratch.found.len() > 1 {
            scratch.found.sort_unstable_by(|a, b| a.range_m.total_cmp(&b.range_m));
        }
        let found = &scratch.found;
        let signal = |i: usize| found[i].signal;
        select(self.spec.mode, self.spec.max_returns, found.len(), signal, |i| {
            report(self.detection(found, i, &scratch.echoes));
        });
    }

    /// The waveform without noise.
    fn fill(&self, samples: &[Sample], levels: Levels, scratch: &mut Scratch) {
        let Scratch { echoes, samples: bins, sections, tally, .. } = scratch;
        echoes.clear();
        bins.clear();
        sections.clear();
        let mut total = 0.0;
        for sample in samples {
            let distance_m = sample.range_m - self.spec.range_offset_m;
            let signal = self.receiver.signal(f64::from(sample.intensity), distance_m);
            if signal > 0.0 {
                echoes.push(Echo { range_m: sample.range_m, signal, row: sample.row });
                total += signal;
            }
        }
        if echoes.is_empty() {
            return;
        }
        let sigma_m = self.receiver.pulse.sigma_m;
        let reach = match self.receiver.spec().noise {
            // Beyond, all echoes together are below a tenth of the noise.
            NoiseMode::Sampled => {
                let over = (total / (0.1 * levels.variance.sqrt())).max(1.0);
                (2.0 * math::ln(over)).sqrt().clamp(2.0, 5.0)
            }
            NoiseMode::Analytic | NoiseMode::None => 5.0,
        };
        let (bin_m, mut cut) = (self.receiver.bin_m, false);
        let mut clip = |bin: f64| {
            let inside = (bin as i64).clamp(self.gate.start, self.gate.end - 1);
            cut |= inside != bin as i64;
            inside
        };
        let mut ends = i64::MIN;
        for (i, echo) in echoes.iter().enumerate() {
            let first = clip(((echo.range_m - reach * sigma_m) / bin_m).ceil());
            let end = clip(((echo.range_m + reach * sigma_m) / bin_m).floor()) + 1;
            match sections.last_mut() {
                Some(section) if first <= ends => {
                    bins.resize(bins.len() + (end - ends) as usize, 0.0);
                    section.samples.end = bins.len();
                    section.echoes.end = i + 1;
                }
                _ => {
                    let from = bins.len();
                    bins.resize(from + (end - first).max(0) as usize, 0.0);
                    let samples = from..bins.len();
                    sections.push(Section { first_bin: first, samples, echoes: i..i + 1 });
                }
            }
            ends = end;
            let Some(section) = sections.last() else { continue };
            let from = section.samples.start + (first - section.first_bin) as usize;
            let sampling = Sampling { first_m: first as f64 * bin_m - echo.range_m, bin_m };
            add_pulse(&mut bins[from..], sampling, echo.signal, sigma_m);
        }
        tally.waveforms += 1;
        tally.cut += u64::from(cut);
    }

    fn add_noise(&self, variance: f64, rng: &mut PulseRng, scratch: &mut Scratch) {
        let shot = self.receiver.shot_variance();
        for section in &scratch.sections {
            let samples = &mut scratch.samples[section.samples.clone()];
            scratch.noise.draw(samples.len(), rng, |i, noise| {
                let y = &mut samples[i];
                *y += noise * (variance + shot * *y).sqrt();
            });
        }
    }

    /// The pulses of one section.
    fn find(&self, section: usize, levels: Levels, scratch: &mut Scratch) {
        let Section { first_bin, samples, echoes } = scratch.sections[section].clone();
        let (samples, echoes) = (&scratch.samples[samples], &scratch.echoes[echoes]);
        let (bin_m, sigma_m) = (self.receiver.bin_m, self.receiver.pulse.sigma_m);
        let first_m = first_bin as f64 * bin_m;
        let shot = self.receiver.shot_variance();
        let sampled = self.receiver.spec().noise == NoiseMode::Sampled;
        let tops = &mut scratch.tops;
        tops.clear();
        if sampled {
            let prominence =
                |y: f64| self.how.prominence_sigma * (levels.variance + shot * y.max(0.0)).sqrt();
            pick(samples, levels.threshold, prominence, |top| tops.push(top));
        } else {
            // Between samples a peak may be higher than its highest sample. Far below the largest
            // is only the rim of where echoes were added.
            let largest = samples.iter().fold(0.0, |largest, &y| f64::max(largest, y));
            let floor = match self.receiver.spec().noise {
                NoiseMode::None => 0.5 * levels.threshold,
                _ => 0.0,
            };
            pick(samples, floor.max(1e-5 * largest), |_| 0.0, |top| tops.push(top));
        }
        let run = SampleRun { samples, first_m, echoes };
        // Samples within σ of a peak, none of them nearer to another one.
        let widest = if sampled { (sigma_m / bin_m).round() as usize } else { 1 };
        let begun = scratch.found.len();
        let mut previous_top = 0;
        for (place, &top) in tops.iter().enumerate() {
            let before = place.checked_sub(1).map_or(top, |i| (top - tops[i]) / 2);
            let after = tops.get(place + 1).map_or(samples.len(), |next| (next - top) / 2);
            let peak = refine(samples, top, widest.min(before).min(after));
            let mut pulse = |peak_m: f64, height: f64| {
                let pulses = &mut scratch.found;
                let after = (pulses.len() > begun).then_some(previous_top);
                let peak = PulsePeak { top, peak_m, height };
                self.time(&run, levels, peak, after, pulses);
                previous_top = top;
            };
            let peak_m = first_m + peak.place * bin_m;
            if sampled {
                pulse(peak_m, peak.height);
                continue;
            }
            // Two bins on either side hold any second peak that the samples do not show.
            let half = |other: Option<&usize>| other.map_or(2.0, |&o| o.abs_diff(top) as f64 / 2.0);
            let before = half(place.checked_sub(1).and_then(|i| tops.get(i))).min(2.0);
            let after = half(tops.get(place + 1)).min(2.0);
            let around = first_m + top as f64 * bin_m;
            let between = (around - before * bin_m, around + after * bin_m);
            let least = match self.receiver.spec().noise {
                NoiseMode::None => levels.threshold,
                _ => 0.0,
            };
            refine_exactly(echoes, sigma_m, between, peak_m, |peak_m, height| {
                if height >= least {
                    pulse(peak_m, height);
                }
            });
        }
    }

    /// Adds the pulse with this peak, or joins it to the one before it, whose highest sample is
    /// `after`, where the timing cannot part them.
    fn time(
        &self,
        &SampleRun { samples, first_m, echoes }: &SampleRun<'_>,
        levels: Levels,
        PulsePeak { top, peak_m, height }: PulsePeak,
        after: Option<usize>,
        found: &mut Vec<Found>,
    ) {
        let (bin_m, sigma_m) = (self.receiver.bin_m, self.receiver.pulse.sigma_m);
        let (level, new_below, shift_m) = match self.how.timing {
            Timing::Peak => {
                return found.push(Found { range_m: peak_m, peak_m, signal: height });
            }
            Timing::LeadingEdge { corrected } => {
                let walk = walk_m(sigma_m, height / levels.threshold);
                let shift_m = if corrected { walk } else { 0.0 };
                (levels.threshold, 0.5 * levels.threshold, shift_m)
            }
            Timing::ConstantFraction(fraction) => {
                let level = fraction * height;
                (level, level, walk_m(sigma_m, 1.0 / fraction))
            }
        };
        if let (Some(after), Some(last)) = (after, found.last_mut())
            && !samples[after..top].iter().any(|&y| y < new_below)
        {
            // The receiver still sees the pulse before, and of it the highest point.
            if let Timing::LeadingEdge { corrected } = self.how.timing
                && height > last.signal
            {
                if corrected {
                    let walk = walk_m(sigma_m, last.signal / levels.threshold);
                    last.range_m += shift_m - walk;
                }
                (last.peak_m, last.signal) = (peak_m, height);
            }
            return;
        }
        let edge = leading_edge(samples, after.unwrap_or(0), top, height, level);
        let mut edge_m = first_m + edge.unwrap_or(0.0) * bin_m;
        if self.receiver.spec().noise != NoiseMode::Sampled && edge.is_some() && level < height {
            let guess_m = edge_m;
            for _ in 0..6 {
                let [y, slope, _] = shape(echoes, sigma_m, edge_m);
                let step_m = (y - level) / slope;
                if step_m.is_nan() || step_m.abs() >= bin_m {
                    break;
                }
                edge_m -= step_m;
            }
            if (edge_m - guess_m).abs() >= bin_m {
                edge_m = guess_m;
            }
        }
        found.push(Found { range_m: edge_m + shift_m, peak_m, signal: height });
    }

    /// Heights, chances and ranges as the noise makes them, without its samples.
    fn draw(&self, levels: Levels, rng: &mut PulseRng, found: &mut Vec<Found>) {
        let shot = self.receiver.shot_variance();
        found.retain_mut(|pulse| {
            let sigma = (levels.variance + shot * pulse.signal).sqrt();
            let [height, range] = rng.gaussian_pair();
            let snr = pulse.signal / sigma;
            let seen = pulse.signal + sigma * height;
            let bound_m = self.receiver.range_sigma_m(snr);
            // A pulse that only noise lifted over the threshold is no farther off than its width.
            pulse.range_m += range * bound_m.min(self.receiver.pulse.sigma_m);
            pulse.signal = seen;
            seen >= levels.threshold
        });
    }

    /// Peaks of pure noise in the bins where no echo stands.
    fn add_false_alarms(&self, levels: Levels, rng: &mut PulseRng, scratch: &mut Scratch) {
        let sigma = levels.variance.sqrt();
        let threshold = levels.threshold / sigma;
        let p = scratch.false_peaks.probability(threshold);
        let analytic = self.receiver.spec().noise == NoiseMode::Analytic;
        // In samples that were drawn, noise has had its chance.
        let drawn: &[Section] = if analytic { &[] } else { &scratch.sections };
        let of_sections: i64 = drawn.iter().map(|section| section.samples.len() as i64).sum();
        let empty = (self.gate.end - self.gate.start).saturating_sub(of_sections).max(0) as f64;
        let mut place = -1.0;
        loop {
            // Steps to the next one: geometric.
            place += 1.0 + (math::ln(rng.uniform()) / math::ln_1p(-p)).floor();
            if place.is_nan() || place >= empty {
                break;
            }
            let mut bin = self.gate.start + place as i64;
            for section in drawn.iter().filter(|section| !section.samples.is_empty()) {
                if bin >= section.first_bin {
                    bin += section.samples.len() as i64;
                }
            }
            let range_m = (bin as f64 + rng.uniform() - 0.5) * self.receiver.bin_m;
            let range_m = range_m.clamp(self.spec.range_min_m, self.spec.range_max_m);
            let signal = sigma * scratch.false_peaks.height(threshold, rng.uniform());
            scratch.found.push(Found { range_m, peak_m: range_m, signal });
        }
    }

    fn detection(&self, found: &[Found], index: usize, echoes: &[Echo]) -> Detection {
        let pulse = &found[index];
        let reach_m = 2.0 * self.receiver.pulse.sigma_m;
        let halfway = |other: &Found| 0.5 * (pulse.peak_m + other.peak_m);
        let before = index.checked_sub(1).map(|i| halfway(&found[i]));
        let after = found.get(index + 1).map(halfway);
        let low_m = before.unwrap_or(f64::NEG_INFINITY).max(pulse.peak_m - reach_m);
        let high_m = after.unwrap_or(f64::INFINITY).min(pulse.peak_m + reach_m);
        let from = echoes.partition_point(|echo| echo.range_m < low_m);
        let to = echoes.partition_point(|echo| echo.range_m <= high_m).max(from);
        let own = &echoes[from..to];
        let or_range = |echo: Option<&Echo>| echo.map_or(pulse.range_m, |echo| echo.range_m) as f32;
        let distance_m = pulse.peak_m - self.spec.range_offset_m;
        Detection {
            range_m: pulse.range_m.max(0.0),
            intensity: self.receiver.intensity(pulse.signal, distance_m) as f32,
            truth: own.iter().map(|echo| echo.row).min(),
            sub_ray_hits: own.len() as u16,
            near_m: or_range(own.first()),
            far_m: or_range(own.last()),
        }
    }
}

/// Where bins lie relative to an echo.
#[derive(Clone, Copy)]
struct Sampling {
    /// Distance of the first from the echo.
    first_m: f64,
    /// Distance from one to the next.
    bin_m: f64,
}

/// Adds A·exp(−d²/2σ²) to bins for the amplitude A = `signal`. From bin to bin the exponential is
/// multiplied by a factor that itself shrinks by a constant one.
fn add_pulse(bins: &mut [f64], at: Sampling, signal: f64, sigma_m: f64) {
    let (d, step) = (at.first_m / sigma_m, at.bin_m / sigma_m);
    let mut y = signal * math::exp(-0.5 * d * d);
    let mut factor = math::exp(-step * (d + 0.5 * step));
    let shrink = math::exp(-step * step);
    for bin in bins {
        *bin += y;
        y *= factor;
        factor *= shrink;
    }
}

#[cfg(test)]
mod tests;
