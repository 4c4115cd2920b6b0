//! Paths on the ground: a trajectory whose heights are above the ground → the same in the world.
//!
//! What stands on the ground touches it at four points, those of its footprint in front, behind,
//! left and right. Its height is their mean, and it is tilted as they are. Between the given poses
//! the path is sampled in steps of a decimetre and runs smoothly through the samples.

use glam::{DMat3, DQuat, DVec2, DVec3};

use super::{Interpolation, Pose, Trajectory};

/// Length of a step along the path.
const STEP_M: f64 = 0.1;
/// Most steps of a path; a longer one has longer steps.
const STEPS_MAX: f64 = 200_000.0;
/// Below this size a footprint is a point, and nothing tilts.
const POINT_M: f64 = 1e-6;

/// How something stands on the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroundContact {
    /// Length along its x axis and width; 0: it stays upright.
    pub size_m: [f64; 2],
}

/// A path leads to where there is no ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoGround {
    /// When.
    pub time_s: f64,
    /// Where.
    pub at_m: [f64; 2],
}

impl GroundContact {
    /// Stays upright.
    pub const POINT: GroundContact = GroundContact { size_m: [0.0; 2] };

    /// The pose on the ground of one whose height is above the ground; `None` where there is none.
    pub fn stand(&self, pose: &Pose, ground: &dyn Fn(f64, f64) -> Option<f64>) -> Option<Pose> {
        let at = pose.translation;
        let forward = pose.rotation * DVec3::X;
        // What looks straight up or down has no direction on the ground.
        let along = DVec2::new(forward.x, forward.y).try_normalize().unwrap_or(DVec2::X);
        let across = along.perp();
        let height = |offset: DVec2| ground(at.x + offset.x, at.y + offset.y);
        let [length, width] = self.size_m;
        if length < POINT_M || width < POINT_M {
            let translation = DVec3::new(at.x, at.y, at.z + height(DVec2::ZERO)?);
            return Some(Pose { translation, ..*pose });
        }
        let (front, back) = (height(along * 0.5 * length)?, height(-along * 0.5 * length)?);
        let (left, right) = (height(across * 0.5 * width)?, height(-across * 0.5 * width)?);
        let ahead = along.extend((front - back) / length).normalize();
        let up = ahead.cross(across.extend((left - right) / width)).normalize();
        let tilted = DMat3::from_cols(ahead, up.cross(ahead), up);
        let level = DMat3::from_cols(along.extend(0.0), across.extend(0.0), DVec3::Z);
        let tilt = DQuat::from_mat3(&(tilted * level.transpose()));
        let foot = DVec3::new(at.x, at.y, 0.25 * (front + back + left + right));
        // Its height counts along its own vertical.
        Some(Pose { translation: foot + up * at.z, rotation: (tilt * pose.rotation).normalize() })
    }
}

impl Trajectory {
    /// The same path, moved by `world_from_path`, on the ground: heights are above it.
    pub fn on_ground(
        &self,
        contact: GroundContact,
        world_from_path: &Pose,
        ground: &dyn Fn(f64, f64) -> Option<f64>,
    ) -> Result<Trajectory, NoGround> {
        let stand = |time_s: f64| {
            let pose = world_from_path.after(&self.pose_at(time_s));
            let at_m = [pose.translation.x, pose.translation.y];
            let pose = contact.stand(&pose, ground).ok_or(NoGround { time_s, at_m })?;
            Ok((time_s, pose))
        };
        let lengths = self.lengths_m();
        let step_m = (lengths.iter().sum::<f64>() / STEPS_MAX).max(STEP_M);
        let mut knots = Vec::new();
        for (pair, length) in self.knots().windows(2).zip(&lengths) {
            let (from_s, to_s) = (pair[0].0, pair[1].0);
            let steps = (length / step_m).ceil().max(1.0);
            for step in 0..steps as u64 {
                knots.push(stand(from_s + (to_s - from_s) * (step as f64 / steps))?);
            }
        }
        let (_, last_s) = self.span_s();
        knots.push(stand(last_s)?);
        knots.dedup_by(|later, earlier| later.0 <= earlier.0);
        let still = knots.len() == 1;
        let path = Trajectory { knots, segments: Vec::new() };
        Ok(if still { path } else { path.interpolated(Interpolation::Spline) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a plane everything is known: heights along the slope, pitch and roll.
    #[test]
    fn a_path_on_a_slope_has_its_pitch_and_roll() {
        let slope = |x: f64, y: f64| Some(0.2 * x - 0.1 * y + 5.0);
        let yaw = 0.7f64;
        let pose = |x: f64, y: f64| Pose {
            rotation: DQuat::from_rotation_z(yaw),
            translation: DVec3::new(x, y, 0.5),
        };
        let (from, to) = (pose(0.0, 0.0), pose(30.0 * yaw.cos(), 30.0 * yaw.sin()));
        let path = Trajectory::through(vec![(0.0, from), (10.0, to)]).unwrap();
        let footprint = GroundContact { size_m: [2.0, 1.0] };
        let path = path.on_ground(footprint, &Pose::IDENTITY, &slope).unwrap();
        let normal = DVec3::new(-0.2, 0.1, 1.0).normalize();
        for time_s in [0.0, 3.3333, 7.77, 10.0] {
            let pose = path.pose_at(time_s);
            let up = pose.rotation * DVec3::Z;
            assert!((up - normal).length() < 1e-9, "{up} {normal}");
            let above = (pose.translation - DVec3::new(0.0, 0.0, 5.0)).dot(normal);
            assert!((above - 0.5).abs() < 1e-9, "{above}");
            let forward = pose.rotation * DVec3::X;
            assert!((forward.y.atan2(forward.x) - yaw).abs() < 1e-9);
            let speed = path.velocity_at(time_s.clamp(0.1, 9.9)).linear_m_s;
            // 3 m/s on the map, and up the slope.
            let rise = 0.2 * yaw.cos() - 0.1 * yaw.sin();
            assert!((speed.length() - 3.0 * (1.0 + rise * rise).sqrt()).abs() < 1e-6);
        }
        let upright =
            path.on_ground(GroundContact::POINT, &Pose::IDENTITY, &|_, _| Some(0.0)).unwrap();
        assert_eq!(upright.pose_at(5.0).rotation.to_array(), path.pose_at(5.0).rotation.to_array());
    }

    #[test]
    fn a_path_off_the_ground_says_where() {
        let edge = |x: f64, _: f64| (x <= 10.0).then_some(0.0);
        let at = |x: f64| Pose { translation: DVec3::new(x, 1.0, 0.0), ..Pose::IDENTITY };
        let path = Trajectory::through(vec![(0.0, at(0.0)), (20.0, at(20.0))]).unwrap();
        let off = path.on_ground(GroundContact::POINT, &Pose::IDENTITY, &edge).unwrap_err();
        assert!((off.time_s - 10.1).abs() < 1e-9 && off.at_m[1] == 1.0, "{off:?}");
    }
}
