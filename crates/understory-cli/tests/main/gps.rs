//! Where on Earth a platform is, in bags.

use super::support::Workplace;
use std::path::Path;
use understory_testing::Python;

const DRIVE: &str = r#"version = 1
seed = 7
duration_s = 1.0

[world.geographic_origin]
latitude_deg = 48.8443
longitude_deg = 2.3392
altitude_m = 61.5
yaw_from_east_deg = 30.0

[[world.object]]
name = "ground"
shape = "plane"
size_m = [80.0, 80.0]
material = "grass"

[platform]
waypoints = [
    { time_s = 0.0, position_m = [0.0, 0.0, 1.5] },
    { time_s = 1.0, position_m = [8.0, 3.0, 1.5] },
]
#NAVIGATION

[[sensor]]
name = "roof"
preset = "vlp-16"

[output]
files = ["drive.mcap"]
poses = ["poses.csv"]
picture = false
"#;

/// Fixes in the bag are those of the instrument, at the place on Earth where PROJ puts them; without
/// an instrument they are the truth, ten times a second.
#[test]
fn fixes_are_where_proj_has_them() {
    let Some(python) = Python::find() else {
        return;
    };
    let work = Workplace::new();
    let instrument =
        "navigation = { gps = { rate_hz = 4.0, sigma_m = [0.5, 1.0], bias_m = [0.3, 0.0, 0.0] } }";
    for (name, drive) in
        [("exact", DRIVE.to_owned()), ("gps", DRIVE.replace("#NAVIGATION", instrument))]
    {
        work.put(&format!("{name}.toml"), drive);
        work.succeed(&["run", &format!("{name}.toml"), "--out", name, "--quiet"]);
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_gps.py");
    python.run([script, work.path("exact"), work.path("gps")]);
}
