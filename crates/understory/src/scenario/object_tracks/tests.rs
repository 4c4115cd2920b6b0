use super::*;
use crate::world::car;
use crate::world::physics::RecordedMotion;
use glam::DQuat;

/// A ball that falls and rolls, a car that drives and turns, a box that stands.
const MOVING: &str = r#"
version = 1
seed = 3
duration_s = 0.5

[world]

[world.terrain]
plane = { size_m = [60.0, 60.0], spacing_m = 2.0 }

[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.3
tolerance_m = 0.01
position_m = [8.0, 0.0, 0.8]
body = { mass_kg = 3.0, velocity_m_s = [0.0, 2.0, 0.0], angular_velocity_deg_s = [0.0, 90.0, 0.0] }

[[world.object]]
name = "car, red"
shape = "car"
label = "car"
position_m = [6.0, -6.0, 0.0]
rotation_deg = [0.0, 0.0, 90.0]
[world.object.vehicle]
speed_m_s = 6.0
drive = [{ time_s = 0.0, steer_deg = 12.0 }]

[[world.object]]
name = "box"
shape = "box"
size_m = [1.0, 1.0, 1.0]
position_m = [-4.0, 0.0, 0.0]

[[sensor]]
name = "lidar"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.5]
rotation_deg = [0.0, 0.0, 30.0]
"#;

fn scene(more: &str, folder: &Path) -> (Scenario, Scene) {
    let text = MOVING.replace("[world]\n", &format!("[world]\n{more}"));
    let scenario = Scenario::from_toml(&text, "moving.toml", folder).unwrap();
    let scene = scenario.build_scene().unwrap();
    (scenario, scene)
}

#[test]
fn velocities_are_differences_of_poses() {
    let (_, scene) = scene("", Path::new(""));
    let objects = selected(&scene, &[]).unwrap();
    let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(names, ["ball", "car, red"]);
    let all = rows(&scene, &objects, (0.0, 0.5), None).unwrap();
    assert!(all.is_sorted_by_key(|row| row.time_s));
    for (object, part) in [(objects[0], 0), (objects[1], 0), (objects[1], 1), (objects[1], 4)] {
        let of: Vec<_> =
            all.iter().filter(|row| row.object.id == object.id && row.part == part).collect();
        assert_eq!(of.len(), 121, "{} {part}", object.name);
        for pair in of.windows(2) {
            let (a, b) = (&pair[0], &pair[1]);
            let seconds = b.time_s - a.time_s;
            let linear = (b.pose.translation - a.pose.translation) / seconds;
            let turn = (b.pose.rotation * a.pose.rotation.inverse()).to_scaled_axis() / seconds;
            assert!((a.velocity.linear_m_s - linear).length() < 1e-9);
            assert!((a.velocity.angular_rad_s - turn).length() < 1e-6);
        }
        let [.., before, last] = &of[..] else { panic!() };
        assert_eq!(before.velocity, last.velocity);
    }
    // Along the car, with six metres a second.
    let start = all.iter().find(|row| row.object.id == objects[1].id).unwrap();
    assert!((start.velocity.linear_m_s - DVec3::Y * 6.0).length() < 0.05);
}

#[test]
fn boxes_hold_all_vertices() {
    let (_, scene) = scene("", Path::new(""));
    let objects = selected(&scene, &["car*".into()]).unwrap();
    let all = rows(&scene, &objects, (0.0, 0.5), Some(20.0)).unwrap();
    let bodies: Vec<_> = all.iter().filter(|row| row.part == 0).collect();
    assert_eq!(bodies.len(), 11);
    let inside = |row: &TruthRow<'_>, world_m: DVec3| {
        let (centre, size) = row.oriented_box().unwrap();
        let off = row.pose.rotation.inverse() * (world_m - centre);
        (off.abs() - size * 0.5).max_element() < 1e-9
    };
    let vertices = car::body().mesh.positions;
    for row in &bodies {
        let (_, size) = row.oriented_box().unwrap();
        assert!((size - DVec3::from(car::CAR_SIZE_M)).abs().max_element() < 0.15, "{size}");
        for vertex in &vertices {
            assert!(inside(row, row.pose.translation + row.pose.rotation * *vertex));
        }
    }
    // Wheels at the start; later they swing out of it.
    for wheel in all.iter().filter(|row| row.part > 0 && row.time_s == 0.0) {
        for vertex in car::wheel().mesh.positions {
            let on_car = wheel.pose.translation + wheel.pose.rotation * vertex;
            let body = bodies[0];
            assert!(inside(body, body.pose.translation + body.pose.rotation * on_car));
        }
    }
}

