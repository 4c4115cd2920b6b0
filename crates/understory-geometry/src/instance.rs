//! A mesh placed in the world.

use crate::{GeometryError, MeshId};
use glam::{DAffine3, DMat3, DVec3};

/// An instance of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A placed mesh: its f32 vertices stand around `translation`.
#[derive(Clone, Copy)]
pub(crate) struct Instance {
    pub mesh: u32,
    pub world_from_mesh: DMat3,
    pub mesh_from_world: DMat3,
    pub translation: DVec3,
}

impl Instance {
    pub fn new(
        number: usize,
        mesh: MeshId,
        mesh_origin: DVec3,
        world_from_mesh: DAffine3,
    ) -> Result<Instance, GeometryError> {
        let linear = world_from_mesh.matrix3;
        let determinant = linear.determinant();
        let inverse = linear.inverse();
        let invertible = determinant.is_normal() && inverse.is_finite();
        // In f32 the inverse must neither vanish nor overflow.
        let traceable = inverse.to_cols_array().iter().all(|x| x.abs() < 1e15);
        if !world_from_mesh.is_finite() || !invertible || !traceable {
            return Err(GeometryError::SingularTransform { instance: number, determinant });
        }
        Ok(Instance {
            mesh: mesh.0,
            world_from_mesh: linear,
            mesh_from_world: inverse,
            translation: world_from_mesh.transform_point3(mesh_origin),
        })
    }
}
