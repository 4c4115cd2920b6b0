//! `body` and `vehicle` of objects, `[world.physics]` and `[world.motion]`: what moves by itself.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;
use understory_files::{Finite, Fraction, Number, Spanned, Vector, Within, limits};

use crate::world::physics::BodyKind;

limits! {
    /// Of bodies.
    MassKg: 1e-6..=1e9;
    /// Of bodies.
    DensityKgM3: 0.001..=100000.0;
    /// Of cars.
    CarMassKg: 100.0..=100000.0;
    /// Of physics.
    StepS: 1e-5..=0.02;
}

/// How an object obeys physics.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyFile {
    /// Whether it moves.
    #[serde(default)]
    pub kind: BodyKind,
    /// What it is for those that touch it; by its shape where nothing is said.
    pub collider: Option<ColliderName>,
    /// How heavy it is …
    pub mass_kg: Option<Number<MassKg>>,
    /// … or how dense; 1000 where nothing is said.
    pub density_kg_m3: Option<Number<DensityKgM3>>,
    /// Coulomb's coefficient; that of `[world.physics]` where nothing is said. Two that touch have
    /// the geometric mean of theirs.
    pub friction: Option<Within<0, 10>>,
    /// Speed after a collision over speed before it; that of `[world.physics]` where nothing is
    /// said. Two that touch have the larger of theirs.
    pub restitution: Option<Fraction>,
    /// Velocity of its centre of mass at the start, in the world, at most 1000.
    pub velocity_m_s: Option<Vector<3>>,
    /// Axis of turning times its rate at the start, in the world.
    pub angular_velocity_deg_s: Option<Vector<3>>,
}

/// What a body is for those that touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ColliderName {
    /// The convex hull of its triangles.
    Hull,
    /// The box about it.
    Box,
    /// The ball about it.
    Sphere,
    /// The upright cylinder about it.
    Cylinder,
    /// Its triangles; only if it is fixed.
    Mesh,
}

/// How a car drives.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VehicleFile {
    /// Speed at the start, backwards below 0; 0 where nothing is said.
    pub speed_m_s: Option<Within<-100, 100>>,
    /// What the driver wants, by rising time, linear in between; without it the speed is kept.
    #[serde(default)]
    pub drive: Vec<DriveFile>,
    /// Mass; 1300 where nothing is said.
    pub mass_kg: Option<Number<CarMassKg>>,
    /// Friction of its body in a collision; that of `[world.physics]` where nothing is said.
    pub friction: Option<Within<0, 10>>,
    /// Restitution of its body in a collision; that of `[world.physics]` where nothing is said.
    pub restitution: Option<Fraction>,
    /// Where the grip of a tyre ends, over the load on it; 0.9 where nothing is said.
    pub tyre_friction: Option<Within<0, 10>>,
    /// Strongest that it speeds up; 4 where nothing is said.
    pub acceleration_max_m_s2: Option<Within<0, 100>>,
    /// Strongest that it brakes; 8 where nothing is said.
    pub braking_max_m_s2: Option<Within<0, 100>>,
    /// Whether it is put onto the terrain, tilted as the ground below its wheels is; it is where
    /// nothing is said.
    pub on_ground: Option<bool>,
}

/// What a driver wants at a time.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DriveFile {
    /// When.
    pub time_s: Finite,
    /// Speed; as before where nothing is said.
    pub speed_m_s: Option<Within<-100, 100>>,
    /// Angle of the front wheels, left above 0; 0 where nothing is said.
    pub steer_deg: Option<Within<-45, 45>>,
}

/// How bodies move.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhysicsFile {
    /// Downwards; 9.81 where nothing is said.
    pub gravity_m_s2: Option<Within<0, 100>>,
    /// Time from one pose to the next; 1/240 where nothing is said.
    pub step_s: Option<Number<StepS>>,
    /// Of the ground, of obstacles and of bodies that say nothing; 0.6 where nothing is said.
    pub friction: Option<Within<0, 10>>,
    /// The same; 0 where nothing is said.
    pub restitution: Option<Fraction>,
    /// Names of objects and ground objects that stand still and are collided with; the terrain
    /// always is.
    #[serde(default)]
    pub obstacles: Vec<Spanned<String>>,
}

/// A recorded motion that is replayed instead of computing physics.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayFile {
    /// A CSV that `understory motion` wrote.
    pub file: Spanned<PathBuf>,
}
