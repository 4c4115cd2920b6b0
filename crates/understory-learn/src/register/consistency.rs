//! Whether the scans of a recording lie on each other, and which does not.
//!
//! What enters: the beams of a recording, scan by scan, each where its pose puts it. What leaves: how far the
//! points of each scan are from the planes of the others, and the scans that are farther than most, whose
//! pose is wrong as a rule. Scans are looked at [`TOGETHER`] at a time, so memory is bounded.

use understory_base::{Pose, Progress, Silent};

use super::refine::{RegisterSettings, median, register};
use super::scans::Scan;
use crate::LearnError;
use crate::input::RecordingBeams;
use crate::scan_motion::{ScanMotion, Twist};

/// Scans that are held against each other.
pub const TOGETHER: usize = 100;
/// Points of a scan that are held.
const POINTS: usize = 8000;
/// Points of a scan that are asked.
const ASKED: usize = 1000;
/// Scans nearer to their others than this are not off, whatever the others are.
const OFF_LEAST_M: f64 = 0.03;

/// How scans lie on each other.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Consistency {
    /// Scans that were looked at.
    pub scans: usize,
    /// Median over scans of the median distance of their points from planes of others; NaN: none meet.
    pub residual_m: f64,
    /// Scans that do not fit.
    pub off: Vec<OffScan>,
}

/// A scan that does not fit the others.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct OffScan {
    /// Its number, by the file or of the file.
    pub scan: u32,
    /// Its own residual; NaN: it meets no plane.
    pub residual_m: f64,
    /// Share of its points that lie near planes of others.
    pub overlap: f64,
}

/// Holds the scans of a recording against each other.
pub fn consistency(
    source: &RecordingBeams,
    progress: &dyn Progress,
) -> Result<Consistency, LearnError> {
    let mut found = Consistency { residual_m: f64::NAN, ..Consistency::default() };
    let (mut scans, mut residuals) = (Vec::<(u32, Scan)>::new(), Vec::new());
    let (mut seen, mut stride) = (0usize, 1usize);
    source.pass_scans(&mut |number, beams| {
        if scans.last().is_none_or(|(last, _)| *last != number) {
            if scans.len() == TOGETHER {
                found.judge(&mut scans, &mut residuals);
                progress.step("holding scans against each other", 0.5);
            }
            scans.push((number, empty()));
            (seen, stride) = (0, 1);
        }
        let Some((_, scan)) = scans.last_mut() else { return Ok(()) };
        if scan.points.is_empty() {
            scan.pose.translation = beams.origin.first().copied().unwrap_or_default();
        }
        for end in (0..beams.len()).filter_map(|beam| beams.end(beam)) {
            if seen.is_multiple_of(stride) {
                scan.points.push((end - scan.pose.translation).as_vec3().to_array());
            }
            seen += 1;
            // However long a scan is, so many points of it are held, one of so many.
            if scan.points.len() >= 2 * POINTS {
                scan.points = scan.points.iter().step_by(2).copied().collect();
                stride *= 2;
            }
        }
        Ok(())
    })?;
    // A last few are not enough to be told from each other.
    if scans.len() >= 3 {
        found.judge(&mut scans, &mut residuals);
    }
    found.residual_m = median(residuals);
    progress.step("holding scans against each other", 1.0);
    Ok(found)
}

fn empty() -> Scan {
    let motion = ScanMotion { twist: Twist::default(), middle_deg: 0.0, rises: true };
    Scan { name: String::new(), pose: Pose::IDENTITY, points: Vec::new(), motion }
}

impl Consistency {
    fn judge(&mut self, scans: &mut Vec<(u32, Scan)>, residuals: &mut Vec<f64>) {
        let (numbers, mut together): (Vec<u32>, Vec<Scan>) = scans.drain(..).unzip();
        let settings = RegisterSettings {
            sweeps: 0,
            points: ASKED,
            map_points: POINTS,
            deskew: false,
            ..RegisterSettings::default()
        };
        let Ok(report) = register(&mut together, &settings, &Silent) else { return };
        self.scans += numbers.len();
        residuals.extend(report.residual_of_scan_m.iter().filter(|r| r.is_finite()));
        for scan in report.unfit {
            let residual_m = report.residual_of_scan_m[scan];
            let overlap = report.overlap_of_scan[scan];
            if residual_m.is_nan() || residual_m > OFF_LEAST_M || overlap == 0.0 {
                self.off.push(OffScan { scan: numbers[scan], residual_m, overlap });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use understory_cloud::{Frame, ReadOptions};

    use super::*;
    use crate::input::{BeamOptions, Input};

    /// Where a ray from `(x, y)` in a room of 20 m by 14 m, with a floor 1.5 m below, ends.
    fn room(x: f64, y: f64, d: [f64; 3]) -> f64 {
        let way = |from: f64, d: f64, low: f64, high: f64| {
            if d > 0.0 { (high - from) / d } else { (low - from) / d }
        };
        let walls = way(x, d[0], -9.0, 11.0).min(way(y, d[1], -6.0, 8.0));
        walls.min(way(0.0, d[2], -1.5, 3.0))
    }

    /// Six scans of a room from along a line; the pose of one is 40 cm and 3° wrong.
    #[test]
    fn a_scan_with_a_wrong_pose_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut inputs = Vec::new();
        for scan in 0..6 {
            let at = 0.5 * f64::from(scan);
            let mut text = "x,y,z
"
            .to_owned();
            for column in 0..180 {
                for ring in 0..16 {
                    let azimuth = (2.0 * f64::from(column) + 0.3 * f64::from(scan)).to_radians();
                    let elevation = (2.0 * f64::from(ring) - 15.0).to_radians();
                    let flat = elevation.cos();
                    let d = [flat * azimuth.cos(), flat * azimuth.sin(), elevation.sin()];
                    let range = room(at, 0.0, d);
                    let [x, y, z] = d.map(|d| d * range);
                    writeln!(text, "{x:.4},{y:.4},{z:.4}").unwrap();
                }
            }
            let path = folder.path().join(format!("{scan}.csv"));
            std::fs::write(&path, text).unwrap();
            let (off, turn) = if scan == 3 { (0.4, 3f64.to_radians()) } else { (0.0, 0.0) };
            let (sin, cos) = turn.sin_cos();
            let pose = [[cos, -sin, 0.0, at], [sin, cos, 0.0, off], [0.0, 0.0, 1.0, 0.0]];
            let options = ReadOptions {
                pose: Some(pose),
                points_in: Some(Frame::Sensor),
                ..ReadOptions::default()
            };
            inputs.push(Input::new(path, options));
        }
        let right = |k: &usize| *k != 3;
        let only: Vec<Input> = (0..6).filter(right).map(|k| inputs[k].clone()).collect();
        let held = |inputs: Vec<Input>| {
            let source = RecordingBeams::open(inputs, BeamOptions::default()).unwrap();
            consistency(&source, &Silent).unwrap()
        };
        let found = held(inputs);
        let off: Vec<u32> = found.off.iter().map(|off| off.scan).collect();
        assert_eq!((found.scans, off), (6, vec![3]), "{found:?}");
        assert!(found.off[0].residual_m > 0.05 && found.residual_m < 0.02, "{found:?}");
        let found = held(only);
        assert!(found.off.is_empty() && found.scans == 5, "{found:?}");
    }
}
