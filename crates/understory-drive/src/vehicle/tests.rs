use super::*;
use std::f64::consts::PI;
use understory::scenario::drive::{SlopeSpec, SoilSpec};

pub(crate) fn passenger_sized() -> VehicleSpec {
    VehicleSpec {
        steering: Steering::SkidSteer { alpha: [0.95; 2], icr_m: [-1.0, 1.0], icr_forward_m: 0.0 },
        size_m: [3.0, 1.6, 1.8],
        clearance_m: 0.25,
        wheelbase_m: 2.0,
        track_m: 1.4,
        mass_kg: 1200.0,
        speed_max_m_s: 2.0,
        acceleration_max_m_s2: 1.0,
        deceleration_max_m_s2: 2.0,
        turn_max_rad_s: 1.0,
        wheel_m: [0.7, 0.25],
        wheels: 4,
        slopes: Some(SlopeSpec { grip: 0.7, tilt_max_rad: 0.7 }),
        soil: None,
        stems: true,
    }
}

fn level(_: f64, _: f64) -> Option<f64> {
    Some(0.0)
}

/// With its wheels at given speeds a skid-steered vehicle goes round a circle of radius v/ω about
/// (0, v/ω) by the formula, with the body's centre of rotation ahead as well.
#[test]
fn skid_steer_goes_round_its_circle() {
    let (alpha, icr_m, icr_forward_m) = ([0.9464, 0.9253], [-0.9, 1.1], 0.2);
    let steering = Steering::SkidSteer { alpha, icr_m, icr_forward_m };
    let spec = VehicleSpec { steering, ..passenger_sized() };
    let mut vehicle = Vehicle::at(spec, [0.0, 0.0], 0.0, &level).unwrap();
    let (v_l, v_r): (f64, f64) = (1.0, 1.6);
    let skid = SkidSteer { alpha, icr_m, icr_forward_m };
    vehicle.wheels_m_s = [v_l, v_r];
    // By the formula: rates, and from them the centre about which the middle goes.
    let k = 1.0 / (icr_m[1] - icr_m[0]);
    let v_y = k * (icr_m[1] * alpha[0] * v_l - icr_m[0] * alpha[1] * v_r);
    let turn = k * (alpha[1] * v_r - alpha[0] * v_l);
    let v_x = icr_forward_m * turn;
    let radius = v_y.hypot(v_x) / turn;
    let centre = [v_x / turn, v_y / turn];
    let steps = (2.0 * PI / turn / STEP_S).round() as usize;
    let command = Command::new(v_y, turn);
    assert!((skid.wheels(command)[0] - v_l).abs() < 1e-12);
    for _ in 0..steps {
        vehicle.advance(command, &level);
        let away = crate::path::distance_m(vehicle.at_m, centre);
        assert!((away - radius).abs() < 1e-9, "{away} {radius}");
    }
    // A whole turn but for what a step of 10 ms leaves.
    let left = 2.0 * PI - turn * steps as f64 * STEP_S;
    assert!((vehicle.heading_rad - (2.0 * PI - left)).abs() < 1e-9);
}

/// v²/(2a), whatever the time step.
#[test]
fn stopping_takes_its_distance() {
    for speed in [0.5, 1.3, 2.0] {
        let mut vehicle = Vehicle::at(passenger_sized(), [0.0, 0.0], 0.3, &level).unwrap();
        vehicle.wheels_m_s = [speed / 0.95; 2];
        let mut steps = 0;
        while vehicle.wheels_m_s[0] > 0.0 && steps < 1000 {
            vehicle.advance(Command::STOP, &level);
            steps += 1;
        }
        // Wheels brake with 2 m/s², of which 0.95 gets to the ground.
        let braking = 2.0 * 0.95;
        let distance = vehicle.at_m[0].hypot(vehicle.at_m[1]);
        let expected = speed * speed / (2.0 * braking);
        // The last step ends in its middle: it stops up to a step's way early or late.
        assert!((distance - expected).abs() < 0.5 * braking * STEP_S * STEP_S, "{distance}");
    }
}

/// Up a slope of known grade on soft soil it keeps 1 − s of the wheels' speed, by the formula.
#[test]
fn slip_on_a_slope_is_that_of_the_formula() {
    let soil = SoilSpec { cone_index_pa: 400e3, deflection: 0.15 };
    for grade in [0.0f64, 0.1, 0.25] {
        let slope = |x: f64, _: f64| Some(grade * x);
        let spec = VehicleSpec { soil: Some(soil), ..passenger_sized() };
        let mut vehicle = Vehicle::at(spec, [0.0, 0.0], 0.0, &slope).unwrap();
        let command = Command::new(1.0, 0.0);
        for _ in 0..300 {
            vehicle.advance(command, &slope);
        }
        let before = vehicle.at_m[0];
        for _ in 0..100 {
            vehicle.advance(command, &slope);
        }
        // Written out once more, from the relations.
        let load = 1200.0 * 9.80665 / 4.0;
        let slender: f64 = 1.0 + 0.25 / 0.7;
        let number = 400e3 * 0.25 * 0.7 / (load * 0.85f64.powf(1.5)) / slender.powf(0.75);
        let needed = 5.07 / number.powf(1.71) + 0.011 + grade - 12.0 / number.powi(2) - 0.007;
        let slip =
            (21.0 / number.powf(2.5) + 0.005) * 10f64.powf(2.0 * needed / slender.powf(0.25));
        let gone = vehicle.at_m[0] - before;
        assert!((gone - (1.0 - slip)).abs() < 1e-9, "{grade}: {gone} {slip}");
        assert!((vehicle.slip - slip).abs() < 1e-9);
    }
}

