//! `[[world.object]]`: shapes and meshes, where their copies stand and how they move.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{
    Array, Extent, Finite, NonEmpty, Number, Numbers, Spanned, UpToBillion, Vector, Whole, limits,
};

use super::body::{BodyFile, VehicleFile};
use crate::world::motion::Repeat;
use crate::world::scene::foliage::Volume;
use crate::world::scene::mesh_file::{LengthUnit, UpAxis};
use crate::world::trajectory::Interpolation;

limits! {
    /// Of what stands on the ground.
    FootprintM: 0.0..=100.0;
    /// Of animations.
    PlaySpeed: 0.001..=1000.0;
    /// Seconds before or after the start of a run.
    AboutStart: -1e6..=1e6;
    /// Of meshes that are skinned.
    PoseErrorM: 1e-5..=1.0;
    /// Between copies.
    GridM: -1e6..=1e6;
    /// By which copies are moved.
    JitterM: 0.0..=1e6;
    /// By which copies are scaled.
    ScaleJitter: 0.0..=0.9;
}

/// A shape or a mesh, placed once or many times.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectFile {
    /// Its name, its own.
    pub name: Spanned<String>,
    /// What it is.
    pub shape: Spanned<ShapeName>,
    /// Lengths along x and y (plane), or x, y and z (box).
    pub size_m: Option<Numbers<UpToBillion>>,
    /// Radius of a sphere, cylinder or disc.
    pub radius_m: Option<Extent>,
    /// Length of a cylinder along z, or height of a person (0.3 to 3; 1.75 where nothing is said).
    pub height_m: Option<Extent>,
    /// How far the triangles of a sphere, cylinder or disc may lie from the true surface; 0.0001
    /// for a sphere and 0.00005 for the others where nothing is said.
    pub tolerance_m: Option<Extent>,
    /// An `.obj`, `.ply`, `.stl`, `.gltf` or `.glb` file; needed by a mesh.
    pub file: Option<Spanned<PathBuf>>,
    /// Unit of the mesh; metres where nothing is said.
    pub unit: Option<Spanned<LengthUnit>>,
    /// Which axis of the mesh points up; y for glTF and else z where nothing is said.
    pub up: Option<Spanned<UpAxis>>,
    /// Which material each material of the mesh file is; by name where nothing is said.
    pub materials: Option<Spanned<BTreeMap<String, Spanned<String>>>>,
    /// For glTF: semantic classes of nodes by their names, in which `*` stands for anything and `?`
    /// for one character; a node without one has that of its own `extras.label` or of the node
    /// above it, else `label`. Of several patterns the longest counts.
    #[schemars(with = "Option<BTreeMap<String, LabelChoice>>")]
    pub labels: Option<Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
    /// For glTF: whether each node that has a mesh is an object of its own, called
    /// `NAME/NODE`; `true` where nothing is said, `false` with `one_object` or `body`. A file with
    /// one such node is one object called `NAME`.
    pub split_nodes: Option<Spanned<bool>>,
    /// For glTF: the name of the animation that is played, or `true` for the first.
    #[schemars(with = "Option<AnimationChoice>")]
    pub animation: Option<Spanned<toml::Value>>,
    /// What happens after its end; `"loop"` where nothing is said.
    pub animation_repeat: Option<Spanned<Repeat>>,
    /// How fast it is played; 1 where nothing is said.
    pub animation_speed: Option<Number<PlaySpeed>>,
    /// When it begins; 0 where nothing is said.
    pub animation_start_s: Option<Number<AboutStart>>,
    /// How far a skinned mesh may be from its true shape between two frames.
    pub pose_error_m: Option<Number<PoseErrorM>>,
    /// Instead of `file`: the mesh changes its shape from frame to frame.
    pub frames: Option<Spanned<FramesFile>>,
    /// Material of the whole object; `"grey"`, or `"cloth"` for a person, where nothing is said.
    pub material: Option<Spanned<String>>,
    /// Semantic class: a SemanticKITTI name or a number from 0 to 65535.
    #[schemars(with = "Option<LabelChoice>")]
    pub label: Option<Spanned<toml::Value>>,
    /// Whether beams may slip through between triangles; `"closed"` where nothing is said.
    pub edges: Option<EdgesName>,
    /// Makes many leaves of the shape.
    pub foliage: Option<Spanned<FoliageFile>>,
    /// Where it stands; the origin where nothing is said.
    pub position_m: Option<Vector<3>>,
    /// Roll, pitch and yaw: turned about z by the yaw, then about its own y by the pitch, then
    /// about its own x by the roll.
    pub rotation_deg: Option<Vector<3>>,
    /// One factor or three, none of them 0; 1 where nothing is said.
    #[schemars(with = "Option<ScaleChoice>")]
    pub scale: Option<Spanned<toml::Value>>,
    /// Copies, each with `position_m`, `rotation_deg` and `scale`.
    pub instances: Option<NonEmpty<PlacementFile>>,
    /// The same from a CSV file with columns `x_m,y_m,z_m` and, as wanted,
    /// `roll_deg,pitch_deg,yaw_deg,scale,scale_x,scale_y,scale_z`.
    pub instances_file: Option<Spanned<PathBuf>>,
    /// The same in rows and columns.
    pub grid: Option<Spanned<GridFile>>,
    /// What the copies are called, in their order; `NAME#1`, `NAME#2` and so on where nothing is
    /// said.
    pub copy_names: Option<NonEmpty<String>>,
    /// Whether heights are above the ground of `[world.terrain]`, where it stands and on its way.
    #[serde(default)]
    pub on_ground: bool,
    /// Length and width of what touches the ground: it is tilted as the ground is; upright where
    /// nothing is said.
    pub footprint_m: Option<Vector<2, FootprintM>>,
    /// The object obeys physics.
    pub body: Option<Spanned<BodyFile>>,
    /// The car drives on its wheels under physics.
    pub vehicle: Option<Spanned<VehicleFile>>,
    /// Whether all copies are one object in the ground truth.
    #[serde(default)]
    pub one_object: bool,
    /// The object moves along keyframes.
    pub motion: Option<Spanned<MotionFile>>,
}

