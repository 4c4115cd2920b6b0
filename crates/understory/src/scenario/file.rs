//! A scenario as it is typed: the tables and keys of the file, before they are checked together.
//!
//! The type of a key says what its value may be, and its comment what it means: both stand in the
//! JSON schema and in the reference of keys. Values of more than one kind (a number or a list) are
//! taken as they are and sorted out by the checks.

mod air;
mod body;
mod drive;
mod material;
mod object;
mod plant;
mod platform;

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Extent, Number, Spanned, Vector, Within, limits};

pub use air::{
    AtmosphereFile, BirthFile, DustFile, FogFile, OverlapM, PlumeFile, PlumeShape, RainFile,
    SnowFile, VisibilityM, WindFile,
};
pub use body::{BodyFile, ColliderName, PhysicsFile, ReplayFile, VehicleFile};
pub use drive::{
    CollisionRule, DriveFile, DrivePose, DriveVehicleFile, MapperName, NoPath, PlannerName,
    SteeringName,
};
pub use material::{GlassFile, GlassKind, MaterialFile, MaterialsFile};
pub use object::{
    EdgesName, FramesFile, GridFile, LabelChoice, MotionFile, ObjectFile, PlacementFile, ShapeName,
};
pub use plant::{
    AreaFile, AvoidFile, GroundObjectFile, LayoutKeys, PlantFile, StandsOn, TerrainFile,
};
pub use platform::{
    BeyondEnd, CompassFile, GpsFile, Heading, ImuFile, NavigationFile, PlatformFile, WaypointFile,
};

use crate::world::scene::volume::{RangeDraw, SiteRays};

limits! {
    /// Of poses in a file.
    PosesHz: 0.001..=100000.0;
    /// Above the ellipsoid.
    AltitudeM: -12000.0..=100000.0;
    /// Of rows of motion.
    MotionHz: 0.001..=1e6;
}

/// A scenario: one file that says everything about a run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// 1, the version of this format.
    pub version: Spanned<u32>,
    /// Key of all random numbers of the run.
    pub seed: u64,
    /// How long the run lasts.
    pub duration_s: Extent,
    /// One line about the scenario.
    pub title: Option<String>,
    /// What the beams meet.
    pub world: WorldFile,
    /// One or more sensors.
    #[schemars(with = "Vec<SensorEntry>", length(min = 1))]
    pub sensor: Option<Spanned<Vec<SensorEntry>>>,
    /// What carries the sensors; it stands at the origin where nothing is said.
    #[serde(default)]
    pub platform: PlatformFile,
    /// A vehicle that finds its own way; only `understory drive` heeds it.
    pub drive: Option<DriveFile>,
    /// Files to write.
    #[serde(default)]
    pub output: OutputFile,
}

/// What the beams meet.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldFile {
    /// Whether plants far from the sensor are traced by levels of less detail: `"off"` (where
    /// nothing is said), `"auto"` or `{ from_m = 30.0 }`.
    #[serde(alias = "far_plants")]
    #[schemars(with = "Option<LodChoice>")]
    pub vegetation_lod: Option<Spanned<toml::Value>>,
    /// Coordinate reference system of the world, for files of surveyors: a code such as
    /// `"EPSG:25832"`, or well-known text; that of the terrain's GeoTIFF where nothing is said.
    pub crs: Option<Spanned<String>>,
    /// Where on Earth the origin is, for fixes of the satellite navigation (`/gps/fix`).
    pub geographic_origin: Option<Spanned<GeographicOriginFile>>,
    /// Materials of the scenario's own.
    #[serde(default)]
    pub material: Vec<MaterialFile>,
    /// Files of materials that several scenarios share.
    #[serde(default)]
    pub material_files: Vec<Spanned<PathBuf>>,
    /// After how many surfaces a way of light ends; 16 where nothing is said.
    pub bounces_max: Option<u8>,
    /// Shapes and meshes.
    #[serde(default)]
    pub object: Vec<ObjectFile>,
    /// How bodies move.
    pub physics: Option<PhysicsFile>,
    /// A recorded motion that is replayed.
    pub motion: Option<ReplayFile>,
    /// The ground.
    pub terrain: Option<Spanned<TerrainFile>>,
    /// Plants.
    #[serde(default)]
    pub plant: Vec<PlantFile>,
    /// Rocks, logs, posts, fences and walls.
    #[serde(default)]
    pub ground_object: Vec<GroundObjectFile>,
    /// Weather everywhere.
    pub atmosphere: Option<AtmosphereFile>,
    /// Wind in which plants sway.
    pub wind: Option<Spanned<WindFile>>,
    /// Volumes of denser air.
    #[serde(default)]
    pub plume: Vec<PlumeFile>,
    /// Learned sites.
    #[serde(default)]
    pub site: Vec<SiteFile>,
}

/// Where on Earth the world's origin is: the world is a plane there, z up.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeographicOriginFile {
    /// North of the equator, WGS 84.
    pub latitude_deg: Within<-90, 90>,
    /// East of Greenwich, WGS 84.
    pub longitude_deg: Within<-180, 180>,
    /// Above the ellipsoid of WGS 84 (not above the sea); 0 where nothing is said.
    pub altitude_m: Option<Number<AltitudeM>>,
    /// From east counter-clockwise to the x axis; 0 where nothing is said: x is east, y north.
    pub yaw_from_east_deg: Option<Within<-360, 360>>,
}

