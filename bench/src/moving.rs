//! What motion costs: the same pulses in a meadow that stands still, and with its grass swaying and
//! a hundred bodies on the move.

use anyhow::Result;
use std::path::Path;
use understory::scenario::Scenario;

use crate::{median, median_ratio, timed_pulses};

const MEADOW: &str = r#"
version = 1
seed = 5
duration_s = 0.1
[world.terrain]
plane = { size_m = [80.0, 80.0], spacing_m = 10.0 }
material = "soil"
[[world.plant]]
name = "grass"
species = "tall-grass"
variants = 4
tiles = true
area = { size_m = [60.0, 60.0] }
[[world.plant]]
name = "tree"
species = "oak-outlined"
count = 12
area = { size_m = [60.0, 60.0] }
avoid = [{ radius_m = 4.0 }]
[[world.object]]
name = "crate"
shape = "box"
size_m = [0.8, 0.6, 0.9]
grid = { count = [10, 5], spacing_m = [6.0, 9.0], jitter_m = 1.0, random_yaw = true }
MOTION
[[world.object]]
name = "ball"
shape = "sphere"
radius_m = 0.4
position_m = [2.0, 3.0, 0.4]
grid = { count = [5, 10], spacing_m = [9.0, 6.0], jitter_m = 1.0, seed = 1 }
MOTION
[[sensor]]
name = "lidar"
preset = "hdl-64e-s2"
[platform]
position_m = [0.0, 0.0, 1.8]
"#;

const MOTION: &str = r#"
[world.object.motion]
repeat = "back-and-forth"
stagger_s = 0.07
keyframes = [
    { time_s = 0.0 },
    { time_s = 1.0, position_m = [3.0, 1.0, 0.0], rotation_deg = [0.0, 0.0, 40.0] },
    { time_s = 2.0, position_m = [5.0, -2.0, 0.2], rotation_deg = [10.0, 0.0, 90.0] },
]
"#;

const WIND: &str = "\n[world.wind]\nsway_deg = 6.0\n";

/// One revolution of an HDL-64E in each.
pub fn compare(rounds: u64) -> Result<serde_json::Value> {
    let bodies = MEADOW.replace("MOTION", MOTION);
    let still = MEADOW.replace("MOTION", "");
    let contestants = [
        ("still", still.clone()),
        ("swaying", still + WIND),
        ("100 bodies moving", bodies.clone()),
        ("both", bodies + WIND),
    ];
    let mut runs = Vec::new();
    for (name, text) in &contestants {
        let scenario = Scenario::from_toml(text, name, Path::new(""))?;
        runs.push(scenario.prepare()?);
    }
    let pulses = runs[0].sensors[0].pattern.first_pulse_at(runs[0].duration_s);
    let instances = runs[0].scene.rays.instance_count();
    println!("a meadow of {instances} instances, one revolution of an HDL-64E");
    let mut seconds = vec![Vec::new(); runs.len()];
    let mut moved = vec![0; runs.len()];
    // The first round warms the caches and does not count.
    for round in 0..=rounds {
        for (index, run) in runs.iter().enumerate() {
            let (spent, moving) = timed_pulses(run, pulses, |records| {
                let speeds = records.velocity_xyz_m_s.iter();
                speeds.filter(|v| v.iter().any(|v| v.abs() > 0.0)).count()
            });
            moved[index] = moving;
            if round > 0 {
                seconds[index].push(spent);
            }
        }
    }
    let mut report = serde_json::Map::new();
    for (index, (name, _)) in contestants.iter().enumerate() {
        let ratio = median_ratio(&seconds[index], &seconds[0]);
        println!(
            "  {name:18} {:.2} µs a pulse, {ratio:.3} times the still one; {} of {pulses} pulses return from what moves",
            median(&seconds[index]) / pulses as f64 * 1e6,
            moved[index]
        );
        report.insert((*name).into(), ratio.into());
    }
    Ok(report.into())
}
