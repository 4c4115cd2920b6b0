//! Platforms that move: what a turning lidar measures while it drives, against the closed form.
//!
//! The lidar's directions and firing times are read here from the published calibration and worked
//! out anew in f64; nothing of the simulator's patterns, trajectories or tracer is used for them.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and tell why")]

use std::path::Path;
use std::sync::{Arc, Mutex};

use understory::pulse::PreparedRun;
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{CloudError, RecordSink, Records, ScanPose, SinkReport};

type V = [f64; 3];

fn add(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] + b[i])
}

fn scale(a: V, s: f64) -> V {
    a.map(|x| x * s)
}

fn dot(a: V, b: V) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// Roll about x, then pitch about y, then yaw about z, in degrees: rows of the matrix.
fn turn(v: V, [roll, pitch, yaw]: V) -> V {
    let (sr, cr) = roll.to_radians().sin_cos();
    let (sp, cp) = pitch.to_radians().sin_cos();
    let (sy, cy) = yaw.to_radians().sin_cos();
    let a = [v[0], cr * v[1] - sr * v[2], sr * v[1] + cr * v[2]];
    let b = [cp * a[0] + sp * a[2], a[1], -sp * a[0] + cp * a[2]];
    [cy * b[0] - sy * b[1], sy * b[0] + cy * b[1], b[2]]
}

/// The published calibration.
struct Lidar {
    elevation_deg: Vec<f64>,
    azimuth_offset_deg: Vec<f64>,
    up_mm: Vec<f64>,
    left_mm: Vec<f64>,
    firing_us: Vec<f64>,
}

fn lidar() -> Lidar {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sensors/hdl-64e-s2.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let list = |key: &str| -> Vec<f64> {
        let values = table["channels"][key].as_array().unwrap();
        values.iter().map(|value| value.as_float().unwrap()).collect()
    };
    Lidar {
        elevation_deg: list("elevation_deg"),
        azimuth_offset_deg: list("azimuth_offset_deg"),
        up_mm: list("vertical_offset_mm"),
        left_mm: list("horizontal_offset_mm"),
        firing_us: list("firing_us"),
    }
}

const CYCLE_S: f64 = 48e-6;
const TURNS_PER_S: f64 = 10.0;
const START: V = [1.0, -2.0, 0.3];
const VELOCITY: V = [8.0, 3.0, 0.4];
const YAW_DEG_S: f64 = 70.0;
const MOUNT: V = [0.8, -0.3, 1.2];
const MOUNT_RPY: V = [2.0, -3.0, 30.0];
const PLANE_AT: V = [25.0, 3.0, 0.0];
const PLANE_RPY: V = [0.0, -75.0, 20.0];
const SPHERE_AT: V = [9.0, -4.0, 1.5];
const SPHERE_RADIUS: f64 = 2.5;
const DURATION_S: f64 = 0.25;

/// Origin and direction in the world of the beam of `channel` in firing cycle `cycle`, from a
/// platform whose pose is that at `pose_s`.
fn beam(lidar: &Lidar, cycle: u64, channel: usize, pose_s: f64) -> (V, V) {
    let time_s = cycle as f64 * CYCLE_S + lidar.firing_us[channel] * 1e-6;
    let head = -std::f64::consts::TAU * TURNS_PER_S * time_s;
    let beam = head + lidar.azimuth_offset_deg[channel].to_radians();
    let (sin_up, cos_up) = lidar.elevation_deg[channel].to_radians().sin_cos();
    let direction = [cos_up * beam.cos(), cos_up * beam.sin(), sin_up];
    let left = lidar.left_mm[channel] * 1e-3;
    let origin = [-left * beam.sin(), left * beam.cos(), lidar.up_mm[channel] * 1e-3];
    let on_platform = add(turn(origin, MOUNT_RPY), MOUNT);
    let yaw = [0.0, 0.0, YAW_DEG_S * pose_s];
    let at = add(START, scale(VELOCITY, pose_s));
    (add(turn(on_platform, yaw), at), turn(turn(direction, MOUNT_RPY), yaw))
}

fn plane_range(origin: V, direction: V) -> f64 {
    let normal = turn([0.0, 0.0, 1.0], PLANE_RPY);
    dot(add(PLANE_AT, scale(origin, -1.0)), normal) / dot(direction, normal)
}

