//! What a recording does not say itself: given by whoever reads it.

use crate::poses::Rigid;
use crate::{CloudError, SensorDescription};
use std::path::PathBuf;

/// In which frame the positions of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The world's.
    World,
    /// The sensor's at the time of each pulse.
    Sensor,
}

/// What a file does not say itself; the default adds nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// In which frame positions are, if the format's own rule is wrong.
    pub points_in: Option<Frame>,
    /// Rotation and translation from the sensor to the world, row by row; with a trajectory, from
    /// the sensor to what the trajectory moves.
    pub pose: Option<[[f64; 4]; 3]>,
    /// A file of poses over time: `time x y z qx qy qz qw` per line, or a line of names first. For
    /// a KITTI folder it may also be a file as `poses.txt`.
    pub trajectory: Option<PathBuf>,
    /// What makes metres of every length in the recording.
    pub metres_per_unit: f64,
    /// Intensity in the file that stands for a white target facing the beam: 1 in Understory's own
    /// files, 255 in many others. LAS and LAZ have theirs by their own rule.
    pub intensity_full: f64,
    /// Names of the columns of text without a line of names, or of a plain NPY array.
    pub column_names: Option<Vec<String>>,
    /// Whether a recording without origins of beams is refused.
    pub need_origins: bool,
    /// Whether pulses without a return and without a known direction are rows too.
    pub undirected_misses: bool,
    /// The sensor of a capture of packets, where the packets do not say it or say it wrongly.
    pub sensor: Option<SensorDescription>,
    /// Ouster's metadata of a capture; without it, the `.json` of the same name beside it.
    pub metadata: Option<PathBuf>,
    /// Which topic of a bag is read, where it has several with points.
    pub topic: Option<String>,
    /// Unix time in nanoseconds that becomes time 0 of formats with absolute times. Times are
    /// doubles: in seconds since 1970 they have steps of a quarter of a microsecond.
    pub start_unix_ns: i64,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions {
            points_in: None,
            pose: None,
            trajectory: None,
            metres_per_unit: 1.0,
            intensity_full: 1.0,
            column_names: None,
            need_origins: false,
            undirected_misses: false,
            sensor: None,
            metadata: None,
            topic: None,
            start_unix_ns: 0,
        }
    }
}

impl ReadOptions {
    /// The pose that was given, or the identity.
    pub(crate) fn mount(&self) -> Result<Rigid, CloudError> {
        match &self.pose {
            Some(rows) => Rigid::from_rows(rows).ok_or(CloudError::BadPose),
            None => Ok(Rigid::IDENTITY),
        }
    }
}
