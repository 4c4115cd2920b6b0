//! Velodyne's packets against velodyne-decoder: what we write it reads, and what a plain packer in
//! Python writes we read as it does. Positions with the origins of beams, times, intensities.

use crate::common::noise;
use std::path::Path;
use understory_cloud::{
    OutputFormat, ReadOptions, Record, Recording, Records, ReportedReturns, SensorDescription,
    SinkOptions, SinkReport, VelodyneModel, convert, open_sink,
};
use understory_testing::Python;

const MODELS: [(&str, VelodyneModel); 6] = [
    ("vlp16", VelodyneModel::Vlp16),
    ("hdl32e", VelodyneModel::Hdl32e),
    ("vlp32c", VelodyneModel::Vlp32c),
    ("vls128", VelodyneModel::Vls128),
    ("hdl64e_s2", VelodyneModel::Hdl64eS2),
    ("hdl64e_s3", VelodyneModel::Hdl64eS3),
];

/// 50 ms before an hour is full.
const START_UNIX_NS: i64 = (482_200 * 3600) * 1_000_000_000 - 50_000_000;

fn quantum_m(model: VelodyneModel) -> f64 {
    if matches!(model, VelodyneModel::Vlp32c | VelodyneModel::Vls128) { 0.004 } else { 0.002 }
}

fn is_hdl64e(model: VelodyneModel) -> bool {
    matches!(model, VelodyneModel::Hdl64eS2 | VelodyneModel::Hdl64eS3)
}

fn facts(model: VelodyneModel, dual: bool, rotation_hz: f64) -> SensorDescription {
    let mut facts = SensorDescription::velodyne(model).unwrap();
    if dual {
        facts.returns = ReportedReturns::StrongestAndLast;
    }
    if let Some(spin) = &mut facts.spin {
        spin.rotation_hz = rotation_hz;
    }
    facts
}

/// Origin and direction of a laser at a time, by the formula of spinning heads.
fn beam(facts: &SensorDescription, laser: usize, time_s: f64) -> ([f64; 3], [f64; 3], f64) {
    let spin = facts.spin.unwrap();
    let laser = facts.lasers[laser];
    let head = -std::f64::consts::TAU * spin.rotation_hz * time_s;
    let azimuth = head + laser.azimuth_offset_deg.to_radians();
    let (sin, cos) = azimuth.sin_cos();
    let (up, flat) = laser.elevation_deg.to_radians().sin_cos();
    let origin = [-laser.left_m * sin, laser.left_m * cos, laser.up_m];
    (origin, [flat * cos, flat * sin, up], sin.atan2(cos).to_degrees())
}

/// Records of a still sensor: of each column that `fires`, every fifth pulse misses, and with
/// `dual` every third has two returns.
fn simulate(
    facts: &SensorDescription,
    columns: u64,
    fires: impl Fn(u64) -> bool,
    dual: bool,
    range_max_m: f64,
) -> Records {
    let spin = facts.spin.unwrap();
    let mut records = Records::default();
    for column in (0..columns).filter(|&column| fires(column)) {
        for (laser, of_laser) in facts.lasers.iter().enumerate() {
            let pulse = column * facts.lasers.len() as u64 + laser as u64;
            let time_s = column as f64 * spin.cycle_s + of_laser.firing_s;
            let (origin, direction, azimuth_deg) = beam(facts, laser, time_s);
            let miss = Record {
                time_s,
                pulse,
                channel: laser as u16,
                azimuth_deg: azimuth_deg as f32,
                elevation_deg: of_laser.elevation_deg as f32,
                origin_xyz_m: origin,
                direction_xyz: direction.map(|c| c as f32),
                ..Record::miss()
            };
            let dice = noise(pulse + 7);
            if dice < 0.2 {
                records.push(miss);
                continue;
            }
            let count = if dual && dice > 0.7 { 2 } else { 1 };
            let near_m = 1.0 + (range_max_m - 6.0) * noise(3 * pulse + 1);
            for number in 1..=count {
                let range_m = (near_m + f64::from(number - 1) * (0.5 + 4.0 * dice)) as f32;
                let at: [f64; 3] =
                    std::array::from_fn(|i| origin[i] + f64::from(range_m) * direction[i]);
                records.push(Record {
                    return_number: number,
                    return_count: count,
                    range_m,
                    intensity: noise(5 * pulse + u64::from(number)) as f32,
                    world_xyz_m: at,
                    sensor_xyz_m: at.map(|c| c as f32),
                    ..miss
                });
            }
        }
    }
    records
}