fn sphere_range(origin: V, direction: V) -> f64 {
    let to = add(SPHERE_AT, scale(origin, -1.0));
    let along = dot(to, direction);
    along - (along * along - dot(to, to) + SPHERE_RADIUS * SPHERE_RADIUS).sqrt()
}

fn text(platform: &str) -> String {
    let end = add(START, scale(VELOCITY, 0.5));
    format!(
        "version = 1
seed = 5
duration_s = {DURATION_S}
[world]
[[world.object]]
name = \"wall\"
shape = \"plane\"
size_m = [300.0, 300.0]
position_m = {PLANE_AT:?}
rotation_deg = {PLANE_RPY:?}
[[world.object]]
name = \"ball\"
shape = \"sphere\"
radius_m = {SPHERE_RADIUS:?}
position_m = {SPHERE_AT:?}
[[sensor]]
name = \"lidar\"
preset = \"hdl-64e-s2\"
position_m = {MOUNT:?}
rotation_deg = {MOUNT_RPY:?}
[sensor.override.spinning]
encoder_step_deg = 0.0
[sensor.override.beam]
sampling = \"single\"
[sensor.override.detector]
range_quantum_m = 0.0
[sensor.override.range_error]
sigma_m = 0.0
[platform]
{platform}
waypoints = [
    {{ time_s = 0.0, position_m = {START:?} }},
    {{ time_s = 0.5, position_m = {end:?}, rotation_deg = [0.0, 0.0, {:?}] }},
]
",
        YAW_DEG_S * 0.5
    )
}

/// Keeps rows and poses where the test can see them.
#[derive(Clone, Default)]
struct Memory {
    rows: Arc<Mutex<Records>>,
    poses: Arc<Mutex<Vec<ScanPose>>>,
}

impl RecordSink for Memory {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.poses.lock().unwrap().push(*pose);
        Ok(())
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.rows.lock().unwrap().append(records);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}

fn prepared(text: &str) -> PreparedRun {
    let scenario = Scenario::from_toml(text, "motion.toml", Path::new("")).unwrap();
    scenario.prepare().unwrap()
}

fn simulate(prepared: &PreparedRun, interval_s: Option<(f64, f64)>) -> (Records, Vec<ScanPose>) {
    let memory = Memory::default();
    let options = RunOptions { interval_s, ..RunOptions::default() };
    run(prepared, &options, Box::new(memory.clone()), &Silent).unwrap();
    let rows = std::mem::take(&mut *memory.rows.lock().unwrap());
    let poses = std::mem::take(&mut *memory.poses.lock().unwrap());
    (rows, poses)
}

/// Whether rows are the same to the last bit.
fn same(a: &Records, b: &Records) -> bool {
    let bits = |values: &[V]| values.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
    let short = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    (&a.pulse, &a.sensor, &a.scan, &a.time_s) == (&b.pulse, &b.sensor, &b.scan, &b.time_s)
        && short(&a.range_m) == short(&b.range_m)
        && bits(&a.world_xyz_m) == bits(&b.world_xyz_m)
        && bits(&a.true_xyz_m) == bits(&b.true_xyz_m)
        && bits(&a.origin_xyz_m) == bits(&b.origin_xyz_m)
}

/// What is found over all pulses.
#[derive(Debug, Default)]
struct Worst {
    plane_m: f64,
    sphere_m: f64,
    /// Distance of registered points from the true surfaces.
    point_m: f64,
    on_plane: usize,
    on_sphere: usize,
    rim: usize,
}

/// Compares every pulse with the closed form; `pose_s` says at which time its pose is taken.
fn compare(rows: &Records, pose_s: impl Fn(u64, f64) -> f64) -> Worst {
    let lidar = lidar();
    let normal = turn([0.0, 0.0, 1.0], PLANE_RPY);
    let mut worst = Worst::default();
    for row in 0..rows.len() {
        let (cycle, channel) = (rows.pulse[row] / 64, usize::from(rows.channel[row]));
        let time_s = cycle as f64 * CYCLE_S + lidar.firing_us[channel] * 1e-6;
        assert!((time_s - rows.time_s[row]).abs() < 1e-12);
        let (origin, direction) = beam(&lidar, cycle, channel, pose_s(cycle, time_s));
        let (plane, sphere) = (plane_range(origin, direction), sphere_range(origin, direction));
        let is_plane = plane > 0.9 && plane < 119.0;
        if rows.is_miss(row) {
            assert!(!is_plane || plane > 50.0 || sphere.is_finite(), "pulse {}", rows.pulse[row]);
            continue;
        }
        let range_m = f64::from(rows.range_m[row]);
        let point = rows.world_xyz_m[row];
        match rows.object[row] {
            1 => {
                worst.on_plane += 1;
                worst.plane_m = worst.plane_m.max((range_m - plane).abs());
                let off = dot(add(point, scale(PLANE_AT, -1.0)), normal);
                worst.point_m = worst.point_m.max(off.abs());
            }
            _ if !sphere.is_finite() => worst.rim += 1,
            _ => {
                worst.on_sphere += 1;
                worst.sphere_m = worst.sphere_m.max((range_m - sphere).abs());
                let to = add(point, scale(SPHERE_AT, -1.0));
                worst.point_m = worst.point_m.max((dot(to, to).sqrt() - SPHERE_RADIUS).abs());
            }
        }
    }
    println!("{worst:?}");
    assert!(worst.on_plane > 30_000 && worst.on_sphere > 3_000, "{worst:?}");
    worst
}

