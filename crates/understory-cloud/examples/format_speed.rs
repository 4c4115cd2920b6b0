//! How fast points are read and written, beside the libraries that others use.
//!
//! ```sh
//! cargo xtask bench formats
//! ```
//!
//! Every round times ours and theirs, one after the other, on the same points and on the same file;
//! the median counts. Ours works on two threads. Theirs are laspy with lazrs (parallel), pyarrow on
//! two threads and Open3D, each in one Python process that has loaded them before and times itself.
//! Reading ends with columns in memory: ours with beams that have origins and directions, theirs
//! with arrays of the same columns of the file.

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;
use understory_cloud::{
    IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, OutputFormat, PacketFormat,
    ReadOptions, Record, Recording, Records, ReportedReturns, ScanPose, SensorDescription,
    SinkOptions, Spin, open_sink,
};

/// Name, format, whether all columns are written, and whom it is compared with.
const CONTESTS: [(&str, OutputFormat, bool, &str); 8] = [
    ("laz, standard fields", OutputFormat::Laz, false, "laspy"),
    ("laz, all columns", OutputFormat::Laz, true, "laspy"),
    ("pcd, all columns", OutputFormat::Pcd, true, "open3d"),
    ("parquet, all columns", OutputFormat::Parquet, true, "pyarrow"),
    ("pcap, Ouster's packets", OutputFormat::Pcap, true, ""),
    ("mcap, Ouster's layout", OutputFormat::Mcap, true, ""),
    ("e57", OutputFormat::E57, true, ""),
    ("npy, all columns", OutputFormat::Npy, true, ""),
];

fn main() -> Result<(), Box<dyn Error>> {
    let (mut points, mut rounds, mut pythons, mut only) = (1_000_000, 5, Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--points" => points = value.parse()?,
            "--rounds" => rounds = value.parse()?,
            "--only" => only = Some(value),
            // Those of them that have no package fail and are left out.
            "--python" => pythons.push(PathBuf::from(value)),
            other => return Err(format!("unknown argument {other}").into()),
        }
    }
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global()?;
    let records = records(points);
    let folder = tempfile::tempdir()?;
    println!("{points} returns, median of {rounds} rounds, millions of points per second");
    println!(
        "{:24}{:>10}{:>10}{:>8}{:>10}{:>10}{:>8}",
        "", "write", "theirs", "ratio", "read", "theirs", "ratio"
    );
    for (name, format, extra_bytes, other) in CONTESTS {
        if only.as_ref().is_some_and(|only| !name.starts_with(only.as_str())) {
            continue;
        }
        let path = folder.path().join(format!("ours.{}", format.extension()));
        let mut other = pythons.iter().find_map(|python| Other::start(python, other));
        let mut times = [const { Vec::new() }; 4];
        for _ in 0..rounds {
            times[0].push(write(&path, format, extra_bytes, &records)?);
            times[1].push(read(&path, records.len())?);
            if let Some(other) = &mut other {
                times[2].push(other.ask("write", &path)?);
                times[3].push(other.ask("read", &path)?);
            }
        }
        let rate = |times: &mut Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).map(|seconds| records.len() as f64 / seconds / 1e6)
        };
        let [write, read, write_other, read_other] = times.each_mut().map(rate);
        let show = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        let ratio =
            |ours: Option<f64>, theirs: Option<f64>| show(ours.zip(theirs).map(|(a, b)| a / b));
        println!(
            "{name:24}{:>10}{:>10}{:>8}{:>10}{:>10}{:>8}",
            show(write),
            show(write_other),
            ratio(write, write_other),
            show(read),
            show(read_other),
            ratio(read, read_other),
        );
    }
    Ok(())
}

fn write(
    path: &Path,
    format: OutputFormat,
    extra_bytes: bool,
    records: &Records,
) -> Result<f64, Box<dyn Error>> {
    let sensors = vec![ouster()];
    let options = SinkOptions { extra_bytes, sensors, ..SinkOptions::default() };
    let start = Instant::now();
    let mut sink = open_sink(path, format, &options)?;
    for scan in 0..=records.scan.last().copied().unwrap_or(0) {
        let world_from_sensor = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]];
        sink.scan_pose(&ScanPose { sensor: 0, scan, time_s: 0.0, world_from_sensor })?;
    }
    sink.write(records)?;
    sink.finish()?;
    Ok(start.elapsed().as_secs_f64())
}

