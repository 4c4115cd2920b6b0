//! Errors of the measured range: [`Detections`] → measured ranges.
//!
//! What enters: detected ranges, and which channel fired in which column. What leaves: one measured
//! range per detection,
//!
//! r = fold(d·n/n₀ + e), e = μ + b_channel + σ(d, R)·[√w·W/std_W + √s·S + √(1 − w − s)·ξ],
//!
//! rounded to the sensor's step. b is the bias of a laser (Gschwandtner 2011, equation 2), σ the
//! standard deviation of a single range, W the wave along a channel (Bayraktaroglu 2023, §4.3), S a
//! smooth one and ξ white noise; w and s are the shares of the variance that are in the waves; n is
//! the index of the air and n₀ the one that the sensor takes for granted. Speckle and turbulence act
//! on the light before it is detected ([`RangeError::fluctuate`]). Each part is one file.
//!
//! **R** is the return's intensity: the share of the pulse that came back times ρ·cos θ, without
//! the loss by 1/r². That is what Bayraktaroglu calls reflectivity (albedo times the cosine of the
//! incidence), and for a target that fills only a part of the beam it says that there is less
//! light to measure with.

mod bayraktaroglu;
mod bias;
mod channel;
mod fold;
mod refraction;
mod sigma;
mod smooth;
mod speckle;
mod turbulence;
mod weierstrass;
mod white;

pub use bayraktaroglu::{bayraktaroglu_sigma_cm, sigma_10_cm, sigma_90_cm};
pub use bias::Bias;
pub use fold::backfold;
pub use refraction::{AirState, Refraction};
pub use sigma::{Sigma, SigmaTable};
pub use smooth::{Curve, Smooth};
pub use speckle::Speckle;
pub use turbulence::Turbulence;
pub use weierstrass::{Correlation, Phase, TERMS_MAX, Wave, weierstrass_sum};
pub use white::White;

use understory_files::ValueOr;
use understory_files::sensor::RangeErrorFile;

use crate::Error;
use crate::pulse::beam::Footprint;
use crate::pulse::check::Check;
use crate::pulse::detector::Detections;
use crate::pulse::echo::EchoSignal;
use crate::pulse::interaction::Interactions;
use crate::pulse::scan_pattern::Pulses;
use crate::rng::{BatchKey, Stage};
use channel::ChannelErrors;

/// How a measured range departs from the detected one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeError {
    /// μ, added to every range.
    pub mean_m: f64,
    /// What each laser adds to all its ranges.
    pub bias: Bias,
    /// Standard deviation of a single range about μ and the bias.
    pub sigma: Sigma,
    /// Law of the part that is independent from pulse to pulse.
    pub white: White,
    /// The part that is alike in neighbouring pulses of a channel.
    pub correlation: Option<Correlation>,
    /// The part that is alike in them and smooth.
    pub smooth: Option<Smooth>,
    /// What the index of the air makes of all ranges.
    pub refraction: Option<Refraction>,
    /// Grains in the light.
    pub speckle: Option<Speckle>,
    /// Air that flickers.
    pub turbulence: Option<Turbulence>,
}

impl RangeError {
    /// What the file says of a sensor with so many channels. All values are checked, but only those
    /// of the chosen model count, so that a scenario can change the model of a preset without a word
    /// about the keys of the old one.
    fn from_file(
        check: &Check<'_>,
        file: &RangeErrorFile,
        channels: usize,
        wavelength_nm: f64,
    ) -> Result<RangeError, Error> {
        let bias = Bias::from_file(check, file, channels)?;
        let Some(sigma) = Sigma::from_file(check, file)? else { return Ok(RangeError::none()) };
        let correlation = file.correlation.as_ref().map(Correlation::from_file);
        let smooth = file.smooth.as_ref().map(|smooth| Smooth::from_file(smooth.get_ref()));
        let shares = correlation.as_ref().map_or(0.0, |wave| wave.share)
            + smooth.map_or(0.0, |smooth| smooth.share);
        if let Some(table) = file.smooth.as_ref().filter(|_| shares > 1.0) {
            return check.fault(
                &table.span(),
                format!("the shares of both waves are {shares} of the variance together"),
                "let them be 1 at most",
            );
        }
        Ok(RangeError {
            mean_m: file.mean_m.value_or(0.0),
            bias,
            sigma,
            white: file.noise.unwrap_or_default(),
            correlation,
            smooth,
            refraction: file
                .refraction
                .as_ref()
                .map(|air| Refraction::from_file(air, wavelength_nm)),
            speckle: file.speckle.as_ref().map(Speckle::from_file),
            turbulence: file
                .turbulence
                .as_ref()
                .map(|air| Turbulence::from_file(air, wavelength_nm)),
        })
    }

    /// No error.
    pub fn none() -> RangeError {
        RangeError::default()
    }

    /// Independent normal errors (Deschaud 2012, §IV: 5 mm).
    pub fn gaussian(sigma_m: f64) -> RangeError {
        RangeError { sigma: Sigma::Constant(sigma_m), ..RangeError::default() }
    }

    /// Whether ranges stay as they are.
    pub fn is_none(&self) -> bool {
        let light = self.speckle.is_none() && self.turbulence.is_none();
        self.adds_nothing() && self.refraction.is_none() && light
    }

    fn adds_nothing(&self) -> bool {
        self.mean_m == 0.0 && self.bias.is_none() && self.sigma.is_none()
    }

