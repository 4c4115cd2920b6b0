//! Other people's readers see exactly what was written, and what their writers write is read
//! exactly: laspy, plyfile, pypcd4 and NumPy.
//!
//! Runs when `UNDERSTORY_PYTHON` names a Python that has the packages of
//! `xtask/python-requirements.txt`; `cargo xtask test` sets it.

use crate::common::{own_formats, poses, records};
use std::path::Path;
use understory_cloud::{
    Misses, OutputFormat, ReadOptions, Recording, Records, SinkOptions, open_sink,
};
use understory_testing::Python;

fn write(folder: &Path, name: &str, records: &Records) {
    let misses = Misses::Keep;
    let plain =
        SinkOptions { compress_pcd: false, misses, colours: true, ..SinkOptions::default() };
    let options = SinkOptions { compress_pcd: true, ..plain.clone() };
    let path = folder.join(format!("{name}_compressed.pcd"));
    let mut sink = open_sink(&path, OutputFormat::Pcd, &options).unwrap();
    sink.write(records).unwrap();
    sink.finish().unwrap();
    for format in own_formats() {
        let path = folder.join(format!("{name}.{format}"));
        let mut sink = open_sink(&path, format, &plain).unwrap();
        if !records.is_empty() {
            poses(records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
        }
        sink.write(records).unwrap();
        sink.finish().unwrap();
    }
}

/// All values as text of their own, by no writer under test: floats as their bits.
fn expected(records: &Records) -> String {
    let mut text = String::new();
    for i in 0..records.len() {
        let row = records.get(i).unwrap();
        let double = |v: f64| format!("{:016x}", v.to_bits());
        let float = |v: f32| format!("{:08x}", v.to_bits());
        let doubles = |v: [f64; 3]| v.map(double).join(" ");
        text.push_str(&format!(
            "{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}\n",
            doubles(row.world_xyz_m),
            float(row.intensity),
            double(row.time_s),
            row.return_number,
            row.return_count,
            float(row.range_m),
            float(row.azimuth_deg),
            float(row.elevation_deg),
            doubles(row.origin_xyz_m),
            row.direction_xyz.map(float).join(" "),
            row.sensor_xyz_m.map(float).join(" "),
            row.pulse,
            row.sensor,
            row.channel,
            row.scan,
            row.column,
            float(row.signal_photons),
            float(row.ambient_photons),
            float(row.true_range_m),
            doubles(row.true_xyz_m),
            row.object,
            row.material,
            row.label,
            float(row.incidence_deg),
            row.sub_ray_hits,
            float(row.range_spread_m),
            row.volume,
            row.velocity_xyz_m_s.map(float).join(" "),
            row.colour_rgb.map(|part| part.to_string()).join(" "),
        ));
    }
    text
}

#[test]
fn other_peoples_readers_agree() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for (name, records) in [
        ("utm", records(5000, [500_123.4, 5_400_321.9, 102.0])),
        ("local", records(300, [1.0, -20.0, 3.0])),
        ("empty", Records::default()),
    ] {
        write(dir.path(), name, &records);
        std::fs::write(dir.path().join(format!("{name}.expected")), expected(&records)).unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_files.py");
    let output = python.command().arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}

#[test]
fn other_peoples_files_are_read() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/make_files.py");
    let output = python.command().arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let expected = std::fs::read_to_string(dir.path().join("expected.csv")).unwrap();
    let expected: Vec<Vec<f64>> = expected
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|value| value.parse().unwrap()).collect())
        .collect();
    let mut files = 0;
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let mut recording = Recording::open(&path, &ReadOptions::default()).unwrap();
        let known = recording.known();
        let found = recording.read_all().unwrap();
        assert_eq!((found.len(), recording.report().skipped()), (expected.len(), 0), "{name}");
        for (row, wanted) in expected.iter().enumerate() {
            assert_eq!(found.world_xyz_m[row], wanted[..3], "{name} row {row}");
            let intensity = f64::from(found.intensity[row]);
            assert!((intensity - wanted[3]).abs() <= 1e-7, "{name} row {row} {intensity}");
            if known.time {
                assert_eq!(found.time_s[row], wanted[4], "{name} row {row}");
            }
            if known.returns {
                assert_eq!(f64::from(found.return_number[row]), wanted[5], "{name} row {row}");
                assert_eq!(f64::from(found.return_count[row]), wanted[6], "{name} row {row}");
                // Two returns, then a pulse of one return.
                assert_eq!(found.pulse[row], (row / 3 * 2 + row % 3 / 2) as u64, "{name}");
            }
            if name.starts_with("extra_") {
                assert_eq!(usize::from(found.channel[row]), row % 7 * 40, "{name} row {row}");
                let azimuth = 5.0 + 0.01 * (row % 1000) as f32;
                assert!((found.azimuth_deg[row] - azimuth).abs() < 1e-5, "{name} row {row}");
            }
            if known.label {
                assert_eq!(f64::from(found.label[row]), wanted[7], "{name} row {row}");
            }
        }
        let plain = name == "numpy_plain.npy";
        assert_eq!((known.returns, known.label), (!plain, !plain), "{name}");
        let timeless = plain || name.contains("_0.la") || name.contains("_2.la");
        assert_eq!(known.time, !timeless, "{name}");
        files += 1;
    }
    assert_eq!(files, 18 + 2 + 3 + 3 + 3 + 1);
}
