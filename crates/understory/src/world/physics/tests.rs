use super::*;
use crate::world::car;
use crate::world::scene::shape::ShapeMesh;
use glam::DQuat;

const G: f64 = 9.81;

fn ball(name: &str, centre_m: DVec3, radius_m: f64) -> Body {
    Body {
        name: name.into(),
        kind: BodyKind::Dynamic,
        shape: BodyShape::Sphere { centre_m: DVec3::ZERO, radius_m },
        mass: BodyMass::MassKg(2.0),
        contact: Contact::default(),
        world_from_body: Pose { translation: centre_m, rotation: DQuat::IDENTITY },
        velocity_m_s: DVec3::ZERO,
        angular_velocity_rad_s: DVec3::ZERO,
        vehicle: None,
    }
}

/// A square of 400 m around the origin that rises towards −x, as triangles of 4 m.
fn slope(angle_rad: f64, contact: Contact) -> (Obstacle, PhysicsSettings) {
    let turn = DQuat::from_rotation_y(angle_rad);
    let n = 100;
    let positions = (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j)));
    let positions = positions
        .map(|(i, j)| turn * DVec3::new(4.0 * (i - n / 2) as f64, 4.0 * (j - n / 2) as f64, 0.0))
        .collect();
    let mut triangles = Vec::new();
    for j in 0..n as u32 {
        for i in 0..n as u32 {
            let a = j * (n as u32 + 1) + i;
            let b = a + n as u32 + 1;
            triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    let obstacle = Obstacle { name: "slope".into(), mesh: ShapeMesh { positions, triangles } };
    (obstacle, PhysicsSettings { ground: contact, ..PhysicsSettings::default() })
}

fn run(settings: &PhysicsSettings, bodies: &[Body], ground: &[Obstacle], s: f64) -> Recording {
    simulate(settings, bodies, ground, s).unwrap()
}

/// Acceleration of a motion from rest, fitted at its end: 2·s/t².
fn acceleration(motion: &RecordedMotion) -> f64 {
    let (first, last) = (motion.body[0], motion.body[motion.body.len() - 1]);
    2.0 * (last.1.translation - first.1.translation).length() / (last.0 * last.0)
}

#[test]
fn a_thrown_body_follows_its_parabola_at_map_coordinates() {
    let start = DVec3::new(448_000.0, 5_411_000.0, 320.0);
    let mut thrown = ball("thrown", start, 0.1);
    thrown.velocity_m_s = DVec3::new(3.0, -2.0, 5.0);
    thrown.angular_velocity_rad_s = DVec3::new(0.0, 0.0, 4.0);
    let recording = run(&PhysicsSettings::default(), std::slice::from_ref(&thrown), &[], 2.0);
    for (t, pose) in &recording.motions[0].body {
        let fall = DVec3::new(0.0, 0.0, -0.5 * G * t * t);
        let wanted = start + thrown.velocity_m_s * *t + fall;
        // Map coordinates in f64 have a grain of 1e-9 m.
        let off = (pose.translation - wanted).length();
        assert!(off < 1e-8, "{off} after {t} s");
        let turned = DQuat::from_rotation_z(4.0 * t);
        assert!(pose.rotation.dot(turned).abs() > 1.0 - 1e-9, "turning after {t} s");
    }
    assert_eq!(recording.motions[0].body.len(), 481);
    assert_eq!(recording.warnings, Vec::<String>::new());
}

/// The error of semi-implicit Euler without the half step: g·t·h/2, h the substep.
#[test]
fn without_the_half_step_a_fall_would_be_off_as_the_method_says() {
    let settings = PhysicsSettings::default();
    let substep_s = settings.step_s / SUBSTEPS as f64;
    let mut late = ball("late", DVec3::ZERO, 0.1);
    late.velocity_m_s = DVec3::new(0.0, 0.0, -G * substep_s / 2.0);
    let recording = run(&settings, &[late], &[], 1.0);
    let fallen = -recording.motions[0].body.last().unwrap().1.translation.z;
    let wanted = 0.5 * G + 0.5 * G * substep_s;
    assert!((fallen - wanted).abs() < 1e-9, "{fallen} {wanted}");
    assert!((0.5 * G * substep_s - 5.1e-3).abs() < 1e-4);
}

#[test]
fn a_sphere_rolls_down_a_slope_with_five_sevenths() {
    let angle = 20_f64.to_radians();
    let contact = Contact { friction: 0.8, restitution: 0.0 };
    let (ground, settings) = slope(angle, contact);
    let up = DQuat::from_rotation_y(angle) * DVec3::Z;
    let mut sphere = ball("sphere", up * 0.25, 0.25);
    sphere.contact = contact;
    let recording = run(&settings, &[sphere], &[ground], 2.0);
    let measured = acceleration(&recording.motions[0]);
    let wanted = 5.0 / 7.0 * G * angle.sin();
    assert!((measured / wanted - 1.0).abs() < 0.01, "{measured} {wanted}");
    // Rolling without slip: the angle turned is the way over the radius.
    let knots = &recording.motions[0].body;
    let turned: f64 = knots
        .windows(2)
        .map(|pair| (pair[1].1.rotation * pair[0].1.rotation.inverse()).to_scaled_axis().y)
        .sum();
    let way = (knots[knots.len() - 1].1.translation - knots[0].1.translation).length();
    assert!((turned * 0.25 / way - 1.0).abs() < 0.01, "{turned} {way}");
}

#[test]
fn a_box_slides_down_a_slope_against_friction() {
    let angle = 30_f64.to_radians();
    for friction in [0.0, 0.3] {
        let contact = Contact { friction, restitution: 0.0 };
        let (ground, settings) = slope(angle, contact);
        let turn = DQuat::from_rotation_y(angle);
        let block = Body {
            shape: BodyShape::Box {
                low_m: DVec3::new(-0.5, -0.5, 0.0),
                high_m: DVec3::new(0.5, 0.5, 0.3),
            },
            contact,
            world_from_body: Pose { translation: DVec3::ZERO, rotation: turn },
            ..ball("block", DVec3::ZERO, 1.0)
        };
        let recording = run(&settings, &[block], &[ground], 2.0);
        let measured = acceleration(&recording.motions[0]);
        let wanted = G * (angle.sin() - friction * angle.cos());
        assert!((measured / wanted - 1.0).abs() < 0.01, "μ {friction}: {measured} {wanted}");
    }
}

#[test]
fn a_box_on_a_slope_that_is_not_steep_enough_stays() {
    let angle = 15_f64.to_radians();
    let contact = Contact { friction: 0.5, restitution: 0.0 };
    let (ground, settings) = slope(angle, contact);
    let half = DVec3::splat(0.25);
    let block = Body {
        shape: BodyShape::Box { low_m: -half, high_m: half },
        contact,
        world_from_body: Pose {
            translation: DQuat::from_rotation_y(angle) * DVec3::new(0.0, 0.0, 0.25),
            rotation: DQuat::from_rotation_y(angle),
        },
        ..ball("block", DVec3::ZERO, 1.0)
    };
    let recording = run(&settings, &[block], &[ground], 2.0);
    let knots = &recording.motions[0].body;
    let way = (knots[knots.len() - 1].1.translation - knots[0].1.translation).length();
    assert!(way < 2e-3, "{way}");
}

#[test]
fn an_elastic_collision_keeps_momentum_and_energy() {
    let settings = PhysicsSettings { gravity_m_s2: 0.0, ..PhysicsSettings::default() };
    let contact = Contact { friction: 0.0, restitution: 1.0 };
    let heavy = Body {
        velocity_m_s: DVec3::X * 3.0,
        mass: BodyMass::MassKg(4.0),
        contact,
        ..ball("heavy", DVec3::ZERO, 0.2)
    };
    let light = Body {
        velocity_m_s: DVec3::X * -1.0,
        mass: BodyMass::MassKg(1.0),
        contact,
        ..ball("light", DVec3::X * 2.0, 0.2)
    };
    let recording = run(&settings, &[heavy, light], &[], 1.0);
    let speed = |motion: &RecordedMotion| {
        let [.., (t0, a), (t1, b)] = &motion.body[..] else { panic!() };
        (b.translation - a.translation) / (t1 - t0)
    };
    let (a, b) = (speed(&recording.motions[0]), speed(&recording.motions[1]));
    // v₁ = ((m₁ − m₂) u₁ + 2 m₂ u₂) / (m₁ + m₂), and the other way round.
    assert!((a - DVec3::X * 1.4).length() < 0.01, "{a}");
    assert!((b - DVec3::X * 5.4).length() < 0.04, "{b}");
    let momentum = 4.0 * a.x + b.x;
    let energy = 2.0 * a.length_squared() + 0.5 * b.length_squared();
    assert!((momentum - 11.0).abs() < 1e-6, "{momentum}");
    assert!((energy / 18.5 - 1.0).abs() < 0.01, "{energy}");
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution() {
    let contact = Contact { friction: 0.5, restitution: 0.6 };
    let (ground, settings) = slope(0.0, Contact { friction: 0.5, restitution: 0.0 });
    let mut dropped = ball("dropped", DVec3::new(0.3, 0.4, 1.2), 0.2);
    dropped.contact = contact;
    let recording = run(&settings, &[dropped], &[ground], 0.9);
    let contact_s = (2.0 * 1.0 / G).sqrt();
    let after = recording.motions[0].body.iter().filter(|(t, _)| *t > contact_s + 0.05);
    let top = after.map(|(_, pose)| pose.translation.z - 0.2).fold(0.0, f64::max);
    // 0.6² of one metre.
    assert!((top - 0.36).abs() < 0.01, "{top}");
}

#[test]
fn the_same_bodies_move_by_the_same_bits() {
    let (ground, settings) = slope(0.3, Contact::default());
    let bodies: Vec<Body> = (0..12)
        .map(|i| {
            let at = DVec3::new(0.31 * (i % 4) as f64, 0.37 * (i / 4) as f64, 0.9 + 0.4 * i as f64);
            ball(&format!("ball#{i}"), at, 0.2)
        })
        .collect();
    let once = run(&settings, &bodies, std::slice::from_ref(&ground), 1.5);
    let twice = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(&settings, &bodies, std::slice::from_ref(&ground), 1.5));
        other.join().unwrap()
    });
    assert_eq!(once, twice);
    let moved = |motion: &RecordedMotion| motion.body.first() != motion.body.last();
    assert!(once.motions.iter().all(moved));
}

