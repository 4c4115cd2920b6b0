//! Gap fractions of boxes of leaves against exp(−G·LAI/cos θ).
//!
//! The box is laid side by side with copies of itself, so that it has no sides. Two errors remain.
//! Rays: n of them give a standard deviation of √(P(1−P)/n). Leaves: one box of N leaves differs
//! from the mean of all by about P·m·√(a/(2 cos θ)), where m = −ln P and a = LAI/N is the leaf's
//! area over the ground's (second order of the overlap of leaves; the first vanishes since N is
//! fixed). The bias by fixed N, P·m²/2N, is below 1e-5.

use std::f64::consts::TAU;

use glam::DVec3;
use understory_geometry::RayScene;
use understory_plants::{LeafAngle, LeafVolumeSpec, Random};

/// Share of `rays` rays under a zenith angle, of random azimuth, that meet nothing.
fn gap_fraction(scene: &RayScene, top_m: f64, zenith_rad: f64, rays: u32, seed: u64) -> f64 {
    let mut random = Random::new(seed);
    let (sin, cos) = zenith_rad.sin_cos();
    let mut passed = 0;
    for _ in 0..rays {
        let from = DVec3::new(random.unit() - 0.5, random.unit() - 0.5, top_m);
        let azimuth = TAU * random.unit();
        let direction = DVec3::new(sin * azimuth.cos(), sin * azimuth.sin(), -cos);
        passed += u32::from(scene.trace_ray(from, direction.as_vec3(), 1e6).is_none());
    }
    f64::from(passed) / f64::from(rays)
}

/// Standard deviation of what [`gap_fraction`] gives, by the rays and by the leaves.
fn deviations(expected: f64, rays: u32, leaf_area_m2: f64, zenith_rad: f64) -> [f64; 2] {
    let of_rays = (expected * (1.0 - expected) / f64::from(rays)).sqrt();
    let of_leaves = -expected * expected.ln() * (leaf_area_m2 / (2.0 * zenith_rad.cos())).sqrt();
    [of_rays, of_leaves]
}

#[test]
fn a_cube_of_spherical_leaves_of_index_two_passes_one_over_e() {
    let spec = LeafVolumeSpec { leaf_area_m2: 1e-5, ..LeafVolumeSpec::default() };
    let scene = super::tiled(&spec.grow(1).unwrap(), [1.0, 1.0], 1);
    let rays = 400_000;
    let gap = gap_fraction(&scene, 2.0, 0.0, rays, 2);
    let expected = (-1.0f64).exp();
    let [of_rays, of_leaves] = deviations(expected, rays, spec.leaf_area_m2, 0.0);
    println!("vertical gap {gap:.5}, expected {expected:.5} ± {of_rays:.5} ± {of_leaves:.5}");
    assert!(of_rays < 0.003 * expected);
    // Both together are 0.0011: 0.01 is 9 deviations, error probability below 1e-15; the tighter
    // bound is 5 of them, 6e-7.
    assert!((gap - expected).abs() < 0.01);
    assert!((gap - expected).abs() < 5.0 * of_rays.hypot(of_leaves));
}

/// One test for each distribution, so that they run beside each other.
fn follows_beer_and_lambert(leaf_angle: LeafAngle) {
    let rays = 120_000;
    let spec = LeafVolumeSpec { leaf_angle, leaf_area_m2: 2e-5, ..LeafVolumeSpec::default() };
    let scene = super::tiled(&spec.grow(10).unwrap(), [1.0, 1.0], 5);
    for degrees in [0.0f64, 30.0, 57.5, 70.0] {
        let zenith = degrees.to_radians();
        let gap = gap_fraction(&scene, 1.1, zenith, rays, 7);
        let expected = leaf_angle.gap_fraction(2.0, zenith);
        let [of_rays, of_leaves] = deviations(expected, rays, spec.leaf_area_m2, zenith);
        let sd = of_rays.hypot(of_leaves);
        println!("{leaf_angle:?} {degrees:4}°: {gap:.4}, expected {expected:.4} ± {sd:.4}");
        // At least 5 deviations: error probability 6e-7 for each view.
        assert!(sd < 0.002);
        assert!((gap - expected).abs() < 0.01, "{leaf_angle:?} {degrees}° {gap} {expected}");
    }
}

#[test]
fn spherical_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Spherical);
}

#[test]
fn planophile_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Planophile);
}

#[test]
fn erectophile_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Erectophile);
}

#[test]
fn plagiophile_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Plagiophile);
}

#[test]
fn extremophile_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Extremophile);
}

#[test]
fn uniformly_inclined_leaves_follow_beer_and_lambert_at_every_view() {
    follows_beer_and_lambert(LeafAngle::Uniform);
}

#[test]
fn gaps_depend_on_the_index_and_not_on_the_shape_of_the_leaves() {
    use understory_plants::LeafShape;
    let rays = 100_000;
    let cases = [
        (0.5, LeafShape::Oval, 0.5),
        (1.0, LeafShape::Lanceolate, 0.3),
        (3.0, LeafShape::Rectangle, 0.05),
        (4.0, LeafShape::Deltoid, 0.8),
    ];
    for (leaf_area_index, leaf_shape, leaf_width_per_length) in cases {
        let spec = LeafVolumeSpec {
            leaf_area_index,
            leaf_shape,
            leaf_width_per_length,
            ..LeafVolumeSpec::default()
        };
        let scene = super::tiled(&spec.grow(5).unwrap(), [1.0, 1.0], 1);
        let gap = gap_fraction(&scene, 2.0, 0.3, rays, 8);
        let expected = LeafAngle::Spherical.gap_fraction(leaf_area_index, 0.3);
        println!("{leaf_shape:?} {leaf_area_index}: {gap:.4}, expected {expected:.4}");
        assert!((gap - expected).abs() < 0.01);
    }
}
