//! Ouster's packets: ouster-sdk reads exactly what was written, and what it writes is read exactly.
//!
//! Runs the third party where `UNDERSTORY_PYTHON_OUSTER` names a Python that has the packages of
//! `xtask/ouster-requirements.txt`.

use crate::common::noise;
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use understory_cloud::{
    IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, OutputFormat, PacketFormat,
    ReadOptions, Record, Recording, Records, ReportedReturns, SensorDescription, SinkOptions,
    SinkReport, Spin, open_sink, ouster_metadata, read_ouster_metadata,
};
use understory_testing::{Python, recordings};

const START_NS: i64 = 1_735_689_600_123_456_789;
const BEAM_ORIGIN_M: f64 = 0.015_806;
const UP_M: f64 = 0.036_18;

/// A sensor with angles as irregular as real ones.
fn sensor(profile: OusterProfile, rows: usize, columns: u32, fps: u32) -> SensorDescription {
    let laser = |row: usize| LaserDescription {
        elevation_deg: 22.5 - 45.0 * row as f64 / rows as f64 + 0.01 * (row % 7) as f64,
        azimuth_offset_deg: [-4.23, -1.41, 1.4, 4.21][row % 4],
        forward_m: BEAM_ORIGIN_M,
        ..LaserDescription::default()
    };
    let scan_s = 1.0 / f64::from(fps);
    SensorDescription {
        name: format!("os1-{rows}"),
        packets: Some(PacketFormat::Ouster(OusterProduct {
            profile,
            product: format!("OS-1-{rows}"),
            serial: 992_146_000_760,
        })),
        lasers: (0..rows).map(laser).collect(),
        spin: Some(Spin {
            rotation_hz: f64::from(fps),
            clockwise: true,
            cycle_s: scan_s / f64::from(columns),
        }),
        scan_s,
        columns_per_scan: columns,
        range_m: [0.3, 120.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, UP_M]],
        platform_from_sensor: IDENTITY_ROWS,
    }
}

/// What a pixel must hold.
#[derive(Clone, Copy, Default)]
struct Pixel {
    range_mm: u32,
    reflectivity: u8,
    signal: u16,
    near_ir: u16,
}

/// The pixel of a pulse: whole numbers first, so that nothing about their rounding is in doubt.
fn pixel(pulse: u64) -> Pixel {
    let near_ir = (3000.0 * noise(5 * pulse)) as u16;
    if noise(pulse) < 0.3 {
        return Pixel { near_ir, ..Pixel::default() };
    }
    Pixel {
        range_mm: 300 + (200_000.0 * noise(pulse + 7)) as u32,
        reflectivity: (256.0 * noise(2 * pulse)) as u8,
        signal: (65_536.0 * noise(3 * pulse)) as u16,
        near_ir,
    }
}

/// Whether a column fires: scan 1 has gaps, and the last one ends early.
fn fires(scan: u32, column: u32, columns: u32) -> bool {
    match scan {
        1 => !(40..75).contains(&column),
        2 => column < columns - 21,
        _ => true,
    }
}

/// Origin and direction of a beam in the sensor's frame, by the vendor's formula.
fn beam(facts: &SensorDescription, column: u32, channel: usize) -> ([f64; 3], [f64; 3]) {
    let laser = facts.lasers[channel];
    let theta =
        2.0 * std::f64::consts::PI * (1.0 - f64::from(column) / f64::from(facts.columns_per_scan));
    let azimuth = theta + laser.azimuth_offset_deg.to_radians();
    let elevation = laser.elevation_deg.to_radians();
    let n = BEAM_ORIGIN_M;
    // The lidar's frame stands the wrong way round in the sensor's.
    (
        [-n * theta.cos(), -n * theta.sin(), UP_M],
        [-elevation.cos() * azimuth.cos(), -elevation.cos() * azimuth.sin(), elevation.sin()],
    )
}

/// Time of a column, to the nanosecond.
fn column_ns(facts: &SensorDescription, scan: u32, column: u32) -> i64 {
    let columns = f64::from(facts.columns_per_scan);
    (facts.scan_s * 1e9 * (f64::from(scan) + f64::from(column) / columns)).round() as i64
}

