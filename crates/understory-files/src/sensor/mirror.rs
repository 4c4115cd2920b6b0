//! `[line_mirror]` and `[scanning_mirror]`: beams that a mirror sweeps.

use schemars::JsonSchema;
use serde::Deserialize;

use super::spinning::{AzimuthStepDeg, Direction};
use crate::{
    Any, Finite, FromZero, NonNegative, Number, Numbers, Positive, Spanned, Vector, Whole, limits,
};

limits! {
    /// Of a line.
    SweepDeg: above 0.0..=360.0;
}

/// Fixed lasers under a turning 45° mirror (Gschwandtner et al. 2011, §3.3). Exactly one of
/// `azimuth_step_deg` and `cycle_us` says when they fire.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LineMirrorFile {
    /// Sense of rotation, seen from above.
    pub direction: Direction,
    /// Revolutions of the mirror per second.
    pub rotation_hz: Positive,
    /// Least and greatest revolutions per second that the sensor can have.
    pub rotation_range_hz: Option<Vector<2, Any>>,
    /// Revolutions per second that the sensor can have.
    pub rotation_choices_hz: Option<Numbers>,
    /// Angle of the mirror at which the line begins.
    pub azimuth_min_deg: Option<Finite>,
    /// Angle of the mirror at which it ends.
    pub azimuth_max_deg: Option<Finite>,
    /// Angle from one column to the next.
    pub azimuth_step_deg: Option<Number<AzimuthStepDeg>>,
    /// Time from one column to the next.
    pub cycle_us: Option<Positive>,
    /// Angle of each layer straight ahead, within ±45°.
    pub layer_deg: Numbers,
    /// Where each layer begins, if they differ.
    pub layer_azimuth_min_deg: Option<Numbers>,
    /// Where each layer ends.
    pub layer_azimuth_max_deg: Option<Numbers>,
    /// Times of firing in a column; all layers fire together where nothing is said.
    pub firing_us: Option<Numbers<FromZero>>,
    /// Height of the lasers above the mirror's centre; without it beams leave at the origin.
    pub emitter_height_mm: Option<NonNegative>,
}

/// One beam swept along lines, by a polygon or a mirror that swings.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanningMirrorFile {
    /// How the mirror moves.
    pub motion: MirrorMotionName,
    /// Facets of a polygon; each can sweep 720° divided by their number.
    pub facets: Option<Whole<2, 1000>>,
    /// Instead of the facets: what the mirror sweeps in the time of a line, used or not; the whole
    /// turn where one mirror at 45° turns.
    pub sweep_deg: Option<Number<SweepDeg>>,
    /// The plane of the lines.
    pub plane: Spanned<SweepPlane>,
    /// Least angle of the beam.
    pub angle_min_deg: Finite,
    /// Greatest angle of the beam.
    pub angle_max_deg: Finite,
    /// Lines per second.
    pub lines_per_s: Positive,
    /// Least and greatest lines per second that the sensor can have.
    pub lines_range_per_s: Option<Vector<2, Any>>,
    /// Pulses of the laser while it fires.
    pub pulse_rate_khz: Positive,
    /// Rates that the sensor can have.
    pub pulse_rate_choices_khz: Option<Numbers>,
    /// How fast the head turns vertical lines about z; it stands where nothing is said.
    pub head_deg_per_s: Option<NonNegative>,
    /// How fast it can turn.
    pub head_max_deg_per_s: Option<Positive>,
    /// Which way it turns, seen from above; counter-clockwise where nothing is said.
    pub head_direction: Option<Direction>,
}

/// How a scanning mirror moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MirrorMotionName {
    /// Facets turn; between two lines there is a pause.
    Polygon,
    /// It swings as a sine.
    Sine,
    /// It swings at an even speed.
    Zigzag,
}

/// The plane of the lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SweepPlane {
    /// Angles are elevations.
    Vertical,
    /// Angles are from straight down to the left.
    AcrossTrack,
}
