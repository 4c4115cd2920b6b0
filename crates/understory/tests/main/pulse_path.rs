//! Whole pulses through small worlds with known answers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use glam::{DAffine3, DVec3};
use understory::Error;
use understory::pulse::beam::{BeamSpec, Footprint, Sampling, SpotShape};
use understory::pulse::detector::{Detector, DetectorSpec, ReturnMode, WindowRange};
use understory::pulse::echo::SensitivityModel;
use understory::pulse::range_error::{RangeError, RangeModel};
use understory::pulse::record::record;
use understory::pulse::scan_pattern::{Kind, ScanPattern, Table, TableRow};
use understory::pulse::{Batch, Delay, PreparedRun, SensorRun, simulate_batch};
use understory::run::trace_pulse::explain_pulse;
use understory::run::{RunOptions, RunSummary, run};
use understory::sensor::Sensor;
use understory::world::scene::material::{Material, Spectrum};
use understory::world::scene::{MeshMaterials, Scene, SceneBuilder};
use understory::world::trajectory::{FlightLines, Pose, Registration, Trajectory};
use understory_base::{Progress, Silent};
use understory_cloud::{CloudError, RecordSink, Records, SinkReport};
use understory_geometry::Edges;

/// A square of half side `half_m` around `centre` with the normal `normal`.
struct Square {
    centre: DVec3,
    normal: DVec3,
    half_m: f64,
}

fn square(centre: DVec3, normal: DVec3, half_m: f64) -> Square {
    Square { centre, normal, half_m }
}

/// Object i has material i, whose reflectance is 1/i, and label 70.
fn scene(squares: impl IntoIterator<Item = Square>) -> Scene {
    let mut builder = SceneBuilder::default();
    for (i, Square { centre, normal, half_m }) in squares.into_iter().enumerate() {
        let (u, v) = normal.normalize().any_orthonormal_pair();
        let corner = |a: f64, b: f64| centre + (u * a + v * b) * half_m;
        let corners = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let reflectance = Spectrum::constant(1.0 / (i + 1) as f64).unwrap();
        let material = Material::diffuse(&format!("{i}"), reflectance, [0; 3]);
        let material = builder.add_material(material).unwrap();
        let triangles = vec![[0, 1, 2], [0, 2, 3]];
        let materials = MeshMaterials::Uniform(material);
        let mesh = builder.add_mesh(&corners, triangles, materials, Edges::Closed).unwrap();
        let object = builder.add_object(format!("square {i}"), 70).unwrap();
        builder.add_instance(mesh, object, DAffine3::IDENTITY).unwrap();
    }
    builder.build().unwrap()
}

/// Fires into given directions, one after the other and over again.
fn directions(directions: &[DVec3], origin_m: DVec3, period_s: f64) -> ScanPattern {
    let row = |(i, direction): (usize, &DVec3)| TableRow {
        time_s: i as f64 * period_s,
        azimuth_rad: direction.y.atan2(direction.x),
        elevation_rad: direction.z.asin(),
        channel: (i % 3) as u16,
    };
    let cycle_s = directions.len() as f64 * period_s;
    let table = Table::new(cycle_s, directions.iter().enumerate().map(row).collect()).unwrap();
    ScanPattern::new(Kind::Table(table), Pose { translation: origin_m, ..Pose::IDENTITY })
}

fn along(axes: &[DVec3]) -> ScanPattern {
    directions(axes, DVec3::ZERO, 1e-5)
}

fn circle(steps: usize) -> Vec<DVec3> {
    let step = |i: usize| (i as f64 / steps as f64 * std::f64::consts::TAU).sin_cos();
    (0..steps).map(|i| DVec3::new(step(i).1, step(i).0, -0.05).normalize()).collect()
}

fn beam(sampling: Sampling, rays: usize, divergence_rad: f64) -> BeamSpec {
    BeamSpec {
        shape: SpotShape::Circular,
        divergence_horizontal_rad: divergence_rad,
        divergence_vertical_rad: divergence_rad,
        aperture_horizontal_m: 0.0,
        aperture_vertical_m: 0.0,
        sampling,
        rays,
    }
}

