//! Steering by front wheels, as one track: rate of turning = v·tan δ / wheelbase, about the middle of
//! the rear axle, whose way the vehicle's middle is taken for.

use crate::command::Command;
use understory_base::math;

/// Below this speed front wheels are turned as for it: standing cars do not turn.
const LEAST_SPEED_M_S: f64 = 0.1;

/// How fast it turns.
pub fn turn_rad_s(speed_m_s: f64, steer_rad: f64, wheelbase_m: f64) -> f64 {
    speed_m_s * math::tan(steer_rad) / wheelbase_m
}

/// How the front wheels must stand for a command, as far as they can.
pub fn steer_rad(command: Command, wheelbase_m: f64, steer_max_rad: f64) -> f64 {
    let speed = command.speed_m_s;
    let speed = speed.abs().max(LEAST_SPEED_M_S) * if speed < 0.0 { -1.0 } else { 1.0 };
    let wanted = math::atan(command.turn_rad_s * wheelbase_m / speed);
    wanted.clamp(-steer_max_rad, steer_max_rad)
}

/// The tightest circle.
pub fn radius_min_m(wheelbase_m: f64, steer_max_rad: f64) -> f64 {
    wheelbase_m / math::tan(steer_max_rad)
}
