//! From the light that comes back to detections: [`EchoSignal`] → [`Detections`].
//!
//! What enters: distance and intensity of everything that the sub-rays met. What leaves: the
//! returns of each pulse, nearest first. Three families do this: `windows` over the ranges of the
//! sub-rays, which know no pulse and no noise, waveforms, in which each echo is a pulse of light in
//! a receiver's noise, and `phase_shift`, which sums modulated light.
//!
//! Ranges here are reported ranges: distance plus `range_offset_m`, and only those within
//! `range_min_m` … `range_max_m` count. A surface nearer than that still stops the light. Where
//! ranges repeat ([`Folding`]), a camera by phase cannot know which interval its light comes from:
//! all light that is bright enough counts, and the limits hold for the measured, folded range.

pub mod chance;
mod peaks;
mod phase_shift;
mod select;
mod timing;
pub mod waveform;
mod windows;

use crate::pulse::beam::Footprint;
use crate::pulse::echo::EchoSignal;
use crate::pulse::interaction::Interactions;
use crate::pulse::receiver::{Receiver, beam_reflectance};
use crate::rng::{BatchKey, Stage};

pub use understory_files::sensor::{ReturnMode, WindowRange};
pub use waveform::{Scratch, Threshold, Timing, WaveformSpec, WaveformTally};

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

/// Ranges that repeat, as those of a camera that measures the phase of modulated light do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Folding {
    /// Ranges are known modulo this.
    pub ambiguity_m: f64,
    /// Distance beyond which nothing is bright enough to count.
    pub reach_m: f64,
}

/// One return of a pulse as the receiver saw it, before errors of the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detection {
    /// Reported range: distance with the range offset.
    pub range_m: f64,
    /// Sum over the window; of a waveform, the peak as the intensity that would give it alone.
    pub intensity: f32,
    /// Row of the interaction that stands for the return in the ground truth: of the sub-rays of
    /// the window or peak, the one nearest to the beam's axis, which is the direction that the
    /// sensor reports. None for a false alarm.
    pub truth: Option<u32>,
    /// Number of sub-rays in the window or peak.
    pub sub_ray_hits: u16,
    /// Range of the nearest of them.
    pub near_m: f32,
    /// Range of the farthest of them.
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

    /// Removes the detections whose measured range is not within `limits_m`, ends included.
    fn retain_within(&mut self, limits_m: [f64; 2], measured_m: &mut Vec<f64>) {
        let [near_m, far_m] = limits_m;
        let (mut kept, mut row) = (0, 0);
        for end in &mut self.start[1..] {
            while row < *end as usize {
                if (near_m..=far_m).contains(&measured_m[row]) {
                    self.detections[kept] = self.detections[row];
                    measured_m[kept] = measured_m[row];
                    kept += 1;
                }
                row += 1;
            }
            *end = kept as u32;
        }
        self.detections.truncate(kept);
        measured_m.truncate(kept);
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

/// The light that comes back to a receiver.
#[derive(Clone, Copy, Debug)]
pub struct Light<'a> {
    /// What the sub-rays met.
    pub interactions: &'a Interactions,
    /// What came back from there.
    pub signal: &'a EchoSignal,
    /// The shares of the sub-rays.
    pub footprint: &'a Footprint,
}

/// Memory of a detector, kept from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct DetectorScratch {
    /// Samples of the last pulse, by range.
    pub samples: Vec<Sample>,
    /// Of detectors in waveforms, with the waveforms that are kept.
    pub waveform: Scratch,
}

/// Turns signals into detections.
#[derive(Clone, Copy, Debug)]
pub struct Detector {
    spec: DetectorSpec,
    receiver: Option<Receiver>,
    waveform: Option<WaveformSpec>,
    folding: Option<Folding>,
    /// Where the phase of modulated light is measured, the distance after which it repeats.
    phase_m: Option<f64>,
}

impl Detector {
    /// A detector by windows after `spec`.
    pub fn new(spec: DetectorSpec) -> Detector {
        Detector { spec, receiver: None, waveform: None, folding: None, phase_m: None }
    }

    /// A detector behind a receiver: in its waveform, or by windows where `waveform` is none.
    pub fn with_receiver(
        spec: DetectorSpec,
        receiver: Receiver,
        waveform: Option<WaveformSpec>,
    ) -> Detector {
        Detector { spec, receiver: Some(receiver), waveform, folding: None, phase_m: None }
    }

