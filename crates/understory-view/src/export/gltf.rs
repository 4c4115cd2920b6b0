//! glTF 2.0 and GLB: each mesh once, each instance a node, materials with their base colours.
//!
//! glTF has y up and f32. A root node turns z up to y up, exactly; the nodes below it are in
//! Understory's frame. Where the world is far from its origin, places are relative to an offset of
//! whole hundreds of metres, which stands in the root's `extras.understory.offset_m`: world = place +
//! offset.

use super::{ExportFormat, ExportReport, SharedMesh, beside, colour, first_instances, instances};
use glam::{DAffine3, DVec3};
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;
use understory::Error;
use understory::world::scene::Scene;
use understory::world::scene::label::label_name;
use understory_cloud::StagedFile;
use understory_geometry::{InstanceId, MeshId};

/// Coordinates beyond this are given relative to an offset.
const FAR_M: f64 = 1000.0;
/// Offsets are whole numbers of this.
const OFFSET_STEP_M: f64 = 100.0;
/// Codes of OpenGL that glTF uses.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// (x, y, z) with z up → (x, z, −y) with y up, by columns.
const Y_UP_FROM_Z_UP: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    asset: Asset,
    scene: u32,
    scenes: [SceneNodes; 1],
    nodes: Vec<Node<'a>>,
    materials: Vec<GltfMaterial<'a>>,
    meshes: Vec<GltfMesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<BufferView>,
    buffers: [Buffer; 1],
}

#[derive(Serialize)]
struct Asset {
    version: &'static str,
    generator: &'static str,
}

#[derive(Serialize)]
struct SceneNodes {
    nodes: [u32; 1],
}

#[derive(Serialize)]
struct Node<'a> {
    name: &'a str,
    matrix: [f32; 16],
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    children: Vec<u32>,
    extras: Extras,
}

#[derive(Serialize)]
struct Extras {
    understory: NodeFacts,
}

