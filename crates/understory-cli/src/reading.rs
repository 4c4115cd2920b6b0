//! Arguments of verbs that read recordings → what a recording does not say itself.

use std::path::{Path, PathBuf};

use anyhow::Result;
use understory::sensor::Sensor;
use understory::world::trajectory::Pose;
use understory_base::bounded_file;
use understory_cloud::{Frame, ReadOptions, ReadReport};

use crate::report::usage;

/// The help of an argument that takes recordings.
pub fn recording_help(what: &str) -> String {
    let extensions = understory_cloud::read_extensions().join(", .");
    format!("{what}: .{extensions}, a KITTI folder, a ROS 2 bag, or a folder of such files")
}

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
    /// The sensor that recorded, a preset or a file: what sends packets, how well it knows its points
    #[arg(long, value_name = "SENSOR")]
    pub sensor: Option<String>,
    /// Ouster's metadata of a capture [default: the .json of the same name beside it]
    #[arg(long, value_name = "JSON")]
    metadata: Option<PathBuf>,
    /// Topic of a bag with several
    #[arg(long, value_name = "TOPIC")]
    topic: Option<String>,
    /// Unix time in seconds that becomes time 0 of captures and bags
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = unix_ns, hide_default_value = true, allow_hyphen_values = true)]
    start: i64,
}

/// Decimal seconds as whole nanoseconds, without the rounding of a double.
fn unix_ns(text: &str) -> Result<i64, String> {
    let wrong = || format!("{text:?} is no number of seconds; 1735689600.25 is one");
    let (sign, digits) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > 9 || !all_digits(whole) || !all_digits(part) {
        return Err(wrong());
    }
    let whole: i64 = whole.parse().map_err(|_| wrong())?;
    let part: i64 = format!("{part:0<9}").parse().map_err(|_| wrong())?;
    let ns = whole.checked_mul(1_000_000_000).and_then(|ns| ns.checked_add(part));
    Ok(sign * ns.ok_or_else(wrong)?)
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FrameName {
    World,
    Sensor,
}

impl ReadingArguments {
    /// Whether poses over time come from outside.
    pub fn has_trajectory(&self) -> bool {
        self.trajectory.is_some()
    }

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
            sensor: self
                .sensor
                .as_deref()
                .map(sensor)
                .transpose()?
                .map(|sensor| sensor.to_description()),
            metadata: self.metadata.clone(),
            topic: self.topic.clone(),
            start_unix_ns: self.start,
            ..ReadOptions::default()
        })
    }
}

/// A sensor by the name of a preset or by the path of its file.
pub fn sensor(argument: &str) -> Result<Sensor> {
    let path = Path::new(argument);
    if !path.is_file() {
        return Ok(Sensor::preset(argument)?);
    }
    let text = bounded_file::read_text(path)
        .map_err(|source| understory::Error::Read { path: path.to_path_buf(), source })?;
    Ok(Sensor::from_toml(&text, argument)?)
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
    let pose = Pose::from_numbers(numbers).ok_or_else(|| {
        let count = numbers.len();
        usage(format!("--pose has {count} numbers; give x,y,z or x,y,z,roll,pitch,yaw"))
    })?;
    Ok(pose.to_rows())
}

/// Recordings with folders of plain files in place of the folders; folders that are one recording
/// (KITTI's, bags) stay, but for KITTI's scans where each has a pose of its own.
pub fn files_of(recordings: &[PathBuf], have_poses: bool) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in recordings {
        let scans = path.join("velodyne");
        let folder = match scans.is_dir() {
            true if have_poses => Some(scans),
            false if path.is_dir() && !is_bag(path) => Some(path.clone()),
            _ => None,
        };
        match folder {
            Some(folder) => files.extend(recordings_in(&folder)?),
            None => files.push(path.clone()),
        }
    }
    Ok(files)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |source| understory::Error::Read { path: folder.to_path_buf(), source };
    let entries: std::io::Result<Vec<PathBuf>> =
        std::fs::read_dir(folder).map_err(failed)?.map(|entry| Ok(entry?.path())).collect();
    let mut entries = entries.map_err(failed)?;
    entries.sort();
    Ok(entries)
}

fn is_bag(folder: &Path) -> bool {
    let known = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name == "metadata.yaml")
            || path.extension().is_some_and(|end| end == "mcap" || end == "db3")
    };
    entries(folder).is_ok_and(|entries| entries.iter().any(known))
}

fn recordings_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let readable = understory_cloud::read_extensions();
    let is_recording = |path: &PathBuf| {
        let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
        path.is_file() && end.is_some_and(|end| readable.iter().any(|known| *known == end))
    };
    let files: Vec<PathBuf> = entries(folder)?.into_iter().filter(is_recording).collect();
    if files.is_empty() {
        let known = readable.join(", .");
        return Err(usage(format!(
            "{} holds no recording; a folder may hold .{known} files, a KITTI drive or a bag",
            folder.display()
        )));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_nanoseconds_digit_by_digit() {
        assert_eq!(unix_ns("1735689600.123456789"), Ok(1_735_689_600_123_456_789));
        assert_eq!(unix_ns("-0.5"), Ok(-500_000_000));
        assert_eq!(unix_ns("12"), Ok(12_000_000_000));
        for wrong in ["", ".5", "1e9", "1.0000000001", "99999999999999999999", "1.-5"] {
            assert!(unix_ns(wrong).is_err(), "{wrong}");
        }
    }
}
