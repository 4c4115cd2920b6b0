//! Whole pulses through weather, against closed forms that are worked out here once more.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::f64::consts::PI;

use glam::{DAffine3, DVec3};
use understory::pulse::atmosphere::fog::FogSpec;
use understory::pulse::atmosphere::particles::Occlusion;
use understory::pulse::atmosphere::rain::RainSpec;
use understory::pulse::atmosphere::snow::SnowSpec;
use understory::pulse::atmosphere::{Air, Atmosphere, EchoScale, Receiver};
use understory::pulse::beam::{BeamSpec, Footprint, Sampling, SpotShape};
use understory::pulse::detector::{Detector, DetectorSpec, ReturnMode, WindowRange};
use understory::pulse::echo::SensitivityModel;
use understory::pulse::range_error::RangeModel;
use understory::pulse::scan_pattern::{Kind, ScanPattern, Table, TableRow};
use understory::pulse::{Batch, Delay, PreparedRun, SensorRun, simulate_batch};
use understory::world::scene::material::{Material, Spectrum};
use understory::world::scene::{MeshMaterials, Scene, SceneBuilder};
use understory::world::trajectory::{Pose, Registration, Trajectory};
use understory_cloud::Records;
use understory_geometry::Edges;

/// The class of echoes from the air.
const OUTLIER: u16 = 1;

/// Directions of targets, in a circle.
fn direction(index: usize, of: usize) -> DVec3 {
    let (sin, cos) = (index as f64 / of as f64 * std::f64::consts::TAU).sin_cos();
    DVec3::new(cos, sin, 0.0)
}

/// Squares that face the origin, one in each direction, with a distance and a reflectance each.
fn scene(targets: &[(f64, f64)]) -> Scene {
    let mut builder = SceneBuilder::default();
    for (index, &(distance_m, reflectance)) in targets.iter().enumerate() {
        let normal = direction(index, targets.len());
        let (u, v) = normal.any_orthonormal_pair();
        let half_m = distance_m * (PI / targets.len().max(8) as f64).tan() * 0.9;
        let corner = |a: f64, b: f64| normal * distance_m + (u * a + v * b) * half_m;
        let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let spectrum = Spectrum::constant(reflectance).unwrap();
        let material = Material::diffuse(&format!("{index}"), spectrum, [0; 3]);
        let material = MeshMaterials::Uniform(builder.add_material(material).unwrap());
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        let mesh = builder.add_mesh(&corners, triangles, material, Edges::Closed).unwrap();
        let object = builder.add_object(format!("{index}"), 70).unwrap();
        builder.add_instance(mesh, object, DAffine3::IDENTITY).unwrap();
    }
    builder.build().unwrap()
}

/// A sensor that fires at each target in turn.
fn prepared(
    targets: &[(f64, f64)],
    air: &Atmosphere,
    mode: ReturnMode,
    range_max_m: f64,
) -> PreparedRun {
    let scene = scene(targets);
    let row = |index: usize| TableRow {
        time_s: index as f64 * 1e-5,
        azimuth_rad: index as f64 / targets.len() as f64 * std::f64::consts::TAU,
        elevation_rad: 0.0,
        channel: 0,
    };
    let rows = (0..targets.len()).map(row).collect();
    let table = Table::new(targets.len() as f64 * 1e-5, rows).unwrap();
    let beam = BeamSpec {
        shape: SpotShape::Circular,
        divergence_horizontal_rad: 0.002,
        divergence_vertical_rad: 0.002,
        aperture_horizontal_m: 0.0,
        aperture_vertical_m: 0.0,
        sampling: Sampling::Matched,
        rays: 9,
    };
    let detector = DetectorSpec {
        range_min_m: 0.1,
        range_max_m,
        range_quantum_m: 0.0,
        range_offset_m: 0.0,
        mode,
        signal_cutoff_m: 0.5,
        window: WindowRange::Weighted,
        max_returns: 5,
    };
    let receiver = Receiver::new(905.0, &beam, range_max_m, EchoScale::Target);
    let sensor = SensorRun {
        index: 0,
        name: "test".into(),
        pattern: ScanPattern::new(Kind::Table(table), Pose::IDENTITY),
        delay: Delay::Seconds(0.0),
        platform_from_sensor: Pose::IDENTITY,
        misaligned: None,
        footprint: Footprint::new(&beam),
        blooming: None,
        sensitivity: SensitivityModel::Dark,
        detector: Detector::new(detector),
        saturation: f32::INFINITY,
        range_model: RangeModel::default(),
        optics: scene.optics(905.0),
        air: Air::new(air, receiver),
    };
    let trajectory = Trajectory::fixed(Pose::IDENTITY);
    PreparedRun {
        scene: scene.into(),
        trajectory,
        lines: Default::default(),
        navigation: None,
        registration: Registration::default(),
        sensors: vec![sensor],
        seed: 77,
        duration_s: 1e6,
    }
}

