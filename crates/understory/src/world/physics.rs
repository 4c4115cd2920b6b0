//! Physics: bodies and what they stand on → the motion of each body, recorded once.
//!
//! What enters: [`Body`]s with masses, shapes and starting velocities, [`Obstacle`]s that never
//! move, and [`PhysicsSettings`]. What leaves: a [`Recording`] with one [`RecordedMotion`] a body.
//! Sensors replay it any number of times (Gschwandtner et al. 2011, §4.1).
//!
//! The engine is `rapier3d` in f64 on one thread with its `enhanced-determinism`: the same input
//! gives the same bits. It works in a frame near the bodies, so a world at map coordinates loses
//! nothing. Every step is recorded. Between two steps the motion is taken as linear and spherical:
//! a free fall bows by g·h²/8, which is 0.02 mm at the default step, and what happens inside a
//! step of a collision not even the engine knows.
//!
//! The engine advances a step in [`SUBSTEPS`] of semi-implicit Euler, whose free fall is off by
//! g·t·h/2 for substeps of length h, 5 mm after a second. A start with the velocity of half a
//! substep earlier makes it the leapfrog method, which is exact in a constant field.

mod body;
mod convert;
mod overlap;
mod vehicle;

use glam::DVec3;
use rapier3d_f64::prelude::{FrictionModel, IntegrationParameters, PhysicsWorld, RigidBodyHandle};

use crate::Error;
use crate::world::trajectory::Pose;
pub use body::{Body, BodyKind, BodyMass, BodyShape, Contact, Obstacle};
use convert::{to_pose, to_vector};
use vehicle::Vehicle;
pub use vehicle::{Command, VehicleSpec, WheelSpec};

/// Parts of a step in which the engine moves bodies.
const SUBSTEPS: usize = 4;

/// Bodies further away from where they started than this have exploded.
pub const DISTANCE_MAX_M: f64 = 1e6;

/// Bodies faster than this have exploded.
pub const SPEED_MAX_M_S: f64 = 1e4;

/// Most poses that one recording may hold, some 1.3 GB.
const POSES_MAX: f64 = 2e7;

/// How the world moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhysicsSettings {
    /// Downwards.
    pub gravity_m_s2: f64,
    /// Time from one pose to the next.
    pub step_s: f64,
    /// How the ground and other obstacles answer to what touches them.
    pub ground: Contact,
}

impl Default for PhysicsSettings {
    fn default() -> PhysicsSettings {
        PhysicsSettings { gravity_m_s2: 9.81, step_s: 1.0 / 240.0, ground: Contact::default() }
    }
}

/// How one body moved.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedMotion {
    /// Name of the body.
    pub name: String,
    /// `world_from_body` at each time.
    pub body: Vec<(f64, Pose)>,
    /// `body_from_part` at each time, for each part that moves on it, such as a wheel.
    pub parts: Vec<Vec<(f64, Pose)>>,
}

/// What physics computed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// One for each body that may move, in the order of the bodies.
    pub motions: Vec<RecordedMotion>,
    /// What is doubtful about the start, one sentence each.
    pub warnings: Vec<String>,
}

/// Lets the bodies move from time 0 to `duration_s`.
pub fn simulate(
    settings: &PhysicsSettings,
    bodies: &[Body],
    obstacles: &[Obstacle],
    duration_s: f64,
) -> Result<Recording, Error> {
    let steps = check_steps(settings, bodies, duration_s)?;
    let origin_m = bodies.first().map_or(DVec3::ZERO, |body| body.world_from_body.translation);
    let mut world = empty_world(settings);
    let mut names = Vec::new();
    for obstacle in obstacles {
        let handle = body::add_obstacle(&mut world, obstacle, settings, origin_m)?;
        names.push((handle, obstacle.name.as_str()));
    }
    let mut moving = Vec::new();
    for body in bodies {
        let handle = body::add_body(&mut world, body, settings, origin_m)?;
        names.push((handle, body.name.as_str()));
        if body.kind == BodyKind::Dynamic {
            let vehicle = body.vehicle.as_ref().map(|spec| Vehicle::new(spec, handle));
            moving.push(Moving { body, handle, vehicle });
        }
    }
    let warnings = overlap::warnings(&mut world, &names);
    let mut motions: Vec<RecordedMotion> =
        moving.iter().map(|moving| moving.start(steps)).collect();
    for step in 0..=steps {
        let time_s = step as f64 * settings.step_s;
        if step > 0 {
            for moving in &mut moving {
                if let Some(vehicle) = &mut moving.vehicle {
                    vehicle.drive(&mut world, time_s - settings.step_s, settings.step_s);
                }
            }
            world.step();
        }
        for (moving, motion) in moving.iter_mut().zip(&mut motions) {
            moving.check(&world, time_s)?;
            let pose = moving.pose(&world, origin_m);
            motion.body.push((time_s, pose));
            if let Some(vehicle) = &mut moving.vehicle {
                let wheels = vehicle.wheels(&world, time_s);
                motion.parts.iter_mut().zip(wheels).for_each(|(p, w)| p.push((time_s, w)));
            }
        }
    }
    Ok(Recording { motions, warnings })
}

