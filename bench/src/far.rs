//! What coarser LOD levels of far plants save, and what they change: the courtyard in full detail and
//! with them, interleaved, on two threads.

use anyhow::{Context, Result};
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory::world::vegetation_lod::VegetationLod;
use understory_base::Silent;
use understory_cloud::CountingSink;

use crate::{median, median_ratio, process_seconds};

const THREADS: usize = 2;
/// A run for which `auto` measures.
const LONG_RUN_S: f64 = 30.0;

/// One revolution of the courtyard's HDL-64E with nine sub-rays a pulse, without writing.
pub fn compare(scenario: &str, from_m: Option<f64>, rounds: u64) -> Result<serde_json::Value> {
    let mut scenario = Scenario::embedded(scenario)?;
    scenario.vegetation_lod = match from_m {
        Some(from_m) => VegetationLod::from_distance(from_m).map_err(anyhow::Error::msg)?,
        None => VegetationLod::Auto,
    };
    // `auto` measures for long runs alone; of this one as much is simulated as the scenario says.
    let simulated_s = scenario.duration_s;
    scenario.duration_s = scenario.duration_s.max(LONG_RUN_S);
    let mut prepared = scenario.prepare()?;
    let report =
        prepared.scene.vegetation_lod.clone().context("vegetation LOD was not measured")?;
    println!(
        "{:.1} million triangles; coarser from {:.1?} m on without detail below {:.3?} m\n  range \
         histograms {:.4} from full detail, floor {:.4}, excess {:+.4} and at most {:.4} with \
         95 % probability ({} pulses, {:.0} % in channels and sectors that changed)",
        prepared.scene.rays.effective_triangles() as f64 / 1e6,
        report.from_m,
        report.detail_m,
        report.distance,
        report.floor,
        report.excess,
        report.excess_bound,
        report.pulses,
        100.0 * report.affected_share
    );
    let mut wall = [Vec::new(), Vec::new()];
    let mut processor = [Vec::new(), Vec::new()];
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for (kind, from_m) in [&[][..], &report.from_m].into_iter().enumerate() {
            let scene =
                std::sync::Arc::get_mut(&mut prepared.scene).context("the scene is shared")?;
            scene.rays.set_lod_distances(from_m)?;
            let started = process_seconds();
            let options = RunOptions {
                threads: Some(THREADS),
                interval_s: Some((0.0, simulated_s)),
                ..RunOptions::default()
            };
            let sink = Box::<CountingSink>::default();
            let (summary, _) = run(&prepared, &options, sink, &Silent)?;
            if round > 0 {
                wall[kind].push(summary.seconds_wall / summary.seconds_simulated);
                processor[kind].push((process_seconds() - started) / summary.seconds_simulated);
            }
        }
    }
    let mut factors = serde_json::Map::new();
    for (kind, name) in ["full", "cheaper"].into_iter().enumerate() {
        let by_wall = 1.0 / median(&wall[kind]);
        // What two idle processors would do: other programs do not count.
        let by_processor = THREADS as f64 / median(&processor[kind]);
        println!("  {name}: real time × {by_wall:.3}, by processor time × {by_processor:.3}");
        let both = serde_json::json!({ "wall": by_wall, "processor": by_processor });
        factors.insert(name.to_owned(), both);
    }
    let (by_wall, by_processor) =
        (median_ratio(&wall[0], &wall[1]), median_ratio(&processor[0], &processor[1]));
    println!("  {by_wall:.2} times as fast, by processor time {by_processor:.2} times");
    Ok(serde_json::json!({
        "vegetation_lod": report,
        "real_time_factor": factors,
        "gain": { "wall": by_wall, "processor": by_processor },
    }))
}
