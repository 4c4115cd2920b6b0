//! Plants, the leaf area that scenarios have, and the leaf area that recordings show.

use super::support::{Workplace, assert_refused};
use serde_json::Value;

/// A box of 3 m² of leaf, a post that is a trunk, and sensors on both sides. Pulses go to the sky
/// beside and above it.
const BOX: &str = r#"version = 1
seed = 3
duration_s = 0.1

[[world.plant]]
name = "leaves"
species = "leaf-volume"
variants = 1
override = { size_x_m = 2.0, size_y_m = 2.0, size_z_m = 2.0, leaf_area_index = 0.75, leaf_area_m2 = 2e-3 }
instances = [{ position_m = [6.0, 0.0, 0.0] }]

[[world.object]]
name = "post"
shape = "cylinder"
radius_m = 0.1
height_m = 3.0
position_m = [6.0, 3.0, 0.0]
label = "trunk"

[[sensor]]
name = "near"
preset = "os1-128-rev7"
position_m = [0.0, 0.0, 1.0]
[sensor.override.beam]
sampling = "single"

[[sensor]]
name = "far"
preset = "os1-128-rev7"
position_m = [12.0, 1.0, 1.2]
[sensor.override.beam]
sampling = "single"

[output]
files = ["box.npy", "box.laz"]
picture = false
"#;

const REGION: &str = "--region=4.9,-1.1,-0.1,7.1,1.1,2.1";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn read(work: &Workplace, name: &str) -> String {
    String::from_utf8(work.bytes(name)).unwrap()
}

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path}: {value}"))
}

#[test]
fn a_scan_finds_the_leaf_area_that_the_truth_tells() {
    let work = Workplace::new();
    work.put("box.toml", BOX);
    let told = work.succeed(&["truth", "box.toml", REGION, "--cell", "0.55", "--json", "-", "-q"]);
    let truth = json(&told);
    assert!((number(&truth, "/inside/leaf_m2") - 3.0).abs() < 0.02, "{truth}");
    let all = work.succeed(&[
        "truth",
        "box.toml",
        "-o",
        "truth.csv",
        "-o",
        "truth.npy",
        "-o",
        "truth.ply",
        "--stems",
        "stems.csv",
        "--profile",
        "profile.csv",
        "--angles",
        "angles.csv",
        "--pictures",
        "pictures",
    ]);
    assert!(all.contains("basal area") && all.contains("leaf area"), "{all}");
    let stems = read(&work, "stems.csv");
    let stem: Vec<&str> = stems.lines().nth(1).unwrap().split(',').collect();
    assert_eq!(stem[6], "\"post\"", "{stems}");
    assert!((stem[4].parse::<f64>().unwrap() - 3.0).abs() < 1e-6, "{stems}");
    assert!((stem[2].parse::<f64>().unwrap() - 0.2).abs() < 1e-3, "{stems}");
    for file in ["truth.npy", "truth.ply", "pictures/box-profile.png", "pictures/box-map.png"] {
        assert!(work.path(file).is_file(), "{file}");
    }
    // Densities of the table, times the volume of a voxel, are the areas.
    let density = |line: &str| line.split(',').nth(6).unwrap().parse::<f64>().unwrap();
    let sum: f64 = read(&work, "truth.csv").lines().skip(1).map(density).sum();
    assert!((sum * 0.125 - 3.0).abs() < 1e-3, "{sum}");

    work.succeed(&["run", "box.toml", "--out", "."]);
    let found = work.succeed(&[
        "leaf-area",
        "box.npy",
        REGION,
        "--cell",
        "0.55",
        "--leaf-angle",
        "angles.csv",
        "--weights",
        "first",
        "-o",
        "found.csv",
        "--pictures",
        "found",
        "--json",
        "-",
        "-q",
    ]);
    let found = json(&found);
    let filled = number(&found, "/leaf_area_filled_m2");
    // 1,500 leaves seen from two sides: about 5 %.
    assert!((filled / 3.0 - 1.0).abs() < 0.25, "{found}");
    assert!(number(&found, "/leaf_area_m2/low") < number(&found, "/leaf_area_m2/high"));
    assert!(work.path("found/box-profile.png").is_file());
    let header = read(&work, "found.csv").lines().next().unwrap().to_owned();
    assert!(header.ends_with("wood_area_density_m2_m3,pulses,explored"), "{header}");

    // Files that dropped the misses say so, and the area is too large.
    let lost =
        work.succeed(&["leaf-area", "box.laz", REGION, "--cell", "0.55", "--json", "-", "-q"]);
    let lost = json(&lost);
    assert!(lost["remarks"].to_string().contains("is without a return"), "{lost}");
    assert!(number(&lost, "/leaf_area_m2/value") > 1.2 * number(&found, "/leaf_area_m2/value"));
}

#[test]
fn species_are_listed_measured_and_drawn() {
    let work = Workplace::new();
    let listed = json(&work.succeed(&["plants", "--json", "-"]));
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().filter_map(|plant| plant["name"].as_str()).collect();
    assert!(names.contains(&"oak") && names.contains(&"beech-stand") && names.contains(&"wheat"));
    let one = work.succeed(&[
        "plants",
        "hazel",
        "-o",
        "hazel.png",
        "--individuals",
        "2",
        "--width",
        "320",
        "--samples",
        "1",
        "--json",
        "-",
        "-q",
    ]);
    let one = json(&one);
    let figures = one["individuals"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    assert!(figures[0]["wood_area_m2"] != figures[1]["wood_area_m2"], "{one}");
    let png = std::fs::read(work.path("hazel.png")).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    assert_refused(&work.run(&["plants", "triffid"]), 2, &["tall-grass"]);
    assert_refused(&work.run(&["plants", "wheat", "--seasons", "bare"]), 2, &["all year"]);
    assert_refused(&work.run(&["plants", "oak", "-o", "oak.gif"]), 2, &[".png"]);
    assert_refused(&work.run(&["plants", "oak", "--individuals", "0"]), 2, &["--individuals"]);
}

#[test]
fn what_cannot_be_is_refused_in_a_sentence() {
    let work = Workplace::new();
    work.put("box.toml", BOX);
    work.put("points.csv", "x_m,y_m,z_m\n1,2,3\n");
    work.put("angles.csv", "inclination_deg,share\n1,nothing\n");
    let refused = |arguments: &[&str], code, words: &str| {
        assert_refused(&work.run(arguments), code, &[words]);
    };
    refused(&["truth", "box.toml", "--cell", "0"], 2, "have no size");
    refused(&["truth", "box.toml", "--cell", "0.0001"], 2, "choose voxels of");
    refused(&["truth", "box.toml", "--region=0,0,0,-1,1,1"], 2, "--region is no box");
    refused(&["truth", "box.toml", "-o", "a.nonsense"], 1, "a.nonsense");
    refused(&["truth", "no-such"], 2, "no-such");
    refused(&["leaf-area", "points.csv"], 1, "where its beams came from");
    refused(&["leaf-area", "points.csv", "--leaf-angle", "sideways"], 2, "sideways");
    refused(
        &["leaf-area", "points.csv", "--leaf-angle", "angles.csv"],
        2,
        "no table of leaf angles",
    );
    refused(&["leaf-area", "points.csv", "--clumping", "0"], 2, "clumping index");
    refused(&["leaf-area", "points.csv", "--full-intensity", "1"], 2, "--weights calibrated");
    refused(&["leaf-area", "nothing.npy"], 1, "nothing.npy");
}