fn write(path: &Path, facts: &SensorDescription, records: &Records) -> SinkReport {
    let options = SinkOptions {
        sensors: vec![facts.clone()],
        start_unix_ns: START_UNIX_NS,
        ..SinkOptions::default()
    };
    let mut sink = open_sink(path, OutputFormat::Pcap, &options).unwrap();
    sink.write(records).unwrap();
    sink.finish().unwrap()
}

fn read(path: &Path, options: &ReadOptions) -> (Records, Vec<String>) {
    let options = ReadOptions { start_unix_ns: START_UNIX_NS, ..options.clone() };
    let mut recording = Recording::open(path, &options).unwrap();
    let known = recording.known();
    assert!(known.origin && known.misses && known.returns && known.time && known.angles);
    let records = recording.read_all().unwrap();
    (records, recording.report().remarks.clone())
}

/// A recording of each model that is long enough for an HDL-64E to tell its calibration.
fn recording(model: VelodyneModel, dual: bool) -> (SensorDescription, Records) {
    let facts = facts(model, dual, if dual { 5.0 } else { 10.0 });
    let records = if is_hdl64e(model) {
        let columns = 4200 * if dual { 3 } else { 6 };
        simulate(&facts, columns, |column| column % 31 == 0 || column < 40, dual, 120.0)
    } else {
        let seconds = if model == VelodyneModel::Vls128 { 0.03 } else { 0.21 };
        let columns = (seconds / facts.spin.unwrap().cycle_s) as u64;
        let range_m = if quantum_m(model) > 0.003 { 240.0 } else { 120.0 };
        simulate(&facts, columns, |_| true, dual, range_m)
    };
    (facts, records)
}

/// Byte that stands for an intensity.
fn byte(model: VelodyneModel, intensity: f32) -> f64 {
    f64::from((intensity * if is_hdl64e(model) { 255.0 } else { 100.0 }).round())
}

/// Runs the script of the third party; false if there is no Python.
#[allow(clippy::print_stdout)]
fn python(arguments: &[&str]) -> bool {
    let Some(python) = Python::find() else {
        return false;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/check_velodyne.py");
    let output = python.command().arg(script).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}");
    println!("{text}");
    true
}

/// Returns in the order of velodyne-decoder: of two the last first. Columns: time, x, y, z,
/// intensity, channel, return type (1 strongest, 2 last, 3 both), range.
fn expected(model: VelodyneModel, records: &Records, dual: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut row = 0;
    while row < records.len() {
        let count = usize::from(records.return_count[row].max(1));
        let rows: Vec<usize> = (row..row + count).filter(|&row| !records.is_miss(row)).collect();
        for &row in rows.iter().rev() {
            let kind = match (dual, rows.len(), records.return_number[row]) {
                (false, ..) => 1.0,
                (true, 1, _) => 3.0,
                (true, _, 2) => 2.0,
                _ => 1.0,
            };
            let [x, y, z] = records.world_xyz_m[row];
            let values = [
                records.time_s[row],
                x,
                y,
                z,
                byte(model, records.intensity[row]),
                f64::from(records.channel[row]),
                kind,
                f64::from(records.range_m[row]),
            ];
            values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
        }
        row += count;
    }
    bytes
}

#[test]
fn velodyne_decoder_reads_what_we_write() {
    let dir = tempfile::tempdir().unwrap();
    for (name, model) in MODELS {
        for dual in [false, true] {
            let (facts, records) = recording(model, dual);
            let stem = dir.path().join(format!("{name}_{}", if dual { "dual" } else { "single" }));
            let report = write(&stem.with_extension("pcap"), &facts, &records);
            assert_eq!(
                report.dropped_fields,
                ["poses of the sensor and the truth"],
                "{name} {dual}"
            );
            std::fs::write(stem.with_extension("f64"), expected(model, &records, dual)).unwrap();
        }
    }
    python(&["read", &dir.path().to_string_lossy(), &START_UNIX_NS.to_string()]);
}

