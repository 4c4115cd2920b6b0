//! ROS 2 bags: what we write is read by other people's libraries, what they write is read by us.
//!
//! The checks with Python run when `UNDERSTORY_PYTHON` names a Python that has the packages of
//! `xtask/python-requirements.txt`; `cargo xtask test` sets it.

use crate::common::noise;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::Path;
use understory_cloud::{
    BagCompression, CloudError, IDENTITY_ROWS, ImuSamples, LaserDescription, McapSink, Misses,
    OusterProduct, OusterProfile, OutputFormat, PacketFormat, PlatformPose, ReadOptions, Record,
    RecordSink, Recording, Records, ReportedReturns, RosNames, ScanPose, SensorDescription,
    SinkOptions, SinkReport, Spin, VelodyneModel, convert, describe, open_sink,
};
use understory_testing::Python;

/// 2026-03-01 12:00:00.123456789 UTC.
const START_NS: i64 = 1_772_366_400_123_456_789;
const SCAN_S: f64 = 0.1;

/// Where the sensor is: it drives straight on and turns steadily.
fn pose(time_s: f64) -> [[f64; 4]; 3] {
    let (sin, cos) = (0.3 + 0.8 * time_s).sin_cos();
    [
        [cos, -sin, 0.0, 431_000.0 + 9.0 * time_s],
        [sin, cos, 0.0, 5_400_000.25 - 2.0 * time_s],
        [0.0, 0.0, 1.0, 101.5 + 0.25 * time_s],
    ]
}

fn place(time_s: f64, at: [f64; 3]) -> [f64; 3] {
    pose(time_s).map(|r| r[0] * at[0] + r[1] * at[1] + r[2] * at[2] + r[3])
}

fn facts(name: &str, packets: Option<PacketFormat>, elevations_deg: &[f64]) -> SensorDescription {
    let laser =
        |&elevation_deg: &f64| LaserDescription { elevation_deg, ..LaserDescription::default() };
    SensorDescription {
        name: name.to_owned(),
        packets,
        lasers: elevations_deg.iter().map(laser).collect(),
        spin: Some(Spin { rotation_hz: 10.0, clockwise: true, cycle_s: SCAN_S / 64.0 }),
        scan_s: SCAN_S,
        columns_per_scan: 64,
        range_m: [0.5, 100.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: IDENTITY_ROWS,
        platform_from_sensor: IDENTITY_ROWS,
    }
}

fn velodyne() -> SensorDescription {
    let elevations = [-15., 1., -13., 3., -11., 5., -9., 7., -7., 9., -5., 11., -3., 13., -1., 15.];
    facts("VLP-16", Some(PacketFormat::Velodyne(VelodyneModel::Vlp16)), &elevations)
}

fn ouster() -> SensorDescription {
    let profile = OusterProfile::Rng19;
    let product = OusterProduct { profile, product: "OS-1-8".to_owned(), serial: 1 };
    let mut facts = facts(
        "os1",
        Some(PacketFormat::Ouster(product)),
        &[16.5, 12.0, 7.0, 2.0, -3.0, -8.0, -13.0, -16.0],
    );
    for (laser, offset) in facts.lasers.iter_mut().zip([12.0, 4.0, -4.0, -12.0].repeat(2)) {
        laser.azimuth_offset_deg = offset;
    }
    facts.sensor_from_lidar =
        [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.036_18]];
    facts
}

fn line() -> SensorDescription {
    let mut facts = facts("LMS 111", None, &[0.0]);
    facts.spin = None;
    facts
}

/// Directions of the beams in the sensor's frame.
fn angles_deg(facts: &SensorDescription, channel: usize, column: u32) -> [f64; 2] {
    let turned = f64::from(column) / 64.0 * 360.0;
    let laser = facts.lasers[channel];
    match &facts.packets {
        Some(PacketFormat::Velodyne(_)) => [180.0 - turned, laser.elevation_deg],
        Some(PacketFormat::Ouster(_)) => {
            let azimuth = 180.0 - turned + laser.azimuth_offset_deg;
            [azimuth - 360.0 * (azimuth / 360.0).round(), laser.elevation_deg]
        }
        None if facts.lasers.len() == 1 => [-120.0 + 3.75 * f64::from(column), 0.0],
        None => [
            30.0 * noise(u64::from(column)) - 15.0,
            20.0 * noise(7 + channel as u64 + 64 * u64::from(column)) - 10.0,
        ],
    }
}

/// `scans` scans of a sensor in motion; every fifth pulse misses, with `returns` every third has 2.
fn drive(
    facts: &SensorDescription,
    sensor: u16,
    scans: u32,
    returns: u8,
) -> (Records, Vec<ScanPose>) {
    let (mut records, mut poses) = (Records::default(), Vec::new());
    let channels = facts.lasers.len();
    let mut pulse = 0u64;
    for scan in 0..scans {
        for column in 0..64 {
            let cycle_s = f64::from(scan) * SCAN_S + f64::from(column) * SCAN_S / 64.0;
            for channel in 0..channels {
                // Ouster fires all lasers at once.
                let is_ouster = matches!(facts.packets, Some(PacketFormat::Ouster(_)));
                let delay = if is_ouster { 0.0 } else { 2.304e-6 * channel as f64 };
                let time_s = cycle_s + delay + f64::from(sensor) * 1e-3;
                if column == 0 && channel == 0 {
                    poses.push(ScanPose { sensor, scan, time_s, world_from_sensor: pose(time_s) });
                }
                let [azimuth, elevation] = angles_deg(facts, channel, column);
                let (sin, cos) = azimuth.to_radians().sin_cos();
                let (up, flat) = elevation.to_radians().sin_cos();
                let along = [flat * cos, flat * sin, up];
                let here = place(time_s, [0.0; 3]);
                let ahead = place(time_s, along);
                let miss = Record {
                    time_s,
                    pulse,
                    sensor,
                    channel: channel as u16,
                    scan,
                    column,
                    azimuth_deg: azimuth as f32,
                    elevation_deg: elevation as f32,
                    origin_xyz_m: here,
                    direction_xyz: std::array::from_fn(|i| (ahead[i] - here[i]) as f32),
                    ambient_photons: (40.0 * noise(23 * pulse)) as f32,
                    ..Record::miss()
                };
                let count = match pulse % 5 {
                    2 => 0,
                    _ if pulse.is_multiple_of(3) => returns,
                    _ => 1,
                };
                if count == 0 {
                    records.push(miss);
                }
                for number in 1..=count {
                    // Whole millimetres, as sensors have them.
                    let range_m = (1000.0 * (2.0 + 60.0 * noise(pulse + 1000))).round() / 1000.0
                        + f64::from(number - 1);
                    let sensor_xyz_m = along.map(|a| (a * range_m) as f32);
                    records.push(Record {
                        return_number: number,
                        return_count: count,
                        range_m: range_m as f32,
                        intensity: (0.9 * noise(3 * pulse) + 0.01) as f32,
                        signal_photons: (900.0 * noise(5 * pulse)) as f32,
                        sensor_xyz_m,
                        world_xyz_m: place(time_s, sensor_xyz_m.map(f64::from)),
                        ..miss
                    });
                }
                pulse += 1;
            }
        }
    }
    (records, poses)
}