/// Every range and every point is right to a tenth of a millimetre.
fn assert_exact(worst: &Worst) {
    assert!(worst.plane_m < 1e-4 && worst.sphere_m < 1e-4 && worst.point_m < 1e-4, "{worst:?}");
    // Beams that meet the triangles of the ball but pass the ball itself.
    assert!(worst.rim * 1000 < worst.on_sphere, "{worst:?}");
}

/// First firing cycle of the revolution of a firing cycle, and its time.
fn revolution_start_s(cycle: u64) -> f64 {
    let per_cycle = TURNS_PER_S * CYCLE_S;
    let first = ((cycle as f64 * per_cycle + 1e-9).floor() / per_cycle - 1e-6).ceil();
    first * CYCLE_S
}

#[test]
fn a_plane_and_a_sphere_are_distorted_by_motion_as_the_closed_form_says() {
    let (rows, _) = simulate(&prepared(&text("")), None);
    let worst = compare(&rows, |_, time_s| time_s);
    assert_exact(&worst);

    // Another pose than that at each pulse's own time is seen at once.
    let late = compare(&rows, |_, time_s| time_s + 1e-4);
    assert!(late.plane_m > 1e-3 && late.sphere_m > 1e-3);
}

#[test]
fn a_pose_per_scan_leaves_no_distortion() {
    let frozen = prepared(&text("pose = \"per-scan\""));
    let (rows, poses) = simulate(&frozen, None);
    let worst = compare(&rows, |cycle, _| revolution_start_s(cycle));
    assert_exact(&worst);
    assert!(compare(&rows, |_, time_s| time_s).plane_m > 0.1);
    assert_eq!(poses.len(), 3);

    // It depends on the pulse alone: parts that begin within a scan give the same rows and poses.
    let mut parts = Records::default();
    for (from_s, to_s) in [(0.0, 0.03), (0.03, 0.171), (0.171, DURATION_S)] {
        let (part, starts) = simulate(&frozen, Some((from_s, to_s)));
        parts.append(&part);
        assert!(starts.iter().all(|start| {
            let same = poses.iter().find(|whole| whole.scan == start.scan).unwrap();
            same.world_from_sensor == start.world_from_sensor
        }));
    }
    assert!(same(&parts, &rows));
}

/// The mount's lever arm is turned with the platform: each scan's pose is the closed form's.
#[test]
fn scans_begin_where_the_sensor_is() {
    let (_, poses) = simulate(&prepared(&text("")), None);
    for pose in poses {
        let yaw = [0.0, 0.0, YAW_DEG_S * pose.time_s];
        let at = add(add(START, scale(VELOCITY, pose.time_s)), turn(MOUNT, yaw));
        let found: V = std::array::from_fn(|i| pose.world_from_sensor[i][3]);
        assert!((0..3).all(|i| (at[i] - found[i]).abs() < 1e-9));
    }
}

const SENSORS: &str = "
[[sensor]]
name = \"a\"
preset = \"vlp-16\"
delay_s = 0.013
[[sensor]]
name = \"b\"
preset = \"os1-64-uniform\"
delay_s = \"random\"
[[sensor]]
name = \"c\"
preset = \"lms-291\"
[platform]
";

fn several(platform: &str) -> String {
    let one = text(platform);
    let (world, rest) = one.split_once("[[sensor]]").unwrap();
    let platform = rest.split_once("[platform]").unwrap().1;
    format!("{world}{SENSORS}{platform}").replace("duration_s = 0.25", "duration_s = 0.12")
}

