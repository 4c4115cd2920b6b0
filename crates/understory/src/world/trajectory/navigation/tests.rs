use super::*;
use crate::world::trajectory::Velocity;

/// A normal number is that many standard deviations off with probability 4·10⁻⁸.
const Z: f64 = 5.5;

fn drive() -> Trajectory {
    let at = |t: f64| Pose {
        rotation: DQuat::from_rotation_z(0.2 * t) * DQuat::from_rotation_y(0.05),
        translation: DVec3::new(3.0 * t, t * t * 0.1, 0.2 * t),
    };
    let knots = (0..=40).map(|i| (f64::from(i) * 0.5, at(f64::from(i) * 0.5))).collect();
    Trajectory::through(knots).unwrap()
}

/// Mean and variance of independent normal numbers against what they should be.
fn check(name: &str, values: &[f64], mean: f64, sigma: f64) {
    let n = values.len() as f64;
    let found = values.iter().sum::<f64>() / n;
    assert!((found - mean).abs() < Z * sigma / n.sqrt(), "{name}: mean {found}, not {mean}");
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n;
    let bound = Z * sigma * sigma * (2.0 / n).sqrt();
    assert!((variance - sigma * sigma).abs() < bound, "{name}: σ {}, not {sigma}", variance.sqrt());
}

/// Errors of position, heading, and roll and pitch.
type Errors = (DVec3, f64, [f64; 2]);

fn errors(navigation: &Navigation, seeds: u64, time_s: f64) -> Vec<Errors> {
    let truth = drive();
    (0..seeds)
        .map(|seed| {
            let estimated = navigation.estimate(&truth, time_s, seed);
            let [yaw] = estimated.yaw_rad.at(time_s);
            (DVec3::from(estimated.position_m.at(time_s)), yaw, estimated.tilt_rad.at(time_s))
        })
        .collect()
}

#[test]
fn perfect_instruments_give_the_true_pose() {
    let truth = drive();
    let exact = [
        Navigation { gps: Some(Gps::exact()), ..Navigation::default() },
        Navigation { imu: Some(Imu::exact()), ..Navigation::default() },
        Navigation {
            gps: Some(Gps::exact()),
            compass: Some(Compass::exact()),
            imu: Some(Imu::exact()),
        },
    ];
    for navigation in exact {
        let estimated = navigation.estimate(&truth, 20.0, 3);
        for step in 0..=2000 {
            let t = f64::from(step) * 0.01 + 0.001;
            let pose = truth.pose_at(t);
            let found = estimated.pose_at(t, &pose);
            assert!(found.translation.distance(pose.translation) < 1e-9);
            assert!((found.rotation.inverse() * pose.rotation).xyz().length() < 1e-15);
        }
    }
}

#[test]
fn white_noise_and_bias_of_fixes_and_headings() {
    let gps = Gps { rate_hz: 10.0, sigma_m: [0.3, 0.8], bias_m: [1.0, -2.0, 0.5], ..Gps::exact() };
    let compass = Compass { rate_hz: 10.0, sigma_deg: 1.5, bias_deg: -4.0 };
    let navigation = Navigation { gps: Some(gps), compass: Some(compass), imu: None };
    let truth = drive();
    let estimated = navigation.estimate(&truth, 2000.0, 11);
    assert_eq!(estimated.fixes.len(), 20_001);
    let off = |axis: usize| -> Vec<f64> {
        let fix = |(t, fix): &(f64, DVec3)| (*fix - truth.pose_at(*t).translation)[axis];
        estimated.fixes.iter().map(fix).collect()
    };
    check("x", &off(0), 1.0, 0.3);
    check("y", &off(1), -2.0, 0.3);
    check("z", &off(2), 0.5, 0.8);
    let heading = |(t, yaw_deg): &(f64, f64)| {
        let wrong = yaw_deg - (0.2 * t.min(20.0)).to_degrees();
        wrong - 360.0 * (wrong / 360.0).round()
    };
    let headings: Vec<f64> = estimated.headings_deg.iter().map(heading).collect();
    check("yaw", &headings, -4.0, 1.5);
    // Neighbours have nothing to do with each other.
    let x = off(0);
    let products: f64 = x.windows(2).map(|w| (w[0] - 1.0) * (w[1] - 1.0)).sum();
    let correlation = products / (0.09 * x.len() as f64);
    assert!(correlation.abs() < Z / (x.len() as f64).sqrt(), "{correlation}");
}

/// Over many seeds: the same σ at any time, and 1/e of the correlation after the time constant.
#[test]
fn drift_is_stationary_and_forgets() {
    let gps = Gps { rate_hz: 2.0, drift_m: [2.0, 3.0], drift_time_s: 20.0, ..Gps::exact() };
    let seeds = 3000;
    let mut pairs = Vec::new();
    for seed in 0..seeds {
        let errors = gps.errors(20.0, seed);
        pairs.push((errors[0].1, errors[40].1));
    }
    let of = |at: &dyn Fn(&(DVec3, DVec3)) -> f64| pairs.iter().map(at).collect::<Vec<f64>>();
    check("at the start", &of(&|p| p.0.x), 0.0, 2.0);
    check("after 20 s", &of(&|p| p.1.x), 0.0, 2.0);
    check("up", &of(&|p| p.1.z), 0.0, 3.0);
    // What is new after the time constant.
    let left = (-1.0f64).exp();
    let fresh = of(&|p| p.1.y - left * p.0.y);
    check("fresh", &fresh, 0.0, 2.0 * (1.0 - left * left).sqrt());

    let walk = Gps { rate_hz: 2.0, walk_m_per_sqrt_s: [0.5, 0.1], ..Gps::exact() };
    let walked: Vec<f64> = (0..seeds).map(|seed| walk.errors(20.0, seed)[40].1.x).collect();
    check("walk", &walked, 0.0, 0.5 * 20f64.sqrt());
}

