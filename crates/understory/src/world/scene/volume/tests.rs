//! Laws are tested over many pulses with five standard errors or a Kolmogorov–Smirnov bound of
//! 2.7/√n: each is exceeded by chance less than once in a million.

use super::*;
use glam::DQuat;
use understory_base::normal;
use understory_learn::site::{Evidence, Model, Provenance};

const MAX_M: f64 = 500.0;

fn number(k: u64) -> f64 {
    PulseKey::new(12345, 7, k).draws(0, 0).uniform(0)
}

fn spread(k: u64) -> DVec3 {
    DVec3::new(number(3 * k), number(3 * k + 1), number(3 * k + 2))
}

fn covariance(sigma_m: DVec3, turn: DQuat) -> DMat3 {
    let turn = DMat3::from_quat(turn);
    turn * DMat3::from_diagonal(sigma_m * sigma_m) * turn.transpose()
}

fn volume(mean: DVec3, covariance: DMat3, depth: f64) -> Volume {
    Volume::new(&Gaussian::new(mean, covariance).unwrap(), depth)
}

fn site(gate: Gate, volumes: Vec<Volume>) -> Site {
    Site {
        origin: DVec3::ZERO,
        model: Model::Likelihood,
        gate,
        cell_m: 0.05,
        evidence: vec![Evidence::default(); volumes.len()],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance::default(),
    }
}

fn place(world_from_site: Pose, draw: RangeDraw) -> SitePlace {
    SitePlace {
        name: "a site".into(),
        world_from_site,
        surface: Surface { object: 4, material: 2, label: 70, volume: 0 },
        rays: SiteRays::Auto,
        draw,
        number: 0,
    }
}

fn placed(site: &Site, draw: RangeDraw) -> PlacedSite {
    site.check().unwrap();
    PlacedSite::new(site, place(Pose::IDENTITY, draw)).unwrap()
}

fn returns(site: &PlacedSite, from: DVec3, along: DVec3, pulses: u64) -> Vec<VolumeReturn> {
    let ask = |p| site.first_return(from, along, MAX_M, PulseKey::new(1, 0, p), 0);
    (0..pulses).filter_map(ask).collect()
}

/// Whether `count` of `n` may come from the probability `share`.
fn binomial(what: &str, count: usize, n: u64, share: f64) {
    let error = (share * (1.0 - share) * n as f64).sqrt();
    let off = (count as f64 - share * n as f64) / error.max(1e-9);
    assert!(off.abs() < 5.0, "{what}: {count} of {n} where {share} is expected, {off:.1} errors");
}

fn kolmogorov_smirnov(what: &str, mut values: Vec<f64>, law: impl Fn(f64) -> f64) {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let off = values.iter().enumerate().map(|(k, v)| {
        let p = law(*v);
        (p - k as f64 / n).abs().max((p - (k + 1) as f64 / n).abs())
    });
    let d = off.fold(0.0, f64::max);
    assert!(n > 1000.0 && d < 2.7 / n.sqrt(), "{what}: D is {d} of {n} values");
}

#[test]
fn one_soft_volume_stops_and_spreads_as_its_law_says() {
    let shape = covariance(DVec3::new(0.03, 0.02, 0.01), DQuat::from_rotation_z(0.6));
    let gaussian = Gaussian::new(DVec3::new(8.0, 0.1, -0.2), shape).unwrap();
    let site = placed(&site(Gate::Soft, vec![Volume::new(&gaussian, 0.7)]), RangeDraw::Literal);
    let n = 40_000;
    for (k, off) in [0.0, 0.01, 0.02, 0.035].into_iter().enumerate() {
        let along = (gaussian.mean + DVec3::new(0.0, off, 0.3 * off)).normalize();
        let approach = gaussian.approach(DVec3::ZERO, along);
        let met = returns(&site, DVec3::ZERO, along, n);
        let share = 1.0 - (-Gate::Soft.depth_at(0.7, approach.distance)).exp();
        binomial(&format!("offset {off}"), met.len(), n, share);
        if k < 2 {
            let z = met.iter().map(|r| (r.distance_m - approach.range_m) / approach.sigma_m);
            kolmogorov_smirnov("ranges", z.collect(), normal::cdf);
            assert!(met.iter().all(|r| (r.position_m - approach.range_m).abs() < 1e-9));
        }
    }
    // Beyond its reach it is not met at all.
    let aside = DVec3::new(8.0, 0.1, 0.0).normalize();
    assert!(returns(&site, DVec3::ZERO, aside, 1000).is_empty());
    assert!(returns(&site, DVec3::ZERO, -gaussian.mean.normalize(), 1000).is_empty(), "behind");
}