fn bits(motions: &[RecordedMotion]) -> Vec<u64> {
    let tracks = motions.iter().flat_map(|m| std::iter::once(&m.body).chain(&m.parts));
    tracks
        .flatten()
        .flat_map(|(time_s, pose)| {
            let (p, q) = (pose.translation, pose.rotation);
            [*time_s, p.x, p.y, p.z, q.x, q.y, q.z, q.w].map(f64::to_bits)
        })
        .collect()
}

#[test]
fn a_recorded_motion_is_replayed_bit_by_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (scenario, first) = scene("", folder.path());
    let path = folder.path().join("motion.csv");
    write(&path, &scenario, &first, &TruthOptions::default()).unwrap();
    let recorded = read_csv(&path).unwrap();
    assert_eq!(recorded.len(), 2);
    assert_eq!((recorded[0].parts.len(), recorded[1].parts.len()), (0, 4));
    let (_, second) = scene("motion = { file = \"motion.csv\" }\n", folder.path());
    let again = folder.path().join("again.csv");
    write(&again, &scenario, &second, &TruthOptions::default()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&again).unwrap());
    assert_eq!(bits(&recorded), bits(&read_csv(&again).unwrap()));
    for (a, b) in first.movers().iter().zip(second.movers()) {
        for step in 0..200 {
            let time_s = f64::from(step) * 0.0031;
            assert_eq!(a.world_from_mesh(time_s), b.world_from_mesh(time_s));
        }
    }
}

#[test]
fn recordings_that_cannot_be_replayed_are_refused_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let header = "time_s,name,part,x_m,y_m,z_m,qw,qx,qy,qz";
    for (rows, words) in [
        ("0,ball,0,1,2,3,1,0,0", "line"),
        ("0,ball,0,1,2,x,1,0,0,0", "\"x\""),
        ("0,ball,0,1,2,3,0.9,0,0,0", "length 0.9"),
        ("0,ball,0,1,2,3,1,0,0,0\n0,ball,0,1,2,3,1,0,0,0", "not after"),
        ("0,ball,2,1,2,3,1,0,0,0", "part 2"),
        ("0,ball,0,1,2,inf,1,0,0,0", "inf"),
        ("0,ball,0,1,2,3,1,0,0,0", "\"car, red\""),
    ] {
        let path = folder.path().join("motion.csv");
        std::fs::write(&path, format!("{header}\n{rows}\n")).unwrap();
        let more = "motion = { file = \"motion.csv\" }\n";
        let text = MOVING.replace("[world]\n", &format!("[world]\n{more}"));
        let scenario = Scenario::from_toml(&text, "moving.toml", folder.path()).unwrap();
        let error = scenario.build_scene().err().unwrap().to_string();
        assert!(error.contains("motion.csv") && error.contains(words), "{error}");
    }
}

#[test]
fn text_in_blensors_form_reads_back_as_the_pose() {
    let (_, scene) = scene("", Path::new(""));
    let objects = selected(&scene, &["ball".into()]).unwrap();
    let all = rows(&scene, &objects, (0.0, 0.5), Some(25.0)).unwrap();
    let text = blensor::text(&all);
    assert_eq!(text.lines().count(), 13);
    for (line, row) in text.lines().zip(&all) {
        let words: Vec<&str> = line.split(' ').collect();
        let ["timestamp:", time, "object:", "ball", rest @ ..] = &words[..] else {
            panic!("{line}")
        };
        let number = |i: usize| rest[2 * i + 1].parse::<f64>().unwrap();
        let keys: Vec<&str> = rest.iter().step_by(2).copied().collect();
        assert_eq!(keys, ["x:", "y:", "z:", "rx:", "ry:", "rz:"]);
        assert!((time.parse::<f64>().unwrap() - row.time_s).abs() < 1e-4);
        let place = DVec3::new(number(0), number(1), number(2));
        assert!((place - row.pose.translation).length() < 1e-9);
        // Blender's XYZ: about x first, then y, then z.
        let turned = DQuat::from_rotation_z(number(5))
            * DQuat::from_rotation_y(number(4))
            * DQuat::from_rotation_x(number(3));
        assert!(turned.dot(row.pose.rotation).abs() > 1.0 - 1e-12);
    }
}

#[test]
fn an_unknown_object_rate_or_interval_is_refused() {
    let (scenario, scene) = scene("", Path::new(""));
    let refused = |options: &TruthOptions| {
        write(Path::new("x.csv"), &scenario, &scene, options).unwrap_err().to_string()
    };
    let objects = vec!["bal".to_owned()];
    let options = TruthOptions { objects, ..TruthOptions::default() };
    assert!(refused(&options).contains("\"ball\""), "{}", refused(&options));
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e12] {
        let options = TruthOptions { rate_hz: Some(rate), ..TruthOptions::default() };
        assert!(refused(&options).contains("rate"), "{rate}");
    }
    let options = TruthOptions { interval_s: Some((0.2, 0.9)), ..TruthOptions::default() };
    assert!(refused(&options).contains("interval"));
}
