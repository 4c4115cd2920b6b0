//! The courtyard of Goodin et al. (2018): how fast two threads are against the clock of the sensor,
//! and our pulses beside Embree on the very rays of the HDL-64E.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use glam::Vec3;
use understory::pulse::{Batch, PreparedRun, SensorRun};
use understory::run::{RunOptions, run, vegetation_lod};
use understory::scenario::Scenario;
use understory::sensor::Sensor;
use understory::world::scene::Scene;
use understory::world::vegetation_lod::{VegetationLod, VegetationLodReport};
use understory_base::Silent;
use understory_cloud::CountingSink;
use understory_geometry::{InstanceId, MeshId};

use crate::scenes::{BenchMesh, BenchScene, RAYS_PER_PULSE};
use crate::{Instructions, against_embree, median, process_seconds};

const THREADS: usize = 2;
/// The first is the one whose rays Embree gets.
const SENSORS: [&str; 3] = ["hdl-64e-goodin", "vlp-16", "hdl-32e"];
/// One revolution.
const TURN_S: f64 = 0.1;
/// Pulses of a race at least, in whole revolutions: the system tells processor time in hundredths of
/// a second.
const RACE_PULSES: u64 = 500_000;
/// A run for which `auto` measures, of which these revolutions are simulated.
const LONG_RUN_S: f64 = 30.0;

/// One revolution of each sensor, in full detail and with far plants as `auto` chooses them, in
/// turns; then the first one's rays beside Embree.
pub fn compare(
    library: &Path,
    rounds: u64,
    set: Option<Instructions>,
) -> Result<serde_json::Value> {
    let mut scenario = Scenario::embedded("courtyard")?;
    scenario.duration_s = LONG_RUN_S;
    scenario.vegetation_lod = VegetationLod::Auto;
    // Measured below, for each sensor by itself.
    scenario.measured_lod = Some(VegetationLodReport::not_measured());
    let mut prepared = scenario.prepare()?;
    if let Some(set) = set {
        let scene = Arc::get_mut(&mut prepared.scene).context("the scene is shared")?;
        scene.rays.use_instructions(set.ours())?;
    }
    println!(
        "courtyard: {:.1} million triangles in {} instances",
        prepared.scene.rays.effective_triangles() as f64 / 1e6,
        prepared.scene.rays.instance_count()
    );
    let pose = prepared.sensors[0].platform_from_sensor;
    let mut racers = Vec::new();
    for preset in SENSORS {
        let sensor = SensorRun::new(0, &Sensor::preset(preset)?, pose, &prepared.scene);
        racers.push(Racer::new(preset, sensor, &mut prepared)?);
    }
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for racer in &mut racers {
            racer.race(&mut prepared, round > 0)?;
        }
    }
    let sensors: serde_json::Map<_, _> =
        racers.iter().map(|racer| (racer.preset.to_owned(), racer.report())).collect();
    let bench = bench_scene(&prepared.scene);
    let (rays, channels) = rays(&prepared, &racers[0].sensor[0])?;
    drop(prepared);
    let bench = BenchScene { sensor: pose.translation, ..bench };
    let title = "the same rays";
    let embree = against_embree::contest(title, &bench, &rays, &channels, (library, set), rounds)?;
    let mut report = serde_json::Map::new();
    for key in ["ratio_single", "ratio_packet", "ratio_single_rays", "mismatch_percent"] {
        report.insert(key.to_owned(), embree[key].clone());
    }
    for key in ["real_time_factor", "real_time_factor_far", "excess"] {
        report.insert(key.to_owned(), sensors[SENSORS[0]][key].clone());
    }
    report.insert("sensors".to_owned(), sensors.into());
    report.insert("embree".to_owned(), embree);
    Ok(report.into())
}

/// A sensor in full detail and with far plants.
struct Racer {
    preset: &'static str,
    sensor: Vec<SensorRun>,
    far: VegetationLodReport,
    /// Real-time factors by the clock and by processor time, in full detail and with far plants.
    by_clock: [Vec<f64>; 2],
    by_processor: [Vec<f64>; 2],
    interval_s: f64,
    rays: u64,
}

impl Racer {
    /// Lets `auto` choose the distances for this sensor.
    fn new(preset: &'static str, sensor: SensorRun, prepared: &mut PreparedRun) -> Result<Racer> {
        let turn = sensor.pattern.first_pulse_at(TURN_S).max(1);
        let interval_s = TURN_S * RACE_PULSES.div_ceil(turn) as f64;
        let mut sensor = vec![sensor];
        std::mem::swap(&mut prepared.sensors, &mut sensor);
        let settled = vegetation_lod::settle(prepared, VegetationLod::Auto, &Silent);
        std::mem::swap(&mut prepared.sensors, &mut sensor);
        settled?;
        let far = prepared.scene.vegetation_lod.clone().context("`auto` measured nothing")?;
        let (by_clock, by_processor) = Default::default();
        Ok(Racer { preset, sensor, far, by_clock, by_processor, interval_s, rays: 0 })
    }

    fn race(&mut self, prepared: &mut PreparedRun, counts: bool) -> Result<()> {
        for (kind, from_m) in [&[][..], &self.far.from_m].into_iter().enumerate() {
            let scene = Arc::get_mut(&mut prepared.scene).context("the scene is shared")?;
            scene.rays.set_lod_distances(from_m)?;
            std::mem::swap(&mut prepared.sensors, &mut self.sensor);
            let started = process_seconds();
            let options = RunOptions {
                threads: Some(THREADS),
                interval_s: Some((0.0, self.interval_s)),
                ..RunOptions::default()
            };
            let outcome = run(prepared, &options, Box::<CountingSink>::default(), &Silent);
            let spent = process_seconds() - started;
            std::mem::swap(&mut prepared.sensors, &mut self.sensor);
            let (summary, _) = outcome?;
            if counts {
                self.by_clock[kind].push(summary.real_time_factor);
                self.by_processor[kind].push(summary.seconds_simulated / (spent / THREADS as f64));
            }
            self.rays = summary.sub_rays;
        }
        Ok(())
    }

    fn report(&self) -> serde_json::Value {
        let [full, far] = [0, 1].map(|kind| median(&self.by_clock[kind]));
        let [full_cpu, far_cpu] = [0, 1].map(|kind| median(&self.by_processor[kind]));
        println!(
            "  {:<15} {} sub-rays in {:.1} s on {THREADS} threads: real-time factor {full:.2} by the clock, {full_cpu:.2} by processor time",
            self.preset, self.rays, self.interval_s
        );
        println!(
            "  {:<15} far plants coarser from {:.1?} m on, excess {:+.4}: {far:.2} by the clock, {far_cpu:.2} by processor time",
            "", self.far.from_m, self.far.excess
        );
        serde_json::json!({
            "real_time_factor": full,
            "real_time_factor_far": far,
            "by_processor_time": full_cpu,
            "by_processor_time_far": far_cpu,
            "excess": self.far.excess,
            "vegetation_lod": self.far,
        })
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
    sensor.pattern.fill(0..sensor.pattern.first_pulse_at(TURN_S), &mut batch.pulses);
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
