//! Poses of a run as files: true and estimated.
//!
//! `NAME.tum` has the true poses (`time x y z qx qy qz qw`), and `NAME.estimated.tum` the estimated
//! ones where the platform has a navigation; `NAME.sbet` likewise, on Earth. `NAME.csv` has both and their difference; beside it
//! `NAME.gps.csv` and `NAME.compass.csv` have what these instruments said.

use std::io::Write;
use std::path::{Path, PathBuf};

use understory_cloud::{GeographicOrigin, StagedFile};

use crate::Error;
use crate::pulse::PreparedRun;
use crate::run::sbet;
use understory_base::Pose;

/// Extensions of files of poses.
pub const POSE_OUTPUTS: [&str; 3] = ["tum", "csv", SBET];

/// Extension of the format that needs to know where on Earth the world is.
pub const SBET: &str = "sbet";

/// Longest time to either side over which the motion in a trajectory on Earth is measured.
const HALF_STEP_S: f64 = 0.005;

/// Most poses of a file.
pub const POSES_MAX: f64 = 1e7;

/// Writes the poses of a whole run to `path` and to the files beside it that belong to it; returns
/// all that were written. Where the world lies on Earth is needed for `.sbet`.
pub fn write_poses(
    run: &PreparedRun,
    path: &Path,
    rate_hz: f64,
    origin: Option<&GeographicOrigin>,
) -> Result<Vec<PathBuf>, Error> {
    let last = (run.duration_s * rate_hz + 1e-9).clamp(0.0, POSES_MAX) as u64;
    let times = || (0..=last).map(|sample| sample as f64 / rate_hz);
    let estimated = run.registration.estimated.as_ref();
    let truth = |time_s: f64| run.trajectory.pose_at(time_s);
    let believe = |time_s: f64| {
        let truth = truth(time_s);
        estimated.map_or(truth, |estimated| estimated.pose_at(time_s, &truth))
    };
    let mut written = Vec::new();
    let is = |wanted: &str| path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case(wanted));
    if let Some(origin) = origin.filter(|_| is(SBET)) {
        let half_step_s = HALF_STEP_S.min(0.5 / rate_hz);
        let of = |time_s| sbet::record(origin, truth, time_s, half_step_s);
        written.push(write(path, times().map(of))?);
        if estimated.is_some() {
            let of = |time_s| sbet::record(origin, believe, time_s, half_step_s);
            written.push(write(&path.with_extension("estimated.sbet"), times().map(of))?);
        }
        return Ok(written);
    }
    if is("tum") {
        written.push(write(path, times().map(|time_s| tum(time_s, &truth(time_s))))?);
        if estimated.is_some() {
            let lines = times().map(|time_s| tum(time_s, &believe(time_s)));
            written.push(write(&path.with_extension("estimated.tum"), lines)?);
        }
        return Ok(written);
    }
    let header = "time_s,x_m,y_m,z_m,qx,qy,qz,qw,estimated_x_m,estimated_y_m,estimated_z_m,estimated_qx,estimated_qy,estimated_qz,estimated_qw,error_x_m,error_y_m,error_z_m,error_angle_deg\n";
    let row = |time_s: f64| both(time_s, &truth(time_s), &believe(time_s));
    written.push(write(path, once(header).chain(times().map(row)))?);
    if let Some(estimated) = estimated {
        let fix =
            |(time_s, at): &(f64, glam::DVec3)| format!("{time_s},{},{},{}\n", at.x, at.y, at.z);
        if !estimated.fixes.is_empty() {
            let lines = once("time_s,x_m,y_m,z_m\n").chain(estimated.fixes.iter().map(fix));
            written.push(write(&path.with_extension("gps.csv"), lines)?);
        }
        let heading = |(time_s, yaw_deg): &(f64, f64)| format!("{time_s},{yaw_deg}\n");
        if !estimated.headings_deg.is_empty() {
            let lines = once("time_s,yaw_deg\n").chain(estimated.headings_deg.iter().map(heading));
            written.push(write(&path.with_extension("compass.csv"), lines)?);
        }
    }
    Ok(written)
}

fn once(line: &str) -> impl Iterator<Item = String> {
    std::iter::once(line.to_owned())
}

fn tum(time_s: f64, pose: &Pose) -> String {
    let (p, q) = (pose.translation, pose.rotation);
    format!("{time_s} {} {} {} {} {} {} {}\n", p.x, p.y, p.z, q.x, q.y, q.z, q.w)
}

fn both(time_s: f64, truth: &Pose, estimated: &Pose) -> String {
    let mut line = format!("{time_s}");
    for pose in [truth, estimated] {
        let (p, q) = (pose.translation, pose.rotation);
        for value in [p.x, p.y, p.z, q.x, q.y, q.z, q.w] {
            line.push_str(&format!(",{value}"));
        }
    }
    let apart = estimated.translation - truth.translation;
    let turn = (estimated.rotation * truth.rotation.inverse()).to_scaled_axis().length();
    let turn_deg = turn.min(std::f64::consts::TAU - turn).to_degrees();
    line.push_str(&format!(",{},{},{},{turn_deg}\n", apart.x, apart.y, apart.z));
    line
}

fn write<T: AsRef<[u8]>>(path: &Path, rows: impl Iterator<Item = T>) -> Result<PathBuf, Error> {
    let mut file = StagedFile::create(path)?;
    for row in rows {
        if let Err(error) = file.write_all(row.as_ref()) {
            return Err(file.failed(error).into());
        }
    }
    Ok(file.publish()?)
}
