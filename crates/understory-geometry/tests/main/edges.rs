//! Closed edges leak nothing; exact ones stay where they are.

use crate::common::{Random, TestScene, pulse, terrain};
use glam::{DAffine3, DMat3, DVec3, Vec3};
use understory_geometry::{Edges, TriangleMesh};

/// Rays aimed exactly at points of shared edges from above; how many go through.
fn leaks(scene: &TestScene, rays: usize, seed: u64) -> usize {
    let mut random = Random(seed);
    let mesh = &scene.meshes[0];
    let world_from_mesh = scene.instances[0].1;
    let mut through = 0;
    for shot in 0..rays / 8 {
        let origin = DVec3::new(random.between(-20.0, 20.0), random.between(-20.0, 20.0), 12.0);
        let mut directions = Vec::new();
        while directions.len() < 8 {
            let triangle = mesh.triangles()[random.next() as usize % mesh.triangles().len()];
            let corner = |k: usize| {
                Vec3::from(mesh.positions()[triangle[k] as usize]).as_dvec3() + mesh.origin()
            };
            let side = random.next() as usize % 3;
            let share = if shot % 16 == 0 { 0.0 } else { random.between(0.0, 1.0) };
            let aim = corner(side).lerp(corner((side + 1) % 3), share);
            let inner = aim.x.abs().max(aim.y.abs()) < 24.0;
            if inner {
                let target = world_from_mesh.transform_point3(aim);
                let from = world_from_mesh.transform_point3(origin);
                directions.push((target - from).normalize().as_vec3());
            }
        }
        let from = world_from_mesh.transform_point3(origin);
        for direction in &directions {
            through += usize::from(scene.rays.trace_ray(from, *direction, 500.0).is_none());
        }
        through +=
            pulse(&scene.rays, from, &directions, 500.0).iter().filter(|h| h.is_none()).count();
    }
    through
}

#[test]
fn closed_terrain_leaks_none_of_a_hundred_thousand_rays_at_edges() {
    let tilt = DAffine3::from_mat3_translation(
        DMat3::from_rotation_x(0.3) * DMat3::from_rotation_z(1.1) * 1.7,
        DVec3::new(31.0, -17.0, 5.0),
    );
    for transform in [DAffine3::IDENTITY, tilt] {
        let scene =
            TestScene::new(vec![terrain(100, 50.0, 5)], vec![(0, transform)], Edges::Closed);
        assert_eq!(leaks(&scene, 100_000, 6), 0);
    }
}

#[test]
fn exact_edges_do_leak_so_the_test_above_can_fail() {
    let scene =
        TestScene::new(vec![terrain(100, 50.0, 5)], vec![(0, DAffine3::IDENTITY)], Edges::Exact);
    assert!(leaks(&scene, 40_000, 6) > 0);
}

#[test]
fn closed_edges_grow_a_triangle_by_less_than_a_tenth_of_a_millimetre() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let mesh = TriangleMesh::new(&corners, vec![[0, 1, 2]]).unwrap();
    let away = DAffine3::from_translation(DVec3::new(0.0, 0.0, -100.0));
    let scene = TestScene::new(vec![mesh], vec![(0, away)], Edges::Closed).rays;
    let aimed = |x: f64| {
        let direction = DVec3::new(x, 0.4, -100.0).normalize().as_vec3();
        scene.trace_ray(DVec3::ZERO, direction, 200.0).is_some()
    };
    assert!(aimed(2e-5), "just inside is hit");
    assert!(!aimed(-1e-4 - 2e-5), "0.1 mm outside is not");
}

#[test]
fn closed_edges_do_not_lengthen_slivers() {
    // One side of 2 cm between two of 4 m, as in the fan of a large disc; all three beginnings.
    let corners = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(4.0, 0.02, 0.0)];
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        let mesh = TriangleMesh::new(&corners, vec![order]).unwrap();
        let away = DAffine3::from_translation(DVec3::new(-2.0, 0.0, -100.0));
        let scene = TestScene::new(vec![mesh], vec![(0, away)], Edges::Closed).rays;
        let aimed = |x: f64, y: f64| {
            let direction = DVec3::new(x, y, -100.0).normalize().as_vec3();
            scene.trace_ray(DVec3::ZERO, direction, 200.0).is_some()
        };
        assert!(aimed(1.999, 0.01), "inside is hit");
        assert!(!aimed(2.0 + 3e-4, 0.01), "0.3 mm beyond the short side is not");
        assert!(!aimed(1.0, -3e-4), "0.3 mm beyond a long side is not");
    }
}
