//! Far from the world's origin, and against closed forms.

use crate::common::{Random, TestScene, cone, pulse, terrain};
use glam::{DAffine3, DVec3};
use understory_geometry::{Edges, TriangleMesh};

const UTM: DVec3 = DVec3::new(500_000.0, 5_400_000.0, 100.0);

#[test]
fn map_coordinates_give_the_ranges_of_the_origin() {
    let at_origin = TestScene::random(41, 300, 0.8, 1.0);
    // Once with the offset in the instances, once with it in the vertices themselves.
    let moved = |offset| DAffine3::from_translation(offset);
    let instances: Vec<_> =
        at_origin.instances.iter().map(|(mesh, t)| (*mesh, moved(UTM) * *t)).collect();
    let by_instance = TestScene::new(at_origin.meshes.clone(), instances, Edges::Exact);
    let relief = terrain(80, 60.0, 3);
    let shifted: Vec<DVec3> = relief
        .positions()
        .iter()
        .map(|p| DVec3::from(p.map(f64::from)) + relief.origin() + UTM)
        .collect();
    let relief_far = TriangleMesh::new(&shifted, relief.triangles().to_vec()).unwrap();
    let ground = TestScene::new(vec![relief], vec![(0, DAffine3::IDENTITY)], Edges::Closed);
    let ground_far = TestScene::new(vec![relief_far], vec![(0, DAffine3::IDENTITY)], Edges::Closed);

    let mut random = Random(42);
    let (mut worst, mut compared, mut lost) = (0.0f64, 0, 0);
    for _ in 0..3_000 {
        let origin = random.point(20.0);
        let axis = (random.point(8.0) - origin).normalize();
        let directions = cone(&mut random, axis, 3e-3, 9);
        for (near, far) in [(&at_origin, &by_instance), (&ground, &ground_far)] {
            let here = pulse(&near.rays, origin, &directions, 90.0);
            let there = pulse(&far.rays, origin + UTM, &directions, 90.0);
            for ((a, b), direction) in here.iter().zip(&there).zip(&directions) {
                let direction = direction.as_dvec3();
                match (a, b) {
                    (Some(a), Some(b)) if a.triangle == b.triangle && a.instance == b.instance => {
                        let a = near.rays.surface_point(a, origin, direction).t;
                        let b = far.rays.surface_point(b, origin + UTM, direction).t;
                        worst = worst.max((a - b).abs());
                        compared += 1;
                    }
                    (None, None) => {}
                    // A ray that grazes an edge may pass on one side of it or the other.
                    _ => lost += 1,
                }
            }
        }
    }
    eprintln!("{compared} ranges compared, worst {worst:e} m, {lost} at edges");
    assert!(compared > 10_000);
    assert!(worst < 1e-4, "worst difference {worst} m");
    assert!(lost * 2_000 <= compared, "{lost} rays met another triangle");
}

#[test]
fn a_plane_at_a_hundred_metres_is_exact_in_every_direction() {
    let half = 300.0;
    let corners = [
        DVec3::new(-half, -half, 0.0),
        DVec3::new(half, -half, 0.0),
        DVec3::new(half, half, 0.0),
        DVec3::new(-half, half, 0.0),
    ];
    let mesh = TriangleMesh::new(&corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let mut random = Random(50);
    for _ in 0..500 {
        let normal = random.direction();
        let pose = DAffine3::from_rotation_translation(
            glam::DQuat::from_rotation_arc(DVec3::Z, normal),
            normal * -random.between(5.0, 100.0),
        );
        let scene = TestScene::new(vec![mesh.clone()], vec![(0, pose)], Edges::Closed);
        for _ in 0..20 {
            let direction = (random.direction() * 0.8 - normal).normalize().as_vec3();
            let d = direction.as_dvec3();
            let expected = normal.dot(pose.translation) / normal.dot(d);
            if !(0.0..150.0).contains(&expected) {
                continue;
            }
            let hit = scene.rays.trace_ray(DVec3::ZERO, direction, 400.0).unwrap();
            let exact = scene.rays.surface_point(&hit, DVec3::ZERO, d);
            assert!((exact.t - expected).abs() < 2e-5, "{} against {expected}", exact.t);
            assert!(exact.normal.dot(normal) > 1.0 - 1e-12);
        }
    }
}
