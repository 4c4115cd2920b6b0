//! Files that were cut short or changed: an error or a summary, never a panic.

use crate::common::{poses, records};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use understory_cloud::{CloudError, OutputFormat, SinkOptions, describe, open_sink};

/// A small file of each format that is one file.
fn small_files() -> &'static [(OutputFormat, Vec<u8>)] {
    static FILES: OnceLock<Vec<(OutputFormat, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let records = records(6, [1000.0, 2000.0, 30.0]);
        let formats = OutputFormat::ALL.into_iter().filter(|&f| f != OutputFormat::Kitti);
        formats
            .map(|format| {
                let path = dir.path().join(format!("small.{format}"));
                let mut sink = open_sink(&path, format, &SinkOptions::default()).unwrap();
                poses(&records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
                sink.write(&records).unwrap();
                sink.finish().unwrap();
                (format, fs::read(&path).unwrap())
            })
            .collect()
    })
}

fn describe_bytes(
    dir: &Path,
    format: OutputFormat,
    bytes: &[u8],
) -> Result<understory_cloud::FileSummary, CloudError> {
    let path = dir.join(format!("damaged.{format}"));
    fs::write(&path, bytes).unwrap();
    describe(&path)
}

#[test]
fn cut_at_any_length_a_binary_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (format, bytes) in small_files() {
        assert!(describe_bytes(dir.path(), *format, bytes).is_ok(), "{format}");
        // Shortened step by step, because writing it anew each time wears the disk.
        let path = dir.path().join(format!("damaged.{format}"));
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for length in (0..bytes.len()).rev() {
            file.set_len(length as u64).unwrap();
            let result = describe(&path);
            // A CSV file that ends after a whole number of values cannot be told from a short one,
            // and the last bytes of a LAZ file are its chunk table, which is not read.
            let table = *format == OutputFormat::Laz && length + 16 > bytes.len();
            if *format != OutputFormat::Csv && !table {
                let text = result.expect_err(&format!("{format} {length}")).to_string();
                assert!(text.contains("damaged") && !text.contains('\n'), "{text}");
            }
        }
    }
}

#[test]
fn headers_that_promise_too_much_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let describe = |name: &str, text: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        describe(&path).unwrap_err().to_string()
    };
    let ply = b"ply\nformat binary_little_endian 1.0\nelement vertex 1000000000000\nproperty float x\nend_header\n";
    assert!(describe("a.ply", ply).contains("promises 1000000000000 rows"));
    let pcd = b"VERSION 0.7\nFIELDS x\nSIZE 4\nTYPE F\nCOUNT 1\nWIDTH 1\nHEIGHT 1\nPOINTS 18446744073709551615\nDATA binary\n";
    assert!(describe("a.pcd", pcd).contains("promises 18446744073709551615 rows"));
    let npy = |header: &str| {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(header.len() as u16).to_le_bytes());
        bytes.extend_from_slice(header.as_bytes());
        describe("a.npy", &bytes)
    };
    let many = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }\n";
    assert!(npy(many).contains("promises 1000000000000 rows"));
    let product = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296,), }";
    assert!(npy(product).contains("too large"));
    let deep =
        format!("{{'descr': {}, 'fortran_order': False, 'shape': (1,), }}", "[".repeat(9999));
    assert!(npy(&deep).contains("nested too deeply"));
    assert!(describe("a.csv", &vec![b'x'; 1 << 20]).contains("more than 65536 bytes"));
    assert!(describe("a.bin", &[0; 17]).contains("no whole number of points"));
    let text = describe("b.las", b"LASF");
    assert!(text.contains("b.las is damaged or not a LAS file"), "{text}");
    let missing = understory_cloud::describe(&dir.path().join("missing.las")).unwrap_err();
    assert!(missing.to_string().starts_with("cannot read"), "{missing}");
    assert!(
        understory_cloud::describe(dir.path())
            .unwrap_err()
            .to_string()
            .contains("no folder velodyne")
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn changed_bytes_never_panic(
        which in 0..6usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_header in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (format, bytes) = &small_files()[which];
        let mut bytes = bytes.clone();
        let reach = if in_header { bytes.len().min(600) } else { bytes.len() };
        for (index, value) in changes {
            bytes[index.index(reach)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(summary) = describe_bytes(dir.path(), *format, &bytes) {
            prop_assert!(!summary.to_string().is_empty());
        }
    }

    #[test]
    fn noise_never_panics(which in 0..6usize, bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let dir = tempfile::tempdir().unwrap();
        let _either_way = describe_bytes(dir.path(), OutputFormat::ALL[which], &bytes);
    }
}
