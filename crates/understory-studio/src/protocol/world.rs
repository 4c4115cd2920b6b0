//! The world as rays meet it, and what looks at it.

use serde::Serialize;

/// The world of the newest valid revision. Its numbers are small; geometry comes apart.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct World {
    /// Of which revision.
    pub revision: u32,
    /// To be added to positions to get those of the world.
    pub offset_m: [f64; 3],
    /// Lowest and highest corner of what is worth looking at, relative to `offset_m`.
    pub bounds_m: [[f32; 3]; 2],
    /// The same for the first look: what stands near the path.
    pub focus_m: [[f32; 3]; 2],
    /// Whether the first sensor is in a closed room.
    pub closed: bool,
    /// How long building took.
    pub building_s: f64,
    /// Triangles, copies counted.
    #[cfg_attr(test, ts(type = "number"))]
    pub triangles: u64,
    /// Instances.
    pub instances: u32,
    /// Materials; number 1 is the first.
    pub materials: Vec<MaterialCard>,
    /// Objects; number 1 is the first. At most 20,000 of them.
    pub objects: Vec<ObjectCard>,
    /// The sensors.
    pub sensors: Vec<SensorView>,
    /// The platform.
    pub platform: PlatformView,
    /// The weather.
    pub weather: Vec<WeatherView>,
    /// Learned sites.
    pub sites: Vec<SiteView>,
    /// What deserves a second look, in sentences.
    pub warnings: Vec<String>,
}

/// A material.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MaterialCard {
    /// Its name.
    pub name: String,
    /// Its colour, sRGB.
    pub colour: [u8; 3],
    /// How much light of a learned volume goes through; none: it is a surface.
    pub permeability: Option<f32>,
}

/// Something with an identity.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ObjectCard {
    /// Its name.
    pub name: String,
    /// Its semantic class.
    pub label: u16,
    /// Whether it moves.
    pub moves: bool,
    /// The table of the scenario that describes it, if it can be dragged: `position_m` lies there.
    pub table: Option<Vec<super::document::Step>>,
    /// Where its own frame is at the start, relative to `offset_m`.
    pub position_m: [f32; 3],
}

/// A sensor to be drawn.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SensorView {
    /// Its number, from 0.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// The preset.
    pub preset: String,
    /// What people call it.
    pub title: String,
    /// From its frame to the platform's.
    pub platform_from_sensor: Matrix,
    /// From its frame to the world at time 0, relative to `offset_m`.
    pub world_from_sensor: Matrix,
    /// Least and largest azimuth of a frame, in its own frame, counter-clockwise.
    pub azimuth_deg: [f32; 2],
    /// Least and largest elevation of a frame.
    pub elevation_deg: [f32; 2],
    /// Least and largest range.
    pub range_m: [f64; 2],
    /// Lasers.
    pub channels: u32,
    /// How long a frame takes.
    pub scan_duration_s: f64,
    /// Pulses in a second.
    pub pulse_rate_hz: f64,
    /// Pulses that it will fire.
    #[cfg_attr(test, ts(type = "number"))]
    pub pulses: u64,
}

/// A 4 × 4 matrix by columns.
pub type Matrix = [f32; 16];

/// What carries the sensors.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlatformView {
    /// Whether it moves.
    pub moving: bool,
    /// How long the run lasts.
    pub duration_s: f64,
    /// Whether something in the world moves.
    pub things_move: bool,
    /// Where it is at 0 … `duration_s`, in even steps; one pose if it stands.
    pub path: Vec<PathPose>,
    /// When the sensors fire, from and until.
    pub lines_s: Vec<[f64; 2]>,
}

/// Where the platform is at a time.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PathPose {
    /// When.
    pub time_s: f64,
    /// Where, relative to `offset_m`.
    pub position_m: [f32; 3],
    /// How it is turned: x, y, z, w.
    pub quaternion: [f32; 4],
}

/// Weather somewhere.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WeatherView {
    /// What it is: fog, rain, snow, dust, plume.
    pub kind: String,
    /// What it is in words.
    pub sentence: String,
    /// Lowest and highest corner, relative to `offset_m`; none: everywhere.
    pub box_m: Option<[[f32; 3]; 2]>,
}

/// A learned site.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SiteView {
    /// Its name.
    pub name: String,
    /// Its volumes.
    pub volumes: u32,
    /// How it is queried, in words.
    pub rays: String,
}

/// What belongs to the block "geometry".
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GeometryExtra {
    /// Of which revision.
    pub revision: u32,
    /// The meshes; `instance_mesh` is a place in this list.
    pub meshes: Vec<MeshCard>,
    /// Triangles that the page will draw, copies counted.
    #[cfg_attr(test, ts(type = "number"))]
    pub drawn_triangles: u64,
    /// Triangles of the world, copies counted.
    #[cfg_attr(test, ts(type = "number"))]
    pub all_triangles: u64,
    /// Instances that were left out.
    pub left_out: u32,
    /// What is shown coarser or not at all, in a sentence; none: everything is shown as it is.
    pub sentence: Option<String>,
}

/// A mesh in the columns `position` and `index`; indices count from `first_vertex`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MeshCard {
    /// Its first row in `position`.
    pub first_vertex: u32,
    /// Its rows there.
    pub vertices: u32,
    /// Share of its triangles that are left, larger than they are; 1: all of them, as they are.
    pub detail: f32,
    /// Its triangles by material.
    pub parts: Vec<MeshPart>,
}

/// Triangles of one material.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MeshPart {
    /// Number of the material, from 1; 0: none.
    pub material: u16,
    /// First row in `index`.
    pub first_index: u32,
    /// Rows there, three to a triangle.
    pub indices: u32,
}

/// What belongs to the block "beams".
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BeamsExtra {
    /// Of which sensor.
    pub sensor: u16,
    /// Pulses of one frame; fewer may be in the block.
    #[cfg_attr(test, ts(type = "number"))]
    pub pulses: u64,
    /// Full angle of one beam.
    pub divergence_mrad: Option<f64>,
}

/// What belongs to the block "moment".
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MomentExtra {
    /// When.
    pub time_s: f64,
    /// From the platform to the world, relative to `offset_m`.
    pub world_from_platform: Matrix,
    /// From each sensor to the world.
    pub world_from_sensor: Vec<Matrix>,
}
