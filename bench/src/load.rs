//! The scene of over 600 million triangles: how long it takes to build, how much memory, and how
//! fast its sensors are. In a process of its own, so that the peak of memory is its own.

use std::time::Instant;

use anyhow::Result;
use understory::run::{RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::CountingSink;

use crate::process_seconds;

/// Loads `root-step` once and scans it with each of its sensors.
pub fn measure() -> Result<serde_json::Value> {
    let scenario = Scenario::embedded("root-step")?;
    let (started, started_cpu) = (Instant::now(), process_seconds());
    let mut prepared = scenario.prepare()?;
    let load_s = started.elapsed().as_secs_f64();
    let load_cpu_s = process_seconds() - started_cpu;
    let triangles = prepared.scene.rays.effective_triangles();
    println!(
        "root-step: {:.1} million triangles in {} instances, loaded in {load_s:.1} s ({load_cpu_s:.1} s of processor time)",
        triangles as f64 / 1e6,
        prepared.scene.rays.instance_count()
    );
    let mut scans = serde_json::Map::new();
    let mut peak_mb = None;
    for mut sensor in std::mem::take(&mut prepared.sensors) {
        sensor.index = 0;
        let name = sensor.name.clone();
        prepared.sensors = vec![sensor];
        let sink = Box::<CountingSink>::default();
        let options = RunOptions { threads: Some(2), ..RunOptions::default() };
        let (summary, _) = run(&prepared, &options, sink, &Silent)?;
        println!(
            "  {name}: {} pulses, {} returns, real-time factor {:.2} on 2 threads",
            summary.pulses, summary.returns, summary.real_time_factor
        );
        peak_mb = summary.peak_memory_mb;
        scans.insert(name, summary.real_time_factor.into());
    }
    if let Some(peak_mb) = peak_mb {
        println!("  at most {peak_mb:.0} MB of memory");
    }
    Ok(serde_json::json!({
        "triangles": triangles,
        "load_s": load_s,
        "load_processor_s": load_cpu_s,
        "peak_memory_mb": peak_mb,
        "real_time_factors": scans,
    }))
}
