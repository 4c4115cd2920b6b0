//! A sensor file as typed: every value with its place in the text, nothing checked yet.

use serde::Deserialize;
use toml::Spanned;

use crate::beam::{Sampling, SpotShape};
use crate::detector::{ReturnMode, WindowRange};
use crate::receiver::NoiseMode;
use crate::scan_pattern::{Direction, TwoBlockResolution};

/// A number and where it stands.
pub(super) type Number = Spanned<f64>;
/// A list of numbers and where it stands.
pub(super) type Numbers = Spanned<Vec<f64>>;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SensorFile {
    pub title: String,
    pub maker: String,
    #[serde(default)]
    pub description: String,
    pub wavelength_nm: Number,
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub uncertain: Vec<Spanned<String>>,
    pub spinning: Option<Spanned<SpinningFile>>,
    pub table: Option<Spanned<TableFile>>,
    pub channels: Option<Spanned<ChannelsFile>>,
    pub beam: BeamFile,
    pub detector: DetectorFile,
    pub receiver: Option<Spanned<ReceiverFile>>,
    pub mount: Option<MountFile>,
}

/// `[spinning]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SpinningFile {
    pub direction: Direction,
    pub rotation_hz: Number,
    pub rotation_range_hz: Option<Spanned<[f64; 2]>>,
    pub rotation_choices_hz: Option<Numbers>,
    pub cycle_us: Option<Number>,
    pub columns_per_scan: Option<Spanned<u32>>,
    pub azimuth_step_deg: Option<Number>,
    pub interlace: Option<Spanned<u32>>,
    pub azimuth_min_deg: Option<Number>,
    pub azimuth_max_deg: Option<Number>,
    pub encoder_step_deg: Option<Number>,
    pub encoder_counts: Option<Spanned<u32>>,
    pub two_block: Option<TwoBlockFile>,
}

/// `[spinning.two_block]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TwoBlockFile {
    pub points_per_s: Number,
    pub resolution: TwoBlockResolution,
}

/// `[table]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableFile {
    pub cycle_s: Number,
    pub file: Option<Spanned<String>>,
    pub time_s: Option<Numbers>,
    pub azimuth_deg: Option<Numbers>,
    pub elevation_deg: Option<Numbers>,
    pub channel: Option<Spanned<Vec<u16>>>,
}

/// One row of the CSV file of a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableCsvRow {
    pub time_s: f64,
    pub azimuth_deg: f64,
    pub elevation_deg: f64,
    #[serde(default)]
    pub channel: u16,
}

/// Which way a positive azimuth offset turns the beam, seen from above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Side {
    #[default]
    Left,
    Right,
}

/// `[channels]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChannelsFile {
    pub elevation_deg: Option<Numbers>,
    pub elevation_min_deg: Option<Number>,
    pub elevation_max_deg: Option<Number>,
    pub count: Option<Spanned<u16>>,
    pub azimuth_offset_deg: Option<Numbers>,
    #[serde(default)]
    pub azimuth_offset_positive: Side,
    pub vertical_offset_mm: Option<Numbers>,
    pub horizontal_offset_mm: Option<Numbers>,
    pub forward_offset_mm: Option<Number>,
    pub firing_us: Option<Numbers>,
}

/// What a maker means by the width of a beam.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) enum DivergenceWidth {
    #[default]
    #[serde(rename = "full")]
    Full,
    #[serde(rename = "fwhm")]
    Fwhm,
    #[serde(rename = "1/e2")]
    InverseESquared,
}

/// `[beam]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeamFile {
    pub spot_shape: SpotShape,
    pub divergence_horizontal_mrad: Number,
    pub divergence_vertical_mrad: Number,
    #[serde(default)]
    pub divergence_width: DivergenceWidth,
    pub aperture_horizontal_mm: Option<Number>,
    pub aperture_vertical_mm: Option<Number>,
    pub sampling: Option<Sampling>,
    pub rays: Option<Spanned<u32>>,
}

/// `[detector]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DetectorFile {
    pub range_min_m: Number,
    pub range_max_m: Number,
    pub range_quantum_m: Option<Number>,
    pub range_offset_mm: Option<Number>,
    pub return_mode: ReturnMode,
    pub signal_cutoff_m: Option<Number>,
    pub window: Option<WindowRange>,
    pub max_returns: Option<Spanned<u8>>,
    pub kind: Option<Spanned<DetectorKind>>,
    pub threshold_sigma: Option<Number>,
    pub false_alarm_probability: Option<Number>,
    pub threshold_w: Option<Number>,
    pub prominence_sigma: Option<Number>,
    pub walk_corrected: Option<Spanned<bool>>,
    pub fraction: Option<Number>,
}

/// How returns are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DetectorKind {
    #[default]
    Windows,
    Peaks,
    LeadingEdge,
    ConstantFraction,
}

/// `[receiver]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReceiverFile {
    pub pulse_fwhm_ns: Number,
    pub bin_ns: Option<Number>,
    pub noise: Option<NoiseMode>,
    pub overlap_m: Option<Spanned<[f64; 2]>>,
    pub snr_reference: Option<Number>,
    pub reference_range_m: Option<Number>,
    pub reference_reflectance: Option<Number>,
    pub peak_power_w: Option<Number>,
    pub aperture_mm: Option<Number>,
    pub efficiency: Option<Number>,
    pub solar_w_per_m2_nm: Option<Number>,
    pub filter_width_nm: Option<Number>,
    pub field_of_view_mrad: Option<Number>,
    pub responsivity_a_per_w: Option<Number>,
    pub gain: Option<Number>,
    pub excess_noise: Option<Number>,
    pub bandwidth_mhz: Option<Number>,
    pub temperature_k: Option<Number>,
    pub load_ohm: Option<Number>,
}

/// `[mount]`: pose of the lidar's own frame in the sensor's frame.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MountFile {
    pub position_mm: Spanned<[f64; 3]>,
    pub rpy_deg: Spanned<[f64; 3]>,
}
