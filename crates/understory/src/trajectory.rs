//! Where the platform is: time → pose.

use glam::{DAffine3, DMat3, DQuat, DVec3};

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

    /// As an affine map.
    pub fn to_affine(&self) -> DAffine3 {
        DAffine3::from_rotation_translation(self.rotation, self.translation)
    }

    /// The rotation as a matrix, for turning many vectors.
    pub fn rotation_matrix(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }
}

/// How a pose changes with time, in the outer frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Velocity {
    /// Of the origin of the inner frame.
    pub linear_m_s: DVec3,
    /// Axis of turning times its rate.
    pub angular_rad_s: DVec3,
}

impl Velocity {
    /// Nothing moves.
    pub const REST: Velocity = Velocity { linear_m_s: DVec3::ZERO, angular_rad_s: DVec3::ZERO };

    /// Constant from one knot to the next.
    fn between(before: &(f64, Pose), after: &(f64, Pose)) -> Velocity {
        let seconds = after.0 - before.0;
        let (from, mut to) = (before.1.rotation, after.1.rotation);
        if from.dot(to) < 0.0 {
            to = -to;
        }
        Velocity {
            linear_m_s: (after.1.translation - before.1.translation) / seconds,
            angular_rad_s: (to * from.inverse()).to_scaled_axis() / seconds,
        }
    }

    /// Velocity of a point that moves along, `arm` away from the origin of the inner frame.
    pub fn at_arm(&self, arm: DVec3) -> DVec3 {
        self.linear_m_s + self.angular_rad_s.cross(arm)
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

    /// The times at which poses were given, with these poses.
    pub fn knots(&self) -> &[(f64, Pose)] {
        &self.knots
    }

    /// First and last time of its knots.
    pub fn span_s(&self) -> (f64, f64) {
        let last = self.knots.len().saturating_sub(1);
        (self.knots[0].0, self.knots[last].0)
    }

    /// How fast the pose changes at `time_s`; at a knot, as behind it.
    pub fn velocity_at(&self, time_s: f64) -> Velocity {
        let next = self.knots.partition_point(|(time, _)| *time <= time_s);
        match self.knots.get(next.wrapping_sub(1)..=next) {
            Some([before, after]) => Velocity::between(before, after),
            _ => Velocity::REST,
        }
    }

    /// Largest speed in m/s and largest rate of turning in rad/s anywhere between two times.
    pub fn fastest(&self, from_s: f64, to_s: f64) -> (f64, f64) {
        let first = self.knots.partition_point(|(time, _)| *time <= from_s).saturating_sub(1);
        let end = self.knots.partition_point(|(time, _)| *time < to_s) + 1;
        let knots = self.knots.get(first..end.min(self.knots.len())).unwrap_or(&[]);
        let each = knots.windows(2).map(|pair| Velocity::between(&pair[0], &pair[1]));
        each.fold((0.0, 0.0), |(speed, turn): (f64, f64), v| {
            (speed.max(v.linear_m_s.length()), turn.max(v.angular_rad_s.length()))
        })
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
