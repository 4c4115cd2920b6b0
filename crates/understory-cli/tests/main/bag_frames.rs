//! The frames of a bag that a run wrote (REP 105), and where they put its points.

use super::support::Workplace;
use std::path::Path;
use understory_testing::Python;

/// A vehicle on a curve with a lidar that looks down and aside.
const DRIVE: &str = r#"version = 1
seed = 7
duration_s = 1.0

[[world.object]]
name = "ground"
shape = "plane"
size_m = [80.0, 80.0]
material = "grass"

[[world.object]]
name = "box"
shape = "box"
size_m = [2.0, 2.0, 3.0]
position_m = [10.0, 6.0, 0.0]

[platform]
waypoints = [
    { time_s = 0.0, position_m = [0.0, 0.0, 1.0], rotation_deg = [0.0, 0.0, 0.0] },
    { time_s = 0.5, position_m = [4.0, 1.0, 1.0], rotation_deg = [0.0, 0.0, 25.0] },
    { time_s = 1.0, position_m = [7.0, 4.0, 1.0], rotation_deg = [0.0, 0.0, 60.0] },
]

[[sensor]]
name = "roof"
preset = "vlp-16"
position_m = [0.3, 0.0, 0.8]
rotation_deg = [0.0, 5.0, 20.0]

[output]
files = ["drive.mcap", "drive.parquet"]
picture = false
"#;

/// Opened by rosbags: `map` → `odom` → `base_link` → the sensor, and every point of the clouds, taken
/// along that chain at its own time, lies where the record of the run has it.
#[test]
fn transforms_of_a_run_put_its_points_where_they_are() {
    let Some(python) = Python::find() else { return };
    let work = Workplace::new();
    work.put("drive.toml", DRIVE);
    work.succeed(&["run", "drive.toml", "--out", "out", "--quiet"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_frames.py");
    let checked = python.run([script, work.path("out")]);
    let points: usize = checked.trim().parse().unwrap();
    assert!(points > 1000, "{points}");
}
