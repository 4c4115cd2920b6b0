//! Ouster's packets: ouster-sdk reads exactly what was written, and what it writes is read exactly.
//!
//! Runs the third party where `UNDERSTORY_PYTHON_OUSTER` names a Python that has the packages of
//! `xtask/ouster-requirements.txt`.

use crate::common::noise;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use understory_cloud::{
    LaserFacts, OusterProduct, OusterProfile, OutputFormat, PacketFormat, ReadOptions, Record,
    Recording, Records, ReportedReturns, SensorFacts, SinkOptions, SinkReport, Spin, open_sink,
    ouster_metadata, read_ouster_metadata,
};

const START_NS: i64 = 1_735_689_600_123_456_789;
const BEAM_ORIGIN_M: f64 = 0.015_806;
const UP_M: f64 = 0.036_18;

/// A sensor with angles as irregular as real ones.
fn sensor(profile: OusterProfile, rows: usize, columns: u32, fps: u32) -> SensorFacts {
    let laser = |row: usize| LaserFacts {
        elevation_deg: 22.5 - 45.0 * row as f64 / rows as f64 + 0.01 * (row % 7) as f64,
        azimuth_offset_deg: [-4.23, -1.41, 1.4, 4.21][row % 4],
        forward_m: BEAM_ORIGIN_M,
        ..LaserFacts::default()
    };
    let scan_s = 1.0 / f64::from(fps);
    SensorFacts {
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

/// Origin and direction of a beam in the sensor's frame, by the maker's formula.
fn beam(facts: &SensorFacts, column: u32, channel: usize) -> ([f64; 3], [f64; 3]) {
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
fn column_ns(facts: &SensorFacts, scan: u32, column: u32) -> i64 {
    let columns = f64::from(facts.columns_per_scan);
    (facts.scan_s * 1e9 * (f64::from(scan) + f64::from(column) / columns)).round() as i64
}

/// The records of three scans; every eleventh return has a weaker one before it.
fn records(facts: &SensorFacts) -> Records {
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

fn write_pcap(path: &Path, facts: &[SensorFacts], records: &Records, batch: usize) -> SinkReport {
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
fn expected(facts: &SensorFacts) -> Vec<u8> {
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

fn script(command: &str, folder: &Path, more: &[PathBuf]) -> Option<String> {
    let Ok(python) = std::env::var("UNDERSTORY_PYTHON_OUSTER") else {
        println!("skipped: UNDERSTORY_PYTHON_OUSTER is not set");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_ouster.py");
    let output =
        Command::new(python).arg(script).arg(command).arg(folder).args(more).output().unwrap();
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
        assert!(report.not_kept.iter().any(|w| w.contains("not the strongest")), "{report:?}");
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