fn options(sensors: &[SensorDescription]) -> SinkOptions {
    SinkOptions { sensors: sensors.to_vec(), start_unix_ns: START_NS, ..SinkOptions::default() }
}

fn write(path: &Path, options: &SinkOptions, runs: &[(Records, Vec<ScanPose>)]) -> SinkReport {
    let mut sink = open_sink(path, OutputFormat::Mcap, options).unwrap();
    for (records, poses) in runs {
        poses.iter().for_each(|pose| sink.scan_pose(pose).unwrap());
        sink.write(records).unwrap();
    }
    sink.finish().unwrap()
}

fn reading(sensor: Option<&SensorDescription>, topic: Option<&str>) -> ReadOptions {
    ReadOptions {
        start_unix_ns: START_NS,
        sensor: sensor.cloned(),
        topic: topic.map(str::to_owned),
        ..ReadOptions::default()
    }
}

fn read(path: &Path, options: &ReadOptions) -> (Records, Recording) {
    let mut recording = Recording::open(path, options).unwrap();
    let records = recording.read_all().unwrap();
    (records, recording)
}

/// Compares what both have; `kept` are the rows of `written` that the bag holds, in its order.
fn compare(name: &str, written: &Records, kept: &[usize], read: &Records) {
    assert_eq!(read.len(), kept.len(), "{name}");
    let near = |a: f64, b: f64, slack: f64| (a - b).abs() <= slack;
    for (row, &from) in kept.iter().enumerate() {
        let (a, b) = (written.get(from).unwrap(), read.get(row).unwrap());
        let message = format!("{name} row {row} of {from}: {a:?} {b:?}");
        assert_eq!((a.scan, a.is_miss()), (b.scan, b.is_miss()), "{message}");
        // A relative time of 0.1 s as f32 is good to 4 ns.
        assert!(near(a.time_s, b.time_s, 6e-9), "{message}");
        for axis in 0..3 {
            assert!(near(a.origin_xyz_m[axis], b.origin_xyz_m[axis], 1e-7), "{message}");
            let slack = if a.is_miss() { 1e-6 } else { 2e-6 };
            let [x, y] = [a, b].map(|r| f64::from(r.direction_xyz[axis]));
            assert!(near(x, y, slack), "{message}");
            if !a.is_miss() {
                assert!(near(a.world_xyz_m[axis], b.world_xyz_m[axis], 2e-5), "{message}");
                let [x, y] = [a, b].map(|r| f64::from(r.sensor_xyz_m[axis]));
                assert!(near(x, y, 1e-5), "{message}");
            }
        }
        if !a.is_miss() {
            assert!(near(f64::from(a.range_m), f64::from(b.range_m), 1e-5), "{message}");
        }
    }
}

trait IsMiss {
    fn is_miss(&self) -> bool;
}

impl IsMiss for Record {
    fn is_miss(&self) -> bool {
        self.return_number == 0
    }
}

fn returns_of(records: &Records) -> Vec<usize> {
    (0..records.len()).filter(|&row| !records.is_miss(row)).collect()
}

#[test]
fn a_velodyne_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let facts = velodyne();
    let run = drive(&facts, 0, 3, 1);
    let path = dir.path().join("drive.mcap");
    let report = write(&path, &options(std::slice::from_ref(&facts)), std::slice::from_ref(&run));
    assert_eq!((report.rows, report.dropped_misses), (run.0.len() as u64, 0));
    assert!(report.dropped_fields.is_empty(), "{:?}", report.dropped_fields);
    let (found, recording) = read(&path, &reading(Some(&facts), None));
    let known = recording.known();
    assert!(known.origin && known.time && known.channel && known.scan && known.misses);
    // Misses have a place, but nobody knows where they went.
    let misses = run.0.len() - run.0.return_rows();
    assert_eq!(recording.report().undirected, misses as u64);
    // In a line points stand by their rings.
    let mut rows = returns_of(&run.0);
    let ring = |channel: u16| {
        let own = facts.lasers[usize::from(channel)].elevation_deg;
        facts.lasers.iter().filter(|laser| laser.elevation_deg < own).count()
    };
    rows.sort_by_key(|&row| (run.0.scan[row], run.0.column[row], ring(run.0.channel[row])));
    compare("velodyne", &run.0, &rows, &found);
    for (row, &from) in rows.iter().enumerate() {
        assert_eq!(found.channel[row], run.0.channel[from]);
        assert_eq!(found.column[row], run.0.column[from]);
        assert!((found.intensity[row] - run.0.intensity[from]).abs() < 1e-6);
    }
    assert_eq!(recording.scan_poses().len(), 3);

    // Without misses the points stand in firing order.
    let options = SinkOptions { misses: Misses::Drop, ..options(std::slice::from_ref(&facts)) };
    let report = write(&path, &options, std::slice::from_ref(&run));
    assert_eq!(report.dropped_misses, misses as u64);
    let (found, recording) = read(&path, &reading(Some(&facts), None));
    assert!(!recording.known().misses);
    compare("unorganised", &run.0, &returns_of(&run.0), &found);
}

