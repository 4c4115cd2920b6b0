//! Distance to the first rod along a horizontal ray: exponential with hazard λ·d.

use glam::{DVec3, Vec3};
use understory_plants::StemsSpec;

#[test]
fn the_first_stem_on_a_ray_is_exponentially_far() {
    let spec = StemsSpec {
        size_x_m: 15.0,
        size_y_m: 40.0,
        stems_per_m2: 40.0,
        diameter_m: 0.02,
        height_m: 0.5,
        sides: 4,
    };
    let hazard = spec.hazard_per_m();
    let triangles_per_stem = 4 * spec.sides as usize - 4;
    let mut distances = Vec::new();
    for seed in 0..6 {
        let plant = spec.grow(seed).unwrap();
        let scene = super::tiled(&plant, [spec.size_x_m, spec.size_y_m], 0);
        // Rays are farther apart than a rod is wide: no rod is met by two, so that they are
        // independent. The x of a rod is that of its foot, the middle of its lower ring.
        let mut y = -19.9;
        while y < 19.9 {
            let from = DVec3::new(-7.6, y, 0.25);
            y += 0.03;
            let Some(hit) = scene.trace_ray(from, Vec3::X, 1e3) else {
                distances.push(spec.size_x_m);
                continue;
            };
            let stem = hit.triangle as usize / triangles_per_stem;
            let ring = &plant.positions[stem * 8..stem * 8 + 4];
            let foot = ring.iter().map(|p| p.x).sum::<f64>() / 4.0;
            assert!((foot - from.x - f64::from(hit.t)).abs() < 0.012);
            distances.push(foot + 0.5 * spec.size_x_m);
        }
    }
    distances.sort_by(f64::total_cmp);
    let n = distances.len() as f64;
    let mut worst: f64 = 0.0;
    for (i, distance) in distances.iter().enumerate() {
        let expected = 1.0 - (-hazard * distance).exp();
        worst = worst.max((expected - i as f64 / n).abs());
        worst = worst.max((expected - (i + 1) as f64 / n).abs());
    }
    // Kolmogorov and Smirnov with error probability 1e-6 (Massart 1990).
    let limit = ((2.0f64 / 1e-6).ln() / (2.0 * n)).sqrt();
    let measured = n / distances.iter().sum::<f64>();
    println!("{n} rays: KS {worst:.4} (limit {limit:.4}), hazard {measured:.4} of {hazard:.4} /m");
    assert!(worst < limit);
    // The maximum-likelihood hazard within 5 standard errors: error probability 6e-7.
    assert!((measured / hazard - 1.0).abs() < 5.0 / n.sqrt());
}
