//! A filter refuses hits and the ray goes on.

use crate::common::{Random, TestScene, cone};
use glam::{DAffine3, DVec3, Vec3};
use understory_geometry::{Edges, InstanceId, PulseRays, TriangleMesh};

/// Ten squares one behind the other, along −z.
fn squares() -> TestScene {
    let corners = [
        DVec3::new(-1.0, -1.0, 0.0),
        DVec3::new(1.0, -1.0, 0.0),
        DVec3::new(1.0, 1.0, 0.0),
        DVec3::new(-1.0, 1.0, 0.0),
    ];
    let mesh = TriangleMesh::new(&corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let instances = (0..10)
        .map(|i| (0, DAffine3::from_translation(DVec3::new(0.0, 0.0, -1.0 - f64::from(i)))))
        .collect();
    TestScene::new(vec![mesh], instances, Edges::Exact)
}

#[test]
fn each_ray_passes_the_squares_that_its_filter_refuses() {
    let scene = squares().rays;
    let directions: Vec<Vec3> =
        (0..9).map(|i| Vec3::new(0.001 * i as f32, 0.002, -1.0).normalize()).collect();
    let mut hits = vec![None; 9];
    let pulse = PulseRays {
        origin: DVec3::new(0.1, 0.2, 0.0),
        directions: &directions,
        origin_offsets: &[],
        t_max: 50.0,
    };
    // Ray k passes the first k squares.
    let mut filter = |ray: usize, instance: InstanceId, _: u32, _: f32| instance.0 as usize >= ray;
    scene.at_rest().trace_pulse_filtered(&pulse, &mut hits, &mut filter);
    for (ray, hit) in hits.iter().enumerate() {
        assert_eq!(hit.map(|h| h.instance), Some(InstanceId(ray as u32)));
    }
}

#[test]
fn a_filter_by_triangle_gives_the_nearest_of_the_rest() {
    let scene = TestScene::random(61, 300, 1.0, 1.0);
    let keep = |instance: InstanceId, triangle: u32| {
        (instance.0.wrapping_mul(7) ^ triangle).wrapping_mul(2_654_435_761) >> 30 != 0
    };
    let mut random = Random(62);
    for _ in 0..600 {
        let origin = random.point(20.0);
        let axis = (random.point(8.0) - origin).normalize();
        let directions = cone(&mut random, axis, 3e-3, 9);
        let mut hits = vec![None; 9];
        let pulse = PulseRays { origin, directions: &directions, origin_offsets: &[], t_max: 90.0 };
        let mut filter = |_: usize, i: InstanceId, t: u32, _: f32| keep(i, t);
        scene.rays.at_rest().trace_pulse_filtered(&pulse, &mut hits, &mut filter);
        for (direction, hit) in directions.iter().zip(hits) {
            let single =
                scene.rays.at_rest().trace_ray_filtered(origin, *direction, 90.0, &mut filter);
            assert_eq!(single.map(|h| h.t.to_bits()), hit.map(|h| h.t.to_bits()));
            // Peel refused hits off one by one: the slow way to the same answer.
            let mut passed = Vec::new();
            let slow = loop {
                let mut peel = |_: usize, i: InstanceId, t: u32, _: f32| !passed.contains(&(i, t));
                let next =
                    scene.rays.at_rest().trace_ray_filtered(origin, *direction, 90.0, &mut peel);
                match next {
                    Some(h) if !keep(h.instance, h.triangle) => {
                        passed.push((h.instance, h.triangle))
                    }
                    other => break other,
                }
            };
            assert_eq!(slow.map(|h| h.t.to_bits()), hit.map(|h| h.t.to_bits()));
        }
    }
}
