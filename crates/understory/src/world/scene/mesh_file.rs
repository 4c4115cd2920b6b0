//! Mesh files: a path enters, triangles in metres with z up leave.
//!
//! OBJ with MTL, PLY, STL and glTF/GLB. Whatever a file promises is checked against its real
//! length before memory is taken, so that a damaged file costs no more than its own size. Polygons
//! become fans of triangles around their first corner, which is exact for convex ones.
//!
//! Text files keep the f64 that they spell out: a mesh in map coordinates loses nothing. Binary
//! STL and glTF hold f32, so a site at map coordinates is better placed by its object's
//! `position_m`.

mod beside;
mod gltf;
mod gltf_accessor;
mod gltf_alpha;
mod gltf_animation;
mod gltf_buffers;
mod gltf_extensions;
mod gltf_instancing;
mod gltf_nodes;
mod gltf_objects;
mod gltf_skin;
mod gltf_uri;
mod obj;
mod parts;
mod ply;
mod stl;

pub use gltf_animation::{AnimatedMesh, AnimatedPart, Movement, POSE_ERROR_M, TRACK_ERROR_M};
pub use parts::{FileNode, FileObject, MeshPart, MeshParts, PartMesh};

use crate::Error;
use glam::{DAffine3, DMat3, DVec3};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use understory_base::bounded_file;
use understory_geometry::AlphaImage;

/// A mesh as its file describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Vertices in metres, z up.
    pub positions: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Material of each triangle, an index into `materials`.
    pub triangle_material: Vec<u16>,
    /// Image coordinates of the corners of each triangle; empty where no material has holes.
    pub corner_uv: Vec<[[f32; 2]; 3]>,
    /// What the file says of its materials; at least one.
    pub materials: Vec<FileMaterial>,
    /// Files that were read besides, by the paths that the mesh names them by.
    pub side_files: Vec<PathBuf>,
}

/// A material as a mesh file names it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileMaterial {
    /// Its name, empty where the file has none.
    pub name: String,
    /// Diffuse or base colour, linear, 0…1.
    pub colour: Option<[f32; 3]>,
    /// Where it has holes that light passes; none: nowhere.
    pub alpha: Option<Arc<AlphaImage>>,
}

/// Unit of length in which a mesh file was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Metres.
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Inches of 25.4 mm.
    In,
    /// Feet of 0.3048 m.
    Ft,
}

/// Which axis of a mesh file points upwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// z, as in Understory.
    Z,
    /// y, as in glTF and many modelling programs; x stays, y becomes z, z becomes −y.
    Y,
}

impl LengthUnit {
    /// Metres in one of this unit.
    pub fn metres(self) -> f64 {
        match self {
            LengthUnit::M => 1.0,
            LengthUnit::Cm => 0.01,
            LengthUnit::Mm => 0.001,
            LengthUnit::In => 0.0254,
            LengthUnit::Ft => 0.3048,
        }
    }
}

/// The kinds of mesh file, by their extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MeshFormat {
    Obj,
    Ply,
    Stl,
    Gltf,
}

impl MeshFormat {
    fn of(path: &Path) -> Result<MeshFormat, Error> {
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "obj" => Ok(MeshFormat::Obj),
            "ply" => Ok(MeshFormat::Ply),
            "stl" => Ok(MeshFormat::Stl),
            "gltf" | "glb" => Ok(MeshFormat::Gltf),
            _ => Err(Error::invalid(
                path.display(),
                format!("the extension {extension:?} names no kind of mesh"),
                "use .obj, .ply, .stl, .gltf or .glb",
            )),
        }
    }
}

impl MeshFile {
    /// Whether the extension of `path` is that of a mesh.
    pub fn check_extension(path: &Path) -> Result<(), Error> {
        MeshFormat::of(path).map(|_| ())
    }

