//! Records and sensors of which seeds are written.

use understory_cloud::{
    IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, OutputFormat, PacketFormat,
    Record, Records, ReportedReturns, ScanPose, SensorDescription, SinkOptions, Spin, open_sink,
};

/// Returns, double returns and misses.
pub fn records(pulses: u64) -> Records {
    let mut records = Records::default();
    for pulse in 0..pulses {
        let direction_xyz = [0.6, if pulse % 2 == 0 { 0.8 } else { -0.8 }, 0.0];
        let miss = Record {
            time_s: pulse as f64 * 1e-5,
            pulse,
            channel: (pulse % 16) as u16,
            scan: (pulse / 100) as u32,
            column: (pulse % 100) as u32,
            azimuth_deg: pulse as f32,
            elevation_deg: 0.0,
            origin_xyz_m: [5.0, 6.0, 7.0],
            direction_xyz,
            ..Record::miss()
        };
        let returns = [1, 0, 2, 1][(pulse % 4) as usize];
        if returns == 0 {
            records.push(miss);
        }
        for return_number in 1..=returns {
            let range_m = 10.0 + pulse as f32 * 0.01 + f32::from(return_number);
            let at = |i: usize| f64::from(range_m) * f64::from(direction_xyz[i]) + 5.0 + i as f64;
            records.push(Record {
                return_number,
                return_count: returns,
                range_m,
                intensity: 0.5,
                world_xyz_m: [at(0), at(1), at(2)],
                sensor_xyz_m: direction_xyz.map(|d| d * range_m),
                ..miss
            });
        }
    }
    records
}

/// An Ouster with 16 rows.
pub fn ouster() -> SensorDescription {
    let laser = |row: u32| LaserDescription {
        elevation_deg: 15.0 - 2.0 * f64::from(row),
        forward_m: 0.012,
        ..LaserDescription::default()
    };
    SensorDescription {
        name: "os1".to_owned(),
        packets: Some(PacketFormat::Ouster(OusterProduct {
            profile: OusterProfile::Rng19,
            product: "OS-1-16".to_owned(),
            serial: 1,
        })),
        lasers: (0..16).map(laser).collect(),
        spin: Some(Spin { rotation_hz: 10.0, clockwise: true, cycle_s: 0.1 / 512.0 }),
        scan_s: 0.1,
        columns_per_scan: 512,
        range_m: [0.5, 120.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.036]],
        platform_from_sensor: IDENTITY_ROWS,
    }
}

/// A file of this many pulses, and what was written beside it under another ending.
pub fn written(
    format: OutputFormat,
    name: &str,
    pulses: u64,
    options: &SinkOptions,
    beside: Option<&str>,
) -> Vec<u8> {
    let folder = crate::folder();
    let path = folder.path().join(name);
    let mut sink = open_sink(&path, format, options).unwrap();
    let records = records(pulses);
    for scan in 0..=records.scan.iter().copied().max().unwrap_or(0) {
        let world_from_sensor = [[1.0, 0.0, 0.0, 5.0], [0.0, 1.0, 0.0, 6.0], [0.0, 0.0, 1.0, 7.0]];
        sink.scan_pose(&ScanPose { sensor: 0, scan, time_s: 0.0, world_from_sensor }).unwrap();
    }
    sink.write(&records).unwrap();
    sink.finish().unwrap();
    let path = beside.map_or(path.clone(), |ending| path.with_extension(ending));
    std::fs::read(path).unwrap()
}