/// A learned site: a file of volumes that stop light by chance, or of a surface, as
/// `understory learn` writes it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SiteFile {
    /// Its name, its own; the site is one object of the ground truth.
    pub name: Spanned<String>,
    /// A `.site` file.
    pub file: Spanned<PathBuf>,
    /// Class of volumes that know none of their own, and of a surface; 0 where nothing is said.
    #[schemars(with = "Option<LabelChoice>")]
    pub label: Option<Spanned<toml::Value>>,
    /// Where the site's origin comes to lie; where it was learned where nothing is said.
    pub position_m: Option<Vector<3>>,
    /// Roll, pitch and yaw about that origin.
    pub rotation_deg: Option<Vector<3>>,
    /// By which rays it is queried.
    #[serde(default)]
    pub rays: SiteRays,
    /// How ranges in a volume are drawn.
    #[serde(default)]
    pub range_draw: RangeDraw,
}

/// A sensor on the platform: a `preset` or a `file`, mounted.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SensorEntry {
    /// Its name, its own.
    pub name: Spanned<String>,
    /// A built-in sensor, see `understory sensors`.
    pub preset: Option<Spanned<String>>,
    /// A sensor of your own.
    pub file: Option<Spanned<PathBuf>>,
    /// Where it is on the platform; at its origin where nothing is said.
    pub position_m: Option<Vector<3>>,
    /// How it is turned on the platform: roll, pitch, yaw.
    pub rotation_deg: Option<Vector<3>>,
    /// When it begins to fire: a number below `duration_s`, or `"random"` for a time within its
    /// first scan; 0 where nothing is said.
    #[schemars(with = "Option<DelayChoice>")]
    pub delay_s: Option<Spanned<toml::Value>>,
    /// Keys of the sensor's file that shall differ, for example `[sensor.override.detector]`.
    // Laid over the preset by the reader of sensors, which also checks its keys.
    #[expect(dead_code, reason = "it is read from the text again; here it is a known key")]
    #[serde(rename = "override")]
    #[schemars(with = "Option<BTreeMap<String, serde_json::Value>>")]
    pub overrides: Option<toml::Table>,
}

/// Files to write.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Files of points; the extension is the format: `.las`, `.laz`, `.ply`, `.pcd`, `.csv`,
    /// `.npy`, `.blensor.csv`, `.blensor.npy` and `.evd` (BlenSor's record), or `.kitti` (also a
    /// name that ends in `/`) for a folder as KITTI has it.
    #[serde(default)]
    pub files: Vec<Spanned<PathBuf>>,
    /// Whether a picture is drawn as well; it is where nothing is said.
    pub picture: Option<bool>,
    /// Whether waveforms are written beside `.las` and `.npy` files, of sensors that detect in
    /// them.
    pub waveforms: Option<Spanned<bool>>,
    /// Whether pulses without a return are rows of the files; `.las`, `.laz`, `.ply` and `.pcd` leave
    /// them out and all others keep them where nothing is said.
    pub misses: Option<MissesFile>,
    /// Whether clouds of ROS 2, in bags and live, have a field `label` with the semantic class of
    /// each point.
    #[serde(default)]
    pub ros_labels: bool,
    /// Whether clouds of ROS 2 have a field `rgb` with the colour of the material of each point,
    /// packed as PCL has it.
    #[serde(default)]
    pub ros_colours: bool,
    /// Whether `.las` and `.laz` are one file for each flight line (`NAME_line1.laz`, …), as surveys
    /// are delivered; waypoints with `active = false` end a line.
    #[serde(default)]
    pub strips: Option<Spanned<bool>>,
    /// Files of the platform's poses: `.tum` or `.csv`, or `.sbet` where `geographic_origin` says
    /// where on Earth the world is.
    #[serde(default)]
    pub poses: Vec<Spanned<PathBuf>>,
    /// Poses per second in them; 100 where nothing is said.
    pub poses_hz: Option<Number<PosesHz>>,
    /// Files with the motion of objects: `.csv`, `.txt` (BlenSor's form) or `.xml` (KITTI
    /// tracklets).
    #[serde(default)]
    pub motion: Vec<Spanned<PathBuf>>,
    /// Names of the objects in them, with `*` and `?`; all that move where nothing is said.
    #[serde(default)]
    pub motion_objects: Vec<String>,
    /// Rows a second; the poses of the motion, and 100 in `.txt`, where nothing is said.
    pub motion_rate_hz: Option<Number<MotionHz>>,
    /// The sensor whose scans are the frames of tracklets; the first where nothing is said.
    pub motion_sensor: Option<Spanned<String>>,
}

/// What becomes of pulses without a return.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissesFile {
    /// They are rows, where the format can hold them.
    Keep,
    /// They are left out.
    Drop,
}

/// When a sensor begins.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
enum DelayChoice {
    /// At this time.
    Seconds(f64),
    /// `"random"`.
    Word(String),
}

/// From where on plants have less detail.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
enum LodChoice {
    /// `"off"` or `"auto"`.
    Word(String),
    /// From a distance on.
    From {
        /// A distance from 1 to 10000 m.
        from_m: f64,
    },
}
