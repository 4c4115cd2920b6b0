//! Wavefront OBJ: every copy written out, a group per object, materials in an MTL.
//!
//! Coordinates are those of the world in metres with z up, to 0.1 µm: text loses nothing.

use super::{ExportReport, SharedMesh, beside, colour, instances};
use glam::{DVec3, Vec3};
use std::io::{self, Write};
use std::path::Path;
use understory::Error;
use understory::world::scene::Scene;
use understory_cloud::StagedFile;

/// Roughly what a triangle takes.
pub const BYTES_PER_TRIANGLE: u64 = 80;

pub fn write(scene: &Scene, path: &Path) -> Result<ExportReport, Error> {
    let (mtl_path, mtl_name) = beside(path, "mtl");
    let mut mtl = StagedFile::create(&mtl_path)?;
    let mut obj = StagedFile::create(path)?;
    write_mtl(scene, &mut mtl).map_err(|error| mtl.failed(error))?;
    let meshes = write_obj(scene, &mtl_name, &mut obj).map_err(|error| obj.failed(error))?;
    Ok(ExportReport {
        paths: vec![mtl.publish()?, obj.publish()?],
        meshes,
        instances: scene.rays.instance_count(),
        triangles: scene.rays.effective_triangles(),
        offset_m: DVec3::ZERO,
    })
}

fn write_mtl(scene: &Scene, file: &mut impl Write) -> io::Result<()> {
    for (index, material) in scene.materials().iter().enumerate() {
        let [r, g, b] = colour(scene, index as u16 + 1);
        writeln!(file, "newmtl {}\nKd {r} {g} {b}\nillum 1\n", word(&material.name))?;
    }
    Ok(())
}

/// Writes all instances and returns how many meshes they show.
fn write_obj(scene: &Scene, mtl_name: &str, file: &mut impl Write) -> io::Result<usize> {
    writeln!(file, "# Written by Understory; metres, z up\nmtllib {mtl_name}")?;
    let mut placed: Vec<_> = instances(scene).collect();
    // Parts of an object stand together.
    placed.sort_by_key(|(instance, ..)| (scene.object_of(*instance), *instance));
    let mut group = 0;
    let mut meshes: Vec<Option<SharedMesh>> = Vec::new();
    meshes.resize_with(scene.rays.mesh_count(), || None);
    let mut vertices = 1u64;
    for (instance, id, world_from_vertices) in &placed {
        let Some(slot) = meshes.get_mut(id.0 as usize) else { continue };
        let shared = slot.get_or_insert_with(|| SharedMesh::of(scene, *id, *instance));
        let object = scene.object_of(*instance);
        if object != group {
            group = object;
            let known = scene.objects().get(object.wrapping_sub(1) as usize);
            writeln!(file, "o {}", word(known.map_or("object", |object| object.name.as_str())))?;
        }
        for position in &shared.positions {
            let p = world_from_vertices.transform_point3(Vec3::from(*position).as_dvec3());
            writeln!(file, "v {:.7} {:.7} {:.7}", p.x, p.y, p.z)?;
        }
        for (material, triangles) in &shared.parts {
            let known = scene.materials().get(usize::from(*material).wrapping_sub(1));
            if let Some(known) = known {
                writeln!(file, "usemtl {}", word(&known.name))?;
            }
            // A mirrored copy turns its triangles inside out.
            let mirrored = world_from_vertices.matrix3.determinant() < 0.0;
            for triangle in triangles {
                let [a, b, c] = triangle.map(|index| vertices + u64::from(index));
                let (b, c) = if mirrored { (c, b) } else { (b, c) };
                writeln!(file, "f {a} {b} {c}")?;
            }
        }
        vertices += shared.positions.len() as u64;
    }
    Ok(meshes.iter().flatten().count())
}

/// A name as one word: the format ends names at spaces.
fn word(name: &str) -> String {
    let plain = |c: char| if c.is_whitespace() || c.is_control() { '_' } else { c };
    let word: String = name.chars().map(plain).collect();
    if word.is_empty() { "_".to_owned() } else { word }
}
