//! The strips of ground that flight lines cover, to find where they overlap.
//!
//! What enters: a run with flight lines. What leaves: a swath for each line, which says whether a
//! point would be seen from that line: abeam of it, within the angles across the track to which its
//! sensors look, and within their range. What stands in the way does not count: overlap is a matter
//! of the flight plan (LAS 1.4 R15, "Overlap").

use glam::DVec3;
use understory_base::Pose;
use understory_base::math;

use crate::pulse::scan_pattern::Pulses;
use crate::pulse::{PreparedRun, SensorRun};

/// Poses a second at which a line is known.
const POSES_HZ: f64 = 20.0;
/// Most poses of a line.
const POSES_MAX: usize = 4096;
/// Pulses of a scan by which the angles of a sensor are found.
const PULSES: u64 = 1024;

/// What one flight line covers.
#[derive(Debug)]
pub(super) struct Swath {
    /// The line, from 1.
    pub line: u16,
    /// Where the line begins.
    start_m: DVec3,
    /// Level unit vector from its begin to its end.
    forward: DVec3,
    /// The platform along the line, with the distance from the begin, which rises.
    poses: Vec<(f64, Pose)>,
    fields: Vec<FieldAcross>,
}

/// Where a sensor looks across the track.
#[derive(Clone, Copy, Debug)]
struct FieldAcross {
    /// Angles off the platform's vertical, to the right.
    angles_rad: [f64; 2],
    reach_m: f64,
}

/// The swaths of a run; none where it has fewer than two lines.
pub(super) fn swaths(run: &PreparedRun) -> Vec<Swath> {
    if run.lines.count() < 2 {
        return Vec::new();
    }
    let fields: Vec<FieldAcross> = run.sensors.iter().filter_map(field_across).collect();
    let lines = run.lines.within_s(run.duration_s).into_iter().enumerate();
    lines.filter_map(|(index, span_s)| Swath::new(run, index, span_s, &fields)).collect()
}

impl Swath {
    fn new(
        run: &PreparedRun,
        index: usize,
        [start_s, end_s]: [f64; 2],
        fields: &[FieldAcross],
    ) -> Option<Swath> {
        let line = u16::try_from(index + 1).ok()?;
        let start_m = run.trajectory.pose_at(start_s).translation;
        let way = run.trajectory.pose_at(end_s).translation - start_m;
        let forward = DVec3::new(way.x, way.y, 0.0).try_normalize()?;
        let count = (((end_s - start_s) * POSES_HZ) as usize).clamp(2, POSES_MAX);
        let mut poses: Vec<(f64, Pose)> = Vec::with_capacity(count + 1);
        for step in 0..=count {
            let time_s = start_s + (end_s - start_s) * step as f64 / count as f64;
            let pose = run.trajectory.pose_at(time_s);
            let along_m = (pose.translation - start_m).dot(forward);
            // Where a platform turns back it covers nothing new.
            if poses.last().is_none_or(|(before_m, _)| along_m > *before_m) {
                poses.push((along_m, pose));
            }
        }
        Some(Swath { line, start_m, forward, poses, fields: fields.to_vec() })
    }

    /// Whether the line's sensors look at a point when they pass it.
    pub(super) fn covers(&self, point_m: DVec3) -> bool {
        let along_m = (point_m - self.start_m).dot(self.forward);
        let next = self.poses.partition_point(|(at_m, _)| *at_m <= along_m);
        let Some([before, after]) = self.poses.get(next.wrapping_sub(1)..=next) else {
            return false;
        };
        let share = (along_m - before.0) / (after.0 - before.0);
        let platform_m = before.1.translation.lerp(after.1.translation, share);
        let rotation = before.1.rotation.slerp(after.1.rotation, share);
        let seen = rotation.inverse() * (point_m - platform_m);
        let angle_rad = math::atan2(-seen.y, -seen.z);
        self.fields.iter().any(|field| {
            (field.angles_rad[0]..=field.angles_rad[1]).contains(&angle_rad)
                && seen.length() <= field.reach_m
        })
    }
}

/// The angles of a sensor, by pulses spread over its first scan; `None` if it never looks down.
fn field_across(sensor: &SensorRun) -> Option<FieldAcross> {
    let scan = (sensor.pattern.pulse_rate_hz() * sensor.pattern.scan_duration_s()) as u64;
    let stride = (scan / PULSES).max(1);
    let mut pulses = Pulses::default();
    let mut angles_rad = [f64::INFINITY, f64::NEG_INFINITY];
    for number in (0..=scan).step_by(stride as usize) {
        pulses.clear();
        sensor.pattern.fill(number..number + 1, &mut pulses);
        let Some(&direction) = pulses.direction.first() else { continue };
        let direction = sensor.platform_from_sensor.rotation * direction;
        let angle_rad = math::atan2(-direction.y, -direction.z);
        angles_rad = [angles_rad[0].min(angle_rad), angles_rad[1].max(angle_rad)];
    }
    let reach_m = sensor.detector.spec().range_max_m;
    (angles_rad[0] <= angles_rad[1]).then_some(FieldAcross { angles_rad, reach_m })
}
