//! E57: scans with poses, written and read by us, by pye57 and by the `e57` crate.

use crate::common::{poses, records};
use std::path::Path;
use understory_cloud::{
    OutputFormat, ReadOptions, Recording, Records, SinkOptions, describe, open_sink,
};
use understory_testing::Python;

const UTM: [f64; 3] = [500_123.4, 5_400_321.9, 102.0];

fn write(path: &Path, records: &Records, with_poses: bool, batch: usize) -> Vec<String> {
    let mut sink = open_sink(path, OutputFormat::E57, &SinkOptions::default()).unwrap();
    if with_poses {
        poses(records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
    }
    for start in (0..records.len()).step_by(batch) {
        sink.write(&crate::common::part(records, start, start + batch)).unwrap();
    }
    let report = sink.finish().unwrap();
    assert_eq!((report.rows, report.dropped_misses), (records.len() as u64, 0));
    report.dropped_fields
}

fn start() -> ReadOptions {
    ReadOptions { start_unix_ns: SinkOptions::default().start_unix_ns, ..ReadOptions::default() }
}

fn near(a: [f64; 3], b: [f64; 3], quantum: f64) -> bool {
    (0..3).all(|i| (a[i] - b[i]).abs() <= quantum || (a[i].is_nan() && b[i].is_nan()))
}

#[test]
fn scans_come_back_with_their_poses_returns_and_misses() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.e57");
    let written = records(40_000, UTM);
    let lost = write(&path, &written, true, 1000);
    assert!(lost.iter().any(|what| what == "the truth"), "{lost:?}");
    assert!(lost.iter().any(|what| what == "origins of single beams"), "{lost:?}");
    let mut recording = Recording::open(&path, &start()).unwrap();
    let known = recording.known();
    assert!(known.origin && known.misses && known.time && known.returns && known.sensor_frame);
    assert!(known.channel && known.column && known.scan && known.intensity && known.angles);
    let found = recording.read_all().unwrap();
    assert_eq!((found.len(), recording.report().skipped()), (written.len(), 0));
    let message = poses(&written);
    for (a, b) in message.iter().zip(recording.scan_poses()) {
        assert_eq!((a.scan, a.sensor), (b.scan, b.sensor));
        let (a, b) = (a.world_from_sensor.as_flattened(), b.world_from_sensor.as_flattened());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 * a.abs().max(1.0)));
    }
    assert_eq!(recording.scan_poses().len(), message.len());
    for row in 0..written.len() {
        let (a, b) = (written.get(row).unwrap(), found.get(row).unwrap());
        // Twice through the rotation of a pose at UTM coordinates.
        assert!(near(a.world_xyz_m, b.world_xyz_m, 4e-9), "{row} {a:?} {b:?}");
        assert_eq!(a.time_s, b.time_s, "{row}");
        assert_eq!((a.return_number, a.return_count), (b.return_number, b.return_count), "{row}");
        assert_eq!((a.channel, a.column, a.scan), (b.channel, b.column, b.scan), "{row}");
        let same = a.intensity.min(1.0) == b.intensity || written.is_miss(row);
        assert!(same, "{row} {} {}", a.intensity, b.intensity);
        let m = message[a.scan as usize].world_from_sensor;
        assert_eq!(b.origin_xyz_m, [m[0][3], m[1][3], m[2][3]], "{row}");
        if written.is_miss(row) {
            let along = [a.direction_xyz, b.direction_xyz].map(|d| d.map(f64::from));
            assert!(near(along[0], along[1], 1e-6), "{row} {along:?}");
            // The angles are those of the direction in the scan's frame.
            let local: [f64; 3] =
                std::array::from_fn(|i| (0..3).map(|j| m[j][i] * along[0][j]).sum());
            let azimuth = local[1].atan2(local[0]).to_degrees();
            assert!((f64::from(b.azimuth_deg) - azimuth).abs() < 1e-4, "{row}");
        }
    }
    let summary = describe(&path).unwrap();
    assert_eq!((summary.rows, summary.scans), (written.len() as u64, Some(message.len() as u64)));
    assert_eq!(summary.returns, Some(written.return_rows() as u64));
    assert!(summary.software.unwrap().starts_with("Understory 0."));
}