#[test]
fn the_first_of_two_in_series_hides_the_second() {
    let round = covariance(DVec3::splat(0.01), DQuat::IDENTITY);
    for gate in [Gate::Soft, Gate::Ellipsoid { tau: 2.0 }, Gate::Cell { tau: 2.0 }] {
        let at = |x: f64| DVec3::new(x, 0.025, 0.025);
        // In the file the farther one comes first.
        let volumes = vec![volume(at(9.025), round, 1.5), volume(at(5.025), round, 0.4)];
        let site = placed(&site(gate, volumes), RangeDraw::Truncated);
        let n = 40_000;
        let met = returns(&site, at(0.0), DVec3::X, n);
        let of = |volume| met.iter().filter(|r| r.surface.volume == volume).count();
        let (h1, h2) = (1.0 - (-0.4f64).exp(), 1.0 - (-1.5f64).exp());
        binomial("the nearer", of(2), n, h1);
        binomial("the farther", of(1), n, (1.0 - h1) * h2);
        let near = site.first_return(at(0.0), DVec3::X, 5.0, PulseKey::new(1, 0, 0), 0);
        assert_eq!(near, None, "{gate:?}: both stand farther than what hides them");
    }
}

/// A square of uniform points in a voxel has σ = s/√12; where rays pass farther than 2σ from its
/// middle, in the corners, the hard gate lets them through: 1 − (4π − 4(4·acos(√3/2) − √3))/12.
#[test]
fn beams_miss_the_corners_of_a_planar_voxel() {
    let sigma = 0.05 / 12f64.sqrt();
    let flat = covariance(DVec3::new(0.005, sigma, sigma), DQuat::IDENTITY);
    let wall = volume(DVec3::new(8.02, 0.025, 0.025), flat, f64::INFINITY);
    let site = placed(&site(Gate::Cell { tau: 2.0 }, vec![wall]), RangeDraw::Truncated);
    let half = 3f64.sqrt();
    let segment = 4.0 * (half / 2.0).acos() - half;
    let missed = 1.0 - (4.0 * std::f64::consts::PI - 4.0 * segment) / 12.0;
    assert!((missed - 0.0736).abs() < 1e-4);
    let n = 200_000;
    let passes = (0..n)
        .filter(|&k| {
            let from = DVec3::new(0.0, number(2 * k) * 0.05, number(2 * k + 1) * 0.05);
            site.first_return(from, DVec3::X, MAX_M, PulseKey::new(2, 0, k), 0).is_none()
        })
        .count();
    binomial("corners", passes, n, missed);
    // Beside the cell nothing is met, however near.
    let beside = DVec3::new(0.0, -0.0001, 0.025);
    assert!(returns(&site, beside, DVec3::X, 100).is_empty());
}

#[test]
fn truncated_ranges_stay_inside_and_literal_ones_do_not() {
    // σ_t = 20 mm about 8.02 m in the cell 8.00 … 8.05 m (test vector 1.7).
    let shape = covariance(DVec3::new(0.02, 0.01, 0.01), DQuat::IDENTITY);
    let wall = volume(DVec3::new(8.02, 0.025, 0.025), shape, f64::INFINITY);
    let site = site(Gate::Cell { tau: 2.0 }, vec![wall]);
    let from = DVec3::new(0.0, 0.025, 0.025);
    let (low, high) = (normal::cdf(-1.0), normal::cdf(1.5));
    let ranges = |draw| {
        let met = returns(&placed(&site, draw), from, DVec3::X, 20_000);
        met.iter().map(|r| r.distance_m).collect::<Vec<_>>()
    };
    let drawn = ranges(RangeDraw::Truncated);
    assert!(drawn.iter().all(|r| (7.9999..=8.0501).contains(r)));
    // The mean is f32: 8.02 to 0.2 µm.
    let law = |r: f64| (normal::cdf((r - 8.02) / 0.02) - low) / (high - low);
    kolmogorov_smirnov("truncated", drawn, law);
    let outside = ranges(RangeDraw::Literal).iter().filter(|r| **r < 8.0 || **r > 8.05).count();
    binomial("literal", outside, 20_000, 0.225_462_455);
}