#[test]
fn what_is_steeper_than_the_grip_is_not_climbed_and_too_steep_turns_over() {
    let steep = |x: f64, _: f64| Some(0.75 * x);
    let spec = VehicleSpec {
        slopes: Some(SlopeSpec { grip: 0.7, tilt_max_rad: 1.0 }),
        ..passenger_sized()
    };
    let mut vehicle = Vehicle::at(spec.clone(), [0.0, 0.0], 0.0, &steep).unwrap();
    let moved = (0..200).map(|_| vehicle.advance(Command::new(1.0, 0.0), &steep)).last().unwrap();
    assert_eq!((moved.trouble, moved.speed_m_s), (Some(Trouble::Bogged), 0.0));
    let slopes = Some(SlopeSpec { grip: 0.7, tilt_max_rad: 0.5 });
    let tips = VehicleSpec { slopes, ..spec.clone() };
    let mut vehicle = Vehicle::at(tips, [0.0, 0.0], PI / 2.0, &steep).unwrap();
    assert_eq!(vehicle.advance(Command::STOP, &steep).trouble, Some(Trouble::TurnedOver));
    // Switched off, neither happens.
    let blind = VehicleSpec { slopes: None, ..spec };
    let mut vehicle = Vehicle::at(blind, [0.0, 0.0], 0.0, &steep).unwrap();
    let moved = (0..300).map(|_| vehicle.advance(Command::new(1.0, 0.0), &steep)).last().unwrap();
    assert!(moved.trouble.is_none() && (moved.speed_m_s - 1.0).abs() < 1e-9);
}

#[test]
fn it_follows_the_ground_with_roll_and_pitch_and_stops_at_its_edge() {
    let ground = |x: f64, y: f64| (x < 5.0).then_some(0.1 * x + 0.2 * y);
    let mut vehicle = Vehicle::at(passenger_sized(), [0.0, 1.0], 0.0, &ground).unwrap();
    let mut last = None;
    for _ in 0..600 {
        last = Some(vehicle.advance(Command::new(2.0, 0.0), &ground));
        let up = vehicle.pose.rotation * DVec3::Z;
        assert!((up - DVec3::new(-0.1, -0.2, 1.0).normalize()).length() < 1e-9);
    }
    assert_eq!(last.unwrap().trouble, Some(Trouble::NoGround));
    assert!(vehicle.at_m[0] < 4.0 + 1e-9 && vehicle.at_m[0] > 3.9, "{:?}", vehicle.at_m);
    assert!(Vehicle::at(passenger_sized(), [9.0, 0.0], 0.0, &ground).is_none());
}

#[test]
fn senseless_and_excessive_commands_are_counted_and_cut() {
    let mut vehicle = Vehicle::at(passenger_sized(), [0.0, 0.0], 0.0, &level).unwrap();
    for command in [Command::new(f64::NAN, 0.0), Command::new(1.0, f64::INFINITY)] {
        vehicle.advance(command, &level);
    }
    assert_eq!((vehicle.senseless_commands, vehicle.at_m), (2, [0.0, 0.0]));
    let moved = (0..900).map(|_| vehicle.advance(Command::new(1e9, 0.0), &level)).last().unwrap();
    assert!((moved.speed_m_s - 2.0).abs() < 1e-9, "{moved:?}");
}

/// A car at full lock goes round wheelbase/tan δ, and does not turn where it stands.
#[test]
fn a_car_goes_round_its_circle() {
    let steering = Steering::Ackermann { steer_max_rad: 0.5, steer_rate_rad_s: 10.0 };
    let spec = VehicleSpec { steering, ..passenger_sized() };
    let mut vehicle = Vehicle::at(spec, [0.0, 0.0], 0.0, &level).unwrap();
    for _ in 0..100 {
        vehicle.advance(Command::new(0.0, 1.0), &level);
    }
    assert_eq!((vehicle.at_m, vehicle.heading_rad), ([0.0, 0.0], 0.0));
    vehicle.wheels_m_s = [1.0; 2];
    let radius = ackermann::radius_min_m(2.0, 0.5);
    for _ in 0..500 {
        vehicle.advance(Command::new(1.0, 9.0), &level);
        let away = crate::path::distance_m(vehicle.at_m, [0.0, radius]);
        assert!((away - radius).abs() < 1e-9, "{away} {radius}");
    }
}

/// Energy: what a stem takes is its force times the way over which it bends.
#[test]
fn a_thin_stem_slows_by_its_work() {
    let mut vehicle = Vehicle::at(passenger_sized(), [0.0, 0.0], 0.0, &level).unwrap();
    vehicle.wheels_m_s = [2.0; 2];
    let (diameter, height) = (0.02, 0.5);
    vehicle.push_over(diameter, height);
    let coast = |vehicle: &Vehicle| Command::new(0.95 * vehicle.wheels_m_s[0], 0.0);
    for _ in 0..100 {
        let command = coast(&vehicle);
        vehicle.advance(command, &level);
    }
    let lost = 0.5 * 1200.0 * (4.0 - vehicle.wheels_m_s[0].powi(2));
    let work = stem::force_n(diameter, height) * height;
    assert!((lost / work - 1.0).abs() < 0.05, "{lost} J of {work} J");
}
