//! Closed surfaces with the volumes of the bodies they stand for.

use super::{GroundObject, ObstacleSpec};
use crate::PlantError;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use understory_geometry::TriangleMesh;

fn build(text: &str, seed: u64) -> GroundObject {
    toml::from_str::<ObstacleSpec>(text).unwrap().build(seed).unwrap()
}

/// Every edge has two triangles that run along it in opposite directions.
fn assert_closed(object: &GroundObject) {
    let mut edges: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for &[a, b, c] in &object.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            let count = edges.entry((from.min(to), from.max(to))).or_default();
            if from < to { count.0 += 1 } else { count.1 += 1 }
        }
    }
    assert!(edges.values().all(|&count| count == (1, 1)));
    assert!(object.volume_m3() > 0.0, "volume {}", object.volume_m3());
    TriangleMesh::new(&object.positions, object.triangles.clone()).unwrap();
}

#[test]
fn rocks_are_closed() {
    for seed in 0..20 {
        let rock = build(
            "kind = \"rock\"\nsize_m = [1.2, 0.8, 0.6]\nroughness = 0.2\nangularity = 1.0",
            seed,
        );
        assert_closed(&rock);
        assert_eq!(rock.triangles.len(), 20 * 256);
        let (low, high) = rock.bounds_m();
        assert!((low.z / (low.z - high.z) - 0.2).abs() < 1e-9);
        // Less than the ellipsoid with every bump outwards, more than what all cuts leave.
        let ellipsoid = PI / 6.0 * 1.2 * 0.8 * 0.6;
        let part = rock.volume_m3() / ellipsoid;
        assert!((0.1..1.6f64.powi(3)).contains(&part), "{part}");
    }
}

#[test]
fn a_smooth_rock_is_an_ellipsoid() {
    let rock = build(
        "kind = \"rock\"\nsize_m = [2.0, 1.0, 0.5]\nroughness = 0.0\nangularity = 0.0\nburied = 0.0\ndetail = 6",
        1,
    );
    assert_closed(&rock);
    let volume = PI / 6.0;
    println!("volume {} of {volume}", rock.volume_m3());
    assert!((rock.volume_m3() / volume - 1.0).abs() < 1e-3);
    let (low, high) = rock.bounds_m();
    assert!(low.z == 0.0 && (high.z - 0.5).abs() < 1e-3);
}

#[test]
fn logs_are_closed_cones() {
    let log = build(
        "kind = \"log\"\nlength_m = 5.0\ndiameter_m = 0.5\ntop_diameter_m = 0.3\nsides = 200",
        1,
    );
    assert_closed(&log);
    // A frustum: πh/3 (R² + Rr + r²).
    let volume = PI * 5.0 / 3.0 * (0.25f64.powi(2) + 0.25 * 0.15 + 0.15f64.powi(2));
    assert!((log.volume_m3() / volume - 1.0).abs() < 1e-3, "{}", log.volume_m3() / volume);
    assert!(log.bounds_m().0.z.abs() < 1e-12);
    for seed in 0..5 {
        let text = "kind = \"log\"\nlength_m = 4.0\ndiameter_m = 0.4\nbark_m = 0.02\nbow_m = 0.3";
        let bark = build(text, seed);
        assert_closed(&bark);
        // The bark takes half its depth off the radius in the middle: 10 % of the volume.
        let part = bark.volume_m3() / (PI * 0.04 * 4.0);
        assert!((0.8..1.0).contains(&part), "{part}");
    }
}

#[test]
fn posts_fences_and_walls() {
    let post = build("kind = \"post\"\nheight_m = 1.5\ndiameter_m = 0.1\nburied_m = 0.5", 0);
    assert_closed(&post);
    // A prism with 16 sides.
    let volume = 2.0 * 8.0 * 0.05f64.powi(2) * (PI / 8.0).sin();
    assert!((post.volume_m3() / volume - 1.0).abs() < 1e-9);

    let wall = build(
        "kind = \"wall\"\npath_m = [[0.0, 0.0], [10.0, 0.0], [10.0, 5.0]]\nheight_m = 2.0\nthickness_m = 0.4\nburied_m = 0.0",
        0,
    );
    assert_closed(&wall);
    // The mitre takes inside what it adds outside.
    assert!((wall.volume_m3() - 15.0 * 2.0 * 0.4).abs() < 1e-9, "{}", wall.volume_m3());

    let text = "kind = \"fence\"\npath_m = [[0.0, 0.0], [9.0, 0.0]]\npost_spacing_m = 2.0\nrail_heights_m = [0.5, 1.0]\nrail_diameter_m = 0.05\n[post]\nheight_m = 1.2\ndiameter_m = 0.1";
    let spec: ObstacleSpec = toml::from_str(text).unwrap();
    let fence = spec.build_on(0, |x, _| 0.1 * x).unwrap();
    assert_closed(&fence);
    let (low, high) = fence.bounds_m();
    assert!((low.z + 0.3).abs() < 1e-12 && (high.z - 2.1).abs() < 1e-12);
    // 6 posts of 16 sides, 5 × 2 rails of 8; four triangles a side.
    assert_eq!(fence.triangles.len(), 4 * (6 * 16 + 10 * 8));
}

#[test]
fn limits_are_kept() {
    let bad = [
        "kind = \"rock\"\nsize_m = [1.2, 0.0, 0.6]",
        "kind = \"rock\"\nsize_m = [1.2, nan, 0.6]",
        "kind = \"rock\"\nsize_m = [1.2, 1.0, 0.6]\ndetail = 20",
        "kind = \"log\"\nlength_m = 4.0\ndiameter_m = 0.4\nbark_m = 0.3",
        "kind = \"log\"\nlength_m = 4.0\ndiameter_m = 0.4\ntop_diameter_m = 0.5",
        "kind = \"post\"\nheight_m = inf\ndiameter_m = 0.1",
        "kind = \"wall\"\npath_m = [[0.0, 0.0], [9.0, 0.0], [0.0, 0.1]]\nheight_m = 1.0\nthickness_m = 0.2",
        "kind = \"wall\"\npath_m = [[0.0, 0.0], [1e7, 0.0]]\nheight_m = 1.0\nthickness_m = 0.2",
    ];
    for text in bad {
        let spec: ObstacleSpec = toml::from_str(text).unwrap();
        assert!(matches!(spec.build(1), Err(PlantError::Parameter { .. })), "{text}");
    }
    let unknown = "kind = \"post\"\nheight_m = 1.0\ndiameter_m = 0.1\ncolour = 3";
    assert!(toml::from_str::<ObstacleSpec>(unknown).is_err());
}
