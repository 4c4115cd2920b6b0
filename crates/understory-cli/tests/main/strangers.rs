//! What files of strangers ask for, in time and memory, and what a machine may refuse.
//!
//! Each is run with two gigabytes of memory, so that what takes more dies, and is given a time that
//! a busy machine needs many times over for the refusal and not nearly for the work.

use super::support::{WALL, Workplace, assert_refused, text};
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// For what is refused at once.
const SOON: Duration = Duration::from_secs(30);

/// Runs the program with little memory.
fn bounded(work: &Workplace, arguments: &[&str]) -> Output {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\""]);
    shell.arg(env!("CARGO_BIN_EXE_understory")).args(arguments);
    let start = Instant::now();
    let output = shell.current_dir(work.path("")).output().unwrap();
    let took = start.elapsed();
    assert!(took < SOON, "{arguments:?} took {took:?}");
    output
}

#[test]
fn texts_of_millions_of_tables_and_values_are_refused() {
    let dotted: String = (0..300_000).map(|i| format!("a{i}.b.c.d.e.f.g.h = 1\n")).collect();
    let tables = "[[sensor]]\n".repeat(1_500_000);
    let values = format!("a = [{}]\n", "1,".repeat(8_000_000));
    for (content, word) in [(dotted, "tables"), (tables, "tables"), (values, "values")] {
        let work = Workplace::new();
        work.put("bomb.toml", content);
        for verb in ["check", "run", "info"] {
            let words = ["bomb.toml:", word, "in this one file"];
            assert_refused(&bounded(&work, &[verb, "bomb.toml"]), 2, &words);
        }
        assert_eq!(work.listing(), ["bomb.toml"]);
    }
    let work = Workplace::new();
    work.put("long.toml", "#\n".repeat(9 << 20));
    let output = bounded(&work, &["check", "long.toml"]);
    assert_refused(&output, 1, &["long.toml", "bytes, more than"]);
    let said = text(&output.stderr);
    assert_eq!(said.matches("bytes, more than").count(), 1, "{said}");
}

/// A glTF file of one small mesh, and what `change` makes of it.
fn gltf(work: &Workplace, change: impl Fn(&mut serde_json::Value)) {
    let corners: Vec<u8> = (0..60_000u32).flat_map(|i| ((i % 97) as f32).to_le_bytes()).collect();
    work.put("blob.bin", &corners);
    let length = corners.len();
    let mut file = serde_json::json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "uri": "blob.bin", "byteLength": length }],
        "bufferViews": [{ "buffer": 0, "byteLength": length }],
        "accessors": [{
            "bufferView": 0, "componentType": 5126, "count": 19_998, "type": "VEC3",
            "min": [0, 0, 0], "max": [97, 97, 97],
        }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "nodes": [{ "mesh": 0 }],
        "scenes": [{ "nodes": [0] }],
        "scene": 0,
    });
    change(&mut file);
    work.put("m.gltf", file.to_string());
}

fn repeated(value: &serde_json::Value, times: usize) -> serde_json::Value {
    serde_json::Value::Array(vec![value.clone(); times])
}

