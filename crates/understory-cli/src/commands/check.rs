//! `understory check FILE`: is it valid, and what will it simulate?

mod fix;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use understory::run::ground_warnings;
use understory::sensor::Sensor;
use understory_base::bounded_file;

use super::sensors;
use crate::loading::{Loaded, MemoryArgument, load};
use crate::report::print_or_json;
use crate::table::{Align, Table, facts};
use understory_view::picture::grouped;

/// Check a scenario with all its meshes and say what it will simulate
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory check my.toml
  understory check my.toml --fix
  understory check demo --json check.json

--fix rewrites keys that stand in another unit (range_max_mm = 1500 becomes range_max_m = 1.5) and old
names of keys, says each line that it changed, and touches nothing else.")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one; or a sensor file
    scenario: String,
    #[command(flatten)]
    memory: MemoryArgument,
    /// First mend in the file what has one remedy alone: units of keys, and old names
    #[arg(long)]
    fix: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Loads everything that a run would load, and runs nothing.
pub fn check(arguments: &Arguments) -> Result<()> {
    let name = &arguments.scenario;
    let fixed = if arguments.fix { Some(fix::fix(name)?) } else { None };
    let (text, mut value) = match found(name, &arguments.memory) {
        Ok(found) => found,
        Err(error) => {
            // What was changed is told even if the file is still refused.
            let lines = fixed.map_or(String::new(), |fixed| fixed.text);
            let _ = std::io::stderr().write_all(lines.as_bytes());
            return Err(error);
        }
    };
    let mut head = String::new();
    if let Some(fixed) = fixed {
        value["fix"] = fixed.value;
        head = fixed.text + "\n";
    }
    print_or_json(&format!("{head}{text}{name} is valid.\n"), arguments.json.as_deref(), &value)
}

/// What the file says, for people and for programs.
fn found(name: &str, memory: &MemoryArgument) -> Result<(String, Value)> {
    if let Some(text) = sensor_text(name)? {
        let (facts, value) = sensors::of_sensor(&Sensor::from_toml(&text, name)?);
        return Ok((facts + "\n", value));
    }
    let loaded = load(name, memory)?;
    let warnings = ground_warnings(&loaded.run);
    let warned: String = warnings.iter().map(|what| format!("warning: {what}\n")).collect();
    let mut value = as_json(&loaded);
    value["warnings"] = json!(warnings);
    Ok((format!("{}\n{warned}", describe(&loaded)), value))
}

/// The text of a sensor file; none for anything else.
fn sensor_text(name: &str) -> Result<Option<String>> {
    let path = Path::new(name);
    if !path.is_file() || path.extension().is_none_or(|e| !e.eq_ignore_ascii_case("toml")) {
        return Ok(None);
    }
    let text = bounded_file::read_text(path)
        .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
    Ok(Some(text).filter(|text| sensors::is_sensor(text)))
}

/// Pulses that sensor `index` will fire.
fn pulses(loaded: &Loaded, index: usize) -> u64 {
    let sensor = loaded.run.sensors.get(index);
    sensor.map_or(0, |sensor| sensor.pattern.first_pulse_at(loaded.run.duration_s))
}

/// What the scenario contains.
pub fn describe(loaded: &Loaded) -> String {
    let (scenario, scene) = (&loaded.scenario, &loaded.run.scene);
    let files: Vec<String> =
        scenario.output_files().map(|path| path.display().to_string()).collect();
    let mut rows = vec![
        ("title", scenario.title.clone().unwrap_or_else(|| loaded.name.clone())),
        ("seed", scenario.seed.to_string()),
        ("duration", format!("{} s", scenario.duration_s)),
        ("objects", grouped(scene.objects().len() as u64)),
        ("instances", grouped(scene.rays.instance_count() as u64)),
        ("materials", scene.materials().len().to_string()),
        ("triangles", grouped(scene.rays.effective_triangles())),
        ("memory", format!("{:.1} MB", scene.memory_bytes() as f64 / 1e6)),
        ("platform", if scenario.trajectory.is_fixed() { "stands" } else { "moves" }.to_owned()),
    ];
    for site in &scene.sites {
        let rays = if site.is_queried_once() { "queried once a pulse" } else { "queried by cones" };
        let volumes = grouped(site.volumes() as u64);
        rows.push(("site", format!("{}: {volumes} volumes, {rays}", site.place.name)));
    }
    if !files.is_empty() {
        rows.push(("outputs", files.join(", ")));
    }
    let mut table = Table::new(&[
        ("sensor", Align::Left),
        ("type", Align::Left),
        ("channels", Align::Right),
        ("sub-rays", Align::Right),
        ("pulses to come", Align::Right),
    ]);
    for (index, mounted) in scenario.sensors.iter().enumerate() {
        let rays = loaded.run.sensors.get(index).map_or(0, |run| run.footprint.rays_per_pulse());
        table.row([
            mounted.name.clone(),
            mounted.sensor.name.clone(),
            mounted.sensor.pattern.channels().to_string(),
            rays.to_string(),
            grouped(pulses(loaded, index)),
        ]);
    }
    format!("{}\n{}", facts(&rows), table.render())
}

/// The same for programs.
pub fn as_json(loaded: &Loaded) -> Value {
    let (scenario, scene) = (&loaded.scenario, &loaded.run.scene);
    let sensors: Vec<Value> = scenario
        .sensors
        .iter()
        .enumerate()
        .map(|(index, mounted)| {
            json!({
                "name": mounted.name,
                "preset": mounted.sensor.name,
                "channels": mounted.sensor.pattern.channels(),
                "pulses": pulses(loaded, index),
            })
        })
        .collect();
    let sites: Vec<Value> = scene
        .sites
        .iter()
        .map(|site| {
            json!({
                "name": site.place.name,
                "volumes": site.volumes(),
                "nominal": site.is_queried_once(),
                "memory_bytes": site.memory_bytes(),
            })
        })
        .collect();
    json!({
        "name": loaded.name,
        "title": scenario.title,
        "seed": scenario.seed,
        "duration_s": scenario.duration_s,
        "objects": scene.objects().len(),
        "instances": scene.rays.instance_count(),
        "materials": scene.materials().len(),
        "triangles": scene.rays.effective_triangles(),
        "memory_bytes": scene.memory_bytes(),
        "sites": sites,
        "sensors": sensors,
    })
}
