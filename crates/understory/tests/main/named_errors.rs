//! Errors that a sensor file names, through the whole path: misalignment, the index of the air,
//! speckle, turbulence, and ranging by phase.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use understory::pulse::range_error::AirState;
use understory::pulse::{Batch, simulate_batch};
use understory::scenario::Scenario;
use understory_cloud::Records;

/// Pulses along x at what `world` holds, by a sensor with these tables.
fn fire(world: &str, detector: &str, tables: &str, pulses: u64) -> Records {
    let folder = tempfile::tempdir().unwrap();
    let sensor = format!(
        "title = 'test'\nvendor = 'test'\nwavelength_nm = 905\n\
        [table]\ncycle_s = 1e-4\ntime_s = [0]\nazimuth_deg = [0]\nelevation_deg = [0]\n\
        [beam]\nspot_shape = 'circular'\ndivergence_horizontal_mrad = 2\n\
        divergence_vertical_mrad = 2\nsampling = 'matched'\n\
        [detector]\nrange_min_m = 0\nrange_max_m = 200\nreturn_mode = 'strongest'\n\
        signal_cutoff_m = 1\nwindow = 'weighted'\n{detector}\n{tables}\n"
    );
    std::fs::write(folder.path().join("test.toml"), sensor).unwrap();
    let text = format!(
        "version = 1\nseed = 3\nduration_s = 1\n[world]\n\
        [[world.material]]\nname = 'grey'\nreflectance = 0.5\n{world}\n\
        [[sensor]]\nname = 'test'\nfile = 'test.toml'\nposition_m = [1, 2, 3]\n"
    );
    let scenario = Scenario::from_toml(&text, "test.toml", folder.path()).unwrap();
    let run = scenario.prepare().unwrap();
    let mut records = Records::default();
    simulate_batch(&run, &run.sensors[0], 3, 0..pulses, &mut Batch::default(), &mut records);
    records
}

/// A wall across x, `distance_m` before the sensor.
fn wall(distance_m: f64) -> String {
    format!(
        "[[world.object]]\nname = 'wall'\nshape = 'box'\nsize_m = [1, 80, 80]\n\
        material = 'grey'\nposition_m = [{}, 2, -37]\n",
        1.5 + distance_m
    )
}

/// A sensor that is truly turned by 2° to the left and 1° down meets the wall there, and says that
/// it met it straight ahead.
#[test]
fn a_misaligned_sensor_puts_points_where_it_believes_to_look() {
    let mount = "[mount]\nposition_mm = [0, 0, 0]\nrpy_deg = [0, 0, 0]\n\
        misalignment_rpy_deg = [0, 1, 2]";
    let records = fire(&wall(50.0), "", mount, 1);
    let row = records.get(0).unwrap();
    let (pitch, yaw) = (1f64.to_radians(), 2f64.to_radians());
    let range_m = 50.0 / (pitch.cos() * yaw.cos());
    let truth = [51.0, 2.0 + 50.0 * yaw.tan(), 3.0 - 50.0 * pitch.tan() / yaw.cos()];
    let near = |found: [f64; 3], expected: [f64; 3]| {
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 2e-3, "{found:?} {expected:?}");
    };
    near(row.true_xyz_m, truth);
    near(row.world_xyz_m, [1.0 + range_m, 2.0, 3.0]);
    assert!((f64::from(row.range_m) - range_m).abs() < 2e-3);
    assert!(row.azimuth_deg.abs() < 1e-6 && (row.direction_xyz[0] - 1.0).abs() < 1e-6);
    let straight = fire(&wall(50.0), "", "", 1);
    near(straight.get(0).unwrap().true_xyz_m, [51.0, 2.0, 3.0]);
}

