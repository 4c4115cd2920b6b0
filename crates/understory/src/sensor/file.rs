//! A sensor file as typed: every value with its place in the text, nothing checked yet.

use serde::Deserialize;
use toml::Spanned;

use crate::pulse::beam::{Sampling, SpotShape};
use crate::pulse::detector::{ReturnMode, WindowRange};
use crate::pulse::receiver::NoiseMode;
use crate::pulse::scan_pattern::TwoBlockResolution;
use crate::pulse::scan_pattern::{Direction, InclinedFace, Projection, Refraction, SweepPlane};

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
    pub line_mirror: Option<Spanned<LineMirrorFile>>,
    pub camera_grid: Option<Spanned<CameraGridFile>>,
    pub risley: Option<Spanned<RisleyFile>>,
    pub scanning_mirror: Option<Spanned<ScanningMirrorFile>>,
    pub harmonic: Option<Spanned<HarmonicFile>>,
    pub channels: Option<Spanned<ChannelsFile>>,
    pub beam: BeamFile,
    pub detector: DetectorFile,
    pub range_error: Option<super::error_file::RangeErrorFile>,
    pub range_limit: Option<super::error_file::RangeLimitFile>,
    pub receiver: Option<Spanned<ReceiverFile>>,
    pub mount: Option<MountFile>,
    pub packets: Option<Spanned<PacketsFile>>,
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
    pub beams: Option<Spanned<u16>>,
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

/// One row of a table as Livox publishes them; its time is a mere count.
#[derive(Debug, Deserialize)]
pub(super) struct LivoxCsvRow {
    #[serde(rename = "Azimuth/deg")]
    pub azimuth_deg: f64,
    #[serde(rename = "Zenith/deg")]
    pub zenith_deg: f64,
}

/// `[line_mirror]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LineMirrorFile {
    pub direction: Direction,
    pub rotation_hz: Number,
    pub rotation_range_hz: Option<Spanned<[f64; 2]>>,
    pub rotation_choices_hz: Option<Numbers>,
    pub azimuth_min_deg: Option<Number>,
    pub azimuth_max_deg: Option<Number>,
    pub azimuth_step_deg: Option<Number>,
    pub cycle_us: Option<Number>,
    pub layer_deg: Numbers,
    pub layer_azimuth_min_deg: Option<Numbers>,
    pub layer_azimuth_max_deg: Option<Numbers>,
    pub firing_us: Option<Numbers>,
    pub emitter_height_mm: Option<Number>,
}

/// `[camera_grid]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraGridFile {
    pub pixels: Spanned<[u16; 2]>,
    pub field_of_view_deg: Option<Spanned<[f64; 2]>>,
    pub focal_px: Option<Spanned<[f64; 2]>>,
    pub centre_px: Option<Spanned<[f64; 2]>>,
    #[serde(default)]
    pub projection: Projection,
    pub distortion: Option<Spanned<[f64; 5]>>,
    pub frame_hz: Number,
    pub row_us: Option<Number>,
}

/// `[risley]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RisleyFile {
    pub pulse_rate_khz: Number,
    pub frame_hz: Number,
    #[serde(default)]
    pub refraction: Refraction,
    pub laser_elevation_deg: Numbers,
    pub laser_azimuth_deg: Option<Numbers>,
    pub wedge: Spanned<Vec<WedgeFile>>,
}

/// `[[risley.wedge]]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WedgeFile {
    pub angle_deg: Number,
    pub index: Number,
    pub rotation_hz: Number,
    pub phase_deg: Option<Number>,
    pub inclined_face: InclinedFace,
}

/// How a scanning mirror moves, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum MotionFile {
    Polygon,
    Sine,
    Zigzag,
}

/// `[scanning_mirror]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScanningMirrorFile {
    pub motion: MotionFile,
    pub facets: Option<Spanned<u32>>,
    pub plane: Spanned<SweepPlane>,
    pub angle_min_deg: Number,
    pub angle_max_deg: Number,
    pub lines_per_s: Number,
    pub lines_range_per_s: Option<Spanned<[f64; 2]>>,
    pub pulse_rate_khz: Number,
    pub pulse_rate_choices_khz: Option<Numbers>,
    pub head_deg_per_s: Option<Number>,
    pub head_max_deg_per_s: Option<Number>,
    pub head_direction: Option<Direction>,
}

/// `[harmonic]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HarmonicFile {
    pub pulse_rate_khz: Number,
    pub frame_hz: Number,
    pub rotation_hz: Number,
    pub swing_hz: Number,
    pub swing_phase_deg: Option<Number>,
    pub azimuth_deg: Number,
    pub elevation_deg: Number,
    pub azimuth_sin_deg: Numbers,
    pub elevation_cos_deg: Numbers,
    pub beams: Numbers,
    pub beam_azimuth_sin_deg: Numbers,
    pub beam_elevation_cos_deg: Numbers,
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
    pub spot_shape: Spanned<SpotShape>,
    pub divergence_horizontal_mrad: Option<Number>,
    pub divergence_vertical_mrad: Option<Number>,
    #[serde(default)]
    pub divergence_width: DivergenceWidth,
    pub aperture_horizontal_mm: Option<Number>,
    pub aperture_vertical_mm: Option<Number>,
    pub sampling: Option<Sampling>,
    pub rays: Option<Spanned<u32>>,
    pub halo: Option<HaloFile>,
}

/// `[beam] halo`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HaloFile {
    pub gain: Number,
    pub width_mrad: Number,
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
    pub saturation: Option<Number>,
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

/// `[packets]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PacketsFile {
    pub format: PacketName,
    pub product: Option<String>,
    pub serial: Option<Spanned<u64>>,
}

/// The packets that are known.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum PacketName {
    #[serde(rename = "vlp-16")]
    Vlp16,
    #[serde(rename = "hdl-32e")]
    Hdl32e,
    #[serde(rename = "hdl-64e-s2")]
    Hdl64eS2,
    #[serde(rename = "hdl-64e-s3")]
    Hdl64eS3,
    #[serde(rename = "vlp-32c")]
    Vlp32c,
    #[serde(rename = "vls-128")]
    Vls128,
    #[serde(rename = "ouster-legacy")]
    OusterLegacy,
    #[serde(rename = "ouster-rng19")]
    OusterRng19,
}
