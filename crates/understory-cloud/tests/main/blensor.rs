//! BlenSor's record in its three forms, read back by NumPy and by a few lines of `struct`.

use crate::common::{part, records};
use std::fs;
use std::path::Path;
use understory_cloud::{
    OutputFormat, ReadOptions, Record, Recording, Records, SinkOptions, describe, open_sink,
};
use understory_testing::Python;

const FORMATS: [OutputFormat; 3] =
    [OutputFormat::BlensorCsv, OutputFormat::BlensorNpy, OutputFormat::Evd];

fn write(path: &Path, records: &Records, batch: usize) {
    let format = OutputFormat::from_path(path).unwrap();
    let mut sink = open_sink(path, format, &SinkOptions::default()).unwrap();
    for start in (0..records.len()).step_by(batch) {
        sink.write(&part(records, start, start + batch)).unwrap();
    }
    let report = sink.finish().unwrap();
    assert_eq!(report.rows, records.return_rows() as u64);
    assert_eq!(report.rows + report.dropped_misses, records.len() as u64);
}

fn rows_of(path: &Path) -> Records {
    let mut recording = Recording::open(path, &ReadOptions::default()).unwrap();
    recording.read_all().unwrap()
}

#[test]
fn names_and_extensions_lead_to_their_format() {
    for format in FORMATS {
        assert_eq!(format.name().parse::<OutputFormat>().unwrap(), format);
        let path = format!("a.b/Scan.{}", format.extension().to_uppercase());
        assert_eq!(OutputFormat::from_path(Path::new(&path)).unwrap(), format);
    }
    assert_eq!(OutputFormat::from_path(Path::new("blensor.csv")).unwrap(), OutputFormat::Csv);
}

#[test]
fn batches_of_any_size_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(700, [500_123.4, 5_400_321.9, 102.0]);
    for format in FORMATS {
        let files: Vec<Vec<u8>> = [1, 7, 256, 10_000]
            .into_iter()
            .map(|batch| {
                let path = dir.path().join(format!("{batch}.{}", format.extension()));
                write(&path, &records, batch);
                fs::read(&path).unwrap()
            })
            .collect();
        assert!(files.iter().all(|file| *file == files[0]), "{format}");
    }
}

/// Behind a mirror: the light met something 12 m beside the line of sight. P3, §3.5 and §3.6: the
/// sensor does not know, and the clean point stands at the true distance along the row's own angles.
#[test]
fn behind_a_mirror_the_clean_point_keeps_the_angles_of_its_row() {
    let dir = tempfile::tempdir().unwrap();
    let (from, azimuth, elevation) = ([100.0, -40.0, 2.0], 0.7f64, -0.1f64);
    let along = [elevation.cos() * azimuth.cos(), elevation.cos() * azimuth.sin(), elevation.sin()];
    let at = |range_m: f64| std::array::from_fn::<f64, 3, _>(|i| from[i] + range_m * along[i]);
    let (distance_m, noisy_m) = (30.0, 29.97);
    let mut records = Records::default();
    records.push(Record {
        time_s: 0.5,
        azimuth_deg: azimuth.to_degrees() as f32,
        elevation_deg: elevation.to_degrees() as f32,
        return_number: 1,
        return_count: 1,
        range_m: noisy_m as f32,
        true_range_m: distance_m as f32,
        origin_xyz_m: from,
        direction_xyz: along.map(|part| part as f32),
        world_xyz_m: at(noisy_m),
        true_xyz_m: [at(22.0)[0], at(22.0)[1] + 12.0, 1.0],
        object: 7,
        ..Record::miss()
    });
    for format in FORMATS {
        let path = dir.path().join(format!("mirror.{}", format.extension()));
        write(&path, &records, 1);
        let read = rows_of(&path);
        let close = |found: [f64; 3], expected: [f64; 3], what: &str| {
            for (found, expected) in found.iter().zip(expected) {
                let within = (found - expected).abs() < 1e-5;
                assert!(within, "{format}, {what}: {found} is not {expected}");
            }
        };
        close(read.true_xyz_m[0], at(distance_m), "clean");
        close(read.world_xyz_m[0], at(noisy_m), "noisy");
        assert_eq!((read.true_range_m[0], read.range_m[0]), (30.0, 29.97), "{format}");
        assert_eq!((read.object[0], read.time_s[0]), (7, 0.5), "{format}");
        assert!((f64::from(read.azimuth_deg[0]).to_radians() - azimuth).abs() < 1e-6);
        assert!((f64::from(read.elevation_deg[0]).to_radians() - elevation).abs() < 1e-6);
    }
}

/// What is measured and what is true stay apart in all three forms when they are read back.
#[test]
fn all_three_forms_are_read_alike() {
    let dir = tempfile::tempdir().unwrap();
    let written = records(300, [500_123.4, 5_400_321.9, 102.0]);
    let returns: Vec<usize> = (0..written.len()).filter(|&row| !written.is_miss(row)).collect();
    for format in FORMATS {
        let path = dir.path().join(format!("a.{}", format.extension()));
        write(&path, &written, 64);
        let read = rows_of(&path);
        assert_eq!(read.len(), returns.len(), "{format}");
        for (place, &row) in returns.iter().enumerate() {
            assert_eq!(read.world_xyz_m[place], written.world_xyz_m[row], "{format}, row {row}");
            assert_eq!(read.range_m[place], written.range_m[row], "{format}, row {row}");
            assert_eq!(read.true_range_m[place], written.true_range_m[row], "{format}, row {row}");
            assert_eq!(read.object[place], written.object[row], "{format}, row {row}");
        }
    }
}

#[test]
fn an_evd_file_is_described_and_refused_when_it_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.evd");
    let records = records(250, [0.0; 3]);
    write(&path, &records, 64);
    let summary = describe(&path).unwrap();
    assert_eq!((summary.rows, summary.scans), (records.return_rows() as u64, Some(3)));
    assert_eq!(summary.columns.len(), 16, "the fields of an entry, and its block as scan");
    let whole = fs::read(&path).unwrap();
    for length in [0, 3, 4, 100, whole.len() - 4, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        let text = describe(&path).unwrap_err().to_string();
        assert!(text.contains("a.evd is damaged"), "{length}: {text}");
    }
    fs::write(&path, (i32::MAX).to_le_bytes()).unwrap();
    assert!(describe(&path).unwrap_err().to_string().contains("promises 2147483647 entries"));
}

#[test]
fn python_reads_what_was_written() {
    let Some(python) = Python::find() else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    for (name, records) in
        [("utm", records(2000, [500_123.4, 5_400_321.9, 102.0])), ("empty", Records::default())]
    {
        for format in FORMATS {
            write(&dir.path().join(format!("{name}.{}", format.extension())), &records, 300);
        }
        // The same rows in our own format, which its own test holds to every bit.
        let path = dir.path().join(format!("{name}.npy"));
        let mut sink = open_sink(&path, OutputFormat::Npy, &SinkOptions::default()).unwrap();
        sink.write(&records).unwrap();
        sink.finish().unwrap();
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_blensor.py");
    let output = python.command().arg(script).arg(dir.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
}
