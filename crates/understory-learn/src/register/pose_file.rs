//! Poses of scans that are files of their own: a text → where each file's sensor was, and back.
//!
//! Three kinds of lines are read. A file's name and the twelve numbers of a rotation and a translation,
//! row by row; the same with eight more numbers of the motion within the scan, as `understory register`
//! writes them: metres and radians of a revolution, the azimuth in degrees at which the pose holds,
//! and 1 or −1 for azimuths that rise or fall with time; or, as KITTI has them, twelve numbers alone,
//! line by line for the files in the order of their names.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use glam::DVec3;
use understory_cloud::{ReadOptions, write_whole};

use super::scans::Scan;
use crate::LearnError;
use crate::input::Input;
use crate::scan_motion::{ScanMotion, Twist};

/// A file's name if it stands there, its pose, and the motion within the scan if that is known.
type Line = (Option<String>, [[f64; 4]; 3], Option<ScanMotion>);

/// Poses as a file has them.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanPoses {
    path: PathBuf,
    poses: Vec<Line>,
}

impl ScanPoses {
    /// Reads them.
    pub fn read(path: &Path) -> Result<ScanPoses, LearnError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            let path = path.to_path_buf();
            understory_cloud::CloudError::Read { path, error }
        })?;
        let mut poses = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let Some(first) = words.first().filter(|word| !word.starts_with('#')) else { continue };
            let named = words.len() % 4 == 1;
            let values: Option<Vec<f64>> = words[usize::from(named)..]
                .iter()
                .map(|word| word.parse().ok().filter(|value: &f64| value.is_finite()))
                .collect();
            let pose = values.filter(|n| n.len() == 12 || (named && n.len() == 20));
            let Some(n) = pose else {
                return Err(LearnError::BadPoses {
                    path: path.to_path_buf(),
                    problem: format!(
                        "line {} is not a name and twelve numbers, nor twelve numbers alone",
                        number + 1
                    ),
                    remedy: "give a rotation and a translation, row by row",
                });
            };
            let row = |k: usize| [n[k], n[k + 1], n[k + 2], n[k + 3]];
            let motion = (n.len() == 20).then(|| ScanMotion {
                twist: Twist {
                    linear_m: DVec3::new(n[12], n[13], n[14]),
                    angular_rad: DVec3::new(n[15], n[16], n[17]),
                },
                middle_deg: n[18],
                rises: n[19] > 0.0,
            });
            poses.push((named.then(|| (*first).to_owned()), [row(0), row(4), row(8)], motion));
        }
        Ok(ScanPoses { path: path.to_path_buf(), poses })
    }

    /// Gives files their poses: by their names, or all of them in the order of their names.
    pub fn place(
        &self,
        mut paths: Vec<PathBuf>,
        options: &ReadOptions,
    ) -> Result<Vec<Input>, LearnError> {
        let bad = |problem: String, remedy| LearnError::BadPoses {
            path: self.path.clone(),
            problem,
            remedy,
        };
        let with = |path: &PathBuf, rows: &[[f64; 4]; 3], motion: &Option<ScanMotion>| Input {
            path: path.clone(),
            options: ReadOptions { pose: Some(*rows), ..options.clone() },
            motion: *motion,
        };
        if self.poses.iter().all(|(name, ..)| name.is_none()) {
            if self.poses.len() != paths.len() {
                return Err(bad(
                    format!("it has {} poses for {} recordings", self.poses.len(), paths.len()),
                    "give all files of the drive, or poses that begin with a file's name",
                ));
            }
            paths.sort();
            let each = paths.iter().zip(&self.poses);
            return Ok(each.map(|(path, (_, rows, motion))| with(path, rows, motion)).collect());
        }
        let place = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let found = self.poses.iter().find(|(named, ..)| named.as_deref() == Some(&*name));
            let Some((_, rows, motion)) = found else {
                return Err(bad(
                    format!("it has no line for {}", path.display()),
                    "add one that begins with the file's name",
                ));
            };
            Ok(with(path, rows, motion))
        };
        paths.iter().map(place).collect()
    }

    /// Writes the poses and motions of scans.
    pub fn write(path: &Path, scans: &[Scan]) -> Result<(), LearnError> {
        let mut text = String::from(
            "# file, world_from_sensor row by row (12), motion in a revolution: metres (3) and \
             radians (3), azimuth of the pose in degrees, 1 or -1: azimuths rise or fall\n",
        );
        for scan in scans {
            let _ = write!(text, "{}", scan.name);
            for number in scan.pose.to_rows().iter().flatten() {
                let _ = write!(text, " {number:.9}");
            }
            let ScanMotion { twist, middle_deg, rises } = &scan.motion;
            for number in twist.linear_m.to_array().iter().chain(&twist.angular_rad.to_array()) {
                let _ = write!(text, " {number:.9}");
            }
            let _ = writeln!(text, " {middle_deg:.4} {}", if *rises { 1 } else { -1 });
        }
        Ok(write_whole(path, text.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use understory_base::Pose;

    fn read(text: &str) -> Result<ScanPoses, LearnError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("poses.txt");
        std::fs::write(&path, text).unwrap();
        ScanPoses::read(&path)
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("poses.txt");
        let scan = Scan {
            name: "b.npy".to_owned(),
            pose: Pose {
                rotation: DQuat::from_rotation_z(0.3),
                translation: DVec3::new(512_345.25, -3.0, 2.0),
            },
            points: Vec::new(),
            motion: ScanMotion {
                twist: Twist { linear_m: DVec3::X * 0.7, angular_rad: DVec3::Z * -0.02 },
                middle_deg: 12.5,
                rises: false,
            },
        };
        ScanPoses::write(&path, std::slice::from_ref(&scan)).unwrap();
        let poses = ScanPoses::read(&path).unwrap();
        let paths = vec![PathBuf::from("drive/b.npy")];
        let inputs = poses.place(paths, &ReadOptions::default()).unwrap();
        let pose = inputs[0].pose().unwrap();
        assert!(pose.translation.distance(scan.pose.translation) < 1e-8);
        assert!(pose.rotation.angle_between(scan.pose.rotation) < 1e-7);
        assert_eq!(inputs[0].motion, Some(scan.motion));
        let other = poses.place(vec![PathBuf::from("c.npy")], &ReadOptions::default());
        assert!(other.unwrap_err().to_string().contains("no line for c.npy"));
    }

    #[test]
    fn poses_without_names_are_in_the_order_of_the_files() {
        let line = |x: f64| format!("1 0 0 {x} 0 1 0 0 0 0 1 0\n");
        let poses = read(&(line(1.0) + &line(2.0))).unwrap();
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let options = ReadOptions::default();
        let placed = poses.place(paths(&["2.pcd", "1.pcd"]), &options).unwrap();
        assert_eq!(placed[0].path, PathBuf::from("1.pcd"));
        assert_eq!(placed[1].pose().unwrap().translation.x, 2.0);
        let few = poses.place(paths(&["1.pcd"]), &options).unwrap_err();
        assert!(few.to_string().contains("2 poses for 1 recordings"), "{few}");
        for wrong in
            ["a 1 2 3", "a 1 0 0 0 0 1 0 0 0 0 1 x", "1 2 3", "a 1 0 0 nan 0 1 0 0 0 0 1 0"]
        {
            assert!(read(wrong).unwrap_err().to_string().contains("line 1"), "{wrong}");
        }
    }
}
