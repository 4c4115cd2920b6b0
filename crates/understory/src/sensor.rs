//! A sensor as its file describes it: TOML → [`Sensor`], checked.
//!
//! A file has the table of one scan pattern (`[spinning]` with `[channels]`, `[line_mirror]`,
//! `[scanning_mirror]`, `[risley]`, `[harmonic]`, `[camera_grid]` or `[table]`), and always `[beam]`
//! and `[detector]`; `[range_error]` and `[range_limit]` where the sensor is known to have them.
//! Presets are embedded in the program; a scenario may lay its own keys over one of them.
//!
//! **Divergence.** `divergence_width` says what the vendor means: `"full"` (all of the spot),
//! `"1/e2"` or `"fwhm"`. [`BeamSpec`] holds the full angle of the uniform spot for the stencils
//! and the 1/e² full width for Gaussian sampling. Those are taken as the same number: a uniform
//! disc of radius w and a Gaussian of 1/e² radius w have the same second moments. A width at half
//! maximum is multiplied by √(2/ln 2) = 1.699, which is exact for a Gaussian.

mod check;
mod check_packets;
mod check_receiver;
mod describe;
mod to_description;
pub mod fit_error;
mod learning;
mod mounted;

use crate::Error;
use crate::pulse::beam::{BeamSpec, Halo};
use crate::pulse::detector::{
    Detector, DetectorSpec, Folding, ReturnMode, Threshold, Timing, WaveformSpec, WindowRange,
};
use crate::pulse::echo::SensitivityModel;
use crate::pulse::range_error::RangeModel;
use crate::pulse::receiver::{Link, NoiseMode, Receiver, ReceiverSpec};
use crate::pulse::scan_pattern::ScanPattern;

use glam::DQuat;
use understory_cloud::PacketFormat;
use understory_files::sensor::{SensorFile, preset_location};
use understory_files::{LayeredToml, Step};

pub use understory_files::sensor::presets;

/// How much brighter than white a target may be: retroreflectors are some hundred times.
const BRIGHTEST: f32 = 1000.0;

/// A sensor that can be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Short name, as in `vlp-16`.
    pub name: String,
    /// Name as the vendor writes it.
    pub title: String,
    /// Who makes it.
    pub vendor: String,
    /// One or two sentences.
    pub description: String,
    /// Wavelength of the laser.
    pub wavelength_nm: f64,
    /// When and where it looks.
    pub pattern: ScanPattern,
    /// Its beam.
    pub beam: BeamSpec,
    /// Stray light in which retroreflectors bloom.
    pub halo: Option<Halo>,
    /// Largest intensity that it reports; infinite where it has no end.
    pub saturation: f32,
    /// The error of its ranges and the form in which it reports them.
    pub range_model: RangeModel,
    /// How far it sees a target, by its reflectivity.
    pub sensitivity: SensitivityModel,
    /// How it finds returns.
    pub detector: DetectorSpec,
    /// Its receiver, where it is known.
    pub receiver: Option<ReceiverSpec>,
    /// Whether it measures the phase of modulated light, which repeats after the ambiguity of its
    /// ranges.
    pub phase_shift: bool,
    /// How it is truly turned against what its description says.
    pub misalignment: Option<DQuat>,
    /// How it finds returns in waveforms; none: by windows.
    pub waveform: Option<WaveformSpec>,
    /// How fast it can turn.
    pub rotation_limits: RotationLimits,
    /// Which packets the vendor's own sensor sends, if they are known.
    pub packets: Option<PacketFormat>,
    /// Where the numbers come from.
    pub sources: Vec<String>,
    /// Keys whose numbers are disputed or not from a primary source.
    pub uncertain: Vec<String>,
}

/// Rates at which a sensor can turn.
#[derive(Clone, Debug, PartialEq)]
pub enum RotationLimits {
    /// Not known, or it does not turn.
    None,
    /// Any rate between two, in hertz.
    Range([f64; 2]),
    /// Some rates, in hertz.
    Choices(Vec<f64>),
}

