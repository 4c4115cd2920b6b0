//! `[risley]` and `[harmonic]`: turning wedges, and patterns of which only a table is known.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Between, Finite, NonEmpty, Number, Numbers, Positive, Within, limits};

limits! {
    /// Of glass.
    WedgeIndex: 1.0..=5.0, "for example 1.51";
    /// In either sense.
    TurnsPerSecond: -1e6..=1e6, "turns per second";
}

/// Turning wedges; light is refracted at every face.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RisleyFile {
    /// Pulses of all lasers together.
    pub pulse_rate_khz: Positive,
    /// Frames per second; the pattern itself hardly ever repeats.
    pub frame_hz: Positive,
    /// How light is followed through the wedges.
    #[serde(default)]
    pub refraction: Refraction,
    /// Angle of each laser above the axis.
    pub laser_elevation_deg: Numbers<Between<-45, 45>>,
    /// Angle of each laser to the left of the axis.
    pub laser_azimuth_deg: Option<Numbers<Between<-45, 45>>>,
    /// One to three wedges, the first next to the laser.
    pub wedge: NonEmpty<WedgeFile>,
}

/// A wedge of glass that turns about the axis.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WedgeFile {
    /// Angle between its faces.
    pub angle_deg: Within<0, 80>,
    /// Refractive index.
    pub index: Number<WedgeIndex>,
    /// Turns per second, positive from y towards z.
    pub rotation_hz: Number<TurnsPerSecond>,
    /// Angle at time 0.
    pub phase_deg: Option<Finite>,
    /// Which face is inclined; the other is across the axis.
    pub inclined_face: InclinedFace,
}

/// A pattern as Fourier series of a fast turn and a slow swing.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HarmonicFile {
    /// Pulses of all beams together.
    pub pulse_rate_khz: Positive,
    /// Frames per second.
    pub frame_hz: Positive,
    /// Turns per second.
    pub rotation_hz: Number<TurnsPerSecond>,
    /// Swings per second.
    pub swing_hz: Number<TurnsPerSecond>,
    /// Angle of the swing at time 0.
    pub swing_phase_deg: Option<Finite>,
    /// Azimuth in the middle.
    pub azimuth_deg: Finite,
    /// Elevation in the middle.
    pub elevation_deg: Finite,
    /// Sines of the turn in the azimuth, from the first harmonic on.
    pub azimuth_sin_deg: Numbers,
    /// Cosines of the turn in the elevation, from the first harmonic on.
    pub elevation_cos_deg: Numbers,
    /// Factor of the swing for each beam.
    pub beams: Numbers,
    /// Sines of a beam's swing in the azimuth; an odd number, the middle one for the turn alone.
    pub beam_azimuth_sin_deg: Numbers,
    /// Cosines of a beam's swing in the elevation; an odd number.
    pub beam_elevation_cos_deg: Numbers,
}

/// Which face of a wedge is inclined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InclinedFace {
    /// The one where light enters.
    Entrance,
    /// The one where it leaves.
    Exit,
}

/// How light is followed through the wedges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Refraction {
    /// Snell's law at every face.
    #[default]
    Exact,
    /// Small angles: each wedge bends by (n − 1)·α.
    FirstOrder,
}
