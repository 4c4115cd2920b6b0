//! The tracer beside Embree: one tree (S1), and a yard of 190 million triangles (S2).

use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use glam::{DVec3, Vec3};
use understory_geometry::{DynamicBvh, PulseBatch, PulseRays, PulseTracer, RayScene};

use crate::embree::{Embree, Query};
use crate::scenes::{self, BenchScene, RAYS_PER_PULSE};
use crate::{Instructions, cpu_seconds, median, median_ratio};

const T_MAX_M: f32 = 120.0;

/// Both scenes, as rows for people and as JSON.
pub fn compare(
    library: &Path,
    rounds: u64,
    set: Option<Instructions>,
) -> Result<serde_json::Value> {
    let s1 = {
        let tree = scenes::one_tree();
        let rays = scenes::hdl_64e(2000, 2.85, 3.43, 12.0);
        contest(
            "S1: one tree at 8 m",
            &tree,
            &rays,
            &scenes::lasers(&rays),
            (library, set),
            rounds,
        )?
    };
    let yard = scenes::yard(50_000, 80);
    let rays = scenes::hdl_64e(2083, 0.0, std::f64::consts::TAU, 0.0);
    let title = "S2: a yard of grass and trees";
    let s2 = contest(title, &yard, &rays, &scenes::lasers(&rays), (library, set), rounds)?;
    Ok(serde_json::json!({ "s1": s1, "s2": s2 }))
}

/// Pulses per batch.
const BATCH: usize = 4096;

enum Engine {
    Batches,
    Pulses,
    Rays,
    Embree(Query),
}

/// Our batches, pulses and single rays, and Embree's, on the same rays in turns, with the fastest
/// instructions or these. `tracks` are those
/// of the pulses, see [`PulseBatch`].
pub fn contest(
    title: &str,
    bench: &BenchScene,
    rays: &[Vec3],
    tracks: &[u16],
    (library, set): (&Path, Option<Instructions>),
    rounds: u64,
) -> Result<serde_json::Value> {
    let started = Instant::now();
    let mut ours = bench.build()?;
    let build_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let embree = Embree::new(library, bench, set)?;
    if let Some(set) = set {
        ours.use_instructions(set.ours())?;
    }
    println!(
        "{title}: {:.1} million triangles in {} instances, {} pulses of {RAYS_PER_PULSE} rays",
        bench.effective_triangles() as f64 / 1e6,
        bench.instances.len(),
        rays.len() / RAYS_PER_PULSE,
    );
    println!(
        "  build {build_seconds:.2} s (Embree {:.2} s), memory {:.0} MB",
        started.elapsed().as_secs_f64(),
        ours.memory_bytes() as f64 / 1e6
    );

    let mut engines =
        vec![Engine::Batches, Engine::Pulses, Engine::Rays, Engine::Embree(Query::Single)];
    let single = engines.len() - 1;
    engines.extend(embree.packet_queries().into_iter().map(Engine::Embree));
    let mut distances = vec![vec![f32::INFINITY; rays.len()]; engines.len()];
    let mut seconds = vec![Vec::new(); engines.len()];
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for (which, engine) in engines.iter().enumerate() {
            let started = cpu_seconds();
            engine.trace(&ours, &embree, bench.sensor, (rays, tracks), &mut distances[which]);
            let spent = cpu_seconds() - started;
            if round > 0 {
                seconds[which].push(spent);
            }
        }
    }
    let ratio = |which: usize| median_ratio(&seconds[which], &seconds[0]);
    for (which, engine) in engines.iter().enumerate() {
        println!(
            "  {:<26}{:>6.2} million rays/s of one core, batches are {:.2} times that",
            engine.name(),
            rays.len() as f64 / median(&seconds[which]) / 1e6,
            ratio(which)
        );
    }
    let alike = distances[0].iter().zip(&distances[1]).all(|(a, b)| a.to_bits() == b.to_bits());
    ensure!(alike, "batches and single pulses do not find the same");
    let best_packet = (single + 1..engines.len()).map(ratio).fold(f64::INFINITY, f64::min);
    let different = distances[0].iter().zip(&distances[single]).filter(|(a, b)| differ(**a, **b));
    let mismatch_percent = 100.0 * different.count() as f64 / rays.len() as f64;
    let single_rays = single_rays(&ours, &embree, bench.sensor, rays, tracks, rounds);
    let hits = distances[0].iter().filter(|t| t.is_finite()).count();
    println!(
        "  {:.1} % of rays hit, {mismatch_percent:.4} % differ from Embree by over 1 mm",
        100.0 * hits as f64 / rays.len() as f64
    );
    Ok(serde_json::json!({
        "ratio_pulses": ratio(1),
        "ratio_single": ratio(single),
        "ratio_single_rays": single_rays,
        "ratio_packet": best_packet.is_finite().then_some(best_packet),
        "mismatch_percent": mismatch_percent,
        "memory_mb": ours.memory_bytes() as f64 / 1e6,
        "rays_per_second": rays.len() as f64 / median(&seconds[0]),
        "build_seconds": build_seconds,
    }))
}

