//! A mesh from a file or from memory, as a table of a scenario names it.
//!
//! What enters: the keys that objects and ground objects share. What leaves: a [`MeshAsset`],
//! checked, which reads its mesh and adds it to a scene as the objects that it consists of, ready
//! to be placed any number of times.

use super::file::ObjectFile;
use super::given::{self, InMemoryAssets, MeshSource};
use super::labels::check_label;
use super::material::{material, named};
use super::object_tracks::matches;
use crate::Error;
use crate::world::scene::material::Material;
use crate::world::scene::mesh_file::{
    FileMaterial, FileNode, FileObject, LengthUnit, MeshFile, MeshParts, PartMesh, UpAxis,
};
use crate::world::scene::{MeshMaterials, SceneBuilder, SceneMesh};
use glam::{DAffine3, DVec3};
use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use understory_files::hint::word_remedy;
use understory_files::{LayeredToml, Spanned};
use understory_geometry::{Edges, GeometryError};

/// Most copies of all parts of one asset.
const PLACES_MAX: usize = 10_000_000;

/// The keys of a mesh in a table.
pub(super) struct MeshKeys<'a> {
    pub file: &'a Spanned<PathBuf>,
    pub unit: Option<LengthUnit>,
    pub up: Option<UpAxis>,
    pub materials: Option<&'a Spanned<BTreeMap<String, Spanned<String>>>>,
    pub labels: Option<&'a Spanned<BTreeMap<String, Spanned<toml::Value>>>>,
    pub split_nodes: Option<&'a Spanned<bool>>,
    /// Whether the nodes of a glTF are objects where nothing is said.
    pub splits: bool,
}

/// A mesh that was found valid but is not read.
#[derive(Clone, Debug)]
pub(super) struct MeshAsset {
    pub from: MeshSource,
    pub unit: Option<LengthUnit>,
    pub up: Option<UpAxis>,
    /// Whether each node of a glTF is an object.
    pub split: bool,
    materials: Vec<Mapping>,
    labels: Vec<LabelRule>,
}

/// A material of a mesh file, and what it is taken for.
#[derive(Clone, Debug)]
struct Mapping {
    location: String,
    in_file: String,
    material: Material,
}

/// The semantic class of nodes whose names match.
#[derive(Clone, Debug)]
struct LabelRule {
    location: String,
    pattern: String,
    label: u16,
}

/// Who uses an asset: where it is described, and the material of all that has none of its own.
pub(super) struct AssetUser<'a> {
    pub location: &'a str,
    pub material: Option<&'a Material>,
    pub own: &'a [Material],
    pub edges: Edges,
}

/// An object of an asset.
#[derive(Clone, Debug, Default)]
pub(super) struct AssetObject {
    /// What is added to the name of the whole; empty where the asset is one object.
    name: String,
    label: Option<u16>,
    /// Material and semantic class of its wood.
    wood: Option<(u16, u16)>,
}

/// Material and semantic class of the wood of an object in a file.
type Wood = Option<(String, u16)>;

/// An asset in a scene.
pub(super) struct AddedAsset {
    pub objects: Vec<AssetObject>,
    /// Object, mesh and `asset_from_mesh`.
    instances: Vec<(usize, SceneMesh, DAffine3)>,
    /// Lowest and highest corner.
    pub bounds: (DVec3, DVec3),
}

