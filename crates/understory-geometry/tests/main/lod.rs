//! LOD levels of meshes: from where each is traced, and what is refused.

use glam::{DAffine3, DVec3, Vec3};
use understory_geometry::{
    Edges, GeometryError, MeshId, PulseRays, RayScene, RaySceneBuilder, TriangleMesh,
};

/// A square of two triangles at this height.
fn square(height: f64) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| DVec3::new(x, y, height));
    (corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])
}

/// A square at height 0 that becomes one at 0.25, then at 0.25 still, then at 0.5; far out on
/// the map, twice as large.
fn builder() -> (RaySceneBuilder, MeshId) {
    let mut builder = RaySceneBuilder::default();
    let (corners, triangles) = square(0.0);
    let mesh = TriangleMesh::new(&corners, triangles).unwrap();
    let mesh = builder.add_mesh(&mesh, Edges::Exact).unwrap();
    let (corners, triangles) = square(0.25);
    builder.add_lod(mesh, &corners, triangles, &[1, 0]).unwrap();
    builder.repeat_lod(mesh).unwrap();
    let (corners, triangles) = square(0.5);
    builder.add_lod(mesh, &corners, triangles[..1].to_vec(), &[1]).unwrap();
    (builder, mesh)
}

const PLACE: DVec3 = DVec3::new(500_000.0, 4_000_000.0, 100.0);

fn placed(at: DVec3) -> DAffine3 {
    DAffine3::from_scale_rotation_translation(DVec3::splat(2.0), glam::DQuat::IDENTITY, at)
}

#[test]
fn the_distance_of_the_nearest_part_decides() {
    let (mut builder, mesh) = builder();
    builder.add_instance(mesh, placed(PLACE)).unwrap();
    let mut scene = builder.build();
    // Right above a point of the first triangle; the mesh reaches 3 m from its middle, at most.
    let reach = (2.0f64 * 2.0 * 2.0 + 1.0).sqrt() + 1e-3;
    let look = |scene: &RayScene, above: f64| {
        let origin = PLACE + DVec3::new(0.5, -0.7, above);
        let hit = scene.trace_ray(origin, Vec3::NEG_Z, 1e4).unwrap();
        let rays = [Vec3::NEG_Z; 5];
        let pulse = PulseRays { origin, directions: &rays, origin_offsets: &[], t_max: 1e4 };
        let mut hits = [None; 5];
        scene.trace_pulse(&pulse, &mut hits);
        assert!(hits.iter().all(|other| *other == Some(hit)));
        let point = scene.surface_point(&hit, origin, DVec3::NEG_Z);
        assert_eq!(point.mesh, mesh);
        (above - point.t, hit.triangle)
    };
    let sees = |scene: &RayScene, above: f64, height: f64, triangle: u32| {
        let (seen_height, seen_triangle) = look(scene, above);
        assert!((seen_height - height).abs() < 1e-9, "{above}: {seen_height}, not {height}");
        assert_eq!(seen_triangle, triangle, "{above}");
    };
    for above in [5.0, 50.0, 500.0] {
        sees(&scene, above, 0.0, 0);
    }
    scene.set_lod_distances(&[10.0, 20.0, 40.0]).unwrap();
    sees(&scene, 9.9, 0.0, 0);
    sees(&scene, 10.2 + reach, 0.5, 1);
    sees(&scene, 20.2 + reach, 0.5, 1);
    sees(&scene, 40.2 + reach, 1.0, 1);
    scene.set_lod_distances(&[]).unwrap();
    sees(&scene, 500.0, 0.0, 0);
}

#[test]
fn what_cannot_stand_for_a_mesh_is_refused() {
    let (mut builder, mesh) = builder();
    let (corners, triangles) = square(1.0);
    for stands_for in [&[0, 0][..], &[0, 2], &[0]] {
        let error = builder.add_lod(mesh, &corners, triangles.clone(), stands_for).unwrap_err();
        assert!(matches!(error, GeometryError::BadStandIn { triangles: 2, .. }), "{error}");
    }
    let strange = MeshId(7);
    assert!(builder.add_lod(strange, &corners, triangles, &[0, 1]).is_err());
    assert!(builder.repeat_lod(strange).is_err());
    let mut scene = builder.build();
    for bad in [&[2.0, 1.0][..], &[-1.0], &[f64::NAN], &[1.0, f64::INFINITY]] {
        let error = scene.set_lod_distances(bad).unwrap_err();
        assert!(matches!(error, GeometryError::BadDistances { .. }), "{error}");
    }
    assert!(scene.lod_distances_m().is_empty());
}
