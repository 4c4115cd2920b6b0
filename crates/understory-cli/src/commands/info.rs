//! `understory info FILE`: what is in a recording, a mesh, a sensor or a scenario.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use understory::scene::mesh_file::MeshFile;
use understory::sensor::{Sensor, presets};
use understory_cloud::{RecordingInfo, inspect};

use super::{check, sensors};
use crate::loading::load;
use crate::picture::grouped;
use crate::report::{print_or_json, usage};
use crate::table::facts;

/// Tell what is in a recording, a mesh, a sensor or a scenario
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory info out/demo/demo.laz
  understory info oak.glb
  understory info my-sensor.toml
  understory info vlp-16")]
pub struct Arguments {
    /// A file, a KITTI folder, or the name of a sensor or scenario on board
    file: PathBuf,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Describes one file.
pub fn info(arguments: &Arguments) -> Result<()> {
    let (text, value) = describe(&arguments.file)?;
    print_or_json(&text, arguments.json.as_deref(), &value)
}

fn describe(path: &Path) -> Result<(String, Value)> {
    let name = path.to_string_lossy();
    if !path.exists() {
        if presets().iter().any(|(preset, _)| *preset == name) {
            return Ok(of_sensor(&Sensor::preset(&name)?));
        }
        if understory::scenario::scenarios().iter().any(|(scenario, _)| *scenario == name) {
            return of_scenario(&name);
        }
        return Err(usage(format!(
            "{name}: there is no such file, sensor or scenario; check the path, or see `understory sensors` and `understory scenarios`"
        )));
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "toml" => {
            let text = fs::read_to_string(path)
                .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
            if is_sensor(&text) {
                Ok(of_sensor(&Sensor::from_toml(&text, &name)?))
            } else {
                of_scenario(&name)
            }
        }
        "obj" | "stl" | "gltf" | "glb" => of_mesh(path),
        "ply" => {
            // A PLY file with faces is a mesh, one without is a cloud.
            let info = inspect(path)?;
            let faces = info.details.iter().find(|(name, _)| *name == "faces");
            match faces {
                Some((_, count)) if count != "0" => of_mesh(path),
                _ => Ok(of_recording(&info)),
            }
        }
        _ => Ok(of_recording(&inspect(path)?)),
    }
}

/// A sensor's file has a pattern at its top, a scenario's never has.
fn is_sensor(text: &str) -> bool {
    text.lines().any(|line| matches!(line.trim(), "[spinning]" | "[table]" | "[channels]"))
}

fn of_scenario(name: &str) -> Result<(String, Value)> {
    let loaded = load(name)?;
    Ok((check::describe(&loaded), check::as_json(&loaded)))
}

fn of_sensor(sensor: &Sensor) -> (String, Value) {
    (facts(&sensor.describe()), sensors::as_json(sensor))
}

fn of_mesh(path: &Path) -> Result<(String, Value)> {
    let mesh = MeshFile::read(path, None, None)?;
    let (low, high) = mesh.bounds();
    let names: Vec<String> = mesh
        .materials
        .iter()
        .map(|material| match material.name.as_str() {
            "" => "(unnamed)".to_owned(),
            name => name.to_owned(),
        })
        .collect();
    let area_m2: f64 = (0..mesh.materials.len()).map(|index| mesh.area_m2(index as u16)).sum();
    let text = facts(&[
        ("mesh", path.display().to_string()),
        ("vertices", grouped(mesh.positions.len() as u64)),
        ("triangles", grouped(mesh.triangles.len() as u64)),
        ("area", format!("{area_m2:.3} m²")),
        ("lowest", corner(low.to_array())),
        ("highest", corner(high.to_array())),
        ("materials", names.join(", ")),
        ("read as", "metres; a scenario may say otherwise by `unit` and `up`".to_owned()),
    ]);
    let value = json!({
        "kind": "mesh",
        "vertices": mesh.positions.len(),
        "triangles": mesh.triangles.len(),
        "area_m2": area_m2,
        "low_m": low.to_array(),
        "high_m": high.to_array(),
        "materials": names,
    });
    Ok((text, value))
}

fn of_recording(info: &RecordingInfo) -> (String, Value) {
    let mut rows = vec![
        ("recording", info.format.to_string()),
        ("rows", grouped(info.rows)),
        ("size", format!("{:.1} MB", info.bytes as f64 / 1e6)),
    ];
    if let Some([low, high]) = info.bounds_m {
        rows.push(("lowest", corner(low)));
        rows.push(("highest", corner(high)));
    }
    rows.extend(info.details.iter().cloned());
    if !info.columns.is_empty() {
        rows.push(("columns", info.columns.join(", ")));
    }
    let value = json!({
        "kind": "recording",
        "format": info.format.name(),
        "rows": info.rows,
        "bytes": info.bytes,
        "columns": info.columns,
        "low_m": info.bounds_m.map(|[low, _]| low),
        "high_m": info.bounds_m.map(|[_, high]| high),
    });
    (facts(&rows), value)
}

fn corner([x, y, z]: [f64; 3]) -> String {
    format!("({x:.3}, {y:.3}, {z:.3}) m")
}
