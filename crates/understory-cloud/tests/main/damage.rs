//! Files that were cut short or changed: an error, a summary or beams, never a panic.

use crate::common::{own_formats, poses, records};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;
use understory_cloud::{
    CloudError, OutputFormat, ReadOptions, Recording, Records, SinkOptions, describe, open_sink,
};

/// A small file of each format that is one file.
fn small_files() -> &'static [(OutputFormat, Vec<u8>)] {
    static FILES: OnceLock<Vec<(OutputFormat, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let formats = own_formats().into_iter().filter(|&f| f != OutputFormat::Kitti);
        formats.map(|format| (format, written(&format!("small.{format}"), format))).collect()
    })
}

/// A small file of a format.
fn written(name: &str, format: OutputFormat) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let records = records(6, [1000.0, 2000.0, 30.0]);
    let path = dir.path().join(name);
    let mut sink = open_sink(&path, format, &SinkOptions::default()).unwrap();
    poses(&records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
    sink.write(&records).unwrap();
    sink.finish().unwrap();
    fs::read(&path).unwrap()
}

/// Small files of every kind that is read, ours and others', with their names.
fn readable_files() -> &'static [(String, Vec<u8>)] {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let ours = small_files().iter().map(|(format, bytes)| (format!("a.{format}"), bytes.clone()));
        let mut files: Vec<_> = ours.collect();
        let points = [[1.5f32, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]];
        let text = "1.5 2 3\n4 5 6\n7 8 9\n";
        let pcd = |data: &str| {
            format!("VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 1 0 0 1 0 0 0\nPOINTS 3\nDATA {data}\n")
        };
        let mut packed = pcd("binary_compressed").into_bytes();
        packed.extend_from_slice(&[38, 0, 0, 0, 36, 0, 0, 0]);
        // Column by column, nothing repeated: two commands that take bytes as they are.
        let columns = [0, 1, 2].map(|axis| points.map(|p| p[axis].to_le_bytes()).concat()).concat();
        for part in columns.chunks(18) {
            packed.push(part.len() as u8 - 1);
            packed.extend_from_slice(part);
        }
        files.push(("compressed.pcd".to_owned(), packed));
        files.push(("text.pcd".to_owned(), (pcd("ascii") + text).into_bytes()));
        let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
        files.push(("text.ply".to_owned(), format!("{ply}{text}").into_bytes()));
        let mut big = ply.replace("ascii", "binary_big_endian").into_bytes();
        points.as_flattened().iter().for_each(|v| big.extend_from_slice(&v.to_be_bytes()));
        files.push(("big.ply".to_owned(), big));
        files.push(("text.xyz".to_owned(), text.as_bytes().to_vec()));
        let vtk = format!("# vtk DataFile Version 3.0\ndata\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n{text}");
        files.push(("text.vtk".to_owned(), vtk.into_bytes()));
        for (name, format) in [
            ("a.e57", OutputFormat::E57),
            ("a.raycloud.ply", OutputFormat::RayCloud),
            ("text.helios.xyz", OutputFormat::HeliosXyz),
        ] {
            files.push((name.to_owned(), written(name, format)));
        }
        for (name, format) in [("old.las", 3), ("old.laz", 1), ("wave.laz", 4)] {
            files.push((name.to_owned(), las_of_another_writer(name, format)));
        }
        files
    })
}

/// A LAS 1.3 file as the `las` crate writes it: the compression of old point formats is another.
fn las_of_another_writer(name: &str, point_format: u8) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    let mut builder = las::Builder::from((1, 3));
    builder.point_format = las::point::Format::new(point_format).unwrap();
    builder.point_format.is_compressed = name.ends_with("laz");
    let mut writer = las::Writer::from_path(&path, builder.into_header().unwrap()).unwrap();
    for i in 0..50u16 {
        let has_color = point_format == 3;
        let point = las::Point {
            x: f64::from(i),
            y: 2.0 * f64::from(i),
            z: 1.0,
            intensity: 100 * i,
            return_number: 1,
            number_of_returns: 1,
            gps_time: Some(f64::from(i)),
            color: has_color.then_some(las::Color::new(1, 2, i)),
            waveform: (point_format == 4).then(Default::default),
            ..Default::default()
        };
        writer.write_point(point).unwrap();
    }
    writer.close().unwrap();
    fs::read(&path).unwrap()
}

/// Reads all beams; what comes must be valid.
fn read_bytes(dir: &Path, name: &str, bytes: &[u8]) -> Result<Records, CloudError> {
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    let mut recording = Recording::open(&path, &ReadOptions::default())?;
    let records = recording.read_all()?;
    let report = recording.report();
    assert_eq!(report.rows, report.returns + report.misses + report.skipped(), "{report}");
    assert_eq!(records.uneven_column(), None);
    for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
        assert!(records.world_xyz_m[row].iter().all(|c| c.is_finite()));
    }
    Ok(records)
}

