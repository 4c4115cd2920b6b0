//! `understory info FILE`: what is in a recording, a mesh, a learned site, a sensor, a scenario or a
//! pack.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};
use understory::sensor::{Sensor, presets};
use understory::world::scene::mesh_file::MeshFile;
use understory_cloud::{ReadOptions, RecordSink, Recording, Records, read_extensions};

use super::{check, pack, sensors, site};
use crate::loading::{MemoryArgument, load};
use crate::progress::BuildProgress;
use crate::reading::ReadingArguments;
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;
use understory_base::{Progress, bounded_file};
use understory_view::picture::{PictureSink, grouped};

/// Tell what is in a recording, a mesh, a learned site, a sensor, a scenario or a pack
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory info out/demo/demo.laz
  understory info drive.pcap --picture drive.png
  understory info rosbag/ --topic /velodyne_points
  understory info oak.glb
  understory info forest.site
  understory info my-sensor.toml
  understory info vlp-16")]
pub struct Arguments {
    /// A file, a KITTI folder, or the name of a sensor or built-in scenario
    file: PathBuf,
    /// Also draw the recording: a view, a map and the range image
    #[arg(long, value_name = "PNG")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    memory: MemoryArgument,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Describes one file.
pub fn info(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let (mut text, mut value) = describe(arguments)?;
    if let Some(picture) = &arguments.picture {
        if value["kind"] != "recording" {
            let file = arguments.file.display();
            return Err(usage(format!(
                "--picture draws recordings, and {file} is none; see `understory render` for scenes"
            )));
        }
        draw(arguments, picture)?;
        text.push_str(&format!("  picture     {}\n", picture.display()));
        value["picture"] = json!(picture);
    }
    print_or_json(&text, arguments.json.as_deref(), &value)
}

/// Draws a recording.
fn draw(arguments: &Arguments, picture: &Path) -> Result<()> {
    let title = format!("understory: {}", arguments.file.display());
    let mut sink = Box::new(PictureSink::create(picture, &title)?);
    let options = ReadOptions { undirected_misses: true, ..arguments.reading.options()? };
    let mut recording = Recording::open(&arguments.file, &options)?;
    let progress = BuildProgress::saying("drawing");
    let (mut batch, mut reported, mut rows) = (Records::default(), 0, 0);
    while recording.next_batch(&mut batch)? {
        let poses = recording.scan_poses();
        poses
            .get(reported..)
            .unwrap_or_default()
            .iter()
            .try_for_each(|pose| sink.scan_pose(pose))?;
        reported = poses.len();
        sink.write(&batch)?;
        rows += batch.len() as u64;
        let share = recording.rows().map_or(0.0, |all| rows as f64 / all.max(1) as f64);
        progress.step("the points", share);
    }
    sink.finish()?;
    Ok(())
}

fn describe(arguments: &Arguments) -> Result<(String, Value)> {
    let path = arguments.file.as_path();
    let name = path.to_string_lossy();
    if !path.exists() {
        if presets().iter().any(|(preset, _)| *preset == name) {
            return Ok(sensors::of_sensor(&Sensor::preset(&name)?));
        }
        if understory::scenario::scenarios().iter().any(|(scenario, _)| *scenario == name) {
            return of_scenario(&name, &arguments.memory);
        }
        return Err(usage(format!(
            "{name}: there is no such file, sensor or scenario; check the path, or see `understory sensors` and `understory scenarios`"
        )));
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match extension.as_str() {
        "toml" => {
            let text = bounded_file::read_text(path)
                .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
            if sensors::is_sensor(&text) {
                Ok(sensors::of_sensor(&Sensor::from_toml(&text, &name)?))
            } else {
                of_scenario(&name, &arguments.memory)
            }
        }
        understory::scenario::pack::ENDING => pack::describe(path),
        "site" => site::describe(path),
        "obj" | "stl" | "gltf" | "glb" => of_mesh(path),
        "ply" if has_faces(path)? => of_mesh(path),
        extension if read_extensions().contains(&extension) || path.is_dir() => {
            of_recording(path, &arguments.reading.options()?)
        }
        _ => Err(usage(format!(
            "{name}: no known extension; recordings end in .{}, meshes in .obj, .ply, .stl, .gltf or .glb, learned sites in .site, sensors and scenarios in .toml, packs in .understory",
            read_extensions().join(", .")
        ))),
    }
}

/// Whether the header of a PLY file promises faces: then it is a mesh, else a cloud.
fn has_faces(path: &Path) -> Result<bool> {
    let failed = |source| understory::Error::Read { path: path.to_path_buf(), source };
    let mut head = Vec::new();
    let file = fs::File::open(path).map_err(failed)?;
    file.take(1 << 16).read_to_end(&mut head).map_err(failed)?;
    let text = String::from_utf8_lossy(&head);
    let mut header = text.lines().map(str::trim).take_while(|line| *line != "end_header");
    Ok(header.any(|line| line.starts_with("element face") && !line.ends_with(" 0")))
}

fn of_scenario(name: &str, memory: &MemoryArgument) -> Result<(String, Value)> {
    let loaded = load(name, memory)?;
    Ok((check::describe(&loaded), check::as_json(&loaded)))
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

fn of_recording(path: &Path, options: &ReadOptions) -> Result<(String, Value)> {
    let summary = understory_cloud::describe_with(path, options)?;
    let columns: Vec<&str> = summary.columns.iter().map(|column| column.name.as_str()).collect();
    let value = json!({
        "kind": "recording",
        "format": summary.format.name(),
        "version": summary.version,
        "software": summary.software,
        "bytes": summary.bytes,
        "rows": summary.rows,
        "returns": summary.returns,
        "misses": summary.misses,
        "scans": summary.scans,
        "columns": columns,
        "low_m": summary.bounds_m.map(|[low, _]| low),
        "high_m": summary.bounds_m.map(|[_, high]| high),
        "time_span_s": summary.time_span_s,
    });
    Ok((format!("{summary}\n"), value))
}

fn corner([x, y, z]: [f64; 3]) -> String {
    format!("({x:.3}, {y:.3}, {z:.3}) m")
}
