//! A mesh file as the objects that it consists of: glTF has many, every other format one.
//!
//! What leaves: each mesh once, in its own frame, and the places of its copies, so that copies
//! stay instances; and the nodes of the file with their names and labels.

use super::{FileMaterial, LengthUnit, MeshFile, UpAxis};
use crate::Error;
use glam::{DAffine3, DMat3, DVec3};
use std::path::{Path, PathBuf};
use understory_geometry::Cutout;

/// Beyond this many vertices of all copies their boxes say how low a file reaches.
const EXACT_VERTICES: usize = 50_000_000;

/// Most vertices and most triangles of a file whose copies are written out.
const FLAT_MAX: usize = 1 << 27;
/// As many they may have however few the file itself has.
const FLAT_ALWAYS: usize = 1 << 24;
/// Beyond that, how many times as many as the file itself.
const COPIES_MAX: usize = 8;

/// Triangles of one mesh in its own frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartMesh {
    /// Vertices.
    pub positions: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Material of each triangle.
    pub triangle_material: Vec<u16>,
    /// Image coordinates of the corners of each triangle; empty where no material has holes.
    pub corner_uv: Vec<[[f32; 2]; 3]>,
}

impl PartMesh {
    /// The holes that its materials cut; none: it is whole.
    pub fn cutout(&self, materials: &[FileMaterial]) -> Option<Cutout> {
        let mut cutout = Cutout::default();
        for (material, uv) in self.triangle_material.iter().zip(&self.corner_uv) {
            let material = materials.get(usize::from(*material));
            cutout.push(material.and_then(|material| material.alpha.as_ref()), *uv);
        }
        (!cutout.is_empty()).then_some(cutout)
    }
}

/// A node of a file, after the node above it.
#[derive(Clone, Debug, PartialEq)]
pub struct FileNode {
    /// Its name, that of its mesh, or its number.
    pub name: String,
    /// The semantic class that the file gives it.
    pub label: Option<u16>,
    /// The node above it.
    pub parent: Option<usize>,
}

/// Something with an identity: a node with a mesh, or several that the file says are one.
#[derive(Clone, Debug, PartialEq)]
pub struct FileObject {
    /// Its name, its own.
    pub name: String,
    /// The node, in [`MeshParts::nodes`].
    pub node: usize,
    /// Material and semantic class of its wood.
    pub wood: Option<(String, u16)>,
}

/// A mesh of an object and where its copies are.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshPart {
    /// In [`MeshParts::objects`].
    pub object: usize,
    /// In [`MeshParts::meshes`].
    pub mesh: usize,
    /// `file_from_mesh` of each copy.
    pub places: Vec<DAffine3>,
}

/// A mesh file as its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshParts {
    /// What the file says of its materials; at least one.
    pub materials: Vec<FileMaterial>,
    /// The meshes.
    pub meshes: Vec<PartMesh>,
    /// Where they are; at least one.
    pub parts: Vec<MeshPart>,
    /// The objects to which parts belong; at least one.
    pub objects: Vec<FileObject>,
    /// The nodes of a glTF file, each after the one above it.
    pub nodes: Vec<FileNode>,
    /// Whether the file itself has copies of a node.
    pub has_copies: bool,
    /// Files that were read besides.
    pub side_files: Vec<PathBuf>,
}

impl MeshParts {
    /// A mesh that is one object.
    pub fn of_file(file: &MeshFile) -> MeshParts {
        let mesh = PartMesh {
            positions: file.positions.clone(),
            triangles: file.triangles.clone(),
            triangle_material: file.triangle_material.clone(),
            corner_uv: file.corner_uv.clone(),
        };
        MeshParts {
            materials: file.materials.clone(),
            meshes: vec![mesh],
            parts: vec![MeshPart { object: 0, mesh: 0, places: vec![DAffine3::IDENTITY] }],
            objects: vec![FileObject { name: String::new(), node: 0, wood: None }],
            side_files: file.side_files.clone(),
            ..MeshParts::default()
        }
    }

    /// Leaves out objects of which nothing is seen.
    pub(super) fn keep_what_is_seen(&mut self, path: &Path) -> Result<(), Error> {
        if self.parts.is_empty() {
            return Err(super::no_triangles(path));
        }
        let mut number = vec![None; self.objects.len()];
        let mut kept = Vec::new();
        for part in &mut self.parts {
            let at = *number[part.object].get_or_insert_with(|| {
                kept.push(self.objects[part.object].clone());
                kept.len() - 1
            });
            part.object = at;
        }
        self.objects = kept;
        Ok(())
    }

    /// Makes all objects one.
    pub(super) fn join(&mut self) {
        self.objects.truncate(1);
        self.parts.iter_mut().for_each(|part| part.object = 0);
    }