fn sensor(scene: &Scene, pattern: ScanPattern, beam: BeamSpec) -> SensorRun {
    let detector = DetectorSpec {
        range_min_m: 0.1,
        range_max_m: 200.0,
        range_quantum_m: 0.0,
        range_offset_m: 0.0,
        mode: ReturnMode::Strongest,
        signal_cutoff_m: 1.0,
        window: WindowRange::Mean,
        max_returns: 5,
    };
    SensorRun {
        index: 0,
        name: "test".into(),
        pattern,
        delay: Delay::Seconds(0.0),
        platform_from_sensor: Pose::IDENTITY,
        misaligned: None,
        footprint: Footprint::new(&beam),
        blooming: None,
        sensitivity: SensitivityModel::Dark,
        detector: Detector::new(detector),
        range_model: RangeModel::default(),
        saturation: f32::INFINITY,
        optics: scene.optics(905.0),
        air: None,
    }
}

fn prepared(scene: Scene, sensors: Vec<SensorRun>) -> PreparedRun {
    let trajectory = Trajectory::fixed(Pose::IDENTITY);
    PreparedRun {
        scene: scene.into(),
        trajectory,
        lines: FlightLines::default(),
        navigation: None,
        registration: Registration::default(),
        sensors,
        seed: 1,
        duration_s: 0.1,
    }
}

/// One sensor at the origin before some squares.
fn one_sensor(
    squares: impl IntoIterator<Item = Square>,
    pattern: ScanPattern,
    beam: BeamSpec,
) -> PreparedRun {
    let scene = scene(squares);
    let sensor = sensor(&scene, pattern, beam);
    prepared(scene, vec![sensor])
}

fn pulses(run: &PreparedRun, range: Range<u64>) -> Records {
    let mut records = Records::default();
    simulate_batch(run, &run.sensors[0], 1, range, &mut Batch::default(), &mut records);
    records
}

/// Worst error of range, true range and positions over planes some 100 m away in all directions.
fn worst_plane_error(sensor_position: DVec3) -> f64 {
    let mut worst = 0.0f64;
    for i in 0..200 {
        let (azimuth, height) = (i as f64 * 2.399_963, -0.95 + 1.9 * (i as f64 / 199.0));
        let level = (1.0 - height * height).sqrt();
        let axis = DVec3::new(level * azimuth.cos(), level * azimuth.sin(), height);
        let tilt = DVec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 * i as f64).sin());
        let normal = (axis + 0.8 * tilt.normalize()).normalize();
        let distance = 60.0 + 0.2 * i as f64;
        let plane = sensor_position + axis * distance;
        let origin_m = DVec3::new(0.1, -0.05, 0.02);
        let exact = normal.dot(plane - sensor_position - origin_m) / normal.dot(axis);
        let point = sensor_position + origin_m + axis * exact;
        let mut run = one_sensor(
            [square(plane, normal, 30.0)],
            directions(&[axis], origin_m, 1e-5),
            beam(Sampling::Single, 1, 0.0),
        );
        run.trajectory = Trajectory::fixed(Pose { translation: sensor_position, ..Pose::IDENTITY });
        let row = pulses(&run, 0..1).get(0).unwrap();
        assert_eq!(row.return_number, 1, "plane {i} was missed");
        worst = worst.max((f64::from(row.range_m) - exact).abs());
        worst = worst.max((f64::from(row.true_range_m) - exact).abs());
        worst = worst.max(DVec3::from(row.world_xyz_m).distance(point));
        worst = worst.max(DVec3::from(row.true_xyz_m).distance(point));
        let incidence = normal.dot(axis).abs().acos().to_degrees();
        assert!((f64::from(row.incidence_deg) - incidence).abs() < 1e-5);
        assert!((f64::from(row.intensity) - normal.dot(axis).abs()).abs() < 1e-5);
    }
    worst
}

#[test]
fn planes_at_100_m_are_measured_to_a_tenth_of_a_millimetre() {
    let worst = worst_plane_error(DVec3::ZERO);
    println!("worst error {worst:.2e} m");
    assert!(worst < 1e-4);
}

#[test]
fn map_coordinates_lose_nothing() {
    let worst = worst_plane_error(DVec3::new(500_000.0, 5_400_000.0, 100.0));
    println!("worst error {worst:.2e} m");
    assert!(worst < 1e-4);
}

