//! `body` and `vehicle` of objects, `[world.physics]` and `[world.motion]`: what moves by itself.
//!
//! What enters: the tables as typed. What leaves: a [`BodySpec`] for each object that obeys
//! physics and a [`PhysicsSpec`] for the world, with every number within its limits.

use super::number::{self, within};
use crate::Error;
use crate::files::toml_file::Layers;
use crate::world::car;
use crate::world::physics::{BodyKind, BodyMass, Command, Contact, PhysicsSettings, VehicleSpec};
use glam::DVec3;
use serde::Deserialize;
use std::path::PathBuf;
use toml::Spanned;

/// Density where nothing is said: that of water.
const DENSITY_KG_M3: f64 = 1000.0;
/// Largest coefficient of friction; rubber on dry rock stays below.
const FRICTION_MAX: f64 = 10.0;
/// Fastest that bodies may start.
const SPEED_MAX_M_S: f64 = 1000.0;
const STEER_MAX_DEG: f64 = 45.0;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BodyFile {
    #[serde(default)]
    pub kind: BodyKind,
    pub collider: Option<ColliderName>,
    pub mass_kg: Option<Spanned<f64>>,
    pub density_kg_m3: Option<Spanned<f64>>,
    pub friction: Option<Spanned<f64>>,
    pub restitution: Option<Spanned<f64>>,
    pub velocity_m_s: Option<Spanned<[f64; 3]>>,
    pub angular_velocity_deg_s: Option<Spanned<[f64; 3]>>,
}