    /// Copies that are scaled to nothing are not there.
    pub(super) fn drop_flat_places(&mut self, path: &Path) -> Result<(), Error> {
        let thick = |place: &DAffine3| {
            let inverse = place.matrix3.inverse();
            place.matrix3.determinant().is_normal()
                && inverse.to_cols_array().iter().all(|x| x.abs() < 1e12)
        };
        let mut dropped = 0;
        for part in &mut self.parts {
            let before = part.places.len();
            part.places.retain(thick);
            dropped += before - part.places.len();
        }
        if dropped > 0 {
            let file = path.display();
            tracing::warn!("{file}: {dropped} copies of nodes are scaled to nothing: left out");
        }
        self.parts.retain(|part| !part.places.is_empty());
        self.keep_what_is_seen(path)
    }

    /// All copies as one mesh in the frame of the file.
    pub(super) fn flatten(self, path: &Path) -> Result<MeshFile, Error> {
        let mut whole = MeshFile {
            materials: self.materials,
            side_files: self.side_files,
            ..MeshFile::default()
        };
        // Counted before any of it is made: a small file can ask for any number of copies.
        let size = |mesh: &PartMesh| mesh.positions.len().max(mesh.triangles.len());
        let own: usize = self.meshes.iter().map(size).sum();
        let copies =
            |part: &MeshPart| size(&self.meshes[part.mesh]).saturating_mul(part.places.len());
        let all = self.parts.iter().map(copies).fold(0, usize::saturating_add);
        let most = FLAT_MAX.min(own.saturating_mul(COPIES_MAX).max(FLAT_ALWAYS));
        if all > most {
            let problem = format!("its copies have {all} vertices or triangles, more than {most}");
            let remedy = "split the file, or leave copies to the scenario";
            return Err(Error::invalid(path.display(), problem, remedy));
        }
        for part in &self.parts {
            let mesh = &self.meshes[part.mesh];
            for place in &part.places {
                let first = whole.positions.len();
                let placed = mesh.positions.iter().map(|p| place.transform_point3(*p));
                whole.positions.extend(placed);
                let first = first as u32;
                whole.triangles.extend(mesh.triangles.iter().map(|t| t.map(|i| first + i)));
                whole.triangle_material.extend(&mesh.triangle_material);
                whole.corner_uv.extend(&mesh.corner_uv);
            }
        }
        Ok(whole)
    }

    /// Semantic class of each object, see [`labels`].
    pub fn labels(&self, by_name: impl Fn(&str) -> Option<u16>) -> Vec<Option<u16>> {
        labels(&self.nodes, &self.objects, by_name)
    }

    /// Lowest and highest corner of all copies.
    pub fn bounds(&self) -> (DVec3, DVec3) {
        let count = |part: &MeshPart| self.meshes[part.mesh].positions.len() * part.places.len();
        let exact = self.parts.iter().map(count).sum::<usize>() <= EXACT_VERTICES;
        let mut bounds = super::super::NOWHERE;
        for part in &self.parts {
            let positions = &self.meshes[part.mesh].positions;
            let corners;
            let points = if exact {
                positions.as_slice()
            } else {
                let own = positions
                    .iter()
                    .fold(super::super::NOWHERE, |(low, high), p| (low.min(*p), high.max(*p)));
                corners = super::super::corners(own);
                &corners
            };
            for place in &part.places {
                for point in points {
                    let point = place.transform_point3(*point);
                    bounds = (bounds.0.min(point), bounds.1.max(point));
                }
            }
        }
        bounds
    }

    /// Copies of all parts.
    pub fn copy_count(&self) -> usize {
        self.parts.iter().map(|part| part.places.len()).sum()
    }
}

/// Semantic class of each object: the nearest node at or above its own that `by_name` or the file
/// gives one; `by_name` comes first.
pub(super) fn labels(
    nodes: &[FileNode],
    objects: &[FileObject],
    by_name: impl Fn(&str) -> Option<u16>,
) -> Vec<Option<u16>> {
    let mut of_nodes: Vec<Option<u16>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let above = node.parent.and_then(|parent| of_nodes.get(parent).copied().flatten());
        of_nodes.push(by_name(&node.name).or(node.label).or(above));
    }
    objects.iter().map(|object| of_nodes.get(object.node).copied().flatten()).collect()
}

/// Metres with z up of a unit and an axis.
pub(super) fn metres_z_up(unit: LengthUnit, up: UpAxis) -> DAffine3 {
    let axes = match up {
        UpAxis::Z => DMat3::IDENTITY,
        UpAxis::Y => DMat3::from_cols(DVec3::X, DVec3::Z, -DVec3::Y),
    };
    DAffine3::from_mat3(axes * unit.metres())
}
