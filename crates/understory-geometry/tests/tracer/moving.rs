//! Moved instances are found where they went, after a refit and after a rebuild.

use crate::common::{Random, TestScene, cone, pulse};
use understory_geometry::{Edges, InstanceId};

#[test]
fn refit_and_rebuild_agree_with_a_new_scene() {
    let mut random = Random(80);
    let mut scene = TestScene::random(81, 200, 1.0, 1.0);
    for step in 0..6 {
        for i in 0..scene.instances.len() {
            scene.instances[i].1 = random.affine(10.0);
            scene.rays.set_transform(InstanceId(i as u32), scene.instances[i].1).unwrap();
        }
        if step % 2 == 0 {
            scene.rays.refit();
        } else {
            scene.rays.rebuild();
        }
        let fresh = TestScene::new(scene.meshes.clone(), scene.instances.clone(), Edges::Exact);
        for _ in 0..500 {
            let origin = random.point(25.0);
            let axis = (random.point(8.0) - origin).normalize();
            let directions = cone(&mut random, axis, 3e-3, 9);
            let moved = pulse(&scene.rays, origin, &directions, 90.0);
            let expected = pulse(&fresh.rays, origin, &directions, 90.0);
            assert_eq!(
                moved.iter().map(|h| h.map(|h| h.t.to_bits())).collect::<Vec<_>>(),
                expected.iter().map(|h| h.map(|h| h.t.to_bits())).collect::<Vec<_>>()
            );
        }
    }
}
