//! A sensor file as typed: every key with its meaning, its limits and where it stands.
//!
//! What enters: TOML. What leaves: a [`SensorFile`] whose single values can be; whether they fit
//! each other is checked by whoever builds the sensor. The built-in sensors are in
//! [`presets`].

mod beam;
mod camera;
mod detector;
mod mirror;
mod packets;
mod presets;
mod range;
mod receiver;
mod risley;
mod spinning;

pub use beam::{BeamFile, DivergenceWidth, HaloFile, Sampling, SpotShape};
pub use camera::{CameraGridFile, Projection, TableFile};
pub use detector::{DetectorFile, DetectorKind, ReturnMode, WindowRange};
pub use mirror::{LineMirrorFile, MirrorMotionName, ScanningMirrorFile, SweepPlane};
pub use packets::{PacketName, PacketsFile};
pub use presets::{preset_location, preset_text, presets};
pub use range::{
    CorrelationFile, LimitModel, RangeErrorFile, RangeLimitFile, RefractionFile, SigmaModel,
    SigmaTableFile, SmoothFile, SpeckleFile, TurbulenceFile, White,
};
pub use receiver::{NoiseMode, ReceiverFile};
pub use risley::{HarmonicFile, InclinedFace, Refraction, RisleyFile, WedgeFile};
pub use spinning::{ChannelsFile, Direction, Side, SpinningFile, TwoBlockFile, TwoBlockResolution};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Any, FileError, LayeredToml, Number, Spanned, Step, Vector, has, limits, mend};

limits! {
    /// Of lasers.
    WavelengthNm: 200.0..=20000.0, "in nanometres, for example 905";
}

/// A sensor: one TOML file with the table of one scan pattern, its beam and its detector.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorFile {
    /// Name as the vendor writes it.
    pub title: String,
    /// Who makes it.
    #[serde(alias = "maker")]
    pub vendor: String,
    /// One or two sentences about it.
    #[serde(default)]
    pub description: String,
    /// Wavelength of the laser.
    pub wavelength_nm: Number<WavelengthNm>,
    /// Where the numbers come from: titles and pages.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Keys whose numbers are guessed or disputed, such as `"beam.divergence_vertical_mrad"`.
    #[serde(default)]
    pub uncertain: Vec<Spanned<String>>,
    /// Pattern: a head of lasers that spins; needs `channels`.
    pub spinning: Option<Spanned<SpinningFile>>,
    /// Pattern: directions one by one.
    pub table: Option<Spanned<TableFile>>,
    /// Pattern: fixed lasers under a turning 45° mirror.
    pub line_mirror: Option<Spanned<LineMirrorFile>>,
    /// Pattern: a time-of-flight camera.
    pub camera_grid: Option<Spanned<CameraGridFile>>,
    /// Pattern: turning wedges.
    pub risley: Option<Spanned<RisleyFile>>,
    /// Pattern: one beam swept along lines.
    pub scanning_mirror: Option<Spanned<ScanningMirrorFile>>,
    /// Pattern: Fourier series of a fast turn and a slow swing.
    pub harmonic: Option<Spanned<HarmonicFile>>,
    /// The lasers of a spinning head.
    pub channels: Option<Spanned<ChannelsFile>>,
    /// The beam and how it is sampled.
    pub beam: BeamFile,
    /// How returns are found.
    pub detector: DetectorFile,
    /// How wrong ranges are; without it they are exact but for `range_quantum_m`.
    pub range_error: Option<RangeErrorFile>,
    /// How far a target is seen; without it as far as `range_max_m`.
    pub range_limit: Option<RangeLimitFile>,
    /// The receiver, for detectors that look for pulses in a waveform.
    pub receiver: Option<Spanned<ReceiverFile>>,
    /// Pose of the lidar's own frame in the sensor's frame, if they differ.
    pub mount: Option<MountFile>,
    /// Which packets the vendor's own sensor sends.
    pub packets: Option<Spanned<PacketsFile>>,
}

/// Pose of the lidar's own frame in the sensor's frame.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MountFile {
    /// x, y and z of its origin.
    pub position_mm: Vector<3, Any>,
    /// Roll, pitch and yaw.
    pub rpy_deg: Vector<3, Any>,
    /// Calibration error: the sensor is truly turned by this roll, pitch and yaw, of which its points
    /// know nothing.
    pub misalignment_rpy_deg: Option<Vector<3, Any>>,
}

impl SensorFile {
    /// The built-in sensor of this name.
    ///
    /// ```
    /// let sensor = understory_files::sensor::SensorFile::preset("vlp-16")?;
    /// assert_eq!(sensor.vendor, "Velodyne");
    /// # Ok::<(), understory_files::FileError>(())
    /// ```
    pub fn preset(name: &str) -> Result<SensorFile, FileError> {
        LayeredToml::new(preset_text(name)?, &preset_location(name)).parse()
    }

    /// Reads the first text of `layers` after laying the table at `path` of `over` over it.
    ///
    /// Tables are merged key by key, so an override names only what differs. Errors name the file
    /// and line of the text that they come from.
    pub fn read_over<'a>(
        text: &'a str,
        layers: &mut LayeredToml<'a>,
        over: &LayeredToml<'a>,
        path: &[Step<'_>],
    ) -> Result<SensorFile, FileError> {
        let file: SensorFile = layers.parse_over(over, path)?;
        layers.hint_renamed(&[], mend::VENDOR);
        for key in &file.uncertain {
            let parts: Vec<Step<'_>> = key.get_ref().split('.').map(Step::Key).collect();
            let laid_over: Vec<Step<'_>> = path.iter().chain(&parts).copied().collect();
            if !has(text, &parts) && over.span_at(&laid_over).is_none() {
                return Err(layers.invalid(
                    &key.span(),
                    format!(
                        "`{}` is marked as uncertain but is no key of this file",
                        key.get_ref()
                    ),
                    "write the key with its table, for example \"beam.divergence_vertical_mrad\"",
                ));
            }
        }
        Ok(file)
    }
}
