//! The oracle: every triangle against the ray in f64, by Möller and Trumbore's test (1997).

use crate::TriangleMesh;
use glam::{DAffine3, DVec3};

/// Nearest triangle of `mesh` on the ray closer than `t_max`, as distance and triangle index.
///
/// Slow and exact: for tests, and for whoever wants a second opinion on the tracer.
pub fn nearest_hit_by_brute_force(
    mesh: &TriangleMesh,
    world_from_mesh: DAffine3,
    origin: DVec3,
    direction: DVec3,
    t_max: f64,
) -> Option<(f64, u32)> {
    let mesh_from_world = world_from_mesh.inverse();
    let origin = mesh_from_world.transform_point3(origin) - mesh.origin();
    let direction = mesh_from_world.transform_vector3(direction);
    let mut best = (t_max, None);
    for (index, corners) in mesh.triangles().iter().enumerate() {
        let [v0, v1, v2] =
            corners.map(|v| DVec3::from(mesh.positions()[v as usize].map(f64::from)));
        let (edge1, edge2) = (v1 - v0, v2 - v0);
        let p = direction.cross(edge2);
        let determinant = edge1.dot(p);
        if determinant == 0.0 {
            continue;
        }
        let from_corner = origin - v0;
        let u = from_corner.dot(p) / determinant;
        let q = from_corner.cross(edge1);
        let v = direction.dot(q) / determinant;
        let t = edge2.dot(q) / determinant;
        if u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t >= 0.0 && t < best.0 {
            best = (t, Some(index as u32));
        }
    }
    best.1.map(|triangle| (best.0, triangle))
}