#[test]
fn a_white_target_that_faces_the_beam_and_fills_it_gives_1() {
    for sampling in [Sampling::Single, Sampling::Matched, Sampling::Uniform, Sampling::Gaussian] {
        let wall = square(DVec3::X * 20.0, DVec3::NEG_X, 5.0);
        let run = one_sensor([wall], along(&[DVec3::X]), beam(sampling, 40, 0.002));
        let hits = run.sensors[0].footprint.rays_per_pulse();
        let row = pulses(&run, 0..1).get(0).unwrap();
        assert!((row.intensity - 1.0).abs() < 1e-5, "{sampling:?} gives {}", row.intensity);
        assert_eq!(row.sub_ray_hits as usize, hits);
        assert_eq!((row.object, row.material, row.label), (1, 1, 70));
    }
}

#[test]
fn a_miss_is_a_row_of_its_own() {
    let wall = square(DVec3::X * 20.0, DVec3::NEG_X, 5.0);
    let pattern = along(&[DVec3::X, DVec3::Y, DVec3::NEG_X]);
    let run = one_sensor([wall], pattern, beam(Sampling::Matched, 9, 0.002));
    let records = pulses(&run, 0..3);
    assert_eq!(records.return_number, [1, 0, 0]);
    assert_eq!(records.return_count, [1, 0, 0]);
    assert_eq!(records.azimuth_deg, [0.0, 90.0, 180.0]);
    assert!(records.range_m[1].is_nan() && records.world_xyz_m[1][0].is_nan());
    assert_eq!((records.object[1], records.sub_ray_hits[1]), (0, 0));
}

#[test]
fn a_pulse_whose_centre_ray_misses_sees_what_its_other_rays_hit() {
    // The wall begins 1 cm beside the axis; at 20 m the spot's rays lie 1.7 cm from it.
    let wall = square(DVec3::new(20.0, 5.01, 0.0), DVec3::NEG_X, 5.0);
    let run = one_sensor([wall], along(&[DVec3::X]), beam(Sampling::Matched, 9, 0.002));
    let row = pulses(&run, 0..1).get(0).unwrap();
    assert_eq!((row.return_number, row.sub_ray_hits), (1, 1));
    assert!((row.intensity - 1.0 / 9.0).abs() < 1e-5);
    assert!((row.true_xyz_m[1] - 20.0 * 0.75f64.sqrt() * 0.001f64.tan()).abs() < 1e-6);
    assert_eq!(row.world_xyz_m[1], 0.0, "the sensor knows its axis alone");
}

/// More sub-rays than the tracer takes at once, each against the same ray traced by itself.
#[test]
fn many_sub_rays_hit_what_each_hits_alone() {
    let wall = square(DVec3::new(20.0, 5.003, 0.0), DVec3::new(-1.0, 0.2, 0.1), 5.0);
    for rays in [17, 40, 100] {
        let mut beam = beam(Sampling::Gaussian, rays, 0.002);
        beam.aperture_horizontal_m = 0.02;
        let run = one_sensor([Square { ..wall }], along(&[DVec3::X]), beam);
        let mut batch = Batch::default();
        simulate_batch(&run, &run.sensors[0], 1, 0..1, &mut batch, &mut Records::default());
        let mut expected = Vec::new();
        for (sub_ray, direction) in batch.beams.directions(0).iter().enumerate() {
            let origin = batch.beams.sub_ray_origin(0, sub_ray);
            if let Some(hit) = run.scene.rays.trace_ray(origin, direction.as_vec3(), 200.0) {
                expected.push((sub_ray as u16, hit.t));
            }
        }
        assert!(expected.len() > rays / 5 && expected.len() < rays);
        let found: Vec<u16> = batch.interactions.sub_ray.clone();
        assert_eq!(found, expected.iter().map(|(sub_ray, _)| *sub_ray).collect::<Vec<_>>());
        for (distance_m, (_, t)) in batch.interactions.distance_m.iter().zip(&expected) {
            assert!((distance_m - t).abs() < 1e-4);
        }
    }
}

