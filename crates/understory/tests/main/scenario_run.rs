//! Embedded scenarios from their file to records and files.

use std::path::PathBuf;

use understory::pulse::range_error::RangeError;
use understory::pulse::scan_pattern::Pulses;
use understory::pulse::{Batch, simulate_batch};
use understory::run::trace_pulse::explain_pulse;
use understory::run::{JOB_PULSES, RunOptions, run};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MultiSink, OutputFormat, Records, SinkOptions, open_sink};

/// The wall of the scenario `plane` against the intersection of each beam with its plane.
#[test]
fn a_wall_at_100_m_is_where_the_scenario_says() {
    let scenario = Scenario::embedded("plane").unwrap();
    let mut prepared = scenario.prepare().unwrap();
    prepared.sensors[0].range_model.error = RangeError::none();
    let sensor = &prepared.sensors[0];
    let (mut records, mut pulses) = (Records::default(), Pulses::default());
    let fired = 0..sensor.pattern.first_pulse_at(0.003);
    simulate_batch(&prepared, sensor, 1, fired.clone(), &mut Batch::default(), &mut records);
    sensor.pattern.fill(fired, &mut pulses);
    let (mut wall, mut worst_m) = (0, 0.0f64);
    for row in (0..records.len()).filter_map(|row| records.get(row)).filter(|row| row.object == 1) {
        let pulse = row.pulse as usize;
        let exact_m = (100.0 - pulses.origin_m[pulse].x) / pulses.direction[pulse].x;
        worst_m = worst_m.max((f64::from(row.true_range_m) - exact_m).abs());
        worst_m = worst_m.max((row.true_xyz_m[0] - 100.0).abs());
        let quantum_m = scenario.sensors[0].sensor.detector.range_quantum_m;
        let step_error_m = f64::from(row.range_m - row.true_range_m).abs();
        assert!(step_error_m < quantum_m / 2.0 + 1e-5);
        wall += 1;
    }
    println!("worst of {wall} ranges: {worst_m:.2e} m");
    assert!(wall > 500, "{wall} returns from the wall");
    assert!(worst_m < 1e-4);
}

/// Files are the same for any number of threads, and a KITTI folder gets its poses.
#[test]
fn threads_do_not_change_a_byte_of_the_files() {
    let scenario = Scenario::embedded("first-scan").unwrap();
    let prepared = scenario.prepare().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let names = ["points.laz", "points.csv", "points.npy", "points.pcd", "points.ply", "kitti/"];
    let write = |threads: usize| {
        let paths = names.map(|name| folder.path().join(format!("{threads}-{name}")));
        let open = |path: &PathBuf| {
            let format = OutputFormat::from_path(path).unwrap();
            open_sink(path, format, &SinkOptions::default()).unwrap()
        };
        let sink = Box::new(MultiSink::new(paths.iter().map(open).collect()));
        let interval_s = Some((0.0, 0.016));
        let options = RunOptions { threads: Some(threads), interval_s, ..Default::default() };
        let (summary, _) = run(&prepared, &options, sink, &Silent).unwrap();
        assert!(summary.pulses > 2 * JOB_PULSES && summary.returns > 1000);
        assert!(paths[5].is_dir());
        paths
    };
    let one = write(1);
    for threads in [2, 8] {
        for (one, many) in one.iter().zip(write(threads)).take(5) {
            let same = std::fs::read(one).unwrap() == std::fs::read(&many).unwrap();
            assert!(same, "{} differs from one thread's", many.display());
        }
    }
}

#[test]
fn the_account_of_a_pulse_speaks_in_the_names_of_the_scenario() {
    let scenario = Scenario::embedded("first-scan").unwrap();
    let prepared = scenario.prepare().unwrap();
    let words = explain_pulse(&prepared, 0, 0).unwrap().to_string();
    assert!(words.contains("wall") || words.contains("floor"), "{words}");
}

/// A plant from a mesh file of someone else's, its materials by their names in the file.
#[test]
fn a_scan_of_an_imported_plant_tells_its_leaves_from_its_wood() {
    let Some(folder) = understory_testing::recordings("plant-meshes/acacia") else {
        return;
    };
    let text = |leaves: &str| {
        format!(
            "version = 1\nseed = 1\nduration_s = 0.1\n\
             [[world.object]]\nname = \"acacia\"\nshape = \"mesh\"\nfile = \"acacia.obj\"\n\
             unit = \"cm\"\nup = \"y\"\nposition_m = [6.0, 0.0, 0.0]\n\
             materials = {{ Trunk = \"bark\", {leaves} = \"leaf\" }}\n\
             [[sensor]]\nname = \"lidar\"\npreset = \"vlp-16\"\nposition_m = [0.0, 0.0, 2.5]\n"
        )
    };
    let scenario = Scenario::from_toml(&text("Leaves"), "acacia.toml", &folder).unwrap();
    let prepared = scenario.prepare().unwrap();
    let sensor = &prepared.sensors[0];
    let mut records = Records::default();
    let pulses = 0..sensor.pattern.first_pulse_at(scenario.duration_s);
    simulate_batch(&prepared, sensor, 1, pulses, &mut Batch::default(), &mut records);
    let mut returns = [0, 0];
    for row in (0..records.len()).filter_map(|row| records.get(row)).filter(|row| row.object == 1) {
        let material = &prepared.scene.materials()[usize::from(row.material) - 1].name;
        match material.as_str() {
            "leaf" => returns[0] += 1,
            "bark" => returns[1] += 1,
            other => panic!("{other}"),
        }
        // The trunk stands at 6 m; the crown is some 4 m wide to each side.
        assert!((1.0..12.0).contains(&row.range_m));
    }
    println!("{} returns from leaves, {} from wood", returns[0], returns[1]);
    assert!(returns[0] > 200 && returns[1] > 5 && returns[0] > returns[1], "{returns:?}");
    // A material that the file does not have is named, with those that it has.
    let scenario = Scenario::from_toml(&text("Foliage"), "acacia.toml", &folder).unwrap();
    let message = scenario.build_scene().err().unwrap().to_string();
    assert!(message.contains("Foliage") && message.contains("Leaves"), "{message}");
}