/// Largest errors of what is read of our own packets, against the formula.
#[test]
fn we_read_what_we_write() {
    let dir = tempfile::tempdir().unwrap();
    for (name, model) in MODELS {
        for dual in [false, true] {
            let (facts, written) = recording(model, dual);
            let path = dir.path().join("packets.pcap");
            write(&path, &facts, &written);
            // The calibration that an HDL-64E sends is coarser than the facts of the S2.
            let given = (model == VelodyneModel::Hdl64eS2).then(|| facts.clone());
            let (found, remarks) =
                read(&path, &ReadOptions { sensor: given, ..Default::default() });
            assert_eq!(remarks, [""; 0]);
            let returns = |records: &Records| -> Vec<usize> {
                (0..records.len()).filter(|&row| !records.is_miss(row)).collect()
            };
            let (a, b) = (returns(&written), returns(&found));
            assert_eq!(a.len(), b.len(), "{name} {dual}");
            let (mut off_m, mut off_deg, mut off_s) = (0f64, 0f64, 0f64);
            for (&a, &b) in a.iter().zip(&b) {
                assert_eq!(written.channel[a], found.channel[b]);
                assert_eq!(written.return_number[a], found.return_number[b]);
                assert_eq!(written.return_count[a], found.return_count[b]);
                let intensity = byte(model, written.intensity[a]);
                assert_eq!(byte(model, found.intensity[b]), intensity, "{name}");
                off_s = off_s.max((written.time_s[a] - found.time_s[b]).abs());
                let range_m = f64::from(written.range_m[a]);
                off_m = off_m.max((range_m - f64::from(found.range_m[b])).abs());
                let apart: f64 = (0..3)
                    .map(|i| (written.world_xyz_m[a][i] - found.world_xyz_m[b][i]).powi(2))
                    .sum();
                let across = (apart - (range_m - f64::from(found.range_m[b])).powi(2)).max(0.0);
                off_deg = off_deg.max((across.sqrt() / range_m).to_degrees());
            }
            println!("{name} dual {dual}: {off_m:.5} m {off_deg:.5}° {:.3} µs", off_s * 1e6);
            assert!(off_m <= 0.5 * quantum_m(model) + 1e-5, "{name} {off_m}");
            // Half a step of the encoder, and of it what the speed of the head adds.
            assert!(off_deg < 0.0095, "{name} {dual} {off_deg}");
            assert!(off_s < 0.51e-6, "{name} {off_s}");
            // Every pulse is there, with the beam that it has by the formula.
            let columns = found.len() as u64; // at least one row each
            assert!(columns >= written.len() as u64);
            let mut misses = 0;
            for row in (0..found.len()).filter(|&row| found.is_miss(row)) {
                let laser = usize::from(found.channel[row]);
                let (origin, direction, _) = beam(&facts, laser, found.time_s[row]);
                for i in 0..3 {
                    assert!((f64::from(found.direction_xyz[row][i]) - direction[i]).abs() < 2e-4);
                    assert!((found.origin_xyz_m[row][i] - origin[i]).abs() < 2e-5);
                }
                misses += 1;
            }
            assert!(misses > 1000, "{name}");
            let revolutions = found.time_s.last().unwrap() * facts.spin.unwrap().rotation_hz;
            assert_eq!(found.scan.last().copied(), Some(revolutions as u32), "{name}");
        }
    }
}