#[test]
fn the_learned_sensors_noise_is_taken_out() {
    let shape = covariance(DVec3::new(0.01, 0.02, 0.02), DQuat::IDENTITY);
    let mut site = site(Gate::Soft, vec![volume(DVec3::X * 10.0, shape, 20.0)]);
    site.provenance.sigma_range_m = 0.008;
    let met = returns(&placed(&site, RangeDraw::Truncated), DVec3::ZERO, DVec3::X, 20_000);
    let z = met.iter().map(|r| (r.distance_m - 10.0) / 0.006).collect();
    kolmogorov_smirnov("ranges", z, normal::cdf);
    site.provenance.sigma_range_m = 0.02;
    let met = returns(&placed(&site, RangeDraw::Truncated), DVec3::ZERO, DVec3::X, 1000);
    assert!(met.iter().all(|r| (r.distance_m - 10.0).abs() < 6.0 * SIGMA_MIN_M));
}

#[test]
fn intensities_and_labels_are_those_that_were_learned() {
    let round = covariance(DVec3::splat(0.01), DQuat::IDENTITY);
    let mut known = volume(DVec3::X * 10.0, round, f64::INFINITY);
    known.intensity_mean = f16::from_f64(0.3);
    known.intensity_sigma = f16::from_f64(0.05);
    known.label = 71;
    let unknown = volume(DVec3::Y * 10.0, round, f64::INFINITY);
    let site =
        placed(&site(Gate::Ellipsoid { tau: 2.0 }, vec![known, unknown]), RangeDraw::Literal);
    let met = returns(&site, DVec3::ZERO, DVec3::X, 20_000);
    let mean = f16::from_f64(0.3).to_f64();
    let sigma = f16::from_f64(0.05).to_f64();
    let z = met.iter().map(|r| (f64::from(r.intensity) - mean) / sigma).collect();
    kolmogorov_smirnov("intensities", z, normal::cdf);
    assert_eq!(met[0].surface, Surface { object: 4, material: 2, label: 71, volume: 1 });
    let met = returns(&site, DVec3::ZERO, DVec3::Y, 10);
    assert!(met.iter().all(|r| r.intensity == 0.5));
    assert_eq!(met[0].surface, Surface { object: 4, material: 2, label: 70, volume: 2 });
}

/// Volumes of all sorts in a box of 4 m.
fn thicket(gate: Gate, count: u64) -> Site {
    let volumes = (0..count)
        .map(|k| {
            let sizes = DVec3::splat(0.004) + spread(3 * k + 1) * spread(3 * k + 1) * 0.08;
            let turn = DQuat::from_scaled_axis(spread(3 * k + 2) * 5.0);
            let mut volume =
                volume(spread(3 * k) * 4.0, covariance(sizes, turn), 3.0 * number(90_000 + k));
            volume.level = (k % 3) as u8;
            volume
        })
        .collect();
    Site { cell_m: 0.2, ..site(gate, volumes) }
}

fn random_ray(k: u64) -> (DVec3, DVec3) {
    let from = spread(700_000 + 2 * k) * 12.0 - 4.0;
    let to = spread(700_001 + 2 * k) * 4.0;
    (from, (to - from).normalize())
}

const GATES: [Gate; 3] = [Gate::Cell { tau: 2.0 }, Gate::Ellipsoid { tau: 2.0 }, Gate::Soft];