#[test]
fn what_explodes_is_named_with_its_time() {
    let fast = |speed: f64| {
        let mut fast = ball("fast", DVec3::Z * 50.0, 0.1);
        fast.velocity_m_s = DVec3::X * speed;
        simulate(&PhysicsSettings::default(), &[ball("slow", DVec3::ZERO, 0.1), fast], &[], 1.0)
    };
    assert!(fast(1e3).is_ok());
    for speed in [2e4, 1e200, f64::INFINITY, f64::NAN] {
        let error = fast(speed).err().unwrap();
        assert!(matches!(&error, Error::Physics { body, .. } if body == "fast"), "{error}");
        assert!(error.to_string().contains("\"fast\""), "{error}");
    }
    let mut spinning = ball("spinning", DVec3::ZERO, 0.1);
    spinning.angular_velocity_rad_s = DVec3::splat(1e300);
    let error = simulate(&PhysicsSettings::default(), &[spinning], &[], 1.0).err().unwrap();
    assert!(matches!(&error, Error::Physics { body, .. } if body == "spinning"), "{error}");
}

#[test]
fn bodies_that_start_inside_something_are_named() {
    let (ground, settings) = slope(0.0, Contact::default());
    let bodies = [
        ball("sunk", DVec3::new(0.0, 0.0, 0.1), 0.2),
        ball("buried", DVec3::new(9.0, 0.0, -2.0), 0.2),
        ball("left", DVec3::new(0.0, 5.0, 3.0), 0.2),
        ball("right", DVec3::new(0.3, 5.0, 3.0), 0.2),
        ball("free", DVec3::new(0.0, -5.0, 3.0), 0.2),
    ];
    let warnings = run(&settings, &bodies, &[ground], 0.01).warnings;
    let all = warnings.join("\n");
    assert_eq!(warnings.len(), 3, "{all}");
    for pair in [["\"slope\"", "\"sunk\""], ["\"left\"", "\"right\""], ["\"buried\"", "under"]] {
        let named = |line: &&String| pair.iter().all(|word| line.contains(word));
        assert!(warnings.iter().any(|line| named(&line)), "{pair:?}: {all}");
    }
}

