//! A surface through scans, as a PLY file.
//!
//! `cargo run --release -p understory-learn --example surface_of_scans OUT.ply GRID_M KERNEL_M POSES SCAN…`
//!
//! Scans are in their sensor's frame. `POSES` has a line for each: its file name and a row-major 3×4
//! pose; `-` if all are at the origin.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use glam::DVec3;
use understory_cloud::{Frame, ReadOptions, Recording, Records};
use understory_learn::estimate::surface::{SurfaceBuilder, SurfaceMesh, SurfaceOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [out, grid, kernel, poses, scans @ ..] = arguments.as_slice() else {
        return Err("give OUT.ply GRID_M KERNEL_M POSES SCAN…".into());
    };
    let mut builder = SurfaceBuilder::new(SurfaceOptions::new(grid.parse()?, kernel.parse()?))?;
    for scan in scans.iter().map(Path::new) {
        let options = ReadOptions {
            points_in: Some(Frame::Sensor),
            pose: pose_of(poses, scan)?,
            need_origins: true,
            ..ReadOptions::default()
        };
        let mut recording = Recording::open(scan, &options)?;
        let mut batch = Records::default();
        while recording.next_batch(&mut batch)? {
            for row in (0..batch.len()).filter(|&row| !batch.is_miss(row)) {
                let point = DVec3::from_array(batch.world_xyz_m[row]);
                builder.add(point, DVec3::from_array(batch.origin_xyz_m[row]));
            }
        }
        println!("{}: {}", scan.display(), recording.report());
    }
    let start = Instant::now();
    let mesh = builder.build(|_, _, _| {})?;
    println!("{} in {:.2} s", mesh.report, start.elapsed().as_secs_f64());
    write_ply(&mesh, Path::new(out))?;
    println!("{out}: {} vertices, {} triangles", mesh.vertices.len(), mesh.triangles.len());
    Ok(())
}

fn pose_of(poses: &str, scan: &Path) -> Result<Option<[[f64; 4]; 3]>, Box<dyn Error>> {
    if poses == "-" {
        return Ok(None);
    }
    let name = scan.file_name().unwrap_or_default().to_string_lossy();
    for line in std::fs::read_to_string(poses)?.lines() {
        let mut words = line.split_whitespace();
        if words.next() == Some(&name) {
            let numbers: Vec<f64> = words.map(str::parse).collect::<Result<_, _>>()?;
            let rows = numbers.as_chunks::<4>().0;
            return Ok(Some(rows.try_into()?));
        }
    }
    Err(format!("{poses} has no pose for {name}").into())
}

fn write_ply(mesh: &SurfaceMesh, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut file = BufWriter::new(File::create(path)?);
    write!(
        file,
        "ply\nformat binary_little_endian 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices.len(),
        mesh.triangles.len()
    )?;
    for vertex in mesh.world_vertices() {
        for coordinate in vertex.to_array() {
            file.write_all(&coordinate.to_le_bytes())?;
        }
    }
    for triangle in &mesh.triangles {
        file.write_all(&[3])?;
        for corner in triangle {
            file.write_all(&corner.to_le_bytes())?;
        }
    }
    file.flush()?;
    Ok(())
}