#[test]
fn an_edge_in_the_beam_gives_two_returns() {
    let near = square(DVec3::new(20.0, 5.0 - 0.01, 0.0), DVec3::NEG_X, 5.0);
    let far = square(DVec3::new(24.0, 0.0, 0.0), DVec3::NEG_X, 5.0);
    let mut run = one_sensor([near, far], along(&[DVec3::X]), beam(Sampling::Matched, 9, 0.002));
    let spec = DetectorSpec { mode: ReturnMode::All, ..*run.sensors[0].detector.spec() };
    run.sensors[0].detector = Detector::new(spec);
    let records = pulses(&run, 0..1);
    assert_eq!(records.return_number, [1, 2]);
    assert_eq!(records.return_count, [2, 2]);
    assert_eq!(records.object, [1, 2]);
    assert_eq!(records.sub_ray_hits.iter().sum::<u16>(), 9);
    let light = records.intensity[0] + 2.0 * records.intensity[1];
    assert!((light - 1.0).abs() < 1e-5, "the far wall reflects a half: {light}");
}

#[test]
fn offset_quantum_and_encoder_error_enter_where_they_should() {
    let wall = square(DVec3::X * 20.0, DVec3::NEG_X, 30.0);
    let axis = DVec3::new(0.8, 0.6, 0.0);
    let mut run = one_sensor([wall], along(&[axis]), beam(Sampling::Single, 1, 0.0));
    let sensor = &mut run.sensors[0];
    let spec = DetectorSpec { range_offset_m: 0.03, ..*sensor.detector.spec() };
    sensor.detector = Detector::new(spec);
    sensor.range_model.quantum_m = 0.007;
    let (mut batch, mut records) = (Batch::default(), Records::default());
    simulate_batch(&run, &run.sensors[0], 1, 0..1, &mut batch, &mut records);
    records.clear();
    batch.pulses.azimuth_report_error_rad[0] = 0.01;
    record(&run.scene, &run.sensors[0], &mut batch, &mut records);
    let row = records.get(0).unwrap();
    assert!((row.range_m - 25.032).abs() < 1e-5, "25.03 m in steps of 7 mm: {}", row.range_m);
    assert!((row.true_range_m - 25.03).abs() < 1e-5);
    assert!((f64::from(row.azimuth_deg) - (0.6f64.atan2(0.8) + 0.01).to_degrees()).abs() < 1e-5);
    let turned = glam::DQuat::from_rotation_z(0.01) * axis * 25.002;
    assert!(DVec3::from(row.world_xyz_m).abs_diff_eq(turned, 1e-6));
    assert!(DVec3::from(row.true_xyz_m).abs_diff_eq(axis * 25.0, 1e-5));
}

/// Two sensors of different rates on a platform that drives and turns, with noise.
fn busy_run() -> PreparedRun {
    let posts = (0..12).map(|i| {
        let angle = i as f64 / 12.0 * std::f64::consts::TAU;
        let place = DVec3::new(angle.cos(), angle.sin(), 0.0) * (6.0 + i as f64);
        square(place, place, 1.5)
    });
    let scene = scene(posts);
    let pattern = directions(&circle(300), DVec3::ZERO, 1e-5);
    let mut first = sensor(&scene, pattern, beam(Sampling::Matched, 9, 0.01));
    let spec = DetectorSpec { mode: ReturnMode::All, ..*first.detector.spec() };
    first.detector = Detector::new(spec);
    first.range_model =
        RangeModel { error: RangeError::gaussian(0.02), ambiguity_m: 0.0, quantum_m: 0.002 };
    let pattern = directions(&circle(77), DVec3::ZERO, 2.3e-5);
    let mut second = sensor(&scene, pattern, beam(Sampling::Gaussian, 20, 0.02));
    second.index = 1;
    second.platform_from_sensor =
        Pose::from_position_and_rpy_deg([0.5, 0.0, 0.1], [0.0, 0.0, 90.0]);
    let mut run = prepared(scene, vec![first, second]);
    let turned = Pose::from_position_and_rpy_deg([1.0, 0.5, 0.0], [2.0, 1.0, 40.0]);
    run.trajectory = Trajectory::through(vec![(0.0, Pose::IDENTITY), (0.1, turned)]).unwrap();
    run
}

