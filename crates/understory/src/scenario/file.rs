//! A scenario as it is typed: the tables and keys of the file, before they are checked.
//!
//! Values that are checked later carry their span, so that errors name their line. Values of more
//! than one kind (a number or a list) are taken as they are and sorted out by the checks.

use super::body::{BodyFile, PhysicsFile, ReplayFile, VehicleFile};
use super::scatter::LayoutKeys;
use crate::pulse::atmosphere::extinction::WavelengthLaw;
use crate::pulse::atmosphere::particles::Occlusion;
use crate::pulse::atmosphere::plume::Profile;
use crate::world::motion::Repeat;
use crate::world::scene::foliage::Volume;
use crate::world::scene::mesh_file::{LengthUnit, UpAxis};
use crate::world::scene::volume::{RangeDraw, SiteRays};
use crate::world::trajectory::{Interpolation, PosePer, Register};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;
use understory_plants::{Feature, GroundPlane, HeightmapFile, ObstacleSpec, Relief};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    pub version: Spanned<u32>,
    pub seed: u64,
    pub duration_s: Spanned<f64>,
    pub title: Option<String>,
    pub world: WorldFile,
    pub sensor: Option<Spanned<Vec<SensorEntry>>>,
    #[serde(default)]
    pub platform: PlatformFile,
    #[serde(default)]
    pub output: OutputFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldFile {
    pub far_plants: Option<Spanned<toml::Value>>,
    #[serde(default)]
    pub material: Vec<MaterialFile>,
    #[serde(default)]
    pub material_files: Vec<Spanned<PathBuf>>,
    pub bounces_max: Option<u8>,
    #[serde(default)]
    pub object: Vec<ObjectFile>,
    pub physics: Option<PhysicsFile>,
    pub motion: Option<ReplayFile>,
    pub terrain: Option<Spanned<TerrainFile>>,
    #[serde(default)]
    pub plant: Vec<PlantFile>,
    #[serde(default)]
    pub ground_object: Vec<GroundObjectFile>,
    pub atmosphere: Option<AtmosphereFile>,
    pub wind: Option<Spanned<WindFile>>,
    #[serde(default)]
    pub plume: Vec<PlumeFile>,
    #[serde(default)]
    pub site: Vec<SiteFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteFile {
    pub name: Spanned<String>,
    pub file: Spanned<PathBuf>,
    pub label: Option<Spanned<toml::Value>>,
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    #[serde(default)]
    pub rays: SiteRays,
    #[serde(default)]
    pub range_draw: RangeDraw,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialFile {
    pub name: Spanned<String>,
    pub reflectance: Option<Spanned<toml::Value>>,
    pub mixture: Option<Spanned<BTreeMap<String, Spanned<f64>>>>,
    pub mirror: Option<Spanned<f64>>,
    pub gloss: Option<Spanned<GlossFile>>,
    pub retro: Option<Spanned<RetroFile>>,
    pub glass: Option<Spanned<GlassFile>>,
    pub color: Option<Spanned<String>>,
}

/// A file that several scenarios share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaterialsFile {
    pub material: Vec<MaterialFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlossFile {
    pub share: Spanned<f64>,
    pub roughness: Spanned<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetroFile {
    pub share: Spanned<f64>,
    pub cone_deg: Option<Spanned<f64>>,
    pub incidence_max_deg: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GlassFile {
    pub index: Spanned<f64>,
    pub kind: GlassKind,
    pub absorption_per_m: Option<Spanned<toml::Value>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GlassKind {
    Pane,
    Solid,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObjectFile {
    pub name: Spanned<String>,
    pub shape: Spanned<ShapeName>,
    pub size_m: Option<Spanned<Vec<f64>>>,
    pub radius_m: Option<Spanned<f64>>,
    pub height_m: Option<Spanned<f64>>,
    pub tolerance_m: Option<Spanned<f64>>,
    pub file: Option<Spanned<PathBuf>>,
    pub unit: Option<Spanned<LengthUnit>>,
    pub up: Option<Spanned<UpAxis>>,
    pub materials: Option<Spanned<BTreeMap<String, Spanned<String>>>>,
    pub animation: Option<Spanned<toml::Value>>,
    pub animation_repeat: Option<Spanned<Repeat>>,
    pub animation_speed: Option<Spanned<f64>>,
    pub animation_start_s: Option<Spanned<f64>>,
    pub pose_error_m: Option<Spanned<f64>>,
    pub material: Option<Spanned<String>>,
    pub label: Option<Spanned<toml::Value>>,
    pub edges: Option<EdgesName>,
    pub foliage: Option<Spanned<FoliageFile>>,
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    pub scale: Option<Spanned<toml::Value>>,
    pub instances: Option<Spanned<Vec<PlacementFile>>>,
    pub instances_file: Option<Spanned<PathBuf>>,
    pub grid: Option<Spanned<GridFile>>,
    pub body: Option<Spanned<BodyFile>>,
    pub vehicle: Option<Spanned<VehicleFile>>,
    #[serde(default)]
    pub one_object: bool,
    pub motion: Option<Spanned<MotionFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MotionFile {
    pub keyframes: Spanned<Vec<KeyframeFile>>,
    #[serde(default)]
    pub interpolation: Interpolation,
    #[serde(default)]
    pub repeat: Repeat,
    pub stagger_s: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyframeFile {
    pub time_s: Spanned<f64>,
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindFile {
    pub heading_deg: Option<Spanned<f64>>,
    pub sway_deg: Option<Spanned<f64>>,
    pub lean_deg: Option<Spanned<f64>>,
    pub period_s: Option<Spanned<f64>>,
    pub wavelength_m: Option<Spanned<f64>>,
    pub unrest: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ShapeName {
    Plane,
    Box,
    Sphere,
    Cylinder,
    Disc,
    Car,
    Mesh,
    Person,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgesName {
    Closed,
    Exact,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoliageFile {
    pub count: Spanned<u32>,
    pub size_m: Spanned<[f64; 3]>,
    #[serde(default)]
    pub volume: Volume,
    #[serde(default)]
    pub seed: u64,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlacementFile {
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    pub scale: Option<Spanned<toml::Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridFile {
    pub count: Spanned<[u32; 2]>,
    pub spacing_m: Spanned<[f64; 2]>,
    pub jitter_m: Option<Spanned<f64>>,
    #[serde(default)]
    pub random_yaw: bool,
    pub scale_jitter: Option<Spanned<f64>>,
    #[serde(default)]
    pub seed: u64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TerrainFile {
    pub heightmap: Option<Spanned<HeightmapFile>>,
    pub plane: Option<Spanned<GroundPlane>>,
    #[serde(default)]
    pub relief: Vec<Relief>,
    #[serde(default)]
    pub features: Vec<Feature>,
    pub tolerance_m: Option<Spanned<f64>>,
    pub material: Option<Spanned<String>>,
    pub label: Option<Spanned<toml::Value>>,
    pub seed: Option<u64>,
}

/// A table with keys of its own and the keys that say where its copies stand.
///
/// `#[serde(flatten)]` would share them by a struct, but it loses the spans of values and takes no
/// `deny_unknown_fields`: the errors that name a line and the key that was meant would be gone.
macro_rules! placed_table {
    (pub struct $name:ident { $($(#[$attribute:meta])* pub $key:ident: $kind:ty,)* }) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name {
            pub name: Spanned<String>,
            $($(#[$attribute])* pub $key: $kind,)*
            pub area: Option<Spanned<AreaFile>>,
            pub count: Option<Spanned<u32>>,
            pub density_per_m2: Option<Spanned<f64>>,
            pub spacing_m: Option<Spanned<f64>>,
            pub rows: Option<Spanned<RowsFile>>,
            pub mask: Option<Spanned<PathBuf>>,
            #[serde(default)]
            pub avoid: Vec<Spanned<AvoidFile>>,
            pub instances: Option<Spanned<Vec<PlacementFile>>>,
            pub instances_file: Option<Spanned<PathBuf>>,
            pub random_turn: Option<bool>,
            pub scale_range: Option<Spanned<[f64; 2]>>,
            pub lean_deg: Option<Spanned<f64>>,
            pub sink_m: Option<Spanned<f64>>,
        }

        impl $name {
            /// Where its copies stand, without tiles.
            pub fn layout_keys(&self) -> LayoutKeys<'_> {
                LayoutKeys {
                    span: self.name.span(),
                    area: self.area.as_ref(),
                    count: self.count.as_ref(),
                    density_per_m2: self.density_per_m2.as_ref(),
                    spacing_m: self.spacing_m.as_ref(),
                    rows: self.rows.as_ref(),
                    tiles: None,
                    mask: self.mask.as_ref(),
                    avoid: &self.avoid,
                    instances: self.instances.as_ref(),
                    instances_file: self.instances_file.as_ref(),
                    random_turn: self.random_turn,
                    scale_range: self.scale_range.as_ref(),
                    lean_deg: self.lean_deg.as_ref(),
                    sink_m: self.sink_m.as_ref(),
                    reach_m: None,
                }
            }
        }
    };
}

placed_table! {
    pub struct PlantFile {
        pub species: Option<Spanned<String>>,
        pub kind: Option<Spanned<String>>,
        pub file: Option<Spanned<PathBuf>>,
        /// Laid over the species by the checks of plants.
        #[serde(rename = "override")]
        pub overrides: Option<Spanned<toml::Table>>,
        pub variants: Option<Spanned<u32>>,
        pub materials: Option<Spanned<BTreeMap<String, Spanned<String>>>>,
        pub label: Option<Spanned<toml::Value>>,
        pub wood_label: Option<Spanned<toml::Value>>,
        pub edges: Option<EdgesName>,
        pub one_object: Option<bool>,
        pub seed: Option<u64>,
        pub tiles: Option<Spanned<bool>>,
    }
}

placed_table! {
    pub struct GroundObjectFile {
        pub what: Spanned<ObstacleSpec>,
        pub variants: Option<Spanned<u32>>,
        pub material: Option<Spanned<String>>,
        pub label: Option<Spanned<toml::Value>>,
        #[serde(default)]
        pub one_object: bool,
        pub seed: Option<u64>,
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaFile {
    pub centre_m: Option<[f64; 2]>,
    pub size_m: Option<[f64; 2]>,
    pub radius_m: Option<f64>,
    pub polygon_m: Option<Vec<[f64; 2]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AvoidFile {
    pub centre_m: Option<[f64; 2]>,
    pub size_m: Option<[f64; 2]>,
    pub radius_m: Option<f64>,
    pub polygon_m: Option<Vec<[f64; 2]>>,
    pub line_m: Option<Vec<[f64; 2]>>,
    pub width_m: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsFile {
    pub spacing_m: Spanned<f64>,
    pub in_row_m: Spanned<f64>,
    pub heading_deg: Option<Spanned<f64>>,
    pub jitter_m: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtmosphereFile {
    pub visibility_m: Option<Spanned<f64>>,
    pub extinction_per_m: Option<Spanned<f64>>,
    #[serde(default)]
    pub wavelength_law: WavelengthLaw,
    pub range_limit: Option<bool>,
    pub fog: Option<Spanned<FogFile>>,
    pub rain: Option<Spanned<RainFile>>,
    pub snow: Option<Spanned<SnowFile>>,
    pub dust: Option<Spanned<DustFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FogFile {
    pub visibility_m: Option<Spanned<f64>>,
    pub extinction_per_m: Option<Spanned<f64>>,
    pub backscatter_per_m_sr: Option<Spanned<f64>>,
    pub pulse_ns: Option<Spanned<f64>>,
    pub target_reflectivity: Option<Spanned<f64>>,
    pub overlap_m: Option<Spanned<[f64; 2]>>,
    pub patchiness: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RainFile {
    pub rate_mm_per_h: Spanned<f64>,
    pub drops: Option<bool>,
    pub drop_reflectance: Option<Spanned<f64>>,
    pub range_noise: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnowFile {
    pub rate_mm_per_h: Spanned<f64>,
    #[serde(default)]
    pub occlusion: Occlusion,
    pub flake_reflectance: Option<Spanned<f64>>,
    pub pulse_ns: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DustFile {
    pub visibility_m: Option<Spanned<f64>>,
    pub extinction_per_m: Option<Spanned<f64>>,
    pub reflectance: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlumeFile {
    pub name: Spanned<String>,
    pub shape: Spanned<PlumeShape>,
    pub visibility_m: Option<Spanned<f64>>,
    pub extinction_per_m: Option<Spanned<f64>>,
    pub reflectance: Option<Spanned<f64>>,
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    pub size_m: Option<Spanned<[f64; 3]>>,
    pub radius_m: Option<Spanned<f64>>,
    pub growth_m_per_s: Option<Spanned<f64>>,
    pub drift_m_per_s: Option<Spanned<[f64; 3]>>,
    pub decay_s: Option<Spanned<f64>>,
    pub profile: Option<Spanned<Profile>>,
    pub births: Option<Spanned<Vec<BirthFile>>>,
    pub path: Option<Spanned<Vec<BirthFile>>>,
    pub interval_s: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlumeShape {
    Box,
    Ellipsoid,
    Puffs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BirthFile {
    pub time_s: Spanned<f64>,
    pub position_m: Spanned<[f64; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensorEntry {
    pub name: Spanned<String>,
    pub preset: Option<Spanned<String>>,
    pub file: Option<Spanned<PathBuf>>,
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    pub delay_s: Option<Spanned<toml::Value>>,
    /// Laid over the preset by the reader of sensors, which also checks its keys.
    #[expect(dead_code, reason = "it is read from the text again; here it is a known key")]
    #[serde(rename = "override")]
    pub overrides: Option<toml::Table>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlatformFile {
    pub position_m: Option<Spanned<[f64; 3]>>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
    pub waypoints: Option<Spanned<Vec<WaypointFile>>>,
    pub file: Option<Spanned<PathBuf>>,
    pub times: Option<Spanned<PathBuf>>,
    pub topic: Option<Spanned<String>>,
    pub child_frame: Option<Spanned<String>>,
    pub start_at_s: Option<Spanned<f64>>,
    pub beyond_end: Option<Spanned<BeyondEnd>>,
    pub interpolation: Option<Spanned<Interpolation>>,
    pub heading: Option<Spanned<Heading>>,
    #[serde(default)]
    pub pose: PosePer,
    pub register: Option<Spanned<Register>>,
    pub navigation: Option<Spanned<NavigationFile>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WaypointFile {
    pub time_s: Option<Spanned<f64>>,
    pub speed_m_s: Option<Spanned<f64>>,
    pub wait_s: Option<Spanned<f64>>,
    pub position_m: Spanned<[f64; 3]>,
    pub rotation_deg: Option<Spanned<[f64; 3]>>,
}

/// What happens when a run lasts longer than a file of poses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeyondEnd {
    Refuse,
    Hold,
}

/// How a platform is turned where nothing is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heading {
    None,
    AlongPath,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NavigationFile {
    pub preset: Option<Spanned<String>>,
    pub gps: Option<GpsFile>,
    pub compass: Option<CompassFile>,
    pub imu: Option<ImuFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GpsFile {
    pub rate_hz: Option<Spanned<f64>>,
    pub sigma_m: Option<Spanned<[f64; 2]>>,
    pub bias_m: Option<Spanned<[f64; 3]>>,
    pub drift_m: Option<Spanned<[f64; 2]>>,
    pub drift_time_s: Option<Spanned<f64>>,
    pub walk_m_per_sqrt_s: Option<Spanned<[f64; 2]>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompassFile {
    pub rate_hz: Option<Spanned<f64>>,
    pub sigma_deg: Option<Spanned<f64>>,
    pub bias_deg: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImuFile {
    pub rate_hz: Option<Spanned<f64>>,
    pub gyro_noise_deg_per_sqrt_h: Option<Spanned<f64>>,
    pub gyro_bias_deg_per_h: Option<Spanned<f64>>,
    pub accelerometer_noise_ug_per_sqrt_hz: Option<Spanned<f64>>,
    pub accelerometer_bias_mg: Option<Spanned<f64>>,
    pub bias_time_s: Option<Spanned<f64>>,
    pub tilt_sigma_deg: Option<Spanned<f64>>,
    pub tilt_time_s: Option<Spanned<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    #[serde(default)]
    pub files: Vec<Spanned<PathBuf>>,
    pub picture: Option<bool>,
    pub waveforms: Option<Spanned<bool>>,
    #[serde(default)]
    pub poses: Vec<Spanned<PathBuf>>,
    pub poses_hz: Option<Spanned<f64>>,
    #[serde(default)]
    pub motion: Vec<Spanned<PathBuf>>,
    #[serde(default)]
    pub motion_objects: Vec<String>,
    pub motion_rate_hz: Option<Spanned<f64>>,
    pub motion_sensor: Option<Spanned<String>>,
}
