//! `understory trace SCENARIO --pulse N`: every step of one pulse, in words and numbers.

use std::path::PathBuf;

use anyhow::Result;
use serde_json::{Value, json};
use understory::run::trace_pulse::{HitTrace, PulseTrace, explain_pulse};

use crate::loading::{Loaded, MemoryArgument, load};
use crate::report::{print_or_json, usage};

/// Tell every step of one pulse, in words and numbers
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory trace demo --pulse 1000
  understory trace my.toml --pulse 0 --sensor roof --json pulse.json")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one
    scenario: String,
    /// Which pulse of the sensor, from 0
    #[arg(long, value_name = "N")]
    pulse: u64,
    /// Which sensor, by name or number [default: the first]
    #[arg(long, value_name = "NAME")]
    sensor: Option<String>,
    /// Seed instead of the scenario's
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Also write the account as JSON to FILE; - writes it to stdout instead of the text
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Explains one pulse.
pub fn trace(arguments: &Arguments) -> Result<()> {
    let mut loaded = load(&arguments.scenario, &MemoryArgument::default())?;
    loaded.reseed(arguments.seed);
    let sensor = sensor_number(&loaded, arguments.sensor.as_deref())?;
    let trace = explain_pulse(&loaded.run, sensor, arguments.pulse)?;
    print_or_json(&trace.to_string(), arguments.json.as_deref(), &as_json(&trace))
}

fn sensor_number(loaded: &Loaded, wanted: Option<&str>) -> Result<usize> {
    let Some(wanted) = wanted else { return Ok(0) };
    let sensors = &loaded.run.sensors;
    let by_name = sensors.iter().position(|sensor| sensor.name == wanted);
    let by_number = || wanted.parse().ok().filter(|number| *number < sensors.len());
    by_name.or_else(by_number).ok_or_else(|| {
        let names: Vec<&str> = sensors.iter().map(|sensor| sensor.name.as_str()).collect();
        usage(format!("--sensor {wanted}: the scenario has {}; choose one", names.join(", ")))
    })
}

fn as_json(trace: &PulseTrace) -> Value {
    let sub_rays: Vec<Value> = trace
        .sub_rays
        .iter()
        .map(|sub_ray| {
            let hit = |hit: &HitTrace| {
                json!({
                    "distance_m": hit.distance_m,
                    "bounces": hit.bounces,
                    "incidence_deg": hit.incidence_deg,
                    "reflectance": hit.reflectance,
                    "backscatter": hit.backscatter,
                    "intensity": hit.intensity,
                    "object": hit.surface.object,
                    "material": hit.surface.material,
                    "label": hit.surface.label,
                    "volume": hit.surface.volume,
                    "counts": hit.counts,
                })
            };
            json!({
                "direction": sub_ray.direction.to_array(),
                "weight": sub_ray.weight,
                "hits": sub_ray.hits.iter().map(hit).collect::<Vec<_>>(),
            })
        })
        .collect();
    let volumes: Vec<Value> = trace
        .volumes
        .iter()
        .map(|volume| {
            json!({
                "site": volume.site,
                "volume": volume.meeting.number + 1,
                "range_m": volume.meeting.approach.range_m,
                "distance": volume.meeting.approach.distance,
                "sigma_m": volume.meeting.approach.sigma_m,
                "share": volume.meeting.share,
                "stops": volume.meeting.stops,
            })
        })
        .collect();
    let returns: Vec<Value> = trace
        .returns
        .iter()
        .map(|found| {
            json!({
                "near_m": found.detection.near_m,
                "far_m": found.detection.far_m,
                "range_m": found.detection.range_m,
                "intensity": found.detection.intensity,
                "sub_rays": found.members,
                "truth": found.truth,
                "measured_m": found.measured_m,
            })
        })
        .collect();
    json!({
        "sensor": trace.sensor.1,
        "pulse": trace.pulse,
        "time_s": trace.rows.time_s.first(),
        "channel": trace.rows.channel.first(),
        "azimuth_deg": trace.rows.azimuth_deg.first(),
        "elevation_deg": trace.rows.elevation_deg.first(),
        "sensor_position_m": trace.sensor_position_m.to_array(),
        "origin_m": trace.origin_m.to_array(),
        "axis_in_sensor": trace.axis_in_sensor.to_array(),
        "sub_rays": sub_rays,
        "volumes": volumes,
        "returns": returns,
    })
}