#[test]
fn batches_do_not_change_the_bytes_and_sensors_may_take_turns() {
    let dir = tempfile::tempdir().unwrap();
    let mut written = records(1000, [1.0, 2.0, 3.0]);
    let files: Vec<_> = [1, 7, 5000]
        .into_iter()
        .map(|batch| {
            let path = dir.path().join(format!("{batch}.e57"));
            write(&path, &written, true, batch);
            std::fs::read(path).unwrap()
        })
        .collect();
    assert!(files[0] == files[1] && files[0] == files[2]);
    // Every second row is another sensor's; without poses points are in the world's frame.
    written.sensor.iter_mut().enumerate().for_each(|(i, sensor)| *sensor = 3 * (i % 2) as u16);
    let path = dir.path().join("two.e57");
    write(&path, &written, false, 100);
    let found = Recording::open(&path, &start()).unwrap().read_all().unwrap();
    assert_eq!(found.return_rows(), written.return_rows());
    let mut wanted: Vec<usize> = (0..written.len()).filter(|&row| !written.is_miss(row)).collect();
    wanted.sort_by_key(|&row| (written.scan[row], written.sensor[row]));
    let got: Vec<usize> = (0..found.len()).filter(|&row| !found.is_miss(row)).collect();
    // Sensors' scans end at the same row and are written in their order.
    let key = |r: &Records, row: usize| (r.scan[row], r.sensor[row], r.world_xyz_m[row]);
    let mut got: Vec<_> = got.into_iter().map(|row| key(&found, row)).collect();
    got.sort_by_key(|&(scan, sensor, _)| (scan, sensor));
    for (&row, got) in wanted.iter().zip(&got) {
        assert_eq!(key(&written, row), *got);
    }
}

/// The `e57` crate is another decoder of the points.
#[test]
fn another_decoder_sees_the_same_points() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.e57");
    let written = records(3000, [10.0, 20.0, 3.0]);
    write(&path, &written, true, 700);
    let mut reader = e57::E57Reader::from_file(&path).unwrap();
    let mut row = 0;
    for (scan, cloud) in reader.pointclouds().into_iter().enumerate() {
        let m = poses(&written)[scan].world_from_sensor;
        for point in reader.pointcloud_simple(&cloud).unwrap() {
            let point = point.unwrap();
            match point.cartesian {
                e57::CartesianCoordinate::Valid { x, y, z } => {
                    assert!(near([x, y, z], written.world_xyz_m[row], 1e-8), "{row} {m:?}");
                }
                e57::CartesianCoordinate::Direction { .. } => assert!(written.is_miss(row)),
                e57::CartesianCoordinate::Invalid => panic!("{row}"),
            }
            assert_eq!(point.row, i64::from(written.channel[row]));
            row += 1;
        }
    }
    assert_eq!(row, written.len());
}

fn run(python: &Python, script: &str, folder: &Path) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let output = python.command().arg(script).arg(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
}

#[test]
fn pye57_reads_ours_and_we_read_its() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let written = records(2500, UTM);
    write(&dir.path().join("ours.e57"), &written, true, 640);
    let mut text = String::new();
    for row in 0..written.len() {
        let r = written.get(row).unwrap();
        let [x, y, z] = r.world_xyz_m;
        let [dx, dy, dz] = r.direction_xyz;
        text.push_str(&format!(
            "{x:?},{y:?},{z:?},{dx:?},{dy:?},{dz:?},{:?},{:?},{},{},{},{},{}\n",
            r.intensity, r.time_s, r.channel, r.column, r.return_number, r.return_count, r.scan
        ));
    }
    std::fs::write(dir.path().join("ours.csv"), text).unwrap();
    run(&python, "check_e57.py", dir.path());
    // What it wrote: three scans with known poses, and the positions that it says they have.
    let wanted = std::fs::read_to_string(dir.path().join("theirs.csv")).unwrap();
    let wanted: Vec<Vec<f64>> = wanted
        .lines()
        .map(|line| line.split(',').map(|value| value.parse().unwrap()).collect())
        .collect();
    {
        let path = dir.path().join("theirs.e57");
        let options = ReadOptions { need_origins: true, ..ReadOptions::default() };
        let mut recording = Recording::open(&path, &options).unwrap();
        let found = recording.read_all().unwrap();
        assert_eq!((found.len(), recording.report().skipped()), (wanted.len(), 0));
        for (row, wanted) in wanted.iter().enumerate() {
            let [x, y, z, ox, oy, oz, intensity, channel, column] = wanted[..] else { panic!() };
            // It writes 32-bit floats of up to 80 m.
            assert!(near(found.world_xyz_m[row], [x, y, z], 1e-5), "{row}");
            assert!(near(found.origin_xyz_m[row], [ox, oy, oz], 1e-9), "{row}");
            assert!((f64::from(found.intensity[row]) - intensity).abs() < 1e-6, "{row}");
            assert_eq!(f64::from(found.channel[row]), channel, "{row}");
            assert_eq!(f64::from(found.column[row]), column, "{row}");
        }
    }
    // A cloud with the identity as its pose says nothing about a sensor.
    let path = dir.path().join("cloud.e57");
    let known = Recording::open(&path, &ReadOptions::default()).unwrap().known();
    assert!(known.position && !known.origin && !known.sensor_frame);
}

