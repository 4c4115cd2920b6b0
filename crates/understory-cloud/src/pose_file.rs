//! Where something was over time: a file of poses → [`TimedPoses`].
//!
//! | file | what it holds |
//! | --- | --- |
//! | text with 8 columns | `time x y z qx qy qz qw` (TUM) |
//! | text with 4 columns | `time x y z` |
//! | text with 12 columns | KITTI's 3×4 matrices, with `times.txt` beside them |
//! | text with a line of names | `time`, `x`, `y`, `z` and a quaternion or angles, in any order |
//! | `…_trajectory.txt` with 7 columns | HELIOS++ |
//! | `.mcap`, or a ROS 2 bag folder | odometry, stamped poses or transforms on one topic |
//! | a folder with `poses.txt` | a KITTI sequence |
//!
//! What leaves has rising, finite times and unit quaternions, or a sentence names the line or the
//! message that has not. `poses/text_file.rs` reads the texts.

mod mcap_bag;

use crate::CloudError;
use crate::error::damaged;
use crate::format::kitti::read::{calibration, times};
use crate::poses::{Poses, Rigid, TimedPoses, read_poses};
use glam::DQuat;
use std::path::{Path, PathBuf};

/// What a file of poses does not say itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoseFileOptions {
    /// One time per line for KITTI's matrices, instead of `times.txt` beside them.
    pub times: Option<PathBuf>,
    /// Topic of a ROS 2 bag; not needed where only one has poses.
    pub topic: Option<String>,
    /// Child frame among the transforms of a topic; not needed where there is only one.
    pub child_frame: Option<String>,
}

/// Reads a file or folder of poses over time.
///
/// ```
/// use understory_cloud::{PoseFileOptions, read_pose_file};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("drive.tum");
/// std::fs::write(&path, "0.0 1 2 3 0 0 0 1\n0.5 2 2 3 0 0 0 1\n")?;
/// let poses = read_pose_file(&path, &PoseFileOptions::default())?;
/// assert_eq!(poses.span_s(), [0.0, 0.5]);
/// assert_eq!(poses.positions_m[1].x, 2.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_pose_file(path: &Path, options: &PoseFileOptions) -> Result<TimedPoses, CloudError> {
    let metadata = std::fs::metadata(path).map_err(|e| CloudError::read(path, e))?;
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let kitti = path.join("poses.txt");
    match (metadata.is_dir(), extension.as_str()) {
        (true, _) if kitti.is_file() => read_text(&kitti, options),
        (true, _) => mcap_bag::read_folder(path, options),
        (false, "mcap") => mcap_bag::read_file(path, options),
        (false, _) => read_text(path, options),
    }
}

fn read_text(path: &Path, options: &PoseFileOptions) -> Result<TimedPoses, CloudError> {
    let bag_only = [("topic", &options.topic), ("child_frame", &options.child_frame)];
    if let Some((option, _)) = bag_only.into_iter().find(|(_, given)| given.is_some()) {
        return Err(CloudError::NeedlessPoseOption { path: path.to_path_buf(), option });
    }
    match read_poses(path, 1.0)? {
        Poses::OverTime(_) if options.times.is_some() => {
            Err(CloudError::NeedlessPoseOption { path: path.to_path_buf(), option: "times" })
        }
        Poses::OverTime(trajectory) => Ok(trajectory.into_poses()),
        Poses::PerScan(matrices) => with_times(path, &matrices, options),
    }
}

/// KITTI's matrices with the times of another file, as poses of the lidar where `calib.txt` leads
/// there.
fn with_times(
    path: &Path,
    matrices: &[Rigid],
    options: &PoseFileOptions,
) -> Result<TimedPoses, CloudError> {
    let times_path = options.times.clone().unwrap_or_else(|| path.with_file_name("times.txt"));
    let times = times(&times_path)?.ok_or_else(|| CloudError::NoPoseTimes {
        path: path.to_path_buf(),
        times: times_path.clone(),
    })?;
    if times.len() != matrices.len() {
        let what = format!(
            "it has {} times for the {} poses of {}",
            times.len(),
            matrices.len(),
            path.display()
        );
        return Err(damaged(&times_path, "KITTI", what));
    }
    let calib = path.with_file_name("calib.txt");
    let camera_from_lidar = calibration(&calib)?;
    let lidar_from_camera = camera_from_lidar.inverse();
    let mut files = vec![path.to_path_buf(), times_path.clone()];
    files.extend(calib.is_file().then_some(calib));
    let mut poses = TimedPoses { turns: true, files, ..TimedPoses::default() };
    for (index, (&time_s, matrix)) in times.iter().zip(matrices).enumerate() {
        let pose = lidar_from_camera.after(&matrix.after(&camera_from_lidar));
        let rotation = DQuat::from_mat3(&pose.rotation);
        poses
            .push(time_s, rotation, pose.translation)
            .map_err(|what| damaged(&times_path, "KITTI", format!("pose {}: {what}", index + 1)))?;
    }
    Ok(poses)
}

#[cfg(test)]
mod tests;
