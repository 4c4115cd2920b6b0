//! What viewers receive, decoded by other people's packages. Built only with the features of viewers,
//! which are large: `cargo xtask test --full` runs these.

use super::support::Workplace;
use std::path::{Path, PathBuf};
use understory_testing::Python;

/// A robot that drives along a wall.
const DRIVE: &str = r#"version = 1
seed = 7
duration_s = 3.0

[[world.object]]
name = "wall"
shape = "plane"
size_m = [40.0, 40.0]
position_m = [10.0, 0.0, 0.0]
rotation_deg = [0.0, -90.0, 0.0]

[platform]
waypoints = [
    { time_s = 0.0, position_m = [0.0, 0.0, 1.5] },
    { time_s = 3.0, position_m = [3.0, 2.0, 1.5] },
]

[[sensor]]
name = "roof"
preset = "vlp-16"
position_m = [0.2, 0.0, 0.5]
"#;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(name)
}

/// Clouds, transforms and the clock come in order and are those of the bag of the same run.
#[cfg(feature = "foxglove")]
#[test]
fn a_foxglove_viewer_gets_what_the_bag_holds() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let Some(python) = Python::for_viewers() else {
        return;
    };
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    let arguments = ["run", "drive.toml", "--foxglove=127.0.0.1:0", "--format", "mcap"];
    let mut server = work.command(&arguments);
    server.args(["--no-picture", "--quiet", "--speed", "0.5", "--out", "out"]);
    let mut server = server.stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("ws://") {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "the server ended");
    }
    let url = line.split_whitespace().last().unwrap().to_owned();
    let received = python.run([script("check_foxglove.py"), PathBuf::from(url)]);
    assert!(server.wait().unwrap().success());
    work.put("received.json", received);
    let arguments = [PathBuf::from("--compare"), work.path("received.json")];
    let bag = [work.path("out/drive.mcap")];
    let compare = [script("check_foxglove.py")].into_iter().chain(arguments).chain(bag);
    println!("{}", python.run(compare));
}

/// Rerun's own package finds every point of every scan, and the poses.
#[cfg(feature = "rerun")]
#[test]
fn a_rerun_recording_has_every_point() {
    let Some(python) = Python::for_viewers() else {
        return;
    };
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    let arguments = ["run", "drive.toml", "--interval", "0..0.5", "--rerun", "drive.rrd"];
    work.succeed(&[&arguments[..], &["--format", "npy", "--no-picture", "--out", "out"]].concat());
    let files = [script("check_rerun.py"), work.path("drive.rrd"), work.path("out/drive.npy")];
    println!("{}", python.run(files));
}
