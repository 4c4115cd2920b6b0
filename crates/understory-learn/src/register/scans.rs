//! Recordings → scans that can be registered: one file is one scan.

use glam::DVec3;
use understory_base::Pose;
use understory_base::math;
use understory_cloud::{Recording, Records};

use crate::LearnError;
use crate::input::{Input, is_padding};
use crate::scan_motion::{ScanMotion, Twist, inverse};

/// Directions without a return over a larger angle are not scanned.
const BLIND_DEG: usize = 20;
/// Neighbouring beams in a file that are farther apart are no step of the sensor's turn.
const STEP_MAX_DEG: f64 = 15.0;
/// A turn by less says nothing of its sense.
const TURN_LEAST_DEG: f64 = 30.0;

/// One revolution of a sensor.
#[derive(Clone, Debug)]
pub struct Scan {
    /// Name of its file.
    pub name: String,
    /// From the sensor to the world at the middle of the scan.
    pub pose: Pose,
    /// Returns in the sensor's frame, as if it had stood still.
    pub points: Vec<[f32; 3]>,
    /// Motion within the scan: the twist is found by registration.
    pub motion: ScanMotion,
}

/// Reads the returns of one recording, whose pose must be given.
pub fn read_scan(input: &Input) -> Result<Scan, LearnError> {
    let name = input.path.file_name().unwrap_or(input.path.as_os_str());
    let pose = input.pose().unwrap_or(Pose::IDENTITY);
    let sensor_from_world = inverse(&pose);
    let mut recording = Recording::open(&input.path, &input.options)?;
    let columns = recording.known().column;
    let (mut points, mut batch) = (Vec::new(), Records::default());
    let mut turn = Turn::default();
    while recording.next_batch(&mut batch)? {
        for row in 0..batch.len() {
            if batch.is_miss(row) || (columns && is_padding(&batch, row)) {
                continue;
            }
            let world = DVec3::from(batch.world_xyz_m[row]);
            let own = sensor_from_world.rotation * world + sensor_from_world.translation;
            if own.is_finite() && own.length_squared() > 1e-6 {
                turn.see(math::atan2(own.y, own.x).to_degrees());
                points.push(own.as_vec3().to_array());
            }
        }
    }
    let motion = input.motion.unwrap_or_else(|| turn.motion());
    Ok(Scan { name: name.to_string_lossy().into_owned(), pose, points, motion })
}

/// How the azimuths of a scan follow each other.
#[derive(Default)]
struct Turn {
    first_deg: Option<f64>,
    last_deg: f64,
    /// Sum of the small steps: how far it turned, and which way.
    sum_deg: f64,
    seen: Vec<bool>,
}

impl Turn {
    fn see(&mut self, azimuth_deg: f64) {
        if self.first_deg.is_none() {
            self.first_deg = Some(azimuth_deg);
            self.last_deg = azimuth_deg;
            self.seen = vec![false; 360];
        }
        let step = (azimuth_deg - self.last_deg + 180.0).rem_euclid(360.0) - 180.0;
        if step.abs() < STEP_MAX_DEG {
            self.sum_deg += step;
        }
        self.last_deg = azimuth_deg;
        self.seen[(azimuth_deg.rem_euclid(360.0) as usize).min(359)] = true;
    }

    /// A sensor that sees all around begins where the file does; of one that sees a part of the
    /// horizon the pose is that of its middle.
    fn motion(&self) -> ScanMotion {
        let rises = self.sum_deg > TURN_LEAST_DEG;
        let twist = Twist::default();
        let Some(first_deg) = self.first_deg else {
            return ScanMotion { twist, middle_deg: 0.0, rises };
        };
        let empty = |start: usize| (0..360).take_while(|k| !self.seen[(start + k) % 360]).count();
        let longest = (0..360).map(|start| (empty(start), start)).max().unwrap_or((0, 0));
        let middle_deg = if longest.0 >= BLIND_DEG {
            (longest.1 as f64 + 0.5 * longest.0 as f64 + 180.0).rem_euclid(360.0)
        } else {
            (first_deg + 180.0).rem_euclid(360.0)
        };
        ScanMotion { twist, middle_deg, rises }
    }
}

/// Revolutions from each scan to the next, by the numbers in their names (times or counters): where
/// one was dropped there are two. One each where names are no rising numbers.
pub fn revolutions(names: &[String]) -> Vec<f64> {
    let number = |name: &String| -> Option<u64> {
        let stem = name.split('.').next().unwrap_or(name);
        let digits = stem.trim_start_matches(|c: char| !c.is_ascii_digit());
        let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    };
    let numbers: Option<Vec<u64>> = names.iter().map(number).collect();
    let steps: Option<Vec<f64>> = numbers.and_then(|numbers| {
        numbers
            .windows(2)
            .map(|pair| pair[1].checked_sub(pair[0]).filter(|step| *step > 0).map(|s| s as f64))
            .collect()
    });
    let Some(steps) = steps else { return vec![1.0; names.len().saturating_sub(1)] };
    let mut sorted = steps.clone();
    sorted.sort_by(f64::total_cmp);
    // Most scans follow each other; the median may not where every other was dropped.
    let Some(each) = sorted.get(sorted.len() / 4).copied() else { return Vec::new() };
    steps.iter().map(|step| (step / each).round().max(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_scans_are_counted() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let times = names(&[
            "1603960637314959526.npy",
            "1603960637514871120.npy",
            "1603960637614809990.npy",
            "1603960637714712524.npy",
            "1603960637814665699.npy",
        ]);
        assert_eq!(revolutions(&times), [2.0, 1.0, 1.0, 1.0]);
        assert_eq!(revolutions(&names(&["f_001.pcd", "f_002.pcd", "f_004.pcd"])), [1.0, 2.0]);
        assert_eq!(revolutions(&names(&["b.pcd", "a.pcd"])), [1.0]);
        assert_eq!(revolutions(&names(&["3.pcd", "1.pcd", "2.pcd"])), [1.0, 1.0]);
        assert!(revolutions(&[]).is_empty());
    }

    /// Clockwise from azimuth 0; a view of 46° to the front, column by column and line by line.
    #[test]
    fn turns_are_recognised() {
        let mut whole = Turn::default();
        (0..3600).for_each(|k| whole.see(f64::from(k) * -0.1 - 0.05));
        let motion = whole.motion();
        assert!(!motion.rises && (motion.middle_deg - 180.0).abs() < 0.2, "{motion:?}");
        let mut front = Turn::default();
        for _line in 0..20 {
            (0..240).for_each(|k| front.see(-23.0 + f64::from(k) * 46.0 / 239.0));
        }
        let motion = front.motion();
        let off = (motion.middle_deg + 180.0).rem_euclid(360.0) - 180.0;
        assert!(motion.rises && off.abs() < 1.1, "{motion:?}");
        assert!(!Turn::default().motion().rises);
    }
}