/// The tree leaves out no volume that asking all of them finds.
#[test]
fn the_tree_finds_what_asking_all_volumes_finds() {
    for gate in GATES {
        let site = placed(&thicket(gate, 3000), RangeDraw::Truncated);
        let (mut hits, mut farther) = (0, 0);
        for k in 0..3000 {
            let (from, along) = random_ray(k);
            let nearer_than_m = if k % 3 == 0 { 6.0 * number(k) } else { MAX_M };
            let key = PulseKey::new(3, 0, k);
            let found = site.first_return(from, along, nearer_than_m, key, 5);
            let expected = site.ray(from, along).and_then(|ray| {
                let draws = key.draws(0, 5);
                let search = Search::new(&site, &ray, nearer_than_m, draws);
                let stops = site.volumes.iter().filter_map(|volume| {
                    let near = search.near(volume, 0.0)?;
                    let stops = draws.of_volume(volume.number) < near.share;
                    stops.then_some((near.order_m, volume.number))
                });
                stops.min_by(|a, b| a.partial_cmp(b).unwrap())
            });
            let number = found.map(|r| r.surface.volume - 1);
            assert_eq!(number, expected.map(|(_, number)| number), "{gate:?}, ray {k}");
            hits += usize::from(found.is_some());
            let meetings = site.meetings(from, along, nearer_than_m, key, 5);
            let first = meetings.iter().find(|m| m.stops);
            assert_eq!(first.map(|m| m.number), number);
            farther += meetings.len();
        }
        assert!(hits > 1000 && farther > 2000, "{gate:?}: {hits} {farther}");
    }
}

/// Against the estimators' own arithmetic in f64, from 100 m away, on thin discs.
#[test]
fn f32_is_as_good_as_f64() {
    let volumes: Vec<Volume> = (0..2000)
        .map(|k| {
            let sizes = DVec3::new(0.003, 0.015 + 0.01 * number(k), 0.02);
            let turn = DQuat::from_scaled_axis(spread(k) * 5.0);
            volume(spread(5000 + k) * 20.0 - 10.0, covariance(sizes, turn), 1.0)
        })
        .collect();
    let site = placed(&site(Gate::Ellipsoid { tau: 2.5 }, volumes), RangeDraw::Literal);
    let (mut checked, mut worst) = (0, 0.0f64);
    for (k, item) in site.volumes.iter().enumerate() {
        let from = (spread(8000 + k as u64) - 0.5).normalize() * 100.0;
        let gaussian = item.gaussian();
        let aim = gaussian.mean + (spread(9000 + k as u64) - 0.5) * 0.04;
        let along = (aim - from).normalize();
        let approach = gaussian.approach(from, along);
        let ray = site.ray(from, along).unwrap();
        let draws = PulseKey::new(0, 0, 0).draws(0, 0);
        let near = Search::new(&site, &ray, MAX_M, draws).near(item, 0.0);
        // Volumes whose gate the ray passes by less than a hundredth may go either way.
        if (approach.distance - 2.5).abs() > 0.01 {
            assert_eq!(near.is_some(), approach.distance < 2.5, "volume {k}: {approach:?}");
        }
        if let Some(near) = near {
            let off = (f64::from(near.order_m) + ray.enter_m - approach.range_m).abs();
            worst = worst.max(off);
            checked += 1;
        }
    }
    assert!(checked > 500 && worst < 1e-4, "{checked} volumes, {worst} m");
}

/// A site that is moved, turned and far from everything returns what it returned where it was.
#[test]
fn a_site_may_stand_anywhere() {
    for gate in GATES {
        let site = thicket(gate, 1000);
        let here = placed(&site, RangeDraw::Truncated);
        let pose = Pose::from_position_and_rpy_deg([5.1e5, 4.7e6, 321.0], [10.0, -20.0, 130.0]);
        let there = PlacedSite::new(&site, place(pose, RangeDraw::Truncated)).unwrap();
        let (mut same, mut met) = (0, 0);
        for k in 0..2000 {
            let (from, along) = random_ray(k);
            let key = PulseKey::new(3, 0, k);
            let a = here.first_return(from, along, MAX_M, key, 0);
            let moved = pose.rotation * from + pose.translation;
            let b = there.first_return(moved, pose.rotation * along, MAX_M, key, 0);
            met += usize::from(a.is_some());
            same += usize::from(match (a, b) {
                (None, None) => true,
                (Some(a), Some(b)) => {
                    a.surface == b.surface && (a.distance_m - b.distance_m).abs() < 1e-5
                }
                _ => false,
            });
        }
        // A ray that touches a gate may fall on its other side.
        assert!(met > 300 && same >= 1998, "{gate:?}: {same} of 2000, {met} met");
    }
}

