//! What is written is what is read, and the bytes depend on the rows alone.

use crate::common::{options, own_formats, part, path_of, poses, records};
use std::fs;
use std::path::{Path, PathBuf};
use understory_cloud::{
    LasClasses, MemorySink, Misses, MultiSink, OutputFormat, RecordSink, Records, SinkOptions,
    SinkReport, describe, open_sink,
};

const UTM: [f64; 3] = [500_123.4, 5_400_321.9, 102.0];

/// Writes `records` in batches of `batch` rows.
fn write(
    path: &Path,
    format: OutputFormat,
    options: &SinkOptions,
    records: &Records,
    batch: usize,
) -> SinkReport {
    let mut sink = open_sink(path, format, options).unwrap();
    if !records.is_empty() {
        poses(records).iter().for_each(|pose| sink.scan_pose(pose).unwrap());
    }
    for start in (0..records.len()).step_by(batch) {
        sink.write(&part(records, start, start + batch)).unwrap();
    }
    sink.finish().unwrap()
}

/// All bytes of a file or of the files of a folder, with their names.
fn bytes(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    if path.is_file() {
        return vec![(PathBuf::new(), fs::read(path).unwrap())];
    }
    let mut entries: Vec<_> = fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    let named = |entry: PathBuf| {
        let name = PathBuf::from(entry.file_name().unwrap());
        bytes(&entry).into_iter().map(move |(inner, bytes)| (name.join(inner), bytes))
    };
    entries.into_iter().flat_map(named).collect()
}

#[test]
fn batches_of_any_size_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(700, UTM);
    for format in OutputFormat::ALL {
        let mut files = Vec::new();
        for batch in [1, 7, 256, 10_000] {
            let path = path_of(dir.path(), &format!("batch-{batch}"), format);
            let report = write(&path, format, &options(), &records, batch);
            assert_eq!(report.paths, std::slice::from_ref(&path));
            files.push(bytes(&path));
        }
        assert!(files.iter().all(|file| *file == files[0] && !file.is_empty()), "{format}");
    }
}

#[test]
fn threads_do_not_change_the_bytes_of_laz() {
    let dir = tempfile::tempdir().unwrap();
    // More than one chunk of 50 000 points.
    let records = records(130_000, UTM);
    let files: Vec<_> = [1, 2, 8]
        .into_iter()
        .map(|threads| {
            let path = dir.path().join(format!("{threads}.laz"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let options = SinkOptions::default();
            pool.install(|| write(&path, OutputFormat::Laz, &options, &records, 40_000));
            fs::read(&path).unwrap()
        })
        .collect();
    assert!(files[0] == files[1] && files[0] == files[2]);
    // Another program's reader, through all chunks.
    let mut reader = las::Reader::from_path(dir.path().join("8.laz")).unwrap();
    let points = reader.read_all().unwrap();
    assert_eq!(points.len(), records.return_rows());
    let returns = (0..records.len()).filter(|&row| !records.is_miss(row));
    for ((row, x), time) in returns.zip(points.x()).zip(points.gps_time().unwrap()) {
        assert!((records.world_xyz_m[row][0] - x).abs() <= 0.5001e-4);
        assert_eq!(records.time_s[row], time);
    }
}

#[test]
fn misses_are_kept_or_left_out_and_always_counted() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(500, UTM);
    let returns = records.return_rows() as u64;
    let misses = records.len() as u64 - returns;
    assert!(misses > 50);
    for format in own_formats() {
        let holds = !matches!(format, OutputFormat::Las | OutputFormat::Laz | OutputFormat::Kitti);
        for option in [Misses::Keep, Misses::Drop] {
            let path = dir.path().join(format!("{option:?}.{format}"));
            let options = SinkOptions { misses: option, ..SinkOptions::default() };
            let report = write(&path, format, &options, &records, 64);
            let kept = holds && option == Misses::Keep;
            assert_eq!(report.rows, if kept { returns + misses } else { returns }, "{format}");
            assert_eq!(report.dropped_misses, if kept { 0 } else { misses }, "{format}");
            let summary = describe(&path).unwrap();
            assert_eq!((summary.rows, summary.returns), (report.rows, Some(returns)), "{format}");
            match format {
                // The header has no room for it in KITTI; LAS notes it in a record of its own.
                OutputFormat::Kitti => assert_eq!(summary.misses, None),
                OutputFormat::Las | OutputFormat::Laz => assert_eq!(summary.misses, Some(misses)),
                _ => assert_eq!(summary.misses, Some(if kept { misses } else { 0 }), "{format}"),
            }
        }
    }
}

#[test]
fn summaries_agree_with_the_records() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(300, UTM);
    let mut min = [f64::INFINITY; 3];
    let mut max = [f64::NEG_INFINITY; 3];
    for xyz in records.world_xyz_m.iter().filter(|xyz| xyz[0].is_finite()) {
        for axis in 0..3 {
            min[axis] = min[axis].min(xyz[axis]);
            max[axis] = max[axis].max(xyz[axis]);
        }
    }
    for format in own_formats() {
        let path = dir.path().join(format!("summary.{format}"));
        write(&path, format, &SinkOptions::default(), &records, 1000);
        let summary = describe(&path).unwrap();
        assert_eq!(summary.format, format);
        let span = summary.time_span_s.unwrap();
        if format == OutputFormat::Kitti {
            // Times of poses, and positions in the sensor's frame.
            assert_eq!((summary.scans, span[0]), (Some(3), 0.0));
            continue;
        }
        assert_eq!(span, [records.time_s[0], *records.time_s.last().unwrap()], "{format}");
        let bounds = summary.bounds_m.unwrap();
        let quantum = match format {
            OutputFormat::Las | OutputFormat::Laz => 0.5001e-4,
            _ => 0.0,
        };
        for axis in 0..3 {
            assert!((bounds[0][axis] - min[axis]).abs() <= quantum, "{format} {summary}");
            assert!((bounds[1][axis] - max[axis]).abs() <= quantum, "{format} {summary}");
        }
        if !matches!(format, OutputFormat::Csv | OutputFormat::Npy) {
            assert!(summary.software.unwrap().starts_with("Understory 0."), "{format}");
        }
        assert!(summary.columns.iter().any(|c| c.name == "true_range_m"), "{format}");
    }
}

