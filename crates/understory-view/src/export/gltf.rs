//! glTF 2.0 and GLB: each mesh once, each instance a node, materials with their base colours. A node
//! has the semantic class of its object in `extras.label`, and in `extras.understory` the object's
//! number, which copies share, and what its wood is made of: read as a mesh, the file gives the
//! same objects with the same labels.
//!
//! glTF has y up and f32. A root node turns z up to y up, exactly; the nodes below it are in
//! Understory's frame. Where the world is far from its origin, positions are relative to an offset of
//! whole hundreds of metres, which stands in the root's `extras.understory.offset_m`: world =
//! position + offset.

use super::{ExportFormat, ExportReport, SharedMesh, beside, colour, first_instances, instances};
use glam::{DAffine3, DVec3};
use gltf::binary::{Glb, Header};
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Target, View};
use gltf::json::extras::RawValue;
use gltf::json::material::{PbrBaseColorFactor, PbrMetallicRoughness, StrengthFactor};
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Accessor, Asset, Buffer, Index, Material, Mesh, Node, Root, Scene as Nodes};
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use understory::Error;
use understory::world::scene::Scene;
use understory_cloud::StagedFile;
use understory_cloud::label_name;
use understory_geometry::{InstanceId, MeshId};

/// Coordinates beyond this are given relative to an offset.
const FAR_M: f64 = 1000.0;
/// Offsets are whole numbers of this.
const OFFSET_STEP_M: f64 = 100.0;
/// (x, y, z) with z up → (x, z, −y) with y up, by columns.
const Y_UP_FROM_Z_UP: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

pub fn write(scene: &Scene, path: &Path, format: ExportFormat) -> Result<ExportReport, Error> {
    let (bin_path, bin_name) = beside(path, "bin");
    let mut main = StagedFile::create(path)?;
    let side = format == ExportFormat::Gltf;
    let mut bin = if side { Some(StagedFile::create(&bin_path)?) } else { None };

    let mut numbers = Numbers::default();
    let (meshes, mesh_numbers) = write_meshes(scene, &mut numbers)?;
    let triangles = numbers.triangles;
    let offset_m = offset(scene);
    let root = Root {
        asset: Asset { generator: Some("Understory".into()), ..Asset::default() },
        scene: Some(Index::new(0)),
        scenes: vec![Nodes {
            nodes: vec![Index::new(0)],
            name: None,
            extensions: None,
            extras: None,
        }],
        nodes: nodes(scene, &mesh_numbers, offset_m),
        materials: materials(scene),
        accessors: numbers.accessors,
        buffer_views: numbers.views,
        buffers: vec![Buffer {
            byte_length: numbers.bytes.len().into(),
            uri: side.then(|| percent_encoded(&bin_name)),
            name: None,
            extensions: None,
            extras: None,
        }],
        meshes,
        ..Root::default()
    };
    let report = ExportReport {
        paths: Vec::new(),
        meshes: root.meshes.len(),
        instances: root.nodes.len() - 1,
        triangles,
        offset_m,
    };
    let json = root.to_vec().map_err(|error| main.failed(io::Error::other(error.to_string())))?;
    drop(root);
    let mut paths = Vec::new();
    match &mut bin {
        Some(bin) => {
            bin.write_all(&numbers.bytes).map_err(|error| bin.failed(error))?;
            main.write_all(&json).map_err(|error| main.failed(error))?;
        }
        None => write_glb(&mut main, json, numbers.bytes)?,
    }
    if let Some(bin) = bin {
        paths.push(bin.publish()?);
    }
    paths.push(main.publish()?);
    Ok(ExportReport { paths, ..report })
}

/// The container of both.
fn write_glb(file: &mut StagedFile, json: Vec<u8>, bytes: Vec<u8>) -> Result<(), Error> {
    let whole = 12 + 8 + json.len().next_multiple_of(4) + 8 + bytes.len();
    let length = u32::try_from(whole).map_err(|_| too_large(whole))?;
    let header = Header { magic: *b"glTF", version: 2, length };
    let glb = Glb { header, json: Cow::Owned(json), bin: Some(Cow::Owned(bytes)) };
    let written = glb.to_writer(&mut *file).map_err(|error| match error {
        gltf::Error::Io(error) => error,
        other => io::Error::other(other.to_string()),
    });
    Ok(written.map_err(|error| file.failed(error))?)
}

