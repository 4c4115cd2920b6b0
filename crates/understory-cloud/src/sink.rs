//! Where records go: the one interface of all writers.
//!
//! What enters: batches of [`Records`] in firing order, and for each scan its pose. What leaves: a
//! [`SinkReport`] of the files that appeared. Batches may have any size: the same rows give the
//! same bytes however they are cut, and a writer's memory does not grow with their number.

use crate::{CloudError, ImuSamples, Records};
use std::path::PathBuf;

/// Takes records one batch after another.
///
/// The output appears at [`finish`](RecordSink::finish), under its own name and whole. A sink that
/// is dropped before leaves nothing on disk.
pub trait RecordSink: Send {
    /// Writes a batch. Batches come in firing order. After an error the sink is of no more use and
    /// should be dropped.
    fn write(&mut self, records: &Records) -> Result<(), CloudError>;

    /// Tells where the sensor was at the start of a scan; to be called once per scan, in rising
    /// order, before the first record of that scan is written. Only some formats need it.
    fn scan_pose(&mut self, _pose: &ScanPose) -> Result<(), CloudError> {
        Ok(())
    }

    /// Tells where the platform is, in rising order of time, some of them later than the records
    /// that are written next, so that each lies between two. Only some formats hold them.
    fn platform_pose(&mut self, _pose: &PlatformPose) -> Result<(), CloudError> {
        Ok(())
    }

    /// Takes samples of the inertial measurement unit in a sensor, in rising order. Only some formats
    /// hold them.
    fn imu(&mut self, _sensor: u16, _samples: &ImuSamples) -> Result<(), CloudError> {
        Ok(())
    }

    /// Which of the columns that take time to work out it reads; what none of all outputs reads is
    /// left as a miss has it.
    fn reads(&self) -> CostlyColumns {
        CostlyColumns::ALL
    }

    /// Completes the output and gives it its name.
    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError>;
}

/// Columns that take time to work out, and whether they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostlyColumns {
    /// `azimuth_deg` and `elevation_deg`.
    pub angles: bool,
    /// `incidence_deg`.
    pub incidence: bool,
}

impl CostlyColumns {
    /// All of them.
    pub const ALL: CostlyColumns = CostlyColumns { angles: true, incidence: true };
    /// None of them.
    pub const NONE: CostlyColumns = CostlyColumns { angles: false, incidence: false };

    /// What this or `other` reads.
    pub fn or(self, other: CostlyColumns) -> CostlyColumns {
        CostlyColumns {
            angles: self.angles || other.angles,
            incidence: self.incidence || other.incidence,
        }
    }
}

impl Default for CostlyColumns {
    fn default() -> CostlyColumns {
        CostlyColumns::ALL
    }
}

/// Where a sensor stood at the start of one scan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScanPose {
    /// Which sensor.
    pub sensor: u16,
    /// Which revolution or frame of it.
    pub scan: u32,
    /// Time of that pose in seconds since the start of the run.
    pub time_s: f64,
    /// Rotation and translation from the lidar's frame to the world, row by row.
    pub world_from_sensor: [[f64; 4]; 3],
}

/// Where the platform that carries the sensors was at a time: rotations and translations from its
/// frame to the world, row by row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlatformPose {
    /// Seconds since the start of the run.
    pub time_s: f64,
    /// With which points get into the world.
    pub registered: [[f64; 4]; 3],
    /// What the platform estimates.
    pub estimated: [[f64; 4]; 3],
    /// The true one, if it is known.
    pub truth: Option<[[f64; 4]; 3]>,
    /// Variances of the estimate: x, y and z in m², roll, pitch and yaw in rad².
    pub variance: [f64; 6],
    /// Whether the pose before it holds until then, instead of a steady motion between both.
    pub is_step: bool,
    /// The last fix of the satellite navigation after the pose before it.
    pub gps_fix: Option<GpsFix>,
}

/// What a receiver of satellites said: the position of the platform's frame, whose variances are
/// those of [`PlatformPose::variance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GpsFix {
    /// Seconds since the start of the run.
    pub time_s: f64,
    /// In the world.
    pub position_m: [f64; 3],
}

/// What a sink wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SinkReport {
    /// The files or folders that appeared.
    pub paths: Vec<PathBuf>,
    /// Rows that were written, over all outputs.
    pub rows: u64,
    /// Rows without a return that were left out, over all outputs.
    pub dropped_misses: u64,
    /// What else the records had and an output could not hold, each as some words.
    pub dropped_fields: Vec<String>,
}

impl SinkReport {
    /// How many pulses without a return were left out.
    pub(crate) fn dropped_misses_words(&self) -> String {
        format!("{} pulses without a return", self.dropped_misses)
    }
}

/// What becomes of pulses without a return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Misses {
    /// What readers of the format expect: LAS, LAZ, PLY and PCD leave them out, all others that can
    /// hold them keep them.
    #[default]
    Usual,
    /// They are rows with return number 0 and NaN coordinates, where the format can hold them.
    Keep,
    /// They are left out and counted.
    Drop,
}

/// Collects into `rows` the indices of the rows of a batch that are to be written, and returns how
/// many misses were left out.
pub(crate) fn select_rows(records: &Records, misses: Misses, rows: &mut Vec<usize>) -> u64 {
    rows.clear();
    match misses {
        Misses::Usual | Misses::Keep => rows.extend(0..records.len()),
        Misses::Drop => {
            let returns = records.return_number.iter().enumerate().filter(|&(_, &n)| n > 0);
            rows.extend(returns.map(|(row, _)| row));
        }
    }
    (records.len() - rows.len()) as u64
}