#[test]
fn las_keeps_every_field_within_its_quantum() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(400, UTM);
    for format in [OutputFormat::Las, OutputFormat::Laz] {
        let path = dir.path().join(format!("fields.{format}"));
        let las_classes = LasClasses::Labels;
        let options = SinkOptions { las_classes, ..SinkOptions::default() };
        write(&path, format, &options, &records, 100);
        let mut reader = las::Reader::from_path(&path).unwrap();
        assert_eq!(reader.header().transforms().x.offset, 500_000.0);
        assert_eq!(reader.header().date(), None);
        let second = records.return_number.iter().filter(|&&n| n == 2).count() as u64;
        assert_eq!(reader.header().number_of_points_by_return(2), Some(second));
        let points: Vec<_> = reader.read_all().unwrap().points().map(|p| p.unwrap()).collect();
        let returns: Vec<_> = (0..records.len()).filter(|&row| !records.is_miss(row)).collect();
        assert_eq!(points.len(), returns.len());
        for (point, &row) in points.iter().zip(&returns) {
            let row = records.get(row).unwrap();
            for (a, b) in [point.x, point.y, point.z].into_iter().zip(row.world_xyz_m) {
                assert!((a - b).abs() <= 0.5001e-4, "{a} {b}");
            }
            let intensity = (f64::from(row.intensity) * 65_535.0).min(65_535.0);
            assert!((f64::from(point.intensity) - intensity).abs() <= 0.51);
            assert_eq!(point.return_number, row.return_number);
            assert_eq!(point.number_of_returns, row.return_count);
            assert_eq!(point.gps_time, Some(row.time_s));
            let class = if row.label > 255 { 1 } else { row.label as u8 };
            assert_eq!(u8::from(point.classification), class);
            assert_eq!(point.point_source_id, row.sensor);
            // The first extra column is the range.
            assert_eq!(point.extra_bytes[..4], row.range_m.to_le_bytes());
        }
    }
}

#[test]
fn without_extra_bytes_las_has_only_the_standard_fields() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(400, [0.0; 3]);
    let options = SinkOptions { extra_bytes: false, ..SinkOptions::default() };
    for format in [OutputFormat::Las, OutputFormat::Laz] {
        let path = dir.path().join(format!("plain.{format}"));
        write(&path, format, &options, &records, 100);
        let mut reader = las::Reader::from_path(&path).unwrap();
        assert_eq!(reader.header().point_format().extra_bytes, 0);
        assert_eq!(reader.read_all().unwrap().len(), records.return_rows());
    }
}

