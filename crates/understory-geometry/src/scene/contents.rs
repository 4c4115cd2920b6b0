//! Meshes and instances of a scene given back, for programs that show or save them.
//!
//! The tracer keeps each triangle as a vertex and two edges; corners are put together from those
//! and may differ from the mesh that was given by the last bit of f32.

use super::RayScene;
use crate::{InstanceId, MeshId};
use glam::{DAffine3, Vec3};

impl RayScene {
    /// Number of meshes.
    pub fn mesh_count(&self) -> usize {
        self.meshes.trees.len()
    }

    /// How many triangles a mesh has; 0 for a mesh that the scene does not have.
    pub fn triangle_count(&self, mesh: MeshId) -> usize {
        self.meshes.trees.get(mesh.0 as usize).map_or(0, |tree| tree.triangle_count)
    }

    /// Corners of all triangles of a mesh in the order in which the triangles were given, each in
    /// its sense but begun at any corner, in the mesh's f32 frame; empty for a mesh that the scene
    /// does not have.
    pub fn triangle_corners(&self, mesh: MeshId) -> Vec<[Vec3; 3]> {
        let Some(tree) = self.meshes.trees.get(mesh.0 as usize) else { return Vec::new() };
        let mut corners = vec![[Vec3::ZERO; 3]; tree.triangle_count];
        for pack in &tree.packs {
            for (slot, &triangle) in pack.triangle.iter().enumerate() {
                let [vertex, edge1, edge2] =
                    pack.vertex_and_edges(slot).map(|vector| vector.as_vec3());
                // A triangle that the builder has split is in several packs, the same in all.
                corners[triangle as usize] = [vertex, vertex + edge1, vertex + edge2];
            }
        }
        corners
    }

    /// The mesh that an instance shows, and the transform from the mesh's f32 frame to the world, of
    /// what moves at the time 0.
    pub fn instance(&self, instance: InstanceId) -> Option<(MeshId, DAffine3)> {
        let number = instance.0 as usize;
        let Some(standing) = self.instances.get(number) else {
            let mover = self.movers.get(number - self.instances.len())?;
            let (mesh, mut place) = mover.motion.at(0.0);
            place.translation = place.transform_point3(self.meshes.trees[mesh.0 as usize].origin);
            return Some((mesh, place));
        };
        let world_from_vertices =
            DAffine3 { matrix3: standing.world_from_mesh, translation: standing.translation };
        Some((MeshId(standing.mesh), world_from_vertices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Edges, RaySceneBuilder, TriangleMesh};
    use glam::DVec3;

    #[test]
    fn what_was_given_comes_back() {
        // Long thin triangles, which the builder cuts into several boxes.
        let positions: Vec<DVec3> = (0..300)
            .map(|i| {
                let i = f64::from(i);
                DVec3::new(500_000.0 + (i * 7.3).sin() * 50.0, (i * 3.1).cos() * 50.0, i * 0.1)
            })
            .collect();
        let triangles: Vec<[u32; 3]> = (0..298).map(|i| [i, i + 1, i + 2]).collect();
        let mesh = TriangleMesh::new(&positions, triangles.clone()).unwrap();
        let mut builder = RaySceneBuilder::default();
        let id = builder.add_mesh(&mesh, Edges::Closed).unwrap();
        let turn = DAffine3::from_rotation_z(0.3) * DAffine3::from_scale(DVec3::splat(2.0));
        builder.add_instance(id, turn).unwrap();
        let scene = builder.build();
        assert_eq!((scene.mesh_count(), scene.triangle_count(id)), (1, 298));
        let (shown, world_from_vertices) = scene.instance(InstanceId(0)).unwrap();
        assert_eq!(shown, id);
        for (corners, given) in scene.triangle_corners(id).iter().zip(&triangles) {
            let world = corners.map(|c| world_from_vertices.transform_point3(c.as_dvec3()));
            let wanted = given.map(|index| turn.transform_point3(positions[index as usize]));
            let begun_at =
                |first: usize| (0..3).all(|k| world[k].distance(wanted[(first + k) % 3]) < 4e-5);
            assert!((0..3).any(begun_at), "{world:?} is not {wanted:?}");
        }
        assert!(scene.triangle_corners(MeshId(7)).is_empty());
        assert!(scene.instance(InstanceId(1)).is_none());
    }
}