    /// The same detector by the phase of light whose modulation repeats after `ambiguity_m`.
    pub fn by_phase(self, ambiguity_m: f64) -> Detector {
        Detector { phase_m: Some(ambiguity_m), ..self }
    }

    /// The same detector for ranges that repeat. One in waveforms keeps its gate: it is open for
    /// the echoes of its own pulse.
    pub fn folding(self, folding: Folding) -> Detector {
        Detector { folding: Some(folding).filter(|_| self.waveform.is_none()), ..self }
    }

    /// What the detector was made from.
    pub fn spec(&self) -> &DetectorSpec {
        &self.spec
    }

    /// The receiver before it, if one is known.
    pub fn receiver(&self) -> Option<&Receiver> {
        self.receiver.as_ref()
    }

    /// How it finds returns in waveforms, if it does.
    pub fn waveform(&self) -> Option<&WaveformSpec> {
        self.waveform.as_ref()
    }

    /// Distance from the beam's origin beyond which nothing can count.
    pub fn distance_max_m(&self) -> f32 {
        let range_max_m = self.folding.map_or(self.spec.range_max_m, |folding| folding.reach_m);
        ((range_max_m - self.spec.range_offset_m) as f32).next_up()
    }

    /// Where ranges repeat, removes the detections whose measured range is not reported.
    pub fn keep_reported(&self, found: &mut Detections, measured_m: &mut Vec<f64>) {
        if self.folding.is_some() {
            found.retain_within([self.spec.range_min_m, self.spec.range_max_m], measured_m);
        }
    }

    /// Detects the returns of every pulse.
    pub fn detect(
        &self,
        light: &Light<'_>,
        key: BatchKey,
        scratch: &mut DetectorScratch,
        found: &mut Detections,
    ) {
        let Light { interactions, signal, footprint } = *light;
        let DetectorScratch { samples, waveform: scratch } = scratch;
        scratch.kept.clear();
        found.start.clear();
        found.detections.clear();
        found.start.push(0);
        let behind = self.receiver.zip(self.waveform);
        let waveform =
            behind.map(|(receiver, how)| waveform::Waveform::new(receiver, how, self.spec));
        if let Some(waveform) = &waveform {
            scratch.prepare(&waveform.receiver);
        }
        for pulse in 0..interactions.pulses() {
            samples.clear();
            for row in interactions.rows(pulse) {
                let (distance_m, intensity) = (interactions.distance_m[row], signal.intensity[row]);
                samples.extend(self.sample(row as u32, distance_m, intensity));
            }
            sort(samples);
            let mut push = |detection| found.detections.push(detection);
            match &waveform {
                None => match self.phase_m {
                    Some(ambiguity_m) => phase_shift::detect(ambiguity_m, samples, &mut push),
                    None => windows::detect(&self.spec, samples, &mut push),
                },
                Some(waveform) => {
                    let reflectance = match waveform.receiver.sees_the_sun() {
                        true => beam_reflectance(interactions, footprint, pulse),
                        false => 0.0,
                    };
                    let rng = key.rng(pulse, Stage::Waveform);
                    waveform.detect(samples, reflectance, rng, scratch, &mut push);
                    if scratch.keep {
                        let index = key.first_pulse + pulse as u64;
                        scratch.keep_waveform(key.sensor, index, waveform.receiver.bin_m);
                    }
                }
            }
            found.start.push(found.detections.len() as u32);
        }
    }

    /// The sample of an interaction, if it is bright and within the range limits.
    pub fn sample(&self, row: u32, distance_m: f32, intensity: f32) -> Option<Sample> {
        let range_m = f64::from(distance_m) + self.spec.range_offset_m;
        let gate = match self.folding {
            None => self.spec.range_min_m..=self.spec.range_max_m,
            Some(folding) => 0.0..=folding.reach_m,
        };
        let counts = intensity > 0.0 && gate.contains(&range_m);
        counts.then_some(Sample { range_m, intensity, row })
    }
}

/// By range, and by row where ranges are equal.
fn sort(samples: &mut [Sample]) {
    samples.sort_unstable_by(|a, b| a.range_m.total_cmp(&b.range_m).then(a.row.cmp(&b.row)));
}
