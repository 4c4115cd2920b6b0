//! BlenSor's record in its three forms, read back by NumPy and by a few lines of `struct`.

use crate::common::{part, records};
use std::fs;
use std::path::Path;
use understory_cloud::{OutputFormat, Records, SinkOptions, describe, open_sink};
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
