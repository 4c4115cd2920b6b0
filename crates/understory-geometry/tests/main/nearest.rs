//! Nearest hits against brute force in f64.

use crate::common::{Random, TestScene, cone, pulse};
use glam::{DAffine3, DVec3, Vec3};
use understory_geometry::{Edges, PulseRays, TriangleMesh};

/// Share of rays that may differ from f64 because they graze an edge within f32 rounding.
const GRAZING: f64 = 5e-4;

/// Counts rays whose hit differs from the oracle by more than `tolerance` relative to `scale`.
fn mismatches(scene: &TestScene, random: &mut Random, rays: usize, scale: f64) -> usize {
    let mut wrong = 0;
    for _ in 0..rays / 9 {
        let origin = random.point(20.0 * scale);
        let axis = (random.point(8.0 * scale) - origin).normalize();
        let directions = cone(random, axis, 3e-3, 9);
        let t_max = (100.0 * scale) as f32;
        let hits = pulse(&scene.rays, origin, &directions, t_max);
        for (direction, hit) in directions.iter().zip(hits) {
            let expected = scene.oracle(origin, direction.as_dvec3(), f64::from(t_max));
            let single = scene.rays.trace_ray(origin, *direction, t_max);
            assert_eq!(hit.map(|h| h.t.to_bits()), single.map(|h| h.t.to_bits()));
            wrong += match (hit, expected) {
                (Some(hit), Some((t, _))) => {
                    let exact = scene.rays.surface_point(&hit, origin, direction.as_dvec3());
                    usize::from((exact.t - t).abs() > 1e-4 * scale)
                }
                (None, None) => 0,
                _ => 1,
            };
        }
    }
    wrong
}

#[test]
fn random_scenes_agree_with_brute_force_at_every_scale() {
    for (seed, scale) in [(1, 1.0), (2, 1e-3), (3, 1e3), (4, 1.0), (5, 1e5)] {
        let scene = TestScene::random(seed, 120, 1.0, scale);
        let rays = 9_000;
        let wrong = mismatches(&scene, &mut Random(seed + 100), rays, scale);
        assert!(
            wrong as f64 <= GRAZING * rays as f64,
            "{wrong} of {rays} rays differ at scale {scale}"
        );
    }
}

#[test]
fn slivers_and_flat_triangles_agree_with_brute_force() {
    let mut random = Random(9);
    let mut corners = Vec::new();
    for kind in 0..300 {
        let a = random.point(5.0);
        let along = random.direction() * 3.0;
        let (b, c) = match kind % 3 {
            0 => (a, a),                                             // a point
            1 => (a + along, a + along * 0.5),                       // a line
            _ => (a + along, a + along * 0.5 + random.point(0.002)), // a sliver
        };
        corners.extend([a, b, c]);
    }
    let triangles = (0..300).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriangleMesh::new(&corners, triangles).unwrap();
    let scene = TestScene::new(vec![mesh], vec![(0, DAffine3::IDENTITY)], Edges::Exact);
    let wrong = mismatches(&scene, &mut Random(10), 9_000, 1.0);
    assert!(wrong <= 9, "{wrong} rays differ");
}

#[test]
fn rays_along_axes_and_in_planes_are_traced() {
    // A unit cube around the origin: every axis-parallel ray has two zero components.
    let corners: Vec<DVec3> = (0..8)
        .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5)
        .collect();
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let mesh = TriangleMesh::new(&corners, triangles).unwrap();
    let scene = TestScene::new(vec![mesh], vec![(0, DAffine3::IDENTITY)], Edges::Closed);
    for axis in 0..3 {
        for sign in [-1.0f32, 1.0] {
            let mut direction = Vec3::ZERO;
            direction[axis] = sign;
            // Through the middle, on the diagonal of a face, and along its very edge.
            for aside in [0.0, 0.25, 0.5] {
                let mut origin = DVec3::splat(aside);
                origin[axis] = -4.0 * f64::from(sign);
                let hits = pulse(&scene.rays, origin, &[direction; 9], 100.0);
                for hit in hits {
                    assert_eq!(hit.map(|h| h.t), Some(3.5), "axis {axis} {sign} {aside}");
                }
            }
        }
    }
}