#[test]
fn packets_of_another_packer_are_read_as_velodyne_decoder_reads_them() {
    let dir = tempfile::tempdir().unwrap();
    if !python(&["make", &dir.path().to_string_lossy()]) {
        return;
    }
    let mut files = 0;
    for entry in std::fs::read_dir(dir.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "f64") {
            continue;
        }
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let numbers: Vec<f64> = std::fs::read(path.with_extension("f64"))
            .unwrap()
            .chunks_exact(8)
            .map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap()))
            .collect();
        let mut recording = Recording::open(&path, &ReadOptions::default()).unwrap();
        let found = recording.read_all().unwrap();
        let rows: Vec<usize> = (0..found.len()).filter(|&row| !found.is_miss(row)).collect();
        assert_eq!(rows.len(), numbers.len() / 7, "{name}");
        let vls = name.starts_with("vls128");
        let full = if name.starts_with("hdl64e") { 255.0 } else { 100.0 };
        let (mut off_m, mut off_deg, mut off_s) = (0f64, 0f64, 0f64);
        for (&row, wanted) in rows.iter().zip(numbers.chunks_exact(7)) {
            let &[time_s, x, y, z, intensity, channel, first_packet] = wanted else { panic!() };
            assert_eq!(f64::from(found.channel[row]), channel, "{name} row {row}");
            let byte = f64::from(found.intensity[row]) * full;
            assert!((byte - intensity).abs() < 1e-2, "{name} {byte} {intensity}");
            let at = found.world_xyz_m[row];
            let (far, near) =
                ([x, y, z], |v: [f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt());
            off_m = off_m.max((near(far) - near(at)).abs());
            let across = (x * at[1] - y * at[0]) / (x.hypot(y) * at[0].hypot(at[1]));
            // Of a VLS-128 it knows neither the speed of the head nor the firmware there.
            if first_packet == 0.0 {
                off_s = off_s.max((found.time_s[row] - time_s).abs());
                off_deg = off_deg.max(across.asin().to_degrees().abs());
            }
        }
        println!("{name}: {} points, {off_m:.6} m {off_deg:.5}° {off_s:.1e} s", rows.len());
        assert!(off_m < 1e-4, "{name} {off_m}");
        // It rounds angles to 0.01° and has other times of a VLS-128: see the script.
        // The slot is 0.0096° at 10 Hz, and at the 20 Hz of dual packets twice as much.
        let limit_deg = if vls && name.ends_with("_dual.pcap") {
            0.038
        } else if vls {
            0.024
        } else {
            0.012
        };
        assert!(off_deg < limit_deg, "{name} {off_deg}");
        assert!(off_s < if vls { 5.5e-6 } else { 0.75e-6 }, "{name} {off_s}");
        files += 1;
    }
    assert_eq!(files, 15);
}

/// Writes and reads with the sensor's own options; returns rows, remarks and the writer's report.
fn through(facts: &SensorDescription, records: &Records) -> (Records, Vec<String>, SinkReport) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    let report = write(&path, facts, records);
    let (found, remarks) = read(&path, &ReadOptions::default());
    (found, remarks, report)
}

/// A pulse of laser 0 in a column, with returns of (range, intensity).
fn pulse(facts: &SensorDescription, column: u64, returns: &[(f32, f32)]) -> Records {
    let one = simulate(facts, column + 1, |c| c == column, false, 50.0);
    let miss = Record { return_number: 0, return_count: 0, ..one.get(0).unwrap() };
    let mut records = Records::default();
    for (number, &(range_m, intensity)) in (1..).zip(returns) {
        let return_count = returns.len() as u8;
        records.push(Record { return_number: number, return_count, range_m, intensity, ..miss });
    }
    if returns.is_empty() {
        records.push(miss);
    }
    records
}

#[test]
fn two_returns_of_many_are_the_last_and_the_strongest_other_one() {
    let facts = facts(VelodyneModel::Vlp16, true, 10.0);
    for (returns, kept, lost) in [
        // Strongest in front, behind, and in the middle of three.
        (&[(5.0, 0.9), (8.0, 0.3)][..], &[(5.0, 90), (8.0, 30)][..], 0),
        (&[(5.0, 0.2), (8.0, 0.3)], &[(5.0, 20), (8.0, 30)], 0),
        (&[(5.0, 0.2), (6.0, 0.9), (8.0, 0.3)], &[(6.0, 90), (8.0, 30)], 1),
        (&[(5.0, 0.2), (6.0, 0.5), (8.0, 0.8)], &[(6.0, 50), (8.0, 80)], 1),
        // The same distance in the packet is the same return.
        (&[(5.0, 0.2), (5.0004, 0.3)], &[(5.0, 30)], 0),
        (&[(5.0, 0.2)], &[(5.0, 20)], 0),
        (&[], &[], 0),
    ] {
        let (found, _, report) = through(&facts, &pulse(&facts, 0, returns));
        let rows: Vec<usize> = (0..found.len()).filter(|&row| !found.is_miss(row)).collect();
        let reported: Vec<(f32, i32)> = rows
            .iter()
            .map(|&row| (found.range_m[row], (found.intensity[row] * 100.0).round() as i32))
            .collect();
        assert_eq!(reported, kept, "{returns:?}");
        let words = "1 returns beyond the second of a pulse";
        assert_eq!(report.dropped_fields.iter().any(|w| w == words), lost == 1, "{report:?}");
        // Twelve firings of 16 lasers in a packet.
        assert_eq!(found.len(), 12 * 16 + kept.len().saturating_sub(1));
    }
}

