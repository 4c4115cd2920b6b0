//! Poses of scans of which none is known: each scan is laid onto those before it.
//!
//! What enters: scans in the order in which they were made, with points in the sensor's frame. What leaves:
//! their poses in the frame of the first, good enough for [`register`](super::register) to refine. A scan
//! is expected where the motion of the one before would bring it, and moved onto the planes of the last
//! [`KEPT`] scans, with neighbours from up to 2 m away at first and 0.6 m at last. The motion within a scan
//! is that from the scan before; that within the first is that to the second, and is found with it.

use understory_base::{Pose, Progress};

use super::planes::{Points, RADIUS_M};
use super::refine::{Evenness, map, step};
use super::scans::{Scan, revolutions};
use crate::LearnError;
use crate::scan_motion::{Twist, inverse};

/// Scans onto which the next is laid.
const KEPT: usize = 12;
/// Points of each of them, and of the scan that is laid.
const MAP_POINTS: usize = 6000;
const POINTS: usize = 1500;
/// Rounds for a scan, and from how far away neighbours come in the first of them.
const ROUNDS: usize = 30;
const FAR_M: f64 = 2.0;
const FAR_ROUNDS: usize = 12;
/// A scan that a round moves by less lies still.
const STILL_M: f64 = 5e-4;
/// How far a scan may be from where it was expected: 10 m/s² for a tenth of a second.
const EVENNESS: Evenness = Evenness { linear_m: 0.1, angular_rad: 0.05 };
/// The second scan may be anywhere that a car gets.
const UNKNOWN: Evenness = Evenness { linear_m: 3.0, angular_rad: 0.2 };

/// Finds the poses of scans, in place; the first stays where it is.
pub fn odometry(scans: &mut [Scan], progress: &dyn Progress) -> Result<(), LearnError> {
    let names: Vec<String> = scans.iter().map(|scan| scan.name.clone()).collect();
    let revolutions = revolutions(&names);
    let mut motion = Twist::default();
    for k in 1..scans.len() {
        progress.step("following the sensor", k as f64 / scans.len() as f64);
        let (before, rest) = scans.split_at_mut(k);
        let Some(scan) = rest.first_mut() else { break };
        let last = before[k - 1].pose;
        let expected = last.after(&motion.exp(revolutions[k - 1]));
        scan.pose = expected;
        let from = k.saturating_sub(KEPT);
        let Some(mut points) = map(&before[from..], MAP_POINTS) else { continue };
        let evenness = if k == 1 { UNKNOWN } else { EVENNESS };
        for round in 0..ROUNDS {
            let radius_m = if round < FAR_ROUNDS { FAR_M } else { RADIUS_M };
            scan.motion.twist = twist(&last, &scan.pose, revolutions[k - 1]);
            if k == 1 && round > 0 {
                before[0].motion.twist = scan.motion.twist;
                points = map(before, MAP_POINTS).unwrap_or(points);
            }
            let moved = lay(scan, &points, &expected, radius_m, &evenness);
            if moved < STILL_M && round > FAR_ROUNDS {
                break;
            }
        }
        motion = twist(&last, &scan.pose, revolutions[k - 1]);
        scan.motion.twist = motion;
        if k == 1 {
            before[0].motion.twist = motion;
        }
    }
    progress.step("following the sensor", 1.0);
    Ok(())
}

/// Motion in a revolution from one pose to another.
fn twist(from: &Pose, to: &Pose, revolutions: f64) -> Twist {
    Twist::log(&inverse(from).after(to)).scaled(1.0 / revolutions.max(1.0))
}

/// Moves a scan by a step onto the planes of others; returns by how far.
fn lay(
    scan: &mut Scan,
    points: &Points,
    expected: &Pose,
    radius_m: f64,
    evenness: &Evenness,
) -> f64 {
    // No scan of the map has this number.
    let matches = scan.on_planes(points, u32::MAX, POINTS, radius_m);
    let off = Twist {
        linear_m: expected.translation - scan.pose.translation,
        angular_rad: (expected.rotation * scan.pose.rotation.inverse()).to_scaled_axis(),
    };
    let step = step(&matches, &off, 1.0, evenness);
    let turned = step.exp(1.0);
    scan.pose = Pose {
        rotation: (turned.rotation * scan.pose.rotation).normalize(),
        translation: scan.pose.translation + turned.translation,
    };
    step.linear_m.length()
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use understory_base::Silent;

    use super::super::refine::tests::room;
    use super::*;

    /// Eight scans at 6 m/s and 30°/s in a room, of whose poses nothing is said.
    #[test]
    fn poses_are_found_from_nothing() {
        let motion = Twist {
            linear_m: DVec3::new(0.6, 0.05, 0.0),
            angular_rad: DVec3::new(0.0, 0.0, 3f64.to_radians()),
        };
        let mut scans = room(8, motion, Pose::IDENTITY);
        let truth: Vec<Pose> = scans.iter().map(|scan| scan.pose).collect();
        scans.iter_mut().for_each(|scan| scan.pose = Pose::IDENTITY);
        odometry(&mut scans, &Silent).unwrap();
        for (scan, truth) in scans.iter().zip(&truth) {
            let off = scan.pose.translation.distance(truth.translation);
            let turned = scan.pose.rotation.angle_between(truth.rotation);
            assert!(off < 0.03 && turned < 0.005, "{}: {off} {turned}", scan.name);
        }
        assert!(odometry(&mut [], &Silent).is_ok());
    }
}
