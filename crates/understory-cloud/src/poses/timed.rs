//! Poses by rising time, as columns.

use glam::{DQuat, DVec3};
use std::path::PathBuf;

/// How far the length of a quaternion may be from 1; within, it is made 1.
const QUATERNION_SLACK: f64 = 1e-2;

/// Poses by rising time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimedPoses {
    /// Seconds in the clock of the file.
    pub times_s: Vec<f64>,
    /// Rotations from the moving frame to the file's, of unit length.
    pub rotations: Vec<DQuat>,
    /// Positions in metres in the file's frame.
    pub positions_m: Vec<DVec3>,
    /// Whether the file says how things are turned; else all rotations are none.
    pub turns: bool,
    /// All files that were read for it.
    pub files: Vec<PathBuf>,
}

impl TimedPoses {
    /// Adds a pose; an error says why it cannot follow those before it.
    pub(crate) fn push(
        &mut self,
        time_s: f64,
        rotation: DQuat,
        position_m: DVec3,
    ) -> Result<(), String> {
        if !time_s.is_finite() {
            return Err(format!("its time is {time_s}"));
        }
        if let Some(&last) = self.times_s.last()
            && time_s <= last
        {
            let what =
                if time_s == last { "repeats the time before it" } else { "is out of order" };
            return Err(format!(
                "time {time_s} s does not come after {last} s: it {what}; sort the file by time and leave repeated times out"
            ));
        }
        if !position_m.is_finite() {
            return Err(format!("its position is {position_m}"));
        }
        let length = rotation.length();
        let is_unit = (length - 1.0).abs() <= QUATERNION_SLACK;
        if !is_unit {
            return Err(format!("its quaternion has length {length:.4} instead of 1"));
        }
        self.times_s.push(time_s);
        self.rotations.push(rotation.normalize());
        self.positions_m.push(position_m);
        Ok(())
    }

    /// First and last time; NaN where there is none.
    pub fn span_s(&self) -> [f64; 2] {
        let first = self.times_s.first().copied().unwrap_or(f64::NAN);
        [first, self.times_s.last().copied().unwrap_or(f64::NAN)]
    }

    /// Number of poses.
    pub fn len(&self) -> usize {
        self.times_s.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.times_s.is_empty()
    }
}