/// Light goes through with the probability exp(−optical depth), whatever the volumes are.
#[test]
fn what_passes_is_the_exponential_of_the_optical_depth() {
    for gate in GATES {
        let site = thicket(gate, 400);
        let ready = placed(&site, RangeDraw::Truncated);
        let mut tested = 0;
        for k in 0..100 {
            let (from, along) = random_ray(k);
            let mut depth = 0.0;
            for volume in &site.volumes {
                let c = f64::from(volume.depth);
                let approach = volume.gaussian().approach(from, along);
                let [low, high] = site.cell(volume);
                let (one, other) = ((low - from) / along, (high - from) / along);
                let crossed = one.min(other).max_element().max(0.0) < one.max(other).min_element();
                let there = match gate {
                    Gate::Cell { .. } => crossed,
                    _ => approach.range_m > 0.0 && approach.distance < gate.reach(c),
                };
                if there {
                    depth += gate.depth_at(c, approach.distance);
                }
            }
            if depth > 0.0 && depth < 4.0 {
                let n = 3000;
                let passed = n as usize - returns(&ready, from, along, n).len();
                binomial(&format!("{gate:?} ray {k}"), passed, n, (-depth).exp());
                tested += 1;
            }
        }
        assert!(tested > 5, "{gate:?}: {tested}");
    }
}

#[test]
fn a_volume_takes_52_bytes_beside_the_tree() {
    assert_eq!(size_of::<SearchVolume>() + size_of::<[f16; 2]>(), 52);
}

#[test]
fn rays_along_the_axes_and_on_the_faces_are_no_trouble() {
    let round = covariance(DVec3::splat(0.01), DQuat::IDENTITY);
    let wall = volume(DVec3::new(8.02, 0.025, 0.025), round, f64::INFINITY);
    for gate in GATES.into_iter().filter(|gate| *gate != Gate::Soft) {
        let site = placed(&site(gate, vec![wall]), RangeDraw::Truncated);
        for from in [DVec3::ZERO, DVec3::new(8.0, 0.0, 0.0), DVec3::new(8.02, 0.025, 0.025)] {
            for along in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Z, DVec3::NAN, DVec3::ZERO] {
                let met = site.first_return(from, along, MAX_M, PulseKey::new(0, 0, 0), 0);
                assert!(met.is_none_or(|r| r.distance_m.is_finite() && r.distance_m >= 0.0));
            }
        }
    }
    let nothing = placed(&site(Gate::Soft, vec![]), RangeDraw::Truncated);
    assert!(returns(&nothing, DVec3::ZERO, DVec3::X, 10).is_empty());
}

/// Rays that are asked together get what each gets alone.
#[test]
fn many_rays_return_what_each_returns_alone() {
    for gate in [Gate::Soft, Gate::Ellipsoid { tau: 2.0 }, Gate::Cell { tau: 2.0 }] {
        let volumes = (0..4000)
            .map(|k| {
                let shape = covariance(DVec3::new(0.03, 0.02, 0.01), DQuat::from_rotation_z(0.6));
                volume(DVec3::X * 4.0 + spread(k) * 1.2, shape, 0.1 + 2.0 * number(k + 90_000))
            })
            .collect();
        let site = placed(&site(gate, volumes), RangeDraw::Truncated);
        let asked: Vec<SiteQuery> = (0..1500)
            .map(|k| {
                let direction = (DVec3::X * 4.0 + spread(50_000 + k) * 1.2).normalize();
                let (origin, key) = (DVec3::ZERO, PulseKey::new(1, 0, k));
                // Some go no farther than the first volumes, and some not at all.
                let nearer_than_m = [MAX_M, 6.0, 0.0][k as usize % 3];
                let direction = if k % 50 == 7 { DVec3::NAN } else { direction };
                SiteQuery { origin, direction, nearer_than_m, key, sub_ray: 3 }
            })
            .collect();
        let mut together = vec![None; asked.len()];
        site.first_returns(&asked, |place, met| together[place] = Some(met));
        for (query, found) in asked.iter().zip(&together) {
            let SiteQuery { origin, direction, nearer_than_m, key, sub_ray } = *query;
            let alone = site.first_return(origin, direction, nearer_than_m, key, sub_ray);
            assert_eq!(alone, *found);
        }
        assert!(together.iter().flatten().count() > 200);
    }
}

