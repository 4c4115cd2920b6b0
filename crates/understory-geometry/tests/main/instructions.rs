//! The same bits from every instruction set that the machine has.

use crate::common::{Random, TestScene, cone, terrain};
use glam::{DAffine3, DVec3, Vec3};
use understory_geometry::{Edges, InstructionSet, PulseRays, RayHit};

fn all_hits(scene: &mut TestScene, set: InstructionSet) -> Vec<Option<RayHit>> {
    scene.rays.use_instructions(set).unwrap();
    let mut random = Random(70);
    let mut all = Vec::new();
    for shot in 0..4_000 {
        let origin = random.point(20.0);
        let mut axis = (random.point(8.0) - origin).normalize();
        if shot % 5 == 0 {
            // Along an axis of the world, so that rays have both signs of two components.
            axis = [DVec3::X, DVec3::Y, DVec3::Z][shot % 3];
        }
        let count = 1 + shot % 16;
        let directions = cone(&mut random, axis, 2e-3, count);
        let offsets: Vec<Vec3> = (0..count).map(|_| random.point(0.01).as_vec3()).collect();
        for origin_offsets in [&[][..], &offsets[..]] {
            let mut hits = vec![None; count];
            let pulse = PulseRays { origin, directions: &directions, origin_offsets, t_max: 60.0 };
            scene.rays.trace_pulse(&pulse, &mut hits);
            all.extend(hits);
        }
        all.push(scene.rays.trace_ray(origin, directions[0], 60.0));
    }
    all
}

#[test]
fn all_available_instruction_sets_give_the_same_hits() {
    let available = InstructionSet::available();
    eprintln!("instruction sets compared: {available:?}");
    let mut foliage = TestScene::random(31, 400, 0.6, 1.0);
    let mut ground =
        TestScene::new(vec![terrain(60, 40.0, 8)], vec![(0, DAffine3::IDENTITY)], Edges::Closed);
    for scene in [&mut foliage, &mut ground] {
        let expected = all_hits(scene, InstructionSet::Portable);
        assert!(expected.iter().flatten().count() > 1_000);
        for &set in &available {
            assert!(all_hits(scene, set) == expected, "{set:?} differs from portable code");
        }
    }
}