#[test]
fn whole_files_are_read_and_cut_ones_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes) in readable_files() {
        let whole = read_bytes(dir.path(), name, bytes).unwrap();
        assert!(whole.len() >= 3, "{name}");
        // A cut text may end after a whole number; LAZ ends with its chunk table.
        let text = name.ends_with(".csv") || name.ends_with(".xyz") || name.starts_with("text.");
        let table = if name.ends_with(".laz") { 16 } else { 0 };
        for length in (0..bytes.len() - table).step_by(1 + bytes.len() / 60) {
            match read_bytes(dir.path(), name, &bytes[..length]) {
                Ok(_) => assert!(text, "{name} cut to {length} of {}", bytes.len()),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
    }
}

/// Lies that would take gigabytes, told within a process that may not have them.
#[test]
#[cfg(target_os = "linux")]
fn lies_about_sizes_take_no_memory() {
    const FOLDER: &str = "UNDERSTORY_TEST_SMALL_MEMORY";
    if let Ok(folder) = std::env::var(FOLDER) {
        // In text a size is no more than its letters; the headers of others are tested above.
        let names = [
            "a.las",
            "a.laz",
            "old.las",
            "old.laz",
            "wave.laz",
            "compressed.pcd",
            "a.parquet",
            "a.e57",
        ];
        for (name, bytes) in readable_files().iter().filter(|(n, _)| names.contains(&n.as_str())) {
            // Four bytes in turn become a large number: all over the header, and some behind it.
            let behind = (400..bytes.len().saturating_sub(4)).step_by(41);
            for at in (90..bytes.len().min(400) - 4).step_by(3).chain(behind) {
                let mut bytes = bytes.clone();
                bytes[at..at + 4].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f]);
                if name == "a.e57" {
                    e57_sums(&mut bytes);
                }
                let _either_way = read_bytes(Path::new(&folder), name, &bytes);
            }
        }
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "damage::lies_about_sizes_take_no_memory", "--test-threads=1"])
        .env(FOLDER, dir.path())
        .env("RAYON_NUM_THREADS", "2")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    let end = text.len().saturating_sub(2000);
    assert!(output.status.success(), "{}", &text[end..]);
}

/// Makes the check sums of an E57 file right again.
fn e57_sums(bytes: &mut [u8]) {
    for page in bytes.chunks_exact_mut(1024) {
        let (payload, sum) = page.split_at_mut(1020);
        sum.copy_from_slice(&crc32c::crc32c(payload).to_be_bytes());
    }
}

#[test]
fn an_e57_that_lies_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let whole = written("a.e57", OutputFormat::E57);
    let text = String::from_utf8_lossy(&whole).into_owned();
    let records = text.split("recordCount=\"").nth(1).unwrap();
    let records = records.split('"').next().unwrap();
    let lie = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let at = whole.windows(from.len()).position(|part| part == from.as_bytes());
        let at = at.unwrap_or_else(|| panic!("no {from}"));
        let mut bytes = whole.clone();
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        let broken = read_bytes(dir.path(), "a.e57", &bytes).unwrap_err().to_string();
        assert!(!broken.contains('\n'), "{broken}");
        e57_sums(&mut bytes);
        let result = read_bytes(dir.path(), "a.e57", &bytes);
        result.map(|records| records.len()).map_err(|error| error.to_string())
    };
    // More points than there are packets for.
    let more = format!("recordCount=\"{}", "9".repeat(records.len()));
    let text = lie(&format!("recordCount=\"{records}"), &more).unwrap_err();
    assert!(text.contains("packet at byte") && text.contains("after 0 points"), "{text}");
    // No compressed vector where it is said to be.
    let text = lie("fileOffset=\"48\"", "fileOffset=\"96\"").unwrap_err();
    assert!(text.contains("at byte") || text.contains("packet"), "{text}");
    // A type whose largest value is below its least.
    let text = lie("minimum=\"0\" maximum=\"2\"", "minimum=\"3\" maximum=\"2\"").unwrap_err();
    assert!(text.contains("Maximum value"), "{text}");
    // Constants take no bits: the streams no longer fit, but nothing is made up without end.
    let _either_way = lie("minimum=\"0\" maximum=\"2\"", "minimum=\"2\" maximum=\"2\"");
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
        which in 0..small_files().len(),
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
    fn changed_bytes_are_read_or_refused(
        which in 0..readable_files().len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_header in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (name, bytes) = &readable_files()[which];
        let mut bytes = bytes.clone();
        let reach = if in_header { bytes.len().min(600) } else { bytes.len() };
        for (index, value) in changes {
            bytes[index.index(reach)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Err(error) = read_bytes(dir.path(), name, &bytes) {
            prop_assert!(!error.to_string().contains('\n'), "{}", error);
        }
    }

    #[test]
    fn noise_never_panics(which in 0..6usize, bytes in prop::collection::vec(any::<u8>(), 0..500)) {
        let dir = tempfile::tempdir().unwrap();
        let _either_way = describe_bytes(dir.path(), own_formats()[which], &bytes);
    }
}