#[test]
fn what_a_packet_cannot_hold_is_counted() {
    let single = facts(VelodyneModel::Vlp16, false, 10.0);
    let mut records = Records::default();
    for (column, returns) in [
        (0, &[(131.07, 0.5)][..]),
        (1, &[(131.08, 0.5)]),
        (2, &[(0.0, 0.5)]),
        (3, &[(0.0004, 0.5)]),
        (4, &[(7.0, 3.0)]),
        (5, &[(7.0, 0.5), (9.0, 0.6)]),
        (6, &[(7.0, f32::NAN)]),
    ] {
        records.append(&pulse(&single, column, returns));
    }
    let (found, _, report) = through(&single, &records);
    let reported: Vec<(u32, f32, f32)> = (0..found.len())
        .filter(|&row| !found.is_miss(row))
        .map(|row| (found.column[row], found.range_m[row], found.intensity[row]))
        .collect();
    assert_eq!(reported, [(0, 131.07, 0.5), (4, 7.0, 2.55), (5, 9.0, 0.6), (6, 7.0, 0.0)]);
    assert_eq!(
        report.dropped_fields[1..],
        [
            "1 returns beyond the first of a pulse",
            "1 returns beyond 131.07 m",
            "2 returns at the sensor itself",
            "1 intensities above the largest byte, cut to it",
        ]
    );
    let mut last = single.clone();
    last.returns = ReportedReturns::First;
    let (found, ..) = through(&last, &pulse(&last, 0, &[(7.0, 0.5), (9.0, 0.6)]));
    assert_eq!(found.range_m[0], 7.0);
}

#[test]
fn gaps_are_packets_without_a_return_or_lost_packets() {
    let facts = facts(VelodyneModel::Vlp16, false, 10.0);
    let mut records = pulse(&facts, 30, &[(7.0, 0.5)]);
    records.append(&pulse(&facts, 30 + 24 * 5 + 7, &[(8.0, 0.5)]));
    records.append(&pulse(&facts, 100_000, &[(9.0, 0.5)]));
    let (found, remarks, _) = through(&facts, &records);
    let hits: Vec<usize> = (0..found.len()).filter(|&row| !found.is_miss(row)).collect();
    // Six packets before the long gap and one after it, each whole.
    assert_eq!(found.len(), 7 * 384);
    for (&row, column) in hits.iter().zip([30, 157, 100_000]) {
        let (_, direction, _) = beam(&facts, 0, column as f64 * 55.296e-6);
        let off = (0..3).map(|i| (f64::from(found.direction_xyz[row][i]) - direction[i]).abs());
        assert!(off.fold(0.0, f64::max) < 1.2e-4, "{column}");
    }
    let missing = format!("{} packets are missing by their times", (100_000 - 30) / 24 - 6);
    assert!(remarks.contains(&missing), "{remarks:?}");
}

#[test]
fn the_cut_of_batches_does_not_show_and_sensors_have_addresses() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) =
        (facts(VelodyneModel::Vlp16, true, 10.0), facts(VelodyneModel::Hdl32e, false, 10.0));
    let mut both = Records::default();
    let (first, second) =
        (simulate(&a, 60, |_| true, true, 50.0), simulate(&b, 70, |_| true, false, 50.0));
    for part in 0..7 {
        for (sensor, records) in [(0, &first), (1, &second)] {
            let rows = records.len();
            for row in rows * part / 7..rows * (part + 1) / 7 {
                both.push(Record { sensor, ..records.get(row).unwrap() });
            }
        }
    }
    let options =
        SinkOptions { sensors: vec![a, b], start_unix_ns: START_UNIX_NS, ..SinkOptions::default() };
    let mut files = Vec::new();
    for cut in [1, 7, 1000, both.len()] {
        let path = dir.path().join(format!("{cut}.pcap"));
        let mut sink = open_sink(&path, OutputFormat::Pcap, &options).unwrap();
        let mut batch = Records::default();
        for row in 0..both.len() {
            batch.push(both.get(row).unwrap());
            if (row + 1) % cut == 0 {
                sink.write(&batch).unwrap();
                batch.clear();
            }
        }
        sink.write(&batch).unwrap();
        sink.finish().unwrap();
        files.push(std::fs::read(&path).unwrap());
    }
    assert!(files.iter().all(|file| *file == files[0]));
    let (found, _) = read(&dir.path().join("1000.pcap"), &ReadOptions::default());
    for (sensor, records) in [(0, &first), (1, &second)] {
        let rows =
            (0..found.len()).filter(|&row| found.sensor[row] == sensor && !found.is_miss(row));
        assert_eq!(rows.count(), records.return_rows());
    }
}

