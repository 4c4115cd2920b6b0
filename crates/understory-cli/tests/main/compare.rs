//! Recordings of one world and of two, compared as a stranger would.

use std::path::Path;

use serde_json::Value;
use understory_testing::Python;

use super::support::{Workplace, assert_refused};

/// A sensor that stands still before slats, some of which beams miss; 24 revolutions.
const SLATS: &str = r#"version = 1
seed = 3
duration_s = 2.4

[world]

[[world.object]]
name = "wall"
shape = "plane"
size_m = [SIZE, 3.0]
position_m = [8.0, 0.0, 0.0]
rotation_deg = [0.0, -90.0, 10.0]

[[sensor]]
name = "lidar"
preset = "vlp-16"
"#;

const DRIVE: &str = r#"
[platform]
waypoints = [
    { time_s = 0.0, position_m = [0.0, 0.0, 0.0], rotation_deg = [0.0, 0.0, 0.0] },
    { time_s = 2.4, position_m = [1.5, 0.5, 0.0], rotation_deg = [0.0, 0.0, 10.0] },
]
"#;

fn simulate(work: &Workplace, name: &str, scenario: &str, seed: &str) {
    work.put(&format!("{name}.toml"), scenario);
    let scenario = format!("{name}.toml");
    let run = ["run", &scenario, "--out", name, "--seed", seed, "--format", "npy", "--no-picture"];
    work.succeed(&[&run[..], &["--quiet", "--interval", "0..2.4"]].concat());
}

