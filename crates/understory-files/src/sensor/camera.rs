//! `[camera_grid]` and `[table]`: pixels of a camera, and directions one by one.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{AboveZero, Any, Array, List, NonNegative, Numbers, Positive, Spanned, Vector};

/// A time-of-flight camera: a pulse is a pixel. Exactly one of `field_of_view_deg` and `focal_px`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraGridFile {
    /// Columns and rows.
    pub pixels: Array<u16, 2>,
    /// Full angles between the outer edges of the image.
    pub field_of_view_deg: Option<Vector<2, Any>>,
    /// Focal lengths.
    pub focal_px: Option<Vector<2, AboveZero>>,
    /// Where the axis meets the image; the middle where nothing is said.
    pub centre_px: Option<Vector<2, Any>>,
    /// How the lens maps angles to the image.
    #[serde(default)]
    pub projection: Projection,
    /// k1, k2, p1, p2 and k3 of a pinhole, as in OpenCV.
    pub distortion: Option<Vector<5, Any>>,
    /// Frames per second.
    pub frame_hz: Positive,
    /// Time from row to row; all pixels at once where nothing is said.
    pub row_us: Option<NonNegative>,
}

/// Directions one by one, in lists or in a CSV file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableFile {
    /// Time after which the rows repeat.
    pub cycle_s: Positive,
    /// A CSV file with the columns `time_s,azimuth_deg,elevation_deg,channel`, or as Livox
    /// publishes them.
    pub file: Option<Spanned<PathBuf>>,
    /// Beams that take turns in a table of Livox.
    pub beams: Option<Spanned<u16>>,
    /// Times, rising from 0 to below `cycle_s`.
    pub time_s: Option<Numbers>,
    /// Azimuth of each row.
    pub azimuth_deg: Option<Numbers>,
    /// Elevation of each row.
    pub elevation_deg: Option<Numbers>,
    /// Channel of each row; 0 where nothing is said.
    pub channel: Option<List<u16>>,
}

/// How the lens maps angles to the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// Straight lines stay straight: x = tan θ.
    #[default]
    Pinhole,
    /// Equal angles take equal lengths: x = θ.
    Equidistant,
}
