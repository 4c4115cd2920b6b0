//! A part of the scene that moves: a mesh that follows its object and may move on it.

use glam::{DAffine3, DVec3};
use understory_geometry::{InstanceMotion, MeshId};

use super::{NOWHERE, SceneMesh, corners};
use crate::world::motion::Motion;

/// A mesh that moves: `world_from_mesh = body(t) · part(t) · part_from_mesh`.
#[derive(Clone, Debug)]
pub struct Mover {
    /// To which object it belongs, from 1.
    pub object: u32,
    /// `world_from_object`; none: the object's frame is the world's.
    pub body: Option<Motion>,
    /// `object_from_part`, as of a wheel or a leg; none: the part's frame is the object's.
    pub part: Option<Motion>,
    /// Where the mesh is on the part, and how large.
    pub part_from_mesh: DAffine3,
    /// What it looks like.
    pub shape: MoverShape,
}

/// What a part that moves looks like.
#[derive(Clone, Debug)]
pub enum MoverShape {
    /// Always the same.
    Rigid(SceneMesh),
    /// One mesh after another: `frames[k]` from `(k − ½) step_s` to `(k + ½) step_s` after
    /// `start_s`, then from the beginning again, or the last for ever.
    Frames {
        /// The meshes, at least one, with equal numbers of triangles and the same materials.
        frames: Vec<SceneMesh>,
        /// Time of the first.
        start_s: f64,
        /// Time from one to the next.
        step_s: f64,
        /// Whether they start again after the last.
        repeat: bool,
    },
}

impl Mover {
    /// Where its mesh is in the world.
    pub fn world_from_mesh(&self, time_s: f64) -> DAffine3 {
        affine(&self.body, time_s) * self.object_from_mesh(time_s)
    }

    /// Where its mesh is on the object.
    pub fn object_from_mesh(&self, time_s: f64) -> DAffine3 {
        affine(&self.part, time_s) * self.part_from_mesh
    }

    /// Velocity of the point of it that is at `world_m`; the changes from frame to frame are not
    /// in it.
    pub fn velocity_of(&self, world_m: DVec3, time_s: f64) -> DVec3 {
        let mut velocity = DVec3::ZERO;
        let mut in_object = world_m;
        let mut rotation = glam::DQuat::IDENTITY;
        if let Some(body) = &self.body {
            let pose = body.pose_at(time_s);
            velocity = body.velocity_at(time_s).at_arm(world_m - pose.translation);
            in_object = pose.rotation.inverse() * (world_m - pose.translation);
            rotation = pose.rotation;
        }
        if let Some(part) = &self.part {
            let arm = in_object - part.pose_at(time_s).translation;
            velocity += rotation * part.velocity_at(time_s).at_arm(arm);
        }
        velocity
    }

    fn shapes(&self) -> &[SceneMesh] {
        match &self.shape {
            MoverShape::Rigid(mesh) => std::slice::from_ref(mesh),
            MoverShape::Frames { frames, .. } => frames,
        }
    }

    /// Distance of its farthest corner from the origin of the part's frame.
    fn radius_on_part_m(&self) -> f64 {
        let all = self.shapes().iter().map(|mesh| mesh.bounds);
        let all = all.fold(NOWHERE, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        let radius = |corner| self.part_from_mesh.transform_point3(corner).length();
        corners(all).into_iter().map(radius).fold(0.0, f64::max)
    }

    /// What it looks like at a time.
    pub fn mesh_at(&self, time_s: f64) -> SceneMesh {
        match &self.shape {
            MoverShape::Rigid(mesh) => *mesh,
            MoverShape::Frames { frames, start_s, step_s, repeat } => {
                let frame = ((time_s - start_s) / step_s).round();
                let count = frames.len() as f64;
                let frame = match repeat {
                    true => frame.rem_euclid(count),
                    false => frame.clamp(0.0, count - 1.0),
                };
                frames[frame as usize]
            }
        }
    }
}

impl InstanceMotion for Mover {
    fn at(&self, time_s: f64) -> (MeshId, DAffine3) {
        (self.mesh_at(time_s).mesh, self.world_from_mesh(time_s))
    }

    /// Speed times half the span, for the body and for the part on it, and where a track starts
    /// again the jump.
    fn reach_m(&self, from_s: f64, to_s: f64) -> f64 {
        let half_s = 0.5 * (to_s - from_s);
        let moved = |motion: &Option<Motion>, arm_m: f64| {
            let Some(motion) = motion else { return 0.0 };
            let (speed_m_s, turn_rad_s) = motion.fastest(from_s, to_s);
            half_s * (speed_m_s + turn_rad_s * arm_m) + motion.jump_m(from_s, to_s, arm_m)
        };
        let arm_on_part_m = self.radius_on_part_m();
        let part_m = moved(&self.part, arm_on_part_m);
        let part_at = affine(&self.part, 0.5 * (from_s + to_s)).translation;
        let arm_on_body_m = part_at.length() + arm_on_part_m + part_m;
        // A little more than exact sums need.
        (part_m + moved(&self.body, arm_on_body_m)) * (1.0 + 1e-9)
    }

    fn meshes(&self) -> Vec<MeshId> {
        self.shapes().iter().map(|mesh| mesh.mesh).collect()
    }
}

fn affine(motion: &Option<Motion>, time_s: f64) -> DAffine3 {
    motion.as_ref().map_or(DAffine3::IDENTITY, |motion| motion.pose_at(time_s).to_affine())
}

#[cfg(test)]
mod tests;
