//! Arguments of verbs that read recordings → what a recording does not say itself.

use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::trajectory::Pose;
use understory_cloud::{Frame, ReadOptions, ReadReport};

use crate::report::usage;

/// What recordings do not say themselves.
#[derive(clap::Args)]
pub struct ReadingArguments {
    /// Where the sensor was over time, if the recording does not say
    #[arg(long, value_name = "FILE")]
    trajectory: Option<PathBuf>,
    /// Where the sensor stood: x,y,z in metres, or x,y,z,roll,pitch,yaw with angles in degrees;
    /// with a trajectory, where it sat on the platform
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', allow_hyphen_values = true)]
    pose: Option<Vec<f64>>,
    /// Frame of the points, if the format's own rule is wrong
    #[arg(long, value_name = "world|sensor")]
    points_in: Option<FrameName>,
    /// What makes metres of the lengths in the recording: 0.001 for millimetres
    #[arg(long, value_name = "METRES", default_value_t = 1.0)]
    metres_per_unit: f64,
    /// Intensity in the recording that stands for a white target: 255 for bytes
    #[arg(long, value_name = "INTENSITY", default_value_t = 1.0)]
    intensity_full: f64,
    /// Names of columns that have none, such as x,y,z,intensity,time_s; - for one to leave out
    #[arg(long, value_name = "NAMES", value_delimiter = ',', allow_hyphen_values = true)]
    columns: Option<Vec<String>>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FrameName {
    World,
    Sensor,
}

impl ReadingArguments {
    /// As the readers want it.
    pub fn options(&self) -> Result<ReadOptions> {
        Ok(ReadOptions {
            points_in: self.points_in.map(|frame| match frame {
                FrameName::World => Frame::World,
                FrameName::Sensor => Frame::Sensor,
            }),
            pose: self.pose.as_deref().map(pose).transpose()?,
            trajectory: self.trajectory.clone(),
            metres_per_unit: self.metres_per_unit,
            intensity_full: self.intensity_full,
            column_names: self.columns.clone(),
            ..ReadOptions::default()
        })
    }
}

/// Why rows were left out, and how many.
pub fn left_out(read: &ReadReport) -> [(&'static str, u64); 5] {
    [
        ("not finite", read.not_finite),
        ("at the origin", read.at_origin),
        ("without direction", read.undirected),
        ("outside the trajectory", read.outside_trajectory),
        ("in duplicated scans", read.duplicated),
    ]
}

/// A pose from x, y, z and perhaps roll, pitch and yaw.
fn pose(numbers: &[f64]) -> Result<[[f64; 4]; 3]> {
    let (position_m, rpy_deg) = match *numbers {
        [x, y, z] => ([x, y, z], [0.0; 3]),
        [x, y, z, roll, pitch, yaw] => ([x, y, z], [roll, pitch, yaw]),
        _ => {
            return Err(usage(format!(
                "--pose has {} numbers; give x,y,z or x,y,z,roll,pitch,yaw",
                numbers.len()
            )));
        }
    };
    let pose = Pose::from_position_and_rpy_deg(position_m, rpy_deg);
    let rotation = pose.rotation_matrix().transpose();
    let row = |axis: glam::DVec3, t: f64| [axis.x, axis.y, axis.z, t];
    let t = pose.translation;
    Ok([row(rotation.x_axis, t.x), row(rotation.y_axis, t.y), row(rotation.z_axis, t.z)])
}

/// Poses of recordings by their names: a line has a name and the twelve numbers of a rotation and
/// a translation, row by row.
pub fn named_poses(path: &Path) -> Result<Vec<(String, [[f64; 4]; 3])>> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
    let mut poses = Vec::new();
    for (line, words) in text.lines().enumerate() {
        let mut words = words.split_whitespace();
        let Some(name) = words.next().filter(|name| !name.starts_with('#')) else { continue };
        let numbers: Option<Vec<f64>> = words.map(|word| word.parse().ok()).collect();
        let rows = numbers.filter(|numbers| numbers.len() == 12).map(|n| {
            [[n[0], n[1], n[2], n[3]], [n[4], n[5], n[6], n[7]], [n[8], n[9], n[10], n[11]]]
        });
        let Some(rows) = rows else {
            return Err(usage(format!(
                "{}:{}: this is not a name and twelve numbers; give a rotation and a translation, row by row",
                path.display(),
                line + 1
            )));
        };
        poses.push((name.to_owned(), rows));
    }
    Ok(poses)
}