#[test]
fn an_ouster_comes_back_with_its_misses() {
    let dir = tempfile::tempdir().unwrap();
    let facts = ouster();
    let run = drive(&facts, 0, 2, 2);
    let path = dir.path().join("drive.mcap");
    let report = write(&path, &options(std::slice::from_ref(&facts)), std::slice::from_ref(&run));
    let pulses = 2 * 64 * 8;
    assert_eq!((report.rows, report.dropped_misses), (pulses, 0));
    let extra = run.0.len() as u64 - pulses;
    assert!(report.dropped_fields[0].starts_with(&format!("{extra} returns beyond")));
    let (found, recording) = read(&path, &reading(Some(&facts), None));
    assert!(recording.known().misses && recording.known().angles);
    assert_eq!(recording.report().skipped(), 0, "{}", recording.report());
    let mut kept: Vec<usize> =
        (0..run.0.len()).filter(|&row| run.0.return_number[row] <= 1).collect();
    let shift = |row: usize| {
        let offset = facts.lasers[usize::from(run.0.channel[row])].azimuth_offset_deg;
        ((f64::from(run.0.column[row]) - offset / 360.0 * 64.0).round() as i64).rem_euclid(64)
    };
    kept.sort_by_key(|&row| (run.0.scan[row], run.0.channel[row], shift(row)));
    compare("ouster", &run.0, &kept, &found);
    for (row, &from) in kept.iter().enumerate() {
        assert_eq!(found.channel[row], run.0.channel[from]);
        assert_eq!(found.column[row], run.0.column[from], "row {row}");
        let slack = 180.0 / 65535.0;
        assert!((found.elevation_deg[row] - run.0.elevation_deg[from]).abs() < slack);
        if !found.is_miss(row) {
            assert!((found.intensity[row] - run.0.intensity[from]).abs() <= 0.005 + 1e-6);
        }
    }
}

#[test]
fn a_line_scanner_and_others_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("drive.mcap");
    let facts = line();
    let run = drive(&facts, 0, 3, 1);
    let report = write(&path, &options(std::slice::from_ref(&facts)), std::slice::from_ref(&run));
    assert_eq!((report.rows, report.dropped_misses), (run.0.len() as u64, 0));
    let (found, recording) = read(&path, &reading(None, None));
    assert_eq!(recording.report().skipped(), 0, "{}", recording.report());
    let all: Vec<usize> = (0..run.0.len()).collect();
    compare("line", &run.0, &all, &found);
    for row in 0..found.len() {
        assert_eq!(found.column[row], run.0.column[row]);
        assert!((found.azimuth_deg[row] - run.0.azimuth_deg[row]).abs() < 1e-4);
        let same = found.is_miss(row) || found.intensity[row] == run.0.intensity[row];
        assert!(same, "row {row}");
    }
    let text = describe(&path).unwrap().to_string();
    for word in ["/scan (3 × sensor_msgs/msg/LaserScan)", "/tf (4 × ", "/odom (4 × "] {
        assert!(text.contains(word), "{text}");
    }

    // A pattern of its own, with two returns: nothing is lost.
    let facts = facts_of_others();
    let run = drive(&facts, 0, 3, 2);
    for compression in [BagCompression::Zstd, BagCompression::Lz4, BagCompression::None] {
        let options =
            SinkOptions { bag_compression: compression, ..options(std::slice::from_ref(&facts)) };
        let report = write(&path, &options, std::slice::from_ref(&run));
        assert_eq!((report.rows, report.dropped_fields.len()), (run.0.len() as u64, 0));
        let (found, recording) = read(&path, &reading(None, None));
        assert_eq!(recording.report().skipped(), 0, "{}", recording.report());
        let all: Vec<usize> = (0..run.0.len()).collect();
        compare("plain", &run.0, &all, &found);
        assert_eq!(found.return_number, run.0.return_number);
        assert_eq!(found.return_count, run.0.return_count);
        assert_eq!((found.channel, found.column), (run.0.channel.clone(), run.0.column.clone()));
        assert_eq!(found.pulse, run.0.pulse);
    }
}

fn facts_of_others() -> SensorDescription {
    let mut facts = facts("Mid-40", None, &[0.0; 6]);
    facts.returns = ReportedReturns::All;
    facts
}

/// The same bytes, however the rows are cut and whenever poses are message.
#[test]
fn batches_do_not_show() {
    let dir = tempfile::tempdir().unwrap();
    let facts = [velodyne(), facts_of_others()];
    let runs = [drive(&facts[0], 0, 4, 1), drive(&facts[1], 1, 4, 2)];
    // By time, as a run with two sensors gives them.
    let mut rows: Vec<(u16, usize)> = Vec::new();
    for (sensor, (records, _)) in runs.iter().enumerate() {
        rows.extend((0..records.len()).map(|row| (sensor as u16, row)));
    }
    let time = |&(sensor, row): &(u16, usize)| runs[usize::from(sensor)].0.time_s[row];
    rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut files = Vec::new();
    for batch in [1, 77, 100_000] {
        let path = dir.path().join(format!("{batch}.mcap"));
        let mut sink = open_sink(&path, OutputFormat::Mcap, &options(&facts)).unwrap();
        let mut sent = [0; 2];
        for part in rows.chunks(batch) {
            let mut records = Records::default();
            for &(sensor, row) in part {
                let record = runs[usize::from(sensor)].0.get(row).unwrap();
                let sent = &mut sent[usize::from(sensor)];
                while *sent <= record.scan as usize {
                    sink.scan_pose(&runs[usize::from(sensor)].1[*sent]).unwrap();
                    *sent += 1;
                }
                records.push(record);
            }
            sink.write(&records).unwrap();
        }
        sink.finish().unwrap();
        files.push(std::fs::read(path).unwrap());
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));

    let path = dir.path().join("1.mcap");
    let error = Recording::open(&path, &reading(None, None)).err().unwrap().to_string();
    for word in ["/vlp_16/velodyne_points (4 × sensor_msgs", "/mid_40/points", "name the topic"] {
        assert!(error.contains(word), "{error}");
    }
    let error = Recording::open(&path, &reading(None, Some("/none"))).err().unwrap();
    assert!(error.to_string().contains("called \"/none\""), "{error}");
    let (found, _) = read(&path, &reading(None, Some("/mid_40/points")));
    let all: Vec<usize> = (0..runs[1].0.len()).collect();
    compare("second", &runs[1].0, &all, &found);
}

#[test]
fn a_bag_folder_is_read_and_replaced_and_sqlite_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let facts = facts_of_others();
    let run = drive(&facts, 0, 2, 1);
    let path = dir.path().join("drive.mcap/");
    assert_eq!(OutputFormat::from_path(&path).unwrap(), OutputFormat::Mcap);
    for _ in 0..2 {
        write(&path, &options(std::slice::from_ref(&facts)), std::slice::from_ref(&run));
        assert!(path.join("drive_0.mcap").is_file() && path.join("metadata.yaml").is_file());
        let (found, _) = read(&path, &reading(None, None));
        compare("folder", &run.0, &(0..run.0.len()).collect::<Vec<_>>(), &found);
    }
    let sqlite = dir.path().join("old");
    std::fs::create_dir(&sqlite).unwrap();
    std::fs::write(sqlite.join("old_0.db3"), "SQLite format 3").unwrap();
    std::fs::write(sqlite.join("metadata.yaml"), "").unwrap();
    for path in [sqlite.join("old_0.db3"), sqlite] {
        let error = describe(&path).unwrap_err().to_string();
        assert!(error.contains("convert it to MCAP"), "{error}");
    }
}