    /// Makes the light of what was met stronger or weaker, as speckle and turbulence do.
    pub fn fluctuate(
        &self,
        interactions: &Interactions,
        footprint: &Footprint,
        signal: &mut EchoSignal,
        key: BatchKey,
    ) {
        if let Some(speckle) = &self.speckle {
            speckle.fluctuate(interactions, footprint, signal, key);
        }
        if let Some(turbulence) = &self.turbulence {
            turbulence.fluctuate(interactions, signal, key);
        }
    }

    /// Scatters the ranges of a batch as a beam does that wanders.
    pub fn wander(&self, interactions: &Interactions, found: &mut Detections, key: BatchKey) {
        if let Some(turbulence) = &self.turbulence {
            turbulence.wander(interactions, found, key);
        }
    }

    /// The error in a few words.
    pub fn describe(&self) -> String {
        if self.is_none() {
            return "none".into();
        }
        let mut parts = vec![self.sigma.describe()];
        if let White::Laplace = self.white {
            parts.push("Laplace".into());
        }
        if let Some(correlation) = &self.correlation {
            parts.push(correlation.describe());
        }
        if let Some(smooth) = &self.smooth {
            parts.push(smooth.describe());
        }
        if !self.bias.is_none() {
            parts.push(self.bias.describe());
        }
        if self.mean_m != 0.0 {
            parts.push(format!("mean {:+} mm", millimetres(self.mean_m)));
        }
        parts.extend(self.refraction.as_ref().map(Refraction::describe));
        parts.extend(self.speckle.as_ref().map(Speckle::describe));
        parts.extend(self.turbulence.as_ref().map(Turbulence::describe));
        parts.join(", ")
    }
}

/// The error of a sensor's ranges and the form in which it reports them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RangeModel {
    /// The error.
    pub error: RangeError,
    /// Ranges are known but for whole multiples of this; 0: they are unambiguous.
    pub ambiguity_m: f64,
    /// Step of the reported range; 0: none.
    pub quantum_m: f64,
}

impl RangeModel {
    /// The table `[range_error]` of a sensor with so many channels; without one there is no error.
    pub(crate) fn from_file(
        check: &Check<'_>,
        file: Option<&RangeErrorFile>,
        channels: usize,
        wavelength_nm: f64,
        quantum_m: f64,
    ) -> Result<RangeModel, Error> {
        let Some(file) = file else {
            return Ok(RangeModel { quantum_m, ..RangeModel::default() });
        };
        let error = RangeError::from_file(check, file, channels, wavelength_nm)?;
        Ok(RangeModel { error, ambiguity_m: file.ambiguity_m.value_or(0.0), quantum_m })
    }

    /// Fills `measured_m` with one range per detection, never below 0. `pulses` are those of the
    /// detections, fired by sensor `sensor`.
    pub fn measure(
        &self,
        found: &Detections,
        pulses: &Pulses,
        key: BatchKey,
        measured_m: &mut Vec<f64>,
    ) {
        measured_m.clear();
        measured_m.extend(found.detections.iter().map(|detection| detection.range_m));
        if let Some(refraction) = self.error.refraction {
            measured_m.iter_mut().for_each(|range_m| *range_m *= refraction.factor);
        }
        if !self.error.adds_nothing() {
            self.add_errors(found, pulses, key, measured_m);
        }
        if self.ambiguity_m > 0.0 {
            measured_m
                .iter_mut()
                .for_each(|range_m| *range_m = backfold(*range_m, self.ambiguity_m));
        } else {
            measured_m.iter_mut().for_each(|range_m| *range_m = range_m.max(0.0));
        }
        if self.quantum_m > 0.0 {
            for range_m in measured_m {
                *range_m = (*range_m / self.quantum_m).round() * self.quantum_m;
            }
        }
    }

    fn add_errors(
        &self,
        found: &Detections,
        pulses: &Pulses,
        key: BatchKey,
        measured_m: &mut [f64],
    ) {
        let error = &self.error;
        let mut channels = ChannelErrors::new(error, key.seed, key.sensor);
        let share = error.correlation.as_ref().map_or(0.0, |correlation| correlation.share);
        let wave = error.correlation.as_ref().map(Correlation::wave);
        let smooth = error.smooth.map_or(0.0, |smooth| smooth.share);
        let (of_wave, of_smooth) = (share.sqrt(), smooth.sqrt());
        let of_white = (1.0 - share - smooth).max(0.0).sqrt();
        for pulse in 0..found.pulses() {
            let rows = found.rows(pulse);
            if rows.is_empty() {
                continue;
            }
            let channel = channels.of(pulses.channel[pulse], pulses.scan[pulse]);
            let offset_m = error.mean_m + channel.bias_m;
            let mut wave = match &wave {
                Some(wave) => of_wave * wave.at(pulses.column[pulse], &channel.phase),
                None => 0.0,
            };
            if smooth > 0.0 {
                wave += of_smooth * channel.curve.at(pulses.column[pulse]);
            }
            let mut rng = key.rng(pulse, Stage::RangeError);
            for (range_m, detection) in
                measured_m[rows.clone()].iter_mut().zip(&found.detections[rows])
            {
                let sigma_m = error.sigma.at(detection.range_m, f64::from(detection.intensity));
                *range_m +=
                    offset_m + sigma_m * (wave + of_white * white::draw(error.white, &mut rng));
            }
        }
    }
}

/// For display: without the digits that f64 invents.
fn millimetres(metres: f64) -> f64 {
    (metres * 1e6).round() * 1e-3
}

#[cfg(test)]
mod tests;
