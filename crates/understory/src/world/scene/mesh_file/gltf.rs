//! glTF 2.0 and GLB: triangles of all nodes of the default scene, under their transforms.
//!
//! Buffers come from the GLB itself, from `data:` addresses and from files beside the scene.
//! Accessors are checked against their buffers before they are read. Not read, and said so:
//! sparse accessors, compressed meshes. Skins and morph targets stay at rest; for what moves see
//! `gltf_animation`.

use super::gltf_accessor::{Buffer, check_accessor, refuse};
use super::gltf_alpha::{AlphaReader, ImageCoordinates};
use super::gltf_buffers::{MeshSize, VertexStarts, read_buffers, side_file};
use super::gltf_extensions::check_required;
use super::gltf_instancing::{self, COPIES_MAX};
use super::gltf_nodes::node_order;
use super::gltf_objects::NodeObjects;
use super::parts::{MeshPart, MeshParts, PartMesh};
use super::{FileMaterial, affine};
use crate::Error;
use glam::{DAffine3, DVec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::json::validation::Checked;
use gltf::mesh::Mode;
use gltf::{Gltf, Primitive};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A file with all that its meshes are made of.
pub struct GltfFile<'a> {
    pub path: &'a Path,
    pub gltf: Gltf,
    pub buffers: Vec<Buffer>,
    /// Its materials, and one for primitives that name none.
    pub materials: Vec<FileMaterial>,
    /// How the images of masked materials lie on triangles, by material.
    coordinates: Vec<Option<ImageCoordinates>>,
    /// Whether any material has holes.
    masked: bool,
    side_files: Vec<PathBuf>,
}

/// Reads the file as its parts, in its own unit and frame.
pub fn read_parts(path: &Path, bytes: &[u8]) -> Result<MeshParts, Error> {
    let file = GltfFile::open(path, bytes)?;
    let nodes: Vec<gltf::Node> = file.gltf.document.nodes().collect();
    let mut scene_from_node = vec![DAffine3::IDENTITY; nodes.len()];
    let order = node_order(path, &file.gltf)?;
    let objects = NodeObjects::of(path, &file.gltf, &order);
    let mut parts = MeshParts::default();
    let mut mesh_numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut copies, mut instanced) = (0, 0);
    let mut size = MeshSize::of_buffers(&file.buffers);
    for (index, parent) in order {
        let node = &nodes[index];
        let scene_from_parent = parent.map_or(DAffine3::IDENTITY, |at| scene_from_node[at]);
        scene_from_node[index] = scene_from_parent * affine(node.transform().matrix());
        let (Some(mesh), Some(object)) = (node.mesh(), objects.of_node[index]) else { continue };
        let number = match mesh_numbers.get(&mesh.index()) {
            Some(number) => *number,
            None => {
                let (mut read, mut starts) = (PartMesh::default(), VertexStarts::new());
                for primitive in mesh.primitives() {
                    let place = DAffine3::IDENTITY;
                    file.append(&mut read, &mut starts, &mut size, &primitive, &place)?;
                }
                mesh_numbers.insert(mesh.index(), parts.meshes.len());
                parts.meshes.push(read);
                parts.meshes.len() - 1
            }
        };
        if parts.meshes[number].triangles.is_empty() {
            continue;
        }
        let here = scene_from_node[index];
        let places = match file.copies(node)? {
            None => vec![here],
            Some(own) => {
                parts.has_copies = true;
                instanced += own.len();
                let most = gltf_instancing::copies_max(&file.buffers);
                if instanced > most {
                    return Err(gltf_instancing::shared(path, most));
                }
                own.into_iter().map(|node_from_copy| here * node_from_copy).collect()
            }
        };
        copies += places.len();
        if copies > COPIES_MAX {
            return Err(gltf_instancing::too_many(path));
        }
        parts.parts.push(MeshPart { object, mesh: number, places });
    }
    let NodeObjects { nodes, objects, .. } = objects;
    parts.nodes = nodes;
    parts.objects = objects;
    parts.keep_what_is_seen(path)?;
    (parts.materials, parts.side_files) = (file.materials, file.side_files);
    Ok(parts)
}

