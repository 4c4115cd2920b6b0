//! What a vehicle really does: commands → poses on the true ground.
//!
//! What enters: a [`Command`] and the ground. What leaves: the pose 10 ms later, which is ground
//! truth. Wheels obey the limits of speed and acceleration ([`skid_steer`], [`ackermann`]), slip on
//! soft soil ([`soil`]), do not climb what is steeper than their grip ([`slope`]) and push thin stems
//! over ([`stem`]). Wheels follow the ground at four points, as every platform on the ground does.

pub mod ackermann;
pub mod skid_steer;
pub mod slope;
pub mod soil;
pub mod stem;

use glam::{DQuat, DVec3};
use understory::scenario::drive::{Steering, VehicleSpec};
use understory::world::trajectory::{GroundContact, Pose};
use understory_base::math;

use crate::command::Command;
use skid_steer::SkidSteer;

/// Time step of the vehicle.
pub const STEP_S: f64 = 0.01;
/// It backs with this share of its top speed at most.
const REVERSE: f64 = 0.5;
/// While it pushes a stem over it does not get slower than this.
const CRAWL_M_S: f64 = 0.2;

/// The ground under a place; none where there is none.
pub type GroundHeight<'a> = &'a dyn Fn(f64, f64) -> Option<f64>;

/// A vehicle on its way.
#[derive(Clone, Debug)]
pub struct Vehicle {
    /// What it is.
    pub spec: VehicleSpec,
    /// Its middle on the map.
    pub at_m: [f64; 2],
    /// Where it heads, counter-clockwise from x.
    pub heading_rad: f64,
    /// Where it is on the ground.
    pub pose: Pose,
    /// Speed of the left and right wheels over ground that does not give way; of cars, of both.
    pub wheels_m_s: [f64; 2],
    /// Where the front wheels of a car point.
    pub steer_rad: f64,
    /// Share of the wheels' speed that is lost now.
    pub slip: f64,
    /// Stems that it pushes now: force, and how far it still has to go.
    pushing: Vec<(f64, f64)>,
    /// How often it was asked for something that is no number.
    pub senseless_commands: u64,
}

/// What one step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Speed ahead over the ground.
    pub speed_m_s: f64,
    /// Rate of turning.
    pub turn_rad_s: f64,
    /// What its wheels believe: the same without slip.
    pub counted: Command,
    /// What is the matter, if something is.
    pub trouble: Option<Trouble>,
}

/// What can be the matter with a vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trouble {
    /// Its wheels turn and it does not move.
    Bogged,
    /// It stands too steep.
    TurnedOver,
    /// It came to where there is no ground.
    NoGround,
}

impl Vehicle {
    /// A vehicle that stands at a place; none where there is no ground.
    pub fn at(
        spec: VehicleSpec,
        at_m: [f64; 2],
        heading_rad: f64,
        ground: GroundHeight<'_>,
    ) -> Option<Vehicle> {
        let pose = stand(&spec, at_m, heading_rad, ground)?;
        let (wheels_m_s, steer_rad, slip, pushing) = ([0.0; 2], 0.0, 0.0, Vec::new());
        let senseless_commands = 0;
        Some(Vehicle {
            spec,
            at_m,
            heading_rad,
            pose,
            wheels_m_s,
            steer_rad,
            slip,
            pushing,
            senseless_commands,
        })
    }

    /// Where it touches the ground.
    pub fn contact(spec: &VehicleSpec) -> GroundContact {
        GroundContact { size_m: [spec.wheelbase_m, spec.track_m] }
    }

