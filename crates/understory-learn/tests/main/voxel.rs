//! The voxel estimator.

use crate::march::March;
use glam::{DVec3, Vec3};
use understory_learn::LearnError;
use understory_learn::estimate::cells::{CellIndex, Cells};
use understory_learn::estimate::voxel::{self, Geometry, VoxelCounts};
use understory_learn::estimate::{Report, Settings, Tau, learn};
use understory_learn::input::Beams;
use understory_learn::site::{Gate, Model, Site};
use understory_learn::volume::{BeamCounts, fate};
use understory_learn::volume::{PointUncertainty, Regularisation};

use super::draw::{Known, Random, beams_at, chi_square_mean, plausible, wall};

/// Shapes as the points say, nothing added.
pub fn plain(cell_m: f64) -> Settings {
    Settings {
        cell_m,
        sensor: PointUncertainty { sigma_range_m: 0.0, encoder_step_rad: 0.0, divergence_rad: 0.0 },
        regularisation: Regularisation {
            prior_points: 0.0,
            sigma_min_m: 1e-5,
            eigenvalue_ratio_min: 1e-9,
        },
        ..Settings::default()
    }
}

pub fn quiet(_: &str, _: f64) {}

#[test]
fn a_site_drawn_from_the_model_is_recovered() {
    let mut random = Random(11);
    let volumes = wall(5, 0.003, &mut random);
    let each = 20_000;
    let beams = beams_at(&volumes, each, &mut random);
    let (site, report) = learn(&beams, Model::Voxel, &plain(0.1), &quiet).unwrap();
    // The volumes are a tenth of their cells: what lies outside is less than one point in a million.
    assert_recovered(&site, &volumes, volumes.len());
    assert_gate(&report);
    assert_eq!(report.beams, (each * volumes.len()) as u64);
}

/// A ray through a point of a Gaussian comes nearer than 2 with χ²₂(4) = 0.864664717.
pub fn assert_gate(report: &Report) {
    let counts = report.counts;
    let share = counts.orphaned as f64 / (counts.orphaned + counts.stopped) as f64;
    assert!((share - (1.0 - 0.864_664_717)).abs() < 0.005, "{share}");
}

/// At least so many volumes were found with the means, covariances and permeabilities that they
/// have, each but for one in a million.
pub fn assert_recovered(site: &Site, volumes: &[Known], least: usize) {
    let (mut off_mean, mut valid) = (0.0, 0);
    for known in volumes {
        let (k, learned) = site
            .volumes
            .iter()
            .enumerate()
            .filter(|(k, _)| site.evidence[*k].points > 500)
            .map(|(k, volume)| (k, volume.gaussian()))
            .min_by(|(_, a), (_, b)| {
                let away = |mean: DVec3| (mean + site.origin - known.mean).length();
                away(a.mean).total_cmp(&away(b.mean))
            })
            .unwrap();
        let evidence = site.evidence[k];
        let n = f64::from(evidence.points);
        let off = known.factor.inverse() * (learned.mean + site.origin - known.mean);
        // In the known volume's own axes the covariance is the identity.
        let inverse = known.factor.inverse();
        let own = inverse * learned.precision.inverse() * inverse.transpose();
        let [low, high] = chi_square_mean(1.0, n);
        let shaped = (0..3).all(|axis| {
            (low..high).contains(&own.col(axis)[axis])
                && own.col(axis)[(axis + 1) % 3].abs() < 5.4 / n.sqrt()
        });
        let met = u64::from(evidence.stopped + evidence.passed);
        let lit = plausible(u64::from(evidence.passed), met, known.permeability);
        let depth = f64::from(site.volumes[k].depth);
        assert!((depth + (f64::from(evidence.passed) / met as f64).ln()).abs() < 1e-6);
        if shaped && lit {
            valid += 1;
            off_mean += n * off.length_squared();
        } else if least == volumes.len() {
            panic!("{own} of {n} points, {evidence:?} for {}", known.permeability);
        }
    }
    assert!(valid >= least, "{valid} of {}", volumes.len());
    let [low, high] = chi_square_mean(3.0, valid as f64);
    let mean_square = off_mean / valid as f64;
    assert!((low..high).contains(&mean_square), "{mean_square}");
}

