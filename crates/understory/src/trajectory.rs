//! Where the platform is: time → pose.

use glam::{DMat3, DQuat, DVec3};

/// A rigid motion: the pose of one frame in another (`world_from_platform`, `platform_from_sensor`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation part.
    pub rotation: DQuat,
    /// Translation part in metres.
    pub translation: DVec3,
}

impl Pose {
    /// The pose that changes nothing.
    pub const IDENTITY: Pose = Pose { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// From a position and roll, pitch and yaw in degrees (yaw about z, then pitch about y, then
    /// roll about x, each in the turned frame).
    pub fn from_position_and_rpy_deg(position_m: [f64; 3], rpy_deg: [f64; 3]) -> Pose {
        let [roll, pitch, yaw] = rpy_deg.map(f64::to_radians);
        let rotation = DQuat::from_rotation_z(yaw)
            * DQuat::from_rotation_y(pitch)
            * DQuat::from_rotation_x(roll);
        Pose { rotation, translation: DVec3::from(position_m) }
    }

    /// `self` after `inner`: `a_from_b.after(b_from_c)` is `a_from_c`.
    pub fn after(&self, inner: &Pose) -> Pose {
        Pose {
            rotation: self.rotation * inner.rotation,
            translation: self.translation + self.rotation * inner.translation,
        }
    }

    /// The rotation as a matrix, for turning many vectors.
    pub fn rotation_matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }
}

/// Pose of the platform over time.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Times in seconds, rising, each with the pose at that time; at least one.
    knots: Vec<(f64, Pose)>,
}

impl Trajectory {
    /// A platform that stands still.
    pub fn fixed(pose: Pose) -> Trajectory {
        Trajectory { knots: vec![(0.0, pose)] }
    }

    /// A platform that passes through `knots`; `None` if there is none or times do not rise.
    pub fn through(knots: Vec<(f64, Pose)>) -> Option<Trajectory> {
        let rising = knots.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (rising && !knots.is_empty()).then_some(Trajectory { knots })
    }

    /// Pose at `time_s`: linear in position, spherical in rotation between the knots, the end
    /// poses before and after them.
    pub fn pose_at(&self, time_s: f64) -> Pose {
        let next = self.knots.partition_point(|(time, _)| *time <= time_s);
        let before = self.knots[next.saturating_sub(1)];
        let Some(after) = self.knots.get(next).filter(|_| next > 0) else { return before.1 };
        let share = (time_s - before.0) / (after.0 - before.0);
        Pose {
            rotation: before.1.rotation.slerp(after.1.rotation, share),
            translation: before.1.translation.lerp(after.1.translation, share),
        }
    }

    /// Whether the pose never changes.
    pub fn is_fixed(&self) -> bool {
        self.knots.len() == 1
    }
}

/// Poses of a sensor in the world, one per pulse of a batch, as what turns and moves vectors.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// One for all pulses where the platform stands still.
    rotation_and_translation: Vec<(DMat3, DVec3)>,
}

impl Poses {
    /// Rotation and translation at pulse `pulse` of the batch.
    pub fn at(&self, pulse: usize) -> (DMat3, DVec3) {
        let last = self.rotation_and_translation.len().saturating_sub(1);
        self.rotation_and_translation
            .get(pulse.min(last))
            .copied()
            .unwrap_or((DMat3::IDENTITY, DVec3::ZERO))
    }
}

impl Trajectory {
    /// Fills `poses` with `world_from_sensor` at each of the times.
    pub fn poses_at(&self, times_s: &[f64], platform_from_sensor: &Pose, poses: &mut Poses) {
        let times_s = if self.is_fixed() { times_s.get(..1).unwrap_or(&[]) } else { times_s };
        poses.rotation_and_translation.clear();
        poses.rotation_and_translation.extend(times_s.iter().map(|&time_s| {
            let world_from_sensor = self.pose_at(time_s).after(platform_from_sensor);
            (world_from_sensor.rotation_matrix(), world_from_sensor.translation)
        }));
    }
}