    /// Goes on for [`STEP_S`]. Commands beyond its limits are cut to them, and what is no number is
    /// counted and means to stop.
    pub fn advance(&mut self, command: Command, ground: GroundHeight<'_>) -> Moved {
        let command = self.limited(command);
        let before = self.rates();
        match self.spec.steering {
            Steering::Ackermann { .. } => self.steer_as_a_car(command),
            Steering::SkidSteer { .. } | Steering::Differential => {
                let wanted = self.skid_steer().wheels(command);
                self.drive_wheels(wanted);
            }
        }
        self.push_stems();
        let after = self.rates();
        let (mut trouble, kept) = self.kept_speed(after[0]);
        self.slip = 1.0 - kept;
        // Rates change evenly within a step, so their means carry it as far as the true ones.
        let mean = |i: usize| 0.5 * (before[i] + after[i]);
        let [ahead, left, turn] = [kept * mean(0), kept * mean(1), kept * mean(2)];
        let at_m = arc(self.at_m, self.heading_rad, [ahead, left, turn], STEP_S);
        let heading_rad = self.heading_rad + turn * STEP_S;
        match stand(&self.spec, at_m, heading_rad, ground) {
            None => trouble = Some(Trouble::NoGround),
            Some(pose) => {
                (self.at_m, self.heading_rad, self.pose) = (at_m, heading_rad, pose);
                if slope::turns_over(self.spec.slopes.as_ref(), &pose) {
                    trouble = Some(Trouble::TurnedOver);
                }
            }
        }
        let moved_on = trouble != Some(Trouble::NoGround);
        let (speed_m_s, turn_rad_s) = if moved_on { (ahead, turn) } else { (0.0, 0.0) };
        let counted = Command::new(mean(0), mean(2));
        Moved { speed_m_s, turn_rad_s, counted, trouble }
    }

    /// Stands still at once, as one does that ran into something, at this place.
    pub fn halt(&mut self, at_m: [f64; 2], heading_rad: f64, pose: Pose) {
        (self.at_m, self.heading_rad, self.pose) = (at_m, heading_rad, pose);
        self.wheels_m_s = [0.0; 2];
    }

    /// Begins to push a stem of this diameter over, which it meets at this height.
    pub fn push_over(&mut self, diameter_m: f64, height_m: f64) {
        self.pushing.push((stem::force_n(diameter_m, height_m), height_m.max(0.1)));
    }

    /// Speed ahead, to the left and rate of turning over ground that does not give way.
    fn rates(&self) -> [f64; 3] {
        match self.spec.steering {
            Steering::Ackermann { .. } => {
                let speed = self.wheels_m_s[0];
                [speed, 0.0, ackermann::turn_rad_s(speed, self.steer_rad, self.spec.wheelbase_m)]
            }
            _ => self.skid_steer().rates(self.wheels_m_s),
        }
    }

    fn skid_steer(&self) -> SkidSteer {
        match self.spec.steering {
            Steering::SkidSteer { alpha, icr_m, icr_forward_m } => {
                SkidSteer { alpha, icr_m, icr_forward_m }
            }
            // Without slip the centres of rotation are the wheels themselves.
            _ => SkidSteer::differential(self.spec.track_m),
        }
    }

    fn limited(&mut self, command: Command) -> Command {
        if !command.is_finite() {
            self.senseless_commands += 1;
            return Command::STOP;
        }
        let (speed, turn) = (self.spec.speed_max_m_s, self.spec.turn_max_rad_s);
        Command {
            speed_m_s: command.speed_m_s.clamp(-REVERSE * speed, speed),
            turn_rad_s: command.turn_rad_s.clamp(-turn, turn),
        }
    }

    /// Brings the wheels nearer to what is wanted, both in the same proportion, so that the way keeps
    /// its bend.
    fn drive_wheels(&mut self, wanted: [f64; 2]) {
        let share = |wheel: usize| {
            let (is, shall) = (self.wheels_m_s[wheel], wanted[wheel]);
            let change = (shall - is).abs();
            if change > 0.0 { self.speed_step(is, shall) / change } else { 1.0 }
        };
        let share = share(0).min(share(1)).min(1.0);
        for wheel in 0..2 {
            self.wheels_m_s[wheel] += share * (wanted[wheel] - self.wheels_m_s[wheel]);
        }
    }