/// The first rays of all pulses, as a sensor of one ray a pulse has them: how many times as fast as
/// Embree's single rays they are.
fn single_rays(
    ours: &RayScene,
    embree: &Embree,
    origin: DVec3,
    rays: &[Vec3],
    tracks: &[u16],
    rounds: u64,
) -> f64 {
    let rays: Vec<Vec3> = rays.iter().step_by(RAYS_PER_PULSE).copied().collect();
    let mut out = vec![0.0; rays.len()];
    let mut seconds = [Vec::new(), Vec::new()];
    for round in 0..=rounds {
        for (which, seconds) in seconds.iter_mut().enumerate() {
            let started = cpu_seconds();
            match which {
                0 => trace_batches(ours, origin, (&rays, tracks), 1, &mut out),
                _ => embree.trace(Query::Single, origin, &rays, T_MAX_M, &mut out),
            }
            let spent = cpu_seconds() - started;
            if round > 0 {
                seconds.push(spent);
            }
        }
    }
    let ratio = median_ratio(&seconds[1], &seconds[0]);
    println!(
        "  one ray a pulse: {:.2} million rays/s in batches, {ratio:.2} times Embree's single rays",
        rays.len() as f64 / median(&seconds[0]) / 1e6
    );
    ratio
}

/// Distances of rays from one point in batches of pulses of `per_pulse` rays.
fn trace_batches(
    ours: &RayScene,
    origin: DVec3,
    (rays, tracks): (&[Vec3], &[u16]),
    per_pulse: usize,
    out: &mut [f32],
) {
    let (mut tracer, movers) = (PulseTracer::default(), DynamicBvh::default());
    let origins = [origin; BATCH];
    let parts = rays.chunks(BATCH * per_pulse).zip(tracks.chunks(BATCH));
    for ((directions, tracks), t) in parts.zip(out.chunks_mut(BATCH * per_pulse)) {
        let batch = PulseBatch {
            origins: &origins[..directions.len() / per_pulse],
            rays_per_pulse: per_pulse,
            directions,
            t_max: &[T_MAX_M],
            tracks,
            ..PulseBatch::default()
        };
        ours.trace_pulses(&movers, &batch, &mut tracer);
        for (ray, t) in t.iter_mut().enumerate() {
            let hit = tracer.hit(ray);
            *t = hit.map_or(f32::INFINITY, |hit| hit.t);
        }
    }
}

fn differ(a: f32, b: f32) -> bool {
    a.is_finite() != b.is_finite() || (a - b).abs() > 1e-3
}

impl Engine {
    fn name(&self) -> String {
        match self {
            Engine::Batches => "Understory, batches".into(),
            Engine::Pulses => "Understory, pulses".into(),
            Engine::Rays => "Understory, single rays".into(),
            Engine::Embree(query) => format!("Embree, {query:?}"),
        }
    }

    fn trace(
        &self,
        ours: &RayScene,
        embree: &Embree,
        origin: DVec3,
        (rays, tracks): (&[Vec3], &[u16]),
        out: &mut [f32],
    ) {
        match self {
            Engine::Embree(query) => embree.trace(*query, origin, rays, T_MAX_M, out),
            Engine::Rays => {
                for (ray, t) in rays.iter().zip(out) {
                    let hit = ours.trace_ray(origin, *ray, T_MAX_M);
                    *t = hit.map_or(f32::INFINITY, |hit| hit.t);
                }
            }
            Engine::Batches => trace_batches(ours, origin, (rays, tracks), RAYS_PER_PULSE, out),
            Engine::Pulses => {
                let mut hits = [None; RAYS_PER_PULSE];
                let pulses = rays.chunks(RAYS_PER_PULSE).zip(out.chunks_mut(RAYS_PER_PULSE));
                for (directions, t) in pulses {
                    let pulse =
                        PulseRays { origin, directions, origin_offsets: &[], t_max: T_MAX_M };
                    ours.trace_pulse(&pulse, &mut hits);
                    for (t, hit) in t.iter_mut().zip(&hits) {
                        *t = hit.map_or(f32::INFINITY, |hit| hit.t);
                    }
                }
            }
        }
    }
}
