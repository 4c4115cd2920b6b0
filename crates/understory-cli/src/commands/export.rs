//! `understory export SCENARIO -o FILE`: the world as a mesh file for other programs.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use understory_view::export::{ExportFormat, export as write};

use crate::loading::read_scenario;
use crate::report::print;
use crate::report::shown;
use crate::table::facts;
use understory_view::picture::grouped;

/// Write a scenario's world as glTF or OBJ for other programs
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory export demo -o demo.glb
  understory export my.toml -o my.obj --expand")]
pub struct Arguments {
    /// A scenario file, or the name of a built-in one (understory scenarios)
    scenario: String,
    /// The file to write: .glb, .gltf (with a .bin beside it) or .obj (with a .mtl)
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Write out all copies in an OBJ, however many there are
    #[arg(long)]
    expand: bool,
}

/// Exports a scenario's world.
pub fn export(arguments: &Arguments) -> Result<()> {
    ExportFormat::of(&arguments.out)?;
    let (_, scenario) = read_scenario(&arguments.scenario)?;
    let start = Instant::now();
    let report = write(&scenario.build_scene_to_show()?, &arguments.out, arguments.expand)?;
    let mut rows = vec![
        ("meshes", grouped(report.meshes as u64)),
        ("instances", grouped(report.instances as u64)),
        ("triangles", grouped(report.triangles)),
        ("took", format!("{:.2} s", start.elapsed().as_secs_f64())),
    ];
    if report.offset_m != glam::DVec3::ZERO {
        rows.push(("offset", format!("{} m, to be added to get the world", report.offset_m)));
    }
    rows.extend(report.paths.iter().map(|path| ("wrote", shown(path))));
    print(&facts(&rows))
}
