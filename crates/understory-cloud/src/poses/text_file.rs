//! A text file with one pose per line → poses over time, or one for each scan.
//!
//! | columns without names | what they are |
//! | --- | --- |
//! | 8 | `time x y z qx qy qz qw` (TUM) |
//! | 4 | `time x y z`: positions only |
//! | 12 | a 3×4 matrix row by row, one per scan (KITTI) |
//! | 7, in a file named `…_trajectory.txt` | `x y z time roll pitch yaw` in degrees (HELIOS++) |
//!
//! With a line of names the columns `time x y z` and `qx qy qz qw` or `roll_deg pitch_deg yaw_deg`
//! may stand in any order. Seconds and metres, the rotation from the sensor to the world.

use super::rigid::Rigid;
use super::timed::TimedPoses;
use super::trajectory::Trajectory;
use crate::CloudError;
use crate::error::damaged;
use crate::text_lines::{Separator, each_line, number, plain};
use glam::{DQuat, DVec3};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The poses of a file: over time, or one per scan.
pub(crate) enum Poses {
    OverTime(Trajectory),
    PerScan(Vec<Rigid>),
}

/// What a column of a trajectory is.
const ROLES: [&str; 11] =
    ["time", "x", "y", "z", "qx", "qy", "qz", "qw", "roll_deg", "pitch_deg", "yaw_deg"];

/// Reads a file of poses; lengths are multiplied by `metres_per_unit`.
pub(crate) fn read_poses(path: &Path, metres_per_unit: f64) -> Result<Poses, CloudError> {
    let fail = |what: String| damaged(path, "trajectory", what);
    let file = File::open(path).map_err(|e| CloudError::read(path, e))?;
    let mut layout: Option<(Separator, usize, Vec<Option<usize>>)> = None;
    let mut matrices = Vec::new();
    let mut poses = TimedPoses::default();
    let is_helios = path.to_string_lossy().ends_with("_trajectory.txt");
    let mut values = Vec::new();
    let read = each_line(BufReader::new(file), |line, text| {
        let text = text.trim();
        let bare = text.trim_start_matches(['#', '/']).trim();
        if bare.is_empty() || (bare.len() < text.len() && layout.is_some()) {
            return Ok(());
        }
        if layout.is_none() {
            let separator = Separator::from_line(bare);
            let names: Vec<String> = separator.split(bare).map(plain).collect();
            let is_data = separator.split(bare).all(|value| number(value).is_some());
            if !is_data {
                let roles = ROLES.map(|role| names.iter().position(|n| role_of(n) == Some(role)));
                let of_quaternion = roles[4..8].iter().flatten().count();
                if !matches!(of_quaternion, 0 | 4) {
                    return Err(fail(format!(
                        "line {line} names {of_quaternion} of the four columns qx, qy, qz and qw"
                    )));
                }
                if roles[..4].iter().all(Option::is_some) {
                    layout = Some((separator, names.len(), roles.to_vec()));
                } else if bare.len() == text.len() {
                    return Err(fail(format!("line {line} names no columns time, x, y and z")));
                }
                return Ok(());
            }
            let order: &[usize] = match names.len() {
                8 => &[0, 1, 2, 3, 4, 5, 6, 7],
                4 => &[0, 1, 2, 3],
                7 if is_helios => &[1, 2, 3, 0, 8, 9, 10],
                12 => &[],
                other => {
                    return Err(fail(format!(
                        "line {line} has {other} columns; 8 are time x y z qx qy qz qw, 4 are time x y z, others need a line of names"
                    )));
                }
            };
            let roles = (0..ROLES.len()).map(|role| order.iter().position(|&r| r == role));
            layout = Some((separator, names.len(), roles.collect()));
        }
        let Some((separator, width, roles)) = &layout else { return Ok(()) };
        values.clear();
        for (column, value) in separator.split(text).enumerate() {
            let finite = number(value).filter(|v| v.is_finite());
            values.push(finite.ok_or_else(|| {
                let of_time = roles.first().copied().flatten() == Some(column);
                let what = if of_time { "as its time" } else { "that is no number" };
                fail(format!("line {line} has {:?} {what}", value.trim()))
            })?);
        }
        if values.len() != *width {
            return Err(fail(format!(
                "line {line} has {} values instead of {width}",
                values.len()
            )));
        }
        if roles.iter().all(Option::is_none) {
            let row = |i: usize| -> [f64; 4] {
                std::array::from_fn(|j| values.get(4 * i + j).copied().unwrap_or(f64::NAN))
            };
            let mut pose = Rigid::from_rows(&[row(0), row(1), row(2)])
                .ok_or_else(|| fail(format!("line {line} is no rotation and translation")))?;
            pose.translation *= metres_per_unit;
            matrices.push(pose);
            return Ok(());
        }
        let at =
            |role: usize| roles.get(role).copied().flatten().and_then(|c| values.get(c)).copied();
        let get = |role: usize| at(role).unwrap_or(0.0);
        let rotation = if at(7).is_some() {
            DQuat::from_xyzw(get(4), get(5), get(6), get(7))
        } else {
            let [roll, pitch, yaw] = [get(8), get(9), get(10)].map(f64::to_radians);
            DQuat::from_rotation_z(yaw)
                * DQuat::from_rotation_y(pitch)
                * DQuat::from_rotation_x(roll)
        };
        poses.turns = at(7).or(at(10)).is_some();
        let position = DVec3::new(get(1), get(2), get(3)) * metres_per_unit;
        let pushed = poses.push(get(0), rotation, position);
        pushed.map_err(|what| fail(format!("line {line}: {what}")))?;
        Ok(())
    });
    read.map_err(|e| fail(e.to_string()))??;
    match (matrices.is_empty(), poses.is_empty()) {
        (false, _) => Ok(Poses::PerScan(matrices)),
        (true, false) => Ok(Poses::OverTime(Trajectory::new(path, poses))),
        (true, true) => Err(fail("it has no pose".to_owned())),
    }
}