impl<'a> MeshKeys<'a> {
    /// Those of an object whose mesh is in `mesh`.
    pub fn of(file: &'a ObjectFile, mesh: &'a Spanned<PathBuf>) -> MeshKeys<'a> {
        MeshKeys {
            file: mesh,
            unit: file.unit.as_ref().map(|unit| *unit.get_ref()),
            up: file.up.as_ref().map(|up| *up.get_ref()),
            materials: file.materials.as_ref(),
            labels: file.labels.as_ref(),
            split_nodes: file.split_nodes.as_ref(),
            splits: !file.one_object && file.body.is_none(),
        }
    }

    /// Checks everything that can be known without reading the mesh.
    pub fn check(
        &self,
        layers: &LayeredToml<'_>,
        assets: &InMemoryAssets,
        own: &[Material],
    ) -> Result<MeshAsset, Error> {
        let from = match given::name(self.file.get_ref()) {
            Some(name) => {
                let found = given::find(layers, &self.file.span(), &assets.meshes, "mesh", name)?;
                MeshSource::Given(self.file.get_ref().clone(), found)
            }
            None => {
                let path = layers.file(&self.file.span(), self.file.get_ref())?;
                MeshFile::check_extension(&path).map_err(|error| match error {
                    Error::Invalid { problem, remedy, .. } => {
                        layers.invalid(&self.file.span(), problem, remedy)
                    }
                    other => other,
                })?;
                MeshSource::File(path)
            }
        };
        let mut materials = Vec::new();
        for (in_file, name) in self.materials.map(|m| m.get_ref()).into_iter().flatten() {
            let material = named(layers, own, name)?;
            let location = layers.location(&name.span());
            materials.push(Mapping { location, in_file: in_file.clone(), material });
        }
        let mut labels = Vec::new();
        for (pattern, label) in self.labels.map(|m| m.get_ref()).into_iter().flatten() {
            let location = layers.location(&label.span());
            let label = check_label(layers, label)?;
            labels.push(LabelRule { location, pattern: pattern.clone(), label });
        }
        // The longest pattern that matches wins.
        labels.sort_by_key(|rule| std::cmp::Reverse(rule.pattern.chars().count()));
        let split = self.split_nodes.map_or(self.splits, |split| *split.get_ref());
        self.refuse_nodes(layers, &from, split)?;
        Ok(MeshAsset { from, unit: self.unit, up: self.up, split, materials, labels })
    }

    /// Refuses keys of nodes where there are none.
    fn refuse_nodes(
        &self,
        layers: &LayeredToml<'_>,
        from: &MeshSource,
        split: bool,
    ) -> Result<(), Error> {
        let keys: [(&str, Option<Range<usize>>); 2] = [
            ("labels", self.labels.map(Spanned::span)),
            ("split_nodes", self.split_nodes.map(Spanned::span)),
        ];
        let Some((key, span)) = keys.into_iter().find_map(|(key, span)| Some((key, span?))) else {
            return Ok(());
        };
        if !from.is_gltf() {
            let problem = format!("`{key}` is of nodes, and only glTF has them");
            return Err(layers.invalid(&span, problem, "give a .gltf or .glb file, or remove it"));
        }
        if key == "labels" && !split {
            let problem = "`labels` is of nodes, and all nodes are one object here";
            let remedy = "set `split_nodes = true`, or give the object one `label`";
            return Err(layers.invalid(&span, problem, remedy));
        }
        Ok(())
    }
}

impl MeshAsset {
    /// Reads the mesh and adds it.
    pub fn add_to(
        &self,
        builder: &mut SceneBuilder,
        user: &AssetUser<'_>,
    ) -> Result<AddedAsset, Error> {
        let here = |source| Error::Object { location: user.location.to_owned(), source };
        let asset = self.from.read_parts(self.unit, self.up, self.split)?;
        let meshes = asset.parts.iter().map(|part| &asset.meshes[part.mesh]);
        let used: HashSet<u16> = meshes.flat_map(|mesh| &mesh.triangle_material).copied().collect();
        let ids = self.material_ids(builder, user, &asset.materials, &used)?;
        let objects = self.objects(builder, &asset.materials, &ids, &asset)?;
        let mut added: Vec<Option<SceneMesh>> = vec![None; asset.meshes.len()];
        let mut instances = Vec::with_capacity(asset.copy_count());
        for part in &asset.parts {
            let mesh = match added[part.mesh] {
                Some(mesh) => mesh,
                None => {
                    let mesh = &asset.meshes[part.mesh];
                    let mesh = add_part(
                        builder,
                        mesh,
                        &mesh.positions,
                        &asset.materials,
                        &ids,
                        user.edges,
                    );
                    *added[part.mesh].insert(mesh.map_err(here)?)
                }
            };
            instances.extend(part.places.iter().map(|place| (part.object, mesh, *place)));
        }
        Ok(AddedAsset { objects, instances, bounds: asset.bounds() })
    }

    /// The objects of a file that was read, with their labels; a pattern that no node has is an
    /// error.
    pub fn objects_of(
        &self,
        nodes: &[FileNode],
        objects: &[FileObject],
        labels: Vec<Option<u16>>,
    ) -> Result<Vec<(AssetObject, Wood)>, Error> {
        for rule in &self.labels {
            if !nodes.iter().any(|node| matches(&rule.pattern, &node.name)) {
                let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
                let file = self.from.path().display();
                return Err(Error::invalid(
                    &rule.location,
                    format!("no node of {file} is called {:?}", rule.pattern),
                    word_remedy(&rule.pattern, &names),
                ));
            }
        }
        let alone = objects.len() == 1;
        let named = |(object, label): (&FileObject, Option<u16>)| {
            let name = if alone { String::new() } else { object.name.clone() };
            (AssetObject { name, label, wood: None }, object.wood.clone())
        };
        // All nodes as one object have the object's own label.
        let labels = labels.into_iter().map(|label| label.filter(|_| self.split));
        Ok(objects.iter().zip(labels).map(named).collect())
    }

    /// The semantic class that a name of a node has by the keys.
    pub fn label_of(&self, name: &str) -> Option<u16> {
        let rule = self.labels.iter().find(|rule| matches(&rule.pattern, name));
        rule.map(|rule| rule.label)
    }