/// Rows as text of their own, by no writer under test: floats as their bits.
fn expected(records: &Records) -> String {
    let mut text = String::new();
    for row in 0..records.len() {
        let row = records.get(row).unwrap();
        let time_ns = START_NS + (row.time_s * 1e9).round() as i64;
        let float = |v: f32| format!("{:08x}", v.to_bits());
        let [x, y, z] = row.sensor_xyz_m.map(float);
        let counts =
            format!("{} {} {} {}", row.channel, row.column, row.return_number, row.return_count);
        let last = [row.azimuth_deg, row.elevation_deg, row.signal_photons, row.ambient_photons];
        let world = row.world_xyz_m.map(|x| x.to_string()).join(" ");
        writeln!(
            text,
            "{} {time_ns} {x} {y} {z} {} {} {counts} {} {world}",
            row.scan,
            float(row.intensity),
            float(row.range_m),
            last.map(float).join(" ")
        )
        .unwrap();
    }
    text
}

fn poses_given(poses: &[ScanPose]) -> String {
    let line = |pose: &ScanPose| {
        let numbers = pose.world_from_sensor.as_flattened().iter().map(f64::to_string);
        let time_ns = START_NS + (pose.time_s * 1e9).round() as i64;
        format!("{time_ns} {}\n", numbers.collect::<Vec<_>>().join(" "))
    };
    poses.iter().map(line).collect()
}

/// What a script says; none where there is no Python.
fn python(script: &str, folder: &Path) -> Option<String> {
    let python = Python::find()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let output = python
        .command()
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .arg(script)
        .arg(folder)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    Some(text)
}

/// How the sensor is mounted: turned by a quarter to the left, ahead and above.
const MOUNT: [[f64; 4]; 3] = [[0.0, -1.0, 0.0, 1.5], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.8]];

/// The pose of the platform on which a sensor that is mounted so has [`pose`]; it estimates to be
/// 2 m to the east and 1 m below, and points are registered with the true pose.
fn platform(time_s: f64) -> PlatformPose {
    let sensor = pose(time_s);
    let turned =
        |row: usize, axis: usize| (0..3).map(|k| sensor[row][k] * MOUNT[axis][k]).sum::<f64>();
    let mut truth = [[0.0; 4]; 3];
    for row in 0..3 {
        for axis in 0..3 {
            truth[row][axis] = turned(row, axis);
        }
        let arm: f64 = (0..3).map(|axis| truth[row][axis] * MOUNT[axis][3]).sum();
        truth[row][3] = sensor[row][3] - arm;
    }
    let mut estimated = truth;
    estimated[0][3] += 2.0;
    estimated[2][3] -= 1.0;
    let variance = [4.0, 4.0, 9.0, 0.01, 0.01, 0.04];
    PlatformPose {
        time_s,
        registered: truth,
        estimated,
        truth: Some(truth),
        variance,
        is_step: false,
        gps_fix: None,
    }
}

/// The same bytes, however rows are cut, where the poses of the platform are told.
#[test]
fn batches_do_not_show_where_poses_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let facts = [velodyne(), facts_of_others()];
    let runs = [drive(&facts[0], 0, 4, 1), drive(&facts[1], 1, 4, 2)];
    let mut rows: Vec<(u16, usize)> = Vec::new();
    for (sensor, (records, _)) in runs.iter().enumerate() {
        rows.extend((0..records.len()).map(|row| (sensor as u16, row)));
    }
    let time = |&(sensor, row): &(u16, usize)| runs[usize::from(sensor)].0.time_s[row];
    rows.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let mut files = Vec::new();
    for batch in [1, 77, 100_000] {
        let path = dir.path().join(format!("{batch}.mcap"));
        let mut sink = open_sink(&path, OutputFormat::Mcap, &options(&facts)).unwrap();
        let mut told = 0;
        for part in rows.chunks(batch) {
            let last_s = part.iter().map(time).fold(0.0, f64::max);
            while 0.01 * f64::from(told) < last_s + 0.02 {
                sink.platform_pose(&platform(0.01 * f64::from(told))).unwrap();
                told += 1;
            }
            let mut records = Records::default();
            for &(sensor, row) in part {
                records.push(runs[usize::from(sensor)].0.get(row).unwrap());
            }
            sink.write(&records).unwrap();
        }
        sink.finish().unwrap();
        files.push(std::fs::read(path).unwrap());
    }
    assert!(files.windows(2).all(|pair| pair[0] == pair[1]));
}

/// A pose that holds until the next one is no motion between both.
#[test]
fn poses_that_hold_place_points_where_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("steps.mcap");
    let facts = facts_of_others();
    let (records, poses) = drive(&facts, 0, 3, 1);
    let mut sink = McapSink::create(&path, &options(&[facts])).unwrap();
    for scan in &poses {
        let rows = scan.world_from_sensor;
        sink.platform_pose(&PlatformPose {
            time_s: scan.time_s,
            registered: rows,
            estimated: rows,
            truth: None,
            variance: [0.0; 6],
            is_step: true,
            gps_fix: None,
        })
        .unwrap();
        sink.scan_pose(scan).unwrap();
    }
    sink.write(&records).unwrap();
    Box::new(sink).finish().unwrap();
    let (found, _) = read(&path, &reading(None, None));
    let mut checked = 0;
    for row in 0..found.len() {
        // Beyond the last pose the last velocity goes on.
        let scan = found.scan[row] as usize;
        let (at, origin) = (poses[scan].world_from_sensor, found.origin_xyz_m[row]);
        if scan == 2 || found.time_s[row] > poses[scan + 1].time_s - 1e-5 {
            continue;
        }
        for axis in 0..3 {
            assert!((origin[axis] - at[axis][3]).abs() < 1e-6, "row {row}: {origin:?}");
        }
        checked += 1;
    }
    assert!(checked > 500, "{checked}");
}

