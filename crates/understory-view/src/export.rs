//! The world as a file for other programs: a [`Scene`] enters; glTF, GLB or OBJ leaves.
//!
//! glTF keeps each mesh once and its copies as nodes. OBJ knows no copies, so every one is written
//! out. Files appear whole or not at all, and what belongs beside them (`.bin`, `.mtl`) before
//! them.

mod gltf;
mod obj;

use glam::DVec3;
use std::path::{Path, PathBuf};
use understory::Error;
use understory::world::scene::Scene;
use understory_geometry::{InstanceId, MeshId, weld};

/// Triangles that an OBJ may have unless it was requested expressly.
pub const OBJ_TRIANGLES: u64 = 2_000_000;

/// What was written.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportReport {
    /// The files.
    pub paths: Vec<PathBuf>,
    /// Meshes that have an instance.
    pub meshes: usize,
    /// Instances.
    pub instances: usize,
    /// Triangles in the file.
    pub triangles: u64,
    /// To be added to the file's coordinates (z up) to get those of the world.
    pub offset_m: DVec3,
}

/// The kinds of file that a world can be written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// One binary glTF file.
    Glb,
    /// glTF with its numbers in a `.bin` beside it.
    Gltf,
    /// Wavefront OBJ with its materials in a `.mtl` beside it.
    Obj,
}

impl ExportFormat {
    /// The kind of file that the ending of `path` names.
    pub fn of(path: &Path) -> Result<ExportFormat, Error> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match ending.as_str() {
            "glb" => Ok(ExportFormat::Glb),
            "gltf" => Ok(ExportFormat::Gltf),
            "obj" => Ok(ExportFormat::Obj),
            _ => Err(Error::invalid(
                "export",
                format!("the ending {ending:?} of {} names no kind of file", path.display()),
                "use .glb, .gltf or .obj",
            )),
        }
    }
}

/// Writes a scene to `path`, whose ending names the format. With `expand`, an OBJ may have more
/// than [`OBJ_TRIANGLES`].
pub fn export(scene: &Scene, path: &Path, expand: bool) -> Result<ExportReport, Error> {
    let format = ExportFormat::of(path)?;
    if scene.rays.instance_count() == 0 {
        return Err(Error::invalid("export", "the world is empty", "give it an object"));
    }
    match format {
        ExportFormat::Glb | ExportFormat::Gltf => gltf::write(scene, path, format),
        ExportFormat::Obj => {
            let triangles = scene.rays.effective_triangles();
            if triangles > OBJ_TRIANGLES && !expand {
                return Err(Error::invalid(
                    "export",
                    format!(
                        "an OBJ knows no copies, and this world written out has {triangles} triangles, some {} MB",
                        triangles * obj::BYTES_PER_TRIANGLE / 1_000_000
                    ),
                    format!("export to .glb, or ask for more than {OBJ_TRIANGLES} by --expand"),
                ));
            }
            obj::write(scene, path)
        }
    }
}

/// Instances by mesh number; the first instance of a mesh stands for its materials.
pub fn first_instances(scene: &Scene) -> Vec<Option<InstanceId>> {
    let mut first = vec![None; scene.rays.mesh_count()];
    for (instance, mesh, _) in instances(scene) {
        if let Some(slot) = first.get_mut(mesh.0 as usize)
            && slot.is_none()
        {
            *slot = Some(instance);
        }
    }
    first
}

/// All instances with their mesh and the transform from its vertices to the world.
pub fn instances(scene: &Scene) -> impl Iterator<Item = (InstanceId, MeshId, glam::DAffine3)> {
    (0..scene.rays.instance_count() as u32).filter_map(|number| {
        let (mesh, world_from_vertices) = scene.rays.instance(InstanceId(number))?;
        Some((InstanceId(number), mesh, world_from_vertices))
    })
}

/// A mesh with its vertices shared again and its triangles by material.
pub struct SharedMesh {
    /// The vertices, in the mesh's own frame.
    pub positions: Vec<[f32; 3]>,
    /// Material, from 1, and its triangles.
    pub parts: Vec<(u16, Vec<[u32; 3]>)>,
}

impl SharedMesh {
    /// The mesh of this number as `instance` has it.
    pub fn of(scene: &Scene, mesh: MeshId, instance: InstanceId) -> SharedMesh {
        let corners = scene.rays.triangle_corners(mesh);
        let (positions, triangles) = weld(&corners);
        let mut parts: Vec<(u16, Vec<[u32; 3]>)> = Vec::new();
        for (index, triangle) in triangles.into_iter().enumerate() {
            let material = scene.material_of(instance, index as u32);
            match parts.iter_mut().find(|(known, _)| *known == material) {
                Some((_, part)) => part.push(triangle),
                None => parts.push((material, vec![triangle])),
            }
        }
        SharedMesh { positions, parts }
    }
}

/// Linear colour of a material, from 1; grey where there is none.
fn colour(scene: &Scene, material: u16) -> [f32; 3] {
    let material = scene.materials().get(usize::from(material).wrapping_sub(1));
    material.map_or([0.2; 3], |material| crate::render::linear(material.colour).to_array())
}

/// `path` with another ending, and its name for the file that refers to it.
fn beside(path: &Path, ending: &str) -> (PathBuf, String) {
    let side = path.with_extension(ending);
    let name = side.file_name().unwrap_or_default().to_string_lossy().into_owned();
    (side, name)
}

#[cfg(test)]
mod tests;
