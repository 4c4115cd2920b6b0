//! Nanoseconds per pulse of every step but tracing, on a world that costs nearly nothing to trace.
//!
//! `cargo bench -p understory --bench pulse_steps`
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints its figures")]

use std::time::Instant;

use glam::{DAffine3, DVec3};
use understory::pulse::beam::{BeamSpec, Beams, Footprint, Sampling, SpotShape};
use understory::pulse::detector::{Detector, DetectorSpec, Light, ReturnMode, WindowRange};
use understory::pulse::echo::EchoSignal;
use understory::pulse::interaction::{Interactions, SceneOverTime};
use understory::pulse::range_error::{Correlation, RangeError, RangeModel, Sigma};
use understory::pulse::record::record;
use understory::pulse::{Batch, SensorRun};
use understory::rng::BatchKey;
use understory::sensor::Sensor;
use understory::world::scene::material::{Material, Spectrum};
use understory::world::scene::{MeshMaterials, Scene, SceneBuilder};
use understory::world::trajectory::{Pose, Trajectory};
use understory_cloud::Records;
use understory_geometry::{Edges, MAX_RAYS_PER_PULSE, PulseRays};

const PULSES: u64 = 1024;
const ROUNDS: u32 = 200;

/// Best of the rounds, in nanoseconds per pulse.
fn time(name: &str, mut step: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        step();
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / PULSES as f64);
    }
    println!("{name:34} {best:8.1} ns/pulse");
    best
}

fn main() {
    let corners = [
        DVec3::new(-500.0, -500.0, -2.0),
        DVec3::new(2000.0, -500.0, -2.0),
        DVec3::new(-500.0, 2000.0, -2.0),
    ];
    let mut builder = SceneBuilder::default();
    let reflectance = Spectrum::constant(0.5).unwrap();
    let material = Material::diffuse("plane", reflectance, [0; 3]);
    let material = MeshMaterials::Uniform(builder.add_material(material).unwrap());
    let mesh = builder.add_mesh(&corners, vec![[0, 1, 2]], material, Edges::Closed).unwrap();
    let object = builder.add_object("plane".into(), 40).unwrap();
    builder.add_instance(mesh, object, DAffine3::IDENTITY).unwrap();
    let scene = builder.build().unwrap();

    let beam = BeamSpec {
        shape: SpotShape::Rectangular,
        divergence_horizontal_rad: 0.003,
        divergence_vertical_rad: 0.0015,
        aperture_horizontal_m: 0.01,
        aperture_vertical_m: 0.01,
        sampling: Sampling::Matched,
        rays: 9,
    };
    let detector = DetectorSpec {
        range_min_m: 0.5,
        range_max_m: 120.0,
        range_quantum_m: 0.002,
        range_offset_m: 0.0,
        mode: ReturnMode::StrongestAndLast,
        signal_cutoff_m: 0.5,
        window: WindowRange::Mean,
        max_returns: 2,
    };
    let preset = Sensor::preset("hdl-64e-s2").unwrap();
    let mut sensor = SensorRun::new(0, &preset, Pose::IDENTITY, &scene);
    sensor.range_model.error = RangeError::gaussian(0.005);
    sensor.footprint = Footprint::new(&beam);
    sensor.detector = Detector::new(detector);
    let moved = Pose::from_position_and_rpy_deg([1.0, 2.0, 0.1], [1.0, 2.0, 3.0]);
    let moving = Trajectory::through(vec![(0.0, Pose::IDENTITY), (1.0, moved)]).unwrap();
    let standing = Trajectory::fixed(Pose::IDENTITY);

    let mut b = Batch::default();
    let mut records = Records::default();
    let mut sum = 0.0;
    sum += time("pattern", || sensor.pattern.fill(0..PULSES, &mut b.pulses));
    time("platform, moving", || moving.poses_at(&b.pulses.time_s, &moved, &mut b.poses));
    sum += time("platform, standing", || standing.poses_at(&b.pulses.time_s, &moved, &mut b.poses));
    sum += time("beam", || sensor.footprint.spread(&b.pulses, &b.poses, &mut b.beams));
    let distance_max_m = sensor.detector.distance_max_m();
    let interactions = time("world: trace and surface points", || {
        let key = BatchKey { seed: 1, sensor: 0, first_pulse: b.pulses.first };
        let (movers, times_s) = (&b.movers, &b.pulses.time_s[..]);
        let world = SceneOverTime { scene: &scene, movers, times_s };
        b.interactions.trace(&b.beams, &world, &sensor.optics, distance_max_m, key);
    });
    let tracing = time("  of which tracing", || trace_only(&scene, &b.beams, distance_max_m));
    let traced = time("  of which tracing and f64 points", || {
        points_only(&scene, &b.beams, distance_max_m);
    });
    println!("{:34} {:8.1} ns/pulse", "  so f64 surface points", traced - tracing);
    sum += interactions - tracing;
    sum += time("echo", || signal(&mut b.signal, &b.interactions, &sensor));
    let key = BatchKey { seed: 1, sensor: 0, first_pulse: 0 };
    sum += time("detector", || {
        let light = Light {
            interactions: &b.interactions,
            signal: &b.signal,
            footprint: &sensor.footprint,
        };
        sensor.detector.detect(&light, key, &mut b.detector, &mut b.detections);
    });
    let report = sensor.range_model.clone();
    time("range error, Gaussian", || {
        report.measure(&b.detections, &b.pulses, key, &mut b.measured_m);
    });
    let mut wavy = report.clone();
    wavy.error.sigma = Sigma::Bayraktaroglu;
    wavy.error.bias.sigma_m = 0.02;
    wavy.error.correlation = Some(Correlation::default());
    time("range error, Bayraktaroglu and bias", || {
        wavy.measure(&b.detections, &b.pulses, key, &mut b.measured_m);
    });
    let quantised = RangeModel { quantum_m: 0.002, ..RangeModel::default() };
    sum += time("range error, quantised only", || {
        quantised.measure(&b.detections, &b.pulses, key, &mut b.measured_m);
    });
    sum += time("record", || {
        records.clear();
        record(&scene, &sensor, &mut b, &mut records);
    });
    println!("{:34} {sum:8.1} ns/pulse", "all but tracing, standing");
    println!(
        "{} interactions, {} detections, {} rows of {PULSES} pulses",
        b.interactions.sub_ray.len(),
        b.detections.detections.len(),
        records.len()
    );
}