/// The records of three scans; every eleventh return has a weaker one before it.
fn records(facts: &SensorDescription) -> Records {
    let mut records = Records::default();
    let rows = facts.lasers.len();
    let mut pulse = 0;
    for scan in 0..3 {
        for column in 0..facts.columns_per_scan {
            for channel in 0..rows {
                if fires(scan, column, facts.columns_per_scan) {
                    let pixel = pixel(pulse);
                    let (origin, along) = beam(facts, column, channel);
                    let fired = Record {
                        time_s: column_ns(facts, scan, column) as f64 * 1e-9,
                        pulse,
                        channel: channel as u16,
                        scan,
                        column,
                        origin_xyz_m: origin,
                        direction_xyz: along.map(|v| v as f32),
                        ambient_photons: pixel.near_ir.into(),
                        ..Record::miss()
                    };
                    if pixel.range_mm == 0 {
                        records.push(fired);
                    } else {
                        let weaker = pulse % 11 == 0 && pixel.reflectivity > 1;
                        let mut put = |number: u8, mm: u32, reflectivity: u8, signal: u16| {
                            let range_m = f64::from(mm) * 1e-3;
                            let at = |i: usize| origin[i] + along[i] * (range_m - BEAM_ORIGIN_M);
                            records.push(Record {
                                return_number: number,
                                return_count: 1 + u8::from(weaker),
                                range_m: range_m as f32,
                                intensity: f32::from(reflectivity) / 100.0,
                                signal_photons: signal.into(),
                                world_xyz_m: std::array::from_fn(at),
                                ..fired
                            });
                        };
                        if weaker {
                            put(1, pixel.range_mm - 100, pixel.reflectivity / 2, 9);
                        }
                        put(1 + u8::from(weaker), pixel.range_mm, pixel.reflectivity, pixel.signal);
                    }
                }
                pulse += 1;
            }
        }
    }
    records
}

fn write_pcap(
    path: &Path,
    facts: &[SensorDescription],
    records: &Records,
    batch: usize,
) -> SinkReport {
    let options =
        SinkOptions { sensors: facts.to_vec(), start_unix_ns: START_NS, ..SinkOptions::default() };
    let mut sink = open_sink(path, OutputFormat::Pcap, &options).unwrap();
    let mut part = Records::default();
    for first in (0..records.len()).step_by(batch) {
        part.clear();
        (first..records.len().min(first + batch)).for_each(|i| part.push(records.get(i).unwrap()));
        sink.write(&part).unwrap();
    }
    sink.finish().unwrap()
}

const CASES: [(OusterProfile, usize, u32, u32); 7] = [
    (OusterProfile::Legacy, 64, 1024, 10),
    (OusterProfile::Rng19, 64, 1024, 10),
    (OusterProfile::Rng19, 128, 2048, 10),
    (OusterProfile::Rng19, 128, 512, 20),
    (OusterProfile::Rng19, 32, 1024, 20),
    (OusterProfile::Legacy, 16, 512, 10),
    (OusterProfile::Legacy, 128, 512, 20),
];

fn case_name(profile: OusterProfile, rows: usize, columns: u32, fps: u32) -> String {
    format!("{profile:?}-{rows}-{columns}x{fps}").to_lowercase()
}

/// The pixels as the script compares them, by no code under test: of each scan, all rows of each
/// quantity one behind another.
fn expected(facts: &SensorDescription) -> Vec<u8> {
    let (rows, columns) = (facts.lasers.len(), facts.columns_per_scan);
    let mut bytes = Vec::new();
    for scan in 0..3 {
        let pulse = |row: usize, column: u32| {
            (u64::from(scan) * u64::from(columns) + u64::from(column)) * rows as u64 + row as u64
        };
        let each = |put: &mut dyn FnMut(usize, u32, Pixel)| {
            for row in 0..rows {
                for column in 0..columns {
                    let fired = fires(scan, column, columns);
                    let found = if fired { pixel(pulse(row, column)) } else { Pixel::default() };
                    put(row, column, found);
                }
            }
        };
        for column in 0..columns {
            let fired = fires(scan, column, columns);
            let time = if fired { START_NS + column_ns(facts, scan, column) } else { 0 };
            bytes.extend_from_slice(&time.to_le_bytes());
        }
        each(&mut |_, _, p| bytes.extend_from_slice(&p.range_mm.to_le_bytes()));
        each(&mut |_, _, p| bytes.extend_from_slice(&p.reflectivity.to_le_bytes()));
        each(&mut |_, _, p| bytes.extend_from_slice(&p.signal.to_le_bytes()));
        each(&mut |_, _, p| bytes.extend_from_slice(&p.near_ir.to_le_bytes()));
        each(&mut |row, column, p| {
            let (origin, along) = beam(facts, column, row);
            for i in 0..3 {
                let reach = f64::from(p.range_mm) * 1e-3 - BEAM_ORIGIN_M;
                let at = if p.range_mm == 0 { 0.0 } else { origin[i] + along[i] * reach };
                bytes.extend_from_slice(&at.to_le_bytes());
            }
        });
    }
    bytes
}