#[test]
fn small_meshes_that_ask_for_much_are_refused() {
    let work = Workplace::new();
    gltf(&work, |file| {
        let primitive = file["meshes"][0]["primitives"][0].clone();
        file["meshes"][0]["primitives"] = repeated(&primitive, 50_000);
    });
    assert_refused(&bounded(&work, &["info", "m.gltf"]), 1, &["m.gltf", "shared many times"]);
    gltf(&work, |file| {
        file["nodes"] = repeated(&file["nodes"][0].clone(), 50_000);
        file["scenes"][0]["nodes"] = (0..50_000).collect();
    });
    assert_refused(&bounded(&work, &["info", "m.gltf"]), 1, &["m.gltf", "its copies have"]);
    // Many names of one file take no more than one.
    gltf(&work, |file| file["buffers"] = repeated(&file["buffers"][0].clone(), 100_000));
    let output = bounded(&work, &["info", "m.gltf"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn libraries_that_never_end_are_not_opened() {
    let work = Workplace::new();
    let made = Command::new("mkfifo").arg(work.path("pipe.mtl")).status();
    assert!(made.is_ok_and(|status| status.success()));
    for library in ["/dev/zero", "pipe.mtl", "../../../../../../etc/passwd"] {
        work.put("m.obj", format!("mtllib {library}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
        let output = bounded(&work, &["info", "m.obj"]);
        let said = text(&output.stderr);
        assert!(output.status.success() && said.contains("m.obj"), "{library}: {said}");
    }
    for file in ["pipe.mtl", "/dev/zero"] {
        assert!(!bounded(&work, &["check", file]).status.success());
    }
}

/// Instances at one point, and triangles.
#[test]
fn what_stands_in_one_place_is_no_slower_than_elsewhere() {
    let work = Workplace::new();
    let mut obj = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    obj.push_str(&"f 1 2 3\n".repeat(30_000));
    work.put("same.obj", obj);
    let shape = "shape = \"plane\"\nsize_m = [20.0, 20.0]";
    work.put("same.toml", WALL.replace(shape, "shape = \"mesh\"\nfile = \"same.obj\""));
    let output = bounded(&work, &["check", "same.toml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let shape =
        "shape = \"sphere\"\nradius_m = 0.5\ngrid = { count = [200, 200], spacing_m = [0.0, 0.0] }";
    work.put("spheres.toml", WALL.replace("shape = \"plane\"\nsize_m = [20.0, 20.0]", shape));
    let output = bounded(&work, &["check", "spheres.toml"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

#[test]
fn outputs_stay_in_their_folder() {
    for name in ["../out.laz", "/tmp/understory-strangers.laz", "a/../../out.laz"] {
        let work = Workplace::new();
        work.put("wall.toml", format!("{WALL}\n[output]\nfiles = [\"{name}\"]\n"));
        for verb in ["check", "run"] {
            let output = bounded(&work, &[verb, "wall.toml"]);
            assert_refused(&output, 2, &["wall.toml", name]);
        }
        assert_eq!(work.listing(), ["wall.toml"]);
        assert!(!Path::new("/tmp/understory-strangers.laz").exists());
    }
}

#[test]
fn a_run_that_no_disk_holds_is_refused_before_it_begins() {
    let work = Workplace::new();
    let long = WALL.replace("duration_s = 0.01", "duration_s = 1e8");
    work.put("long.toml", &long);
    let arguments = ["run", "long.toml", "--format", "csv", "--no-picture"];
    let output = bounded(&work, &arguments);
    assert_refused(&output, 1, &["has room for", "are to be written", "--interval"]);
    assert_eq!(work.listing(), ["long.toml"]);
}

#[test]
fn no_more_threads_are_started_than_can_be() {
    let work = Workplace::new();
    work.put("wall.toml", WALL);
    assert_refused(&bounded(&work, &["run", "wall.toml", "--threads", "60000"]), 2, &["--threads"]);
    let mut command = work.command(&["run", "wall.toml", "--no-picture", "--quiet"]);
    let start = Instant::now();
    let output = command.env("RAYON_NUM_THREADS", "70000").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("RAYON_NUM_THREADS"));
    assert!(start.elapsed() < SOON);
}

/// With too few files that may be open it says so, or does without.
#[test]
fn too_few_open_files_are_told() {
    let work = Workplace::new();
    work.put("wall.toml", WALL);
    let mut worked = 0;
    for most in [4, 5, 6, 7, 8, 10, 14, 20] {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\"")]);
        shell.arg(env!("CARGO_BIN_EXE_understory")).args(["run", "wall.toml", "--quiet"]);
        let output = shell.current_dir(work.path("")).output().unwrap();
        match output.status.code() {
            Some(0) => worked += 1,
            Some(1) => {
                let said = text(&output.stderr);
                assert!(said.contains("Too many open files"), "{most}: {said}");
            }
            // The loader itself may be refused.
            Some(127) => assert!(most < 6),
            code => panic!("{most}: {code:?}: {}", text(&output.stderr)),
        }
    }
    assert!(worked > 0);
}

/// Who serves more than this machine is told so.
#[test]
fn serving_a_network_is_told() {
    let work = Workplace::new();
    let ouster = WALL.replace("vlp-16", "os1-128-rev7");
    work.put("ouster.toml", &ouster);
    for (address, warns) in [("127.0.0.1:0", false), ("0.0.0.0:0", true)] {
        let arguments = ["run", "ouster.toml", "--no-picture", "--quiet", "--udp"];
        let target = ["udp://127.0.0.1:47502", "--http", address];
        let output = work.run(&[&arguments[..], &target[..]].concat());
        let said = text(&output.stderr);
        assert!(output.status.success(), "{said}");
        assert_eq!(said.contains("over the network"), warns, "{said}");
    }
}
