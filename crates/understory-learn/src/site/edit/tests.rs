use super::*;
use crate::site::Gate;
use crate::volume::moments::Moments;
use glam::DMat3;

/// Numbers in 0…1 from a counter.
fn number(k: u64) -> f64 {
    let mut z = k.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn spread(k: u64) -> DVec3 {
    DVec3::new(number(k), number(k + 1), number(k + 2))
}

/// One volume for each of `cells` cells along x from cell `first`.
fn row(origin: DVec3, first: i32, cells: i32) -> Site {
    let cell_m = 0.05;
    let volumes: Vec<Volume> = (first..first + cells)
        .map(|cell| {
            let mean =
                (DVec3::new(f64::from(cell), 0.0, 0.0) + 0.1 + 0.8 * spread(cell as u64)) * cell_m;
            let sizes = DVec3::new(1e-4, 4e-4, 2e-4);
            let gaussian = Gaussian::new(mean, DMat3::from_diagonal(sizes)).unwrap();
            Volume::new(&gaussian, 0.01 * f64::from(cell.abs()))
        })
        .collect();
    Site {
        origin,
        model: Model::Voxel,
        gate: Gate::Cell { tau: 2.0 },
        cell_m,
        evidence: vec![Evidence { points: 9, stopped: 5, passed: 3 }; volumes.len()],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance { beams: 100, ..Provenance::default() },
    }
}

#[test]
fn crops_that_tile_space_are_the_site() {
    let site = row(DVec3::new(1e5, 2e6, 50.0), 0, 60);
    let at = |x: f64| site.origin + DVec3::new(x, -1.0, -1.0);
    let to = |x: f64| site.origin + DVec3::new(x, 1.0, 1.0);
    // The cut goes through a cell, which stays whole.
    let (near, far) = (site.crop(at(-1.0), to(1.01)), site.crop(at(1.01), to(9.0)));
    assert_eq!((near.volumes.len(), far.volumes.len()), (20, 40));
    let (merged, report) = Site::merge(&[near, far]).unwrap();
    assert_eq!(report.pooled, 0);
    assert_eq!(merged.volumes.len(), site.volumes.len());
    assert!(
        merged
            .volumes
            .iter()
            .zip(&site.volumes)
            .all(|(a, b)| a.mean_m == b.mean_m && a.precision == b.precision && a.depth == b.depth)
    );
    assert_eq!(merged.evidence, site.evidence);
    assert_eq!(merged.provenance.beams, 200);
}

#[test]
fn volumes_stay_in_their_cells_when_the_origin_moves() {
    let near = row(DVec3::new(1e5, 2e6, 50.0), 0, 1);
    // 1900 m away the grain of f32 is 0.1 mm, and some means lie nearer to a border.
    let mut far = row(near.origin + DVec3::X * 1900.0, 0, 2000);
    for (k, volume) in far.volumes.iter_mut().enumerate() {
        volume.mean_m[0] = ((k as f64 + 1.0) * 0.05 - 2e-6) as f32;
    }
    let (merged, _) = Site::merge(&[near.clone(), far.clone()]).unwrap();
    assert_eq!(merged.origin, near.origin);
    for (k, volume) in merged.volumes[1..].iter().enumerate() {
        let cell = merged.grid_cell(Vec3::from(volume.mean_m).as_dvec3());
        let before = far.grid_cell(Vec3::from(far.volumes[k].mean_m).as_dvec3());
        assert_eq!(cell.x, 38_000 + before.x);
        let moved_m = f64::from(volume.mean_m[0]) - 1900.0 - f64::from(far.volumes[k].mean_m[0]);
        assert!(moved_m.abs() < 3e-4, "{moved_m}");
    }
    // Too far for the first origin: in the middle. Too far for any: refused.
    let (merged, _) = Site::merge(&[
        near.clone(),
        Site { origin: near.origin + DVec3::X * 4000.0, ..near.clone() },
    ])
    .unwrap();
    assert!((merged.origin.x - near.origin.x - 2000.0).abs() < 0.1);
    let too_far = Site { origin: near.origin + DVec3::X * 5000.0, ..near.clone() };
    assert!(matches!(Site::merge(&[near, too_far]), Err(LearnError::TooLarge { .. })));
}

/// Points of one cell, learned in two parts and pooled, are learned as if together.
#[test]
fn pooled_volumes_have_the_moments_of_all_points() {
    let points: Vec<DVec3> = (0..50).map(|k| spread(1000 + 3 * k) * 0.05).collect();
    let learn = |points: &[DVec3], stopped: u32, passed: u32| {
        let mut moments = Moments::default();
        points.iter().for_each(|p| moments.add(*p));
        let gaussian = Gaussian::new(moments.mean, moments.covariance()).unwrap();
        let rho = f64::from(passed) / f64::from(passed + stopped);
        let mut volume = Volume::new(&gaussian, -rho.ln());
        volume.intensity_mean = f16::from_f64(0.25 + points.len() as f64 / 1000.0);
        let evidence = vec![Evidence { points: points.len() as u32, stopped, passed }];
        Site { volumes: vec![volume], evidence, ..row(DVec3::ZERO, 0, 1) }
    };
    let (a, b) = (learn(&points[..20], 30, 10), learn(&points[20..], 5, 15));
    let all = learn(&points, 35, 25);
    let (merged, report) = Site::merge(&[a, b]).unwrap();
    assert_eq!((report.pooled, merged.volumes.len()), (1, 1));
    assert_eq!(merged.evidence, all.evidence);
    let (got, wanted) = (merged.volumes[0], all.volumes[0]);
    for axis in 0..3 {
        assert!((got.mean_m[axis] - wanted.mean_m[axis]).abs() < 1e-7);
    }
    for (got, wanted) in got.precision.iter().zip(&wanted.precision) {
        assert!((got - wanted).abs() < 1e-4 * wanted.abs().max(100.0), "{got} {wanted}");
    }
    assert!((got.depth - wanted.depth).abs() < 1e-6);
    // 20 points of 0.27 and 30 of 0.28.
    assert!((got.intensity_mean.to_f64() - 0.276).abs() < 3e-4);
    assert!(merged.provenance.remarks.iter().any(|r| r.contains("part's own ellipsoid")));
}

#[test]
fn sites_that_do_not_fit_are_refused() {
    let site = row(DVec3::ZERO, 0, 3);
    let refuse = |what: &str, change: fn(&mut Site)| {
        let mut other = site.clone();
        change(&mut other);
        let error = Site::merge(&[site.clone(), other]).unwrap_err().to_string();
        assert!(error.contains(what), "{what}: {error}");
    };
    refuse("cells are 0.05 m and 0.1 m", |s| s.cell_m = 0.1);
    refuse("models are Voxel and TopDown", |s| s.model = Model::TopDown);
    refuse("gates are", |s| s.gate = Gate::Soft);
    refuse("not a whole number", |s| s.origin.x = 0.02);
    refuse("footprint", |s| s.provenance.footprint_removed = true);
    refuse("range noise", |s| s.provenance.sigma_range_m = 0.01);
    assert!(Site::merge(&[]).is_err());
    let other = Site { model: Model::Likelihood, ..site.clone() };
    let error = Site::merge(&[other.clone(), other]).unwrap_err().to_string();
    assert!(error.contains("in the same cell near (0.0"), "{error}");
}

#[test]
fn stats_count_what_is_there() {
    let mut site = row(DVec3::new(10.0, 0.0, 0.0), 0, 60);
    site.volumes[0].depth = f32::INFINITY;
    let stats = site.stats();
    assert_eq!((stats.volumes, stats.cells, stats.opaque), (60, 60, 1));
    assert_eq!(stats.permeability_histogram.iter().sum::<u64>(), 60);
    // Depths 0.01 … 0.10 are permeabilities above 0.9.
    assert_eq!(stats.permeability_histogram[9], 10);
    let thickness = stats.thickness_m.unwrap();
    assert!((thickness[1] - 0.01).abs() < 1e-6);
    assert!(stats.low_m.unwrap()[0] > 10.0 && stats.high_m.unwrap()[0] < 13.0);
    let nothing = Site { volumes: vec![], evidence: vec![], ..site };
    assert_eq!(nothing.stats().low_m, None);
}

/// Crops keep the colours of their volumes, merges put them together, and pooled volumes mix them by
/// their points; a site without colours has black ones, which are not known.
#[test]
fn colours_go_where_their_volumes_go() {
    let mut site = row(DVec3::ZERO, 0, 4);
    site.colours = vec![[1; 3], [2; 3], [3; 3], [4; 3]];
    let part = site.crop(DVec3::new(0.05, -1.0, -1.0), DVec3::new(0.15, 1.0, 1.0));
    assert_eq!(part.colours, [[2; 3], [3; 3]]);
    let black = row(DVec3::ZERO, 9, 1);
    let (merged, _) = Site::merge(&[part, black]).unwrap();
    assert_eq!(merged.colours, [[2; 3], [3; 3], [0; 3]]);
    assert!(merged.check().is_ok());
    let other = Site { colours: vec![[5, 50, 0]], ..row(DVec3::ZERO, 0, 1) };
    let mut one = Site { colours: vec![[10, 100, 9]], ..row(DVec3::ZERO, 0, 1) };
    one.evidence[0].points = 3;
    let (merged, report) = Site::merge(&[one, other]).unwrap();
    // Three points against nine.
    assert_eq!((report.pooled, merged.colours), (1, vec![[6, 63, 2]]));
}
