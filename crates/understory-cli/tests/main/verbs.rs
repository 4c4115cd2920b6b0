//! What each verb gives when all is well.

use std::time::Instant;

use serde_json::Value;
use understory_testing::Python;

use super::support::{WALL, Workplace, text};

const VERBS: [&str; 10] = [
    "demo",
    "run",
    "render",
    "export",
    "check",
    "info",
    "convert",
    "trace",
    "sensors",
    "scenarios",
];

fn json(work: &Workplace, name: &str) -> Value {
    serde_json::from_slice(&work.bytes(name)).unwrap()
}

#[test]
fn every_verb_explains_itself_with_examples() {
    let work = Workplace::new();
    for verb in VERBS {
        let help = work.succeed(&[verb, "--help"]);
        assert!(help.contains("Examples:"), "{verb}");
        assert!(help.contains(&format!("understory {verb}")), "{verb}");
    }
}

#[test]
fn without_a_verb_the_help_is_shown() {
    let output = Workplace::new().run(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("understory demo"));
}

#[test]
fn run_writes_what_it_says() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let output = work.succeed(&["run", "site.toml", "--json", "summary.json"]);
    for name in ["out/site/site.laz", "out/site/site.png"] {
        assert!(output.contains(name) && work.path(name).is_file(), "{output}");
    }
    let summary = json(&work, "summary.json");
    let number = |key: &str| summary[key].as_f64().unwrap_or_else(|| panic!("{key}: {summary}"));
    // 0.01 s of a VLP-16: cycles of 16 pulses in 55.296 µs.
    assert_eq!(number("pulses"), number("misses") + number("returns"));
    assert!((number("pulses") - 16.0 * 0.01 / 55.296e-6).abs() <= 16.0, "{summary}");
    assert_eq!(number("sub_rays"), 9.0 * number("pulses"));
    assert_eq!(number("seconds_simulated"), 0.01);
    for key in ["seconds_wall", "real_time_factor", "rays_per_second", "peak_memory_mb"] {
        assert!(number(key) > 0.0, "{key}");
    }
}

#[test]
fn json_may_go_to_stdout() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let printed = work.succeed(&["run", "site.toml", "--no-picture", "--json", "-"]);
    let summary: Value = serde_json::from_str(&printed).unwrap();
    assert!(summary["returns"].as_u64().unwrap() > 0);
    assert!(!work.path("out/site/site.png").exists());
}

#[test]
fn quiet_is_quiet() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let output = work.run(&["run", "site.toml", "--quiet"]);
    assert!(output.status.success());
    assert_eq!((text(&output.stdout), text(&output.stderr)), (String::new(), String::new()));
}

#[test]
fn check_tells_what_is_to_come() {
    let work = Workplace::new();
    work.put("site.toml", WALL);
    let output = work.succeed(&["check", "site.toml", "--json", "check.json"]);
    assert!(output.contains("site.toml is valid"), "{output}");
    let value = json(&work, "check.json");
    assert_eq!((&value["objects"], &value["triangles"]), (&Value::from(1), &Value::from(2)));
    assert_eq!(value["sensors"][0]["name"], "lidar");
    assert!(!work.path("out").exists());
}

#[test]
fn trace_tells_the_range_of_the_wall() {
    let work = Workplace::new();
    work.put(
        "site.toml",
        WALL.replace(
            "preset = \"vlp-16\"",
            "preset = \"vlp-16\"\n[sensor.override.beam]\nsampling = \"single\"",
        ),
    );
    let output = work.succeed(&["trace", "site.toml", "--pulse", "1", "--json", "pulse.json"]);
    assert!(output.contains("pulse 1 of sensor 0 (lidar)"), "{output}");
    let pulse = json(&work, "pulse.json");
    let radians = |key: &str| pulse[key].as_f64().unwrap().to_radians();
    let expected_m = 10.0 / (radians("azimuth_deg").cos() * radians("elevation_deg").cos());
    let found_m = pulse["sub_rays"][0]["hits"][0]["distance_m"].as_f64().unwrap();
    assert!((found_m - expected_m).abs() < 1e-4, "{found_m} {expected_m}");
}

#[test]
fn info_knows_recordings_meshes_sensors_and_scenarios() {
    let work = Workplace::new();
    work.put("site.toml", WALL).put("tri.obj", "v 0 0 0\nv 2 0 0\nv 0 3 0\nf 1 2 3\n");
    work.succeed(&["run", "site.toml", "--format", "laz", "--format", "csv", "--json", "s.json"]);
    let returns = json(&work, "s.json")["returns"].clone();
    work.succeed(&["info", "out/site/site.laz", "--json", "i.json"]);
    assert_eq!(json(&work, "i.json")["rows"], returns);
    assert!(work.succeed(&["info", "out/site/site.csv"]).contains("range_m"));
    assert!(work.succeed(&["info", "tri.obj"]).contains("3.000 m²"));
    assert!(work.succeed(&["info", "vlp-16"]).contains("Velodyne"));
    work.put("mine.toml", work.succeed(&["sensors", "vlp-16"]));
    assert!(work.succeed(&["info", "mine.toml"]).contains("Velodyne"));
    assert!(work.succeed(&["info", "site.toml"]).contains("pulses to come"));
}

#[test]
fn presets_and_scenarios_are_listed_and_printed() {
    let work = Workplace::new();
    let sensors = work.succeed(&["sensors", "--json", "sensors.json"]);
    assert!(sensors.contains("vlp-16") && sensors.contains("hdl-64e-s3"));
    assert!(json(&work, "sensors.json").as_array().unwrap().len() > 15);
    let scenarios = work.succeed(&["scenarios"]);
    assert!(scenarios.contains("demo"));
    work.put("mine.toml", work.succeed(&["scenarios", "first-scan"]));
    work.succeed(&["check", "mine.toml"]);
}

/// The file must open in a program that is not ours; `cargo xtask test` sets the variable.
#[test]
fn the_demo_opens_in_laspy() {
    let work = Workplace::new();
    let start = Instant::now();
    let output = work.succeed(&["demo"]);
    println!("the demo took {:.1} s", start.elapsed().as_secs_f64());
    assert!(output.contains("out/demo/demo.png"), "{output}");
    assert_eq!(
        work.listing(),
        ["out", "out/demo", "out/demo/demo.json", "out/demo/demo.laz", "out/demo/demo.png"]
    );
    let Some(python) = Python::find() else {
        return;
    };
    let script = "import laspy, sys; f = laspy.read(sys.argv[1]); print(len(f.points)); assert 'true_range_m' in list(f.point_format.extra_dimension_names)";
    let demo = work.path("out/demo/demo.laz");
    let points: u64 =
        python.run(["-c".as_ref(), script.as_ref(), demo.as_os_str()]).trim().parse().unwrap();
    assert_eq!(Value::from(points), json(&work, "out/demo/demo.json")["returns"]);
}