/// Values of all meshes as they are gathered.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    views: Vec<View>,
    accessors: Vec<Accessor>,
    triangles: u64,
}

/// What the numbers of an accessor are.
struct Kind {
    target: Target,
    component: ComponentType,
    of: Type,
    /// Numbers in a row that count as a value.
    values_per_row: usize,
}

impl Numbers {
    /// Appends rows of three numbers each and returns their accessor.
    fn push(
        &mut self,
        rows: impl Iterator<Item = [[u8; 4]; 3]>,
        kind: Kind,
        limits: Option<[[f32; 3]; 2]>,
    ) -> Result<Index<Accessor>, Error> {
        let byte_offset = self.bytes.len();
        let mut count = 0;
        for row in rows {
            self.bytes.extend_from_slice(row.as_flattened());
            count += kind.values_per_row;
        }
        // Readers count bytes in 32 bits.
        if self.bytes.len() > u32::MAX as usize {
            return Err(too_large(self.bytes.len()));
        }
        let view = Index::new(self.views.len() as u32);
        self.views.push(View {
            buffer: Index::new(0),
            byte_length: (self.bytes.len() - byte_offset).into(),
            byte_offset: Some(byte_offset.into()),
            byte_stride: None,
            name: None,
            target: Some(Checked::Valid(kind.target)),
            extensions: None,
            extras: None,
        });
        self.accessors.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: count.into(),
            component_type: Checked::Valid(GenericComponentType(kind.component)),
            type_: Checked::Valid(kind.of),
            min: limits.map(|[low, _]| json!(low)),
            max: limits.map(|[_, high]| json!(high)),
            name: None,
            normalized: false,
            sparse: None,
            extensions: None,
            extras: None,
        });
        Ok(Index::new(self.accessors.len() as u32 - 1))
    }

    fn push_mesh(&mut self, mesh: &SharedMesh) -> Result<Mesh, Error> {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in &mesh.positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let rows = mesh.positions.iter().map(|p| p.map(f32::to_le_bytes));
        let kind = Kind {
            target: Target::ArrayBuffer,
            component: ComponentType::F32,
            of: Type::Vec3,
            values_per_row: 1,
        };
        let position = self.push(rows, kind, Some([low, high]))?;
        let mut primitives = Vec::new();
        for (material, triangles) in &mesh.parts {
            let rows = triangles.iter().map(|t| t.map(u32::to_le_bytes));
            let kind = Kind {
                target: Target::ElementArrayBuffer,
                component: ComponentType::U32,
                of: Type::Scalar,
                values_per_row: 3,
            };
            let indices = self.push(rows, kind, None)?;
            self.triangles += triangles.len() as u64;
            primitives.push(Primitive {
                attributes: BTreeMap::from([(Checked::Valid(Semantic::Positions), position)]),
                indices: Some(indices),
                material: material.checked_sub(1).map(|number| Index::new(u32::from(number))),
                mode: Checked::Valid(Mode::Triangles),
                targets: None,
                extensions: None,
                extras: None,
            });
        }
        Ok(Mesh { primitives, name: None, weights: None, extensions: None, extras: None })
    }
}

/// All meshes that have an instance, and the number of each in the file.
fn write_meshes(
    scene: &Scene,
    numbers: &mut Numbers,
) -> Result<(Vec<Mesh>, Vec<Option<u32>>), Error> {
    let mut meshes = Vec::new();
    let mut mesh_numbers = Vec::new();
    for (mesh, instance) in first_instances(scene).into_iter().enumerate() {
        let Some(instance) = instance else {
            mesh_numbers.push(None);
            continue;
        };
        let shared = SharedMesh::of(scene, MeshId(mesh as u32), instance);
        mesh_numbers.push(Some(meshes.len() as u32));
        meshes.push(numbers.push_mesh(&shared)?);
    }
    Ok((meshes, mesh_numbers))
}

