//! Many single rays at once: the hits that each finds alone, and brute force in f64 behind them.

use crate::common::{Random, TestScene, terrain};
use glam::{DAffine3, DVec2, DVec3, Vec3};
use understory_geometry::{
    DynamicBvh, Edges, InstructionSet, PulseRays, RayHit, RayScene, RaySceneBuilder, Sway,
    TriangleMesh,
};

/// Random triangles as one mesh, turned and moved.
fn one_instance(seed: u64, edges: Edges) -> TestScene {
    let mut random = Random(seed);
    let corners: Vec<DVec3> = (0..600)
        .flat_map(|_| {
            let centre = random.point(5.0);
            [(); 3].map(|()| centre + random.point(0.7))
        })
        .collect();
    let indices = (0..600u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mesh = TriangleMesh::new(&corners, indices).unwrap();
    TestScene::new(vec![mesh], vec![(0, random.affine(2.0))], edges)
}

fn rays(seed: u64, count: usize) -> (Vec<DVec3>, Vec<Vec3>) {
    let mut random = Random(seed);
    let ray = |_| {
        let origin = random.point(20.0);
        (origin, (random.point(8.0) - origin).normalize().as_vec3())
    };
    (0..count).map(ray).unzip()
}

fn together(scene: &TestScene, origins: &[DVec3], directions: &[Vec3]) -> Vec<Option<RayHit>> {
    let mut hits = vec![None; origins.len()];
    scene.rays.at_rest().trace_rays(origins, directions, 100.0, &mut hits);
    hits
}

#[test]
fn many_rays_find_what_each_finds_alone_and_what_brute_force_finds() {
    let ground = TestScene::new(
        vec![terrain(40, 30.0, 8)],
        vec![(0, DAffine3::from_translation(DVec3::new(5e5, 5e6, 100.0)))],
        Edges::Closed,
    );
    let far = DVec3::new(5e5, 5e6, 105.0);
    // Several instances are traced one after the other.
    let scenes = [
        (one_instance(1, Edges::Exact), DVec3::ZERO),
        (ground, far),
        (TestScene::random(3, 100, 0.6, 1.0), DVec3::ZERO),
    ];
    for (number, (scene, middle)) in scenes.iter().enumerate() {
        let mut wrong = 0;
        // Of a length that no block or number of rays side by side divides.
        let (mut origins, directions) = rays(number as u64 + 50, 3_001);
        origins.iter_mut().for_each(|origin| *origin += middle);
        let hits = together(scene, &origins, &directions);
        let mut met = 0;
        for ((hit, origin), direction) in hits.iter().zip(&origins).zip(&directions) {
            assert_eq!(*hit, scene.rays.trace_ray(*origin, *direction, 100.0));
            let expected = scene.oracle(*origin, direction.as_dvec3(), 100.0);
            wrong += match (hit, expected) {
                (Some(hit), Some((t, _))) => usize::from((f64::from(hit.t) - t).abs() > 1e-3),
                (None, None) => 0,
                _ => 1,
            };
            met += usize::from(hit.is_some());
        }
        assert!(met > 300, "scene {number}: {met} hits");
        assert!(wrong <= 2, "scene {number}: {wrong} rays differ from brute force");
    }
}

#[test]
fn few_rays_and_rays_that_are_no_numbers_do_no_harm() {
    let scene = one_instance(2, Edges::Closed);
    let (origins, mut directions) = rays(60, 300);
    let valid = together(&scene, &origins, &directions);
    for count in [0, 1, 2, 7, 8, 9, 257] {
        let few = together(&scene, &origins[..count], &directions[..count]);
        assert_eq!(few, valid[..count]);
    }
    directions[3] = Vec3::NAN;
    directions[100] = Vec3::ZERO;
    let hits = together(&scene, &origins, &directions);
    let others = |hits: &[Option<RayHit>]| -> Vec<Option<RayHit>> {
        let kept = hits.iter().enumerate().filter(|(ray, _)| ![3, 100].contains(ray));
        kept.map(|(_, hit)| *hit).collect()
    };
    assert_eq!(others(&hits), others(&valid));
    // Fewer places than rays, fewer directions than origins.
    let mut places = vec![None; 10];
    scene.rays.at_rest().trace_rays(&origins, &directions[..6], 100.0, &mut places);
    assert_eq!(places[4..6], valid[4..6]);
    assert!(places[6..].iter().all(Option::is_none));
}

#[test]
fn every_instruction_set_finds_the_same() {
    let mut scene = one_instance(4, Edges::Exact);
    let (origins, directions) = rays(70, 2_000);
    scene.rays.use_instructions(InstructionSet::Portable).unwrap();
    let expected = together(&scene, &origins, &directions);
    for set in InstructionSet::available() {
        scene.rays.use_instructions(set).unwrap();
        assert!(together(&scene, &origins, &directions) == expected, "{set:?}");
    }
}

/// An only instance is reached without the tree above it; a second one, out of reach, brings that
/// back and must change nothing.
#[test]
fn a_swaying_instance_alone_is_met_as_beside_another_one() {
    let still = one_instance(5, Edges::Exact);
    let sway = Sway {
        frequency_hz: 0.7,
        lean: DVec2::new(0.1, -0.2),
        sine: DVec2::new(0.3, 0.1),
        cosine: DVec2::new(-0.1, 0.2),
        root_z_m: -3.0,
    };
    let scene = |second: bool| -> RayScene {
        let mut builder = RaySceneBuilder::default();
        let mesh = builder.add_mesh(&still.meshes[0], Edges::Exact).unwrap();
        builder.add_swaying_instance(mesh, still.instances[0].1, sway).unwrap();
        if second {
            let far = DAffine3::from_translation(DVec3::splat(1e4));
            builder.add_instance(mesh, far).unwrap();
        }
        builder.build()
    };
    let (alone, beside, movers) = (scene(false), scene(true), DynamicBvh::default());
    let (origins, directions) = rays(90, 1_000);
    let met = |hit: &Option<RayHit>| hit.map(|hit| (hit.t.to_bits(), hit.triangle));
    let (mut hits, mut moved) = (vec![None; origins.len()], 0);
    for time_s in [0.0, 0.37, 5.1] {
        let (alone, beside) = (alone.at(&movers, time_s), beside.at(&movers, time_s));
        alone.trace_rays(&origins, &directions, 100.0, &mut hits);
        for ((origin, direction), hit) in origins.iter().zip(&directions).zip(&hits) {
            let expected = beside.trace_ray(*origin, *direction, 100.0);
            assert_eq!(met(hit), met(&expected));
            let mut pulse = [None];
            let rays = PulseRays {
                origin: *origin,
                directions: std::slice::from_ref(direction),
                origin_offsets: &[],
                t_max: 100.0,
            };
            alone.trace_pulse(&rays, &mut pulse);
            assert_eq!(met(&pulse[0]), met(&expected));
            moved +=
                usize::from(met(hit) != met(&still.rays.trace_ray(*origin, *direction, 100.0)));
        }
    }
    assert!(moved > 300, "it sways: {moved}");
}
