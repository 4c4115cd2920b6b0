//! glTF 2.0 and GLB: triangles of all nodes of the default scene, under their transforms.
//!
//! Buffers come from the GLB itself, from `data:` addresses and from files beside the scene.
//! Accessors are checked against their buffers before they are read. Not read, and said so:
//! sparse accessors, compressed meshes. Skins and morph targets stay at rest; for what moves see
//! `gltf_animation`.

use super::gltf_accessor::{check_accessor, refuse};
use super::gltf_nodes::node_order;
use super::{FileMaterial, MeshFile, affine, read_bytes};
use crate::Error;
use glam::{DAffine3, DVec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use gltf::{Gltf, Primitive};
use std::path::{Path, PathBuf};

pub fn read(path: &Path, bytes: &[u8]) -> Result<MeshFile, Error> {
    check_binary_header(path, bytes)?;
    let gltf = parse(path, bytes)?;
    let buffers = read_buffers(path, &gltf)?;
    let count = gltf.document.materials().len();
    if count >= u16::MAX as usize {
        return Err(refuse(path, format!("the file has {count} materials"), "merge those alike"));
    }
    let mut materials: Vec<FileMaterial> = gltf.document.materials().map(file_material).collect();
    // Slot for primitives that name no material.
    materials.push(FileMaterial::default());
    let side_files = gltf.document.buffers().filter_map(|buffer| side_file(&buffer)).collect();
    let mut mesh = MeshFile { materials, side_files, ..MeshFile::default() };

    let nodes: Vec<gltf::Node> = gltf.document.nodes().collect();
    let mut scene_from_node = vec![DAffine3::IDENTITY; nodes.len()];
    for (index, parent) in node_order(path, &gltf)? {
        let node = &nodes[index];
        let scene_from_parent = parent.map_or(DAffine3::IDENTITY, |at| scene_from_node[at]);
        scene_from_node[index] = scene_from_parent * affine(node.transform().matrix());
        for primitive in node.mesh().into_iter().flat_map(|mesh| mesh.primitives()) {
            append(path, &mut mesh, &buffers, &primitive, &scene_from_node[index])?;
        }
    }
    Ok(mesh)
}

pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<Gltf, Error> {
    let unreadable = |error: gltf::Error| {
        let problem = format!("the glTF cannot be read: {error}").replace('\n', " ");
        refuse(path, problem, "export or copy the file again")
    };
    let Gltf { document, blob } = Gltf::from_slice_without_validation(bytes).map_err(unreadable)?;
    // The validation that follows indexes by the accessors of positions before it checks them.
    let json = document.into_json();
    let primitives = json.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let accessors = primitives.flat_map(|primitive| primitive.attributes.values());
    let there = json.accessors.len();
    if let Some(index) = accessors.map(|a| a.value()).find(|&index| index >= there) {
        let problem = format!("a primitive names accessor {index}, but there are {there}");
        return Err(refuse(path, problem, "export or copy the file again"));
    }
    Ok(Gltf { document: gltf::Document::from_json(json).map_err(unreadable)?, blob })
}

pub(super) fn file_material(material: gltf::Material) -> FileMaterial {
    let [r, g, b, _] = material.pbr_metallic_roughness().base_color_factor();
    let name = material.name().unwrap_or_default().to_owned();
    FileMaterial { name, colour: Some([r, g, b]) }
}

pub(super) fn append(
    path: &Path,
    mesh: &mut MeshFile,
    buffers: &[Vec<u8>],
    primitive: &Primitive,
    scene_from_node: &DAffine3,
) -> Result<(), Error> {
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
    let reader = primitive.reader(|buffer| buffers.get(buffer.index()).map(Vec::as_slice));
    let vertices = reader.read_positions().into_iter().flatten();
    let vertices = vertices.map(|p| DVec3::new(p[0] as f64, p[1] as f64, p[2] as f64));
    let first = mesh.push_positions(path, vertices, scene_from_node)?;
    let here = mesh.positions.len() as u32 - first;
    let corners: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..here).collect(),
    };
    if let Some(index) = corners.iter().find(|&&index| index >= here) {
        let problem = format!("a triangle names vertex {index} of {here}");
        return Err(refuse(path, problem, "repair its indices"));
    }
    let unnamed = mesh.materials.len() - 1;
    let material = primitive.material().index().unwrap_or(unnamed) as u16;
    let before = mesh.triangles.len();
    let at = |i: usize| first + corners[i];
    let triangles = match primitive.mode() {
        Mode::Triangles => corners.len() / 3,
        _ => corners.len().saturating_sub(2),
    };
    mesh.triangles.extend((0..triangles).map(|t| match primitive.mode() {
        Mode::Triangles => [at(3 * t), at(3 * t + 1), at(3 * t + 2)],
        // Every second triangle of a strip runs the other way round.
        Mode::TriangleStrip => [at(t), at(t + 1 + t % 2), at(t + 2 - t % 2)],
        _ => [at(0), at(t + 1), at(t + 2)],
    }));
    mesh.triangle_material.extend((before..mesh.triangles.len()).map(|_| material));
    Ok(())
}

pub(super) fn read_buffers(path: &Path, gltf: &Gltf) -> Result<Vec<Vec<u8>>, Error> {
    let mut buffers = Vec::new();
    for buffer in gltf.document.buffers() {
        let index = buffer.index();
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => gltf.blob.clone(),
            gltf::buffer::Source::Uri(uri) => match (uri.strip_prefix("data:"), side_file(&buffer))
            {
                (Some(data), _) => data.split_once(";base64,").and_then(|(_, text)| base64(text)),
                (None, None) => None,
                (None, Some(name)) => {
                    Some(read_bytes(&path.parent().unwrap_or(Path::new("")).join(name))?)
                }
            },
        };
        let bytes = bytes.ok_or_else(|| {
            let problem = format!("the data of buffer {index} are missing or of an unknown kind");
            refuse(path, problem, "export with the buffers in the file or beside it")
        })?;
        if bytes.len() < buffer.length() {
            let (promised, there) = (buffer.length(), bytes.len());
            let problem = format!("buffer {index} promises {promised} bytes, but has {there}");
            let remedy = "the file is cut off or damaged: export or copy it again";
            return Err(refuse(path, problem, remedy));
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// The file beside the scene that holds a buffer, if one does.
fn side_file(buffer: &gltf::Buffer) -> Option<PathBuf> {
    match buffer.source() {
        gltf::buffer::Source::Uri(uri) if !uri.starts_with("data:") && !uri.contains("://") => {
            Some(percent_decoded(uri).into())
        }
        _ => None,
    }
}

/// The length in a GLB's header, which is trusted further on.
pub(super) fn check_binary_header(path: &Path, bytes: &[u8]) -> Result<(), Error> {
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

/// RFC 4648, with or without padding; `None` if any letter is foreign.
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut bits, mut held) = (0u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let six = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        (bits, held) = (bits << 6 | six as u32, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Some(bytes)
}

/// `%20` and its like as the characters that they stand for.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = (bytes[i] == b'%').then(|| uri.get(i + 1..i + 3)).flatten();
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                decoded.push(byte);
                i += 3;
            }
            None => {
                decoded.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}