/// By beams one at a time, voxel by voxel, with Welford's moments.
fn by_hand(beams: &[Beams], settings: &Settings, tau: f64) -> Vec<(CellIndex, BeamCounts)> {
    let mut cells = Cells::new(settings.cell_m);
    beams.iter().for_each(|batch| cells.add(batch, settings.range_max_m));
    let geometry = Geometry::new(&cells, settings).unwrap();
    let origin = geometry.bricks.origin();
    let mut counts = vec![BeamCounts::default(); geometry.cells.len()];
    for batch in beams {
        for k in 0..batch.len() {
            let range = f64::from(batch.range_m[k]);
            let range = if range < settings.range_max_m { range } else { f64::INFINITY };
            let from = batch.origin[k] - origin;
            let direction = batch.direction[k].as_dvec3();
            let end = settings.range_max_m.min(30.0);
            for crossing in March::new(from, direction, settings.cell_m, 0.0, end) {
                let cell = crossing.voxel + geometry.bricks.base();
                let found = geometry.cells.iter().position(|c| c.index.wide() == cell);
                let Some(found) = found else { continue };
                // The last voxel is cut at the largest range.
                if crossing.leave_m >= end && range.is_infinite() {
                    continue;
                }
                let near = geometry.gaussians[found].approach(from, direction);
                let fate = fate(range, crossing.enter_m, crossing.leave_m, near.distance, tau);
                counts[found].add(fate);
            }
        }
    }
    geometry.cells.iter().map(|cell| cell.index).zip(counts).collect()
}

pub fn scattered(count: usize, rays: u64, random: &mut Random) -> Vec<Beams> {
    let mut batches = vec![Beams::default(); 3];
    for k in 0..count {
        // Some rays are sent again and again, as by a static scanner.
        let mut ray = Random(random.0 % rays * 977);
        let direction = DVec3::new(1.0, ray.uniform() - 0.5, ray.uniform() - 0.5).normalize();
        let origin = DVec3::new(0.0, ray.uniform(), 0.3);
        let range = match random.uniform() {
            u if u < 0.2 => f64::INFINITY,
            u if u < 0.3 => 9.0,
            _ => 2.0 + random.uniform(),
        };
        batches[k % 3].push(origin, direction.as_vec3(), range as f32, 0.5, (k % 3) as u16);
    }
    batches
}

#[test]
fn beams_are_counted_as_one_by_one() {
    let mut random = Random(5);
    let beams = scattered(1500, 60, &mut random);
    for range_max_m in [f64::INFINITY, 8.0, 2.6] {
        let settings = Settings { cell_m: 0.3, range_max_m, ..Settings::default() };
        let expected = by_hand(&beams, &settings, 2.0);
        let (cells, _) = voxel::gather(&beams, &settings, &quiet).unwrap();
        let geometry = Geometry::new(&cells, &settings).unwrap();
        let counts = voxel::count(&beams, &geometry, 2.0, &settings, &quiet).unwrap();
        for ((index, expected), (cell, counted)) in
            expected.iter().zip(geometry.cells.iter().zip(&counts.cells))
        {
            assert_eq!((*index, *expected), (cell.index, *counted), "{range_max_m}");
        }
        let all: u64 = counts.cells.iter().map(|c| c.stopped + c.orphaned).sum();
        // Every beam that returned ended in a cell.
        assert_eq!(all, cells.points());
        assert_eq!(counts.beams - counts.misses, cells.points());
    }
}

/// Beams along one ray: what is learned gives the distribution of their ranges back, exactly.
#[test]
fn one_ray_is_reproduced_exactly() {
    let mut random = Random(8);
    let mut beams = Beams::default();
    for _ in 0..997 {
        let range = match random.uniform() {
            u if u < 0.3 => f64::INFINITY,
            _ => 3.0 + random.uniform() * 1.5,
        };
        beams.push(DVec3::new(0.0, 0.02, 0.03), Vec3::X, range as f32, f32::NAN, 0);
    }
    let ranges = beams.range_m.clone();
    let (site, _) = learn(&vec![beams], Model::Voxel, &Settings::default(), &quiet).unwrap();
    let mut volumes: Vec<_> = site.volumes.iter().collect();
    volumes.sort_by(|a, b| a.mean_m[0].total_cmp(&b.mean_m[0]));
    let mut reach = 1.0;
    for volume in volumes {
        let [low, high] = site.cell(volume).map(|corner| corner.x + site.origin.x);
        let ended = ranges.iter().filter(|r| (low..high).contains(&f64::from(**r))).count();
        let share = reach * (1.0 - volume.permeability());
        assert!((share - ended as f64 / 997.0).abs() < 1e-6);
        reach *= volume.permeability();
    }
    let missed = ranges.iter().filter(|r| r.is_infinite()).count();
    assert!((reach - missed as f64 / 997.0).abs() < 1e-6);
}

