//! Far from the world's origin, and against closed forms.

use crate::common::{Random, TestScene, cone, pulse, terrain};
use glam::{DAffine3, DVec3};
use understory_geometry::{CurvedSurface, Edges, RaySceneBuilder, TriangleMesh};

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

/// A coarse icosphere: 20·4³ triangles.
fn icosphere(radius: f64) -> TriangleMesh {
    let phi = (1.0 + 5f64.sqrt()) / 2.0;
    let mut corners = Vec::new();
    for (a, b) in [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)] {
        corners.extend([DVec3::new(0.0, a, b), DVec3::new(a, b, 0.0), DVec3::new(b, 0.0, a)]);
    }
    let side = corners[0].distance(corners[3]);
    let mut triangles = Vec::new();
    for a in 0..12u32 {
        for b in 0..a {
            for c in 0..b {
                let near = |i: u32, j: u32| {
                    corners[i as usize].distance(corners[j as usize]) < side * 1.01
                };
                if near(a, b) && near(b, c) && near(a, c) {
                    triangles.push([a, b, c]);
                }
            }
        }
    }
    for _ in 0..3 {
        let mut finer = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                corners.push((corners[i as usize] + corners[j as usize]) * 0.5);
                corners.len() as u32 - 1
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let corners: Vec<DVec3> = corners.iter().map(|p| p.normalize() * radius).collect();
    TriangleMesh::new(&corners, triangles).unwrap()
}

#[test]
fn hits_on_a_curved_mesh_lie_on_the_curve_up_to_the_rim() {
    let mesh = icosphere(2.0);
    let curve = CurvedSurface::Sphere { centre: DVec3::ZERO, radius: 2.0 };
    let mut builder = RaySceneBuilder::default();
    let id = builder.add_curved_mesh(&mesh, Edges::Closed, curve).unwrap();
    // Stretched to an ellipsoid, turned, and far from the world's origin.
    let semi_axes = DVec3::new(1.0, 0.6, 1.4);
    let turn = glam::DMat3::from_rotation_z(0.7) * glam::DMat3::from_rotation_x(0.4);
    let centre = UTM + DVec3::new(80.0, 30.0, 50.0);
    let linear = turn * glam::DMat3::from_diagonal(semi_axes);
    builder.add_instance(id, DAffine3::from_mat3_translation(linear, centre)).unwrap();
    let scene = builder.build();
    let mut random = Random(90);
    let (mut worst, mut worst_normal, mut steepest, mut hits) = (0.0f64, 0.0f64, 0.0f64, 0);
    for _ in 0..40_000 {
        let aim = centre + random.point(2.8);
        let direction = (aim - UTM).normalize();
        let Some(hit) = scene.trace_ray(UTM, direction.as_vec3(), 200.0) else { continue };
        let point = scene.surface_point(&hit, UTM, direction);
        // The same in the frame in which the ellipsoid is the unit sphere.
        let inverse = (linear * 2.0).inverse();
        let (o, d) = (inverse * (UTM - centre), inverse * direction);
        let (a, b, c) = (d.dot(d), o.dot(d), o.dot(o) - 1.0);
        let discriminant = b * b - a * c;
        if discriminant < 1e-8 * a {
            continue;
        }
        let t = (-b - discriminant.sqrt()) / a;
        let normal = (inverse.transpose() * (o + d * t)).normalize();
        hits += 1;
        worst = worst.max((point.t - t).abs());
        worst_normal = worst_normal.max(normal.angle_between(point.normal));
        steepest = steepest.max(normal.angle_between(-direction).to_degrees());
    }
    eprintln!("{hits} hits up to {steepest:.2}°, worst {worst:e} m, {worst_normal:e} rad");
    assert!(hits > 5_000 && steepest > 85.0);
    assert!(worst < 1e-6, "worst error {worst} m");
    assert!(worst_normal < 1e-4, "worst normal {worst_normal} rad");
}
