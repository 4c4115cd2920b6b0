//! Waveforms of pulses, held as columns.
//!
//! A waveform is recorded only where light came back, so it has one or more segments of samples at
//! equal steps of range, with gaps between them.

use super::bits::{FillColumn, ReadColumn};

/// How the waveforms of one sensor are stored in files.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveformFormat {
    /// Which sensor of the scenario.
    pub sensor: u16,
    /// Time from sample to sample.
    pub bin_ps: u32,
    /// Signal of one step of the 16-bit samples.
    pub gain: f64,
}

/// Segments of waveforms; all columns but `samples` have one value per segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waveforms {
    /// Which sensor of the scenario fired, from 0.
    pub sensor: Vec<u16>,
    /// Index of the pulse in its sensor's stream.
    pub pulse: Vec<u64>,
    /// Range of the first sample.
    pub first_range_m: Vec<f64>,
    /// Range from sample to sample.
    pub bin_m: Vec<f64>,
    /// Unit vector along which the beam left in the world, as the sensor reports it.
    pub direction: Vec<[f32; 3]>,
    /// Where the samples of the segment end in `samples`; they begin where those before it end.
    end: Vec<usize>,
    /// The samples of all segments: signal in watts, or in multiples of the noise.
    samples: Vec<f32>,
}

impl Waveforms {
    /// Most samples of a segment; longer ones are stored in parts.
    pub const MAX_SAMPLES: usize = 4096;

    /// Number of segments.
    pub fn len(&self) -> usize {
        self.end.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.end.is_empty()
    }

    /// Appends a segment, in parts if it is longer than [`Waveforms::MAX_SAMPLES`]. Its direction
    /// is not known yet.
    pub fn push(
        &mut self,
        sensor: u16,
        pulse: u64,
        first_range_m: f64,
        bin_m: f64,
        samples: &[f32],
    ) {
        for (part, samples) in samples.chunks(Self::MAX_SAMPLES).enumerate() {
            self.sensor.push(sensor);
            self.pulse.push(pulse);
            self.first_range_m.push(first_range_m + (part * Self::MAX_SAMPLES) as f64 * bin_m);
            self.bin_m.push(bin_m);
            self.direction.push([f32::NAN; 3]);
            self.samples.extend_from_slice(samples);
            self.end.push(self.samples.len());
        }
    }

    /// The samples of a segment; none past the end.
    pub fn samples(&self, segment: usize) -> &[f32] {
        let start = match segment.checked_sub(1) {
            None => 0,
            Some(before) => self.end.get(before).copied().unwrap_or(self.samples.len()),
        };
        let end = self.end.get(segment).copied().unwrap_or(self.samples.len());
        self.samples.get(start..end).unwrap_or(&[])
    }

    /// Appends segment number `segment` of `other`, if it has so many.
    pub fn push_from(&mut self, other: &Waveforms, segment: usize) {
        if segment >= other.len() {
            return;
        }
        self.sensor.push(other.sensor[segment]);
        self.pulse.push(other.pulse[segment]);
        self.first_range_m.push(other.first_range_m[segment]);
        self.bin_m.push(other.bin_m[segment]);
        self.direction.push(other.direction[segment]);
        self.samples.extend_from_slice(other.samples(segment));
        self.end.push(self.samples.len());
    }

    /// Shows every column to `visitor`; ends are given as numbers of samples.
    pub(crate) fn each_column(&self, visitor: &mut impl ReadColumn) {
        let counts: Vec<u32> = (0..self.len()).map(|i| self.samples(i).len() as u32).collect();
        visitor.column(&counts);
        visitor.column(&self.sensor);
        visitor.column(&self.pulse);
        visitor.column(&self.first_range_m);
        visitor.column(&self.bin_m);
        visitor.column(&self.direction);
    }

    /// All samples, those of one segment after those of another.
    pub(crate) fn all_samples(&self) -> &[f32] {
        &self.samples
    }

    /// Lets `visitor` fill every column but the samples; returns how many of those there must be.
    pub(crate) fn each_column_mut(&mut self, visitor: &mut impl FillColumn) -> Option<usize> {
        let mut counts: Vec<u32> = Vec::new();
        visitor.column(&mut counts)?;
        visitor.column(&mut self.sensor)?;
        visitor.column(&mut self.pulse)?;
        visitor.column(&mut self.first_range_m)?;
        visitor.column(&mut self.bin_m)?;
        visitor.column(&mut self.direction)?;
        let mut end = 0usize;
        self.end.clear();
        for count in counts {
            end = end.checked_add(count as usize)?;
            self.end.push(end);
        }
        Some(end)
    }

    /// Lets `visitor` fill the samples.
    pub(crate) fn fill_samples(&mut self, visitor: &mut impl FillColumn) -> Option<()> {
        visitor.column(&mut self.samples)
    }

    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.sensor.clear();
        self.pulse.clear();
        self.first_range_m.clear();
        self.bin_m.clear();
        self.direction.clear();
        self.end.clear();
        self.samples.clear();
    }

    /// Appends all segments of `other`.
    pub fn append(&mut self, other: &Waveforms) {
        let shift = self.samples.len();
        self.sensor.extend_from_slice(&other.sensor);
        self.pulse.extend_from_slice(&other.pulse);
        self.first_range_m.extend_from_slice(&other.first_range_m);
        self.bin_m.extend_from_slice(&other.bin_m);
        self.direction.extend_from_slice(&other.direction);
        self.end.extend(other.end.iter().map(|end| end + shift));
        self.samples.extend_from_slice(&other.samples);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_their_samples_when_they_are_joined_and_cut() {
        let mut one = Waveforms::default();
        one.push(0, 7, 10.0, 0.5, &[1.0, 2.0]);
        let long: Vec<f32> = (0..5000u16).map(f32::from).collect();
        let mut two = Waveforms::default();
        two.push(1, 8, 20.0, 0.5, &long);
        one.append(&two);
        assert_eq!(one.len(), 3);
        assert_eq!(one.samples(0), [1.0, 2.0]);
        assert_eq!([one.samples(1), one.samples(2)].concat(), long);
        assert_eq!(one.first_range_m, [10.0, 20.0, 20.0 + 4096.0 * 0.5]);
        assert!(one.samples(3).is_empty() && one.samples(9).is_empty());
        one.clear();
        assert!(one.is_empty());
    }
}