/// Labels, where they are asked for, come back in every layout.
#[test]
fn labels_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("labels.mcap");
    for facts in [velodyne(), ouster(), facts_of_others()] {
        let (mut records, poses) = drive(&facts, 0, 2, 1);
        // The range in millimetres says which row it is.
        let label = |range_m: f32| ((f64::from(range_m) * 1000.0).round() as u64 % 60_000) as u16;
        records.label = records.range_m.iter().map(|range_m| label(*range_m)).collect();
        for ros_labels in [true, false] {
            let options = SinkOptions { ros_labels, ..options(std::slice::from_ref(&facts)) };
            write(&path, &options, &[(records.clone(), poses.clone())]);
            let (found, recording) = read(&path, &reading(Some(&facts), None));
            assert_eq!(recording.known().label, ros_labels, "{}", facts.name);
            let returns = (0..found.len()).filter(|&row| !found.is_miss(row));
            for row in returns.filter(|_| ros_labels) {
                assert_eq!(found.label[row], label(found.range_m[row]), "{} {row}", facts.name);
            }
        }
    }
}

/// Colours, where they are asked for, come back in every layout, with labels and without; nothing
/// else of a point moves.
#[test]
fn colours_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("colours.mcap");
    for facts in [velodyne(), ouster(), facts_of_others()] {
        let (mut records, poses) = drive(&facts, 0, 2, 1);
        // The range in millimetres says which row it is.
        let colour = |range_m: f32| {
            let number = (f64::from(range_m) * 1000.0).round() as u32;
            [(number % 256) as u8, (number / 256 % 256) as u8, 255 - (number % 256) as u8]
        };
        records.colour_rgb = records.range_m.iter().map(|range_m| colour(*range_m)).collect();
        let one = std::slice::from_ref(&facts);
        write(&path, &options(one), &[(records.clone(), poses.clone())]);
        let (plain, recording) = read(&path, &reading(Some(&facts), None));
        assert!(!recording.known().colour);
        for ros_labels in [true, false] {
            let options = SinkOptions { ros_labels, ros_colours: true, ..options(one) };
            write(&path, &options, &[(records.clone(), poses.clone())]);
            let (found, recording) = read(&path, &reading(Some(&facts), None));
            assert!(recording.known().colour, "{}", facts.name);
            assert_eq!(found.world_xyz_m.len(), plain.world_xyz_m.len());
            assert_eq!(found.range_m.len(), plain.range_m.len());
            for row in (0..found.len()).filter(|&row| !found.is_miss(row)) {
                let range_m = found.range_m[row];
                assert_eq!(found.colour_rgb[row], colour(range_m), "{} {row}", facts.name);
                assert_eq!(range_m, plain.range_m[row]);
                assert_eq!(found.world_xyz_m[row], plain.world_xyz_m[row]);
            }
        }
    }
}

/// Points in their frame, and a transform that says that frames are in a circle.
#[test]
fn transforms_in_a_circle_are_refused_in_one_sentence() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("circle.mcap");
    let run = drive(&facts_of_others(), 0, 2, 1);
    some_topics(&path, &run, &["/points", "/tf", "/tf_static"], |topic, bytes| {
        // The frame of the points takes the place of the map.
        if topic == "/tf" {
            let at = bytes.windows(4).position(|window| window == b"map\0").unwrap();
            bytes[at..at + 3].copy_from_slice(b"top");
        }
    });
    let error = Recording::open(&path, &reading(None, None)).err().unwrap().to_string();
    assert!(error.contains("in a circle, from top to ") && !error.contains('\n'), "{error}");
    assert!(error.contains("; record it without one of them, or give a trajectory"), "{error}");
    // A trajectory stands in for them.
    let poses = dir.path().join("poses.tum");
    std::fs::write(&poses, "0 1 2 3 0 0 0 1\n10 1 2 3 0 0 0 1\n").unwrap();
    let given = ReadOptions { trajectory: Some(poses), ..reading(None, None) };
    let mut recording = Recording::open(&path, &given).unwrap();
    assert!(recording.read_all().unwrap().len() > 100);
}

/// Bags keep the topics and frames of bags that they were made from.
#[test]
fn converted_bags_keep_topics_and_frames() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("a.mcap"), dir.path().join("b.mcap"));
    let run = drive(&facts_of_others(), 0, 2, 1);
    let names = RosNames { topic: "/roof/cloud".into(), frame: "roof_lidar".into() };
    let named = SinkOptions { ros_names: Some(names.clone()), ..options(&[facts_of_others()]) };
    write(&from, &named, std::slice::from_ref(&run));
    convert(&from, &reading(None, None), &to, OutputFormat::Mcap, &options(&[])).unwrap();
    let (found, recording) = read(&to, &reading(None, None));
    assert_eq!(recording.ros_names(), Some(&names));
    compare("named", &run.0, &(0..run.0.len()).collect::<Vec<_>>(), &found);
    // A sensor whose frame is the platform's is not mounted on it.
    let names = RosNames { topic: "/p".into(), frame: "base_link".into() };
    let named = SinkOptions { ros_names: Some(names), ..options(&[facts_of_others()]) };
    write(&from, &named, std::slice::from_ref(&run));
    let (found, _) = read(&from, &reading(None, None));
    compare("base", &run.0, &(0..run.0.len()).collect::<Vec<_>>(), &found);
}

#[test]
fn other_peoples_libraries_read_our_bags() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("folders")).unwrap();
    for (name, facts, misses, returns) in [
        ("velodyne", velodyne(), Misses::Keep, 1),
        ("unorganised", velodyne(), Misses::Drop, 2),
        ("ouster", ouster(), Misses::Keep, 1),
        ("line", line(), Misses::Keep, 1),
        ("plain", facts_of_others(), Misses::Keep, 2),
        ("told", facts_of_others(), Misses::Keep, 2),
    ] {
        let mut facts = facts;
        facts.platform_from_sensor = MOUNT;
        let (mut records, poses) = drive(&facts, 0, 4, returns);
        records.label = (0..records.len()).map(|row| (row % 300) as u16).collect();
        let compression = if returns == 1 { BagCompression::Zstd } else { BagCompression::Lz4 };
        let told = name == "told";
        let options = SinkOptions {
            misses,
            bag_compression: compression,
            ros_labels: told,
            ..options(&[facts])
        };
        for path in [format!("{name}.mcap"), format!("folders/{name}.mcap/")] {
            let mut sink = McapSink::create(&dir.path().join(path), &options).unwrap();
            if name == "plain" {
                let samples = ImuSamples {
                    time_s: (0..5).map(|i| 0.01 * f64::from(i)).collect(),
                    angular_velocity_rad_s: (0..5)
                        .map(|i| [0.1 * f64::from(i), 0.0, 0.8])
                        .collect(),
                    linear_acceleration_m_s2: vec![[0.0, 0.0, 9.81]; 5],
                    orientation_xyzw: Vec::new(),
                };
                sink.imu(0, &samples).unwrap();
            }
            for step in (0..).take_while(|_| told).take(43) {
                sink.platform_pose(&platform(0.01 * f64::from(step))).unwrap();
            }
            poses.iter().for_each(|pose| sink.scan_pose(pose).unwrap());
            sink.write(&records).unwrap();
            Box::new(sink).finish().unwrap();
        }
        std::fs::write(dir.path().join(format!("{name}.expected")), expected(&records)).unwrap();
        std::fs::write(dir.path().join(format!("{name}.poses")), poses_given(&poses)).unwrap();
    }
    if let Some(text) = python("check_ros.py", dir.path()) {
        println!("{text}");
    }
}

