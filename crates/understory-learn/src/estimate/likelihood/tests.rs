//! Sites drawn from the model itself, by code of its own, and learned again.

use glam::{DMat3, DVec3, Vec3};

use super::*;
use crate::volume::gaussian::Gaussian;

/// Numbers in 0…1 (Lehmer).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

/// True volumes with their depths.
fn truth() -> Vec<(Gaussian, f64)> {
    let volume = |x: f64, sigmas: [f64; 3], depth: f64| {
        let covariance = DMat3::from_diagonal(DVec3::from(sigmas).map(|s| s * s));
        (Gaussian::new(DVec3::new(x, 0.0, 0.0), covariance).unwrap(), depth)
    };
    vec![volume(6.0, [0.02, 0.04, 0.04], 0.9), volume(6.5, [0.03, 0.05, 0.03], 2.0)]
}

/// Probability that a ray is stopped by each volume, with the range and spread there, by the order
/// of the nearest approach.
fn stops(volumes: &[(Gaussian, f64)], origin: DVec3, direction: DVec3) -> Vec<[f64; 3]> {
    let mut met: Vec<[f64; 3]> = volumes
        .iter()
        .filter_map(|(gaussian, depth)| {
            let near = gaussian.approach(origin, direction);
            let stop = 1.0 - (-depth * (-0.5 * near.distance.powi(2)).exp()).exp();
            (near.distance < Gate::SOFT_CUT).then_some([near.range_m, near.sigma_m, stop])
        })
        .collect();
    met.sort_by(|a, b| a[0].total_cmp(&b[0]));
    met
}

const BEAMS_PER_RAY: usize = 60;

/// Rays 6 mm apart at the volumes.
fn rays() -> Vec<Vec3> {
    (-20..=20)
        .flat_map(|i| (-20..=20).map(move |j| (i, j)))
        .map(|(i, j)| {
            Vec3::new(1.0, f64::from(i) as f32 * 1e-3, f64::from(j) as f32 * 1e-3).normalize()
        })
        .collect()
}

fn drawn(seed: u64) -> Beams {
    let (truth, mut numbers, mut beams) = (truth(), Numbers(seed), Beams::default());
    for _ in 0..BEAMS_PER_RAY {
        for direction in rays() {
            let met = stops(&truth, DVec3::ZERO, direction.as_dvec3());
            let hit = met.iter().find(|[.., stop]| numbers.uniform() < *stop);
            let range_m = hit.map_or(f64::INFINITY, |[t, sigma, _]| t + sigma * numbers.normal());
            beams.push(DVec3::ZERO, direction, range_m as f32, 0.3, 0);
        }
    }
    beams
}

/// Shares of beams that are stopped in the first and in the second volume, and their ranges, over
/// rays at like distances from the axis, against the truth. With 60 beams on some hundred rays a
/// share has a standard error below 0.006, and six of it are allowed, with 0.01 for rays that share
/// volumes: a gate without its exponential, or a depth that is a tenth wrong, is 0.04 off.
#[test]
fn a_site_drawn_from_the_model_is_recovered() {
    let settings = Settings {
        sensor: crate::volume::gaussian::PointUncertainty {
            sigma_range_m: 0.005,
            encoder_step_rad: 0.001,
            divergence_rad: 0.001,
        },
        // As wide as the volumes of the truth.
        widening: Some(1.0),
        ..Settings::default()
    };
    let beams = vec![drawn(7)];
    let rule = LikelihoodSettings::default();
    let (site, report, fit) = learn(&beams, &settings, &rule, &understory_base::Silent).unwrap();
    assert_eq!(report.beams as usize, rays().len() * BEAMS_PER_RAY);
    assert!(fit.mean_log_likelihood.windows(2).all(|pair| pair[1] > pair[0] - 1e-6), "{fit:?}");
    let learned: Vec<(Gaussian, f64)> =
        site.volumes.iter().map(|v| (v.gaussian(), f64::from(v.depth))).collect();
    let split_m = 6.25;
    let summed = |volumes: &[(Gaussian, f64)], origin: DVec3, direction: DVec3| {
        let (mut reach, mut sums) = (1.0, [0.0; 4]);
        for [t, _, stop] in stops(volumes, origin, direction) {
            let second = usize::from(t > split_m);
            sums[second] += reach * stop;
            sums[2 + second] += reach * stop * t;
            reach *= 1.0 - stop;
        }
        sums
    };
    for ring in 0..4 {
        let (mut ours, mut true_ones, mut count) = ([0.0; 4], [0.0; 4], 0.0);
        for direction in rays() {
            let direction = direction.as_dvec3();
            let off = (direction.y.hypot(direction.z) / direction.x) * 1e3;
            if (off / 5.0) as usize != ring {
                continue;
            }
            let a = summed(&learned, -site.origin, direction);
            let b = summed(&truth(), DVec3::ZERO, direction);
            for k in 0..4 {
                ours[k] += a[k];
                true_ones[k] += b[k];
            }
            count += 1.0;
        }
        for k in 0..2 {
            let (a, b) = (ours[k] / count, true_ones[k] / count);
            let error = (b * (1.0 - b) / (count * BEAMS_PER_RAY as f64)).sqrt();
            assert!((a - b).abs() < 6.0 * error + 0.01, "ring {ring}, volume {k}: {a} for {b}");
            if b > 0.05 {
                let (a, b) = (ours[2 + k] / ours[k], true_ones[2 + k] / true_ones[k]);
                assert!((a - b).abs() < 0.004, "ring {ring}, range of volume {k}: {a} for {b}");
            }
        }
    }
}

/// Nothing depends on the order of the beams of a batch.
#[test]
fn the_order_of_the_beams_changes_nothing() {
    let whole = drawn(3);
    let mut turned = Beams::default();
    for beam in (0..whole.len()).rev() {
        turned.push(whole.origin[beam], whole.direction[beam], whole.range_m[beam], 0.3, 0);
    }
    let settings = Settings::default();
    let rule = LikelihoodSettings { rounds: 3, ..LikelihoodSettings::default() };
    let site =
        |beams: Beams| learn(&vec![beams], &settings, &rule, &understory_base::Silent).unwrap().0;
    assert_eq!(site(whole).volumes, site(turned).volumes);
}

#[test]
fn nothing_is_learned_from_nothing() {
    let rule = LikelihoodSettings::default();
    let none: Vec<Beams> = vec![Beams::default()];
    let refused = learn(&none, &Settings::default(), &rule, &understory_base::Silent);
    assert!(matches!(refused, Err(LearnError::NothingToLearn { .. })));
    let mut sky = Beams::default();
    sky.push(DVec3::ZERO, Vec3::Z, f32::INFINITY, f32::NAN, 0);
    let refused = learn(&vec![sky], &Settings::default(), &rule, &understory_base::Silent);
    assert!(matches!(refused, Err(LearnError::NothingToLearn { beams: 1, .. })));
}
