//! `body` and `vehicle` of objects, `[world.physics]` and `[world.motion]`: what moves by itself.
//!
//! What enters: the tables as typed. What leaves: a [`BodySpec`] for each object that obeys
//! physics and a [`PhysicsSpec`] for the world, with every number within its limits.

use super::file::{BodyFile, ColliderName, PhysicsFile, ReplayFile, VehicleFile};
use crate::Error;
use crate::world::car;
use crate::world::physics::{BodyKind, BodyMass, Command, Contact, PhysicsSettings, VehicleSpec};
use glam::DVec3;
use std::path::PathBuf;
use understory_files::{LayeredToml, Number, Spanned, ValueOr, Vector};

/// Density where nothing is said: that of water.
const DENSITY_KG_M3: f64 = 1000.0;
/// Fastest that bodies may start.
const SPEED_MAX_M_S: f64 = 1000.0;

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
        layers: &LayeredToml<'_>,
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

fn check_body(layers: &LayeredToml<'_>, file: &BodyFile) -> Result<BodySpec, Error> {
    let mass = match (&file.mass_kg, &file.density_kg_m3) {
        (Some(mass), None) => BodyMass::MassKg(mass.get()),
        (Some(mass), Some(_)) => {
            let problem = "the body has a `mass_kg` and a `density_kg_m3`";
            return Err(layers.invalid(&mass.span(), problem, "keep one of them"));
        }
        (None, density) => BodyMass::DensityKgM3(density.value_or(DENSITY_KG_M3)),
    };
    let velocity = file.velocity_m_s.as_ref();
    let turning = file.angular_velocity_deg_s.as_ref();
    Ok(BodySpec {
        kind: file.kind,
        collider: file.collider,
        mass,
        friction: file.friction.as_ref().map(Number::get),
        restitution: file.restitution.as_ref().map(Number::get),
        velocity_m_s: vector(layers, "velocity_m_s", velocity, SPEED_MAX_M_S)?,
        angular_velocity_rad_s: vector(layers, "angular_velocity_deg_s", turning, 1e5)?
            .map(f64::to_radians),
        vehicle: None,
        on_ground: false,
    })
}

fn check_vehicle(layers: &LayeredToml<'_>, file: &VehicleFile) -> Result<BodySpec, Error> {
    let start = file.speed_m_s.value_or(0.0);
    let mut commands: Vec<Command> = Vec::new();
    for row in &file.drive {
        let time_s = row.time_s.get();
        if commands.last().is_some_and(|last| last.time_s >= time_s) {
            return Err(layers.invalid(
                &row.time_s.span(),
                format!("`time_s` is {time_s}, which is not after the row before it"),
                "sort the rows of `drive` by time",
            ));
        }
        let before = commands.last().map_or(start, |last| last.speed_m_s);
        commands.push(Command {
            time_s,
            speed_m_s: row.speed_m_s.value_or(before),
            steer_rad: row.steer_deg.value_or(0.0).to_radians(),
        });
    }
    if commands.is_empty() {
        commands.push(Command { time_s: 0.0, speed_m_s: start, steer_rad: 0.0 });
    }
    let usual = car::vehicle(commands);
    let vehicle = VehicleSpec {
        mass_kg: file.mass_kg.value_or(usual.mass_kg),
        tyre_friction: file.tyre_friction.value_or(usual.tyre_friction),
        acceleration_max_m_s2: file.acceleration_max_m_s2.value_or(usual.acceleration_max_m_s2),
        braking_max_m_s2: file.braking_max_m_s2.value_or(usual.braking_max_m_s2),
        ..usual
    };
    Ok(BodySpec {
        kind: BodyKind::Dynamic,
        collider: None,
        mass: BodyMass::MassKg(vehicle.mass_kg),
        friction: file.friction.as_ref().map(Number::get),
        restitution: file.restitution.as_ref().map(Number::get),
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
        layers: &LayeredToml<'_>,
        physics: Option<&PhysicsFile>,
        motion: Option<&ReplayFile>,
        duration_s: f64,
    ) -> Result<PhysicsSpec, Error> {
        let usual = PhysicsSettings::default();
        let empty = PhysicsFile::default();
        let file = physics.unwrap_or(&empty);
        let settings = PhysicsSettings {
            gravity_m_s2: file.gravity_m_s2.value_or(usual.gravity_m_s2),
            step_s: file.step_s.value_or(usual.step_s),
            ground: Contact {
                friction: file.friction.value_or(usual.ground.friction),
                restitution: file.restitution.value_or(usual.ground.restitution),
            },
        };
        let replay = motion.map(|motion| layers.file(&motion.file.span(), motion.file.get_ref()));
        let replay = replay.transpose()?;
        let obstacles = file.obstacles.iter().map(|name| name.get_ref().clone()).collect();
        Ok(PhysicsSpec { settings, obstacles, replay, duration_s })
    }
}

/// A vector no longer than `longest`.
fn vector(
    layers: &LayeredToml<'_>,
    key: &str,
    value: Option<&Vector<3>>,
    longest: f64,
) -> Result<DVec3, Error> {
    let vector = DVec3::from(value.map_or([0.0; 3], Vector::get));
    match value {
        Some(value) if vector.length() > longest => Err(layers.invalid(
            &value.span(),
            format!("`{key}` is {:?}", value.get()),
            format!("give a vector no longer than {longest}"),
        )),
        _ => Ok(vector),
    }
}