/// The role that a name in a trajectory asks for.
fn role_of(name: &str) -> Option<&'static str> {
    let role = match name {
        "time" | "time_s" | "t" | "timestamp" | "gps_time" | "gpstime" => "time",
        "x" | "x_m" | "tx" => "x",
        "y" | "y_m" | "ty" => "y",
        "z" | "z_m" | "tz" => "z",
        "roll" | "roll_deg" => "roll_deg",
        "pitch" | "pitch_deg" => "pitch_deg",
        "yaw" | "yaw_deg" => "yaw_deg",
        other => return ROLES.into_iter().find(|role| *role == other),
    };
    Some(role)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> Result<Trajectory, CloudError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        match read_poses(&path, 1.0)? {
            Poses::OverTime(trajectory) => Ok(trajectory),
            Poses::PerScan(_) => panic!(),
        }
    }

    /// A quarter turn about z while 2 m are driven: at half time 45° and 1 m.
    #[test]
    fn between_two_poses_rotation_is_spherical_and_position_linear() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let tum =
            format!("# time x y z qx qy qz qw\n10 0 0 0 0 0 0 1\n12 2 0 0 0 0 {half} {half}\n");
        let named = "yaw_deg,time,x,y,z\n0,10,0,0,0\n90,12,2,0,0\n";
        let helios = "0 0 0 10 0 0 0\n2 0 0 12 0 0 90\n";
        for (name, text) in
            [("a.tum", tum.as_str()), ("a.csv", named), ("leg000_trajectory.txt", helios)]
        {
            let trajectory = read(name, text).unwrap();
            let mut near = 0;
            let pose = trajectory.at(11.0, &mut near).unwrap();
            assert!((pose.translation - DVec3::new(1.0, 0.0, 0.0)).length() < 1e-12, "{name}");
            let turned = pose.rotation * DVec3::X;
            assert!((turned - DVec3::new(half, half, 0.0)).length() < 1e-12, "{name}");
            assert!(trajectory.at(9.999, &mut near).is_none());
            assert!(trajectory.at(12.001, &mut near).is_none());
            assert_eq!(trajectory.at(12.0, &mut near).unwrap().translation.x, 2.0);
        }
    }

    #[test]
    fn bad_trajectories_are_named_by_line() {
        let fails = |text: &str| read("a.txt", text).unwrap_err().to_string();
        assert!(fails("").contains("it has no pose"));
        assert!(fails("1 0 0 0\n1 0 0 0\n").contains("line 2: time 1 s does not come after 1 s"));
        assert!(fails("1 0 0 0\n2 0 0\n").contains("line 2 has 3 values instead of 4"));
        assert!(fails("1 0 0 0\n2 0 x 0\n").contains("line 2 has \"x\" that is no number"));
        assert!(fails("1 0 0 0 0 0 0 3\n").contains("quaternion has length 3"));
        assert!(fails("1 2 3 4 5\n").contains("has 5 columns"));
    }
}