#[test]
fn a_run_that_no_memory_holds_is_refused() {
    let error = simulate(&PhysicsSettings::default(), &[ball("a", DVec3::ZERO, 0.1)], &[], 1e9);
    assert!(error.unwrap_err().to_string().contains("poses"));
}

/// A car on level ground that is wanted to drive like this.
fn car(speed_m_s: f64, steer_deg: f64) -> Body {
    let commands = vec![Command { time_s: 0.0, speed_m_s, steer_rad: steer_deg.to_radians() }];
    let vehicle = car::vehicle(commands);
    Body {
        shape: BodyShape::Hull(car::body().mesh.positions),
        mass: BodyMass::MassKg(vehicle.mass_kg),
        velocity_m_s: DVec3::X * speed_m_s,
        vehicle: Some(vehicle),
        ..ball("car", DVec3::ZERO, 1.0)
    }
}

/// How far a wheel turned about its axle, whole turns with it.
fn turned_rad(wheel: &[(f64, Pose)]) -> f64 {
    let turn = |pair: &[(f64, Pose)]| {
        (pair[0].1.rotation.inverse() * pair[1].1.rotation).to_scaled_axis().y
    };
    wheel.windows(2).map(turn).sum()
}

#[test]
fn a_car_drives_straight_as_far_as_its_speed_says_and_its_wheels_turn() {
    let (ground, settings) = slope(0.0, Contact::default());
    let recording = run(&settings, &[car(10.0, 0.0)], &[ground], 3.0);
    let motion = &recording.motions[0];
    let end = motion.body[motion.body.len() - 1].1;
    assert_eq!(recording.warnings, Vec::<String>::new());
    assert!((end.translation - DVec3::X * 30.0).length() < 0.01, "{}", end.translation);
    assert!(end.rotation.angle_between(DQuat::IDENTITY) < 0.01);
    assert_eq!(motion.parts.len(), 4);
    for wheel in &motion.parts {
        let turned = turned_rad(wheel);
        assert!((turned / (30.0 / car::WHEEL_RADIUS_M) - 1.0).abs() < 1e-3, "{turned}");
        // It stands on the ground as it did at the start.
        let height = end.translation.z + wheel[wheel.len() - 1].1.translation.z;
        assert!((height - car::WHEEL_RADIUS_M).abs() < 1e-3, "{height}");
    }
}