/// Numbers as Python's `float.hex` writes them.
fn from_hex(text: &str) -> f64 {
    if text == "nan" { f64::NAN } else { crate::bags::from_hex(text) }
}

#[test]
fn the_layouts_of_many_drivers_are_read() {
    let dir = tempfile::tempdir().unwrap();
    if python("make_clouds.py", dir.path()).is_none() {
        return;
    }
    let start_unix_ns = 1_760_000_000_123_456_789;
    let mut bags = 0;
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|e| e == "txt") {
            continue;
        }
        let (vendor, _) = name.rsplit_once('_').unwrap();
        let text = std::fs::read_to_string(dir.path().join(format!("{vendor}.txt"))).unwrap();
        let options = ReadOptions { start_unix_ns, ..ReadOptions::default() };
        let undirected = vendor == "ouster" || vendor == "own";
        let options = ReadOptions { undirected_misses: undirected, ..options };
        let (found, recording) = read(&path, &options);
        assert!(recording.known().origin, "{name}");
        assert_eq!(recording.known().channel, vendor != "own" && vendor != "line", "{name}");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(' ').collect()).collect();
        // 2 stands for what is no measurement.
        let wanted: Vec<_> = rows.iter().filter(|row| row[6] != "2").collect();
        assert_eq!(recording.report().not_finite as usize, rows.len() - wanted.len(), "{name}");
        assert_eq!(found.len(), wanted.len(), "{name}");
        // Doubles of nanoseconds and of seconds since 1970 have steps.
        let slack_s = match vendor {
            "livox" => 2.6e-7,
            "hesai" => 2.5e-7,
            _ => 1e-12,
        };
        for (row, wanted) in wanted.iter().enumerate() {
            let message = format!("{name} row {row}: {:?} {wanted:?}", found.get(row));
            let time_s = (wanted[4].parse::<i64>().unwrap() - start_unix_ns) as f64 * 1e-9;
            assert!((found.time_s[row] - time_s).abs() <= slack_s, "{message}");
            assert_eq!(found.channel[row].to_string(), wanted[5], "{message}");
            assert_eq!(found.is_miss(row), wanted[6] == "0", "{message}");
            if found.is_miss(row) {
                continue;
            }
            for axis in 0..3 {
                let world = from_hex(wanted[axis]);
                // It turns and drives: at 70 m points move with some 70 m/s.
                let slack = 100.0 * slack_s + 1e-8;
                let slack = if vendor == "own" { 1e-6 } else { slack };
                assert!((found.world_xyz_m[row][axis] - world).abs() <= slack, "{message}");
            }
            let intensity = from_hex(wanted[3]);
            assert!((f64::from(found.intensity[row]) - intensity).abs() <= 1e-4, "{message}");
        }
        bags += 1;
    }
    assert_eq!(bags, 16);
}

/// A bag of one message on `/points`, with a check sum that fits.
fn bag_of(kind: &str, message: &[u8]) -> Vec<u8> {
    bag_of_all(&[("/points", kind, message)])
}

/// A bag of messages, each with its topic and type.
fn bag_of_all(messages: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let file = std::io::Cursor::new(Vec::new());
    let mut writer = mcap::WriteOptions::new().compression_threads(0).create(file).unwrap();
    for (topic, kind, message) in messages {
        let schema = writer.add_schema(kind, "ros2msg", b"").unwrap();
        let none = std::collections::BTreeMap::new();
        let channel_id = writer.add_channel(schema, topic, "cdr", &none).unwrap();
        let (sequence, log_time, publish_time) = (0, 1, 1);
        let header = mcap::records::MessageHeader { channel_id, sequence, log_time, publish_time };
        writer.write_to_known_channel(&header, message).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

/// The messages of a bag of ours, by type.
fn messages(facts: SensorDescription, misses: Misses) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let (records, poses) = drive(&facts, 0, 1, 1);
    let mut encoder =
        understory_cloud::RosEncoder::new(&SinkOptions { misses, ..options(&[facts]) });
    poses.iter().for_each(|pose| encoder.scan_pose(pose).unwrap());
    let mut keep = |message: understory_cloud::RosMessage<'_>| -> Result<(), CloudError> {
        found.push((message.kind.name().to_owned(), message.bytes.to_vec()));
        Ok(())
    };
    encoder.push(&records, &mut keep).unwrap();
    encoder.finish(&mut keep).unwrap();
    found
}

/// Reads bytes as a bag; what comes must be valid.
fn read_bytes(dir: &Path, bytes: &[u8]) -> Result<Records, CloudError> {
    let path = dir.join("damaged.mcap");
    std::fs::write(&path, bytes).unwrap();
    let mut recording = Recording::open(&path, &reading(None, None))?;
    let records = recording.read_all()?;
    let report = recording.report();
    assert_eq!(report.rows, report.returns + report.misses + report.skipped(), "{report}");
    assert_eq!(records.uneven_column(), None);
    Ok(records)
}

#[test]
fn a_bag_that_was_cut_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let facts = velodyne();
    let (records, poses) = drive(&facts, 0, 12, 1);
    let path = dir.path().join("whole.mcap");
    let options = SinkOptions {
        bag_compression: BagCompression::None,
        ..options(std::slice::from_ref(&facts))
    };
    write(&path, &options, &[(records, poses)]);
    let whole = std::fs::read(&path).unwrap();
    for length in (0..whole.len()).step_by(whole.len() / 97) {
        let cut = dir.path().join("cut.mcap");
        std::fs::write(&cut, &whole[..length]).unwrap();
        let mut points = 0;
        let mut batch = Records::default();
        let error = match Recording::open(&cut, &reading(None, None)) {
            Err(error) => error,
            Ok(mut recording) => loop {
                match recording.next_batch(&mut batch) {
                    Ok(true) => points += 1,
                    Ok(false) => panic!("{length} of {}", whole.len()),
                    Err(error) => break error,
                }
            },
        };
        let text = error.to_string();
        assert!(text.contains("damaged") && text.contains("before byte"), "{text}");
        if length > whole.len() * 9 / 10 {
            assert!(points >= 10 && text.contains("points"), "{points} {text}");
        }
    }
}

