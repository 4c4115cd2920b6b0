//! `[world.object.motion]`: how an object moves along keyframes.
//!
//! The keyframes stand in the frame in which the object is placed, so every copy makes the same
//! movement from its own place; without a place of its own that frame is the world.

use super::file::MotionFile;
use super::number;
use super::physics::pose_and_rest;
use crate::Error;
use crate::world::motion::{Motion, Repeat};
use crate::world::trajectory::{GroundContact, NoGround, Pose, Trajectory};
use glam::DAffine3;
use std::sync::Arc;
use understory_files::{LayeredToml, Spanned, ValueOr};
use understory_plants::HeightField;

/// A movement that copies of an object make.
#[derive(Clone, Debug)]
pub struct MotionSpec {
    track: Arc<Trajectory>,
    repeat: Repeat,
    stagger_s: f64,
}

impl MotionSpec {
    /// Checks the keyframes of an object.
    pub fn check(
        layers: &LayeredToml<'_>,
        file: &Spanned<MotionFile>,
    ) -> Result<MotionSpec, Error> {
        let motion = file.get_ref();
        let mut knots: Vec<(f64, Pose)> = Vec::new();
        for frame in motion.keyframes.get_ref() {
            let time_s = frame.time_s.get();
            if knots.last().is_some_and(|last| last.0 >= time_s) {
                return Err(layers.invalid(
                    &frame.time_s.span(),
                    format!("`time_s` is {time_s}, which is not after the keyframe before it"),
                    "sort the keyframes by time",
                ));
            }
            let (position, rotation) = (frame.position_m.as_ref(), frame.rotation_deg.as_ref());
            knots.push((time_s, number::pose(position, rotation)));
        }
        let track = Trajectory::through(knots).ok_or_else(|| -> Error {
            layers.invalid(&motion.keyframes.span(), "`keyframes` is empty", "give one or more")
        })?;
        let track = track.interpolated(motion.interpolation);
        let stagger_s = motion.stagger_s.value_or(0.0);
        Ok(MotionSpec { track: Arc::new(track), repeat: motion.repeat, stagger_s })
    }

    /// The motion of copy number `copy` that is placed at `world_from_copy`, and where its mesh is
    /// on the body that moves.
    ///
    /// On the ground, heights of the movement are above that.
    pub fn of_copy(
        &self,
        copy: usize,
        world_from_copy: &DAffine3,
        on_ground: Option<(&HeightField, GroundContact)>,
    ) -> Result<(Motion, DAffine3), NoGround> {
        let (place, object_from_mesh) = pose_and_rest(world_from_copy);
        let motion = match on_ground {
            None => Motion::new(Arc::clone(&self.track), self.repeat).placed(place),
            Some((ground, footprint)) => {
                let height = |x: f64, y: f64| ground.height_at(x, y);
                let track = self.track.on_ground(footprint, &place, &height)?;
                Motion::new(Arc::new(track), self.repeat)
            }
        };
        Ok((motion.delayed(self.stagger_s * copy as f64), object_from_mesh))
    }
}