/// What a body is for those that touch it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColliderName {
    Hull,
    Box,
    Sphere,
    Cylinder,
    Mesh,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VehicleFile {
    pub speed_m_s: Option<Spanned<f64>>,
    #[serde(default)]
    pub drive: Vec<DriveFile>,
    pub mass_kg: Option<Spanned<f64>>,
    pub friction: Option<Spanned<f64>>,
    pub restitution: Option<Spanned<f64>>,
    pub tyre_friction: Option<Spanned<f64>>,
    pub acceleration_max_m_s2: Option<Spanned<f64>>,
    pub braking_max_m_s2: Option<Spanned<f64>>,
    pub on_ground: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DriveFile {
    pub time_s: Spanned<f64>,
    pub speed_m_s: Option<Spanned<f64>>,
    pub steer_deg: Option<Spanned<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PhysicsFile {
    pub gravity_m_s2: Option<Spanned<f64>>,
    pub step_s: Option<Spanned<f64>>,
    pub friction: Option<Spanned<f64>>,
    pub restitution: Option<Spanned<f64>>,
    #[serde(default)]
    pub obstacles: Vec<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplayFile {
    pub file: Spanned<PathBuf>,
}

/// How an object obeys physics.
#[derive(Clone, Debug)]
pub struct BodySpec {
    pub kind: BodyKind,
    pub collider: Option<ColliderName>,
    pub mass: BodyMass,
    pub friction: Option<f64>,
    pub restitution: Option<f64>,
    pub velocity_m_s: DVec3,
    pub angular_velocity_rad_s: DVec3,
    pub vehicle: Option<VehicleSpec>,
    /// Whether a vehicle is put onto the terrain.
    pub on_ground: bool,
}

impl BodySpec {
    /// How it touches others, where the world's ground is like `ground`.
    pub fn contact(&self, ground: &Contact) -> Contact {
        Contact {
            friction: self.friction.unwrap_or(ground.friction),
            restitution: self.restitution.unwrap_or(ground.restitution),
        }
    }

    /// Checks the two tables, of which an object has at most one.
    pub fn check(
        layers: &Layers<'_>,
        body: Option<&Spanned<BodyFile>>,
        vehicle: Option<&Spanned<VehicleFile>>,
        is_car: bool,
    ) -> Result<Option<BodySpec>, Error> {
        match (body, vehicle) {
            (None, None) => Ok(None),
            (Some(body), None) => check_body(layers, body.get_ref()).map(Some),
            (None, Some(vehicle)) if is_car => check_vehicle(layers, vehicle.get_ref()).map(Some),
            (None, Some(vehicle)) => Err(layers.invalid(
                &vehicle.span(),
                "only a car is a `vehicle`",
                "write shape = \"car\", or give the object a `body`",
            )),
            (Some(body), Some(_)) => Err(layers.invalid(
                &body.span(),
                "the object has a `body` and is a `vehicle`",
                "keep one of them",
            )),
        }
    }
}

fn check_body(layers: &Layers<'_>, file: &BodyFile) -> Result<BodySpec, Error> {
    let mass = match (&file.mass_kg, &file.density_kg_m3) {
        (Some(mass), None) => {
            BodyMass::MassKg(within(layers, "mass_kg", Some(mass), (1e-6, 1e9), 1.0)?)
        }
        (Some(mass), Some(_)) => {
            let problem = "the body has a `mass_kg` and a `density_kg_m3`";
            return Err(layers.invalid(&mass.span(), problem, "keep one of them"));
        }
        (None, density) => BodyMass::DensityKgM3(within(
            layers,
            "density_kg_m3",
            density.as_ref(),
            (1e-3, 1e5),
            DENSITY_KG_M3,
        )?),
    };
    let velocity = file.velocity_m_s.as_ref();
    let turning = file.angular_velocity_deg_s.as_ref();
    Ok(BodySpec {
        kind: file.kind,
        collider: file.collider,
        mass,
        friction: coefficient(layers, "friction", file.friction.as_ref(), FRICTION_MAX)?,
        restitution: coefficient(layers, "restitution", file.restitution.as_ref(), 1.0)?,
        velocity_m_s: vector(layers, "velocity_m_s", velocity, SPEED_MAX_M_S)?,
        angular_velocity_rad_s: vector(layers, "angular_velocity_deg_s", turning, 1e5)?
            .map(f64::to_radians),
        vehicle: None,
        on_ground: false,
    })
}

fn check_vehicle(layers: &Layers<'_>, file: &VehicleFile) -> Result<BodySpec, Error> {
    let speed = |value: Option<&Spanned<f64>>, usual| {
        within(layers, "speed_m_s", value, (-100.0, 100.0), usual)
    };
    let start = speed(file.speed_m_s.as_ref(), 0.0)?;
    let mut commands: Vec<Command> = Vec::new();
    for row in &file.drive {
        let time_s = *row.time_s.get_ref();
        if !time_s.is_finite() || commands.last().is_some_and(|last| last.time_s >= time_s) {
            return Err(layers.invalid(
                &row.time_s.span(),
                format!("`time_s` is {time_s}, which is not after the row before it"),
                "sort the rows of `drive` by time",
            ));
        }
        let before = commands.last().map_or(start, |last| last.speed_m_s);
        let steer = row.steer_deg.as_ref();
        let steer_deg = within(layers, "steer_deg", steer, (-STEER_MAX_DEG, STEER_MAX_DEG), 0.0)?;
        commands.push(Command {
            time_s,
            speed_m_s: speed(row.speed_m_s.as_ref(), before)?,
            steer_rad: steer_deg.to_radians(),
        });
    }
    if commands.is_empty() {
        commands.push(Command { time_s: 0.0, speed_m_s: start, steer_rad: 0.0 });
    }
    let usual = car::vehicle(commands);
    let limits = |key: &str, value: &Option<Spanned<f64>>, limits, usual| {
        within(layers, key, value.as_ref(), limits, usual)
    };
    let vehicle = VehicleSpec {
        mass_kg: limits("mass_kg", &file.mass_kg, (100.0, 1e5), usual.mass_kg)?,
        tyre_friction: limits(
            "tyre_friction",
            &file.tyre_friction,
            (0.0, FRICTION_MAX),
            usual.tyre_friction,
        )?,
        acceleration_max_m_s2: limits(
            "acceleration_max_m_s2",
            &file.acceleration_max_m_s2,
            (0.0, 100.0),
            usual.acceleration_max_m_s2,
        )?,
        braking_max_m_s2: limits(
            "braking_max_m_s2",
            &file.braking_max_m_s2,
            (0.0, 100.0),
            usual.braking_max_m_s2,
        )?,
        ..usual
    };
    Ok(BodySpec {
        kind: BodyKind::Dynamic,
        collider: None,
        mass: BodyMass::MassKg(vehicle.mass_kg),
        friction: coefficient(layers, "friction", file.friction.as_ref(), FRICTION_MAX)?,
        restitution: coefficient(layers, "restitution", file.restitution.as_ref(), 1.0)?,
        velocity_m_s: DVec3::X * start,
        angular_velocity_rad_s: DVec3::ZERO,
        vehicle: Some(vehicle),
        on_ground: file.on_ground.unwrap_or(true),
    })
}

/// Physics of a world, checked.
#[derive(Clone, Debug, Default)]
pub struct PhysicsSpec {
    pub settings: PhysicsSettings,
    /// Names of things that stand still and are collided with.
    pub obstacles: Vec<String>,
    /// A recorded motion instead of physics.
    pub replay: Option<PathBuf>,
    /// How long it lasts.
    pub duration_s: f64,
}

impl PhysicsSpec {
    pub fn check(
        layers: &Layers<'_>,
        physics: Option<&PhysicsFile>,
        motion: Option<&ReplayFile>,
        duration_s: f64,
    ) -> Result<PhysicsSpec, Error> {
        let file = physics.unwrap_or(const { &EMPTY });
        let usual = PhysicsSettings::default();
        let friction = coefficient(layers, "friction", file.friction.as_ref(), FRICTION_MAX)?;
        let restitution = coefficient(layers, "restitution", file.restitution.as_ref(), 1.0)?;
        let settings = PhysicsSettings {
            gravity_m_s2: within(
                layers,
                "gravity_m_s2",
                file.gravity_m_s2.as_ref(),
                (0.0, 100.0),
                usual.gravity_m_s2,
            )?,
            step_s: within(layers, "step_s", file.step_s.as_ref(), (1e-5, 0.02), usual.step_s)?,
            ground: Contact {
                friction: friction.unwrap_or(usual.ground.friction),
                restitution: restitution.unwrap_or(usual.ground.restitution),
            },
        };
        let replay = motion.map(|motion| layers.file(&motion.file.span(), motion.file.get_ref()));
        let replay = replay.transpose()?;
        let obstacles = file.obstacles.iter().map(|name| name.get_ref().clone()).collect();
        Ok(PhysicsSpec { settings, obstacles, replay, duration_s })
    }
}

const EMPTY: PhysicsFile = PhysicsFile {
    gravity_m_s2: None,
    step_s: None,
    friction: None,
    restitution: None,
    obstacles: Vec::new(),
};

/// From 0 to `high`, or nothing.
fn coefficient(
    layers: &Layers<'_>,
    key: &str,
    value: Option<&Spanned<f64>>,
    high: f64,
) -> Result<Option<f64>, Error> {
    value.map(|value| within(layers, key, Some(value), (0.0, high), 0.0)).transpose()
}

/// A vector no longer than `longest`.
fn vector(
    layers: &Layers<'_>,
    key: &str,
    value: Option<&Spanned<[f64; 3]>>,
    longest: f64,
) -> Result<DVec3, Error> {
    let vector = DVec3::from(number::vector(layers, key, value)?);
    match value {
        Some(value) if vector.length() > longest => Err(layers.invalid(
            &value.span(),
            format!("`{key}` is {:?}", value.get_ref()),
            format!("give a vector no longer than {longest}"),
        )),
        _ => Ok(vector),
    }
}