impl<'a> GltfFile<'a> {
    /// Checks what a file promises and reads its buffers and masks.
    pub fn open(path: &'a Path, bytes: &[u8]) -> Result<GltfFile<'a>, Error> {
        check_binary_header(path, bytes)?;
        let mut gltf = parse(path, bytes)?;
        let buffers = read_buffers(path, &mut gltf)?;
        let count = gltf.document.materials().len();
        if count >= u16::MAX as usize {
            let problem = format!("the file has {count} materials");
            return Err(refuse(path, problem, "merge those alike"));
        }
        let mut side_files: Vec<PathBuf> =
            gltf.document.buffers().filter_map(|buffer| side_file(&buffer)).collect();
        let mut alpha = AlphaReader::new(path, &gltf, &buffers);
        let masks = alpha.materials()?;
        side_files.append(&mut alpha.side_files);
        let mut materials = Vec::with_capacity(count + 1);
        let mut coordinates = Vec::with_capacity(count + 1);
        for (material, mask) in gltf.document.materials().zip(masks) {
            let mut material = file_material(material);
            coordinates.push(mask.as_ref().and_then(|mask| mask.coordinates));
            material.alpha = mask.map(|mask| mask.image);
            materials.push(material);
        }
        // Slot for primitives that name no material.
        materials.push(FileMaterial::default());
        coordinates.push(None);
        let masked = materials.iter().any(|material| material.alpha.is_some());
        Ok(GltfFile { path, gltf, buffers, materials, coordinates, masked, side_files })
    }

    /// `node_from_copy` of the copies of a node, where it has any.
    pub fn copies(&self, node: &gltf::Node) -> Result<Option<Vec<DAffine3>>, Error> {
        gltf_instancing::copies(self.path, &self.gltf, &self.buffers, node)
    }

    /// Appends a primitive to a mesh; vertices that `starts` knows are there already.
    pub fn append(
        &self,
        mesh: &mut PartMesh,
        starts: &mut VertexStarts,
        size: &mut MeshSize,
        primitive: &Primitive,
        mesh_from_primitive: &DAffine3,
    ) -> Result<(), Error> {
        let (path, buffers) = (self.path, self.buffers.as_slice());
        if !matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan) {
            return Ok(());
        }
        let Some(positions) = primitive.get(&gltf::Semantic::Positions) else {
            return Err(refuse(
                path,
                "a primitive has no positions".into(),
                "export it without mesh compression",
            ));
        };
        let three_floats =
            positions.data_type() == DataType::F32 && positions.dimensions() == Dimensions::Vec3;
        check_accessor(path, &positions, buffers, three_floats, "three floats")?;
        if let Some(indices) = primitive.indices() {
            let whole = matches!(indices.data_type(), DataType::U8 | DataType::U16 | DataType::U32)
                && indices.dimensions() == Dimensions::Scalar;
            check_accessor(path, &indices, buffers, whole, "unsigned whole numbers")?;
        }
        let here = positions.count();
        let known = starts.get(&positions.index()).copied();
        let first = known.unwrap_or(mesh.positions.len());
        let corner_count = primitive.indices().map_or(here, |indices| indices.count());
        let vertex_count = if known.is_some() { 0 } else { here };
        size.add(path, vertex_count.saturating_add(corner_count))?;
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(|b| b.as_slice()));
        if known.is_none() {
            let vertices = reader.read_positions().into_iter().flatten();
            let vertices = vertices.map(|p| DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64));
            mesh.positions.extend(vertices.map(|p| mesh_from_primitive.transform_point3(p)));
            starts.insert(positions.index(), first);
        }
        let (first, here) = (first as u32, here as u32);
        let corners: Vec<u32> = match reader.read_indices() {
            Some(indices) => indices.into_u32().collect(),
            None => (0..here).collect(),
        };
        if let Some(index) = corners.iter().find(|&&index| index >= here) {
            let problem = format!("a triangle names vertex {index} of {here}");
            return Err(refuse(path, problem, "repair its indices"));
        }
        let unnamed = self.materials.len() - 1;
        let material = primitive.material().index().unwrap_or(unnamed);
        let triangles = match primitive.mode() {
            Mode::Triangles => corners.len() / 3,
            _ => corners.len().saturating_sub(2),
        };
        let corners_of = |t: usize| match primitive.mode() {
            Mode::Triangles => [3 * t, 3 * t + 1, 3 * t + 2],
            // Every second triangle of a strip runs the other way round.
            Mode::TriangleStrip => [t, t + 1 + t % 2, t + 2 - t % 2],
            _ => [0, t + 1, t + 2],
        };
        let own = |t: usize| corners_of(t).map(|corner| corners[corner]);
        mesh.triangles.extend((0..triangles).map(|t| own(t).map(|index| first + index)));
        mesh.triangle_material.extend((0..triangles).map(|_| material as u16));
        if self.masked {
            let uv = self.image_coordinates(primitive, material, here as usize)?;
            let at = |index: u32| uv.get(index as usize).copied().unwrap_or([0.0; 2]);
            mesh.corner_uv.extend((0..triangles).map(|t| own(t).map(at)));
        }
        Ok(())
    }

    /// Where the image of a masked material is read at each vertex; empty where it needs none.
    fn image_coordinates(
        &self,
        primitive: &Primitive,
        material: usize,
        vertices: usize,
    ) -> Result<Vec<[f32; 2]>, Error> {
        let Some(coordinates) = self.coordinates.get(material).copied().flatten() else {
            return Ok(Vec::new());
        };
        let set = coordinates.set;
        let Some(accessor) = primitive.get(&gltf::Semantic::TexCoords(set)) else {
            let problem = format!("a primitive with a masked material has no TEXCOORD_{set}");
            let remedy = "export it with image coordinates, or its material without a mask";
            return Err(refuse(self.path, problem, remedy));
        };
        let right = matches!(accessor.data_type(), DataType::F32 | DataType::U8 | DataType::U16)
            && accessor.dimensions() == Dimensions::Vec2;
        check_accessor(self.path, &accessor, &self.buffers, right, "image coordinates")?;
        if accessor.count() != vertices {
            let count = accessor.count();
            let problem = format!("{vertices} vertices have {count} image coordinates");
            return Err(refuse(self.path, problem, "export the file again"));
        }
        let buffers = &self.buffers;
        let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(|b| b.as_slice()));
        let read = reader.read_tex_coords(set).map(|read| read.into_f32());
        Ok(read.into_iter().flatten().map(|uv| coordinates.place(uv)).collect())
    }
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Gltf, Error> {
    let unreadable = |error: gltf::Error| {
        let said = error.to_string().replace('\n', " ");
        let problem = format!("the glTF cannot be read: {}", said.trim_end_matches([';', ' ']));
        refuse(path, problem, "export or copy the file again")
    };
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(unreadable)?;
    // The validation that follows indexes by the accessors of positions before it checks them.
    let mut json = document.into_json();
    check_required(path, &json.extensions_required)?;
    // It knows fewer extensions than are read.
    json.extensions_required.clear();
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let accessors = primitives.flat_map(|primitive| primitive.attributes.values());
    let there = json.accessors.len();
    if let Some(index) = accessors.map(|a| a.value()).find(|&index| index >= there) {
        let problem = format!("a primitive names accessor {index}, but there are {there}");
        return Err(refuse(path, problem, "export or copy the file again"));
    }
    check_animations(path, &json)?;
    Ok(Gltf { document: gltf::Document::from_json(json).map_err(unreadable)?, blob })
}

