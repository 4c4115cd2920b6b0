//! Drives and tables of drives.

use std::fs;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::support::{Workplace, assert_refused, text};
use serde_json::Value;
use understory_testing::picture::Pixels;

/// A level yard with a wall across the way.
pub const YARD: &str = r#"version = 1
seed = 3
duration_s = 1.0

[world.terrain]
plane = { size_m = [60.0, 60.0], spacing_m = 5.0 }
material = "soil"

[[world.object]]
name = "wall"
shape = "box"
size_m = [0.4, 10.0, 2.0]
position_m = [0.0, 1.0, 0.0]
material = "concrete"
label = "building"

[[sensor]]
name = "lidar"
preset = "lms-291"
position_m = [0.0, 0.0, 1.6]

[platform]
position_m = [-10.0, 0.0, 0.0]

[platform.navigation]
preset = "rtk"

[drive]
goal_m = [10.0, 0.0]

[drive.map]
cells = 100
"#;

fn yard() -> Workplace {
    let work = Workplace::new();
    work.put("yard.toml", YARD);
    work
}

/// A table without what computing took.
fn rows(work: &Workplace, name: &str) -> Vec<Value> {
    let table: Value = serde_json::from_slice(&work.bytes(name)).unwrap();
    let mut rows = table["drives"].as_array().unwrap().clone();
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("computing");
    }
    rows
}

#[test]
fn one_drive_writes_its_map_and_its_way() {
    let work = yard();
    let told = work.succeed(&["drive", "yard.toml", "--json", "how.json", "--animation", "both"]);
    assert!(told.contains("outcome") && told.contains("reached"), "{told}");
    let how: Value = serde_json::from_slice(&work.bytes("how.json")).unwrap();
    assert_eq!(how["success"], true);
    assert!(how["spl"].as_f64().unwrap() > 0.6 && how["best_m"].as_f64().unwrap() > 18.0, "{how}");
    assert!(how["computing"]["real_time_factor"].as_f64().unwrap() > 0.0);
    let way = text(&work.bytes("out/yard/yard-way.csv"));
    assert!(way.starts_with("time_s,x_m,y_m,z_m,qx,qy,qz,qw\n0.00,-10,0,0,"), "{way:.80}");
    let rows = way.lines().count() as f64 - 1.0;
    assert!((rows - 1.0 - how["time_s"].as_f64().unwrap() * 100.0).abs() < 1.5, "{rows}");
    let map = Pixels::from_png(&work.bytes("out/yard/yard-map.png"));
    assert_eq!(map.size, [800, 800]);
    for animation in ["above", "behind"] {
        let gif = work.bytes(&format!("out/yard/yard-{animation}.gif"));
        assert!(gif.starts_with(b"GIF89a") && gif.len() > 10_000, "{animation}");
    }
    // The same bytes for any number of threads.
    for threads in ["1", "8"] {
        work.succeed(&["drive", "yard.toml", "--threads", threads, "-o", threads, "-q"]);
        for file in ["yard-way.csv", "yard-map.png"] {
            let again = work.bytes(&format!("{threads}/{file}"));
            assert!(again == work.bytes(&format!("out/yard/{file}")), "{file}, {threads} threads");
        }
    }
}

/// A table that is killed again and again ends with the rows of one that was left alone.
#[test]
fn a_killed_table_goes_on() {
    let work = yard();
    let table = |json: &'static str| {
        ["drive", "yard.toml", "--seeds", "1..4", "--mappers", "height,oracle", "--json", json]
    };
    let told = work.succeed(&table("whole.json"));
    assert!(told.contains("oracle against height") && told.contains("sign test"), "{told}");
    assert!(!work.path("whole.json.drives").exists());
    let whole = rows(&work, "whole.json");
    assert_eq!(whole.len(), 8);
    let store = work.path("killed.json.drives");
    for stored in [2, 5] {
        let mut child = work.command(&table("killed.json")).stdout(Stdio::null()).spawn().unwrap();
        let patience = Instant::now();
        let lines = || fs::read_to_string(&store).map_or(0, |text| text.lines().count());
        while lines() <= stored && child.try_wait().unwrap().is_none() {
            assert!(patience.elapsed() < Duration::from_secs(120), "nothing was stored");
            sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let mut arguments = table("killed.json").to_vec();
    arguments.extend(["--plot", "plots"]);
    work.succeed(&arguments);
    assert_eq!(Pixels::from_png(&work.bytes("plots/yard-arrivals.png")).size[0], 900);
    assert!(text(&work.bytes("plots/yard-arrivals.svg")).contains("oracle"));
    assert_eq!(rows(&work, "killed.json"), whole);
}

#[test]
fn wrong_drives_are_refused_in_one_sentence() {
    let work = yard();
    work.put("inside.toml", YARD.replace("goal_m = [10.0, 0.0]", "goal_m = [0.0, 2.0]"));
    for (arguments, words) in [
        (&["drive", "first-scan"][..], &["no table [drive]"][..]),
        (&["drive", "inside.toml"], &["inside.toml:", "in something solid", "move `goal_m`"]),
        (&["drive", "yard.toml", "--mappers", "hight"], &["mapper", "height"]),
        (&["drive", "yard.toml", "--sensors", "vlp-61"], &["vlp-16"]),
        (&["drive", "yard.toml", "--seeds", "4..1"], &["--seeds", "1..20"]),
        (&["drive", "yard.toml", "--until", "0"], &["seconds above 0"]),
        (&["drive", "yard.toml", "--seeds", "1..2", "--until", "3"], &["for one drive"]),
        (&["drive", "yard.toml", "--plot", "p"], &["for tables"]),
    ] {
        assert_refused(&work.run(arguments), 2, words);
    }
    work.put("t.json.drives", "something else\n");
    let arguments = ["drive", "yard.toml", "--seeds", "1..2", "--json", "t.json"];
    assert_refused(&work.run(&arguments), 2, &["holds no drives of this scenario"]);
}