/// A range of 150 m is 38 mm too long for a sensor that knows no air, and 3 mm too short on a hot
/// day for one that takes standard air for granted.
#[test]
fn ranges_are_stretched_by_the_air() {
    let error = |tables: &str| {
        let error = format!("[range_error]\nmodel = 'constant'\nsigma_m = 0\n{tables}");
        let records = fire(&wall(150.0), "", &error, 1);
        f64::from(records.range_m[0]) - f64::from(records.true_range_m[0])
    };
    let index = |air: AirState| air.group_index(905.0);
    let hot = AirState { temperature_c: 40.0, ..AirState::STANDARD };
    // The mean over the spot is a little longer than its axis; f32 tells 15 µm here.
    let plain = error("");
    assert!(plain.abs() < 1e-4, "{plain}");
    let vacuum = error("[range_error.refraction]\nassumed_index = 1\ntemperature_c = 40\n") - plain;
    assert!((vacuum - 150.0 * (index(hot) - 1.0)).abs() < 4e-5, "{vacuum}");
    let usual = error("[range_error.refraction]\ntemperature_c = 40\n") - plain;
    assert!((usual - 150.0 * (index(hot) / index(AirState::STANDARD) - 1.0)).abs() < 4e-5);
    assert!((-5e-3..-2e-3).contains(&usual), "{usual}");
}

/// Intensities of a wall that fills the beam have the contrast 1/√M, and where turbulence flickers
/// too the variance of a product of independent factors; 20 000 pulses, 6 standard errors of a
/// variance (2·10⁻⁹), with the kurtosis of the gamma law.
#[test]
fn speckle_and_turbulence_make_light_flicker() {
    let none = "[range_error]\nmodel = 'constant'\nsigma_m = 0\n";
    let speckle = format!("{none}[range_error.speckle]\ncells = 16\n");
    let both = format!("{speckle}[range_error.turbulence]\ncn2 = 1e-12\n");
    let n = 20_000;
    let contrast = |tables: &str| {
        let records = fire(&wall(100.0), "", tables, n);
        let light: Vec<f64> = records.intensity.iter().map(|i| f64::from(*i) / 0.5).collect();
        let mean = light.iter().sum::<f64>() / n as f64;
        assert!((mean - 1.0).abs() < 0.03, "{mean}");
        light.iter().map(|i| (i - mean).powi(2)).sum::<f64>() / n as f64
    };
    assert!(contrast(none) < 1e-9);
    let slack = 6.0 * ((2.0 + 6.0 / 16.0) / n as f64).sqrt();
    let grains = contrast(&speckle);
    assert!((16.0 * grains - 1.0).abs() < slack, "{grains}");
    // σ_I² = 0.2240 at 100 m, by the formulas of Andrews and Phillips worked out elsewhere.
    let product = (1.0 + 1.0 / 16.0) * (1.0 + 0.2240) - 1.0;
    let found = contrast(&both);
    assert!((found / product - 1.0).abs() < 0.12, "{found} {product}");
}

/// 29.979 MHz repeat after 5 m: a wall at 7.3 m is at 2.3 m, and one that fills half of the spot
/// before another is where the sum of both sinusoids says, not in the mean.
#[test]
fn ranges_by_phase_fold_and_mix_as_sinusoids() {
    let phase = "kind = 'phase-shift'\nmodulation_mhz = 29.9792458";
    let one = fire(&wall(7.3), phase, "", 1);
    assert!((one.range_m[0] - 2.3).abs() < 1e-4, "{}", one.range_m[0]);
    let edge = "[[world.object]]\nname = 'edge'\nshape = 'box'\nsize_m = [0.01, 80, 80]\n\
        material = 'grey'\nposition_m = [7.005, 2, 3.0002]\n";
    let both = fire(&(wall(7.3) + edge), phase, "", 1);
    let row = both.get(0).unwrap();
    // The nine sub-rays have equal shares; some number of them meets the edge.
    let phasor = |share: f64| {
        let turn = std::f64::consts::TAU / 5.0;
        let (a, b) = (share / 36.0, (1.0 - share) / (7.3f64 * 7.3));
        let sin = a * (6.0 * turn).sin() + b * (7.3 * turn).sin();
        let cos = a * (6.0 * turn).cos() + b * (7.3 * turn).cos();
        (sin.atan2(cos) / turn).rem_euclid(5.0)
    };
    let near = (1..9).map(|k| (phasor(f64::from(k) / 9.0) - f64::from(row.range_m)).abs());
    assert!(near.fold(f64::MAX, f64::min) < 2e-3, "{}", row.range_m);
    assert!(row.range_m > 1.0 && row.range_m < 2.3);
}
