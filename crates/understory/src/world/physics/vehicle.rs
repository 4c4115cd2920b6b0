//! Vehicles: a body on wheels that are sprung, driven and steered.
//!
//! What enters: a [`VehicleSpec`] with speeds and steering angles over time. What leaves: forces on
//! the body at every step, and the pose of every wheel on it. A wheel touches the ground where a
//! ray down its spring meets it (the engine's ray-cast vehicle): it has no width there, no mass of
//! its own, and rolls without slip along its own direction. Sideways and lengthways its grip ends
//! at `tyre_friction` times the load on it.

use glam::{DQuat, DVec3};
use rapier3d_f64::control::{DynamicRayCastVehicleController, Wheel, WheelTuning};
use rapier3d_f64::prelude::{PhysicsWorld, QueryFilter, Ray, RigidBodyHandle};
use understory_base::math;

use super::convert::{from_vector, to_vector};
use crate::world::trajectory::Pose;

/// How hard the speed is driven towards what is wanted: m/s² for each m/s that it is off.
const SPEED_GAIN_PER_S: f64 = 8.0;

/// Below this speed a vehicle that is to stand is held by its brakes.
const STANDING_M_S: f64 = 0.3;

/// A wheel on its spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WheelSpec {
    /// Where the spring is fixed to the body.
    pub mount_m: DVec3,
    /// Radius.
    pub radius_m: f64,
    /// Whether it is steered.
    pub steered: bool,
}

/// What a driver wants at a time; linear in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Command {
    /// When.
    pub time_s: f64,
    /// How fast, backwards below 0.
    pub speed_m_s: f64,
    /// Angle of the front wheels, to the left above 0.
    pub steer_rad: f64,
}

/// A vehicle.
#[derive(Clone, Debug, PartialEq)]
pub struct VehicleSpec {
    /// All wheels.
    pub wheels: Vec<WheelSpec>,
    /// Distance of the axles.
    pub wheelbase_m: f64,
    /// Altogether.
    pub mass_kg: f64,
    /// In the frame of the body.
    pub centre_of_mass_m: DVec3,
    /// The mass turns like a box of this size.
    pub inertia_box_m: [f64; 3],
    /// Length of a spring without load.
    pub spring_rest_m: f64,
    /// How far a spring gives.
    pub spring_travel_m: f64,
    /// Stiffness of a spring over the mass.
    pub stiffness_per_s2: f64,
    /// Damping of a spring over the mass, going in and going out.
    pub damping_per_s: [f64; 2],
    /// Coefficient of friction of the tyres.
    pub tyre_friction: f64,
    /// Strongest that it speeds up.
    pub acceleration_max_m_s2: f64,
    /// Strongest that it brakes.
    pub braking_max_m_s2: f64,
    /// What the driver wants, by rising time; at least one.
    pub commands: Vec<Command>,
}

impl VehicleSpec {
    /// What the driver wants at a time.
    pub fn command_at(&self, time_s: f64) -> Command {
        let next = self.commands.partition_point(|command| command.time_s <= time_s);
        let still = Command { time_s, speed_m_s: 0.0, steer_rad: 0.0 };
        let before = next.checked_sub(1).and_then(|index| self.commands.get(index));
        match (before, self.commands.get(next)) {
            (Some(a), Some(b)) => {
                let share = (time_s - a.time_s) / (b.time_s - a.time_s);
                let mix = |a: f64, b: f64| a + share * (b - a);
                Command {
                    time_s,
                    speed_m_s: mix(a.speed_m_s, b.speed_m_s),
                    steer_rad: mix(a.steer_rad, b.steer_rad),
                }
            }
            (Some(only), None) | (None, Some(only)) => Command { time_s, ..*only },
            (None, None) => still,
        }
    }

    /// Angle of one steered wheel so that all axles point at one centre of the turn (Ackermann).
    fn wheel_angle(&self, wheel: &WheelSpec, steer_rad: f64) -> f64 {
        if !wheel.steered || steer_rad == 0.0 {
            return 0.0;
        }
        let radius_m = self.wheelbase_m / math::tan(steer_rad);
        math::atan(self.wheelbase_m / (radius_m - wheel.mount_m.y))
    }

    /// How far a spring is pressed in when the vehicle stands.
    pub fn sag_m(&self, gravity_m_s2: f64) -> f64 {
        gravity_m_s2 / (self.stiffness_per_s2 * self.wheels.len().max(1) as f64)
    }
}

/// A vehicle that drives.
pub struct Vehicle {
    spec: VehicleSpec,
    controller: DynamicRayCastVehicleController,
}