#[allow(clippy::print_stdout)]
fn script(command: &str, folder: &Path, more: &[PathBuf]) -> Option<String> {
    let python = Python::with_ouster_sdk()?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_ouster.py");
    let output = python.command().arg(script).arg(command).arg(folder).args(more).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
    Some(text)
}

#[test]
fn ouster_sdk_reads_exactly_what_was_written() {
    let dir = tempfile::tempdir().unwrap();
    for (profile, rows, columns, fps) in CASES {
        let facts = sensor(profile, rows, columns, fps);
        let name = case_name(profile, rows, columns, fps);
        let path = dir.path().join(format!("{name}.pcap"));
        let report = write_pcap(&path, std::slice::from_ref(&facts), &records(&facts), 10_007);
        assert_eq!(report.paths, [path.clone(), path.with_extension("json")]);
        assert!(
            report.dropped_fields.iter().any(|w| w.contains("not the strongest")),
            "{report:?}"
        );
        fs::write(path.with_extension("expected"), expected(&facts)).unwrap();
    }
    if let Some(text) = script("check", dir.path(), &[]) {
        assert_eq!(text.matches("exact").count(), CASES.len(), "{text}");
    }
}

#[test]
fn our_own_reader_gives_the_records_back() {
    let dir = tempfile::tempdir().unwrap();
    for (profile, rows, columns, fps) in [CASES[0], CASES[1], CASES[3]] {
        let facts = sensor(profile, rows, columns, fps);
        let path = dir.path().join("a.pcap");
        let written = records(&facts);
        write_pcap(&path, std::slice::from_ref(&facts), &written, 4096);
        assert_eq!(
            read_ouster_metadata(&path.with_extension("json")).unwrap().lasers,
            facts.lasers
        );
        let options = ReadOptions { start_unix_ns: START_NS, ..ReadOptions::default() };
        let mut recording = Recording::open(&path, &options).unwrap();
        let known = recording.known();
        assert!(known.misses && known.origin && known.time && known.returns && known.pulse);
        let read = recording.read_all().unwrap();
        // Of each pulse the last row of the test is the strongest.
        let last = |i: &usize| i + 1 == written.len() || written.pulse[i + 1] != written.pulse[*i];
        let kept: Vec<usize> = (0..written.len()).filter(last).collect();
        assert_eq!(read.len(), kept.len());
        for (i, &k) in kept.iter().enumerate() {
            let (a, b) = (read.get(i).unwrap(), written.get(k).unwrap());
            assert_eq!(
                (a.pulse, a.scan, a.column, a.channel),
                (b.pulse, b.scan, b.column, b.channel)
            );
            assert_eq!(a.return_number, b.return_number.min(1), "{a:?}");
            assert!((a.time_s - b.time_s).abs() < 1e-12, "{a:?}");
            assert_eq!(a.ambient_photons, b.ambient_photons);
            for axis in 0..3 {
                assert!((a.origin_xyz_m[axis] - b.origin_xyz_m[axis]).abs() < 1e-12, "{a:?} {b:?}");
                assert!(
                    (a.direction_xyz[axis] - b.direction_xyz[axis]).abs() < 1e-6,
                    "{a:?} {b:?}"
                );
            }
            if b.return_number > 0 {
                assert_eq!(a.range_m, b.range_m);
                assert_eq!(a.intensity, b.intensity);
                assert_eq!(a.signal_photons, b.signal_photons);
                for axis in 0..3 {
                    assert!(
                        (a.world_xyz_m[axis] - b.world_xyz_m[axis]).abs() < 1e-9,
                        "{a:?} {b:?}"
                    );
                }
            }
        }
    }
}