#[test]
fn a_slow_car_turns_on_the_circle_of_its_steering() {
    let (ground, settings) = slope(0.0, Contact::default());
    let recording = run(&settings, &[car(3.0, 20.0)], &[ground], 4.0);
    let knots = &recording.motions[0].body;
    let yaw = |pair: &[(f64, Pose)]| {
        (pair[1].1.rotation * pair[0].1.rotation.inverse()).to_scaled_axis().z
    };
    // After the first second: yaw rate v·tan δ / L.
    let turned: f64 = knots[240..].windows(2).map(yaw).sum();
    let way: f64 = knots[240..]
        .windows(2)
        .map(|pair| pair[1].1.translation.distance(pair[0].1.translation))
        .sum();
    let radius = way / turned;
    let wanted = 2.65 / 20_f64.to_radians().tan();
    // The middle of the car is half the wheelbase before the axle that does not steer.
    let middle = wanted.hypot(2.65 / 2.0);
    assert!((radius / middle - 1.0).abs() < 0.05, "{radius} {middle}");
}

#[test]
fn a_car_that_is_to_stand_stands_on_a_slope() {
    let angle = -5_f64.to_radians();
    let (ground, settings) = slope(angle, Contact::default());
    let mut standing = car(0.0, 0.0);
    standing.world_from_body.rotation = DQuat::from_rotation_y(angle);
    let recording = run(&settings, &[standing], &[ground], 2.0);
    let knots = &recording.motions[0].body;
    let way = knots[0].1.translation.distance(knots[knots.len() - 1].1.translation);
    assert!(way < 0.02, "{way}");
}

#[test]
fn a_car_brakes_no_harder_than_its_tyres_hold_and_then_stands() {
    let (ground, settings) = slope(0.0, Contact::default());
    let mut braking = car(10.0, 0.0);
    if let Some(vehicle) = &mut braking.vehicle {
        vehicle.commands = vec![Command { time_s: 0.0, speed_m_s: 0.0, steer_rad: 0.0 }];
    }
    let recording = run(&settings, &[braking], &[ground], 4.0);
    let knots = &recording.motions[0].body;
    let way = knots[knots.len() - 1].1.translation.x;
    // v²/2a with 8 m/s², and a little more where the brakes are let go towards the end.
    assert!((6.0..8.5).contains(&way), "{way}");
    let (before, last) = (knots[knots.len() - 121].1, knots[knots.len() - 1].1);
    assert!(before.translation.distance(last.translation) < 0.01);
}