#[test]
fn the_limit_and_the_origin_bound_the_hits() {
    let mesh = TriangleMesh::new(&[DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let scene = TestScene::new(vec![mesh], vec![(0, DAffine3::IDENTITY)], Edges::Exact).rays;
    let above = DVec3::new(0.25, 0.25, 2.0);
    assert!(scene.trace_ray(above, Vec3::NEG_Z, 2.0).is_none(), "a hit at the limit is none");
    assert!(scene.trace_ray(above, Vec3::NEG_Z, 2.001).is_some());
    assert!(scene.trace_ray(above, Vec3::Z, 10.0).is_none(), "nothing is behind the origin");
}

#[test]
fn rays_that_are_no_numbers_hit_nothing() {
    let scene = TestScene::random(3, 50, 1.0, 1.0).rays;
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let directions = [Vec3::new(bad, 0.0, 1.0), Vec3::new(0.0, bad, bad), Vec3::ZERO];
        for hit in pulse(&scene, DVec3::ZERO, &directions, 50.0) {
            assert!(hit.is_none_or(|hit| !hit.t.is_nan()));
        }
        let _ = pulse(&scene, DVec3::splat(f64::from(bad)), &[Vec3::X; 4], 50.0);
        let _ = pulse(&scene, DVec3::ZERO, &[Vec3::X; 4], bad);
    }
}

#[test]
fn rays_from_an_aperture_agree_with_single_rays() {
    let scene = TestScene::random(21, 150, 1.0, 1.0);
    let mut random = Random(22);
    let (mut hits, mut rays) = (0, 0);
    for _ in 0..2_000 {
        let origin = random.point(20.0);
        let axis = (random.point(8.0) - origin).normalize();
        let directions = cone(&mut random, axis, 3e-3, 13);
        let offsets: Vec<Vec3> = (0..13).map(|_| random.point(0.02).as_vec3()).collect();
        let mut found = [None; 13];
        let given =
            PulseRays { origin, directions: &directions, origin_offsets: &offsets, t_max: 80.0 };
        scene.rays.trace_pulse(&given, &mut found);
        for ray in 0..13 {
            let start = origin + offsets[ray].as_dvec3();
            let direction = directions[ray].as_dvec3();
            let expected = scene.oracle(start, direction, 80.0);
            rays += 1;
            if let (Some(hit), Some((t, _))) = (found[ray], expected) {
                let exact = scene.rays.surface_point(&hit, start, direction).t;
                hits += usize::from((exact - t).abs() < 1e-4);
            } else {
                hits += usize::from(found[ray].is_none() && expected.is_none());
            }
        }
    }
    assert!(rays - hits <= rays / 2000, "{} of {rays} rays differ", rays - hits);
}

#[test]
fn equal_boxes_by_the_thousand_do_not_overflow_the_walk() {
    let corners: Vec<DVec3> =
        (0..5_000).flat_map(|_| [DVec3::ZERO, DVec3::X, DVec3::new(0.0, 1.0, 1.0)]).collect();
    let triangles = (0..5_000u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriangleMesh::new(&corners, triangles).unwrap();
    let instances = (0..3_000).map(|_| (0, DAffine3::IDENTITY)).collect();
    let scene = TestScene::new(vec![mesh], instances, Edges::Exact).rays;
    let hit = scene.trace_ray(DVec3::new(0.2, 0.2, 5.0), Vec3::NEG_Z, 10.0).unwrap();
    assert!((hit.t - 4.8).abs() < 1e-6);
}

#[test]
fn an_empty_scene_returns_nothing() {
    let scene = understory_geometry::RaySceneBuilder::default().build();
    assert!(scene.trace_ray(DVec3::ZERO, Vec3::X, 10.0).is_none());
    assert_eq!(pulse(&scene, DVec3::ZERO, &[Vec3::X; 9], 10.0), vec![None; 9]);
}