/// Three real sensors, whose firing cycles hold many pulses and have different lengths.
fn three_presets() -> PreparedRun {
    let mut run = busy_run();
    run.duration_s = 0.01;
    let sensors = ["vlp-16", "os1-64-uniform", "lms-291"].map(|name| Sensor::preset(name).unwrap());
    let of_run = |(index, sensor): (usize, &Sensor)| {
        SensorRun::new(index as u16, sensor, Pose::IDENTITY, &run.scene)
    };
    run.sensors = sensors.iter().enumerate().map(of_run).collect();
    run
}

/// Keeps the rows where the test can see them.
#[derive(Clone, Default)]
struct Memory {
    rows: Arc<Mutex<Records>>,
    fails_after: Option<usize>,
}

impl RecordSink for Memory {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let mut rows = self.rows.lock().unwrap();
        if self.fails_after.is_some_and(|limit| rows.len() > limit) {
            return Err(CloudError::DamagedBlock);
        }
        rows.append(records);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        Ok(SinkReport::default())
    }
}

fn run_all(prepared: &PreparedRun, options: &RunOptions) -> (RunSummary, Records) {
    let sink = Memory::default();
    let (summary, _) = run(prepared, options, Box::new(sink.clone()), &Silent).unwrap();
    let rows = sink.rows.lock().unwrap().clone();
    (summary, rows)
}

fn same(a: &Records, b: &Records) -> bool {
    // NaN is not equal to itself; its text is.
    a.len() == b.len() && format!("{a:?}") == format!("{b:?}")
}

#[test]
fn any_number_of_threads_gives_the_same_rows() {
    for sensors in [1, 2] {
        let mut prepared = busy_run();
        prepared.sensors.truncate(sensors);
        let rows = |threads| {
            run_all(&prepared, &RunOptions { threads: Some(threads), ..Default::default() }).1
        };
        let one = rows(1);
        assert!(one.len() >= 10_000);
        assert!(one.time_s.windows(2).all(|pair| pair[0] <= pair[1]));
        for threads in [2, 8] {
            assert!(same(&one, &rows(threads)), "{threads} threads differ");
        }
    }
}

#[test]
fn intervals_of_several_sensors_with_many_lasers_are_the_whole() {
    let prepared = three_presets();
    let rows = |interval_s, threads| {
        let interval_s = Some(interval_s);
        let threads = Some(threads);
        run_all(&prepared, &RunOptions { interval_s, threads, ..Default::default() }).1
    };
    let whole = rows((0.0, 0.01), 2);
    assert!(whole.len() > 6000 && whole.return_rows() > 0);
    assert!(same(&whole, &rows((0.0, 0.01), 1)));
    for cut_s in [0.001, 0.001_234_5, 0.005_02, 0.009_999] {
        let mut parts = rows((0.0, cut_s), 2);
        parts.append(&rows((cut_s, 0.01), 1));
        assert!(same(&whole, &parts), "cut at {cut_s} s");
    }
    for sensor in 0..3 {
        let pulses = whole.pulse.iter().zip(&whole.sensor).filter(|(_, s)| **s == sensor);
        let mut unique: Vec<u64> = pulses.map(|(pulse, _)| *pulse).collect();
        assert!(unique.is_sorted());
        unique.dedup();
        assert!(unique.iter().enumerate().all(|(i, pulse)| i as u64 == *pulse));
    }
    // No cycle of these lasts longer than a quarter of a millisecond.
    assert!(whole.time_s.windows(2).all(|pair| pair[1] > pair[0] - 2.5e-4));
}

#[test]
fn intervals_one_after_the_other_are_the_whole() {
    for sensors in [1, 2] {
        let mut prepared = busy_run();
        prepared.sensors.truncate(sensors);
        let rows = |interval_s| {
            run_all(&prepared, &RunOptions { interval_s: Some(interval_s), ..Default::default() }).1
        };
        let whole = run_all(&prepared, &RunOptions::default()).1;
        let mut parts = rows((0.0, 0.0123));
        parts.append(&rows((0.0123, 0.05)));
        parts.append(&rows((0.05, 0.1)));
        assert!(same(&whole, &parts));
    }
}