impl Vehicle {
    /// On the body of this handle.
    pub fn new(spec: &VehicleSpec, chassis: RigidBodyHandle) -> Vehicle {
        let mut controller = DynamicRayCastVehicleController::new(chassis);
        controller.index_up_axis = 2;
        controller.index_forward_axis = 0;
        let tuning = WheelTuning {
            suspension_stiffness: spec.stiffness_per_s2,
            suspension_compression: spec.damping_per_s[0],
            suspension_damping: spec.damping_per_s[1],
            max_suspension_travel: spec.spring_travel_m,
            side_friction_stiffness: 1.0,
            friction_slip: spec.tyre_friction,
            max_suspension_force: f64::MAX,
        };
        for wheel in &spec.wheels {
            // With its axle to the right a wheel that goes forwards turns by positive angles.
            let (down, axle) = (to_vector(-DVec3::Z), to_vector(-DVec3::Y));
            let rest_m = spec.spring_rest_m;
            controller.add_wheel(
                to_vector(wheel.mount_m),
                down,
                axle,
                rest_m,
                wheel.radius_m,
                &tuning,
            );
        }
        Vehicle { spec: spec.clone(), controller }
    }

    /// Puts the forces of springs, motor and steering on the body for one step.
    pub fn drive(&mut self, world: &mut PhysicsWorld, time_s: f64, step_s: f64) {
        let Some(chassis) = world.bodies.get(self.controller.chassis) else { return };
        let forward = from_vector(chassis.position().rotation * to_vector(DVec3::X));
        let speed_m_s = from_vector(chassis.linvel()).dot(forward);
        let command = self.spec.command_at(time_s);
        let soon = self.spec.command_at(time_s + step_s);
        let wanted = (soon.speed_m_s - command.speed_m_s) / step_s
            + SPEED_GAIN_PER_S * (command.speed_m_s - speed_m_s);
        let braking = wanted * speed_m_s < 0.0;
        let limit = match braking {
            true => self.spec.braking_max_m_s2,
            false => self.spec.acceleration_max_m_s2,
        };
        let stands = command.speed_m_s == 0.0 && speed_m_s.abs() < STANDING_M_S;
        let share = self.spec.mass_kg / self.spec.wheels.len().max(1) as f64;
        for (wheel, spec) in self.controller.wheels_mut().iter_mut().zip(&self.spec.wheels) {
            wheel.steering = self.spec.wheel_angle(spec, command.steer_rad);
            wheel.engine_force = if stands { 0.0 } else { share * wanted.clamp(-limit, limit) };
            wheel.brake = if stands { share * self.spec.braking_max_m_s2 * step_s } else { 0.0 };
        }
        let filter = QueryFilter::default().exclude_rigid_body(self.controller.chassis);
        let queries = world.broad_phase.as_query_pipeline_mut(
            world.narrow_phase.query_dispatcher(),
            &mut world.bodies,
            &mut world.colliders,
            filter,
        );
        self.controller.update_vehicle(step_s, queries);
    }

    /// `body_from_wheel` of each wheel: down its spring, steered, turned.
    pub fn wheels(&self, world: &PhysicsWorld, time_s: f64) -> Vec<Pose> {
        let Some(chassis) = world.bodies.get(self.controller.chassis) else { return Vec::new() };
        let steer_rad = self.spec.command_at(time_s).steer_rad;
        let filter = QueryFilter::default().exclude_rigid_body(self.controller.chassis);
        let queries = world.query_pipeline_with_filter(filter);
        let down = chassis.position().rotation * to_vector(-DVec3::Z);
        let VehicleSpec { spring_rest_m, spring_travel_m, .. } = self.spec;
        let pose = |(spec, wheel): (&WheelSpec, &Wheel)| {
            let ray = Ray::new(*chassis.position() * to_vector(spec.mount_m), down);
            let hit = queries.cast_ray(&ray, spring_rest_m + spec.radius_m, true);
            let length_m = hit.map_or(spring_rest_m, |(_, distance_m)| {
                (distance_m - spec.radius_m).clamp(spring_rest_m - spring_travel_m, spring_rest_m)
            });
            Pose {
                translation: spec.mount_m - DVec3::Z * length_m,
                rotation: DQuat::from_rotation_z(self.spec.wheel_angle(spec, steer_rad))
                    * DQuat::from_rotation_y(wheel.rotation),
            }
        };
        self.spec.wheels.iter().zip(self.controller.wheels()).map(pose).collect()
    }
}