impl Sensor {
    /// The preset with this name.
    ///
    /// ```
    /// let sensor = understory::sensor::Sensor::preset("vlp-16")?;
    /// assert_eq!(sensor.pattern.channels(), 16);
    /// # Ok::<(), understory::Error>(())
    /// ```
    pub fn preset(name: &str) -> Result<Sensor, Error> {
        Sensor::from_toml(preset_text(name)?, &preset_location(name))
    }

    /// Reads a sensor; `file` is the path of the file, whose stem becomes the sensor's name.
    pub fn from_toml(text: &str, file: &str) -> Result<Sensor, Error> {
        Sensor::from_toml_with_overrides(text, file, &LayeredToml::new("", ""), &[])
    }

    /// Reads a sensor after laying the table at `path` of `over` over it.
    ///
    /// Tables are merged key by key, so an override names only what differs. Errors name the file
    /// and line of the text that they come from.
    pub(crate) fn from_toml_with_overrides(
        text: &str,
        file: &str,
        over: &LayeredToml<'_>,
        path: &[Step<'_>],
    ) -> Result<Sensor, Error> {
        let mut layers = LayeredToml::new(text, file);
        let typed = SensorFile::read_over(text, &mut layers, over, path)?;
        let name = std::path::Path::new(file).file_stem().and_then(|stem| stem.to_str());
        check::sensor(name.unwrap_or(file), typed, &layers)
    }

    /// The detector of this sensor, behind its receiver where that is known.
    pub fn detector(&self) -> Detector {
        let detector = match self.receiver {
            None => Detector::new(self.detector),
            Some(receiver) => {
                Detector::with_receiver(self.detector, Receiver::new(receiver), self.waveform)
            }
        };
        let detector = match self.phase_shift {
            true => detector.by_phase(self.range_model.ambiguity_m),
            false => detector,
        };
        match self.folding(BRIGHTEST) {
            Some(folding) => detector.folding(folding),
            None => detector,
        }
    }

    /// How ranges repeat and how far a target of this brightness is seen; none where they do not.
    ///
    /// `range_max_m` within an interval is the farthest range that is reported, and the signal says
    /// how far light is seen. Beyond one interval it limits nothing that is reported: then it is the
    /// greatest distance itself, as in Gschwandtner 2011, equation 3.
    pub(crate) fn folding(&self, brightness: f32) -> Option<Folding> {
        let ambiguity_m = self.range_model.ambiguity_m;
        if ambiguity_m <= 0.0 || self.waveform.is_some() {
            return None;
        }
        let range_max_m = self.detector.range_max_m;
        let seen_m = f64::from(self.sensitivity.reach_m(brightness, 1.0));
        let seen_m = seen_m + self.detector.range_offset_m;
        let several = range_max_m > ambiguity_m;
        let reach_m = if several { range_max_m.min(seen_m) } else { seen_m };
        Some(Folding { ambiguity_m, reach_m })
    }

    /// What there is to know about the sensor, as rows of label and value.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let pattern = &self.pattern;
        let mut rows = vec![
            ("sensor", format!("{} ({})", self.title, self.vendor)),
            ("wavelength", format!("{} nm", self.wavelength_nm)),
            ("channels", pattern.channels().to_string()),
        ];
        self.describe_pattern(&mut rows);
        let scan_s = pattern.scan_duration_s();
        let rate = pattern.pulse_rate_hz();
        rows.push(("scan", format!("{:.2} ms, {:.0} pulses", scan_s * 1e3, rate * scan_s)));
        rows.push(("pulses per second", format!("{rate:.0}")));
        let beam = &self.beam;
        rows.push((
            "beam",
            format!(
                "{}, {:.2} × {:.2} mrad, {:.1} × {:.1} mm at the exit",
                beam.shape,
                beam.divergence_horizontal_rad * 1e3,
                beam.divergence_vertical_rad * 1e3,
                beam.aperture_horizontal_m * 1e3,
                beam.aperture_vertical_m * 1e3
            ),
        ));
        let detector = &self.detector;
        rows.push((
            "range",
            format!(
                "{} to {} m in steps of {} mm",
                detector.range_min_m,
                detector.range_max_m,
                detector.range_quantum_m * 1e3
            ),
        ));
        let mode = match detector.mode {
            ReturnMode::First => "first",
            ReturnMode::Last => "last",
            ReturnMode::Strongest => "strongest",
            ReturnMode::StrongestAndLast => "strongest and last",
            ReturnMode::All => "all",
        };
        let window = match detector.window {
            WindowRange::Mean => "mean",
            WindowRange::Weighted => "mean weighted by intensity",
            WindowRange::Off => "no averaging",
        };
        let how = match &self.waveform {
            None if self.phase_shift => "phase of modulated light".to_string(),
            None => format!("signal cutoff {} m, {window}", detector.signal_cutoff_m),
            Some(waveform) => waveform_words(waveform),
        };
        rows.push(("returns", format!("{mode}, {how}")));
        if let Some(receiver) = &self.receiver {
            rows.push(("receiver", receiver_words(receiver)));
        }
        rows.push(("range limit", self.sensitivity.describe()));
        let mut error = self.range_model.error.describe();
        if self.range_model.ambiguity_m > 0.0 {
            error += &format!(", ambiguous by {} m", self.range_model.ambiguity_m);
        }
        rows.push(("range error", error));
        if !self.uncertain.is_empty() {
            rows.push(("uncertain", self.uncertain.join(", ")));
        }
        rows.push(("sources", self.sources.join("; ")));
        rows
    }
}

