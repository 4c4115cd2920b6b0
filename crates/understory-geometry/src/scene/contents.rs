//! Meshes and instances of a scene given back, for programs that show or save them.
//!
//! The tracer keeps each triangle as a vertex and two edges; corners are put together from those
//! and may differ from the mesh that was given by the last bit of f32.

use super::RayScene;
use crate::motion::SwayClock;
use crate::{InstanceId, MeshId};
use glam::{DAffine3, DMat3, DVec3, Vec3};

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
    /// what goes anywhere at the time 0 and of what sways as if it did not.
    pub fn instance(&self, instance: InstanceId) -> Option<(MeshId, DAffine3)> {
        self.unswayed(instance, 0.0)
    }

    /// The same at a time.
    pub fn instance_at(&self, instance: InstanceId, time_s: f64) -> Option<(MeshId, DAffine3)> {
        let (mesh, place) = self.unswayed(instance, time_s)?;
        let sway = self.sways.get(instance.0 as usize).filter(|sway| !sway.is_still());
        let Some(sway) = sway else { return Some((mesh, place)) };
        let clock = SwayClock::at(time_s, &self.frequencies_hz);
        let [x, y] = sway.tangents(&clock).map(f64::from);
        let root_z_m = place.translation.z - f64::from(sway.height);
        let shear = DAffine3 {
            matrix3: DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::new(x, y, 1.0)),
            translation: DVec3::new(-x * root_z_m, -y * root_z_m, 0.0),
        };
        Some((mesh, shear * place))
    }

    fn unswayed(&self, instance: InstanceId, time_s: f64) -> Option<(MeshId, DAffine3)> {
        let number = instance.0 as usize;
        let Some(standing) = self.instances.get(number) else {
            let mover = self.movers.get(number - self.instances.len())?;
            let (mesh, mut place) = mover.motion.at(time_s);
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
    use crate::{Edges, RaySceneBuilder, Sway, TriangleMesh};
    use glam::DVec2;

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

    /// Where the tracer meets a swaying mesh is where it is said to be.
    #[test]
    fn what_sways_is_where_rays_meet_it() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [0.0, 1.0]];
        let corners = corners.map(|[x, y]| DVec3::new(x, y, 0.0));
        let mesh = TriangleMesh::new(&corners, vec![[0, 1, 2]]).unwrap();
        let mut builder = RaySceneBuilder::default();
        let id = builder.add_mesh(&mesh, Edges::Exact).unwrap();
        let place = DAffine3::from_translation(DVec3::new(100.0, 200.0, 7.0));
        let sway = Sway {
            frequency_hz: 0.5,
            lean: DVec2::new(0.1, 0.0),
            sine: DVec2::new(0.3, -0.2),
            cosine: DVec2::new(0.0, 0.1),
            root_z_m: 2.0,
        };
        builder.add_swaying_instance(id, place, sway).unwrap();
        let scene = builder.build();
        let movers = crate::DynamicBvh::default();
        for time_s in [0.0, 0.3, 0.9, 1.7] {
            let (_, world) = scene.instance_at(InstanceId(0), time_s).unwrap();
            let world = scene.triangle_corners(id)[0].map(|c| world.transform_point3(c.as_dvec3()));
            let middle = (world[0] + world[1] + world[2]) / 3.0;
            for corner in world {
                for (share, meets) in [(0.99, true), (1.01, false)] {
                    let at = middle + share * (corner - middle) + DVec3::Z;
                    let hit = scene.at(&movers, time_s).trace_ray(at, Vec3::NEG_Z, 2.0);
                    assert_eq!(hit.is_some(), meets, "{time_s} s");
                }
            }
        }
    }
}