/// Dead reckoning without anything else: σ of heading √t, of position t^1.5 and t² as theory has it.
#[test]
fn dead_reckoning_drifts_as_theory_has_it() {
    let time_s = 10.0;
    let gyro = Imu { rate_hz: 50.0, gyro_noise_deg_per_sqrt_h: 3.0, ..Imu::exact() };
    let navigation = Navigation { imu: Some(gyro), ..Navigation::default() };
    let yaw: Vec<f64> = errors(&navigation, 2000, time_s).iter().map(|e| e.1).collect();
    check("angle random walk", &yaw, 0.0, (3.0f64 / 60.0).to_radians() * time_s.sqrt());

    let gyro = Imu { rate_hz: 50.0, gyro_bias_deg_per_h: 100.0, bias_time_s: 1e9, ..Imu::exact() };
    let navigation = Navigation { imu: Some(gyro), ..Navigation::default() };
    let yaw: Vec<f64> = errors(&navigation, 2000, time_s).iter().map(|e| e.1).collect();
    check("gyro bias", &yaw, 0.0, (100.0f64 / 3600.0).to_radians() * time_s);

    let noisy = Imu { rate_hz: 50.0, accelerometer_noise_ug_per_sqrt_hz: 500.0, ..Imu::exact() };
    let navigation = Navigation { imu: Some(noisy), ..Navigation::default() };
    let x: Vec<f64> = errors(&navigation, 2000, time_s).iter().map(|e| e.0.x).collect();
    // White noise of acceleration, integrated twice: N·√(t³/3).
    check("noise", &x, 0.0, 500e-6 * GRAVITY * (time_s.powi(3) / 3.0).sqrt());

    let biased =
        Imu { rate_hz: 50.0, accelerometer_bias_mg: 5.0, bias_time_s: 1e9, ..Imu::exact() };
    let navigation = Navigation { imu: Some(biased), ..Navigation::default() };
    let z: Vec<f64> = errors(&navigation, 2000, time_s).iter().map(|e| e.0.z).collect();
    // b·t²/2, in a frame that pitches by 0.05 rad: the same σ along every axis.
    check("bias", &z, 0.0, 5e-3 * GRAVITY * time_s * time_s / 2.0);

    let tilted = Imu { rate_hz: 50.0, tilt_sigma_deg: 0.5, tilt_time_s: 2.0, ..Imu::exact() };
    let navigation = Navigation { imu: Some(tilted), ..Navigation::default() };
    let tilt: Vec<f64> = errors(&navigation, 2000, time_s).iter().map(|e| e.2[0]).collect();
    check("roll", &tilt, 0.0, 0.5f64.to_radians());
}

/// The filter is better than the fixes that it is fed with, and than dead reckoning.
#[test]
fn the_filter_is_better_than_each_of_its_instruments() {
    let gps = Gps { rate_hz: 1.0, sigma_m: [1.0, 2.0], ..Gps::exact() };
    let compass = Compass { rate_hz: 10.0, sigma_deg: 2.0, bias_deg: 0.0 };
    let imu = Imu {
        gyro_noise_deg_per_sqrt_h: 1.0,
        accelerometer_noise_ug_per_sqrt_hz: 400.0,
        accelerometer_bias_mg: 2.0,
        tilt_sigma_deg: 0.1,
        rate_hz: 50.0,
        ..Imu::exact()
    };
    let rms = |navigation: &Navigation| {
        let found = errors(navigation, 100, 60.0);
        let mean = |value: &dyn Fn(&Errors) -> f64| {
            (found.iter().map(value).sum::<f64>() / found.len() as f64).sqrt()
        };
        (mean(&|e| e.0.x * e.0.x), mean(&|e| e.1 * e.1).to_degrees())
    };
    let all = Navigation { gps: Some(gps), compass: Some(compass), imu: Some(imu.clone()) };
    let (position, heading) = rms(&all);
    let (reckoned, _) = rms(&Navigation { imu: Some(imu), ..Navigation::default() });
    // 0.58 m by the theory of the α–β filter (0.54 m of noise, 0.15 m by the bias, 0.13 m by the
    // tilt); of a hundred values it is known to 7 %.
    assert!(position < 0.8 && reckoned > 5.0, "{position} m, {reckoned} m");
    assert!(heading < 1.0, "{heading}°");
}

#[test]
fn every_instant_is_the_same_whenever_the_run_ends() {
    let truth = drive();
    for name in Navigation::PRESETS {
        let navigation = Navigation::preset(name).unwrap();
        let (short, long) =
            (navigation.estimate(&truth, 5.0, 9), navigation.estimate(&truth, 20.0, 9));
        let other = navigation.estimate(&truth, 20.0, 10);
        let mut differs = false;
        for step in 0..=500 {
            let t = f64::from(step) * 0.01;
            let pose = truth.pose_at(t);
            assert_eq!(short.pose_at(t, &pose), long.pose_at(t, &pose));
            differs |= other.pose_at(t, &pose) != long.pose_at(t, &pose);
        }
        assert!(differs);
    }
    assert!(Navigation::preset("none").is_none());
    assert_eq!(truth.velocity_at(-1.0), Velocity::REST);
}