#[test]
fn what_cannot_become_packets_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    let good = facts(VelodyneModel::Vlp16, false, 10.0);
    let open = |sensors: Vec<SensorDescription>| {
        open_sink(&path, OutputFormat::Pcap, &SinkOptions { sensors, ..SinkOptions::default() })
    };
    let refused = |sensors: Vec<SensorDescription>| match open(sensors) {
        Ok(_) => panic!(),
        Err(error) => error.to_string(),
    };
    assert!(refused(vec![]).contains("the sensors are not known"));
    let without = SensorDescription { packets: None, name: "my lidar".into(), ..good.clone() };
    let text = refused(vec![without]);
    assert!(text.contains("\"my lidar\" has no packets") && text.contains("VLP-16"), "{text}");
    let few = SensorDescription { lasers: good.lasers[..3].to_vec(), ..good.clone() };
    assert!(refused(vec![few]).contains("it has 3 lasers, but packets of a VLP-16 hold 16"));
    let still = SensorDescription { spin: None, ..good.clone() };
    assert!(refused(vec![still]).contains("does not turn"));
    let pulse = pulse(&good, 0, &[]).get(0).unwrap();
    for (row, words) in [
        (Record { channel: 16, ..pulse }, "pulse 0 is of channel 16, but there are 16 lasers"),
        (Record { time_s: f64::NAN, ..pulse }, "pulse 0 has no time"),
        (Record { sensor: 3, ..pulse }, "a row is of sensor 3, but 1 sensors are known"),
    ] {
        let mut records = Records::default();
        records.push(row);
        let error = open(vec![good.clone()]).unwrap().write(&records).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    assert!(!path.exists());
}

#[test]
fn captures_that_do_not_say_their_sensor_are_refused_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    let s3 = facts(VelodyneModel::Hdl64eS3, false, 10.0);
    let records = simulate(&s3, 100, |_| true, false, 50.0);
    write(&path, &s3, &records);
    let Err(error) = Recording::open(&path, &ReadOptions::default()) else { panic!() };
    let text = error.to_string();
    assert!(text.contains("HDL-64E") && text.contains("name the sensor"), "{text}");
    let (found, _) = read(&path, &ReadOptions { sensor: Some(s3), ..ReadOptions::default() });
    assert_eq!(found.return_rows(), records.return_rows());
    // A product that nobody knows is known once it is named.
    let vlp16 = facts(VelodyneModel::Vlp16, false, 10.0);
    write(&path, &vlp16, &simulate(&vlp16, 24, |_| true, false, 50.0));
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() = 0x24;
    std::fs::write(&path, &bytes).unwrap();
    let Err(error) = Recording::open(&path, &ReadOptions::default()) else { panic!() };
    assert!(error.to_string().contains("product 0x24"), "{error}");
    let (found, _) = read(&path, &ReadOptions { sensor: Some(vlp16), ..ReadOptions::default() });
    assert_eq!(found.len(), 384);
}

/// The payloads of a capture of ours.
fn payloads(path: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(path).unwrap();
    let mut rest = &bytes[24..];
    let mut found = Vec::new();
    while !rest.is_empty() {
        let length = 16 + u32::from_le_bytes(rest[8..12].try_into().unwrap()) as usize;
        found.push(rest[16 + 42..length].to_vec());
        rest = &rest[length..];
    }
    found
}

