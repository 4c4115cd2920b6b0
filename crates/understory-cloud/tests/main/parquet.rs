//! Parquet files of others, and groups of rows.

use crate::common::records;
use std::path::Path;
use understory_cloud::{OutputFormat, ReadOptions, Recording, SinkOptions, describe, open_sink};
use understory_testing::Python;

#[test]
fn threads_do_not_change_the_bytes_and_groups_are_read_as_one() {
    let dir = tempfile::tempdir().unwrap();
    // More than two groups of rows.
    let records = records(260_000, [1.0, 2.0, 3.0]);
    let files: Vec<_> = [1, 2, 3]
        .into_iter()
        .map(|threads| {
            let path = dir.path().join(format!("{threads}.parquet"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let options = SinkOptions::default();
                let mut sink = open_sink(&path, OutputFormat::Parquet, &options).unwrap();
                sink.write(&records).unwrap();
                sink.finish().unwrap();
            });
            std::fs::read(&path).unwrap()
        })
        .collect();
    assert!(files[0] == files[1] && files[0] == files[2]);
    let path = dir.path().join("2.parquet");
    let found = Recording::open(&path, &ReadOptions::default()).unwrap().read_all().unwrap();
    assert_eq!(found.len(), records.len());
    assert!(records.pulse == found.pulse && records.label == found.label);
    let bits = |v: &[[f64; 3]]| v.iter().flatten().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(bits(&records.world_xyz_m) == bits(&found.world_xyz_m));
    assert_eq!(describe(&path).unwrap().returns, Some(records.return_rows() as u64));
}

#[test]
fn files_of_pyarrow_are_read() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/make_parquet.py");
    let output = python.command().arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    let wanted = std::fs::read_to_string(dir.path().join("expected.csv")).unwrap();
    let wanted: Vec<Vec<f64>> = wanted
        .lines()
        .map(|line| line.split(',').map(|value| value.parse().unwrap()).collect())
        .collect();
    let mut files = 0;
    let start_unix_ns = 1_700_000_000_000_000_000;
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".parquet") {
            continue;
        }
        let options = ReadOptions { start_unix_ns, ..ReadOptions::default() };
        let mut recording = Recording::open(&path, &options).unwrap();
        let known = recording.known();
        assert!(known.time && known.intensity && known.channel && known.returns, "{name}");
        let found = recording.read_all().unwrap();
        let remarks = recording.report().remarks.join("; ");
        assert!(remarks.contains("name") && remarks.contains("list"), "{name}: {remarks}");
        assert_eq!(found.len(), wanted.len(), "{name}");
        for (row, wanted) in wanted.iter().enumerate() {
            assert_eq!(found.world_xyz_m[row], wanted[..3], "{name} {row}");
            assert_eq!(found.time_s[row], wanted[3], "{name} {row}");
            let (a, b) = (f64::from(found.intensity[row]), wanted[4]);
            assert!(a == b || (a.is_nan() && b.is_nan()), "{name} {row} {a} {b}");
            assert_eq!(f64::from(found.channel[row]), wanted[5], "{name} {row}");
            assert_eq!(f64::from(found.return_number[row]), wanted[6], "{name} {row}");
        }
        files += 1;
    }
    assert_eq!(files, 12);
}
