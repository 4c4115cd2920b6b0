//! Mirrors, panes, clear bodies and retroreflectors from the scenario to the records, against
//! geometry and Fresnel's equations worked out by hand.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::Path;

use understory::pulse::{Batch, simulate_batch};
use understory::scenario::Scenario;
use understory_cloud::{Record, Records};

/// Rows of one revolution of a line scanner at the origin that looks along +x: one ray a pulse,
/// every echo a return, no step of the ranges.
fn rows(world: &str) -> Vec<Record> {
    scan(world, "")
}

fn scan(world: &str, overrides: &str) -> Vec<Record> {
    let detector = match overrides.contains("override.detector") {
        true => "",
        false => "[sensor.override.detector]\n",
    };
    let text = format!(
        r#"
version = 1
seed = 1
duration_s = 0.013
{world}
[[sensor]]
name = "line"
preset = "lms-291"
[sensor.override.range_error]
model = "none"
[sensor.override.beam]
sampling = "single"
{overrides}{detector}range_min_m = 0.1
range_max_m = 200.0
range_quantum_m = 0.0
return_mode = "all"
signal_cutoff_m = 0.001
"#
    );
    let scenario = Scenario::from_toml(&text, "test", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let mut records = Records::default();
    let fired = 0..prepared.sensors[0].pattern.first_pulse_at(0.013);
    let mut batch = Batch::default();
    simulate_batch(&prepared, &prepared.sensors[0], 1, fired, &mut batch, &mut records);
    (0..records.len()).filter_map(|row| records.get(row)).collect()
}

/// A plane of 400 m across x = `x`.
fn wall(name: &str, x: f64, material: &str) -> String {
    format!(
        "[[world.object]]\nname = \"{name}\"\nshape = \"plane\"\nsize_m = [400.0, 400.0]\n\
         position_m = [{x}, 0.0, 0.0]\nrotation_deg = [0.0, -90.0, 0.0]\n\
         material = \"{material}\"\n"
    )
}

fn near_axis(row: &&Record) -> bool {
    row.return_number > 0 && row.azimuth_deg.abs() < 60.0
}

fn cos_azimuth(row: &Record) -> f64 {
    f64::from(row.azimuth_deg).to_radians().cos()
}

/// A mirror at x = 10 shows the wall behind the sensor, at x = −5, at x = 25; the truth is behind.
#[test]
fn a_mirror_shows_what_is_behind_the_sensor() {
    let world = wall("mirror", 10.0, "mirror") + &wall("behind", -5.0, "target-80");
    let rows = rows(&world);
    let mut seen = 0;
    for row in rows.iter().filter(near_axis) {
        let total_m = 25.0 / cos_azimuth(row);
        assert!((f64::from(row.true_range_m) - total_m).abs() < 2e-5 * total_m, "{row:?}");
        assert!((row.world_xyz_m[0] - 25.0).abs() < 1e-4);
        assert!((row.true_xyz_m[0] + 5.0).abs() < 1e-4);
        // Behind the mirror, light has turned to the same side on.
        let across_m = total_m * f64::from(row.azimuth_deg).to_radians().sin();
        assert!((row.true_xyz_m[1] - across_m).abs() < 1e-3);
        let expected = 0.95 * 0.95 * 0.8 * cos_azimuth(row);
        assert!((f64::from(row.intensity) - expected).abs() < 1e-5);
        assert_eq!((row.object, row.return_count), (2, 1));
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
    let alone = self::rows(&wall("mirror", 10.0, "mirror"));
    assert!(alone.iter().all(|row| row.return_number == 0), "a mirror itself is never seen");
}

/// Through a pane of index 1.51 the wall is where it is and fainter, and the wall behind the
/// sensor is seen in the pane.
#[test]
fn a_pane_passes_and_reflects_after_fresnel() {
    let world = wall("pane", 4.0, "glass")
        + &wall("front", 9.0, "target-80")
        + &wall("behind", -3.0, "target-80");
    let (mut through, mut mirrored) = (0, 0);
    for row in rows(&world).iter().filter(near_axis) {
        let cos = cos_azimuth(row);
        let cos_in = (1.0 - (1.0 - cos * cos) / (1.51 * 1.51)).sqrt();
        let r_s = ((cos - 1.51 * cos_in) / (cos + 1.51 * cos_in)).powi(2);
        let r_p = ((1.51 * cos - cos_in) / (1.51 * cos + cos_in)).powi(2);
        let border = 0.5 * (r_s + r_p);
        let (reflected, passed) = (2.0 * border / (1.0 + border), (1.0 - border) / (1.0 + border));
        let (total_m, share) = match row.object {
            2 => (9.0 / cos, passed),
            3 => (11.0 / cos, reflected),
            other => panic!("object {other}"),
        };
        assert!((f64::from(row.true_range_m) - total_m).abs() < 2e-5 * total_m, "{row:?}");
        let expected = share * share * 0.8 * cos;
        assert!((f64::from(row.intensity) / expected - 1.0).abs() < 1e-4, "{row:?} {expected}");
        through += usize::from(row.object == 2);
        mirrored += usize::from(row.object == 3);
    }
    assert!(through > 100 && mirrored > 100, "{through} {mirrored}");
}

/// A slab of index 1.5 from x = 5 to 6: light is slower in it and leaves it where Snell says.
#[test]
fn a_clear_slab_delays_and_shifts_light() {
    let world = "[[world.material]]\nname = \"slab\"\nglass = { index = 1.5, kind = \"solid\", absorption_per_m = 0.3 }\n"
        .to_string()
        + "[[world.object]]\nname = \"slab\"\nshape = \"box\"\nsize_m = [1.0, 300.0, 300.0]\nposition_m = [5.5, 0.0, 0.0]\nmaterial = \"slab\"\n"
        + &wall("front", 10.0, "target-80");
    let mut seen = 0;
    for row in rows(&world).iter().filter(near_axis).filter(|row| row.object == 2) {
        let azimuth = f64::from(row.azimuth_deg).to_radians();
        let inside = (azimuth.sin() / 1.5).asin();
        let total_m = 9.0 / azimuth.cos() + 1.5 / inside.cos();
        let across_m = 9.0 * azimuth.tan() + inside.tan();
        if (f64::from(row.true_range_m) - total_m).abs() > 1e-3 {
            continue; // light that ran to and fro in the slab comes later
        }
        assert!((f64::from(row.true_range_m) - total_m).abs() < 2e-5 * total_m);
        assert!((row.true_xyz_m[1] - across_m).abs() < 1e-4, "{row:?} {across_m}");
        let border = |from: f64, into: f64, a: f64, b: f64| {
            let s = ((from * a - into * b) / (from * a + into * b)).powi(2);
            let p = ((into * a - from * b) / (into * a + from * b)).powi(2);
            0.5 * (s + p)
        };
        let (a, b) = (azimuth.cos(), inside.cos());
        let passed = (1.0 - border(1.0, 1.5, a, b)) * (1.0 - border(1.5, 1.0, b, a));
        let share = passed * (-0.3 / inside.cos()).exp();
        let expected = share * share * 0.8 * azimuth.cos();
        assert!((f64::from(row.intensity) / expected - 1.0).abs() < 1e-4, "{row:?} {expected}");
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}

/// Water 2 m above its bed, seen from above: the bed appears at 1.328 times its depth.
#[test]
fn the_bed_of_a_pond_seems_farther() {
    let world =
        "[[world.material]]\nname = \"clear\"\nglass = { index = 1.328, kind = \"solid\" }\n"
            .to_string()
            + &wall("surface", 6.0, "clear")
            + &wall("bed", 8.0, "sand");
    let straight = rows(&world);
    let row = straight.iter().find(|row| row.azimuth_deg.abs() < 1e-3 && row.object == 2).unwrap();
    assert!((row.true_range_m - (6.0 + 2.0 * 1.328)).abs() < 1e-4, "{row:?}");
    assert!((row.true_xyz_m[0] - 8.0).abs() < 1e-4);
}

/// Light between two mirrors goes on for ever, but not here.
#[test]
fn bounces_between_mirrors_are_limited_and_counted() {
    let text = "version = 1\nseed = 1\nduration_s = 0.013\n[world]\nbounces_max = 5\n".to_string()
        + &wall("a", 2.0, "mirror")
        + &wall("b", -2.0, "mirror")
        + "[[sensor]]\nname = \"line\"\npreset = \"lms-291\"\n";
    let scenario = Scenario::from_toml(&text, "test", Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    let (mut batch, mut records) = (Batch::default(), Records::default());
    simulate_batch(&prepared, &prepared.sensors[0], 1, 85..96, &mut batch, &mut records);
    assert!(records.return_rows() == 0);
    let paths = batch.interactions.paths;
    // 11 pulses of 9 sub-rays, each with 5 stretches before it is cut.
    assert_eq!((paths.segments, paths.cut), (11 * 9 * 5, 11 * 9));
}

/// A retroreflector gives 0.3·π/(2π(1 − cos 1°)) = 985 times white, faces it or not.
#[test]
fn a_retroreflector_outshines_chalk() {
    let world = wall("sign", 20.0, "retro-sheeting");
    let mut seen = 0;
    for row in rows(&world).iter().filter(|row| row.return_number > 0) {
        let cos = cos_azimuth(row);
        let beyond = row.azimuth_deg.abs() > 45.01;
        if (row.azimuth_deg.abs() - 45.0).abs() < 0.01 || row.azimuth_deg.abs() > 80.0 {
            continue;
        }
        let gain = if beyond { 0.3 } else { 0.3 + 0.3 / (2.0 * (1.0 - 1f64.to_radians().cos())) };
        assert!((f64::from(row.intensity) / (gain * cos) - 1.0).abs() < 1e-4, "{row:?}");
        seen += 1;
    }
    assert!(seen > 100);
}

/// A sign 1 m wide at 20 m, ±1.43°, blooms: beams beside it report it too, and no more than the
/// receiver can.
#[test]
fn a_sign_blooms_and_saturates() {
    let world = r#"
[[world.object]]
name = "sign"
shape = "box"
size_m = [0.02, 1.0, 1.0]
position_m = [20.01, 0.0, 0.0]
material = "retro-sheeting"
[[world.object]]
name = "chalk"
shape = "box"
size_m = [0.02, 1.0, 1.0]
position_m = [14.0, 14.0, 0.0]
rotation_deg = [0.0, 0.0, 45.0]
material = "target-80"
"#;
    let overrides = "halo = { gain = 0.002, width_mrad = 20.0 }\n[sensor.override.detector]\n\
                     saturation = 4.0\n";
    let width =
        |rows: &[Record], object: u32| rows.iter().filter(|row| row.object == object).count();
    let (plain, bloomed) = (rows(world), scan(world, overrides));
    assert_eq!(width(&plain, 1), 3, "at −1°, 0° and 1°");
    assert!(width(&bloomed, 1) >= 7, "{}", width(&bloomed, 1));
    assert_eq!(width(&plain, 2), width(&bloomed, 2), "chalk does not bloom");
    for row in bloomed.iter().filter(|row| row.object == 1) {
        assert!((row.true_range_m - 20.0).abs() < 0.1);
        assert!(row.intensity <= 4.0);
    }
    let full = bloomed.iter().filter(|row| row.intensity == 4.0);
    let mut full: Vec<f32> = full.map(|row| row.azimuth_deg).collect();
    full.dedup();
    assert_eq!(full, [-1.0, 0.0, 1.0], "where the spot itself is on the sign");
}

/// Bayraktaroglu 2023, equation 4.7: I = e^(−2αR)·cos θ·ρ, here with α = 0.005/m, R = 50 m,
/// θ = 30° and ρ = 0.8.
#[test]
fn haze_takes_light_there_and_back() {
    let x_m = 50.0 * 30f64.to_radians().cos();
    let world =
        "[world.atmosphere]\nextinction_per_m = 0.005\n".to_owned() + &wall("w", x_m, "target-80");
    let rows = rows(&world);
    let row = rows.iter().find(|row| (row.azimuth_deg - 30.0).abs() < 1e-3).unwrap();
    assert!((row.true_range_m - 50.0).abs() < 1e-3);
    assert!((row.intensity - 0.420_216_77).abs() < 1e-5, "{row:?}");
}