/// Spherical points in steps of a quantum, some of them directions only, as the `e57` crate writes
/// them.
#[test]
fn spherical_points_become_positions() {
    use e57::{Record, RecordDataType, RecordName, RecordValue};
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("spherical.e57");
    let steps = |scale: f64| RecordDataType::ScaledInteger {
        min: -4_000_000,
        max: 4_000_000,
        scale,
        offset: 0.0,
    };
    let prototype = [
        (RecordName::SphericalRange, steps(1e-4)),
        (RecordName::SphericalAzimuth, steps(1e-6)),
        (RecordName::SphericalElevation, steps(1e-6)),
        (RecordName::SphericalInvalidState, RecordDataType::Integer { min: 0, max: 2 }),
        (RecordName::Intensity, RecordDataType::Integer { min: 0, max: 2047 }),
    ];
    let prototype = prototype.map(|(name, data_type)| Record { name, data_type }).to_vec();
    let mut file = e57::E57Writer::from_file(&path, "{a}").unwrap();
    let mut cloud = file.add_pointcloud("{b}", prototype).unwrap();
    // A quarter turn to the left about z, and a shift.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    cloud.set_transform(Some(e57::Transform {
        rotation: e57::Quaternion { w: half, x: 0.0, y: 0.0, z: half },
        translation: e57::Translation { x: 100.0, y: 200.0, z: 300.0 },
    }));
    let mut wanted = Vec::new();
    for i in 0..5000i64 {
        let (range, azimuth, elevation) = (10_000 + 13 * i, 600 * i - 1_500_000, 100 * i - 250_000);
        let state = i64::from(i % 10 == 3) + 2 * i64::from(i % 100 == 7);
        cloud
            .add_point(vec![
                RecordValue::ScaledInteger(range),
                RecordValue::ScaledInteger(azimuth),
                RecordValue::ScaledInteger(elevation),
                RecordValue::Integer(state),
                RecordValue::Integer(i % 2048),
            ])
            .unwrap();
        let (a, e) = (azimuth as f64 * 1e-6, elevation as f64 * 1e-6);
        let [x, y, z] = [e.cos() * a.cos(), e.cos() * a.sin(), e.sin()];
        wanted.push((range as f64 * 1e-4, [-y, x, z], state));
    }
    cloud.finalize().unwrap();
    file.finalize().unwrap();
    let options = ReadOptions { need_origins: true, ..ReadOptions::default() };
    let mut recording = Recording::open(&path, &options).unwrap();
    let found = recording.read_all().unwrap();
    assert_eq!(recording.report().undirected, 50);
    wanted.retain(|(_, _, state)| *state < 2);
    assert_eq!(found.len(), wanted.len());
    for (row, (range, along, state)) in wanted.into_iter().enumerate() {
        assert_eq!(found.is_miss(row), state == 1, "{row}");
        assert_eq!(found.origin_xyz_m[row], [100.0, 200.0, 300.0]);
        assert!(near(found.direction_xyz[row].map(f64::from), along, 1e-6), "{row}");
        if state == 0 {
            let at = std::array::from_fn(|i| found.origin_xyz_m[row][i] + range * along[i]);
            assert!(near(found.world_xyz_m[row], at, 1e-9), "{row}");
        }
    }
    assert_eq!(found.intensity[1], 1.0 / 2047.0);
}