#[test]
fn another_seed_gives_other_ranges() {
    let prepared = busy_run();
    let rows = |seed| {
        let mut prepared = prepared.clone();
        prepared.reseed(seed);
        run_all(&prepared, &RunOptions::default()).1
    };
    assert!(same(&rows(1), &rows(1)));
    assert_ne!(rows(1).range_m, rows(2).range_m);
}

#[test]
fn the_summary_counts_what_was_written() {
    let prepared = busy_run();
    let (summary, rows) = run_all(&prepared, &RunOptions::default());
    assert_eq!(summary.pulses, 10_000 + 4348);
    assert_eq!(summary.sub_rays, 10_000 * 9 + 4348 * 20);
    assert_eq!(summary.returns, rows.return_rows() as u64);
    assert_eq!(summary.misses as usize, rows.len() - rows.return_rows());
    assert!(summary.returns > 0 && summary.misses > 0);
    assert_eq!(summary.seconds_simulated, 0.1);
    assert!((summary.real_time_factor * summary.seconds_wall - 0.1).abs() < 1e-9);
    if cfg!(target_os = "linux") {
        assert!(summary.peak_memory_mb.unwrap() > 1.0);
    }
}

#[test]
fn a_failing_sink_stops_the_run() {
    let prepared = busy_run();
    let sink = Memory { fails_after: Some(3000), ..Memory::default() };
    let options = RunOptions { threads: Some(3), ..Default::default() };
    let failed = run(&prepared, &options, Box::new(sink.clone()), &Silent);
    assert!(matches!(failed, Err(Error::Cloud(_))));
    assert!(sink.rows.lock().unwrap().len() < 10_000);
}

#[test]
fn a_run_can_be_cancelled_and_says_how_far_it_came() {
    struct StopAtHalf(Arc<AtomicBool>, AtomicU64);
    impl Progress for StopAtHalf {
        fn started(&self, total_pulses: u64, _: f64) {
            self.1.store(total_pulses / 2, Ordering::Relaxed);
        }
        fn advanced(&self, pulses: u64, _: f64) {
            let left = self.1.load(Ordering::Relaxed).saturating_sub(pulses);
            self.1.store(left, Ordering::Relaxed);
            self.0.store(left == 0, Ordering::Relaxed);
        }
        fn finished(&self) {}
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let progress = StopAtHalf(cancel.clone(), AtomicU64::new(0));
    let options = RunOptions { cancel: Some(cancel), ..Default::default() };
    let stopped = run(&busy_run(), &options, Box::new(Memory::default()), &progress);
    let Err(Error::Cancelled { simulated_s }) = stopped else { panic!("not cancelled") };
    assert!((0.05..0.07).contains(&simulated_s));
}

#[test]
fn an_interval_outside_the_run_is_refused() {
    for interval_s in [(0.0, 0.2), (0.0, f64::INFINITY), (0.05, 0.01), (-1.0, 0.0), (f64::NAN, 0.1)]
    {
        let options = RunOptions { interval_s: Some(interval_s), ..Default::default() };
        let refused = run(&busy_run(), &options, Box::new(Memory::default()), &Silent);
        assert!(matches!(refused, Err(Error::Invalid { .. })));
    }
}

#[test]
fn the_account_of_a_pulse_has_the_rows_of_the_run() {
    let prepared = busy_run();
    let all = pulses(&prepared, 0..600);
    for pulse in [0, 7, 299, 450] {
        let trace = explain_pulse(&prepared, 0, pulse).unwrap();
        let mut rows = Records::default();
        for row in (0..all.len()).filter_map(|row| all.get(row)).filter(|row| row.pulse == pulse) {
            rows.push(row);
        }
        assert!(same(&trace.rows, &rows));
        for (row, found) in trace.returns.iter().enumerate() {
            assert_eq!(found.members.len(), rows.sub_ray_hits[row] as usize);
            assert!(found.truth.is_some_and(|truth| found.members.contains(&truth)));
        }
        let words = trace.to_string();
        for step in ["platform", "beam", "world and echo", "detector"] {
            assert!(words.contains(step), "{words}");
        }
    }
    assert!(explain_pulse(&prepared, 2, 0).is_err());
    assert!(explain_pulse(&prepared, 0, 10_000).is_err());
}