/// Reads what ouster-sdk saw in a capture, and compares our reading pixel by pixel.
fn compare_with_sdk(path: &Path) -> (usize, usize) {
    let mut recording = Recording::open(path, &ReadOptions::default()).unwrap();
    let read = recording.read_all().unwrap();
    let bytes = fs::read(path.with_extension("sdk")).unwrap();
    let mut rest = bytes.as_slice();
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken
    };
    fn word(bytes: &[u8], i: usize) -> u32 {
        u32::from_le_bytes(bytes[4 * i..4 * i + 4].try_into().unwrap())
    }
    fn half(bytes: &[u8], i: usize) -> u16 {
        u16::from_le_bytes(bytes[2 * i..2 * i + 2].try_into().unwrap())
    }
    fn double(bytes: &[u8], i: usize) -> u64 {
        u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap())
    }
    let (mut at, mut frames) = (0, 0);
    let mut left = bytes.len();
    while left > 0 {
        let head = take(16);
        let [rows, columns, frame, returns] = [0, 1, 2, 3].map(|i| word(head, i) as usize);
        let pixels = rows * columns;
        let times = take(8 * columns);
        let status = take(2 * columns);
        let near_ir = take(2 * pixels);
        let seen: Vec<_> =
            (0..returns).map(|_| (take(4 * pixels), take(pixels), take(24 * pixels))).collect();
        left -= 16 + 10 * columns + 2 * pixels + returns * 29 * pixels;
        frames += 1;
        for column in 0..columns {
            if half(status, column) == 0 {
                continue;
            }
            for row in 0..rows {
                let pixel = row * columns + column;
                let mut wanted: Vec<_> = seen
                    .iter()
                    .map(|(range, reflectivity, xyz)| {
                        let at = |axis| f64::from_bits(double(xyz, 3 * pixel + axis));
                        (word(range, pixel), reflectivity[pixel], [at(0), at(1), at(2)])
                    })
                    .filter(|(range, ..)| *range > 0)
                    .collect();
                // Ours come from near to far.
                wanted.sort_by_key(|(range, ..)| *range);
                for i in 0..wanted.len().max(1) {
                    let found = read.get(at).unwrap();
                    at += 1;
                    let place = (found.scan, found.column, usize::from(found.channel));
                    assert_eq!(place, (frame as u32, column as u32, row));
                    // A double holds whole nanoseconds since the start of these clocks.
                    assert_eq!((found.time_s * 1e9).round() as u64, double(times, column));
                    assert_eq!(found.ambient_photons, f32::from(half(near_ir, pixel)));
                    assert_eq!(usize::from(found.return_count), wanted.len());
                    let Some((range, reflectivity, xyz)) = wanted.get(i) else {
                        assert_eq!(found.return_number, 0);
                        assert!(found.direction_xyz.iter().all(|v| v.is_finite()));
                        continue;
                    };
                    assert_eq!(usize::from(found.return_number), i + 1);
                    assert_eq!((f64::from(found.range_m) * 1e3).round() as u32, *range);
                    assert_eq!((found.intensity * 100.0).round() as u8, *reflectivity);
                    for axis in 0..3 {
                        let apart = (found.world_xyz_m[axis] - xyz[axis]).abs();
                        assert!(apart < 1e-9, "{found:?} {xyz:?}");
                    }
                }
            }
        }
    }
    assert_eq!(at, read.len());
    (frames, read.return_rows())
}

#[test]
fn recordings_of_real_sensors_are_read_as_ouster_sdk_reads_them() {
    let Some(data) = recordings("ouster-os1") else { return };
    let dir = tempfile::tempdir().unwrap();
    let of_kind = |path: &PathBuf| path.extension().is_some_and(|e| e == "osf" || e == "pcap");
    let entries = fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<PathBuf> = entries.filter(of_kind).collect();
    // Packets of RNG15_RFL8_NIR8, and some with two returns.
    assert!(files.len() >= 2, "{files:?}");
    if script("make", dir.path(), &files).is_none() {
        return;
    }
    for file in files {
        let name = file.file_stem().unwrap().to_string_lossy().into_owned();
        let (frames, returns) = compare_with_sdk(&dir.path().join(format!("{name}.pcap")));
        println!("{name}: {frames} frames and {returns} returns the same");
        assert!(frames >= 1 && returns > 1000, "{name}");
    }
}

