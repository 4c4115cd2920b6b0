//! Skins of glTF: vertices that follow several joints at once.
//!
//! Linear blend skinning (glTF 2.0, section 3.7.3): a vertex is Σ wᵢ · scene_from_jointᵢ ·
//! joint_from_bindᵢ · v. The transform of the mesh's own node has no part in it.

use super::affine;
use super::gltf_accessor::{Buffer, check_accessor, refuse};
use crate::Error;
use glam::{DAffine3, DVec3};
use gltf::accessor::{DataType, Dimensions};
use gltf::{Primitive, Semantic};
use std::path::Path;

/// The joints of a skin.
pub struct Skin {
    joints: Vec<usize>,
    joint_from_bind: Vec<DAffine3>,
}

/// What moves one vertex: joints of the skin with their weights, which sum up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Influences {
    /// Where the vertices of the mesh begin in `of_vertex`; one more than there are vertices.
    starts: Vec<u32>,
    of_vertex: Vec<(u16, f32)>,
}

impl Influences {
    /// For how many vertices.
    pub fn vertices(&self) -> usize {
        self.starts.len() - 1
    }
}

impl Skin {
    /// Reads the joints of a skin.
    pub fn read(path: &Path, skin: &gltf::Skin, buffers: &[Buffer]) -> Result<Skin, Error> {
        let joints: Vec<usize> = skin.joints().map(|joint| joint.index()).collect();
        let mut joint_from_bind = vec![DAffine3::IDENTITY; joints.len()];
        if let Some(accessor) = skin.inverse_bind_matrices() {
            let matrices =
                accessor.data_type() == DataType::F32 && accessor.dimensions() == Dimensions::Mat4;
            check_accessor(path, &accessor, buffers, matrices, "matrices of floats")?;
            let reader =
                skin.reader(|buffer| buffers.get(buffer.index()).map(|buffer| buffer.as_slice()));
            let read: Vec<DAffine3> =
                reader.read_inverse_bind_matrices().into_iter().flatten().map(affine).collect();
            if read.len() < joints.len() || !read.iter().all(|m| m.is_finite()) {
                let (there, wanted) = (read.len(), joints.len());
                let problem = format!(
                    "skin {} has {there} inverse bind matrices for {wanted} joints, or some that are no numbers",
                    skin.index()
                );
                return Err(refuse(path, problem, "export it again"));
            }
            joint_from_bind.copy_from_slice(&read[..joints.len()]);
        }
        Ok(Skin { joints, joint_from_bind })
    }

    /// Where the vertices are when the nodes are at `scene_from_node`.
    pub fn place(
        &self,
        scene_from_node: &[DAffine3],
        influences: &Influences,
        rest: &[DVec3],
        placed: &mut Vec<DVec3>,
    ) {
        let joints = self.joints.iter().zip(&self.joint_from_bind);
        let scene_from_bind: Vec<DAffine3> =
            joints.map(|(&node, from_bind)| scene_from_node[node] * *from_bind).collect();
        for (vertex, at_rest) in rest.iter().enumerate() {
            let range = influences.starts[vertex] as usize..influences.starts[vertex + 1] as usize;
            let mut at = DVec3::ZERO;
            for (joint, weight) in &influences.of_vertex[range] {
                at += scene_from_bind[*joint as usize].transform_point3(*at_rest)
                    * f64::from(*weight);
            }
            placed.push(at);
        }
    }

    /// Reads which joints move the vertices of a primitive.
    pub fn influences(
        &self,
        path: &Path,
        primitive: &Primitive,
        buffers: &[Buffer],
        vertices: usize,
    ) -> Result<Influences, Error> {
        let mut all: Vec<Vec<(u16, f32)>> = vec![Vec::new(); vertices];
        let reader =
            primitive.reader(|buffer| buffers.get(buffer.index()).map(|buffer| buffer.as_slice()));
        for set in 0.. {
            let (joints, weights) = (Semantic::Joints(set), Semantic::Weights(set));
            let (Some(joints), Some(weights)) = (primitive.get(&joints), primitive.get(&weights))
            else {
                break;
            };
            let whole = matches!(joints.data_type(), DataType::U8 | DataType::U16);
            let share = matches!(weights.data_type(), DataType::U8 | DataType::U16 | DataType::F32);
            for (accessor, right) in [(&joints, whole), (&weights, share)] {
                let right = right && accessor.dimensions() == Dimensions::Vec4;
                check_accessor(path, accessor, buffers, right, "four joints or weights")?;
            }
            let (Some(joints), Some(weights)) = (reader.read_joints(set), reader.read_weights(set))
            else {
                break;
            };
            let pairs = joints.into_u16().zip(weights.into_f32());
            for (vertex, (joints, weights)) in all.iter_mut().zip(pairs) {
                let used = joints.into_iter().zip(weights).filter(|(_, weight)| *weight != 0.0);
                vertex.extend(used);
            }
        }
        let mut influences = Influences { starts: vec![0], of_vertex: Vec::new() };
        for (index, mut vertex) in all.into_iter().enumerate() {
            let sum: f64 = vertex.iter().map(|(_, weight)| f64::from(*weight)).sum();
            let valid = |&(joint, weight): &(u16, f32)| {
                usize::from(joint) < self.joints.len() && weight > 0.0 && weight.is_finite()
            };
            if vertex.is_empty() || !vertex.iter().all(valid) || !sum.is_finite() {
                let problem = format!(
                    "vertex {index} of a skin has no weights, or weights for joints that are not there"
                );
                return Err(refuse(path, problem, "bind it to its joints and export it again"));
            }
            vertex.iter_mut().for_each(|(_, weight)| *weight = (f64::from(*weight) / sum) as f32);
            influences.of_vertex.append(&mut vertex);
            influences.starts.push(influences.of_vertex.len() as u32);
        }
        Ok(influences)
    }
}
