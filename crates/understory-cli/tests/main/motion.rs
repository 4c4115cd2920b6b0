//! Bodies under physics: recorded, written, replayed and read by others.

use super::support::{Workplace, assert_refused, text};
use std::path::Path;
use understory_testing::Python;

/// A ball and a car under physics before two sensors, one of which stands askew.
const BODIES: &str = r#"version = 1
seed = 4
duration_s = 0.4

[world]
#REPLAY

[world.terrain]
plane = { size_m = [60.0, 60.0], spacing_m = 1.0 }
relief = [{ rms_height_m = 0.03, wavelength_max_m = 3.0 }]

[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.3
tolerance_m = 0.005
label = "other-object"
position_m = [6.0, 1.0, 1.0]
body = { mass_kg = 3.0, velocity_m_s = [0.0, -2.0, 0.0], restitution = 0.4 }

[[world.object]]
name = "car"
shape = "car"
label = "car"
position_m = [9.0, -3.0, 0.0]
rotation_deg = [0.0, 0.0, 110.0]
[world.object.vehicle]
speed_m_s = 7.0
drive = [{ time_s = 0.0, steer_deg = 8.0 }]

[[sensor]]
name = "roof"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.8]

[[sensor]]
name = "side"
preset = "vlp-16"
position_m = [0.5, 0.4, 1.2]
rotation_deg = [2.0, 5.0, -40.0]

[output]
files = ["points.csv", "points.laz"]
motion = ["truth/motion.csv", "truth/motion.txt", "truth/tracklet_labels.xml"]
motion_sensor = "side"
picture = false
"#;

const POINTS: [&str; 2] = ["points.csv", "points.laz"];

#[test]
fn physics_and_its_replay_give_the_same_bytes_for_any_threads() {
    let work = Workplace::new();
    work.put("bodies.toml", BODIES);
    work.put("replay.toml", BODIES.replace("#REPLAY", "motion = { file = \"motion.csv\" }"));
    let output = work.succeed(&["motion", "bodies.toml", "-o", "motion.csv"]);
    assert!(
        output.contains("ball") && output.contains("car") && !output.contains("terrain"),
        "{output}"
    );
    work.succeed(&["run", "bodies.toml", "--out", "physics", "--quiet", "--threads", "1"]);
    work.succeed(&["run", "bodies.toml", "--out", "again", "--quiet", "--threads", "3"]);
    work.succeed(&["run", "replay.toml", "--out", "replay", "--quiet", "--threads", "2"]);
    let truth = ["truth/motion.csv", "truth/motion.txt", "truth/tracklet_labels.xml"];
    for name in POINTS.into_iter().chain(truth) {
        let first = work.bytes(&format!("physics/{name}"));
        assert!(!first.is_empty());
        for other in ["again", "replay"] {
            assert!(first == work.bytes(&format!("{other}/{name}")), "{name} differs in {other}");
        }
    }
    assert_eq!(work.bytes("physics/truth/motion.csv"), work.bytes("motion.csv"));
    let wanted =
        ["motion.csv", "motion.txt", "tracklet_labels.xml"].map(|n| format!("again/truth/{n}"));
    assert!(wanted.iter().all(|name| work.listing().contains(name)));
}

#[test]
fn others_read_the_motion_as_we_mean_it() {
    let Some(python) = Python::find() else {
        return;
    };
    let work = Workplace::new();
    work.put("bodies.toml", BODIES);
    let files = ["motion.csv", "motion.txt", "tracklet_labels.xml"];
    let mut arguments = vec!["motion", "bodies.toml", "--sensor", "side", "--rate", "200"];
    arguments.extend(files.iter().flat_map(|file| ["-o", *file]));
    work.succeed(&arguments);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_motion.py");
    python.run(std::iter::once(script).chain(files.map(|file| work.path(file))));
}

#[test]
fn a_selection_of_objects_and_times_is_written() {
    let work = Workplace::new();
    work.put("bodies.toml", BODIES);
    let output = work.succeed(&[
        "motion",
        "bodies.toml",
        "-o",
        "m.csv",
        "--objects",
        "ca?",
        "--interval",
        "0.1..0.2",
        "--rate",
        "50",
        "--json",
        "-",
    ]);
    let json: serde_json::Value = serde_json::from_str(&output).unwrap();
    assert_eq!(json.as_array().unwrap().len(), 1);
    assert_eq!(json[0]["name"], "car");
    assert!((json[0]["way_m"].as_f64().unwrap() - 0.7).abs() < 0.02, "{json}");
    let csv = text(&work.bytes("m.csv"));
    // Six times, the car and its four wheels.
    assert_eq!(csv.lines().count(), 1 + 6 * 5, "{csv}");
    assert!(csv.lines().skip(1).all(|line| line.contains(",car,")), "{csv}");
    let output = work.succeed(&["motion", "bodies.toml", "--objects", "*"]);
    assert!(output.contains("terrain"), "{output}");
}

#[test]
fn mistakes_are_named() {
    let work = Workplace::new();
    work.put("bodies.toml", BODIES);
    let out = work.run(&["motion", "bodies.toml", "-o", "motion.laz"]);
    assert_refused(&out, 2, &["motion.laz", ".csv"]);
    let out = work.run(&["motion", "bodies.toml", "--objects", "cat"]);
    assert_refused(&out, 2, &["\"cat\"", "\"car\""]);
    for (from, to, words) in [
        ("mass_kg = 3.0", "mass_kg = -3.0", ["mass_kg", "bodies.toml:"]),
        ("mass_kg = 3.0", "weight_kg = 3.0", ["weight_kg", "mass_kg"]),
        ("steer_deg = 8.0", "steer_deg = 80.0", ["steer_deg", "45"]),
        ("restitution = 0.4", "restitution = 1.4", ["restitution", "from 0 to 1"]),
        ("motion.txt", "motion.pdf", ["motion.pdf", ".txt"]),
        ("motion_sensor = \"side\"", "motion_sensor = \"sid\"", ["\"sid\"", "side"]),
        ("#REPLAY", "motion = { file = \"none.csv\" }", ["none.csv", "bodies.toml:"]),
        ("#REPLAY", "physics = { obstacles = [\"bal\"] }", ["\"bal\"", "obstacles"]),
    ] {
        work.put("bodies.toml", BODIES.replace(from, to));
        let output = work.run(&["check", "bodies.toml"]);
        let words = if words[1] == "obstacles" { &words[..1] } else { &words[..] };
        assert_refused(&output, 2, words);
    }
}

#[test]
fn what_explodes_ends_the_run_and_is_named() {
    let work = Workplace::new();
    // Thrown over the edge of the world, it falls until it is faster than anything sane.
    let far =
        BODIES.replace("velocity_m_s = [0.0, -2.0, 0.0]", "velocity_m_s = [0.0, 1000.0, 0.0]");
    let far = far.replace("duration_s = 0.4", "duration_s = 110.0");
    let far = far.replace("#REPLAY", "physics = { step_s = 0.02, gravity_m_s2 = 100.0 }");
    work.put("far.toml", far);
    let output = work.run(&["motion", "far.toml", "-o", "m.csv"]);
    assert_refused(&output, 1, &["\"ball\"", "m/s after", "s;"]);
    assert!(!work.path("m.csv").exists());
}
