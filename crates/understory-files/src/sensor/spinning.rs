//! `[spinning]` and `[channels]`: a head of lasers that spins.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Any, Finite, FromZero, NonNegative, Number, Numbers, Positive, Vector, Whole, limits};

limits! {
    /// Between columns of a scan.
    AzimuthStepDeg: 0.00036..=360.0;
    /// Of lasers.
    ElevationDeg: -90.0..=90.0;
}

/// A head of lasers that spins. Exactly one of `cycle_us`, `columns_per_scan`, `azimuth_step_deg`
/// and `two_block` says when they fire.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpinningFile {
    /// Sense of rotation, seen from above.
    pub direction: Direction,
    /// Revolutions per second.
    pub rotation_hz: Positive,
    /// Least and greatest revolutions per second that the sensor can have.
    pub rotation_range_hz: Option<Vector<2, Any>>,
    /// Revolutions per second that the sensor can have.
    pub rotation_choices_hz: Option<Numbers>,
    /// Time from one firing of all channels to the next, whatever the rotation (Velodyne, Hesai).
    pub cycle_us: Option<Positive>,
    /// Columns at fixed angles of the encoder (Ouster).
    pub columns_per_scan: Option<Whole<1, 1_000_000>>,
    /// Fixed steps of the azimuth (SICK, Hokuyo).
    pub azimuth_step_deg: Option<Number<AzimuthStepDeg>>,
    /// Revolutions of a scan, whose columns lie between each other; goes with `azimuth_step_deg`.
    pub interlace: Option<Whole<1, 64>>,
    /// Where a scan begins, if it is no full circle.
    pub azimuth_min_deg: Option<Finite>,
    /// Where a scan ends.
    pub azimuth_max_deg: Option<Finite>,
    /// Step in which the azimuth is reported.
    pub encoder_step_deg: Option<NonNegative>,
    /// The same by the counts of a revolution.
    pub encoder_counts: Option<Whole<1, { u32::MAX }>>,
    /// The two-block readout of Goodin et al. 2018.
    pub two_block: Option<TwoBlockFile>,
}

/// The two-block readout of Goodin et al. 2018.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TwoBlockFile {
    /// Points per second of both blocks.
    pub points_per_s: Positive,
    /// How the columns are spaced.
    pub resolution: TwoBlockResolution,
}

/// The lasers of a spinning head; lists have one value for each.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelsFile {
    /// Angles above the horizon.
    pub elevation_deg: Option<Numbers<ElevationDeg>>,
    /// Instead of the list: the lowest of evenly spaced ones.
    pub elevation_min_deg: Option<Number<ElevationDeg>>,
    /// The highest of them.
    pub elevation_max_deg: Option<Number<ElevationDeg>>,
    /// How many there are.
    pub count: Option<Whole<1, 65535>>,
    /// Angles to the side of the head's direction.
    pub azimuth_offset_deg: Option<Numbers>,
    /// To which side they are positive, seen from above.
    #[serde(default)]
    pub azimuth_offset_positive: Side,
    /// Origins of the beams, upwards.
    pub vertical_offset_mm: Option<Numbers>,
    /// Origins of the beams, to the left of them.
    pub horizontal_offset_mm: Option<Numbers>,
    /// Origin of all beams along the head's direction.
    pub forward_offset_mm: Option<Finite>,
    /// Times of firing in a cycle; all fire together where nothing is said.
    pub firing_us: Option<Numbers<FromZero>>,
}

/// Sense of rotation seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Like the hands of a clock: azimuth in the sensor's frame falls.
    Clockwise,
    /// Against them.
    Counterclockwise,
}

impl Direction {
    /// 1 where azimuth rises, −1 where it falls.
    pub fn sign(self) -> f64 {
        match self {
            Direction::Clockwise => -1.0,
            Direction::Counterclockwise => 1.0,
        }
    }
}

/// How the columns of P2's two-block readout are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TwoBlockResolution {
    /// 360/(N−1), as equations (6) and (7) print it.
    Paper,
    /// 360/N, which closes the circle.
    FullCircle,
}

/// Which way a positive azimuth offset turns the beam, seen from above.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Counter-clockwise.
    #[default]
    Left,
    /// Clockwise (Ouster, Hesai).
    Right,
}