fn materials(scene: &Scene) -> Vec<Material> {
    let materials = scene.materials().iter().enumerate();
    materials
        .map(|(index, material)| {
            let [r, g, b] = colour(scene, index as u16 + 1);
            Material {
                name: Some(material.name.clone()),
                pbr_metallic_roughness: PbrMetallicRoughness {
                    base_color_factor: PbrBaseColorFactor([r, g, b, 1.0]),
                    metallic_factor: StrengthFactor(0.0),
                    roughness_factor: StrengthFactor(1.0),
                    ..PbrMetallicRoughness::default()
                },
                double_sided: true,
                ..Material::default()
            }
        })
        .collect()
}

/// The root, then a node for each instance.
fn nodes(scene: &Scene, mesh_numbers: &[Option<u32>], offset_m: DVec3) -> Vec<Node> {
    let mut nodes = vec![Node {
        name: Some("understory".into()),
        matrix: Some(Y_UP_FROM_Z_UP),
        extras: extras(&json!({ "offset_m": offset_m.to_array(), "up": "z" })),
        ..Node::default()
    }];
    for (instance, mesh, world_from_vertices) in instances(scene) {
        let mesh = mesh_numbers.get(mesh.0 as usize).copied().flatten();
        nodes.push(instance_node(scene, instance, mesh, &world_from_vertices, offset_m));
    }
    nodes[0].children = Some((1..nodes.len() as u32).map(Index::new).collect());
    nodes
}

/// What only Understory knows of a node, under its own name.
fn extras(ours: &serde_json::Value) -> Option<Box<RawValue>> {
    RawValue::from_string(json!({ "understory": ours }).to_string()).ok()
}

fn instance_node(
    scene: &Scene,
    instance: InstanceId,
    mesh: Option<u32>,
    world_from_vertices: &DAffine3,
    offset_m: DVec3,
) -> Node {
    let object = scene.object_of(instance);
    let known = scene.objects().get(object.wrapping_sub(1) as usize);
    let label = known.map_or(0, |object| object.label);
    let [x, y, z] = world_from_vertices.matrix3.as_mat3().to_cols_array_2d();
    let [tx, ty, tz] = (world_from_vertices.translation - offset_m).as_vec3().to_array();
    let columns = [
        [x[0], x[1], x[2], 0.0],
        [y[0], y[1], y[2], 0.0],
        [z[0], z[1], z[2], 0.0],
        [tx, ty, tz, 1.0],
    ];
    let mut matrix = [0.0; 16];
    matrix.copy_from_slice(columns.as_flattened());
    let mut ours = json!({ "object": object, "label": label, "label_name": label_name(label) });
    if let Some((material, label)) = scene.wood_of(object)
        && let Some(material) = scene.materials().get(usize::from(material).wrapping_sub(1))
    {
        ours["wood"] = json!({ "material": material.name, "label": label_value(label) });
    }
    Node {
        name: Some(known.map_or("object", |object| object.name.as_str()).to_owned()),
        matrix: Some(matrix),
        mesh: mesh.map(Index::new),
        extras: RawValue::from_string(
            json!({ "label": label_value(label), "understory": ours }).to_string(),
        )
        .ok(),
        ..Node::default()
    }
}

/// A semantic class by its name, or by its number where it has none.
fn label_value(label: u16) -> serde_json::Value {
    label_name(label).map_or_else(|| json!(label), |name| json!(name))
}

/// Whole hundreds of metres near the middle of the instances where any of them is far away, else nothing.
fn offset(scene: &Scene) -> DVec3 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for (_, _, world_from_vertices) in instances(scene) {
        low = low.min(world_from_vertices.translation);
        high = high.max(world_from_vertices.translation);
    }
    let far = low.abs().max(high.abs()).max_element() > FAR_M;
    if far { ((low + high) * 0.5 / OFFSET_STEP_M).round() * OFFSET_STEP_M } else { DVec3::ZERO }
}

/// A file's name as an address (RFC 3986): letters, digits and `-._~` stay.
fn percent_encoded(name: &str) -> String {
    let mut encoded = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded += &format!("%{byte:02X}");
        }
    }
    encoded
}

fn too_large(bytes: usize) -> Error {
    Error::invalid(
        "export",
        format!("the meshes take {bytes} bytes, and glTF counts them in 32 bits"),
        "export a part of the world",
    )
}