#[test]
fn a_sensor_that_ouster_could_not_have_built_is_refused() {
    let facts = sensor(OusterProfile::Rng19, 64, 1024, 10);
    assert!(ouster_metadata(&facts, "127.0.0.1").is_ok());
    let refused = |change: &dyn Fn(&mut SensorDescription)| {
        let mut facts = facts.clone();
        change(&mut facts);
        let error = ouster_metadata(&facts, "127.0.0.1").unwrap_err().to_string();
        assert!(error.contains("os1-64") && !error.contains('\n'), "{error}");
        error
    };
    assert!(refused(&|f| f.columns_per_scan = 1000).contains("no lidar mode; choose 512x10"));
    assert!(refused(&|f| f.scan_s = 0.07).contains("no lidar mode"));
    assert!(refused(&|f| f.scan_s = f64::NAN).contains("no lidar mode"));
    assert!(refused(&|f| f.spin = None).contains("clockwise"));
    assert!(refused(&|f| f.lasers.clear()).contains("no channels"));
    assert!(refused(&|f| f.lasers[3].forward_m = 0.5).contains("channel 3"));
    assert!(refused(&|f| f.packets = None).contains("no Ouster sensor"));
    let path = tempfile::tempdir().unwrap().path().join("a.pcap");
    let mut many = facts.clone();
    many.lasers = vec![facts.lasers[0]; 400];
    let options = SinkOptions { sensors: vec![many], ..SinkOptions::default() };
    let Err(error) = open_sink(&path, OutputFormat::Pcap, &options) else {
        panic!("400 rows do not fit")
    };
    assert!(error.to_string().contains("400 rows do not fit into a datagram"), "{error}");
}