/// What the validation leaves out: what channels of animations move, and by what.
fn check_animations(path: &Path, json: &gltf::json::Root) -> Result<(), Error> {
    let (nodes, accessors) = (json.nodes.len(), json.accessors.len());
    for (number, animation) in json.animations.iter().enumerate() {
        let samplers = animation.samplers.len();
        let knows = |channel: &gltf::json::animation::Channel| {
            let is_property = matches!(channel.target.path, Checked::Valid(_));
            is_property && channel.target.node.value() < nodes && channel.sampler.value() < samplers
        };
        let is_there = |sampler: &gltf::json::animation::Sampler| {
            let is_known = matches!(sampler.interpolation, Checked::Valid(_));
            is_known && sampler.input.value() < accessors && sampler.output.value() < accessors
        };
        if !animation.channels.iter().all(knows) || !animation.samplers.iter().all(is_there) {
            let problem = format!("animation {number} names something that is not there");
            return Err(refuse(path, problem, "export or copy the file again"));
        }
    }
    Ok(())
}

fn file_material(material: gltf::Material) -> FileMaterial {
    let [r, g, b, _] = material.pbr_metallic_roughness().base_color_factor();
    let name = material.name().unwrap_or_default().to_owned();
    FileMaterial { name, colour: Some([r, g, b]), alpha: None }
}

/// The length in a GLB's header, which is trusted further on.
fn check_binary_header(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    if !bytes.starts_with(b"glTF") {
        return Ok(());
    }
    let length = bytes.get(8..12).and_then(|length| length.first_chunk::<4>());
    let length = length.map_or(0, |length| u32::from_le_bytes(*length) as usize);
    if length < 20 || length > bytes.len() {
        return Err(Error::invalid(
            format!("{}, byte 8", path.display()),
            format!("the header promises {length} bytes, but the file has {}", bytes.len()),
            "the file is cut off or damaged: export or copy it again",
        ));
    }
    Ok(())
}