    fn steer_as_a_car(&mut self, command: Command) {
        let Steering::Ackermann { steer_max_rad, steer_rate_rad_s } = self.spec.steering else {
            return;
        };
        let wanted = ackermann::steer_rad(command, self.spec.wheelbase_m, steer_max_rad);
        let step = steer_rate_rad_s * STEP_S;
        self.steer_rad += (wanted - self.steer_rad).clamp(-step, step);
        let (is, shall) = (self.wheels_m_s[0], command.speed_m_s);
        let step = self.speed_step(is, shall);
        self.wheels_m_s = [is + (shall - is).clamp(-step, step); 2];
    }

    /// How much a wheel's speed may change within a step.
    fn speed_step(&self, is: f64, shall: f64) -> f64 {
        let slower = shall.abs() < is.abs() || shall * is < 0.0;
        let limit = match slower {
            true => self.spec.deceleration_max_m_s2,
            false => self.spec.acceleration_max_m_s2,
        };
        limit * STEP_S
    }

    /// What stems that bend take off the speed.
    fn push_stems(&mut self) {
        let force: f64 = self.pushing.iter().map(|(force, _)| force).sum();
        if force <= 0.0 {
            return;
        }
        let slower = force / self.spec.mass_kg * STEP_S;
        for wheel in &mut self.wheels_m_s {
            let least = CRAWL_M_S.min(wheel.abs());
            *wheel = wheel.signum() * (wheel.abs() - slower).max(least);
        }
        let gone = self.wheels_m_s[0].abs().max(self.wheels_m_s[1].abs()) * STEP_S;
        self.pushing.retain_mut(|(_, left)| {
            *left -= gone;
            *left > 0.0
        });
    }

    /// Share of the wheels' speed that gets to the ground, and whether it is none at all.
    fn kept_speed(&self, speed: f64) -> (Option<Trouble>, f64) {
        if speed.abs() < 1e-6 {
            return (None, 1.0);
        }
        let forward = self.pose.rotation * DVec3::X;
        let rise = forward.z * speed.signum();
        let grade = rise / (1.0 - rise * rise).max(1e-12).sqrt();
        let weight_n = self.spec.mass_kg * slope::GRAVITY / f64::from(self.spec.wheels);
        let slip = match (&self.spec.soil, &self.spec.slopes) {
            (Some(soil), slopes) => {
                let grade = if slopes.is_some() { grade } else { 0.0 };
                soil::Wheel::new(self.spec.wheel_m, weight_n, soil).slip(grade)
            }
            (None, Some(slopes)) if grade > slopes.grip => 1.0,
            _ => 0.0,
        };
        ((slip >= 1.0).then_some(Trouble::Bogged), 1.0 - slip)
    }
}

/// The pose on the ground of a vehicle at a place.
fn stand(
    spec: &VehicleSpec,
    [x, y]: [f64; 2],
    heading_rad: f64,
    ground: GroundHeight<'_>,
) -> Option<Pose> {
    let rotation = DQuat::from_rotation_z(heading_rad);
    let level = Pose { rotation, translation: DVec3::new(x, y, 0.0) };
    Vehicle::contact(spec).stand(&level, ground)
}

/// Along an arc: speeds ahead and to the left and the rate of turning stay as they are for `seconds`.
pub fn arc(at_m: [f64; 2], heading_rad: f64, rates: [f64; 3], seconds: f64) -> [f64; 2] {
    let [ahead, left, turn] = rates;
    let angle = turn * seconds;
    // Integrals of cosine and sine over the angle, each over the angle.
    let (c, s) = match angle.abs() < 1e-6 {
        true => (1.0 - angle * angle / 6.0, angle / 2.0),
        false => (math::sin(angle) / angle, (1.0 - math::cos(angle)) / angle),
    };
    let (along, across) = ((ahead * c - left * s) * seconds, (ahead * s + left * c) * seconds);
    let (sin, cos) = math::sin_cos(heading_rad);
    [at_m[0] + along * cos - across * sin, at_m[1] + along * sin + across * cos]
}

#[cfg(test)]
pub(crate) mod tests;
