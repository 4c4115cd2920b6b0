//! Layers: scans and recordings, their points, their rows.

use serde::{Deserialize, Serialize};

use super::compare::Job;

/// A scan or an opened recording.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Layer {
    /// Its number, never used again.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: LayerKind,
    /// How far it is.
    pub state: LayerState,
    /// What is done now, in words.
    pub doing: String,
    /// How much of it is done, 0…1.
    pub share: f64,
    /// Why it failed.
    pub problem: Option<Problem>,
    /// Name of the scenario or of the file.
    pub source: String,
    /// Names of the sensors, by their number.
    pub sensors: Vec<String>,
    /// Seed of the scan.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub seed: Option<u64>,
    /// From and up to which time.
    pub interval_s: [f64; 2],
    /// Pulses so far.
    #[cfg_attr(test, ts(type = "number"))]
    pub pulses: u64,
    /// Returns so far; of the file's rows, those with a position.
    #[cfg_attr(test, ts(type = "number"))]
    pub returns: u64,
    /// Rows so far: returns and pulses without one.
    #[cfg_attr(test, ts(type = "number"))]
    pub rows: u64,
    /// Points so far: rows with a position. Points are numbered from 0.
    pub points: u32,
    /// To be added to positions to get those of the world.
    pub offset_m: [f64; 3],
    /// Lowest and highest corner of the points, relative to `offset_m`; none: there are none.
    pub bounds_m: Option<[[f32; 3]; 2]>,
    /// Columns that mean something in it.
    pub columns: Vec<String>,
    /// Whether pulses can be told in detail.
    pub pulses_known: bool,
    /// Whether the sensor moves.
    pub moving: bool,
    /// Number of the last scan (frame) of each sensor.
    pub scans: Vec<u32>,
    /// How long it took on the clock.
    pub seconds: f64,
    /// Seconds since the program began at which it was asked for.
    pub asked_s: f64,
    /// What deserves a second look, in sentences.
    pub remarks: Vec<String>,
}

pub use super::document::Problem;

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LayerKind {
    /// Simulated here.
    Scan,
    /// Read from a file.
    Recording,
}

/// How far a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LayerState {
    /// It waits for others.
    Waiting,
    /// Its world is built, or its file opened.
    Building,
    /// Points come in.
    Running,
    /// It is complete.
    Done,
    /// It was stopped; what came before is there.
    Cancelled,
    /// It failed; what came before is there.
    Failed,
}

/// Starts a scan of the newest valid revision.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
pub struct StartScan {
    /// Name of the layer; one is made up where nothing is said.
    pub name: Option<String>,
    /// Preset in the place of the sensor with number `sensor` (or of the first).
    pub preset: Option<String>,
    /// The only sensor that fires; all do where nothing is said.
    pub sensor: Option<u16>,
    /// Seed; the scenario's where nothing is said.
    #[cfg_attr(test, ts(type = "number"))]
    pub seed: Option<u64>,
    /// From and up to which time; the whole run where nothing is said.
    pub interval_s: Option<[f64; 2]>,
}

/// Opens a recording of the served folder as a layer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[cfg_attr(test, ts(optional_fields))]
pub struct OpenRecording {
    /// Which file, by its id.
    pub file: String,
    /// Where the sensor was, if the file does not say: x, y, z.
    pub position_m: Option<[f64; 3]>,
    /// How it was turned: roll, pitch, yaw.
    pub rotation_deg: Option<[f64; 3]>,
    /// Intensity in the file that stands for a white target; 1 where nothing is said.
    pub intensity_full: Option<f64>,
}

/// Renames a layer.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RenameLayer {
    /// Its new name.
    pub name: String,
}

/// What belongs to the block "points".
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PointsExtra {
    /// Of which layer.
    pub layer: u32,
    /// Number of the first point in the block.
    pub first: u32,
    /// Points in the block.
    pub points: u32,
}

/// What belongs to the block "image": rows are channels by elevation (or elevations, where beams
/// wander), columns are azimuths from left to right.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ImageExtra {
    /// Of which layer.
    pub layer: u32,
    /// Of which sensor.
    pub sensor: u16,
    /// Of which scan; none: of all, the last pulse in each cell.
    pub scan: Option<u32>,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Azimuth at the left edge and at the right edge.
    pub azimuth_deg: [f32; 2],
    /// Elevation of each row, from the top.
    pub elevation_deg: Vec<f32>,
    /// Least and largest range in it.
    pub range_m: [f32; 2],
}

/// Everything about one point: what was measured beside what was true.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PointRecord {
    /// Of which layer.
    pub layer: u32,
    /// Which point.
    pub point: u32,
    /// Row of the records.
    #[cfg_attr(test, ts(type = "number"))]
    pub row: u64,
    /// Where it is, in the world.
    pub xyz_m: [f64; 3],
    /// Where its beam left from, in the world; none: not known.
    pub origin_m: Option<[f64; 3]>,
    /// All columns that mean something, in the order of files.
    pub fields: Vec<Field>,
    /// What the numbers of object, material, class and sensor stand for.
    pub object: Option<String>,
    /// Its material.
    pub material: Option<String>,
    /// Its semantic class.
    pub label: Option<String>,
    /// Its sensor.
    pub sensor: Option<String>,
    /// Measured minus true range, if both are known.
    pub range_error_m: Option<f64>,
}

/// One value of a row.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Field {
    /// Name of the column as in files.
    pub name: String,
    /// What it is.
    pub brief: String,
    /// Its unit.
    pub unit: String,
    /// Whether it is true or measured.
    pub truth: bool,
    /// The value: a number, or null where there is none (NaN).
    pub value: Option<f64>,
}

/// What the numbers of objects and materials of a layer stand for; number 1 is the first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LayerNames {
    /// Objects.
    pub objects: Vec<String>,
    /// Materials.
    pub materials: Vec<String>,
}

/// What the WebSocket says when something changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct News {
    /// Layers that changed since the last news; the first news has all.
    pub layers: Vec<Layer>,
    /// Layers that are gone.
    pub gone: Vec<u32>,
    /// Jobs that changed.
    pub jobs: Vec<Job>,
    /// Revision of the document.
    pub revision: u32,
}
