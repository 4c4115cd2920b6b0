//! The pose at any time: linear in position and spherical in rotation between two known ones.

use super::rigid::Rigid;
use super::timed::TimedPoses;
use std::path::{Path, PathBuf};

/// Poses over time.
#[derive(Clone, Debug)]
pub(crate) struct Trajectory {
    pub(crate) path: PathBuf,
    poses: TimedPoses,
}

impl Trajectory {
    /// Poses that were found in `path`.
    pub(crate) fn new(path: &Path, poses: TimedPoses) -> Trajectory {
        Trajectory { path: path.to_path_buf(), poses }
    }

    /// The times of the poses.
    pub(crate) fn times_s(&self) -> &[f64] {
        &self.poses.times_s
    }

    /// Whether the file has rotations.
    pub(crate) fn turns(&self) -> bool {
        self.poses.turns
    }

    /// The poses themselves.
    pub(crate) fn into_poses(self) -> TimedPoses {
        TimedPoses { files: vec![self.path], ..self.poses }
    }

    /// First and last time.
    pub(crate) fn span_s(&self) -> [f64; 2] {
        self.poses.span_s()
    }

    /// The pose at `time_s`; `None` outside the span. `near` is where the last search ended.
    pub(crate) fn at(&self, time_s: f64, near: &mut usize) -> Option<Rigid> {
        let [first, last] = self.span_s();
        if !(time_s >= first && time_s <= last) {
            return None;
        }
        let TimedPoses { times_s, rotations, positions_m, .. } = &self.poses;
        // Times mostly rise: the next pose is in the same gap or the one behind it.
        let fits = |i: usize| {
            times_s.get(i).is_some_and(|&t| t <= time_s)
                && times_s.get(i + 1).is_none_or(|&t| time_s < t)
        };
        if !fits(*near) {
            *near += 1;
            if !fits(*near) {
                *near = times_s.partition_point(|&t| t <= time_s).saturating_sub(1);
            }
        }
        let before = *near;
        let (q0, p0) = (*rotations.get(before)?, *positions_m.get(before)?);
        let after = times_s.get(before + 1).zip(rotations.get(before + 1));
        let Some((&t1, &q1)) = after else { return Rigid::new(q0, p0) };
        let share = (time_s - times_s[before]) / (t1 - times_s[before]);
        let position = p0.lerp(positions_m[before + 1], share);
        Rigid::new(q0.slerp(q1, share), position)
    }
}