#[derive(Serialize)]
#[serde(untagged)]
enum NodeFacts {
    Root { offset_m: [f64; 3], up: &'static str },
    Instance { object: u32, label: u16, label_name: Option<&'static str> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct GltfMaterial<'a> {
    name: &'a str,
    pbr_metallic_roughness: Pbr,
    double_sided: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pbr {
    base_color_factor: [f32; 4],
    metallic_factor: f32,
    roughness_factor: f32,
}

#[derive(Serialize)]
struct GltfMesh {
    primitives: Vec<Primitive>,
}

#[derive(Serialize)]
struct Primitive {
    attributes: Attributes,
    indices: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    material: Option<u16>,
}

#[derive(Serialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    position: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: u32,
    component_type: u32,
    count: usize,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    min: Option<[f32; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max: Option<[f32; 3]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BufferView {
    buffer: u32,
    byte_offset: usize,
    byte_length: usize,
    target: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Buffer {
    byte_length: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
}

pub fn write(scene: &Scene, path: &Path, format: ExportFormat) -> Result<ExportReport, Error> {
    let (bin_path, bin_name) = beside(path, "bin");
    let mut main = StagedFile::create(path)?;
    let side = format == ExportFormat::Gltf;
    let mut bin = if side { Some(StagedFile::create(&bin_path)?) } else { None };

    let mut numbers = Numbers::default();
    let (meshes, mesh_numbers) = write_meshes(scene, &mut numbers)?;
    let triangles = numbers.triangles;
    let offset_m = offset(scene);
    let document = Document {
        asset: Asset { version: "2.0", generator: "Understory" },
        scene: 0,
        scenes: [SceneNodes { nodes: [0] }],
        nodes: nodes(scene, &mesh_numbers, offset_m),
        materials: materials(scene),
        accessors: numbers.accessors,
        buffer_views: numbers.views,
        buffers: [Buffer {
            byte_length: numbers.bytes.len(),
            uri: side.then(|| percent_encoded(&bin_name)),
        }],
        meshes,
    };
    let report = ExportReport {
        paths: Vec::new(),
        meshes: document.meshes.len(),
        instances: document.nodes.len() - 1,
        triangles,
        offset_m,
    };
    let json = serde_json::to_vec(&document)
        .map_err(|error| main.failed(io::Error::other(error.to_string())))?;
    drop(document);
    let mut paths = Vec::new();
    match &mut bin {
        Some(bin) => {
            bin.write_all(&numbers.bytes).map_err(|error| bin.failed(error))?;
            main.write_all(&json).map_err(|error| main.failed(error))?;
        }
        None => write_glb(&mut main, json, &numbers.bytes)?,
    }
    if let Some(bin) = bin {
        paths.push(bin.publish()?);
    }
    paths.push(main.publish()?);
    Ok(ExportReport { paths, ..report })
}

/// The container: a header, the JSON and the numbers, each padded to four bytes.
fn write_glb(file: &mut StagedFile, mut json: Vec<u8>, bytes: &[u8]) -> Result<(), Error> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let whole = 12 + 8 + json.len() + 8 + bytes.len();
    let whole = u32::try_from(whole).map_err(|_| too_large(whole))?;
    let mut all = || -> io::Result<()> {
        file.write_all(b"glTF\x02\0\0\0")?;
        file.write_all(&whole.to_le_bytes())?;
        for (kind, chunk) in [(b"JSON", json.as_slice()), (b"BIN\0", bytes)] {
            file.write_all(&(chunk.len() as u32).to_le_bytes())?;
            file.write_all(kind)?;
            file.write_all(chunk)?;
        }
        Ok(())
    };
    let written = all();
    Ok(written.map_err(|error| file.failed(error))?)
}

/// Values of all meshes as they are gathered.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    views: Vec<BufferView>,
    accessors: Vec<Accessor>,
    triangles: u64,
}

impl Numbers {
    /// Appends values of three numbers each and returns their accessor.
    fn push(
        &mut self,
        target: u32,
        rows: impl Iterator<Item = [[u8; 4]; 3]>,
        accessor: impl FnOnce(u32, usize) -> Accessor,
    ) -> Result<u32, Error> {
        let byte_offset = self.bytes.len();
        let mut count = 0;
        for row in rows {
            self.bytes.extend_from_slice(row.as_flattened());
            count += 1;
        }
        let byte_length = self.bytes.len() - byte_offset;
        // Readers count bytes in 32 bits.
        if self.bytes.len() > u32::MAX as usize {
            return Err(too_large(self.bytes.len()));
        }
        let view = self.views.len() as u32;
        self.views.push(BufferView { buffer: 0, byte_offset, byte_length, target });
        self.accessors.push(accessor(view, count));
        Ok(self.accessors.len() as u32 - 1)
    }

    fn push_mesh(&mut self, mesh: &SharedMesh) -> Result<GltfMesh, Error> {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        for position in &mesh.positions {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let rows = mesh.positions.iter().map(|p| p.map(f32::to_le_bytes));
        let position = self.push(ARRAY_BUFFER, rows, |buffer_view, count| Accessor {
            buffer_view,
            component_type: FLOAT,
            count,
            r#type: "VEC3",
            min: Some(low),
            max: Some(high),
        })?;
        let mut primitives = Vec::new();
        for (material, triangles) in &mesh.parts {
            let rows = triangles.iter().map(|t| t.map(u32::to_le_bytes));
            let indices = self.push(ELEMENT_ARRAY_BUFFER, rows, |buffer_view, rows| Accessor {
                buffer_view,
                component_type: UNSIGNED_INT,
                count: 3 * rows,
                r#type: "SCALAR",
                min: None,
                max: None,
            })?;
            self.triangles += triangles.len() as u64;
            let attributes = Attributes { position };
            primitives.push(Primitive { attributes, indices, material: material.checked_sub(1) });
        }
        Ok(GltfMesh { primitives })
    }
}

/// All meshes that have an instance, and the number of each in the file.
fn write_meshes(
    scene: &Scene,
    numbers: &mut Numbers,
) -> Result<(Vec<GltfMesh>, Vec<Option<u32>>), Error> {
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

fn materials(scene: &Scene) -> Vec<GltfMaterial<'_>> {
    let materials = scene.materials().iter().enumerate();
    materials
        .map(|(index, material)| {
            let [r, g, b] = colour(scene, index as u16 + 1);
            GltfMaterial {
                name: &material.name,
                pbr_metallic_roughness: Pbr {
                    base_color_factor: [r, g, b, 1.0],
                    metallic_factor: 0.0,
                    roughness_factor: 1.0,
                },
                double_sided: true,
            }
        })
        .collect()
}

/// The root, then a node for each instance.
fn nodes<'a>(scene: &'a Scene, mesh_numbers: &[Option<u32>], offset_m: DVec3) -> Vec<Node<'a>> {
    let facts = NodeFacts::Root { offset_m: offset_m.to_array(), up: "z" };
    let mut nodes = vec![Node {
        name: "understory",
        matrix: Y_UP_FROM_Z_UP,
        mesh: None,
        children: Vec::new(),
        extras: Extras { understory: facts },
    }];
    for (instance, mesh, world_from_vertices) in instances(scene) {
        let mesh = mesh_numbers.get(mesh.0 as usize).copied().flatten();
        nodes.push(instance_node(scene, instance, mesh, &world_from_vertices, offset_m));
    }
    nodes[0].children = (1..nodes.len() as u32).collect();
    nodes
}

fn instance_node<'a>(
    scene: &'a Scene,
    instance: InstanceId,
    mesh: Option<u32>,
    world_from_vertices: &DAffine3,
    offset_m: DVec3,
) -> Node<'a> {
    let object = scene.object_of(instance);
    let known = scene.objects().get(object.wrapping_sub(1) as usize);
    let label = scene.label_of(object, 0);
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
    let facts = NodeFacts::Instance { object, label, label_name: label_name(label) };
    Node {
        name: known.map_or("object", |object| object.name.as_str()),
        matrix,
        mesh,
        children: Vec::new(),
        extras: Extras { understory: facts },
    }
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