    /// Reads the mesh at `path`. Without `unit` the file is in metres; without `up` glTF has y up
    /// and everything else z.
    pub fn read(
        path: &Path,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
    ) -> Result<MeshFile, Error> {
        let format = MeshFormat::of(path)?;
        let bytes = read_bytes(path)?;
        let mut mesh = match format {
            MeshFormat::Obj => obj::read(path, &bytes)?,
            MeshFormat::Ply => ply::read(path, &bytes)?,
            MeshFormat::Stl => stl::read(path, &bytes)?,
            MeshFormat::Gltf => gltf::read_parts(path, &bytes)?.flatten(path)?,
        };
        mesh.check(path)?;
        let default_up = if format == MeshFormat::Gltf { UpAxis::Y } else { UpAxis::Z };
        mesh.convert(unit.unwrap_or(LengthUnit::M), up.unwrap_or(default_up));
        Ok(mesh)
    }

    /// A mesh of one material from memory; `name` names it in errors.
    pub fn from_arrays(
        name: &str,
        positions: Vec<DVec3>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<MeshFile, Error> {
        let mesh = MeshFile {
            triangle_material: vec![0; triangles.len()],
            positions,
            triangles,
            corner_uv: Vec::new(),
            materials: vec![FileMaterial::default()],
            side_files: Vec::new(),
        };
        mesh.check(Path::new(name))?;
        Ok(mesh)
    }

    /// The same with materials by their names and the number, from 0, of that of each triangle.
    pub fn with_materials(
        mut self,
        name: &str,
        materials: Vec<String>,
        triangle_material: Vec<u16>,
    ) -> Result<MeshFile, Error> {
        let refuse = |problem: String| {
            Err(Error::invalid(name, problem, "give each triangle the number of a material"))
        };
        let (triangles, numbers) = (self.triangles.len(), triangle_material.len());
        if triangles != numbers {
            return refuse(format!("there are {numbers} materials for {triangles} triangles"));
        }
        let count = materials.len();
        if let Some(number) = triangle_material.iter().find(|n| usize::from(**n) >= count) {
            return refuse(format!("a triangle names material {number}, but there are {count}"));
        }
        let unwritable = |name: &&String| {
            name.trim() != name.as_str() || name.contains(char::is_control) || name.ends_with('\\')
        };
        if let Some(material) = materials.iter().find(unwritable) {
            let problem = format!("the material {material:?} is no name that a file can have");
            return Err(Error::invalid(name, problem, "give it a plain name"));
        }
        let named = |name| FileMaterial { name, ..FileMaterial::default() };
        self.materials = materials.into_iter().map(named).collect();
        self.triangle_material = triangle_material;
        Ok(self)
    }

    /// The mesh as an OBJ, from which [`MeshFile::read`] gives the same mesh to the last bit.
    /// Holes that materials have are left out.
    pub fn write_obj(&self, to: &mut dyn std::io::Write) -> std::io::Result<()> {
        obj::write(self, to)
    }

    /// Refuses what no reader may let through.
    fn check(&self, path: &Path) -> Result<(), Error> {
        check_mesh(path, &self.positions, &self.triangles)
    }

    /// Makes metres with z up of vertices in this unit with this axis up.
    pub(crate) fn convert(&mut self, unit: LengthUnit, up: UpAxis) {
        let metres = unit.metres();
        if metres == 1.0 && up == UpAxis::Z {
            return;
        }
        for p in &mut self.positions {
            let scaled = *p * metres;
            *p = match up {
                UpAxis::Z => scaled,
                UpAxis::Y => DVec3::new(scaled.x, -scaled.z, scaled.y),
            };
        }
    }

    /// Least and greatest coordinates.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.positions.iter().fold(start, |(low, high), p| (low.min(*p), high.max(*p)))
    }

    /// Area of all triangles of one material, one side counted.
    pub fn area_m2(&self, material: u16) -> f64 {
        let triangles = self.triangles.iter().zip(&self.triangle_material);
        triangles
            .filter(|(_, m)| **m == material)
            .map(|(corners, _)| {
                let [a, b, c] = corners.map(|index| self.positions[index as usize]);
                (b - a).cross(c - a).length() * 0.5
            })
            .sum()
    }

    /// Appends the fan of a polygon whose corners are `corners`.
    fn push_polygon(&mut self, corners: &[u32], material: u16) {
        if let [first, rest @ ..] = corners {
            for pair in rest.windows(2) {
                self.triangles.push([*first, pair[0], pair[1]]);
                self.triangle_material.push(material);
            }
        }
    }
}