#[test]
fn csv_reads_back_to_the_last_bit() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(200, UTM);
    let path = dir.path().join("a.csv");
    write(&path, OutputFormat::Csv, &SinkOptions::default(), &records, 50);
    let mut csv = csv::Reader::from_path(&path).unwrap();
    let names = csv.headers().unwrap().clone();
    let at = |name: &str| names.iter().position(|n| n == name).unwrap();
    let (x, range, pulse) = (at("x_m"), at("range_m"), at("pulse"));
    for (row, line) in csv.records().enumerate() {
        let line = line.unwrap();
        let same = |a: f64, b: f64| a == b || (a.is_nan() && b.is_nan());
        assert!(same(line[x].parse().unwrap(), records.world_xyz_m[row][0]));
        let parsed: f32 = line[range].parse().unwrap();
        assert!(same(parsed.into(), records.range_m[row].into()));
        assert_eq!(line[pulse].parse::<u64>().unwrap(), records.pulse[row]);
    }
}

#[test]
fn kitti_has_a_file_per_scan_and_sensors_have_folders() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("sequence/");
    let records = records(250, UTM);
    let mut other = records.clone();
    other.sensor.fill(3);
    let mut sink = open_sink(&path, OutputFormat::Kitti, &SinkOptions::default()).unwrap();
    for mut pose in poses(&records) {
        sink.scan_pose(&pose).unwrap();
        pose.sensor = 3;
        sink.scan_pose(&pose).unwrap();
    }
    sink.write(&records).unwrap();
    sink.write(&other).unwrap();
    sink.finish().unwrap();
    let names: Vec<_> = bytes(&path).into_iter().map(|(name, _)| name).collect();
    let name = |n: &str| names.contains(&PathBuf::from(n));
    assert!(name("velodyne/000002.bin/") || name("velodyne/000002.bin"), "{names:?}");
    assert!(path.join("sensor_03/labels/000002.label").is_file());
    let poses = fs::read_to_string(path.join("poses.txt")).unwrap();
    assert_eq!(poses.lines().count(), 3);
    for line in poses.lines() {
        let numbers: Vec<f64> = line.split(' ').map(|n| n.parse().unwrap()).collect();
        assert_eq!(numbers.len(), 12);
    }
    assert_eq!(describe(&path).unwrap().scans, Some(6));
}

#[test]
fn empty_runs_give_readable_files() {
    let dir = tempfile::tempdir().unwrap();
    for format in OutputFormat::ALL {
        let path = path_of(dir.path(), "empty", format);
        let report = write(&path, format, &options(), &Records::default(), 10);
        assert_eq!(report.rows, 0);
        // Nothing in an empty capture, bag, folder or text without names says what it is of.
        use OutputFormat::{HeliosXyz, Kitti, Mcap, Pcap};
        if !matches!(format, HeliosXyz | Kitti | Mcap | Pcap) {
            assert_eq!(describe(&path).unwrap().rows, 0, "{format}");
        }
    }
    for name in ["empty.las", "empty.laz"] {
        assert_eq!(
            las::Reader::from_path(dir.path().join(name)).unwrap().read_all().unwrap().len(),
            0
        );
    }
}

#[test]
fn several_sinks_get_the_same_rows() {
    let dir = tempfile::tempdir().unwrap();
    let records = records(100, [0.0; 3]);
    let path = dir.path().join("a.npy");
    let memory = MemorySink::default();
    let file = open_sink(&path, OutputFormat::Npy, &SinkOptions::default()).unwrap();
    let mut sink: Box<dyn RecordSink> =
        Box::new(MultiSink::new(vec![file, Box::new(memory.clone())]));
    sink.write(&part(&records, 0, 30)).unwrap();
    sink.write(&part(&records, 30, records.len())).unwrap();
    let report = sink.finish().unwrap();
    assert_eq!((report.rows, report.paths), (2 * records.len() as u64, vec![path]));
    let kept = memory.take_records();
    assert_eq!((kept.pulse, kept.object), (records.pulse, records.object));
}