/// Read and written again, packets are the same to the last byte.
#[test]
fn packets_survive_a_conversion() {
    let dir = tempfile::tempdir().unwrap();
    let [one, two] = ["one.pcap", "two.pcap"].map(|name| dir.path().join(name));
    for (name, model) in MODELS {
        for dual in [false, true] {
            let facts = facts(model, dual, 10.0);
            let records = simulate(&facts, 240, |_| true, dual, 100.0);
            write(&one, &facts, &records);
            let reading = ReadOptions {
                sensor: Some(facts.clone()),
                start_unix_ns: START_UNIX_NS,
                ..ReadOptions::default()
            };
            let writing = SinkOptions {
                sensors: vec![facts],
                start_unix_ns: START_UNIX_NS,
                ..SinkOptions::default()
            };
            let done = convert(&one, &reading, &two, OutputFormat::Pcap, &writing).unwrap();
            assert_eq!(done.dropped_fields, ["poses of the sensor and the truth"]);
            let (first, second) = (payloads(&one), payloads(&two));
            assert_eq!(first.len(), second.len());
            for (i, (a, b)) in first.iter().zip(&second).enumerate() {
                // A position packet has a time that is not rounded.
                assert!(a == b || a.len() == 512, "{name} {dual} packet {i}");
            }
        }
    }
}

#[test]
fn packets_that_are_none_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    let facts = facts(VelodyneModel::Vlp16, false, 10.0);
    write(&path, &facts, &simulate(&facts, 24 * 4, |_| true, false, 50.0));
    let mut bytes = std::fs::read(&path).unwrap();
    // Behind the position packet are four packets. In the second the flag of the third block and
    // in the third that of the first are wrong; the last is sent to be cut short.
    let packet = |n: usize| 24 + 16 + 554 + n * (16 + 1248) + 16 + 42;
    bytes[packet(1) + 200] = 0;
    bytes[packet(2)] = 0;
    let last = packet(3);
    bytes.truncate(last + 1000);
    let length = (42u32 + 1000).to_le_bytes();
    bytes[last - 42 - 8..last - 42 - 4].copy_from_slice(&length);
    std::fs::write(&path, &bytes).unwrap();
    let (found, remarks) = read(&path, &ReadOptions::default());
    assert_eq!(found.len(), 2 * 384 - 32);
    assert_eq!(
        remarks,
        [
            "2 firings were left out, of impossible blocks",
            "1 datagrams are no data of a lidar",
            "1 frames are cut short or damaged",
        ]
    );
}

#[test]
fn damaged_captures_are_refused_or_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.pcap");
    for (model, dual) in [
        (VelodyneModel::Vlp16, true),
        (VelodyneModel::Vls128, false),
        (VelodyneModel::Hdl64eS3, true),
    ] {
        let facts = facts(model, dual, 10.0);
        let columns = if model == VelodyneModel::Vlp16 { 36 } else { 9 };
        write(&path, &facts, &simulate(&facts, columns, |_| true, dual, 50.0));
        let whole = std::fs::read(&path).unwrap();
        // An HDL-64E would need thousands of packets to say what it is.
        let sensor = (model == VelodyneModel::Hdl64eS3).then_some(facts);
        let options = ReadOptions { sensor, ..ReadOptions::default() };
        let attempt = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let mut recording = Recording::open(&path, &options)?;
            recording.read_all()
        };
        assert!(attempt(&whole).unwrap().return_rows() > 400);
        // Records: a position packet of 554 bytes, then three of 1248, each behind 16 bytes.
        let ends: Vec<usize> = (1..=3).map(|n| 24 + 16 + 554 + n * (16 + 1248)).collect();
        assert_eq!(ends.last(), Some(&whole.len()));
        for length in (0..whole.len()).step_by(7).chain(ends.clone()) {
            match attempt(&whole[..length]) {
                Ok(_) => assert!(ends.contains(&length), "{length}"),
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
        for i in 0..400u64 {
            let mut bytes = whole.clone();
            for j in 0..1 + i % 5 {
                let reach = if i % 2 == 0 { 700 } else { bytes.len() };
                let at = (noise(10 * i + j) * reach as f64) as usize;
                bytes[at] = (noise(77 * i + j) * 256.0) as u8;
            }
            if let Ok(records) = attempt(&bytes) {
                for row in (0..records.len()).filter(|&row| !records.is_miss(row)) {
                    assert!(records.world_xyz_m[row].iter().all(|c| c.is_finite()));
                }
            }
        }
    }
}