/// Number of steps, if they can be held.
fn check_steps(
    settings: &PhysicsSettings,
    bodies: &[Body],
    duration_s: f64,
) -> Result<usize, Error> {
    let steps = (duration_s / settings.step_s).ceil();
    let tracks: usize = bodies.iter().map(Body::tracks).sum();
    if steps.is_finite() && (steps + 1.0) * tracks.max(1) as f64 <= POSES_MAX {
        return Ok(steps as usize);
    }
    Err(Error::invalid(
        "physics",
        format!(
            "{duration_s} s in steps of {} s with {tracks} bodies and parts would be more than \
             {POSES_MAX:e} poses",
            settings.step_s
        ),
        "shorten the run, or give fewer bodies or a larger `step_s`",
    ))
}

fn empty_world(settings: &PhysicsSettings) -> PhysicsWorld {
    PhysicsWorld {
        gravity: to_vector(DVec3::new(0.0, 0.0, -settings.gravity_m_s2)),
        integration_parameters: IntegrationParameters {
            dt: settings.step_s,
            min_ccd_dt: settings.step_s / 100.0,
            num_solver_iterations: SUBSTEPS,
            // An explosion is to be seen and told, not capped.
            normalized_max_linear_velocity: f64::MAX,
            // A shortcut of games: contacts that are kept while bodies move by centimetres.
            contact_recycling: false,
            // A box that slides down a slope has 1.00 of its coefficient of friction in this model
            // and 0.88 in the other one, which is called Coulomb's.
            friction_model: FrictionModel::Simplified,
            ..IntegrationParameters::default()
        },
        ..PhysicsWorld::default()
    }
}

/// A body that moves.
struct Moving<'a> {
    body: &'a Body,
    handle: RigidBodyHandle,
    vehicle: Option<Vehicle>,
}

impl Moving<'_> {
    fn start(&self, steps: usize) -> RecordedMotion {
        let track = || Vec::with_capacity(steps + 1);
        let parts = self.body.tracks() - 1;
        RecordedMotion {
            name: self.body.name.clone(),
            body: track(),
            parts: (0..parts).map(|_| track()).collect(),
        }
    }

    fn pose(&self, world: &PhysicsWorld, origin_m: DVec3) -> Pose {
        let Some(body) = world.bodies.get(self.handle) else { return self.body.world_from_body };
        let local = to_pose(body.position());
        Pose { translation: local.translation + origin_m, rotation: local.rotation.normalize() }
    }

    /// Refuses to go on with a body that is nowhere, too far away or too fast.
    fn check(&self, world: &PhysicsWorld, time_s: f64) -> Result<(), Error> {
        let exploded = |problem: String| {
            let body = self.body.name.clone();
            Err(Error::Physics { body, time_s, problem })
        };
        let Some(body) = world.bodies.get(self.handle) else {
            return exploded("is gone".into());
        };
        let pose = body.position();
        let finite = pose.is_finite() && body.linvel().is_finite() && body.angvel().is_finite();
        if !finite || world.quarantine().bodies().contains(&self.handle) {
            return exploded("has a position or velocity that is no number".into());
        }
        let (distance_m, speed_m_s) = (pose.translation.length(), body.linvel().length());
        if distance_m > DISTANCE_MAX_M {
            return exploded(format!("is {distance_m:.3e} m away"));
        }
        if speed_m_s > SPEED_MAX_M_S {
            return exploded(format!("moves with {speed_m_s:.3e} m/s"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
