//! Copies of a node by `EXT_mesh_gpu_instancing`: the attributes of a node enter, a transform for
//! each copy in the node's frame leaves.

use super::gltf_accessor::{Buffer, check_accessor, refuse};
use super::gltf_buffers::own_bytes;
use crate::Error;
use glam::{DAffine3, DQuat, DVec3, DVec4};
use gltf::Gltf;
use gltf::accessor::{DataType, Dimensions, Iter};
use serde_json::Value;
use std::path::Path;

/// The extension.
pub const NAME: &str = "EXT_mesh_gpu_instancing";

/// Most copies that all nodes of a file may have.
pub const COPIES_MAX: usize = 10_000_000;

/// `node_from_copy` of each copy; none: the node has no copies.
pub fn copies(
    path: &Path,
    gltf: &Gltf,
    buffers: &[Buffer],
    node: &gltf::Node,
) -> Result<Option<Vec<DAffine3>>, Error> {
    let Some(extension) = node.extension_value(NAME) else { return Ok(None) };
    let index = node.index();
    let bad = |problem: &str| {
        refuse(path, format!("the copies of node {index} {problem}"), "export the file again")
    };
    let attributes = extension.get("attributes").and_then(Value::as_object);
    let attributes = attributes.ok_or_else(|| bad("have no attributes"))?;
    let accessor = |name: &str| match attributes.get(name) {
        None => Ok(None),
        Some(number) => {
            let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
            let found = number.and_then(|number| gltf.document.accessors().nth(number));
            found.map(Some).ok_or_else(|| bad("name an accessor that is not there"))
        }
    };
    let [moves, turns, scales] = ["TRANSLATION", "ROTATION", "SCALE"].map(accessor);
    let (moves, turns, scales) = (moves?, turns?, scales?);
    let counts = [&moves, &turns, &scales].map(|accessor| accessor.as_ref().map(|a| a.count()));
    let mut counts = counts.into_iter().flatten();
    let count = counts.next().ok_or_else(|| bad("have no translation, rotation or scale"))?;
    if counts.any(|other| other != count) {
        return Err(bad("have attributes of different lengths"));
    }
    if count > COPIES_MAX {
        return Err(too_many(path));
    }
    let data = |buffer: gltf::Buffer| buffers.get(buffer.index()).map(|buffer| buffer.as_slice());
    let vectors = |accessor: Option<gltf::Accessor>, rest: DVec3| -> Result<Vec<DVec3>, Error> {
        let Some(accessor) = accessor else { return Ok(vec![rest; count]) };
        let right =
            accessor.data_type() == DataType::F32 && accessor.dimensions() == Dimensions::Vec3;
        check_accessor(path, &accessor, buffers, right, "three floats")?;
        let values = Iter::<[f32; 3]>::new(accessor, data).into_iter().flatten();
        Ok(values.map(|v| DVec3::from_array(v.map(f64::from))).collect())
    };
    let (moves, scales) = (vectors(moves, DVec3::ZERO)?, vectors(scales, DVec3::ONE)?);
    let turns = match turns {
        None => vec![DQuat::IDENTITY; count],
        Some(accessor) => rotations(path, buffers, accessor)?,
    };
    let copies: Vec<DAffine3> = moves
        .iter()
        .zip(&turns)
        .zip(&scales)
        .map(|((at, turn), scale)| DAffine3::from_scale_rotation_translation(*scale, *turn, *at))
        .collect();
    match copies.len() == count && copies.iter().all(|copy| copy.is_finite()) {
        true => Ok(Some(copies)),
        false => Err(bad("are no finite transforms")),
    }
}

/// Most copies by this extension: an honest file has twelve bytes for each, or four, and few nodes that
/// share them.
pub fn copies_max(buffers: &[Buffer]) -> usize {
    own_bytes(buffers).saturating_add(1 << 16).min(COPIES_MAX)
}

/// A file that names the same copies again and again.
pub fn shared(path: &Path, most: usize) -> Error {
    let problem = format!(
        "its nodes have more than {most} copies, which its bytes can only hold if they are shared many times"
    );
    refuse(path, problem, "split the file, or export each node with copies of its own")
}

/// A file with more copies than are read.
pub fn too_many(path: &Path) -> Error {
    let problem = format!("its nodes have more than {COPIES_MAX} copies");
    refuse(path, problem, "split the file")
}

fn rotations(
    path: &Path,
    buffers: &[Buffer],
    accessor: gltf::Accessor,
) -> Result<Vec<DQuat>, Error> {
    let kind = accessor.data_type();
    let right = matches!(kind, DataType::F32 | DataType::I16 | DataType::I8)
        && accessor.dimensions() == Dimensions::Vec4;
    check_accessor(path, &accessor, buffers, right, "rotations")?;
    let data = |buffer: gltf::Buffer| buffers.get(buffer.index()).map(|buffer| buffer.as_slice());
    let unit = |v: [f64; 4]| {
        DVec4::from_array(v).try_normalize().map_or(DQuat::IDENTITY, DQuat::from_vec4)
    };
    Ok(match kind {
        DataType::I16 => Iter::<[i16; 4]>::new(accessor, data)
            .into_iter()
            .flatten()
            .map(|q| unit(q.map(|x| (f64::from(x) / 32767.0).max(-1.0))))
            .collect(),
        DataType::I8 => Iter::<[i8; 4]>::new(accessor, data)
            .into_iter()
            .flatten()
            .map(|q| unit(q.map(|x| (f64::from(x) / 127.0).max(-1.0))))
            .collect(),
        _ => Iter::<[f32; 4]>::new(accessor, data)
            .into_iter()
            .flatten()
            .map(|q| unit(q.map(f64::from)))
            .collect(),
    })
}