fn read(path: &Path, rows: usize) -> Result<f64, Box<dyn Error>> {
    let start = Instant::now();
    let mut recording = Recording::open(path, &ReadOptions::default())?;
    let mut batch = Records::default();
    let mut found = 0;
    while recording.next_batch(&mut batch)? {
        found += batch.len();
    }
    // Packets and pictures have places for pulses that were never fired.
    assert!((rows..rows + rows / 5).contains(&found), "{found} of {rows}");
    Ok(start.elapsed().as_secs_f64())
}

/// A Python process with other people's libraries.
struct Other {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn start(python: &Path, library: &str) -> Option<Other> {
        if library.is_empty() {
            return None;
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/format_speed.py");
        let mut process = Command::new(python)
            .arg(script)
            .arg(library)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (input, output) = (process.stdin.take()?, BufReader::new(process.stdout.take()?));
        let mut other = Other { process, input, output };
        let mut line = String::new();
        other.output.read_line(&mut line).ok()?;
        (line.trim() == "ready").then_some(other)
    }

    /// Seconds that it took.
    fn ask(&mut self, what: &str, path: &Path) -> Result<f64, Box<dyn Error>> {
        writeln!(self.input, "{what} {}", path.display())?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        Ok(line.trim().parse().map_err(|_| format!("it says {line:?}"))?)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _gone = self.process.kill();
        let _gone = self.process.wait();
    }
}

/// The sensor of the records: 64 lasers, 2048 columns at 10 Hz.
fn ouster() -> SensorDescription {
    let laser = |row: u32| LaserDescription {
        elevation_deg: f64::from(row) * 0.4 - 20.0,
        forward_m: 0.012,
        ..LaserDescription::default()
    };
    SensorDescription {
        name: "os1".to_owned(),
        packets: Some(PacketFormat::Ouster(OusterProduct {
            profile: OusterProfile::Rng19,
            product: "OS-1-64".to_owned(),
            serial: 1,
        })),
        lasers: (0..64).map(laser).collect(),
        spin: Some(Spin { rotation_hz: 10.0, clockwise: true, cycle_s: 0.1 / 2048.0 }),
        scan_s: 0.1,
        columns_per_scan: 2048,
        range_m: [0.5, 120.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: IDENTITY_ROWS,
        platform_from_sensor: IDENTITY_ROWS,
    }
}

/// Returns of a spinning head with 64 lasers in a made-up wood.
fn records(points: usize) -> Records {
    let noise = |index: u64| {
        let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        ((x ^ (x >> 29)) >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut records = Records::default();
    for pulse in 0..points as u64 {
        let (channel, column) = (pulse % 64, pulse / 64 % 2048);
        let azimuth = column as f64 / 2048.0 * std::f64::consts::TAU;
        let elevation = (channel as f64 * 0.4 - 20.0).to_radians();
        let ((sin, cos), flat) = (azimuth.sin_cos(), elevation.cos());
        let along = [flat * cos, flat * sin, elevation.sin()];
        let range = 20.0 + 8.0 * (5.0 * azimuth).sin() + 4.0 * noise(pulse);
        let origin_xyz_m = [500_005.0, 5_400_006.0, 107.0];
        let at = |range: f64| std::array::from_fn(|i| origin_xyz_m[i] + range * along[i]);
        records.push(Record {
            time_s: pulse as f64 * 0.76e-6,
            pulse,
            channel: channel as u16,
            scan: (pulse / (64 * 2048)) as u32,
            column: column as u32,
            azimuth_deg: (azimuth.to_degrees() - 180.0) as f32,
            elevation_deg: elevation.to_degrees() as f32,
            signal_photons: (900.0 * noise(pulse + 1)) as f32,
            ambient_photons: 4.0,
            return_number: 1,
            return_count: 1,
            range_m: range as f32,
            true_range_m: (range + 0.01 * noise(pulse + 2)) as f32,
            intensity: noise(pulse + 3) as f32,
            origin_xyz_m,
            direction_xyz: along.map(|c| c as f32),
            sensor_xyz_m: along.map(|c| (c * range) as f32),
            world_xyz_m: at(range),
            true_xyz_m: at(range + 0.01 * noise(pulse + 2)),
            object: (pulse / 100 % 900) as u32,
            material: (pulse / 100 % 9) as u16,
            label: (pulse / 100 % 20) as u16,
            volume: 0,
            incidence_deg: (80.0 * noise(pulse + 4)) as f32,
            sub_ray_hits: (pulse % 7) as u16,
            range_spread_m: (0.2 * noise(pulse + 5)) as f32,
            velocity_xyz_m_s: [0.0; 3],
            colour_rgb: [0; 3],
            ..Record::miss()
        });
    }
    records
}
