//! Meshes, their instances, and the tree over both.

use crate::{Edges, GeometryError, PulseRays, RayHit, SurfacePoint, TriangleMesh};
use glam::{DAffine3, DVec3, Vec3};

/// A mesh of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MeshId(pub u32);

/// An instance of a scene, numbered from 0 in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// Collects meshes and instances for a [`RayScene`].
#[derive(Default)]
pub struct RaySceneBuilder {
    meshes: Vec<(TriangleMesh, Edges)>,
    instances: Vec<(MeshId, DAffine3)>,
}

impl RaySceneBuilder {
    /// Adds a mesh; it is not seen before it has an instance.
    pub fn add_mesh(&mut self, mesh: TriangleMesh, edges: Edges) -> Result<MeshId, GeometryError> {
        self.meshes.push((mesh, edges));
        Ok(MeshId(self.meshes.len() as u32 - 1))
    }

    /// Places a mesh in the world.
    pub fn add_instance(
        &mut self,
        mesh: MeshId,
        world_from_mesh: DAffine3,
    ) -> Result<InstanceId, GeometryError> {
        let instance = self.instances.len();
        let meshes = self.meshes.len();
        if mesh.0 as usize >= meshes {
            return Err(GeometryError::UnknownMesh { instance, mesh: mesh.0 as usize, meshes });
        }
        let determinant = world_from_mesh.matrix3.determinant();
        if !world_from_mesh.is_finite() || !determinant.is_normal() {
            return Err(GeometryError::SingularTransform { instance, determinant });
        }
        self.instances.push((mesh, world_from_mesh));
        Ok(InstanceId(instance as u32))
    }

    /// Builds the trees.
    pub fn build(self) -> Result<RayScene, GeometryError> {
        Ok(RayScene { meshes: self.meshes, instances: self.instances })
    }
}

/// Everything that rays can meet, ready to be traced by any number of threads.
pub struct RayScene {
    meshes: Vec<(TriangleMesh, Edges)>,
    instances: Vec<(MeshId, DAffine3)>,
}

impl RayScene {
    /// Nearest hit of each ray of a pulse, in `hits[..pulse.directions.len()]`.
    pub fn trace_pulse(&self, pulse: &PulseRays, hits: &mut [Option<RayHit>]) {
        for (lane, (direction, hit)) in pulse.directions.iter().zip(hits).enumerate() {
            let offset = pulse.origin_offsets.get(lane).copied().unwrap_or(Vec3::ZERO);
            *hit = self.trace_ray(pulse.origin + offset.as_dvec3(), *direction, pulse.t_max);
        }
    }

    /// Nearest hit of one ray.
    pub fn trace_ray(&self, origin: DVec3, direction: Vec3, t_max: f32) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        for (i, (mesh, world_from_mesh)) in self.instances.iter().enumerate() {
            let t_max = best.map_or(t_max, |b| b.t);
            let found = crate::nearest_hit_by_brute_force(
                &self.meshes[mesh.0 as usize].0,
                *world_from_mesh,
                origin,
                direction.as_dvec3(),
                t_max as f64,
            );
            if let Some((t, triangle)) = found {
                best = Some(RayHit { t: t as f32, instance: InstanceId(i as u32), triangle });
            }
        }
        best
    }

    /// Works out a hit in f64: `origin` and `direction` are those of the ray that hit.
    pub fn surface_point(&self, hit: &RayHit, origin: DVec3, direction: DVec3) -> SurfacePoint {
        let (mesh, world_from_mesh) = self.instances[hit.instance.0 as usize];
        let geometry = &self.meshes[mesh.0 as usize].0;
        let corners = geometry.triangles()[hit.triangle as usize].map(|v| {
            let local = Vec3::from(geometry.positions()[v as usize]).as_dvec3();
            world_from_mesh.transform_point3(local + geometry.origin())
        });
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let facing = normal.dot(direction);
        let t = if facing == 0.0 { hit.t as f64 } else { normal.dot(corners[0] - origin) / facing };
        SurfacePoint { t, normal: if facing > 0.0 { -normal } else { normal }, mesh }
    }

    /// Number of instances.
    pub fn instance_count(&self) -> usize {
        self.instances.len()
    }

    /// Triangles counted once per instance.
    pub fn effective_triangles(&self) -> u64 {
        let triangles = |mesh: MeshId| self.meshes[mesh.0 as usize].0.triangles().len() as u64;
        self.instances.iter().map(|(mesh, _)| triangles(*mesh)).sum()
    }

    /// Bytes held by meshes, instances and trees.
    pub fn memory_bytes(&self) -> usize {
        self.meshes.iter().map(|(m, _)| m.positions().len() * 12 + m.triangles().len() * 12).sum()
    }
}
