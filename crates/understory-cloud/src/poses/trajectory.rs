//! Where the sensor was: a rigid motion, and one that changes with time.
//!
//! What enters: a text file with one pose per line. What leaves: the pose at any time within its
//! span, linear in position and spherical in rotation between two lines.
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

use super::names::plain;
use crate::format::csv::read::{Separator, each_line, number};
use crate::format::table::damaged;
use crate::{CloudError, TimedPoses};
use glam::{DMat3, DQuat, DVec3};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A rotation and then a translation: `world_from_sensor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) rotation: DMat3,
    pub(crate) translation: DVec3,
}

impl Rigid {
    pub(crate) const IDENTITY: Rigid =
        Rigid { rotation: DMat3::IDENTITY, translation: DVec3::ZERO };

    /// `None` if the quaternion has no direction or a number is not finite.
    pub(crate) fn new(rotation: DQuat, translation: DVec3) -> Option<Rigid> {
        let length = rotation.length();
        let sound = length.is_finite() && length > 1e-6 && translation.is_finite();
        sound.then(|| Rigid { rotation: DMat3::from_quat(rotation.normalize()), translation })
    }

    /// From three rows of four numbers; `None` if they are no rotation (to a thousandth) and
    /// translation.
    pub(crate) fn from_rows(rows: &[[f64; 4]; 3]) -> Option<Rigid> {
        let row = |i: usize| DVec3::new(rows[i][0], rows[i][1], rows[i][2]);
        let rotation = DMat3::from_cols(row(0), row(1), row(2)).transpose();
        let translation = DVec3::new(rows[0][3], rows[1][3], rows[2][3]);
        let error = rotation * rotation.transpose() - DMat3::IDENTITY;
        let worst = error.to_cols_array().into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let sound = worst < 1e-3 && rotation.determinant() > 0.0 && translation.is_finite();
        sound.then_some(Rigid { rotation, translation })
    }

    pub(crate) fn to_rows(self) -> [[f64; 4]; 3] {
        let turned = self.rotation.transpose();
        let row = |axis: DVec3, t: f64| [axis.x, axis.y, axis.z, t];
        let t = self.translation;
        [row(turned.x_axis, t.x), row(turned.y_axis, t.y), row(turned.z_axis, t.z)]
    }

    /// `a_from_b.after(b_from_c)` is `a_from_c`.
    pub(crate) fn after(&self, inner: &Rigid) -> Rigid {
        Rigid {
            rotation: self.rotation * inner.rotation,
            translation: self.point(inner.translation),
        }
    }

    pub(crate) fn inverse(&self) -> Rigid {
        let rotation = self.rotation.transpose();
        Rigid { rotation, translation: -(rotation * self.translation) }
    }

    pub(crate) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }
}

/// Poses over time.
#[derive(Clone, Debug)]
pub(crate) struct Trajectory {
    pub(crate) path: PathBuf,
    poses: TimedPoses,
}

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
    let mut trajectory = Trajectory { path: path.to_path_buf(), poses: TimedPoses::default() };
    let is_helios = path.to_string_lossy().ends_with("_trajectory.txt");
    let mut values = Vec::new();
    let read = each_line(BufReader::new(file), |line, text| {
        let text = text.trim();
        let bare = text.trim_start_matches(['#', '/']).trim();
        if bare.is_empty() || (bare.len() < text.len() && layout.is_some()) {
            return Ok(());
        }
        if layout.is_none() {
            let separator = Separator::of(bare);
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
        trajectory.poses.turns = at(7).or(at(10)).is_some();
        let position = DVec3::new(get(1), get(2), get(3)) * metres_per_unit;
        let pushed = trajectory.poses.push(get(0), rotation, position);
        pushed.map_err(|what| fail(format!("line {line}: {what}")))?;
        Ok(())
    });
    read.map_err(|e| fail(e.to_string()))??;
    match (matrices.is_empty(), trajectory.poses.is_empty()) {
        (false, _) => Ok(Poses::PerScan(matrices)),
        (true, false) => Ok(Poses::OverTime(trajectory)),
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

    #[test]
    fn rows_and_inverse() {
        let (sin, cos) = 0.3f64.sin_cos();
        let rows = [[cos, -sin, 0.0, 1.0], [sin, cos, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]];
        let pose = Rigid::from_rows(&rows).unwrap();
        assert_eq!(pose.to_rows(), rows);
        let back = pose.inverse().after(&pose).point(DVec3::new(5.0, 6.0, 7.0));
        assert!((back - DVec3::new(5.0, 6.0, 7.0)).length() < 1e-12);
        assert!(Rigid::from_rows(&[[1.0, 0.0, 0.0, 0.0]; 3]).is_none());
    }
}
