//! Rows per second of each writer, on a made-up drive of an HDL-64E over rough ground.
//!
//! `cargo run --release -p understory-cloud --example write_speed [ROWS [FORMAT]]`

#![allow(clippy::disallowed_methods)]
#![allow(clippy::print_stdout)]

use std::time::Instant;
use understory_cloud::{OutputFormat, Record, Records, ScanPose, SinkOptions, open_sink};

const CHANNELS: u64 = 64;
const COLUMNS: u64 = 2083;

/// A number in 0…1 that depends on `index` alone.
fn noise(index: u64) -> f64 {
    let mut x = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((x ^ (x >> 29)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Processor time of this program so far, which a busy machine does not falsify; Linux only.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks =
        after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

/// The row of one pulse.
fn row(pulse: u64) -> Record {
    let (step, channel) = (pulse / CHANNELS, pulse % CHANNELS);
    let (scan, column) = (step / COLUMNS, step % COLUMNS);
    let azimuth = 180.0 - 360.0 * column as f64 / COLUMNS as f64;
    let elevation = 2.0 - 26.8 * channel as f64 / (CHANNELS - 1) as f64;
    let hit = noise(7 * pulse) < 0.9;
    let true_range = if elevation < -1.0 {
        (1.9 / (-elevation).to_radians().sin()).min(80.0) * (0.9 + 0.1 * noise(pulse))
    } else {
        20.0 + 60.0 * noise(pulse / 64)
    };
    let range = ((true_range + 0.02 * (noise(3 * pulse) - 0.5)) / 0.002).round() * 0.002;
    let (sin_a, cos_a) = azimuth.to_radians().sin_cos();
    let (sin_e, cos_e) = elevation.to_radians().sin_cos();
    let direction = [cos_e * cos_a, cos_e * sin_a, sin_e];
    // The platform drives on while the beam's origin turns with the head, 4 cm from its axis.
    let drive_m = 0.15 * step as f64 / COLUMNS as f64;
    let origin = [500_000.0 + drive_m + 0.04 * cos_a, 5_400_000.0 + 0.04 * sin_a, 102.0];
    let at = |r: f64| std::array::from_fn(|i| origin[i] + r * direction[i]);
    let nan = f32::NAN;
    let keep = |value: f64| if hit { value as f32 } else { nan };
    Record {
        time_s: step as f64 * 48e-6,
        pulse,
        sensor: 0,
        channel: channel as u16,
        scan: scan as u32,
        column: column as u32,
        azimuth_deg: azimuth as f32,
        elevation_deg: elevation as f32,
        signal_photons: f32::NAN,
        ambient_photons: f32::NAN,
        return_number: u8::from(hit),
        return_count: u8::from(hit),
        range_m: keep(range),
        true_range_m: keep(true_range),
        intensity: keep(0.4 * noise(5 * pulse)),
        origin_xyz_m: origin,
        direction_xyz: direction.map(|d| d as f32),
        sensor_xyz_m: direction.map(|d| keep(range * d)),
        world_xyz_m: if hit { at(range) } else { [f64::NAN; 3] },
        true_xyz_m: if hit { at(true_range) } else { [f64::NAN; 3] },
        object: if hit { 1 + (noise(pulse / 20) * 3000.0) as u32 } else { 0 },
        material: if hit { 1 + (noise(pulse / 20) * 4.0) as u16 } else { 0 },
        label: if hit { 70 } else { 0 },
        volume: 0,
        incidence_deg: keep(90.0 * noise(11 * pulse)),
        sub_ray_hits: if hit { 1 + (noise(13 * pulse) * 9.0) as u16 } else { 0 },
        range_spread_m: keep(0.3 * noise(17 * pulse)),
        velocity_xyz_m_s: [keep(0.0); 3],
        colour_rgb: [pulse as u8, 120, 30],
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows: u64 = std::env::args().nth(1).map_or(Ok(2_000_000), |n| n.parse())?;
    let mut records = Records::default();
    (0..rows).for_each(|pulse| records.push(row(pulse)));
    let mut batches = Vec::new();
    for start in (0..records.len()).step_by(32_768) {
        let mut batch = Records::default();
        (start..records.len().min(start + 32_768))
            .filter_map(|i| records.get(i))
            .for_each(|row| batch.push(row));
        batches.push(batch);
    }
    let folder = tempfile::tempdir()?;
    println!("{rows} rows, of which {} returns", records.return_rows());
    let only: Option<OutputFormat> =
        std::env::args().nth(2).map(|name| name.parse()).transpose()?;
    // Packets need a sensor, of which this example has none.
    let wanted = |f: OutputFormat| f != OutputFormat::Pcap && only.is_none_or(|only| only == f);
    for format in OutputFormat::ALL.into_iter().filter(|&f| wanted(f)) {
        let path = folder.path().join(format!("speed.{format}"));
        let (start, cpu_start) = (Instant::now(), cpu_seconds());
        let mut sink = open_sink(&path, format, &SinkOptions::default())?;
        let last_scan = records.scan.last().copied().unwrap_or(0);
        for scan in 0..=last_scan {
            let world_from_sensor =
                [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
            sink.scan_pose(&ScanPose { sensor: 0, scan, time_s: 0.0, world_from_sensor })?;
        }
        for batch in &batches {
            sink.write(batch)?;
        }
        let report = sink.finish()?;
        let seconds = start.elapsed().as_secs_f64();
        let cpu_ns = (cpu_seconds() - cpu_start) * 1e9;
        let bytes = std::fs::metadata(&path).map_or(0, |m| if m.is_dir() { 0 } else { m.len() });
        println!(
            "{:>6}: {:6.2} million rows/s, {:5.0} ns of one core and {:5.1} bytes per row written",
            format.name(),
            rows as f64 / seconds / 1e6,
            cpu_ns / report.rows.max(1) as f64,
            bytes as f64 / report.rows.max(1) as f64
        );
    }
    Ok(())
}