/// A wall of spots, seen by beams of 2 mrad.
fn learned_at_2_mrad(volumes: Vec<Volume>, rays: SiteRays) -> PlacedSite {
    let mut site = site(Gate::Soft, volumes);
    site.provenance.divergence_rad = 0.002;
    let place = SitePlace { rays, ..place(Pose::IDENTITY, RangeDraw::Truncated) };
    PlacedSite::new(&site, place).unwrap()
}

#[test]
fn only_wider_beams_query_by_cones() {
    let auto = learned_at_2_mrad(Vec::new(), SiteRays::Auto);
    for narrow_rad in [0.0, 0.001, 0.002, 0.004] {
        assert_eq!(auto.cone(narrow_rad), None);
    }
    let cone = auto.cone(0.012).unwrap();
    // Variances add: (12² − 2²) is left of 12².
    assert!((cone.width - (140.0f64 / 144.0).sqrt()).abs() < 1e-12 && cone.is_shared);
    assert_eq!(learned_at_2_mrad(Vec::new(), SiteRays::Nominal).cone(0.012), None);
    let whole = learned_at_2_mrad(Vec::new(), SiteRays::Cone).cone(0.001);
    assert_eq!(whole, Some(Cone { width: 1.0, is_shared: false }));
    let unknown = placed(&site(Gate::Soft, Vec::new()), RangeDraw::Truncated);
    assert_eq!(unknown.cone(0.012), None);
}

/// Sub-rays that share what volumes do: a pulse is stopped by a volume with the greatest probability of
/// any of its sub-rays, and by several as if each were alone.
#[test]
fn a_volume_does_the_same_to_all_sub_rays_of_a_pulse() {
    let spot = |y: f64, sigma: f64, depth: f64| {
        let covariance = covariance(DVec3::new(0.02, sigma, sigma), DQuat::IDENTITY);
        volume(DVec3::new(10.0, y, 0.0), covariance, depth)
    };
    let sub_rays: Vec<DVec3> =
        (-4..=4).map(|k| DVec3::new(1.0, 0.0015 * f64::from(k), 0.0).normalize()).collect();
    let pulses = 60_000;
    let stopped = |volumes: &[Volume]| {
        let site = learned_at_2_mrad(volumes.to_vec(), SiteRays::Auto);
        let meets = |pulse: u64| {
            let key = PulseKey::new(3, 0, pulse);
            let first = |along: &DVec3| site.first_return(DVec3::ZERO, *along, MAX_M, key, SHARED);
            sub_rays.iter().filter_map(first).count()
        };
        (0..pulses).map(meets).filter(|count| *count > 0).count()
    };
    let most = |volume: &Volume| {
        let share = |along: &DVec3| {
            let near = volume.gaussian().approach(DVec3::ZERO, *along);
            let depth = Gate::Soft.depth_at(f64::from(volume.depth), near.distance);
            1.0 - (-depth).exp()
        };
        sub_rays.iter().map(share).fold(0.0, f64::max)
    };
    // One as wide as the cone: no more than along its axis. Two beside each other: both.
    let wide = [spot(0.0, 0.3, 0.5)];
    binomial("a wide one", stopped(&wide), pulses, 1.0 - (-0.5f64).exp());
    let two = [spot(0.04, 0.01, 0.6), spot(-0.05, 0.008, 0.9)];
    let none: f64 = two.iter().map(|volume| 1.0 - most(volume)).product();
    assert!(most(&two[0]) > 0.3 && most(&two[1]) > 0.3, "both are met");
    binomial("two", stopped(&two), pulses, 1.0 - none);
}