    fn objects(
        &self,
        builder: &SceneBuilder,
        materials: &[FileMaterial],
        ids: &[u16],
        asset: &MeshParts,
    ) -> Result<Vec<AssetObject>, Error> {
        let labels = asset.labels(|name| self.label_of(name));
        let objects = self.objects_of(&asset.nodes, &asset.objects, labels)?;
        let wooden = |(mut object, wood): (AssetObject, Wood)| {
            object.wood = wood.filter(|_| self.split).and_then(|(name, label)| {
                let of_file = materials.iter().position(|material| material.name == name);
                let id = of_file.and_then(|index| ids.get(index).copied());
                Some((id.or_else(|| builder.material_named(&name))?, label))
            });
            object
        };
        Ok(objects.into_iter().map(wooden).collect())
    }

    /// Number of the material that each material of the file is taken for: what `materials` says,
    /// else the object's `material`, else the one of the same name, else grey.
    pub fn material_ids(
        &self,
        builder: &mut SceneBuilder,
        user: &AssetUser<'_>,
        materials: &[FileMaterial],
        used: &HashSet<u16>,
    ) -> Result<Vec<u16>, Error> {
        let path: &Path = self.from.path();
        let names: Vec<&str> = materials.iter().map(|m| m.name.as_str()).collect();
        for mapping in &self.materials {
            if !names.contains(&mapping.in_file.as_str()) {
                return Err(Error::invalid(
                    &mapping.location,
                    format!("{} has no material {:?}", path.display(), mapping.in_file),
                    word_remedy(&mapping.in_file, &names),
                ));
            }
        }
        let mut ids = vec![0; names.len()];
        for (index, (name, id)) in names.iter().zip(&mut ids).enumerate() {
            let mapped = self.materials.iter().find(|m| m.in_file == *name);
            let found = mapped.map(|m| m.material.clone()).or_else(|| user.material.cloned());
            let found = found.or_else(|| material(user.own, name));
            let found = found.or_else(|| material(user.own, &name.to_lowercase()));
            let material = match found {
                Some(material) => Some(material),
                None if used.contains(&(index as u16)) => {
                    tracing::warn!(
                        "{}: {}: nothing is known of material {name:?}; it reflects 0.5; name it \
                         in `materials`",
                        user.location,
                        path.display(),
                    );
                    Material::from_library(Material::DEFAULT_NAME)
                }
                None => None,
            };
            if let Some(material) = material {
                let here = |source| Error::Object { location: user.location.to_owned(), source };
                *id = builder.add_material(material).map_err(here)?;
            }
        }
        Ok(ids)
    }
}

impl AddedAsset {
    /// Refuses more copies than memory has room for.
    pub fn check_copies(&self, location: &str, copies: usize) -> Result<(), Error> {
        let count = self.instances.len().saturating_mul(copies);
        if count <= PLACES_MAX {
            return Ok(());
        }
        let problem = format!("{copies} copies of {} parts are {count}", self.instances.len());
        let remedy = format!("ask for at most {PLACES_MAX}, or set `split_nodes = false`");
        Err(Error::invalid(location, problem, remedy))
    }

    /// Places it as the objects `ids`, in their frame.
    pub fn place(
        &self,
        builder: &mut SceneBuilder,
        ids: &[u32],
        object_from_asset: &DAffine3,
    ) -> Result<(), GeometryError> {
        for (object, mesh, asset_from_mesh) in &self.instances {
            let id = ids.get(*object).copied().unwrap_or(0);
            builder.add_instance(*mesh, id, *object_from_asset * *asset_from_mesh)?;
        }
        Ok(())
    }
}

impl AssetObject {
    /// Adds the objects of an asset that is called `name` and has `label` where nothing is said.
    pub fn add_all(
        objects: &[AssetObject],
        builder: &mut SceneBuilder,
        name: &str,
        label: u16,
    ) -> Result<Vec<u32>, GeometryError> {
        let mut ids = Vec::with_capacity(objects.len());
        for object in objects {
            let name = match object.name.as_str() {
                "" => name.to_owned(),
                own => format!("{name}/{own}"),
            };
            let id = builder.add_object(name, object.label.unwrap_or(label))?;
            if let Some((material, label)) = object.wood {
                builder.label_wood(id, material, label);
            }
            ids.push(id);
        }
        Ok(ids)
    }
}

/// Adds a mesh of a file with the holes of its materials.
pub(super) fn add_part(
    builder: &mut SceneBuilder,
    mesh: &PartMesh,
    positions: &[DVec3],
    materials: &[FileMaterial],
    ids: &[u16],
    edges: Edges,
) -> Result<SceneMesh, GeometryError> {
    let of_triangle = mesh.triangle_material.iter();
    let of_triangle: Vec<u16> =
        of_triangle.map(|&m| ids.get(usize::from(m)).copied().unwrap_or(0)).collect();
    let uniform = of_triangle.first().filter(|f| of_triangle.iter().all(|m| m == *f));
    let of_mesh = match uniform {
        Some(material) => MeshMaterials::Uniform(*material),
        None => MeshMaterials::PerTriangle(of_triangle),
    };
    let cutout = mesh.cutout(materials);
    builder.add_cut_mesh(positions, mesh.triangles.clone(), of_mesh, edges, cutout)
}
