//! Pure pursuit (Coulter 1992): a path and a pose → a command.
//!
//! The vehicle goes along the arc that leads to the place on the path `lookahead_m` before it: with
//! that place (x ahead, y to the left) the arc bends by κ = 2y/(x² + y²). It goes slower where the arc
//! is tight, and a vehicle that can turns on the spot where the path lies aside or behind.

use understory::scenario::drive::{Steering, VehicleSpec};
use understory_base::math;

use crate::command::Command;
use crate::path::{Path, distance_m};

/// Beyond this angle a vehicle that can turns on the spot.
const ASIDE_RAD: f64 = 0.8;
/// It brakes early enough to stop at the end of its path with this share of its brakes.
const BRAKES: f64 = 0.5;

/// The command for a vehicle at a place with a heading.
pub fn follow(
    path: &Path,
    spec: &VehicleSpec,
    lookahead_m: f64,
    at_m: [f64; 2],
    heading_rad: f64,
) -> Command {
    let (Some(target), Some(&end)) = (path.ahead(at_m, lookahead_m), path.points_m.last()) else {
        return Command::STOP;
    };
    let (dx, dy) = (target[0] - at_m[0], target[1] - at_m[1]);
    let (sin, cos) = math::sin_cos(heading_rad);
    let (x, y) = (dx * cos + dy * sin, dy * cos - dx * sin);
    let squared = x * x + y * y;
    if squared < 1e-6 {
        return Command::STOP;
    }
    let bearing = math::atan2(y, x);
    let turns_on_the_spot = !matches!(spec.steering, Steering::Ackermann { .. });
    if turns_on_the_spot && bearing.abs() > ASIDE_RAD {
        return Command::new(0.0, spec.turn_max_rad_s * bearing.signum());
    }
    let bend = 2.0 * y / squared;
    let by_turn = spec.turn_max_rad_s / bend.abs().max(1e-9);
    let left_m = distance_m(at_m, end);
    let by_brakes = (2.0 * BRAKES * spec.deceleration_max_m_s2 * left_m).sqrt();
    let speed = spec.speed_max_m_s.min(by_turn).min(by_brakes.max(0.2));
    // A car whose path lies behind goes on in a circle.
    Command::new(speed, speed * bend.clamp(-2.0 / lookahead_m, 2.0 / lookahead_m))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vehicle::Vehicle;
    use crate::vehicle::tests::passenger_sized;

    /// Along a straight path 1 m aside the vehicle comes onto it and stays there.
    #[test]
    fn a_path_is_joined_and_followed() {
        let level = |_: f64, _: f64| Some(0.0);
        let mut vehicle = Vehicle::at(passenger_sized(), [0.0, 1.0], 0.0, &level).unwrap();
        let path = Path { points_m: vec![[-5.0, 0.0], [40.0, 0.0]] };
        for step in 0..3000 {
            let command = follow(&path, &vehicle.spec, 3.0, vehicle.at_m, vehicle.heading_rad);
            vehicle.advance(command, &level);
            let on_it = vehicle.at_m[1].abs();
            assert!(step < 800 || on_it < 0.02, "{step}: {on_it}");
            if vehicle.at_m[0] > 38.0 {
                return;
            }
        }
        panic!("it stays at {:?}", vehicle.at_m);
    }

    #[test]
    fn it_turns_where_the_path_lies_behind_and_stops_without_one() {
        let spec = passenger_sized();
        let path = Path { points_m: vec![[0.0, 0.0], [-10.0, 0.1]] };
        let command = follow(&path, &spec, 3.0, [0.0, 0.0], 0.0);
        assert_eq!((command.speed_m_s, command.turn_rad_s), (0.0, spec.turn_max_rad_s));
        assert_eq!(follow(&Path::default(), &spec, 3.0, [0.0, 0.0], 0.0), Command::STOP);
    }
}
