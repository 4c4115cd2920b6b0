use super::*;
use crate::site::{Evidence, Gate, Model, Provenance, Volume};
use crate::volume::Gaussian;
use glam::DMat3;
use std::path::Path;
use understory_base::Silent;
use understory_cloud::{OutputFormat, ReadOptions, Record, SinkOptions, open_sink};

const ORIGIN: DVec3 = DVec3::new(4.5e5, 5.4e6, 120.0);

/// Flat volumes, one metre apart along x: σ is 0.2 m along y and 0.01 m else.
fn site(count: usize) -> Site {
    let sizes = DVec3::new(0.01, 0.2, 0.01);
    let volume = |at: f64| {
        let covariance = DMat3::from_diagonal(sizes * sizes);
        Volume::new(&Gaussian::new(DVec3::new(at, 0.0, 0.0), covariance).unwrap(), 1.0)
    };
    let volumes: Vec<Volume> = (0..count).map(|at| volume(at as f64)).collect();
    Site {
        origin: ORIGIN,
        model: Model::Likelihood,
        gate: Gate::Soft,
        cell_m: 0.05,
        evidence: vec![Evidence::default(); count],
        volumes,
        colours: Vec::new(),
        surface: None,
        provenance: Provenance::default(),
    }
}

fn write(path: &Path, points: &[([f64; 3], [u8; 3])]) {
    let format = OutputFormat::from_path(path).unwrap();
    let mut sink = open_sink(path, format, &SinkOptions::default()).unwrap();
    let mut records = Records::default();
    for (pulse, (at, colour_rgb)) in points.iter().enumerate() {
        records.push(Record {
            pulse: pulse as u64,
            scan: pulse as u32,
            return_number: 1,
            return_count: 1,
            range_m: 1.0,
            world_xyz_m: [0, 1, 2].map(|axis| ORIGIN[axis] + at[axis]),
            origin_xyz_m: [0, 1, 2].map(|axis| ORIGIN[axis] + at[axis] - [0.0, 0.0, 1.0][axis]),
            direction_xyz: [0.0, 0.0, 1.0],
            colour_rgb: *colour_rgb,
            ..Record::miss()
        });
    }
    sink.write(&records).unwrap();
    sink.finish().unwrap();
}

#[test]
fn volumes_have_the_mean_of_their_returns() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let (red, blue, green) = ([200, 0, 1], [1, 0, 200], [0, 90, 0]);
    write(
        &path,
        &[
            // Far along the first volume, and near across it.
            ([0.0, 0.5, 0.0], red),
            ([0.0, -0.7, 0.01], red),
            ([0.02, 0.0, 0.0], blue),
            // Of the second alone; black is no colour.
            ([1.0, 0.3, 0.0], green),
            ([1.0, 0.0, 0.0], [0; 3]),
            // Belongs to nothing.
            ([0.5, 0.0, 0.0], [9; 3]),
        ],
    );
    let mut site = site(4);
    let inputs = [Input::new(path, ReadOptions::default())];
    let report = learn_colours(&mut site, &inputs, &BeamOptions::default(), &Silent).unwrap();
    assert_eq!(report, ColourReport { coloured: 5, used: 4, volumes: 2 });
    // (2·200 + 1)/3, 0, (2·1 + 200)/3; those that nothing returned from take the nearest.
    assert_eq!(site.colours, [[134, 0, 67], green, green, green]);
    assert!(site.check().is_ok());
}

/// Scans that are held out do not colour, and neither do recordings without a colour.
#[test]
fn what_is_not_learned_from_gives_no_colour() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    write(&path("a.npy"), &[([0.0; 3], [10; 3]), ([0.0; 3], [200; 3]), ([0.0; 3], [30; 3])]);
    write(&path("black.npy"), &[([1.0, 0.0, 0.0], [0; 3])]);
    let inputs = ["black.npy", "a.npy"].map(|name| Input::new(path(name), ReadOptions::default()));
    let every_second = BeamOptions { except: Some([1, 2]), ..BeamOptions::default() };
    let mut site = site(2);
    let report = learn_colours(&mut site, &inputs, &every_second, &Silent).unwrap();
    assert_eq!((report.coloured, report.volumes), (2, 1));
    assert_eq!(site.colours, [[20; 3]; 2]);
    let error = learn_colours(&mut site, &inputs[..1], &every_second, &Silent).unwrap_err();
    assert!(error.to_string().contains("no volume gets a colour: 0 points"), "{error}");
}