#[test]
fn sensors_that_begin_later_fire_the_same_later() {
    let run = prepared(&several("pose = \"per-scan\"\nnavigation = { preset = \"gps\" }"));
    let patterns: Vec<_> = run.sensors.iter().map(|sensor| &sensor.pattern).collect();
    assert_eq!((patterns[0].delay_s(), patterns[2].delay_s()), (0.013, 0.0));
    let drawn = patterns[1].delay_s();
    assert!(drawn > 0.0 && drawn < patterns[1].scan_duration_s(), "{drawn}");
    assert_eq!((patterns[0].first_pulse_at(0.0), patterns[0].first_pulse_at(0.0129)), (0, 0));
    assert!(patterns[0].first_pulse_at(0.0131) > 0);

    let (rows, _) = simulate(&run, None);
    let first = |sensor: u16| {
        let of_sensor = (0..rows.len()).filter(|&row| rows.sensor[row] == sensor);
        of_sensor.map(|row| rows.time_s[row]).fold(f64::INFINITY, f64::min)
    };
    assert!((first(0) - 0.013).abs() < 1e-12 && (first(1) - drawn).abs() < 1e-12);
    assert!(first(2) < 1e-3);
    let starts: Vec<f64> = (0..rows.len())
        .map(|row| run.sensors[usize::from(rows.sensor[row])].pattern.cycle_of(rows.pulse[row]))
        .map(|cycle| cycle.start_s)
        .collect();
    assert!(starts.is_sorted());
    assert!(starts.iter().all(|start_s| *start_s < 0.12));

    let mut parts = Records::default();
    for (from_s, to_s) in [(0.0, 0.0131), (0.0131, 0.04), (0.04, 0.0857), (0.0857, 0.12)] {
        parts.append(&simulate(&run, Some((from_s, to_s))).0);
    }
    assert!(same(&parts, &rows));
}

/// Points are where the platform believes them; the truth stays true.
#[test]
fn points_are_registered_with_the_believed_pose_or_the_true_one() {
    let offset =
        "navigation = { gps = { bias_m = [1.0, 2.0, -0.5] }, compass = { bias_deg = 90.0 } }";
    let truth = simulate(&prepared(&text("")), None).0;
    let (estimated, poses) = simulate(&prepared(&text(offset)), None);
    let true_points = Records { world_xyz_m: truth.world_xyz_m.clone(), ..estimated.clone() };
    let true_points = Records { origin_xyz_m: truth.origin_xyz_m.clone(), ..true_points };
    assert!(same(&true_points, &truth) && !same(&estimated, &truth));
    for row in (0..truth.len()).filter(|&row| !truth.is_miss(row)).step_by(97) {
        let at = add(START, scale(VELOCITY, truth.time_s[row]));
        let wrong = |point: V| {
            let turned = turn(add(point, scale(at, -1.0)), [0.0, 0.0, 90.0]);
            add(add(turned, at), [1.0, 2.0, -0.5])
        };
        let near = |a: V, b: V| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-9);
        assert!(near(wrong(truth.world_xyz_m[row]), estimated.world_xyz_m[row]));
        assert!(near(wrong(truth.origin_xyz_m[row]), estimated.origin_xyz_m[row]));
        let d = truth.direction_xyz[row].map(f64::from);
        let turned = estimated.direction_xyz[row].map(f64::from);
        assert!((d[0] - turned[1]).abs() < 1e-6 && (d[1] + turned[0]).abs() < 1e-6);
    }
    let start: V = std::array::from_fn(|i| poses[0].world_from_sensor[i][3]);
    let wanted = add(add(START, turn(MOUNT, [0.0, 0.0, 90.0])), [1.0, 2.0, -0.5]);
    assert!((0..3).all(|i| (start[i] - wanted[i]).abs() < 1e-9), "{start:?}");

    let registered = simulate(&prepared(&text(&format!("register = \"true\"\n{offset}"))), None).0;
    assert!(same(&registered, &truth));
    let exact = "navigation = { gps = {}, compass = {}, imu = {} }";
    let exact = simulate(&prepared(&text(exact)), None).0;
    let off = truth.world_xyz_m.iter().flatten().zip(exact.world_xyz_m.iter().flatten());
    assert!(off.filter(|(a, _)| a.is_finite()).all(|(a, b)| (a - b).abs() < 1e-9));
}
