//! Scenes that move, against closed forms and against themselves cut differently.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use glam::DVec3;
use understory::pulse::PreparedRun;
use understory::pulse::scan_pattern::Pulses;
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MemorySink, Record, Records};

/// A sensor without error whose beam is a line, at the origin.
const SENSOR: &str = r#"
[[sensor]]
name = "lidar"
preset = "vlp-16"
[sensor.override.beam]
sampling = "single"
[sensor.override.range_error]
model = "none"
[sensor.override.detector]
range_quantum_m = 0.0
"#;

fn scenario(duration_s: f64, world: &str) -> Scenario {
    let head = format!("version = 1\nseed = 3\nduration_s = {duration_s:?}\n");
    Scenario::from_toml(&format!("{head}{world}{SENSOR}"), "test", Path::new("")).unwrap()
}

fn records(prepared: &PreparedRun, options: &RunOptions) -> Records {
    let sink = MemorySink::default();
    run(prepared, options, Box::new(sink.clone()), &Silent).unwrap();
    sink.take_records()
}

fn rows(records: &Records) -> impl Iterator<Item = Record> {
    (0..records.len()).map(|row| records.get(row).unwrap())
}

/// Pulse, object, ranges, velocity and true position of a row.
type Told = (u64, u32, [u32; 2], [u32; 3], [u64; 3]);

/// What rows say, to the bit.
fn told(records: &Records) -> Vec<Told> {
    let bits = |row: Record| {
        // A zero is a zero, whatever its sign.
        let velocity = row.velocity_xyz_m_s.map(|v| (v + 0.0).to_bits());
        let ranges = [row.range_m, row.true_range_m].map(f32::to_bits);
        (row.pulse, row.object, ranges, velocity, row.true_xyz_m.map(f64::to_bits))
    };
    rows(records).map(bits).collect()
}

/// The distance along a beam to a sphere, by the quadratic formula.
fn to_sphere(origin: DVec3, direction: DVec3, centre: DVec3, radius: f64) -> Option<f64> {
    let (offset, direction) = (origin - centre, direction.normalize());
    let half = offset.dot(direction);
    let under = half * half - offset.length_squared() + radius * radius;
    (under >= 0.0).then(|| -half - under.sqrt())
}

