//! The estimators that make ellipsoids of any size.

use glam::{DVec3, Vec3};
use understory_learn::LearnError;
use understory_learn::estimate::TopDown;
use understory_learn::estimate::{Settings, learn};
use understory_learn::input::Beams;
use understory_learn::site::{Gate, Model};

use super::draw::{Random, beams_at, wall};
use super::voxel::{assert_gate, assert_recovered, assert_same, plain, quiet, scattered};

#[test]
fn halving_finds_the_volumes_that_there_are() {
    let mut random = Random(31);
    let volumes = wall(4, 0.003, &mut random);
    let beams = beams_at(&volumes, 12_000, &mut random);
    let mut settings = plain(0.05);
    settings.top_down.target_leaves = Some(volumes.len());
    let (site, report) = learn(&beams, Model::TopDown, &settings, &quiet).unwrap();
    assert_eq!(site.volumes.len(), volumes.len());
    assert!(matches!(site.gate, Gate::Ellipsoid { tau: 2.0 }));
    assert_recovered(&site, &volumes, volumes.len());
    assert_gate(&report);
    assert_eq!(report.beams, 12_000 * volumes.len() as u64);
}

/// Sets that look Gaussian are left whole; three in a thousand do not by chance, so 13 of 16 fail
/// in less than one run of a million.
#[test]
fn halving_stops_where_points_look_gaussian() {
    let mut random = Random(32);
    let volumes = wall(4, 0.015, &mut random);
    let beams = beams_at(&volumes, 12_000, &mut random);
    let mut settings = plain(0.025);
    settings.top_down = TopDown { gaussian_stop: true, ..TopDown::default() };
    let (site, _) = learn(&beams, Model::TopDown, &settings, &quiet).unwrap();
    assert_recovered(&site, &volumes, 12);
}

#[test]
fn growing_finds_the_volumes_that_there_are() {
    let mut random = Random(33);
    let volumes = wall(4, 0.004, &mut random);
    let beams = beams_at(&volumes, 12_000, &mut random);
    let (site, report) = learn(&beams, Model::BottomUp, &plain(0.03), &quiet).unwrap();
    assert_recovered(&site, &volumes, volumes.len());
    assert_gate(&report);
    assert_eq!(report.points, report.beams - report.misses);
}

/// Two volumes behind each other: the nearer shades the farther, and both get their permeability.
#[test]
fn what_stands_behind_is_seen_through_what_stands_before() {
    for model in [Model::Voxel, Model::TopDown, Model::BottomUp] {
        let mut random = Random(34);
        let mut beams = Beams::default();
        let (near, far) = (0.4, 0.7);
        for _ in 0..60_000 {
            let mut spread = || 0.008 * random.normal();
            let origin = DVec3::new(0.0, 0.025 + spread(), 0.025 + spread());
            let range = if random.uniform() > near {
                5.025 + 0.004 * random.normal()
            } else if random.uniform() > far {
                6.025 + 0.004 * random.normal()
            } else {
                f64::INFINITY
            };
            beams.push(origin, Vec3::X, range as f32, f32::NAN, 0);
        }
        let mut settings = plain(0.05);
        settings.top_down.target_leaves = Some(2);
        let (site, _) = learn(&vec![beams], model, &settings, &quiet).unwrap();
        let mut found: Vec<_> = site
            .volumes
            .iter()
            .zip(&site.evidence)
            .filter(|(_, evidence)| evidence.points > 3000)
            .collect();
        found.sort_by(|a, b| a.0.mean_m[0].total_cmp(&b.0.mean_m[0]));
        assert_eq!(found.len(), 2, "{model:?}");
        for ((volume, evidence), permeability) in found.iter().zip([near, far]) {
            let met = f64::from(evidence.stopped + evidence.passed);
            let off = (volume.permeability() - permeability).abs();
            let sigma = (permeability * (1.0 - permeability) / met).sqrt();
            assert!(off < 5.4 * sigma, "{model:?}: {off} with {sigma}");
        }
    }
}

/// The same beams in other batches and another order make the same ellipsoids.
#[test]
fn order_and_batches_do_not_matter() {
    let mut random = Random(35);
    let beams = scattered(6000, 500, &mut random);
    let settings = Settings { cell_m: 0.2, ..Settings::default() };
    let turned: Vec<Beams> = beams.iter().rev().cloned().collect();
    for model in [Model::TopDown, Model::BottomUp] {
        let (site, report) = learn(&beams, model, &settings, &quiet).unwrap();
        let (other, _) = learn(&turned, model, &settings, &quiet).unwrap();
        assert_same(&site, &other);
        assert!(site.volumes.len() > 10, "{}", site.volumes.len());
        assert!(report.counts.stopped > 1000);
        let nothing = learn(&vec![Beams::default()], model, &settings, &quiet);
        assert!(matches!(nothing, Err(LearnError::NothingToLearn { .. })));
    }
}