fn json_of(work: &Workplace, arguments: &[&str]) -> Value {
    let output = work.succeed(&[&["compare"], arguments, &["--json", "-"]].concat());
    serde_json::from_str(&output).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn two_seeds_of_one_world_differ_by_chance_alone() {
    let work = Workplace::new();
    let slats = SLATS.replace("SIZE", "3.0");
    simulate(&work, "a", &slats, "1");
    simulate(&work, "b", &slats, "2");
    simulate(&work, "c", &slats.replace("[8.0, 0.0, 0.0]", "[8.02, 0.0, 0.0]"), "3");
    let (a, b, c) = ("a/a.npy", "b/b.npy", "c/c.npy");
    let limits = ["--range", "5..12"];
    let same = json_of(&work, &[&[a, b][..], &limits].concat());
    let other = json_of(&work, &[&[a, c][..], &limits].concat());
    assert_eq!((&same["mode"], &same["orientations_by"]), (&"static".into(), &"channel".into()));
    let of = |value: &Value, name: &str| number(&value["distances"][2][name]);
    // Bins of 5 cm; an orientation has eleven pulses only. Six standard deviations by the interval,
    // and 3 % of the floor for the floor itself.
    let floor = of(&same, "floor");
    let interval = &same["distances"][2]["interval"];
    let sigma = (number(&interval[1]) - number(&interval[0])) / (2.0 * 1.96);
    let excess = of(&same, "excess").abs();
    assert!(excess < 6.0 * sigma + 0.03 * floor && sigma < 0.05 * floor, "{same}");
    assert!(of(&other, "excess") > 0.4 * floor, "{other}");
    let score = |value: &Value, name: &str| number(&value["orientation_scores"][name]["mean"]);
    let lost = |value: &Value| score(value, "crps_m") - score(value, "crps_of_real_m");
    assert!(lost(&same).abs() < 5e-4 && lost(&other) > 2e-3, "{} {}", lost(&same), lost(&other));

    let Some(python) = Python::find() else {
        return;
    };
    work.succeed(&["compare", a, c, "--range", "7.95..8.0", "--json", "result.json"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_compare.py");
    let files = [a, c, "result.json"].map(|name| work.path(name));
    println!("{}", python.run(std::iter::once(script).chain(files)));
}

#[test]
fn plots_and_tables_are_written() {
    let work = Workplace::new();
    let slats = SLATS.replace("SIZE", "3.0").replace("2.4", "0.5");
    work.put("a.toml", &slats);
    work.succeed(&["run", "a.toml", "--out", "a", "--format", "npy", "--no-picture", "--quiet"]);
    let output =
        work.succeed(&["compare", "a/a.npy", "a/a.npy", "--plots", "plots", "--json", "r.json"]);
    assert!(output.contains("range bins of 2 mm") && output.contains("F-score"), "{output}");
    let result: Value = serde_json::from_slice(&work.bytes("r.json")).unwrap();
    assert_eq!(number(&result["distances"][0]["distance"]), 0.0);
    for name in ["plots/bearing-range.png", "plots/range-slices.png"] {
        let image = work.bytes(name);
        assert!(image.starts_with(b"\x89PNG") && image.len() > 5000, "{name}");
    }
    let away = ["--plots", "plots", "--plot-channel", "99"];
    let output = work.run(&[&["compare", "a/a.npy", "a/a.npy"], &away[..]].concat());
    assert_refused(&output, 2, &["--plot-channel"]);
}

#[test]
fn a_sensor_that_moves_is_compared_beam_by_beam() {
    let work = Workplace::new();
    let drive =
        SLATS.replace("SIZE", "3.0").replace("duration_s = 2.4", "duration_s = 0.3") + DRIVE;
    for (name, seed) in [("a", "1"), ("b", "2")] {
        work.put(&format!("{name}.toml"), &drive);
        let scenario = format!("{name}.toml");
        let run = ["run", &scenario, "--out", name, "--seed", seed, "--format", "npy"];
        work.succeed(&[&run[..], &["--format", "laz", "--no-picture", "--quiet"]].concat());
    }
    let found = json_of(&work, &["a/a.npy", "b/b.npy"]);
    assert_eq!(found["mode"], "moving");
    let beams = &found["single_beams"];
    assert_eq!((&beams["by"], &beams["matched"]), (&"pulse number".into(), &beams["real_pulses"]));
    let rms = number(&beams["range"]["rms_m"]);
    assert!(rms > 0.001 && rms < 0.2 && number(&beams["range"]["bias_m"]).abs() < 0.01, "{beams}");
    assert!(number(&found["cloud"]["f_score"]) > 0.9, "{found}");
    // Without misses and by place, from formats that have no pulse numbers.
    let found = json_of(&work, &["a/a.laz", "b/b.npy"]);
    assert_eq!((&found["mode"], &found["misses"]), (&"moving".into(), &false.into()));
    let remarks = found["remarks"].to_string();
    assert!(remarks.contains("returns alone are compared"), "{remarks}");
    assert!(number(&found["single_beams"]["matched"]) > 1000.0, "{found}");
}

#[test]
fn what_cannot_be_compared_is_refused_in_one_sentence() {
    let work = Workplace::new();
    let slats = SLATS.replace("SIZE", "3.0").replace("2.4", "0.1");
    work.put("a.toml", &slats);
    work.succeed(&["run", "a.toml", "--out", "a", "--format", "npy", "--no-picture", "--quiet"]);
    work.put("points.xyz", "1 2 3\n4 5 6\n");
    let refused = |arguments: &[&str], code: i32, words: &[&str]| {
        assert_refused(&work.run(&[&["compare"], arguments].concat()), code, words);
    };
    refused(&["a/a.npy", "points.xyz"], 2, &["points.xyz", "where its beams came from"]);
    refused(&["a/a.npy", "a/a.npy", "--roi", "1,2"], 2, &["--roi has 2 numbers"]);
    refused(&["a/a.npy", "a/a.npy", "--range", "9..7"], 2, &["range from 9 to 7"]);
    refused(&["a/a.npy", "a/a.npy", "--range-bin-m", "0"], 2, &["range_bin_m = 0"]);
    refused(&["a/a.npy", "a/a.npy", "--range", "200..300"], 1, &["no return in the region"]);
    refused(&["a/a.npy", "none.npy"], 1, &["none.npy"]);
    refused(&["a/a.npy", "points.xyz", "--mode", "moving"], 1, &["points.xyz", "where its beams"]);
    let elsewhere = ["a/a.npy", "a/a.npy", "--azimuth", "170..171", "--elevation", "80..81"];
    refused(&elsewhere, 1, &["no pulse to compare"]);
}

/// Beams of a drive scored by simulations of the same beams: of the same wall, and of one half a metre
/// farther, whose ranges are half a metre wrong and whose misses are hardly others.
#[test]
fn held_out_beams_are_scored_by_draws() {
    let work = Workplace::new();
    let drive = SLATS.replace("SIZE", "3.0").replace("2.4", "0.2") + &DRIVE.replace("2.4", "0.2");
    let farther = drive.replace("[8.0, 0.0, 0.0]", "[8.5, 0.0, 0.0]");
    for (name, scenario, seed) in
        [("a", &drive, "1"), ("b", &drive, "2"), ("c", &farther, "3"), ("d", &drive, "4")]
    {
        let file = format!("{name}.toml");
        work.put(&file, scenario);
        let run = ["run", &file, "--out", name, "--seed", seed, "--format", "npy"];
        work.succeed(&[&run[..], &["--quiet", "--no-picture"]].concat());
    }
    let score = |simulated: &str| {
        json_of(&work, &["a/a.npy", simulated, "--held-out", "--learned-from", "d/d.npy", "-q"])
    };
    let (same, other) = (score("b/b.npy"), score("c/c.npy"));
    let of = |value: &Value, key: &str| number(&value["held_out"]["scores"][key]);
    assert!(number(&same["held_out"]["share"]) > 0.999, "{same}");
    assert!((number(&same["held_out"]["draws"]) - 1.0).abs() < 1e-9, "{same}");
    assert!(of(&same, "capped_m") < 0.01 && of(&same, "lost") < 0.05, "{same}");
    let returned = 1.0 - same["held_out"]["scores"]["none"][1].as_f64().unwrap();
    let wrong = of(&other, "capped_m") - of(&same, "capped_m");
    assert!((wrong / (0.5 * returned) - 1.0).abs() < 0.25, "{wrong} {returned}");
    assert!(number(&same["noise_m"]) < 0.05, "{same}");
    assert!(same["floor"]["replay"]["beams"].as_u64().is_some(), "{same}");
    let output = work.succeed(&["compare", "a/a.npy", "b/b.npy", "--held-out"]);
    for word in ["capped score", "Brier", "noise floor", "one draw"] {
        assert!(output.contains(word), "{word} is not in {output}");
    }
    // Beams that were never fired there.
    let aside = drive.replace("[0.0, 0.0, 0.0], rotation", "[0.0, 30.0, 0.0], rotation");
    let aside = aside.replace("[1.5, 0.5, 0.0], rotation", "[1.5, 30.5, 0.0], rotation");
    work.put("e.toml", aside);
    let run = ["run", "e.toml", "--out", "e", "--format", "npy", "--quiet", "--no-picture"];
    work.succeed(&run);
    let refused = work.run(&["compare", "a/a.npy", "e/e.npy", "--held-out"]);
    assert_refused(&refused, 2, &["--origin-limit-m"]);
}
