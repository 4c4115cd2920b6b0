use super::*;
use crate::world::trajectory::{PosePer, Register};
use glam::DVec3;

const WORLD: &str = "version = 1\nseed = 1\nduration_s = 2.0\n[world]\n[[world.object]]\nname = \"g\"\nshape = \"plane\"\nsize_m = [9, 9]\n[[sensor]]\nname = \"s\"\npreset = \"vlp-16\"\n";

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn read_in(folder: &Path, rest: &str) -> Result<Scenario, Error> {
    Scenario::from_toml(&format!("{WORLD}{rest}"), "a.toml", folder)
}

fn read(rest: &str) -> Result<Scenario, Error> {
    read_in(Path::new("nowhere"), rest)
}

fn at(scenario: &Scenario, time_s: f64) -> DVec3 {
    scenario.trajectory.pose_at(time_s).translation
}

fn heading_deg(scenario: &Scenario, time_s: f64) -> f64 {
    let forward = scenario.trajectory.pose_at(time_s).rotation * DVec3::X;
    forward.y.atan2(forward.x).to_degrees()
}

const TUM: &str =
    "100 0 0 0 0 0 0 1\n101 1 0 0 0 0 0 1\n102.5 1 3 0 0 0 0.7071067811865476 0.7071067811865476\n";

#[test]
fn a_file_of_poses_moves_the_platform() {
    let folder = folder_with(&[("drive.tum", TUM)]);
    let scenario = read_in(folder.path(), "[platform]\nfile = \"drive.tum\"").unwrap();
    assert_eq!(at(&scenario, 0.5), DVec3::new(0.5, 0.0, 0.0));
    assert!((at(&scenario, 1.75) - DVec3::new(1.0, 1.5, 0.0)).length() < 1e-12);
    assert!((heading_deg(&scenario, 1.75) - 45.0).abs() < 1e-9);
    assert_eq!(scenario.platform_paths().count(), 1);

    let keys = "[platform]\nfile = \"drive.tum\"\nstart_at_s = 100.5\nposition_m = [5, 0, 1]\nrotation_deg = [0, 0, 90]";
    let moved = read_in(folder.path(), keys).unwrap();
    assert!((at(&moved, 0.0) - DVec3::new(5.0, 0.5, 1.0)).length() < 1e-12);

    let keys = "[platform]\nfile = \"drive.tum\"\nstart_at_s = 102\nbeyond_end = \"hold\"";
    assert_eq!(at(&read_in(folder.path(), keys).unwrap(), 1.9), DVec3::new(1.0, 3.0, 0.0));
    let keys = "[platform]\nfile = \"drive.tum\"\ninterpolation = \"spline\"";
    let smooth = read_in(folder.path(), keys).unwrap();
    assert!((at(&smooth, 1.0) - DVec3::X).length() < 1e-12);
    assert!((at(&smooth, 0.5) - DVec3::new(0.5, 0.0, 0.0)).length() > 0.01);
}

