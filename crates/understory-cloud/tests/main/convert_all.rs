//! From every format to every other: what both can hold arrives, and the rest is said.

use crate::common::{poses, records};
use std::path::{Path, PathBuf};
use understory_cloud::{
    Misses, OutputFormat, ReadOptions, Recording, Records, SinkOptions, convert, describe,
    open_sink,
};

/// What a format keeps: misses, return numbers, times of pulses, its quantum of position, of
/// intensity, and whether origins survive.
struct Keeps {
    format: OutputFormat,
    misses: bool,
    returns: bool,
    times: bool,
    position_m: f64,
    intensity: f32,
    origins: bool,
    /// Cuts intensities above 1.
    cuts: bool,
    /// Needs poses of scans, or origins.
    needs_poses: bool,
    needs_origins: bool,
}

const fn all(format: OutputFormat) -> Keeps {
    Keeps {
        format,
        misses: true,
        returns: true,
        times: true,
        position_m: 0.0,
        intensity: 0.0,
        origins: true,
        cuts: false,
        needs_poses: false,
        needs_origins: false,
    }
}

/// A line for each format.
fn formats() -> Vec<Keeps> {
    let las = |format| Keeps {
        misses: false,
        position_m: 0.51e-4,
        intensity: 0.51 / 65_535.0,
        cuts: true,
        ..all(format)
    };
    vec![
        las(OutputFormat::Las),
        las(OutputFormat::Laz),
        all(OutputFormat::Ply),
        all(OutputFormat::Pcd),
        all(OutputFormat::Csv),
        all(OutputFormat::Npy),
        all(OutputFormat::Parquet),
        Keeps {
            misses: false,
            returns: false,
            times: false,
            // 32-bit floats in the sensor's frame, and the pose at the start of the scan.
            position_m: 1e-4,
            needs_poses: true,
            ..all(OutputFormat::Kitti)
        },
        Keeps { position_m: 1e-8, cuts: true, ..all(OutputFormat::E57) },
        Keeps {
            returns: false,
            // A return has an alpha of 1 at least.
            intensity: 1.001 / 255.0,
            cuts: true,
            needs_origins: true,
            ..all(OutputFormat::RayCloud)
        },
        Keeps {
            misses: false,
            position_m: 0.51e-4,
            intensity: 0.51e-4,
            origins: false,
            ..all(OutputFormat::HeliosXyz)
        },
    ]
}

/// Scans of a sensor that stands still: the one recording that all formats can hold.
fn still() -> Records {
    let mut records = records(300, [0.0; 3]);
    let poses = poses(&records);
    for row in 0..records.len() {
        let m = poses[records.scan[row] as usize].world_from_sensor;
        records.origin_xyz_m[row] = [m[0][3], m[1][3], m[2][3]];
        if records.is_miss(row) {
            continue;
        }
        let d = records.direction_xyz[row].map(f64::from);
        let r = f64::from(records.range_m[row]);
        let at: [f64; 3] = std::array::from_fn(|i| m[i][3] + r * d[i]);
        records.world_xyz_m[row] = at;
        let local = |i: usize| (0..3).map(|j| m[j][i] * r * d[j]).sum::<f64>() as f32;
        records.sensor_xyz_m[row] = [local(0), local(1), local(2)];
    }
    records
}

fn path(folder: &Path, name: &str, format: OutputFormat) -> PathBuf {
    folder.join(format!("{name}.{}", format.extension()))
}

#[test]
fn between_any_two_formats() {
    let dir = tempfile::tempdir().unwrap();
    let written = still();
    let writing = SinkOptions { misses: Misses::Keep, ..SinkOptions::default() };
    let reading = ReadOptions { start_unix_ns: writing.start_unix_ns, ..ReadOptions::default() };
    let formats = formats();
    let mut pairs = 0;
    for from in &formats {
        let source = path(dir.path(), "from", from.format);
        let mut sink = open_sink(&source, from.format, &writing).unwrap();
        poses(&written).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
        sink.write(&written).unwrap();
        sink.finish().unwrap();
        let summary = describe(&source).unwrap();
        assert!(summary.rows > 100 && summary.bounds_m.is_some(), "{summary}");
        for to in &formats {
            let what = format!("{} to {}", from.format, to.format);
            let target = path(dir.path(), "to", to.format);
            let done = convert(&source, &reading, &target, to.format, &writing);
            let known = Recording::open(&source, &reading).unwrap().known();
            let has_poses = matches!(from.format, OutputFormat::Kitti | OutputFormat::E57);
            if (to.needs_poses && !has_poses) || (to.needs_origins && !known.origin) {
                let error = done.unwrap_err().to_string();
                assert!(error.contains("give a trajectory"), "{what}: {error}");
                continue;
            }
            let done = done.unwrap_or_else(|e| panic!("{what}: {e}"));
            let found = Recording::open(&target, &reading).unwrap().read_all().unwrap();
            let misses = from.misses && to.misses;
            let wanted: Vec<usize> =
                (0..written.len()).filter(|&row| misses || !written.is_miss(row)).collect();
            assert_eq!(found.len(), wanted.len(), "{what}");
            let lost = |words: &str| done.dropped_fields.iter().any(|what| what.contains(words));
            assert_eq!(lost("without a return"), from.misses && !to.misses, "{what} {done:?}");
            assert_eq!(
                lost("return numbers"),
                from.returns && !to.returns,
                "{what} {:?}",
                done.dropped_fields
            );
            for (row, &of) in wanted.iter().enumerate() {
                let (a, b) = (written.get(of).unwrap(), found.get(row).unwrap());
                let is_miss = written.is_miss(of);
                assert_eq!(is_miss, found.is_miss(row), "{what} {row}");
                let close = |a: [f64; 3], b: [f64; 3], quantum: f64| {
                    (0..3).all(|i| (a[i] - b[i]).abs() <= quantum)
                };
                let quantum = from.position_m + to.position_m + 1e-12;
                assert!(is_miss || close(a.world_xyz_m, b.world_xyz_m, quantum), "{what} {row}");
                // Without a pose, E57 has no place for an origin.
                let placed = to.format != OutputFormat::E57 || has_poses;
                if from.origins && to.origins && placed {
                    // A ray in 32-bit floats.
                    let quantum = quantum + 1e-5;
                    assert!(close(a.origin_xyz_m, b.origin_xyz_m, quantum), "{what} {row}");
                    let turn = 1e-6 + 3.0 * quantum / f64::from(a.range_m.max(1.0));
                    let along = [a.direction_xyz, b.direction_xyz].map(|d| d.map(f64::from));
                    assert!(close(along[0], along[1], turn), "{what} {row} {along:?}");
                }
                let cut = |i: f32| if from.cuts || to.cuts { i.min(1.0) } else { i };
                let quantum = from.intensity + to.intensity + 1e-7;
                assert!(
                    is_miss || (cut(a.intensity) - b.intensity).abs() <= quantum,
                    "{what} {row} {} {}",
                    a.intensity,
                    b.intensity
                );
                if from.times && to.times {
                    assert!((a.time_s - b.time_s).abs() <= 0.51e-9, "{what} {row}");
                }
                if from.returns && to.returns {
                    let same =
                        (a.return_number, a.return_count) == (b.return_number, b.return_count);
                    assert!(same, "{what} {row}");
                }
            }
            if target.is_dir() {
                std::fs::remove_dir_all(&target).unwrap();
            }
            pairs += 1;
        }
    }
    println!("{pairs} pairs of {} agree", formats.len() * formats.len());
    assert!(pairs >= 90, "{pairs}");
}