fn waveform_words(waveform: &WaveformSpec) -> String {
    let threshold = match waveform.threshold {
        Threshold::Sigma(sigma) => format!("above {sigma:.3} times the noise"),
        Threshold::Signal(signal) => format!("above {signal:.3e} W"),
    };
    let timing = match waveform.timing {
        Timing::Peak => "peaks".to_string(),
        Timing::LeadingEdge { corrected: false } => "leading edges".into(),
        Timing::LeadingEdge { corrected: true } => "leading edges corrected by height".into(),
        Timing::ConstantFraction(fraction) => format!("edges at {fraction} of the peak"),
    };
    format!("{timing} of the waveform, {threshold}")
}

fn receiver_words(spec: &ReceiverSpec) -> String {
    let receiver = Receiver::new(*spec);
    let link = match spec.link {
        Link::Reference { snr, range_m, reflectance } => {
            format!("{snr} times the noise from {:.0} % at {range_m} m", 100.0 * reflectance)
        }
        Link::Physical(optics) => format!(
            "{} W through {} mm, noise {:.2e} W",
            optics.peak_power_w,
            optics.aperture_m * 1e3,
            receiver.dark_noise()
        ),
    };
    let noise = match spec.noise {
        NoiseMode::Sampled => "noise in every sample",
        NoiseMode::Analytic => "noise by its chances",
        NoiseMode::None => "no noise",
    };
    format!(
        "pulse {:.2} ns ({:.3} m), samples every {:.2} ns, {link}, {noise}",
        spec.pulse_fwhm_s * 1e9,
        spec.pulse_fwhm_s * crate::pulse::receiver::LIGHT_M_PER_S / 2.0,
        spec.bin_s * 1e9
    )
}

/// The text of the built-in sensor of this name.
pub fn preset_text(name: &str) -> Result<&'static str, Error> {
    Ok(understory_files::sensor::preset_text(name)?)
}

#[cfg(test)]
mod pattern_tests;
#[cfg(test)]
mod preset_tests;
#[cfg(test)]
mod receiver_tests;
#[cfg(test)]
mod tests;