/// A ball that flies past and a wall that turns as it comes nearer, each pulse at its own time.
#[test]
fn each_pulse_meets_bodies_where_they_are_at_its_time() {
    let world = r#"
[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 1.5
[world.object.motion]
keyframes = [
    { time_s = 0.0, position_m = [6.0, -8.0, 0.0] },
    { time_s = 0.4, position_m = [6.0, 8.0, 1.0] },
]
[[world.object]]
name = "wall"
shape = "box"
size_m = [0.2, 30.0, 30.0]
position_m = [-12.0, 0.0, 0.0]
[world.object.motion]
keyframes = [
    { time_s = 0.0, position_m = [0.0, 0.0, -15.0] },
    { time_s = 0.4, position_m = [4.0, 0.0, -15.0], rotation_deg = [0.0, 0.0, 30.0] },
]
"#;
    let scenario = scenario(0.4, world);
    let records = records(&scenario.prepare().unwrap(), &RunOptions::default());
    let pattern = &scenario.sensors[0].sensor.pattern;
    let mut pulses = Pulses::default();
    pattern.fill(0..pattern.first_pulse_at(0.4), &mut pulses);
    let (mut balls, mut walls, mut worst) = (0, 0, 0.0f64);
    for row in rows(&records) {
        let (fired, share) = (row.pulse as usize, row.time_s / 0.4);
        let (origin, direction) = (pulses.origin_m[fired], pulses.direction[fired]);
        let centre = DVec3::new(6.0, -8.0 + 16.0 * share, share);
        let to_ball = to_sphere(origin, direction, centre, 1.5).filter(|t| *t > 0.0);
        let angle = (30.0 * share).to_radians();
        let normal = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let middle = DVec3::new(-12.0 + 4.0 * share, 0.0, 0.0);
        let to_wall = (middle + normal * 0.1 - origin).dot(normal) / direction.dot(normal);
        let on_wall = origin + direction * to_wall - middle;
        let within = on_wall.dot(normal.cross(DVec3::Z)).abs() < 14.9 && on_wall.z.abs() < 14.9;
        let wall = (direction.dot(normal) < 0.0 && to_wall > 0.0 && within).then_some(to_wall);
        if row.return_count == 0 {
            continue;
        }
        let wanted = match row.object {
            1 => to_ball.unwrap(),
            _ => wall.unwrap_or(f64::from(row.true_range_m)),
        };
        worst = worst.max((f64::from(row.true_range_m) - wanted).abs());
        let velocity = DVec3::from(row.velocity_xyz_m_s.map(f64::from));
        if row.object == 1 {
            balls += 1;
            assert!((velocity - DVec3::new(0.0, 40.0, 2.5)).length() < 1e-4);
        } else {
            walls += 1;
            let spin = DVec3::Z * (30f64.to_radians() / 0.4);
            let body = middle - DVec3::Z * 15.0;
            let wanted = DVec3::X * 10.0 + spin.cross(DVec3::from(row.true_xyz_m) - body);
            assert!((velocity - wanted).length() < 1e-3, "{velocity} {wanted}");
        }
    }
    assert!(balls > 300 && walls > 5000, "{balls} {walls}");
    println!("{worst:.1e} m off at most");
    assert!(worst < 2e-5, "{worst} m off");
}

const MEADOW: &str = r#"
[world.wind]
sway_deg = 8.0
[[world.plant]]
name = "grass"
species = "tall-grass"
variants = 1
density_per_m2 = 1.0
area = { size_m = [7.0, 7.0] }
avoid = [{ radius_m = 1.0 }]
[[world.object]]
name = "crate"
shape = "box"
size_m = [0.5, 0.5, 0.5]
position_m = [0.0, 0.0, 0.2]
grid = { count = [4, 4], spacing_m = [2.5, 2.5], random_yaw = true }
[world.object.motion]
repeat = "loop"
stagger_s = 0.0013
keyframes = [{ time_s = 0.0 }, { time_s = 0.05, position_m = [1.0, 2.0, 0.0], rotation_deg = [0.0, 20.0, 180.0] }]
[platform]
position_m = [0.0, 0.0, 0.6]
"#;

/// Loops start again within the run, so boxes of the tree must also hold jumps.
#[test]
fn the_same_rows_for_any_threads_and_intervals() {
    let prepared = scenario(0.12, MEADOW).prepare().unwrap();
    let whole = records(&prepared, &RunOptions { threads: Some(1), ..RunOptions::default() });
    let threads = records(&prepared, &RunOptions { threads: Some(3), ..RunOptions::default() });
    assert!(told(&whole) == told(&threads));
    let mut joined = Records::default();
    for (from_s, to_s) in [(0.0, 0.0213), (0.0213, 0.1), (0.1, 0.12)] {
        let options = RunOptions { interval_s: Some((from_s, to_s)), ..RunOptions::default() };
        joined.append(&records(&prepared, &options));
    }
    assert!(told(&whole) == told(&joined));
    let moving = |crates: bool| {
        let of = move |row: &Record| (row.object <= 16) == crates && row.return_count > 0;
        let fast = |row: &Record| row.velocity_xyz_m_s.iter().any(|v| v.abs() > 1e-3);
        rows(&whole).filter(of).filter(fast).count()
    };
    assert!(moving(true) > 100 && moving(false) > 100);
}

#[test]
fn a_wind_without_sway_changes_nothing() {
    let calm = MEADOW.replace("sway_deg = 8.0", "sway_deg = 0.0\nlean_deg = 0.0");
    let none = MEADOW.replace("[world.wind]\nsway_deg = 8.0\n", "");
    let [calm, none] = [calm, none]
        .map(|world| records(&scenario(0.12, &world).prepare().unwrap(), &RunOptions::default()));
    assert!(told(&calm) == told(&none));
}

/// A stalk turns about its root: how fast a point moves is in proportion to its height.
#[test]
fn plants_sway_about_their_roots() {
    let prepared = scenario(0.12, MEADOW).prepare().unwrap();
    let all = records(&prepared, &RunOptions::default());
    let grass = rows(&all).filter(|row| row.object > 16 && row.return_count > 0);
    let rates: Vec<(f64, f64)> = grass
        .map(|row| {
            let [x, y, _] = row.velocity_xyz_m_s.map(f64::from);
            (row.true_xyz_m[2], x.hypot(y) / row.true_xyz_m[2])
        })
        .filter(|(height_m, _)| *height_m > 0.01)
        .collect();
    let fastest = |low: f64, high: f64| {
        let band = rates.iter().filter(|(height_m, _)| (low..high).contains(height_m));
        (band.clone().count(), band.map(|(_, rate)| *rate).fold(0.0, f64::max))
    };
    let ((low_count, low), (high_count, high)) = (fastest(0.01, 0.1), fastest(0.3, 2.0));
    assert!(low_count > 50 && high_count > 50, "{low_count} {high_count}");
    assert!(high > 0.01, "{high}");
    // About a root 5 cm off, the lowest points would have rates several times as high.
    assert!(low < 1.5 * high, "{low} {high}");
}

#[test]
fn bad_motions_name_their_line() {
    let fails = |motion: &str| {
        let object = "[[world.object]]\nname = \"ball\"\nshape = \"sphere\"\nradius_m = 1.0\n";
        let text = format!(
            "version = 1\nseed = 3\nduration_s = 0.1\n{object}[world.object.motion]\n{motion}\n{SENSOR}"
        );
        Scenario::from_toml(&text, "bad.toml", Path::new("")).unwrap_err().to_string()
    };
    for (motion, wanted) in [
        ("keyframes = []", "bad.toml:9: `keyframes` is empty; give one or more"),
        ("keyframes = [{ time_s = 1.0 }, { time_s = 1.0 }]", "not after the keyframe before it"),
        ("keyframes = [{ time_s = nan }]", "`time_s` is NaN; give a finite number"),
        ("keyframes = [{ time_s = 0.0, position_m = [0.0, inf, 0.0] }]", "`position_m` holds inf"),
        ("keyframes = [{ time_s = 0.0 }]\nrepeat = \"forever\"", "forever"),
        ("keyframes = [{ time_s = 0.0 }]\nstager_s = 1.0", "stagger_s"),
    ] {
        let message = fails(motion);
        assert!(message.contains(wanted), "{message}");
    }
}
