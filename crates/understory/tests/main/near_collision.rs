//! P3's figure 5: two cars under physics on rough ground come close and do not touch.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use glam::DVec3;
use understory::scenario::Scenario;
use understory::scenario::object_tracks::{TruthRow, rows, selected};
use understory::world::car;

/// Distance of a point in the world from the box of a row; 0 inside.
fn distance_m(row: &TruthRow<'_>, world_m: DVec3) -> f64 {
    let (centre, size) = row.oriented_box().unwrap();
    let off = (row.pose.rotation.inverse() * (world_m - centre)).abs() - size * 0.5;
    off.max(DVec3::ZERO).length()
}

#[test]
fn the_cars_pass_each_other_closely() {
    let scenario = Scenario::embedded("near-collision").unwrap();
    let scene = scenario.build_scene().unwrap();
    let objects = selected(&scene, &[]).unwrap();
    assert_eq!(objects.len(), 2);
    let all = rows(&scene, &objects, (0.0, scenario.duration_s), Some(100.0)).unwrap();
    let of = |index: usize| {
        let id = objects[index].id;
        all.iter().filter(|row| row.part == 0 && row.object.id == id).collect::<Vec<_>>()
    };
    let (red, white) = (of(0), of(1));
    let hull = car::body().mesh.positions;
    let mut nearest = (f64::INFINITY, 0.0);
    for (a, b) in red.iter().zip(&white) {
        for (row, other) in [(a, b), (b, a)] {
            for vertex in &hull {
                let world_m = row.pose.translation + row.pose.rotation * *vertex;
                let gap = distance_m(other, world_m);
                if gap < nearest.0 {
                    nearest = (gap, row.time_s);
                }
            }
        }
    }
    assert!((0.2..2.0).contains(&nearest.0), "{nearest:?}");
    assert!((0.5..2.5).contains(&nearest.1), "{nearest:?}");
    for track in [red, white] {
        let way: f64 = track
            .windows(2)
            .map(|pair| pair[0].pose.translation.distance(pair[1].pose.translation))
            .sum();
        assert!(way > 8.0, "{way}");
        // They stay on their wheels.
        assert!(track.iter().all(|row| (row.pose.rotation * DVec3::Z).z > 0.95));
    }
}
