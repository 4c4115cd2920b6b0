//! Records for tests: a few scans with misses, double returns and awkward numbers.

use std::path::{Path, PathBuf};
use understory_cloud::{
    OutputFormat, Record, Records, ScanPose, SensorDescription, SinkOptions, VelodyneModel,
};

/// Options with which every format can be written: packets need a sensor.
pub fn options() -> SinkOptions {
    let sensors = vec![SensorDescription::velodyne(VelodyneModel::Vlp16).unwrap()];
    SinkOptions { sensors, ..SinkOptions::default() }
}

/// `NAME.extension` in a folder.
pub fn path_of(folder: &Path, name: &str, format: OutputFormat) -> PathBuf {
    folder.join(format!("{name}.{}", format.extension()))
}

/// Formats that hold every column of the records, or KITTI's part of them.
pub fn own_formats() -> [OutputFormat; 8] {
    use OutputFormat::*;
    [Las, Laz, Ply, Pcd, Csv, Npy, Kitti, Parquet]
}

/// A number in 0…1 that depends on `index` alone.
pub fn noise(index: u64) -> f64 {
    let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((x ^ (x >> 29)) >> 11) as f64 / (1u64 << 53) as f64
}

/// `pulses` pulses around `origin`, 100 to a scan; every fifth misses, every seventh has 2 returns.
pub fn records(pulses: u64, origin: [f64; 3]) -> Records {
    let mut records = Records::default();
    for pulse in 0..pulses {
        let returns = if pulse % 5 == 2 { 0 } else { 1 + u8::from(pulse % 7 == 0) };
        if returns == 0 {
            records.push(miss(pulse, origin));
        }
        for number in 1..=returns {
            let range_m = (1.0 + 80.0 * noise(pulse + 1000)) as f32;
            let (from, along) = (beam_origin(pulse, origin), beam_direction(pulse));
            let at = |range_m: f32| -> [f64; 3] {
                std::array::from_fn(|i| from[i] + f64::from(range_m) * f64::from(along[i]))
            };
            let range_m = range_m + f32::from(number);
            records.push(Record {
                return_number: number,
                return_count: returns,
                range_m,
                true_range_m: range_m + 0.004,
                intensity: (1.3 * noise(3 * pulse)) as f32,
                signal_photons: (900.0 * noise(5 * pulse)) as f32,
                sensor_xyz_m: [range_m, -range_m / 3.0, 0.25 * f32::from(number)],
                world_xyz_m: at(range_m),
                true_xyz_m: at(range_m + 0.004),
                object: (pulse as u32 * 4001) % 150_000 + 1,
                material: (pulse % 9) as u16 + 1,
                label: (pulse % 300) as u16,
                incidence_deg: (90.0 * noise(11 * pulse)) as f32,
                sub_ray_hits: (pulse % 10) as u16,
                volume: (pulse as u32 * 7919) % 3_000_000,
                range_spread_m: (0.4 * noise(17 * pulse)) as f32,
                velocity_xyz_m_s: [noise(29 * pulse) as f32, -8.5, 0.0],
                colour_rgb: [(7 * pulse) as u8, (pulse / 3) as u8, 200],
                ..miss(pulse, origin)
            });
        }
    }
    records
}

/// Where the beam of a pulse left from.
fn beam_origin(pulse: u64, origin: [f64; 3]) -> [f64; 3] {
    [origin[0] + 1e-4 * pulse as f64, origin[1] - 0.04, origin[2] + 1.8]
}

/// A direction of length 1.
fn beam_direction(pulse: u64) -> [f32; 3] {
    let (azimuth, elevation) = (6.2 * noise(pulse / 16), 0.05 * (pulse % 16) as f64 - 0.4);
    let (sin, cos) = azimuth.sin_cos();
    [(elevation.cos() * cos) as f32, (elevation.cos() * sin) as f32, elevation.sin() as f32]
}

/// A pulse without a return.
fn miss(pulse: u64, origin: [f64; 3]) -> Record {
    Record {
        time_s: pulse as f64 * 1.152e-6 + 1e-9,
        pulse,
        sensor: 0,
        channel: (pulse % 16) as u16,
        scan: (pulse / 100) as u32,
        column: (pulse % 100) as u32 / 16,
        azimuth_deg: (360.0 * noise(pulse / 16) - 180.0) as f32,
        elevation_deg: (pulse % 16) as f32 * 2.0 - 15.0,
        origin_xyz_m: beam_origin(pulse, origin),
        direction_xyz: beam_direction(pulse),
        ambient_photons: (40.0 * noise(23 * pulse)) as f32,
        ..Record::miss()
    }
}

/// The rows from `start` to `end`.
pub fn part(records: &Records, start: usize, end: usize) -> Records {
    let mut part = Records::default();
    (start..end).filter_map(|row| records.get(row)).for_each(|row| part.push(row));
    part
}

/// A pose for each scan.
pub fn poses(records: &Records) -> Vec<ScanPose> {
    let last = records.scan.iter().copied().max().unwrap_or(0);
    let pose = |scan: u32| {
        let (sin, cos) = (f64::from(scan) * 0.1).sin_cos();
        let x = 500_000.0 + f64::from(scan);
        ScanPose {
            sensor: 0,
            scan,
            time_s: f64::from(scan) * 100.0 * 1.152e-6,
            world_from_sensor: [
                [cos, -sin, 0.0, x],
                [sin, cos, 0.0, 5_400_000.25],
                [0.0, 0.0, 1.0, 101.5],
            ],
        }
    };
    (0..=last).map(pose).collect()
}
