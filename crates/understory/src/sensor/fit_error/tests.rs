//! Known errors of a simulated sensor, found again.

use super::*;
use crate::pulse::range_error::{Bias, Correlation, RangeError, RangeModel, Sigma, SigmaTable};
use crate::pulse::{Batch, simulate_batch};
use crate::scenario::Scenario;
use crate::sensor::{Sensor, preset_text};

/// Two walls, at 8 m and, tilted, some 18 m away, with things in front that are no planes.
const WALLS: &str = r#"
version = 1
seed = 5
duration_s = 1.0
[[world.object]]
name = "near"
shape = "box"
size_m = [0.2, 9.0, 8.0]
position_m = [8.1, 4.6, -4.0]
material = "target-80"
[[world.object]]
name = "far"
shape = "box"
size_m = [0.2, 20.0, 14.0]
position_m = [18.0, -10.2, -7.0]
rotation_deg = [0.0, 8.0, 12.0]
material = "target-10"
[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.5
position_m = [5.0, 1.5, 0.0]
material = "target-10"
[[sensor]]
name = "vlp"
preset = "vlp-16"
[sensor.override.spinning]
azimuth_min_deg = -48.0
azimuth_max_deg = 48.0
[sensor.override.beam]
sampling = "single"
rays = 1
[sensor.override.detector]
range_quantum_m = 0.0
"#;

fn simulated(error: &RangeError, scans: u32, seed: u64) -> Records {
    let scenario = Scenario::from_toml(WALLS, "walls.toml", std::path::Path::new(".")).unwrap();
    let mut run = scenario.prepare().unwrap();
    run.sensors[0].range_model = RangeModel { error: error.clone(), ..RangeModel::default() };
    let pulses = run.sensors[0].pattern.first_pulse_at(0.1 * f64::from(scans));
    let mut records = Records::default();
    let mut batch = Batch::default();
    simulate_batch(&run, &run.sensors[0], seed, 0..pulses, &mut batch, &mut records);
    records
}

fn known_error() -> RangeError {
    let bias = |channel: usize| 0.03 * (1.7 * channel as f64).sin();
    let table = SigmaTable::new(vec![6.0, 24.0], vec![0.1, 0.9], vec![0.012, 0.008, 0.036, 0.024]);
    RangeError {
        bias: Bias { listed_m: (0..16).map(bias).collect(), sigma_m: 0.0 },
        sigma: Sigma::Table(table.unwrap()),
        correlation: Some(Correlation {
            share: 0.6,
            period_columns: 17.3,
            ..Correlation::default()
        }),
        ..RangeError::none()
    }
}

/// Standard errors from 16 groups follow Student's law: beyond 9 of them lies less than 2e−7. The
/// biases' follow the normal law, beyond 5.5 of them lies less than 4e−8 each. What the errors may
/// be is stated too, so that a fit that knows nothing fails.
#[test]
fn known_errors_are_recovered_within_their_stated_errors() {
    let known = known_error();
    let fit = fit_error(&[simulated(&known, 4, 3)], &FitOptions::default()).unwrap();
    assert_eq!(fit.planes.len(), 2);
    let (near, far) = (&fit.planes[0], &fit.planes[1]);
    let (near, far) = if near.distance_m < far.distance_m { (near, far) } else { (far, near) };
    assert!((near.distance_m - 8.0).abs() < 0.01, "{near:?}");
    assert!(far.distance_m > 14.0 && far.points > 5000 && near.points > 5000);

    let mean_m = known.bias.listed_m.iter().sum::<f64>() / 16.0;
    assert_eq!(fit.biases.len(), 16);
    for bias in &fit.biases {
        let true_m = known.bias.listed_m[usize::from(bias.channel)] - mean_m;
        let off = (bias.bias_m - true_m) / bias.error_m;
        assert!(off.abs() < 5.5 && bias.error_m < 0.004, "{bias:?}, truly {true_m}");
    }
    assert!(fit.cells.len() >= 3);
    for cell in &fit.cells {
        let true_m = known.sigma.at(cell.range_m, cell.reflectivity);
        println!("{cell:?} truly {true_m:.5}");
        // σ varies within a bin; its root mean square is up to half a per cent off.
        assert!((cell.sigma_m - true_m).abs() < 9.0 * cell.error_m + 0.005 * true_m, "{cell:?}");
        assert!(cell.points < 1000 || cell.error_m < 0.1 * true_m, "{cell:?}");
    }
    let wave = fit.wave.unwrap();
    println!("{wave:?}");
    assert!((wave.share - 0.6).abs() < 9.0 * wave.share_error, "{wave:?}");
    assert!((wave.period_columns - 17.3).abs() < 9.0 * wave.period_error, "{wave:?}");
    assert!(wave.share_error < 0.02 && wave.period_error < 0.05, "{wave:?}");

    // A sensor takes the fragment, and its wave and table are those that were found.
    let fragment = fit.to_toml(Some(16));
    let base = preset_text("vlp-16").unwrap();
    let sensor = Sensor::from_toml_with_overrides(
        base,
        "vlp-16.toml",
        &understory_files::LayeredToml::new(&fragment, "fit.toml"),
        &[],
    )
    .unwrap();
    let error = &sensor.range_model.error;
    let correlation = error.correlation.as_ref().unwrap();
    assert!((correlation.share - wave.share).abs() < 1e-4);
    for cell in &fit.cells {
        let knot = error.sigma.at(cell.range_m, cell.reflectivity);
        assert!((knot / cell.sigma_m - 1.0).abs() < 0.1, "{cell:?}: {knot}\n{fragment}");
    }
    for bias in &fit.biases {
        let taken = error.bias.of_channel(bias.channel, 1, 0);
        assert!((taken - bias.bias_m).abs() < 1e-5);
    }
}

#[test]
fn white_noise_has_no_wave_and_the_step_is_no_noise() {
    let white = RangeError::gaussian(0.006);
    for seed in 0..4 {
        let mut records = simulated(&white, 2, seed);
        let fit = fit_error(&[records.clone()], &FitOptions::default()).unwrap();
        assert_eq!(fit.wave, None, "seed {seed}");
        assert!(!fit.to_toml(None).contains("correlation"));
        // In steps of 2 cm a noise of 6 mm looks like 8.3 mm.
        let step_m = 0.02;
        for row in 0..records.len() {
            let rounded = (records.range_m[row] / step_m as f32).round() * step_m as f32;
            let scale = rounded / records.range_m[row];
            records.sensor_xyz_m[row] = records.sensor_xyz_m[row].map(|c| c * scale);
            records.range_m[row] = rounded;
        }
        let options = FitOptions { range_quantum_m: step_m, ..FitOptions::default() };
        let fit = fit_error(&[records], &options).unwrap();
        let all: f64 = fit.cells.iter().map(|cell| cell.points as f64).sum();
        let mean: f64 =
            fit.cells.iter().map(|cell| cell.points as f64 * cell.sigma_m.powi(2)).sum::<f64>()
                / all;
        assert!((mean.sqrt() / 0.006 - 1.0).abs() < 0.05, "{}", mean.sqrt());
    }
}

#[test]
fn a_recording_without_a_plane_is_refused() {
    let error = fit_error(&[Records::default()], &FitOptions::default()).unwrap_err().to_string();
    assert!(error.contains("no plane with 300 points"), "{error}");
    let mut two = simulated(&RangeError::none(), 1, 0);
    *two.sensor.last_mut().unwrap() = 3;
    let error = fit_error(&[two], &FitOptions::default()).unwrap_err().to_string();
    assert!(error.starts_with("recording 1: it holds rows of sensor 3"), "{error}");
    let mut noise = simulated(&RangeError::gaussian(5.0), 1, 0);
    noise.sensor_xyz_m.iter_mut().enumerate().for_each(|(row, xyz)| {
        *xyz = xyz.map(|c| c * (1.0 + 0.5 * ((row * row) as f32).sin()));
    });
    assert!(fit_error(&[noise], &FitOptions::default()).is_err());
}

/// 400 fits of 320 points with 18 numbers to fit: their mean square is 1 to a standard error of
/// √(2/(302·400)) = 0.41 %, and 5.6 % low for one who forgets what the fit took. Six standard errors
/// have an error probability of 2e−9.
#[test]
fn what_the_fit_takes_from_the_noise_is_given_back() {
    let sigma_m = 0.01;
    let mut sum = 0.0;
    for sample in 0..400 {
        let mut rng = crate::rng::PulseRng::new(1, 0, sample, crate::rng::Stage::RangeError);
        let mut points = Vec::new();
        for channel in 0..16u16 {
            for column in 0..20u32 {
                let (azimuth, elevation) =
                    (0.05 * (f64::from(column) - 9.5), 0.03 * (f64::from(channel) - 7.5));
                let direction = DVec3::new(1.0, azimuth, elevation).normalize();
                let range_m = 10.0 / direction.x + sigma_m * rng.gaussian();
                points.push(Point {
                    position: direction * range_m,
                    direction,
                    range_m,
                    reflectivity: 0.5,
                    channel,
                    scan: 0,
                    column,
                    plane: 0,
                    residual_m: 0.0,
                    freedom: 1.0,
                });
            }
        }
        let mut planes = vec![PlaneFit {
            recording: 0,
            normal: DVec3::NEG_X,
            distance_m: 10.0,
            sigma_m,
            points: points.len(),
        }];
        joint::fit(&mut points, &mut planes).unwrap();
        sum += (planes[0].sigma_m / sigma_m).powi(2) / 400.0;
    }
    assert!((sum - 1.0).abs() < 6.0 * 0.0041, "{sum}");
}