fn trace_only(scene: &Scene, beams: &Beams, t_max: f32) {
    let mut hits = [None; MAX_RAYS_PER_PULSE];
    for pulse in 0..beams.len() {
        let rays = PulseRays {
            origin: beams.origin(pulse),
            directions: beams.directions_f32(pulse),
            origin_offsets: beams.origin_offsets(pulse),
            t_max,
        };
        scene.rays.trace_pulse(&rays, &mut hits);
        std::hint::black_box(&hits);
    }
}

fn points_only(scene: &Scene, beams: &Beams, t_max: f32) {
    let mut hits = [None; MAX_RAYS_PER_PULSE];
    for pulse in 0..beams.len() {
        let rays = PulseRays {
            origin: beams.origin(pulse),
            directions: beams.directions_f32(pulse),
            origin_offsets: beams.origin_offsets(pulse),
            t_max,
        };
        scene.rays.trace_pulse(&rays, &mut hits);
        for (sub_ray, hit) in hits.iter().take(rays.directions.len()).enumerate() {
            if let Some(hit) = hit {
                let origin = beams.sub_ray_origin(pulse, sub_ray);
                let direction = beams.directions(pulse)[sub_ray];
                std::hint::black_box(scene.rays.surface_point(hit, origin, direction));
            }
        }
    }
}

fn signal(signal: &mut EchoSignal, interactions: &Interactions, sensor: &SensorRun) {
    signal.receive(interactions, &sensor.footprint, sensor.sensitivity);
}
