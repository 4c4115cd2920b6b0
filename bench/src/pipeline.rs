//! What the path of a pulse costs beside tracing alone, and writing beside not writing, in S2.

use std::time::Instant;

use anyhow::{Context, Result};
use understory::pulse::beam::Beams;
use understory::pulse::{Batch, PreparedRun, SensorRun, simulate_batch};
use understory::run::{RunOptions, run};
use understory::sensor::Sensor;
use understory::world::scene::material::Material;
use understory::world::scene::{MeshMaterials, Scene, SceneBuilder};
use understory::world::trajectory::{Pose, Registration, Trajectory};
use understory_base::Silent;
use understory_cloud::{CountingSink, OutputFormat, RecordSink, Records, SinkOptions, open_sink};
use understory_geometry::{Edges, PulseRays};

use crate::scenes::{self, BenchScene};
use crate::{cpu_seconds, median, median_ratio};

const BATCH: usize = 1024;

/// One revolution of an HDL-64E with nine sub-rays a pulse.
pub fn compare(rounds: u64) -> Result<serde_json::Value> {
    let bench = scenes::yard(50_000, 80);
    let prepared = prepare(&bench)?;
    println!(
        "S2: {:.1} million triangles, one revolution of {}",
        bench.effective_triangles() as f64 / 1e6,
        prepared.sensors[0].name
    );
    let overhead = path_over_tracing(&prepared, rounds);
    let writing = laz_over_nothing(&prepared, rounds)?;
    Ok(serde_json::json!({ "path_over_tracing": overhead, "laz_over_nothing": writing }))
}

fn prepare(bench: &BenchScene) -> Result<PreparedRun> {
    let scene = scene(bench)?;
    let sensor = Sensor::preset("hdl-64e-s2")?;
    let sensors = vec![SensorRun::new(0, &sensor, Pose::IDENTITY, &scene)];
    let pose = Pose { translation: bench.sensor, ..Pose::IDENTITY };
    Ok(PreparedRun {
        scene: scene.into(),
        trajectory: Trajectory::fixed(pose),
        lines: Default::default(),
        navigation: None,
        registration: Registration::default(),
        sensors,
        seed: 1,
        duration_s: 0.1,
    })
}

fn scene(bench: &BenchScene) -> Result<Scene> {
    let mut builder = SceneBuilder::default();
    let leaf = Material::from_library("leaf").context("the library has no leaf")?;
    let leaf = builder.add_material(leaf)?;
    let mut meshes = Vec::new();
    for mesh in &bench.meshes {
        let edges = if mesh.closed { Edges::Closed } else { Edges::Exact };
        let materials = MeshMaterials::Uniform(leaf);
        let triangles = mesh.triangles.clone();
        meshes.push(builder.add_mesh(&mesh.positions, triangles, materials, edges)?);
    }
    for (number, (mesh, world_from_mesh)) in bench.instances.iter().enumerate() {
        let object = builder.add_object(format!("plant {number}"), 70)?;
        builder.add_instance(meshes[*mesh], object, *world_from_mesh)?;
    }
    Ok(builder.build()?)
}

/// Time of the whole path over that of tracing the same sub-rays alone, on one core.
fn path_over_tracing(prepared: &PreparedRun, rounds: u64) -> f64 {
    let sensor = &prepared.sensors[0];
    let pulses = sensor.pattern.first_pulse_at(prepared.duration_s);
    let (mut tracing, mut whole) = (Vec::new(), Vec::new());
    let mut batch = Batch::default();
    let mut records = Records::default();
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        let (mut trace_seconds, mut path_seconds) = (0.0, 0.0);
        for first in (0..pulses).step_by(BATCH) {
            let range = first..(first + BATCH as u64).min(pulses);
            records.clear();
            let started = cpu_seconds();
            simulate_batch(prepared, sensor, prepared.seed, range, &mut batch, &mut records);
            path_seconds += cpu_seconds() - started;
        }
        // In a pass of its own: what has just been traced is traced faster a second time.
        for first in (0..pulses).step_by(BATCH) {
            sensor.pattern.fill(first..(first + BATCH as u64).min(pulses), &mut batch.pulses);
            let times = &batch.pulses.time_s;
            prepared.trajectory.poses_at(times, &sensor.platform_from_sensor, &mut batch.poses);
            sensor.footprint.spread(&batch.pulses, &batch.poses, &mut batch.beams);
            let started = cpu_seconds();
            trace_alone(prepared, &batch.beams);
            trace_seconds += cpu_seconds() - started;
        }
        if round > 0 {
            tracing.push(trace_seconds);
            whole.push(path_seconds);
        }
    }
    let ratio = median_ratio(&whole, &tracing);
    println!(
        "  tracing {:.2} µs a pulse, whole path {:.2} µs: {ratio:.3} times",
        median(&tracing) / pulses as f64 * 1e6,
        median(&whole) / pulses as f64 * 1e6
    );
    ratio
}

/// Traces sub-rays and does nothing with the hits.
fn trace_alone(prepared: &PreparedRun, beams: &Beams) {
    let t_max = prepared.sensors[0].detector.distance_max_m();
    let mut hits = [None; 16];
    for pulse in 0..beams.len() {
        let rays = PulseRays {
            origin: beams.origin(pulse),
            directions: beams.directions_f32(pulse),
            origin_offsets: beams.origin_offsets(pulse),
            t_max,
        };
        prepared.scene.rays.trace_pulse(&rays, &mut hits);
        std::hint::black_box(&hits);
    }
}

/// Time of a run into a LAZ file over that of a run into nothing, on all cores.
fn laz_over_nothing(prepared: &PreparedRun, rounds: u64) -> Result<f64> {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("understory-bench-{}.laz", std::process::id()));
    let timed = |sink: Box<dyn RecordSink>| -> Result<(f64, u64)> {
        let started = Instant::now();
        let (summary, _) = run(prepared, &RunOptions::default(), sink, &Silent)?;
        Ok((started.elapsed().as_secs_f64(), summary.returns))
    };
    let (mut nothing, mut laz) = (Vec::new(), Vec::new());
    let mut returns = 0;
    for round in 0..=rounds {
        let without = timed(Box::<CountingSink>::default())?;
        let with = timed(open_sink(&path, OutputFormat::Laz, &SinkOptions::default())?)?;
        if round > 0 {
            nothing.push(without.0);
            laz.push(with.0);
        }
        returns = with.1;
    }
    std::fs::remove_file(&path).with_context(|| format!("{} stays behind", path.display()))?;
    let ratio = median_ratio(&laz, &nothing);
    println!(
        "  0.1 s of {returns} returns in {:.3} s, with LAZ {:.3} s: {ratio:.3} times",
        median(&nothing),
        median(&laz)
    );
    Ok(ratio)
}