#[test]
fn a_small_bag_cut_anywhere_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let all = messages(line(), Misses::Keep);
    let (kind, message) = all.iter().find(|(kind, _)| kind.ends_with("LaserScan")).unwrap();
    let bag = bag_of(kind, message);
    assert_eq!(read_bytes(dir.path(), &bag).unwrap().len(), 64);
    for length in 0..bag.len() {
        let error = read_bytes(dir.path(), &bag[..length]).unwrap_err().to_string();
        assert!(error.contains("damaged") && !error.contains('\n'), "{length}: {error}");
    }
}

/// Rows of a bag of one cloud.
fn rows_of(dir: &Path, message: &[u8]) -> usize {
    read_bytes(dir, &bag_of("sensor_msgs/msg/PointCloud2", message)).unwrap().len()
}

#[test]
fn messages_that_lie_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let cloud =
        |height: u32, width: u32, fields: &[(&str, u32, u8)], step: u32, row: u32, data: usize| {
            let mut body: Vec<u8> = Vec::new();
            let align = |body: &mut Vec<u8>| body.resize(body.len().next_multiple_of(4), 0);
            let put = |body: &mut Vec<u8>, value: u32| {
                align(body);
                body.extend_from_slice(&value.to_le_bytes());
            };
            let text = |body: &mut Vec<u8>, text: &str| {
                put(body, text.len() as u32 + 1);
                body.extend_from_slice(text.as_bytes());
                body.push(0);
            };
            (0..2).for_each(|_| put(&mut body, 0));
            text(&mut body, "lidar");
            [height, width, fields.len() as u32].into_iter().for_each(|v| put(&mut body, v));
            for &(name, offset, kind) in fields {
                text(&mut body, name);
                put(&mut body, offset);
                body.push(kind);
                put(&mut body, 1);
            }
            body.push(0);
            [step, row, data as u32].into_iter().for_each(|v| put(&mut body, v));
            body.resize(body.len() + data, 0x40);
            body.push(1);
            [&[0, 1, 0, 0], body.as_slice()].concat()
        };
    let xyz = [("x", 0, 7), ("y", 4, 7), ("z", 8, 7)];
    let kind = "sensor_msgs/msg/PointCloud2";
    let refused = |message: &[u8]| {
        let error = read_bytes(dir.path(), &bag_of(kind, message)).unwrap_err().to_string();
        assert!(!error.contains('\n') && error.contains("message 1 of /points"), "{error}");
        error
    };
    assert_eq!(
        read_bytes(dir.path(), &bag_of(kind, &cloud(1, 2, &xyz, 12, 24, 24))).unwrap().len(),
        2
    );
    assert_eq!(
        read_bytes(dir.path(), &bag_of(kind, &cloud(0, 2, &xyz, 12, 24, 0))).unwrap().len(),
        0
    );
    assert!(refused(&cloud(1, 2, &xyz, 0, 0, 24)).contains("ends at byte 12 of points of 0 bytes"));
    assert!(refused(&cloud(u32::MAX, u32::MAX, &xyz, 12, 24, 24)).contains("do not fit"));
    assert!(
        refused(&cloud(u32::MAX, u32::MAX, &xyz, u32::MAX, u32::MAX, 24)).contains("do not fit")
    );
    assert!(refused(&cloud(2, 2, &xyz, 12, 12, 48)).contains("do not fit"));
    assert!(refused(&cloud(1, 3, &xyz, 12, 24, 24)).contains("do not fit"));
    let beyond = [("x", 0, 7), ("y", 4, 7), ("z", 10, 7)];
    assert!(refused(&cloud(1, 2, &beyond, 12, 24, 24)).contains("ends at byte 14"));
    let unknown = [("x", 0, 7), ("y", 4, 9), ("z", 8, 7)];
    assert!(refused(&cloud(1, 2, &unknown, 12, 24, 24)).contains("unknown type 9"));
    assert!(refused(&cloud(1, 2, &xyz[..2], 12, 24, 24)).contains("no fields x, y and z"));
    // Times of any size, which may be no times.
    let timed = [("x", 0, 7), ("y", 4, 7), ("z", 8, 7), ("timestamp", 12, 8)];
    let good = cloud(1, 1, &timed, 20, 20, 20);
    for exponent in 0..=0x7ffu64 {
        let mut message = good.clone();
        let at = message.len() - 9;
        message[at..at + 8].copy_from_slice(&(exponent << 52 | 0x1234).to_le_bytes());
        let scan = rows_of(dir.path(), &message);
        assert!(scan <= 1, "{exponent}");
    }
    // The length of a text, of the fields and of the data, each far too large.
    let good = cloud(1, 2, &xyz, 12, 24, 24);
    for at in (4..good.len() - 4).step_by(4) {
        let mut lie = good.clone();
        lie[at..at + 4].copy_from_slice(&0x7fff_fff0u32.to_le_bytes());
        if let Err(error) = read_bytes(dir.path(), &bag_of(kind, &lie)) {
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }
    assert!(refused(&[]).contains("it is empty"));
    assert!(refused(&[0, 7, 0, 0, 1]).contains("not plain CDR"));
    let points = "livox_ros_driver2/msg/CustomMsg";
    let mut livox = vec![0, 1, 0, 0];
    livox.extend_from_slice(&[0; 12]);
    livox.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    livox.extend_from_slice(&u32::MAX.to_le_bytes());
    livox.extend_from_slice(&[0; 40]);
    assert!(read_bytes(dir.path(), &bag_of(points, &livox)).is_err());

    // A chunk of zeros that unpack to 360 MB, of a kind that nobody wants.
    let bomb = {
        let file = std::io::Cursor::new(Vec::new());
        let options = mcap::WriteOptions::new().compression_threads(0).chunk_size(None);
        let mut writer = options.create(file).unwrap();
        let schema = writer.add_schema("std_msgs/msg/String", "ros2msg", b"").unwrap();
        let none = std::collections::BTreeMap::new();
        let channel_id = writer.add_channel(schema, "/points", "cdr", &none).unwrap();
        let zeros = vec![0; 900_000];
        for sequence in 0..400 {
            let header =
                mcap::records::MessageHeader { channel_id, sequence, log_time: 1, publish_time: 1 };
            writer.write_to_known_channel(&header, &zeros).unwrap();
        }
        writer.finish().unwrap();
        writer.into_inner().into_inner()
    };
    assert!(bomb.len() < 300_000, "{}", bomb.len());
    let error = read_bytes(dir.path(), &bomb).unwrap_err().to_string();
    assert!(error.contains("unpack to more than 67108864 bytes"), "{error}");
}

