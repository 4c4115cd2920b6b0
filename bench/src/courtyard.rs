//! The courtyard of Goodin et al. (2018): how fast two threads are against the clock of the sensor,
//! and our pulses beside Embree on the very rays of the HDL-64E.

use std::path::Path;

use anyhow::{Result, bail};
use glam::Vec3;
use understory::pulse::{Batch, PreparedRun, SensorRun};
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory::world::scene::Scene;
use understory_base::Silent;
use understory_cloud::CountingSink;
use understory_geometry::{InstanceId, MeshId};

use crate::scenes::{BenchMesh, BenchScene, RAYS_PER_PULSE};
use crate::{against_embree, median, process_seconds};

const THREADS: usize = 2;

/// One revolution of each sensor, in turns.
pub fn compare(library: &Path, rounds: u64) -> Result<serde_json::Value> {
    let mut prepared = Scenario::embedded("courtyard")?.prepare()?;
    println!(
        "courtyard: {:.1} million triangles in {} instances",
        prepared.scene.rays.effective_triangles() as f64 / 1e6,
        prepared.scene.rays.instance_count()
    );
    let pose = prepared.sensors[0].platform_from_sensor;
    let mut racers = Vec::new();
    for preset in ["hdl-64e-goodin", "vlp-16"] {
        let sensor = SensorRun::new(0, &Sensor::preset(preset)?, pose, &prepared.scene);
        racers.push(Racer { preset, sensor: vec![sensor], factors: vec![], cpu: vec![], rays: 0 });
    }
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for racer in &mut racers {
            racer.race(&mut prepared, round > 0)?;
        }
    }
    let mut report = serde_json::Map::new();
    for racer in &racers {
        report.insert(racer.preset.to_owned(), racer.report());
    }
    let bench = bench_scene(&prepared.scene);
    let (rays, channels) = rays(&prepared, &racers[0].sensor[0])?;
    drop(prepared);
    let bench = BenchScene { sensor: pose.translation, ..bench };
    let title = "the same rays";
    let embree = against_embree::contest(title, &bench, &rays, &channels, library, rounds)?;
    report.insert("embree".to_owned(), embree);
    Ok(report.into())
}

struct Racer {
    preset: &'static str,
    sensor: Vec<SensorRun>,
    factors: Vec<f64>,
    cpu: Vec<f64>,
    rays: u64,
}

impl Racer {
    fn race(&mut self, prepared: &mut PreparedRun, counts: bool) -> Result<()> {
        std::mem::swap(&mut prepared.sensors, &mut self.sensor);
        let started = process_seconds();
        let options = RunOptions { threads: Some(THREADS), ..RunOptions::default() };
        let outcome = run(prepared, &options, Box::<CountingSink>::default(), &Silent);
        let spent = process_seconds() - started;
        std::mem::swap(&mut prepared.sensors, &mut self.sensor);
        let (summary, _) = outcome?;
        if counts {
            self.factors.push(summary.real_time_factor);
            self.cpu.push(summary.seconds_simulated / (spent / THREADS as f64));
        }
        self.rays = summary.sub_rays;
        Ok(())
    }

    fn report(&self) -> serde_json::Value {
        let (by_clock, by_processor) = (median(&self.factors), median(&self.cpu));
        println!(
            "  {:<15} {} sub-rays a revolution on {THREADS} threads: real-time factor {by_clock:.2} by the clock, {by_processor:.2} by processor time",
            self.preset, self.rays
        );
        serde_json::json!({ "real_time_factor": by_clock, "by_processor_time": by_processor })
    }
}

/// Meshes and instances as Embree takes them.
fn bench_scene(scene: &Scene) -> BenchScene {
    let rays = &scene.rays;
    let mesh = |number: usize| {
        let corners = rays.triangle_corners(MeshId(number as u32));
        BenchMesh {
            positions: corners.iter().flatten().map(|corner| corner.as_dvec3()).collect(),
            triangles: (0..corners.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect(),
            closed: false,
        }
    };
    let instance = |number: usize| {
        let (mesh, world_from_mesh) = rays.instance(InstanceId(number as u32))?;
        Some((mesh.0 as usize, world_from_mesh))
    };
    BenchScene {
        meshes: (0..rays.mesh_count()).map(mesh).collect(),
        instances: (0..rays.instance_count()).filter_map(instance).collect(),
        sensor: glam::DVec3::ZERO,
    }
}

/// Directions of all sub-rays of a revolution, pulse by pulse, and the channels of the pulses.
fn rays(prepared: &PreparedRun, sensor: &SensorRun) -> Result<(Vec<Vec3>, Vec<u16>)> {
    let mut batch = Batch::default();
    sensor.pattern.fill(0..sensor.pattern.first_pulse_at(prepared.duration_s), &mut batch.pulses);
    let times = &batch.pulses.time_s;
    prepared.trajectory.poses_at(times, &sensor.platform_from_sensor, &mut batch.poses);
    sensor.footprint.spread(&batch.pulses, &batch.poses, &mut batch.beams);
    let origin = sensor.platform_from_sensor.translation;
    let mut rays = Vec::with_capacity(batch.beams.len() * RAYS_PER_PULSE);
    for pulse in 0..batch.beams.len() {
        let directions = batch.beams.directions_f32(pulse);
        if directions.len() != RAYS_PER_PULSE || batch.beams.origin(pulse).distance(origin) > 1e-6 {
            bail!("pulse {pulse} is not of nine rays from the middle of the sensor");
        }
        rays.extend_from_slice(directions);
    }
    Ok((rays, batch.pulses.channel))
}
