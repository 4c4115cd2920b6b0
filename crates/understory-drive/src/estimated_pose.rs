//! Which pose the vehicle knows: the true one, what GPS, compass and IMU estimate, or what its wheels
//! count.
//!
//! What enters: the path driven so far. What leaves: its estimate, for the registration of scans and
//! for the controller. An instrument's errors depend on its samples alone, so the estimate of what
//! lies behind is the same after every period; only the sample at the very end is taken with the speed
//! that the vehicle has then.

use glam::{DQuat, DVec3};
use understory::pulse::PreparedRun;
use understory::rng::{PulseRng, Stage};
use understory::scenario::DrivePose;
use understory::world::trajectory::{EstimatedPath, Pose, Register, Trajectory};
use understory_base::math;

use crate::command::Command;
use crate::vehicle::{STEP_S, arc};

/// What wheels count, in a world of their own.
#[derive(Clone, Debug)]
pub struct Odometry {
    /// Factors of what they count: metres, and radians to each side.
    scale: [f64; 2],
    at_m: [f64; 2],
    heading_rad: f64,
    /// Time, error of the place and of the heading.
    errors: Vec<(f64, DVec3, f64)>,
}

impl Odometry {
    /// Wheels that begin at a known pose; σ of their metres and of their radians.
    pub fn new(at_m: [f64; 2], heading_rad: f64, sigma: [f64; 2], seed: u64) -> Odometry {
        let draws = PulseRng::new(seed, 0, 0, Stage::Odometry).gaussian_pair();
        let scale = [0, 1].map(|i| 1.0 + sigma[i] * draws[i]);
        Odometry { scale, at_m, heading_rad, errors: vec![(0.0, DVec3::ZERO, 0.0)] }
    }

    /// Counts one step, after which the vehicle truly is at a place and heading.
    pub fn count(&mut self, counted: Command, time_s: f64, at_m: [f64; 2], heading_rad: f64) {
        let (speed, turn) = (self.scale[0] * counted.speed_m_s, self.scale[1] * counted.turn_rad_s);
        self.at_m = arc(self.at_m, self.heading_rad, [speed, 0.0, turn], STEP_S);
        self.heading_rad += turn * STEP_S;
        let apart = DVec3::new(self.at_m[0] - at_m[0], self.at_m[1] - at_m[1], 0.0);
        self.errors.push((time_s, apart, self.heading_rad - heading_rad));
    }

    fn path(&self) -> EstimatedPath {
        EstimatedPath::from_errors(self.errors.iter().copied())
    }
}

/// What is estimated of `truth` up to `until_s`; none where the pose is known.
pub fn estimate(
    pose: DrivePose,
    run: &PreparedRun,
    truth: &Trajectory,
    odometry: &Odometry,
    until_s: f64,
) -> Option<EstimatedPath> {
    match pose {
        DrivePose::True => None,
        DrivePose::Odometry => Some(odometry.path()),
        DrivePose::Navigation => {
            let navigation = run.navigation.as_ref()?;
            Some(navigation.estimate(truth, until_s, run.seed))
        }
    }
}

/// How a run registers its scans.
pub fn register(pose: DrivePose) -> Register {
    if pose == DrivePose::True { Register::True } else { Register::Estimated }
}

/// Place and heading on the map of a pose.
pub fn on_map(pose: &Pose) -> ([f64; 2], f64) {
    let forward = pose.rotation * DVec3::X;
    ([pose.translation.x, pose.translation.y], math::atan2(forward.y, forward.x))
}

/// How far an estimate is off, so that it can be carried on for a while.
#[derive(Clone, Copy, Debug)]
pub struct Offset {
    translation: DVec3,
    yaw: f64,
}

impl Offset {
    /// Between a true pose and its estimate.
    pub fn between(truth: &Pose, estimated: &Pose) -> Offset {
        let yaw = on_map(estimated).1 - on_map(truth).1;
        Offset { translation: estimated.translation - truth.translation, yaw }
    }

    /// The estimate of a true pose that is off by as much.
    pub fn apply(&self, truth: &Pose) -> Pose {
        Pose {
            rotation: DQuat::from_rotation_z(self.yaw) * truth.rotation,
            translation: truth.translation + self.translation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wheels that do not slip and count rightly are right; those that slip are wrong by the slip.
    #[test]
    fn wheels_are_wrong_by_what_they_slip() {
        let mut right = Odometry::new([1.0, 2.0], 0.5, [0.0, 0.0], 7);
        let mut slips = right.clone();
        let (mut at, mut heading) = ([1.0, 2.0], 0.5);
        let (mut slow, slow_heading) = ([1.0, 2.0], 0.5f64);
        for step in 1..=500 {
            let time_s = step as f64 * STEP_S;
            at = arc(at, heading, [1.5, 0.0, 0.2], STEP_S);
            heading += 0.2 * STEP_S;
            right.count(Command::new(1.5, 0.2), time_s, at, heading);
            slow = arc(slow, slow_heading, [0.8, 0.0, 0.0], STEP_S);
            slips.count(Command::new(1.0, 0.0), time_s, slow, slow_heading);
        }
        let (_, apart, turned) = *right.errors.last().unwrap();
        assert!(apart.length() < 1e-9 && turned.abs() < 1e-9);
        let (_, apart, _) = *slips.errors.last().unwrap();
        // Five seconds, of which a fifth of each metre was counted and not driven.
        assert!((apart.length() - 1.0).abs() < 1e-9, "{apart}");
        let pose = Pose { rotation: DQuat::from_rotation_z(0.5), translation: DVec3::ZERO };
        let estimated = slips.path().pose_at(5.0, &pose);
        assert!((estimated.translation.length() - 1.0).abs() < 1e-9);
        let offset = Offset::between(&pose, &estimated);
        assert!((offset.apply(&pose).translation - estimated.translation).length() < 1e-12);
    }
}