/// A mesh that changes its shape: a time is shown by the nearest frame.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesFile {
    /// A mesh file for each frame, with equal triangles.
    pub files: NonEmpty<Spanned<PathBuf>>,
    /// Time from one frame to the next.
    pub step_s: Extent,
    /// Time of the first; 0 where nothing is said.
    pub start_s: Option<Number<AboutStart>>,
    /// What happens after the last one; `"hold"` where nothing is said.
    #[serde(default)]
    pub repeat: Repeat,
}

/// A movement along keyframes, in the frame in which the object is placed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionFile {
    /// Poses, sorted by time.
    pub keyframes: NonEmpty<KeyframeFile>,
    /// How it moves between them.
    #[serde(default)]
    pub interpolation: Interpolation,
    /// What happens after the last one and before the first.
    #[serde(default)]
    pub repeat: Repeat,
    /// Each copy starts this much later than the one before it; 0 where nothing is said.
    pub stagger_s: Option<Number<AboutStart>>,
}

/// A pose at a time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyframeFile {
    /// When.
    pub time_s: Finite,
    /// Where; 0 where nothing is said.
    pub position_m: Option<Vector<3>>,
    /// Roll, pitch and yaw; 0 where nothing is said.
    pub rotation_deg: Option<Vector<3>>,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ShapeName {
    /// A rectangle in xy about the origin, seen from both sides.
    Plane,
    /// A box that stands on the origin.
    Box,
    /// A ball about the origin.
    Sphere,
    /// A cylinder that stands on the origin.
    Cylinder,
    /// A disc in xy about the origin, seen from both sides.
    Disc,
    /// A car with wheels.
    Car,
    /// Triangles from a file.
    Mesh,
    /// A person, who walks when moved.
    Person,
}

/// Whether beams may slip through between triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EdgesName {
    /// No beam slips through between two triangles.
    Closed,
    /// Triangles as they are, for foliage.
    Exact,
}

/// Copies of a shape in a volume about the origin, uniformly and turned at random, as one mesh.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoliageFile {
    /// How many leaves.
    pub count: Whole<1, { u32::MAX }>,
    /// Lengths of the volume along x, y and z.
    pub size_m: Vector<3, UpToBillion>,
    /// Outline of the volume.
    #[serde(default)]
    pub volume: Volume,
    /// Another seed gives another arrangement.
    #[serde(default)]
    pub seed: u64,
}

/// Where a copy stands.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlacementFile {
    /// Where; 0 where nothing is said.
    pub position_m: Option<Vector<3>>,
    /// Roll, pitch and yaw; 0 where nothing is said.
    pub rotation_deg: Option<Vector<3>>,
    /// One factor or three, none of them 0; 1 where nothing is said.
    #[schemars(with = "Option<ScaleChoice>")]
    pub scale: Option<Spanned<toml::Value>>,
}

/// Copies in rows and columns around the object's position.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridFile {
    /// Columns along x and rows along y.
    pub count: Array<u32, 2>,
    /// Distances along x and y.
    pub spacing_m: Vector<2, GridM>,
    /// Each copy is moved at random by up to this along x and along y; 0 where nothing is said.
    pub jitter_m: Option<Number<JitterM>>,
    /// Whether each copy is turned at random about z.
    #[serde(default)]
    pub random_yaw: bool,
    /// Each copy is scaled at random by 1 ± this; 0 where nothing is said.
    pub scale_jitter: Option<Number<ScaleJitter>>,
    /// Another seed gives another arrangement.
    #[serde(default)]
    pub seed: u64,
}

/// A name of SemanticKITTI or a number.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
pub enum LabelChoice {
    /// A name of SemanticKITTI.
    Name(String),
    /// Its number.
    Number(u16),
}

/// One factor, or one for each axis.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
enum ScaleChoice {
    /// For all axes.
    One(f64),
    /// For x, y and z.
    Three([f64; 3]),
}

/// The first animation, or one by its name.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes a value in the schema")]
enum AnimationChoice {
    /// The first, or none.
    First(bool),
    /// By its name.
    Name(String),
}
