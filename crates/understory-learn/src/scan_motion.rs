//! How a sensor moved while it made one scan, and where each beam of it left from.
//!
//! A spinning sensor takes a tenth of a second for a revolution; what carries it drives on meanwhile.
//! With the pose T of the moment at which the sensor looked in the direction of `middle_deg` and the
//! twist v, the motion over one revolution in the sensor's own frame, a beam that was sent at the
//! azimuth φ has the pose T·Exp(τ·v), where τ = ±(φ − φ_middle)/360°, between −½ and ½.

use glam::{DQuat, DVec3, Vec3};
use understory_base::Pose;
use understory_base::math;

/// A motion: the logarithm of a rigid transform.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Metres, along the sensor's axes.
    pub linear_m: DVec3,
    /// Radians, about the sensor's axes.
    pub angular_rad: DVec3,
}

/// Motion within a scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanMotion {
    /// Over one revolution.
    pub twist: Twist,
    /// Azimuth in the sensor's frame at which the pose of the scan holds.
    pub middle_deg: f64,
    /// Whether azimuths rise with time; most sensors turn clockwise seen from above, and theirs fall.
    pub rises: bool,
}

impl Twist {
    /// Exp(share·v) (Barfoot 2017, §7.1.3: rotation, and J·v).
    pub fn exp(&self, share: f64) -> Pose {
        let (v, w) = (self.linear_m * share, self.angular_rad * share);
        let angle = w.length();
        let rotation = DQuat::from_scaled_axis(w);
        // (1 − cos θ)/θ² and (θ − sin θ)/θ³, with their series where θ is small.
        let (a, b) = if angle < 1e-3 {
            (0.5 - angle * angle / 24.0, 1.0 / 6.0 - angle * angle / 120.0)
        } else {
            ((1.0 - math::cos(angle)) / angle.powi(2), (angle - math::sin(angle)) / angle.powi(3))
        };
        let across = w.cross(v);
        Pose { rotation, translation: v + across * a + w.cross(across) * b }
    }

    /// The motion of which `pose` is the exponential.
    pub fn log(pose: &Pose) -> Twist {
        let rotation = if pose.rotation.w < 0.0 { -pose.rotation } else { pose.rotation };
        let w = rotation.to_scaled_axis();
        let angle = w.length();
        let (v, across) = (pose.translation, w.cross(pose.translation));
        // 1/θ² − (1 + cos θ)/(2θ sin θ).
        let c = if angle < 1e-3 {
            1.0 / 12.0 + angle * angle / 720.0
        } else {
            1.0 / angle.powi(2) - (1.0 + math::cos(angle)) / (2.0 * angle * math::sin(angle))
        };
        Twist { linear_m: v - across * 0.5 + w.cross(across) * c, angular_rad: w }
    }

    /// So many times this motion.
    pub fn scaled(&self, by: f64) -> Twist {
        Twist { linear_m: self.linear_m * by, angular_rad: self.angular_rad * by }
    }
}

/// The transform back.
pub fn inverse(pose: &Pose) -> Pose {
    let rotation = pose.rotation.inverse();
    Pose { rotation, translation: -(rotation * pose.translation) }
}

impl ScanMotion {
    /// Part of a revolution from the scan's middle to a direction in the sensor's frame.
    pub fn phase(&self, direction: DVec3) -> f64 {
        let azimuth = math::atan2(direction.y, direction.x).to_degrees();
        let apart = (azimuth - self.middle_deg + 180.0).rem_euclid(360.0) - 180.0;
        apart / if self.rises { 360.0 } else { -360.0 }
    }

    /// Moves a beam that was placed by the scan's pose to where the sensor was when it fired.
    pub fn deskew(&self, pose: &Pose, origin: DVec3, direction: Vec3) -> (DVec3, Vec3) {
        let back = pose.rotation.inverse();
        let (from, along) = (back * (origin - pose.translation), back * direction.as_dvec3());
        let at = self.twist.exp(self.phase(along));
        let origin = pose.translation + pose.rotation * (at.translation + at.rotation * from);
        let direction = pose.rotation * (at.rotation * along);
        (origin, direction.normalize_or_zero().as_vec3())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against many small steps of the same motion.
    #[test]
    fn the_exponential_is_the_limit_of_small_steps() {
        let twist = Twist {
            linear_m: DVec3::new(0.8, -0.3, 0.1),
            angular_rad: DVec3::new(0.02, -0.3, 0.4),
        };
        let steps = 20_000;
        let small = Pose {
            rotation: DQuat::from_scaled_axis(twist.angular_rad / f64::from(steps)),
            translation: twist.linear_m / f64::from(steps),
        };
        let mut pose = Pose::IDENTITY;
        for _ in 0..steps {
            pose = pose.after(&small);
        }
        let exp = twist.exp(1.0);
        assert!(exp.translation.distance(pose.translation) < 2e-5, "{exp:?} {pose:?}");
        assert!(exp.rotation.angle_between(pose.rotation) < 1e-6);
    }

    #[test]
    fn the_logarithm_is_its_inverse() {
        for (v, w) in [
            (DVec3::new(0.8, -0.3, 0.1), DVec3::new(0.2, -0.3, 1.4)),
            (DVec3::new(0.5, 0.0, 0.0), DVec3::new(0.0, 1e-5, 0.0)),
            (DVec3::ZERO, DVec3::ZERO),
        ] {
            let twist = Twist { linear_m: v, angular_rad: w };
            let found = Twist::log(&twist.exp(1.0));
            assert!(found.linear_m.distance(v) < 1e-9 && found.angular_rad.distance(w) < 1e-9);
        }
    }

    /// A sensor that drives 1 m along x during a clockwise revolution that begins behind it.
    #[test]
    fn beams_leave_from_where_the_sensor_was() {
        let twist = Twist { linear_m: DVec3::X, angular_rad: DVec3::ZERO };
        let motion = ScanMotion { twist, middle_deg: 0.0, rises: false };
        let pose = Pose { translation: DVec3::new(10.0, 0.0, 2.0), ..Pose::IDENTITY };
        for (direction, x) in [
            (Vec3::X, 10.0),
            (Vec3::Y, 9.75),
            (Vec3::NEG_Y, 10.25),
            (Vec3::new(0.0, 0.0, 1.0), 10.0),
        ] {
            let (origin, along) = motion.deskew(&pose, pose.translation, direction);
            assert!((origin.x - x).abs() < 1e-9, "{direction}: {origin}");
            assert!(along.distance(direction) < 1e-6);
        }
        assert!((motion.phase(DVec3::new(-1.0, 1e-9, 0.0)) + 0.5).abs() < 1e-6);
    }
}
