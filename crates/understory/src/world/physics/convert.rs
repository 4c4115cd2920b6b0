//! Between our vectors and the engine's, which has a `glam` of its own.

use glam::{DQuat, DVec3};
use rapier3d_f64::math;

use crate::world::trajectory::Pose;

pub fn to_vector(v: DVec3) -> math::Vector {
    math::Vector::new(v.x, v.y, v.z)
}

pub fn from_vector(v: math::Vector) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

pub fn to_engine(pose: &Pose) -> math::Pose {
    let q = pose.rotation;
    let rotation = math::Rotation::from_xyzw(q.x, q.y, q.z, q.w);
    math::Pose::from_parts(to_vector(pose.translation), rotation)
}

pub fn to_pose(pose: &math::Pose) -> Pose {
    let q = pose.rotation;
    Pose {
        rotation: DQuat::from_xyzw(q.x, q.y, q.z, q.w),
        translation: from_vector(pose.translation),
    }
}