#[test]
fn metadata_of_older_firmware_is_read_and_lies_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.json");
    let read = |text: &str| {
        fs::write(&path, text).unwrap();
        read_ouster_metadata(&path).map_err(|error| {
            let error = error.to_string();
            assert!(error.contains("a.json") && !error.contains('\n'), "{error}");
            error
        })
    };
    // As firmware 1.12 had it: all keys side by side, no profile, no origin of beams.
    let old = r#"{"hostname": "", "prod_line": "OS-1-16", "prod_sn": "991937000062",
        "lidar_mode": "512x20", "beam_altitude_angles": [16.6, -16.5],
        "beam_azimuth_angles": [3.1, -3.2],
        "lidar_to_sensor_transform": [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 36.18, 0, 0, 0, 1]}"#;
    let facts = read(old).unwrap();
    assert_eq!((facts.columns_per_scan, facts.scan_s), (512, 0.05));
    let Some(PacketFormat::Ouster(product)) = &facts.packets else { panic!() };
    assert_eq!((product.profile, product.serial), (OusterProfile::Legacy, 991_937_000_062));
    assert_eq!((facts.lasers[1].elevation_deg, facts.lasers[1].azimuth_offset_deg), (-16.5, 3.2));
    // What ouster-sdk takes for a sensor of this product line.
    assert_eq!(facts.lasers[0].forward_m, 0.015_806);
    assert_eq!(facts.sensor_from_lidar[2], [0.0, 0.0, 1.0, 0.036_18]);
    // Written by us, grouped as newer firmware has it.
    let ours = sensor(OusterProfile::Rng19, 32, 2048, 10);
    let text = ouster_metadata(&ours, "10.0.0.1").unwrap();
    let again = read(&text).unwrap();
    assert_eq!(again.lasers, ours.lasers);
    assert_eq!((again.packets, again.spin), (ours.packets.clone(), ours.spin));
    assert_eq!(again.sensor_from_lidar, ours.sensor_from_lidar);

    let with = |from: &str, to: &str| {
        assert!(old.contains(from), "{from}");
        read(&old.replace(from, to)).unwrap_err()
    };
    assert!(with("[3.1, -3.2]", "[3.1]").contains("2 beam_altitude_angles and 1"));
    assert!(with("[3.1, -3.2]", "[3.1, null]").contains("entry 1 of its beam_azimuth_angles"));
    assert!(with("[3.1, -3.2]", "[3.1, 1e999]").contains("no JSON"));
    assert!(with("[3.1, -3.2]", "[3.1, 1e300]").contains("beyond 360 degrees"));
    assert!(with("[3.1, -3.2]", "\"no\"").contains("no list of numbers"));
    assert!(with("beam_azimuth_angles", "beams").contains("it has no beam_azimuth_angles"));
    assert!(with("512x20", "4000000000x1").contains("lidar_mode"));
    assert!(with("512x20", "512x0").contains("lidar_mode"));
    assert!(with("36.18, 0, 0, 0, 1]", "36.18]").contains("12 numbers instead of 16"));
    assert!(with("[-1, 0", "[-7, 0").contains("no rotation"));
    let format = |format: &str| with("\"hostname\": \"\"", format);
    assert!(format(r#""data_format": {"pixels_per_column": 64}"#).contains("it has 2 angles"));
    assert!(
        format(r#""data_format": {"columns_per_packet": 60000}"#)
            .contains("larger than a datagram")
    );
    assert!(format(r#""data_format": {"columns_per_packet": 0}"#).contains("is empty"));
    assert!(format(r#""data_format": {"columns_per_packet": -1}"#).contains("no whole number"));
    assert!(format(r#""data_format": {"udp_profile_lidar": "NEW"}"#).contains("NEW is not known"));
    assert!(read("").unwrap_err().contains("no JSON"));
    assert!(read(&"[".repeat(100_000)).unwrap_err().contains("no JSON"));
    assert!(read(&" ".repeat(5 << 20)).unwrap_err().contains("more than 4194304 bytes"));
}

#[test]
fn captures_and_metadata_that_do_not_belong_together_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let facts = sensor(OusterProfile::Rng19, 16, 512, 20);
    let path = dir.path().join("a.pcap");
    let mut records = records(&facts);
    records = {
        let mut few = Records::default();
        (0..2000).for_each(|i| few.push(records.get(i).unwrap()));
        few
    };
    write_pcap(&path, std::slice::from_ref(&facts), &records, 500);
    // Cut anywhere, it is refused with the place; and so is metadata of another sensor.
    let bytes = fs::read(&path).unwrap();
    let cut = dir.path().join("cut.pcap");
    fs::copy(path.with_extension("json"), cut.with_extension("json")).unwrap();
    for length in (24..bytes.len()).step_by(97) {
        fs::write(&cut, &bytes[..length]).unwrap();
        let read = Recording::open(&cut, &ReadOptions::default()).and_then(|mut r| r.read_all());
        if let Err(error) = read {
            let error = error.to_string();
            assert!(error.contains("cut.pcap") && !error.contains('\n'), "{error}");
        }
    }
    let mut other = facts.clone();
    if let Some(PacketFormat::Ouster(product)) = &mut other.packets {
        product.serial += 1;
    }
    let named = dir.path().join("other.json");
    fs::write(&named, ouster_metadata(&other, "127.0.0.1").unwrap()).unwrap();
    let options = ReadOptions { metadata: Some(named), ..ReadOptions::default() };
    let error = Recording::open(&path, &options).err().unwrap().to_string();
    assert!(error.contains("serial number 992146000761"), "{error}");
    // The sensor itself will do instead of its metadata.
    fs::remove_file(path.with_extension("json")).unwrap();
    assert!(Recording::open(&path, &ReadOptions::default()).is_err());
    let options = ReadOptions { sensor: Some(facts), ..ReadOptions::default() };
    let mut recording = Recording::open(&path, &options).unwrap();
    assert!(recording.read_all().unwrap().len() > 1500);
    // Sent to another port, as proxies do: the frame's UDP header begins at byte 34.
    let moved = dir.path().join("moved.pcap");
    let frame = 16 + 42 + 64 + 16 * (12 + 12 * 16);
    let mut other_port = bytes.clone();
    let frames = (bytes.len() - 24) / frame;
    assert_eq!(24 + frames * frame, bytes.len());
    for i in 0..frames {
        let at = 24 + i * frame + 16 + 36;
        assert_eq!(other_port[at..at + 2], 7502u16.to_be_bytes());
        other_port[at..at + 2].copy_from_slice(&9000u16.to_be_bytes());
        // No check sum.
        other_port[at + 4..at + 6].fill(0);
    }
    fs::write(&moved, &other_port).unwrap();
    let mut recording = Recording::open(&moved, &options).unwrap();
    assert!(recording.read_all().unwrap().len() > 1500);
    // Two packets are lost, and one is damaged.
    let lost = dir.path().join("lost.pcap");
    let mut bytes = bytes;
    bytes[24 + 4 * frame + 200] ^= 1;
    bytes.drain(24 + 2 * frame..24 + 4 * frame);
    fs::write(&lost, &bytes).unwrap();
    let mut recording = Recording::open(&lost, &options).unwrap();
    recording.read_all().unwrap();
    let remarks = recording.report().remarks.join("; ");
    assert!(remarks.contains("2 packets are missing by their numbers"), "{remarks}");
    assert!(remarks.contains("1 packets have a wrong checksum"), "{remarks}");
}

/// A capture of two equal sensors, of which the second has a metre more everywhere.
fn two_sensors(path: &Path, profile: OusterProfile) {
    let facts = sensor(profile, 16, 512, 20);
    let of_one = records(&facts);
    let mut both = Records::default();
    for i in 0..of_one.len() {
        let row = of_one.get(i).unwrap();
        both.push(row);
        both.push(Record { sensor: 1, range_m: row.range_m + 1.0, ..row });
    }
    let report = write_pcap(path, &[facts.clone(), facts], &both, 9999);
    assert_eq!(report.paths.len(), 3);
    assert!(path.with_extension("1.json").is_file());
}

#[test]
fn two_equal_sensors_are_distinguished() {
    let dir = tempfile::tempdir().unwrap();
    // By serial number where packets have one, by address where they do not.
    for profile in [OusterProfile::Rng19, OusterProfile::Legacy] {
        let path = dir.path().join("two.pcap");
        two_sensors(&path, profile);
        let read = Recording::open(&path, &ReadOptions::default()).unwrap().read_all().unwrap();
        let ranges_of = |sensor: u16| -> Vec<f32> {
            let its = (0..read.len()).filter(|&i| read.sensor[i] == sensor);
            its.map(|i| read.range_m[i]).collect()
        };
        let (first, second) = (ranges_of(0), ranges_of(1));
        assert_eq!(first.len(), second.len());
        assert!(first.len() > 20_000);
        for (first, second) in first.iter().zip(&second) {
            assert!(first.is_nan() == second.is_nan());
            assert!(first.is_nan() || (second - first - 1.0).abs() < 1e-3, "{first} {second}");
        }
    }
    two_sensors(&dir.path().join("pair.pcap"), OusterProfile::Rng19);
    if let Some(text) = script("pair", dir.path(), &[]) {
        assert!(text.contains("2 sensors exact"), "{text}");
    }
}

/// A small capture and its metadata.
fn small() -> &'static (Vec<u8>, String) {
    static SMALL: OnceLock<(Vec<u8>, String)> = OnceLock::new();
    SMALL.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pcap");
        let facts = sensor(OusterProfile::Rng19, 4, 512, 20);
        let all = records(&facts);
        let mut few = Records::default();
        (0..300).for_each(|i| few.push(all.get(i).unwrap()));
        write_pcap(&path, &[facts], &few, 300);
        let json = fs::read_to_string(path.with_extension("json")).unwrap();
        (fs::read(&path).unwrap(), json)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn changed_captures_and_metadata_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        letters in prop::collection::vec((any::<prop::sample::Index>(), 0x20u8..0x7f), 0..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let (capture, json) = small();
        let (mut capture, mut json) = (capture.clone(), json.clone().into_bytes());
        for (index, value) in changes {
            let length = capture.len();
            capture[index.index(length)] = value;
        }
        for (index, value) in letters {
            let length = json.len();
            json[index.index(length)] = value;
        }
        if let Some(cut) = cut {
            let length = cut.index(capture.len());
            capture.truncate(length);
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pcap");
        fs::write(&path, &capture).unwrap();
        fs::write(path.with_extension("json"), &json).unwrap();
        let read = Recording::open(&path, &ReadOptions::default()).and_then(|mut recording| {
            let records = recording.read_all()?;
            let report = recording.report();
            assert_eq!(report.rows, report.returns + report.misses + report.skipped());
            Ok(records)
        });
        match read {
            Ok(records) => prop_assert!(records.uneven_column().is_none()),
            Err(error) => prop_assert!(!error.to_string().contains('\n'), "{}", error),
        }
    }
}