/// A bag of ours with only some of its topics, some of its bytes changed for others.
fn some_topics(
    path: &Path,
    run: &(Records, Vec<ScanPose>),
    topics: &[&str],
    change: impl Fn(&str, &mut Vec<u8>),
) {
    // A frame whose name is as long as `map`.
    let ros_names = Some(RosNames { topic: "/points".into(), frame: "top".into() });
    let options = SinkOptions { ros_names, ..options(&[]) };
    let mut encoder = understory_cloud::RosEncoder::new(&options);
    let file = std::fs::File::create(path).unwrap();
    let mut writer = mcap::WriteOptions::new().compression_threads(0).create(file).unwrap();
    let mut put = |message: understory_cloud::RosMessage<'_>| -> Result<(), CloudError> {
        if topics.contains(&message.topic) {
            let mut bytes = message.bytes.to_vec();
            change(message.topic, &mut bytes);
            let schema = writer.add_schema(message.kind.name(), "ros2msg", b"").unwrap();
            let none = std::collections::BTreeMap::new();
            let channel_id = writer.add_channel(schema, message.topic, "cdr", &none).unwrap();
            let time = message.time_unix_ns as u64;
            let header = mcap::records::MessageHeader {
                channel_id,
                sequence: 0,
                log_time: time,
                publish_time: time,
            };
            writer.write_to_known_channel(&header, &bytes).unwrap();
        }
        Ok(())
    };
    run.1.iter().for_each(|pose| encoder.scan_pose(pose).unwrap());
    encoder.push(&run.0, &mut put).unwrap();
    encoder.finish(&mut put).unwrap();
    writer.finish().unwrap();
}

#[test]
fn odometry_places_points_and_without_poses_they_stay() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("odometry.mcap");
    let run = drive(&facts_of_others(), 0, 4, 1);
    some_topics(&path, &run, &["/points", "/odom", "/tf_static"], |_, _| {});
    let (found, _) = read(&path, &reading(None, None));
    let kept: Vec<usize> = (0..run.0.len()).collect();
    compare("odometry", &run.0, &kept, &found);

    // Nothing leads from the points to the frame of the odometry: the sensor's pose on it is needed.
    some_topics(&path, &run, &["/points", "/odom"], |_, _| {});
    let (_, recording) = read(&path, &reading(None, None));
    assert!(!recording.known().origin);
    let text = describe(&path).unwrap().version;
    assert!(text.contains("/odom (odom to base_link): give the sensor's pose"), "{text}");
    let still = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
    let mounted = ReadOptions { pose: Some(still), ..reading(None, None) };
    let (found, _) = read(&path, &mounted);
    compare("mounted", &run.0, &kept, &found);

    some_topics(&path, &run, &["/points"], |_, _| {});
    let (found, recording) = read(&path, &reading(None, None));
    assert!(!recording.known().origin && recording.known().sensor_frame);
    assert_eq!(found.len(), run.0.len());
    let row = run.0.return_number.iter().position(|&n| n > 0).unwrap();
    assert_eq!(found.sensor_xyz_m[row], run.0.sensor_xyz_m[row]);
    let needed = ReadOptions { need_origins: true, ..reading(None, None) };
    assert!(matches!(Recording::open(&path, &needed), Err(CloudError::NoOrigins { .. })));
}

#[test]
fn a_bag_becomes_another_and_tells_what_it_loses() {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("a.mcap"), dir.path().join("b.mcap"));
    let facts = facts_of_others();
    let run = drive(&facts, 0, 3, 2);
    write(&from, &options(std::slice::from_ref(&facts)), std::slice::from_ref(&run));
    let writing = options(&[]);
    let done = convert(&from, &reading(None, None), &to, OutputFormat::Mcap, &writing).unwrap();
    assert!(done.dropped_fields.is_empty(), "{:?}", done.dropped_fields);
    let (found, _) = read(&to, &reading(None, None));
    compare("converted", &run.0, &(0..run.0.len()).collect::<Vec<_>>(), &found);

    // A line scanner holds one return, and nothing that only a simulation knows.
    let mut line = drive(&line(), 0, 2, 2);
    line.0.true_range_m.fill(1.0);
    let report = write(&to, &options(&[]), &[line]);
    let message = report.dropped_fields.join("; ");
    assert!(message.contains("returns beyond the one of a pulse"), "{message}");
    assert!(message.contains("the truth"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Changed messages with a check sum that fits, and changed files.
    #[test]
    fn changed_bags_are_read_or_refused(
        which in 0..4usize,
        in_message in any::<bool>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        in_header in any::<bool>(),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        static MESSAGES: std::sync::OnceLock<Vec<(String, Vec<u8>)>> = std::sync::OnceLock::new();
        let messages = MESSAGES.get_or_init(|| {
            // A cloud of each kind, a line, and a transform.
            let of = |facts, kind: &str| {
                let all = messages(facts, Misses::Keep);
                all.into_iter().find(|(found, _)| found.ends_with(kind)).unwrap()
            };
            vec![
                of(velodyne(), "PointCloud2"),
                of(ouster(), "PointCloud2"),
                of(line(), "LaserScan"),
                of(velodyne(), "TFMessage"),
            ]
        });
        let dir = tempfile::tempdir().unwrap();
        let (kind, message) = &messages[which];
        let bag = |message: &[u8]| match which {
            3 => {
                let (cloud, points) = &messages[0];
                bag_of_all(&[("/points", cloud, points), ("/tf", kind, message)])
            }
            _ => bag_of(kind, message),
        };
        let mut bytes = if in_message { message.clone() } else { bag(message) };
        let reach = if in_header { bytes.len().min(300) } else { bytes.len() };
        for (index, value) in changes {
            bytes[index.index(reach)] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let bag = if in_message { bag(&bytes) } else { bytes };
        if let Err(error) = read_bytes(dir.path(), &bag) {
            prop_assert!(!error.to_string().contains('\n'), "{}", error);
        }
    }
}
