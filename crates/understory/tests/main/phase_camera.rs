//! Cameras that measure the phase of modulated light: ranges repeat, and nothing but the signal says
//! how far light is seen. Expected values are the range modulo the ambiguity, worked out by hand.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use understory::pulse::{Batch, simulate_batch};
use understory::scenario::Scenario;
use understory_cloud::{Record, Records};

/// What the pixel in the middle of `preset` sees of a wall that stands across its axis at `x_m`.
fn middle_pixel(preset: &str, x_m: f64, material: &str) -> Record {
    let text = format!(
        r#"
version = 1
seed = 1
duration_s = 0.02
[[world.object]]
name = "wall"
shape = "plane"
size_m = [400.0, 400.0]
position_m = [{x_m}, 0.0, 0.0]
rotation_deg = [0.0, -90.0, 0.0]
material = "{material}"
[[sensor]]
name = "camera"
preset = "{preset}"
[sensor.override.range_error]
model = "none"
"#
    );
    let scenario = Scenario::from_toml(&text, "test", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let sensor = &prepared.sensors[0];
    let [width, height] = match preset {
        "pmd-camcube" => [204, 204],
        "swissranger-sr4000" => [176, 144],
        _ => [512, 424],
    };
    let pixel = height / 2 * width + width / 2;
    let (mut batch, mut records) = (Batch::default(), Records::default());
    simulate_batch(&prepared, sensor, 1, pixel..pixel + 1, &mut batch, &mut records);
    let row = records.get(0).unwrap();
    assert!(row.azimuth_deg.abs() < 0.2 && row.elevation_deg.abs() < 0.2, "{row:?}");
    row
}

#[test]
fn a_wall_beyond_the_interval_appears_nearer() {
    for (preset, reported_m) in
        [("pmd-camcube", 9.0 - 7.495), ("swissranger-sr4000", 4.0), ("kinect-v2", 9.0)]
    {
        let row = middle_pixel(preset, 9.0, "plaster");
        assert_eq!(row.return_number, 1, "{preset} sees the wall");
        assert!((f64::from(row.range_m) - reported_m).abs() < 2e-3, "{preset}: {}", row.range_m);
        assert!((row.true_range_m - 9.0).abs() < 2e-3, "{preset}: {}", row.true_range_m);
    }
}

/// 10 % is just seen at the 7, 5 and 4.5 m of the presets, and plaster of 65 % at 2.5 times that.
#[test]
fn a_wall_that_is_too_dim_is_not_seen() {
    for preset in ["pmd-camcube", "swissranger-sr4000", "kinect-v2"] {
        assert_eq!(middle_pixel(preset, 9.0, "target-10").return_number, 0, "{preset}");
        assert_eq!(middle_pixel(preset, 40.0, "plaster").return_number, 0, "{preset}");
    }
}

/// The limits 0.3 … 7 m of the CamCube hold for what it reports, not for where the wall is.
#[test]
fn limits_hold_for_what_is_reported() {
    for (x_m, reported_m) in
        [(0.2, None), (6.9, Some(6.9)), (7.3, None), (7.6, None), (7.9, Some(7.9 - 7.495))]
    {
        let row = middle_pixel("pmd-camcube", x_m, "plaster");
        match reported_m {
            None => assert_eq!(row.return_number, 0, "{x_m} m"),
            Some(range_m) => {
                assert_eq!(row.return_number, 1, "{x_m} m");
                assert!((f64::from(row.range_m) - range_m).abs() < 2e-3, "{x_m}: {}", row.range_m);
            }
        }
    }
}