/// Parts that went through both passes apart, in any order, make the same site.
#[test]
fn parts_merge_to_the_whole() {
    let mut random = Random(3);
    let beams = scattered(3000, 200, &mut random);
    let settings = Settings { cell_m: 0.1, ..Settings::default() };
    let whole = learn(&beams, Model::Voxel, &settings, &quiet).unwrap();
    for order in [vec![0, 1, 2], vec![2, 0, 1], vec![1, 2, 0]] {
        let mut cells = Cells::new(settings.cell_m);
        for part in &order {
            cells.merge(&voxel::gather(&vec![beams[*part].clone()], &settings, &quiet).unwrap().0);
        }
        let geometry = Geometry::new(&cells, &settings).unwrap();
        let mut counts: Option<VoxelCounts> = None;
        for part in &order {
            let part = vec![beams[*part].clone()];
            let counted = voxel::count(&part, &geometry, 2.0, &settings, &quiet).unwrap();
            match &mut counts {
                None => counts = Some(counted),
                Some(counts) => counts.merge(&counted),
            }
        }
        let (site, _) = voxel::site(&geometry, &counts.unwrap(), 2.0, &settings);
        assert_same(&site, &whole.0);
    }
}

/// Equal, NaN or not.
pub fn assert_same(a: &Site, b: &Site) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn volumes_stay_in_their_cells_and_the_gate_can_choose_itself() {
    let mut random = Random(21);
    let beams = scattered(4000, 4000, &mut random);
    let settings = Settings { cell_m: 0.05, tau: Tau::Auto, ..Settings::default() };
    let (site, report) = learn(&beams, Model::Voxel, &settings, &quiet).unwrap();
    assert!(matches!(site.gate, Gate::Cell { tau } if f64::from(tau) >= 2.0));
    assert!(report.tau <= 2.0 || report.counts.orphaned_share() <= 0.1, "{}", report.tau);
    for volume in &site.volumes {
        let [low, high] = site.cell(volume);
        let mean = Vec3::from(volume.mean_m).as_dvec3();
        assert!(mean.cmpge(low - 1e-9).all() && mean.cmplt(high + 1e-9).all());
        assert!(volume.gaussian().precision.is_finite());
    }
    let mut seen: Vec<_> = site.volumes.iter().map(|v| format!("{:?}", site.cell(v)[0])).collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), site.volumes.len());
    assert_eq!(
        report.volumes + report.unobserved,
        u64::try_from(seen.len()).unwrap() + report.unobserved
    );
}

#[test]
fn nothing_to_learn_and_nonsense_are_refused() {
    let mut beams = Beams::default();
    beams.push(DVec3::ZERO, Vec3::X, f32::INFINITY, f32::NAN, 0);
    let nothing = learn(&vec![beams.clone()], Model::Voxel, &Settings::default(), &quiet);
    assert!(matches!(nothing, Err(LearnError::NothingToLearn { beams: 1, .. })));
    for settings in [
        Settings { cell_m: 0.0, ..Settings::default() },
        Settings { cell_m: f64::NAN, ..Settings::default() },
        Settings { tau: Tau::Fixed(-1.0), ..Settings::default() },
        Settings { range_max_m: 0.0, ..Settings::default() },
    ] {
        let refused = learn(&vec![beams.clone()], Model::Voxel, &settings, &quiet);
        assert!(matches!(refused, Err(LearnError::BadSetting { .. })));
    }
    beams.push(DVec3::ZERO, Vec3::X, 3.0, f32::NAN, 0);
    beams.push(DVec3::new(9000.0, 0.0, 0.0), Vec3::X, 3.0, f32::NAN, 0);
    let large = learn(&vec![beams], Model::Voxel, &Settings::default(), &quiet);
    assert!(matches!(large, Err(LearnError::TooLarge { .. })));
}