impl MeshParts {
    /// Reads the file at `path` as its parts, in metres with z up; with `split`, each node of a
    /// glTF file that has a mesh is an object, else all of them are one.
    pub fn read(
        path: &Path,
        unit: Option<LengthUnit>,
        up: Option<UpAxis>,
        split: bool,
    ) -> Result<MeshParts, Error> {
        if MeshFormat::of(path)? != MeshFormat::Gltf {
            return Ok(MeshParts::of_file(&MeshFile::read(path, unit, up)?));
        }
        let mut found = gltf::read_parts(path, &read_bytes(path)?)?;
        for mesh in &found.meshes {
            check_mesh(path, &mesh.positions, &mesh.triangles)?;
        }
        found.drop_flat_places(path)?;
        let (unit, up) = (unit.unwrap_or(LengthUnit::M), up.unwrap_or(UpAxis::Y));
        if !split {
            found.join();
        }
        // One object without copies is one mesh, as it is from any other format.
        if found.objects.len() == 1 && !found.has_copies {
            let MeshParts { objects, nodes, .. } = &mut found;
            let (objects, nodes) = (std::mem::take(objects), std::mem::take(nodes));
            let mut whole = found.flatten(path)?;
            whole.convert(unit, up);
            return Ok(MeshParts { objects, nodes, ..MeshParts::of_file(&whole) });
        }
        let metres_from_file = parts::metres_z_up(unit, up);
        for place in found.parts.iter_mut().flat_map(|part| &mut part.places) {
            *place = metres_from_file * *place;
        }
        Ok(found)
    }
}

/// The files that the file at `path` is read with if it is a mesh, by the paths that it names them
/// by.
pub(crate) fn side_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    match MeshFormat::of(path) {
        Ok(MeshFormat::Obj | MeshFormat::Gltf) => Ok(MeshFile::read(path, None, None)?.side_files),
        _ => Ok(Vec::new()),
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    bounded_file::read(path, u64::MAX)
        .map_err(|source| Error::Read { path: PathBuf::from(path), source })
}

/// Refuses vertices that are nowhere and triangles without vertices.
fn check_mesh(path: &Path, positions: &[DVec3], triangles: &[[u32; 3]]) -> Result<(), Error> {
    if triangles.is_empty() {
        return Err(no_triangles(path));
    }
    let count = positions.len();
    if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
        let p = positions[vertex];
        return Err(Error::invalid(
            path.display(),
            format!("vertex {vertex} is ({}, {}, {}), which is no position", p.x, p.y, p.z),
            "repair or remove it",
        ));
    }
    for (triangle, corners) in triangles.iter().enumerate() {
        if let Some(index) = corners.iter().find(|&&index| index as usize >= count) {
            return Err(Error::invalid(
                path.display(),
                format!(
                    "triangle {triangle} names vertex {index}, but the mesh has {count} vertices"
                ),
                "repair its indices",
            ));
        }
    }
    Ok(())
}

fn no_triangles(path: &Path) -> Error {
    Error::invalid(
        path.display(),
        "the mesh has no triangles",
        "export it with its faces, or leave it out",
    )
}

fn too_many_vertices(path: &Path) -> Error {
    Error::invalid(
        path.display(),
        format!("the mesh has more than {} vertices", u32::MAX),
        "split it into several files",
    )
}

/// A column-major 4 × 4 matrix whose last row is (0, 0, 0, 1).
fn affine(columns: [[f32; 4]; 4]) -> DAffine3 {
    let axis = |c: [f32; 4]| DVec3::new(c[0] as f64, c[1] as f64, c[2] as f64);
    let matrix3 = DMat3::from_cols(axis(columns[0]), axis(columns[1]), axis(columns[2]));
    DAffine3 { matrix3, translation: axis(columns[3]) }
}

/// `file:line`.
fn at_line(path: &Path, line: usize) -> String {
    format!("{}:{line}", path.display())
}

#[cfg(test)]
pub(crate) mod gltf_draft;
#[cfg(test)]
mod gltf_tests;
#[cfg(test)]
mod tests;
