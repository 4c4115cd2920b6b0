//! A pose, and how it changes.

use crate::math;
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

    /// x, y, z in metres, perhaps with roll, pitch, yaw in degrees behind them; `None` for any other
    /// number of numbers.
    pub fn from_numbers(numbers: &[f64]) -> Option<Pose> {
        let (position_m, rpy_deg) = match *numbers {
            [x, y, z] => ([x, y, z], [0.0; 3]),
            [x, y, z, roll, pitch, yaw] => ([x, y, z], [roll, pitch, yaw]),
            _ => return None,
        };
        Some(Pose::from_position_and_rpy_deg(position_m, rpy_deg))
    }

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

    /// Three rows of the rotation, each followed by its part of the translation.
    pub fn to_rows(&self) -> [[f64; 4]; 3] {
        let (r, t) = (self.rotation_matrix().transpose(), self.translation);
        let rows = [(r.x_axis, t.x), (r.y_axis, t.y), (r.z_axis, t.z)];
        rows.map(|(axis, shift)| [axis.x, axis.y, axis.z, shift])
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

    /// Constant from one knot (time in seconds, pose) to the next.
    pub fn between(before: &(f64, Pose), after: &(f64, Pose)) -> Velocity {
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

/// Rotations closer than this (cosine of half the angle) are joined by a straight line of unit
/// quaternions, which is off by less than 5·10⁻⁹ rad there.
const NEARLY_SAME: f64 = 1.0 - 1.25e-5;

/// The rotation at `share` of the way from one to another: about one axis at one rate.
///
/// glam's own takes the straight line up to 3.6°, which is off by 10⁻⁶ rad: 0.1 mm at 100 m.
pub fn slerp(from: DQuat, to: DQuat, share: f64) -> DQuat {
    let dot = from.dot(to);
    if dot.abs() > NEARLY_SAME {
        return from.slerp(to, share);
    }
    let to = if dot < 0.0 { -to } else { to };
    let half_angle = math::atan2((to - from).length(), (to + from).length()) * 2.0;
    let (a, b) = (math::sin((1.0 - share) * half_angle), math::sin(share * half_angle));
    (from * a + to * b) / math::sin(half_angle)
}