/// Each row: files, the keys of the platform, and what the refusal says.
#[test]
fn bad_trajectories_are_refused() {
    let ok = "0 0 0 0 0 0 0 1\n3 1 0 0 0 0 0 1\n";
    for (text, keys, expected) in [
        (TUM, "start_at_s = 101", "the run lasts from 101 to 103 s in the clock of"),
        (TUM, "start_at_s = 101", "whose poses last from 100 to 102.5 s; change `duration_s`"),
        (TUM, "start_at_s = 99", "from 99 to 101 s"),
        (TUM, "start_at_s = 99", "`beyond_end = \"hold\"`"),
        (TUM, "start_at_s = nan", "`start_at_s` is NaN"),
        ("0 0 0 0 0 0 0 1\n0 1 0 0 0 0 0 1\n", "", "line 2: time 0 s does not come after 0 s"),
        ("1 0 0 0 0 0 0 1\n0 1 0 0 0 0 0 1\n", "", "line 2: time 0 s does not come after 1 s"),
        ("0 0 0 0 0 0 0 1\nnan 1 0 0 0 0 0 1\n", "", "line 2 has \"nan\" as its time"),
        ("0 0 0 0 0 0 0 1\n1 1 0 0 0 0 1 1\n", "", "line 2: its quaternion has length 1.4142"),
        ("0 0 0 0\n3 1 0 0\n", "", "has positions without rotations; set `heading`"),
        (ok, "heading = \"along-path\"", "leave `heading` away"),
        (ok, "heading = \"along-pth\"", "along-path"),
        (ok, "topic = \"/odom\"", "needs no `topic`"),
        (ok, "times = \"none.txt\"", "none.txt cannot be read"),
        (ok, "beyond_end = \"stop\"", "hold"),
        (
            ok,
            "waypoints = [{ position_m = [0, 0, 0] }]",
            "the platform has `waypoints` and a `file`; keep one",
        ),
        (ok, "interpolation = \"cubic\"", "spline"),
    ] {
        let folder = folder_with(&[("drive.tum", text)]);
        let rest = format!("[platform]\nfile = \"drive.tum\"\n{keys}\n");
        let error = read_in(folder.path(), &rest).expect_err(expected).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
    let folder = folder_with(&[]);
    let error = read_in(folder.path(), "[platform]\nfile = \"drive.tum\"").unwrap_err().to_string();
    assert!(error.contains("a.toml:13") && error.contains("drive.tum cannot be read"), "{error}");
    for (keys, expected) in [
        ("start_at_s = 1.0", "the platform has `start_at_s` but no `file`"),
        ("beyond_end = \"hold\"", "`beyond_end` but no `file`"),
        ("interpolation = \"spline\"", "`interpolation` but stands still"),
        ("heading = \"along-path\"", "`heading` but stands still"),
        ("register = \"true\"", "the platform has no navigation"),
        ("pose = \"per-line\"", "per-"),
        ("fil = \"a.tum\"", "file"),
        ("navigation = {}", "the navigation has no instrument"),
        ("navigation = { preset = \"rtl\" }", "use one of \"rtk\", \"gps\""),
        (
            "navigation = { gps = { sigma_m = [-1, 0] } }",
            "`sigma_m` holds -1; give a number from 0 to 1000",
        ),
        ("navigation = { gps = { rate_hz = 0 } }", "`rate_hz` is 0"),
        ("navigation = { gps = { sigma_mm = [1, 1] } }", "sigma_m"),
        ("navigation = { compass = { bias_deg = nan } }", "`bias_deg` is NaN"),
        ("navigation = { imu = { tilt_sigma_deg = 50 } }", "from 0 to 30"),
    ] {
        let error = read(&format!("[platform]\n{keys}\n")).expect_err(keys).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn positions_alone_may_look_along_their_path() {
    let circle: String = (0..=40)
        .map(|i| {
            let angle = f64::from(i) * 0.05;
            format!("{angle} {} {} 0\n", 10.0 * angle.sin(), 10.0 * (1.0 - angle.cos()))
        })
        .collect();
    let folder = folder_with(&[("drive.csv", &circle)]);
    let keys =
        "[platform]\nfile = \"drive.csv\"\nheading = \"along-path\"\ninterpolation = \"spline\"";
    let scenario = read_in(folder.path(), keys).unwrap();
    for step in 0..=200 {
        let time_s = f64::from(step) * 0.01;
        assert!((heading_deg(&scenario, time_s) - time_s.to_degrees()).abs() < 0.06, "{time_s}");
    }
}

#[test]
fn speeds_and_waits_give_the_times() {
    let keys = "[platform]\nwaypoints = [
    { position_m = [0, 0, 0] },
    { position_m = [3, 4, 0], speed_m_s = 10.0, wait_s = 0.25 },
    { position_m = [3, 4, 2], speed_m_s = 8.0 },
    { position_m = [0, 0, 0], time_s = 1.75, rotation_deg = [0, 0, 90] },
]";
    let scenario = read(keys).unwrap();
    assert_eq!(at(&scenario, 0.25), DVec3::new(1.5, 2.0, 0.0));
    assert_eq!(at(&scenario, 0.5), DVec3::new(3.0, 4.0, 0.0));
    assert_eq!(at(&scenario, 0.7), DVec3::new(3.0, 4.0, 0.0));
    assert!((at(&scenario, 0.875) - DVec3::new(3.0, 4.0, 1.0)).length() < 1e-12);
    assert_eq!(at(&scenario, 1.0), DVec3::new(3.0, 4.0, 2.0));
    assert_eq!((at(&scenario, 1.75), scenario.trajectory.span_s()), (DVec3::ZERO, (0.0, 1.75)));

    // Along a spline the way is longer, and the mean speed is kept on every leg.
    let smooth = keys.replace("waypoints", "interpolation = \"spline\"\nwaypoints");
    let smooth =
        read(&smooth.replace(", wait_s = 0.25", "").replace("time_s = 1.75", "speed_m_s = 5"));
    let path = smooth.unwrap().trajectory;
    let (_, end_s) = path.span_s();
    let steps = 200_000;
    let place = |step: i32| path.pose_at(end_s * f64::from(step) / f64::from(steps)).translation;
    let length: f64 = (0..steps).map(|step| place(step).distance(place(step + 1))).sum();
    let lengths = path.lengths_m();
    assert!((lengths.iter().sum::<f64>() - length).abs() < 1e-5, "{lengths:?} {length}");
    let wanted = lengths[0] / 10.0 + lengths[1] / 8.0 + lengths[2] / 5.0;
    assert!((end_s - wanted).abs() < 1e-6, "{end_s} {wanted}");
    assert!(length > 5.0 + 2.0 + 29f64.sqrt());

    let along = keys.replace("waypoints", "heading = \"along-path\"\nwaypoints");
    let along = read(&along).unwrap();
    assert!((heading_deg(&along, 1.75) - 90.0).abs() < 1e-9);
    for time_s in [0.5, 0.6, 0.75] {
        assert!((heading_deg(&along, time_s) - 4f64.atan2(3.0).to_degrees()).abs() < 1e-9);
    }
}

#[test]
fn bad_waypoints_are_refused() {
    for (last, expected) in [
        ("{ position_m = [1, 0, 0] }", "neither `time_s` nor `speed_m_s`"),
        ("{ position_m = [1, 0, 0], time_s = 1, speed_m_s = 1 }", "both `time_s` and `speed_m_s`"),
        ("{ position_m = [1, 0, 0], speed_m_s = 0 }", "`speed_m_s` is 0"),
        ("{ position_m = [1, 0, 0], speed_m_s = -2 }", "`speed_m_s` is -2"),
        ("{ position_m = [0, 0, 0], speed_m_s = 1 }", "lies where the one before it does"),
        ("{ position_m = [1, 0, 0], time_s = 0.4 }", "not after the waypoint before it"),
        ("{ position_m = [1, 0, 0], time_s = nan }", "`time_s` is NaN"),
        ("{ position_m = [1, 0, 0], time_s = 1, wait_s = -1 }", "`wait_s` is -1"),
    ] {
        let keys = format!(
            "[platform]\nwaypoints = [\n    {{ position_m = [0, 0, 0], wait_s = 0.5 }},\n    {last},\n]\n"
        );
        let error = read(&keys).expect_err(last).to_string();
        assert!(error.contains(expected) && error.contains("a.toml:15"), "{error}");
    }
    let first = "[platform]\nwaypoints = [{ position_m = [0, 0, 0], speed_m_s = 1 }]";
    assert!(read(first).unwrap_err().to_string().contains("nothing leads to it"));
}

#[test]
fn delays_are_checked() {
    let read = |delay: &str| {
        let text = WORLD.replace("preset = ", &format!("delay_s = {delay}\npreset = "));
        Scenario::from_toml(&text, "a.toml", Path::new(""))
    };
    assert_eq!(read("0.5").unwrap().sensors[0].delay, Delay::Seconds(0.5));
    assert_eq!(read("\"random\"").unwrap().sensors[0].delay, Delay::Random);
    for bad in ["-0.1", "2.0", "nan", "\"randm\"", "[1]"] {
        let error = read(bad).expect_err(bad).to_string();
        assert!(error.contains("`delay_s` is") && error.contains("a.toml:11"), "{error}");
    }
}

#[test]
fn navigation_and_poses_are_read() {
    let keys = "[platform]\npose = \"per-scan\"\nregister = \"true\"\n[platform.navigation]\npreset = \"rtk\"\ngps = { rate_hz = 2, bias_m = [1, 0, 0] }\n[output]\nposes = [\"a.tum\", \"b.csv\"]\nposes_hz = 10";
    let scenario = read(keys).unwrap();
    assert_eq!((scenario.pose_per, scenario.register), (PosePer::Scan, Register::True));
    let navigation = scenario.navigation.unwrap();
    let (gps, compass) = (navigation.gps.unwrap(), navigation.compass.unwrap());
    assert_eq!((gps.rate_hz, gps.sigma_m, gps.bias_m), (2.0, [0.01, 0.02], [1.0, 0.0, 0.0]));
    assert_eq!((compass.rate_hz, scenario.pose_rate_hz), (5.0, 10.0));
    assert_eq!(scenario.pose_outputs, [PathBuf::from("a.tum"), PathBuf::from("b.csv")]);
    for (output, expected) in [
        ("poses = [\"a.txt\"]", "names no format of poses; end it in .tum or .csv or .sbet"),
        (
            "poses = [\"a.sbet\"]",
            "holds latitudes, but nothing says where the world is; add [world.",
        ),
        ("poses = [\"a.csv\"]\nfiles = [\"a.csv\"]", "is written twice"),
        ("poses = [\"a.csv\"]\nposes_hz = 0", "`poses_hz` is 0"),
    ] {
        let error = read(&format!("[output]\n{output}")).expect_err(output).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// What a run writes of its poses is read back as its poses.
#[test]
fn poses_are_written_as_they_are() {
    let waypoints = "[platform]\nnavigation = { preset = \"gps\" }\nwaypoints = [{ position_m = [500000.25, 5400000.5, 100] }, { position_m = [500003, 5400001, 101], time_s = 2, rotation_deg = [3, -4, 50] }]";
    let run = read(waypoints).unwrap().prepare().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("poses.tum");
    let write = |path: &Path| crate::run::pose_output::write_poses(&run, path, 50.0, None).unwrap();
    let written = write(&path);
    assert_eq!(written, [path.clone(), folder.path().join("poses.estimated.tum")]);
    let estimated = run.registration.estimated.as_ref().unwrap();
    for (file, believes) in written.iter().zip([false, true]) {
        let poses = understory_cloud::read_pose_file(file, &Default::default()).unwrap();
        assert_eq!(poses.len(), 101);
        for (index, &time_s) in poses.times_s.iter().enumerate() {
            let truth = run.trajectory.pose_at(time_s);
            let wanted = if believes { estimated.pose_at(time_s, &truth) } else { truth };
            assert_eq!(poses.positions_m[index], wanted.translation);
            assert!(poses.rotations[index].dot(wanted.rotation).abs() > 1.0 - 1e-15);
        }
    }
    let table = write(&folder.path().join("poses.csv"));
    assert_eq!(table.len(), 3);
    let rows = std::fs::read_to_string(&table[0]).unwrap();
    let row: Vec<f64> =
        rows.lines().nth(51).unwrap().split(',').map(|v| v.parse().unwrap()).collect();
    assert_eq!((row.len(), row[0]), (19, 1.0));
    assert!((row[8] - row[1] - row[15]).abs() < 1e-9 && row[18] > 0.0);
    let fixes = std::fs::read_to_string(&table[1]).unwrap();
    assert_eq!(fixes.lines().count(), 1 + estimated.fixes.len());
}