fn fire(run: &PreparedRun, pulses: u64) -> Records {
    let (mut batch, mut records) = (Batch::default(), Records::default());
    for first in (0..pulses).step_by(1000) {
        let range = first..(first + 1000).min(pulses);
        simulate_batch(run, &run.sensors[0], run.seed, range, &mut batch, &mut records);
    }
    records
}

/// The soft echo's greatest power and reported range by sums over time steps, in units in which a
/// white target at R0 gives 1/R0².
fn soft(visibility_m: f64, target_m: f64) -> (f64, f64) {
    let alpha = 20f64.ln() / visibility_m;
    let (tau, c, steps) = (20e-9, 299_792_458.0, 4000);
    let dt = 2.0 * tau / steps as f64;
    let response = |range_m: f64| -> f64 {
        let term = |i: usize| {
            let t = (i as f64 + 0.5) * dt;
            let x = range_m - c * t / 2.0;
            let seen = ((x - 0.9) / 0.1).clamp(0.0, 1.0);
            let before = if x < target_m { 1.0 } else { 0.0 };
            let pulse = (PI * t / (2.0 * tau)).sin().powi(2);
            if seen > 0.0 {
                pulse * (-2.0 * alpha * x).exp() * seen * before / (x * x) * dt
            } else {
                0.0
            }
        };
        (0..steps).map(term).sum()
    };
    let ranges = (90..700).map(|i| i as f64 * 0.01);
    let best = ranges.map(|r| (response(r), r)).max_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
    (0.046 / visibility_m / (1e-6 / PI) * best.0, best.1 - c * tau / 2.0)
}

fn foggy(visibility_m: f64, patchiness: f64) -> Atmosphere {
    let fog = FogSpec { patchiness, ..FogSpec::with_visibility(visibility_m) };
    Atmosphere { fog: Some(fog), ..Atmosphere::default() }
}

/// Even fog: which pulses return from it, from where, and how bright targets remain, for targets
/// of 50 % from 3 m to 400 m.
#[test]
fn even_fog_against_its_closed_form() {
    let mut shares = Vec::new();
    for visibility_m in [50.0, 600.0] {
        let alpha = 20f64.ln() / visibility_m;
        let targets: Vec<(f64, f64)> =
            (0..200).map(|i| (3.0 * (400.0f64 / 3.0).powf(i as f64 / 199.0), 0.5)).collect();
        let run = prepared(&targets, &foggy(visibility_m, 0.0), ReturnMode::Strongest, 1500.0);
        let records = fire(&run, targets.len() as u64);
        assert_eq!(records.len(), targets.len());
        let far = soft(visibility_m, f64::INFINITY);
        let (mut fog, mut near_border) = (0, 0);
        for (index, &(target_m, rho)) in targets.iter().enumerate() {
            let row = records.get(index).unwrap();
            let (power, range_m) = if target_m > 6.0 { far } else { soft(visibility_m, target_m) };
            let hard = rho * (-2.0 * alpha * target_m).exp();
            let ratio = power * target_m * target_m / hard;
            if (ratio - 1.0).abs() < 5e-3 {
                near_border += 1;
                continue;
            }
            if ratio > 1.0 {
                fog += 1;
                assert_eq!((row.label, row.object), (OUTLIER, 0), "{target_m} m");
                assert!((f64::from(row.range_m) - range_m).abs() < 0.02, "{}", row.range_m);
                let expected = (power * target_m * target_m).min(1.0);
                assert!((f64::from(row.intensity) / expected - 1.0).abs() < 5e-3);
            } else {
                assert_eq!(row.label, 70, "{target_m} m");
                assert!((f64::from(row.range_m) - target_m).abs() < 1e-3 * target_m);
                // Sub-rays off the axis meet the square a little askew and farther away.
                assert!((f64::from(row.intensity) / hard - 1.0).abs() < 1e-3, "{}", row.intensity);
            }
        }
        assert!(near_border < 3);
        shares.push(fog);
    }
    println!("fog returns of 200: {shares:?}");
    assert!(shares[0] > 60 && shares[1] > 5, "{shares:?}");
}

/// Patchy fog: the share of returns from it is Φ((ln q − σ²/2)/σ) with q the ratio of even fog's
/// echo to the target's; 20 000 pulses a target, 5 standard errors (6·10⁻⁷).
#[test]
fn patchy_fog_by_share() {
    for (visibility_m, distances) in [(50.0, [28.0, 31.0, 34.0]), (600.0, [200.0, 250.0, 300.0])] {
        let alpha = 20f64.ln() / visibility_m;
        let sigma = 0.6;
        let targets = distances.map(|distance_m| (distance_m, 0.5));
        let run = prepared(&targets, &foggy(visibility_m, sigma), ReturnMode::Strongest, 1500.0);
        let n = 20_000;
        let records = fire(&run, 3 * n);
        let (power, _) = soft(visibility_m, f64::INFINITY);
        for (index, (target_m, rho)) in targets.into_iter().enumerate() {
            let rows = (index..records.len()).step_by(3).map(|row| records.get(row).unwrap());
            let fog = rows.filter(|row| row.label == OUTLIER).count() as f64;
            let q = power * target_m * target_m / (rho * (-2.0 * alpha * target_m).exp());
            let p = normal_cdf((q.ln() - sigma * sigma / 2.0) / sigma);
            let error = 5.0 * (n as f64 * p * (1.0 - p)).sqrt();
            println!("{visibility_m} m, {target_m} m: {} of {p:.4}", fog / n as f64);
            assert!(p > 0.01 && p < 0.99, "{p} tells nothing");
            // The closed form is known to 1e-3 of q.
            assert!((fog - n as f64 * p).abs() < error + n as f64 * 1e-3, "{fog} {p}");
        }
    }
}

