//! Gaps in crowns, seen from above.

use glam::{DVec3, Vec3};
use understory_plants::{FoliageDensity, PlantSpec, Random, TreeSpec, preset};

/// Share of vertical rays within `radius_m` of the stem that meet nothing.
fn gap_from_above(spec: &TreeSpec, radius_m: f64) -> f64 {
    let plant = spec.grow(1).unwrap();
    let scene = super::tiled(&plant, [1.0, 1.0], 0);
    let mut random = Random::new(9);
    let rays = 20_000;
    let passed = (0..rays)
        .filter(|_| {
            let (sin, cos) = (std::f64::consts::TAU * random.unit()).sin_cos();
            let radius = radius_m * random.unit().sqrt();
            let from = DVec3::new(radius * cos, radius * sin, spec.height_m + 1.0);
            scene.trace_ray(from, Vec3::NEG_Z, 1e3).is_none()
        })
        .count();
    passed as f64 / f64::from(rays)
}

#[test]
fn a_crown_lets_less_light_through_the_more_leaves_it_has() {
    for name in ["apple-outlined", "birch-outlined", "beech-outlined"] {
        let PlantSpec::Tree(spec) = preset(name).unwrap().spec() else { panic!() };
        let radius = 0.5 * spec.crown_width_m;
        let densities = [
            FoliageDensity::LeafAreaM2(0.0),
            FoliageDensity::Low,
            FoliageDensity::Medium,
            FoliageDensity::High,
        ];
        let gaps = densities.map(|foliage_density| {
            gap_from_above(&TreeSpec { foliage_density, ..spec.clone() }, radius)
        });
        println!("{name}: gaps without leaves, low, medium, high: {gaps:.3?}");
        assert!(gaps.windows(2).all(|pair| pair[1] < pair[0]), "{name} {gaps:?}");
        // Wood alone hides little.
        assert!(gaps[0] > 0.7, "{name} {gaps:?}");
        // Leaves on twigs are clumped: more light passes than between as many placed at random
        // (Beer and Lambert), but not three times fewer leaves' worth.
        let depth = spec.leaf_angle.projection(0.0) * spec.leaf_area_index;
        assert!(gaps[2] > (-depth).exp() * gaps[0] * 0.9, "{name} {gaps:?}");
        assert!(gaps[2] < (-depth / 3.0).exp(), "{name} {gaps:?}");
    }
}
