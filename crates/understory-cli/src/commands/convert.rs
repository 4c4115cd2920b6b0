//! `understory convert FROM TO`: a recording in another format.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory::trajectory::Pose;
use understory_cloud::{Frame, Misses, OutputFormat, ReadOptions, SinkOptions};

use super::run::shown;
use crate::picture::grouped;
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;

/// Convert a recording to another format
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory convert out/demo/demo.npy demo.laz
  understory convert flight.laz flight.npy --trajectory poses.txt
  understory convert scan.pcd scan.csv --pose 2,0,1.8,0,0,90 --points-in sensor
  understory convert sequences/00/ drive.npy
  understory convert rays.ply rays.pcd

Misses, returns, times and intensities are kept where the target can hold them; what it cannot is
said. A trajectory has lines of `time x y z qx qy qz qw`, or a line of names first.")]
pub struct Arguments {
    /// A recording: .las, .laz, .ply, .pcd, .csv, .npy, .xyz, .txt, .asc, .vtk, .bin, or a KITTI folder
    from: PathBuf,
    /// What to write: .las, .laz, .ply, .pcd, .csv, .npy, or a name that ends in / for KITTI
    to: PathBuf,
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
    /// Leave out pulses without a return
    #[arg(long)]
    no_misses: bool,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// A frame by its name.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum FrameName {
    World,
    Sensor,
}

impl From<FrameName> for Frame {
    fn from(name: FrameName) -> Frame {
        match name {
            FrameName::World => Frame::World,
            FrameName::Sensor => Frame::Sensor,
        }
    }
}

/// Converts one recording.
pub fn convert(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    let format =
        OutputFormat::from_path(&arguments.to).map_err(|error| usage(error.to_string()))?;
    let reading = ReadOptions {
        points_in: arguments.points_in.map(Frame::from),
        pose: arguments.pose.as_deref().map(pose).transpose()?,
        trajectory: arguments.trajectory.clone(),
        metres_per_unit: arguments.metres_per_unit,
        intensity_full: arguments.intensity_full,
        column_names: arguments.columns.clone(),
        need_origins: false,
        // A pulse without a return is worth keeping even if its direction is not known.
        undirected_misses: !arguments.no_misses,
    };
    let misses = if arguments.no_misses { Misses::Drop } else { Misses::Keep };
    let writing = SinkOptions { misses, ..SinkOptions::default() };
    let start = Instant::now();
    let done =
        understory_cloud::convert(&arguments.from, &reading, &arguments.to, format, &writing)?;
    let seconds = start.elapsed().as_secs_f64();
    let (read, written) = (&done.read, &done.written);
    let mut not_kept = done.not_kept.clone();
    if arguments.no_misses {
        not_kept.retain(|what| !what.ends_with("pulses without a return"));
    }
    let mut rows = vec![
        ("rows", grouped(read.rows)),
        ("returns", grouped(read.returns)),
        ("misses", grouped(read.misses)),
        ("written", grouped(written.rows)),
    ];
    for (name, count) in left_out(read).into_iter().filter(|(_, count)| *count > 0) {
        rows.push(("left out", format!("{} {name}", grouped(count))));
    }
    if read.clock_steps_back > 0 {
        let by = read.largest_step_back_s;
        let steps = grouped(read.clock_steps_back);
        rows.push(("clock", format!("goes back {steps} times, by up to {by:.6} s")));
    }
    rows.extend(read.remarks.iter().map(|remark| ("remark", remark.clone())));
    if !done.known.origin {
        rows.push(("remark", "where the beams came from is not known".to_owned()));
    }
    rows.extend(not_kept.iter().map(|what| ("not kept", what.clone())));
    rows.push(("took", format!("{seconds:.2} s")));
    rows.extend(written.paths.iter().map(|path| ("wrote", shown(path))));
    let left: serde_json::Map<_, _> = left_out(read)
        .into_iter()
        .map(|(name, count)| (name.replace(' ', "_"), json!(count)))
        .collect();
    let value = json!({
        "from": arguments.from,
        "to": arguments.to,
        "format": format.name(),
        "rows": read.rows,
        "returns": read.returns,
        "misses": read.misses,
        "rows_written": written.rows,
        "left_out": left,
        "clock_steps_back": read.clock_steps_back,
        "time_span_s": read.time_span_s,
        "origins_known": done.known.origin,
        "not_kept": not_kept,
        "remarks": read.remarks,
        "seconds": seconds,
    });
    print_or_json(&facts(&rows), arguments.json.as_deref(), &value)
}

/// Why rows were left out, and how many.
fn left_out(read: &understory_cloud::ReadReport) -> [(&'static str, u64); 5] {
    [
        ("not finite", read.not_finite),
        ("at the origin", read.at_origin),
        ("without direction", read.undirected),
        ("outside the trajectory", read.outside_trajectory),
        ("in duplicated scans", read.duplicated),
    ]
}

/// A pose from x, y, z and perhaps roll, pitch and yaw.
pub(super) fn pose(numbers: &[f64]) -> Result<[[f64; 4]; 3]> {
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
