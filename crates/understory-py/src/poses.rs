//! Poses of scans and of the platform, as Python keeps them beside the rows of a cloud.

use std::collections::BTreeMap;

use understory_cloud::{
    CloudError, GpsFix, MemorySink, PlatformPose, RecordSink, Records, ScanPose,
};

/// Rotation and translation, row by row.
type Rows = [[f64; 4]; 3];

/// Sensor, scan, time and `world_from_sensor`.
pub type ScanTuple = (u16, u32, f64, Rows);

/// Time and position.
type FixTuple = (f64, [f64; 3]);

/// Time; registered, estimated and true pose; variances; whether it is a step; a fix of the GPS.
pub type PlatformTuple = (f64, Rows, Rows, Option<Rows>, [f64; 6], bool, Option<FixTuple>);

/// Poses of scans and of the platform.
pub type Poses = (Vec<ScanTuple>, Vec<PlatformTuple>);

/// Those of a scan.
pub fn scan_tuple(pose: &ScanPose) -> ScanTuple {
    (pose.sensor, pose.scan, pose.time_s, pose.world_from_sensor)
}

/// Those that a run has told.
pub fn told(memory: &MemorySink) -> Poses {
    let of_platform = |p: &PlatformPose| {
        (
            p.time_s,
            p.registered,
            p.estimated,
            p.truth,
            p.variance,
            p.is_step,
            p.gps_fix.map(|fix| (fix.time_s, fix.position_m)),
        )
    };
    let scans = memory.scan_poses().iter().map(scan_tuple).collect();
    (scans, memory.platform_poses().iter().map(of_platform).collect())
}

/// Writes rows, and before each scan its pose.
pub fn write_with_poses(
    sink: &mut dyn RecordSink,
    records: &Records,
    (scans, platform): &Poses,
) -> Result<(), CloudError> {
    for &(time_s, registered, estimated, truth, variance, is_step, fix) in platform {
        let gps_fix = fix.map(|(time_s, position_m)| GpsFix { time_s, position_m });
        let pose =
            PlatformPose { time_s, registered, estimated, truth, variance, is_step, gps_fix };
        sink.platform_pose(&pose)?;
    }
    let known: BTreeMap<(u16, u32), &ScanTuple> =
        scans.iter().map(|pose| ((pose.0, pose.1), pose)).collect();
    let mut told: BTreeMap<u16, u32> = BTreeMap::new();
    let mut start = 0;
    for row in 0..records.len() {
        let (sensor, scan) = (records.sensor[row], records.scan[row]);
        if told.get(&sensor).is_some_and(|last| *last >= scan) {
            continue;
        }
        told.insert(sensor, scan);
        if let Some(&&(sensor, scan, time_s, world_from_sensor)) = known.get(&(sensor, scan)) {
            if start < row {
                sink.write(&records.rows(start..row))?;
                start = row;
            }
            sink.scan_pose(&ScanPose { sensor, scan, time_s, world_from_sensor })?;
        }
    }
    sink.write(&records.rows(start..records.len()))
}