/// ρ = 0.3 is seen to 30.4487 m at 10 mm/h and to 57.5527 m at 1 mm/h by a sensor of 100 m.
#[test]
fn rain_takes_the_range_that_goodin_says() {
    for (rate, limit_m) in [(10.0, 30.4487), (1.0, 57.5527)] {
        let targets: Vec<(f64, f64)> =
            (-10..10).map(|i| (limit_m + 0.02 * (f64::from(i) + 0.5), 0.3)).collect();
        let rain = RainSpec {
            rate_mm_per_h: rate,
            drops: false,
            drop_reflectance: 1.0,
            range_noise: false,
        };
        let air = Atmosphere { rain: Some(rain), range_limit: true, ..Atmosphere::default() };
        let run = prepared(&targets, &air, ReturnMode::Strongest, 100.0);
        let records = fire(&run, targets.len() as u64);
        for (index, (target_m, _)) in targets.iter().enumerate() {
            let found = records.get(index).unwrap().return_count;
            assert_eq!(found > 0, *target_m < limit_m, "{target_m} m at {rate} mm/h");
        }
    }
}

/// 20 000 ranges of a target at 20 m are normal with σ = 0.39996 m: Kolmogorov and Smirnov's
/// distance below 2.75/√n (error probability 5·10⁻⁷); the truth stays.
#[test]
fn rain_scatters_ranges() {
    let rain =
        RainSpec { rate_mm_per_h: 10.0, drops: false, drop_reflectance: 1.0, range_noise: true };
    let air = Atmosphere { rain: Some(rain), range_limit: true, ..Atmosphere::default() };
    let run = prepared(&[(20.0, 0.5)], &air, ReturnMode::Strongest, 100.0);
    let n = 20_000;
    let records = fire(&run, n);
    let mut errors: Vec<f64> = Vec::new();
    for index in 0..records.len() {
        let row = records.get(index).unwrap();
        assert!((row.true_range_m - 20.0).abs() < 1e-3);
        errors.push((f64::from(row.range_m) - 20.0) / 0.399_963_681);
    }
    errors.sort_by(f64::total_cmp);
    let apart = errors.iter().enumerate().map(|(i, &x)| {
        let (below, above) = (i as f64 / n as f64, (i + 1) as f64 / n as f64);
        (normal_cdf(x) - below).abs().max((normal_cdf(x) - above).abs())
    });
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 2.75 / (n as f64).sqrt(), "{apart}");
}

/// Batches may be cut anywhere: all weather at once gives the same rows.
#[test]
fn weather_belongs_to_the_pulse() {
    let air = Atmosphere {
        rain: Some(RainSpec {
            rate_mm_per_h: 30.0,
            drops: true,
            drop_reflectance: 1.0,
            range_noise: true,
        }),
        snow: Some(SnowSpec {
            rate_mm_per_h: 5.0,
            occlusion: Occlusion::Angle,
            flake_reflectance: 0.9,
            pulse_s: 1e-8,
        }),
        ..foggy(200.0, 0.5)
    };
    let run = prepared(&[(12.0, 0.5), (60.0, 0.1)], &air, ReturnMode::All, 120.0);
    let whole = fire(&run, 3000);
    let (mut batch, mut parts) = (Batch::default(), Records::default());
    for cut in [0..7, 7..1500, 1500..1501, 1501..3000] {
        simulate_batch(&run, &run.sensors[0], run.seed, cut, &mut batch, &mut parts);
    }
    assert_eq!(whole.len(), parts.len());
    let mut from_the_air = 0;
    for index in 0..whole.len() {
        let (a, b) = (whole.get(index).unwrap(), parts.get(index).unwrap());
        assert_eq!(format!("{a:?}"), format!("{b:?}"));
        from_the_air += usize::from(a.label == OUTLIER);
    }
    assert!(from_the_air > 100, "{from_the_air}");
}

/// By Simpson's rule from 0, good to 1e-9 for |x| < 8.
fn normal_cdf(x: f64) -> f64 {
    let density = |t: f64| (-0.5 * t * t).exp() / (2.0 * PI).sqrt();
    let (steps, x) = (200, x.clamp(-8.0, 8.0));
    let h = x / steps as f64;
    let inner = (1..steps).map(|i| (2.0 + 2.0 * (i % 2) as f64) * density(i as f64 * h));
    0.5 + h / 3.0 * (density(0.0) + inner.sum::<f64>() + density(x))
}
