//! Trajectories of interpolated platforms: columns of numbers → poses as TUM has them.

use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use glam::{DMat3, DQuat, DVec3};

use crate::HeliosError;
use crate::frames::helios_from_ours;
use crate::legs::Columns;

/// Most poses of a trajectory.
const POSES_MAX: usize = 10_000_000;
/// Longest line.
const LINE_MAX: u64 = 1 << 16;

/// Poses over time.
pub struct Trajectory {
    /// Time, position and, where there is one, rotation in Understory's frame.
    pub poses: Vec<(f64, DVec3, Option<DQuat>)>,
}

/// Reads a trajectory; `canonical` says in which order HELIOS++ turns.
pub fn read(path: &Path, columns: &Columns, canonical: bool) -> Result<Trajectory, HeliosError> {
    let file = File::open(path).map_err(|error| HeliosError::read(path, error))?;
    let mut reader = BufReader::new(file);
    let mut poses: Vec<(f64, DVec3, Option<DQuat>)> = Vec::new();
    let separator = columns.separator.unwrap_or(',');
    let usual = if columns.positions_only { [0, 1, 2, 3, 4, 5, 6] } else { [0, 4, 5, 6, 1, 2, 3] };
    let mut places = [0; 7];
    for (place, (said, usual)) in places.iter_mut().zip(columns.places.iter().zip(usual)) {
        *place = said.unwrap_or(usual);
    }
    let mut line = String::new();
    for number in 1.. {
        line.clear();
        let wrong = |problem: String, remedy: &str| {
            HeliosError::invalid(format!("{}:{number}", path.display()), problem, remedy)
        };
        let read = reader.by_ref().take(LINE_MAX).read_line(&mut line);
        if read.map_err(|error| HeliosError::read(path, error))? == 0 {
            break;
        }
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') || text.starts_with("//") {
            continue;
        }
        let cells: Vec<&str> = match separator {
            ' ' => text.split_whitespace().collect(),
            separator => text.split(separator).map(str::trim).collect(),
        };
        let cell = |place: usize| -> Result<f64, HeliosError> {
            match cells.get(place).and_then(|cell| cell.parse::<f64>().ok()) {
                Some(number) if number.is_finite() => Ok(number),
                _ => Err(wrong(
                    format!("column {place} is no number"),
                    "correct the file, or trajectory_separator and the column numbers",
                )),
            }
        };
        let [t, x, y, z, roll, pitch, yaw] = places;
        let position = DVec3::new(cell(x)?, cell(y)?, cell(z)?);
        let rotation = if columns.positions_only {
            None
        } else {
            let angle = |place| {
                let angle = cell(place)?;
                Ok::<f64, HeliosError>(if columns.degrees == Some(false) {
                    angle
                } else {
                    angle.to_radians()
                })
            };
            Some(attitude(angle(roll)?, angle(pitch)?, angle(yaw)?, canonical))
        };
        let time = cell(t)?;
        if poses.last().is_some_and(|last| last.0 >= time) {
            return Err(wrong(
                format!("the time {time} s does not rise"),
                "sort the trajectory by time",
            ));
        }
        if poses.len() == POSES_MAX {
            return Err(wrong("10 million poses are read at most".into(), "split the trajectory"));
        }
        poses.push((time, position, rotation));
    }
    if poses.len() < 2 {
        return Err(HeliosError::invalid(
            path.display().to_string(),
            "there are no two poses in it",
            "give a trajectory with a pose a line",
        ));
    }
    Ok(Trajectory { poses })
}

/// What roll, pitch and yaw mean: about x, y and z in this order of the last to the first, or as
/// ARINC 705 has them, yaw clockwise from north, roll about forward, pitch about right.
fn attitude(roll: f64, pitch: f64, yaw: f64, canonical: bool) -> DQuat {
    let helios = if canonical {
        DMat3::from_rotation_x(roll) * DMat3::from_rotation_y(pitch) * DMat3::from_rotation_z(yaw)
    } else {
        DMat3::from_rotation_z(-yaw) * DMat3::from_rotation_y(roll) * DMat3::from_rotation_x(pitch)
    };
    DQuat::from_mat3(&(helios * helios_from_ours())).normalize()
}

impl Trajectory {
    /// From when to when it lasts.
    pub fn span_s(&self) -> [f64; 2] {
        let times = [self.poses.first(), self.poses.last()];
        times.map(|pose| pose.map_or(0.0, |pose| pose.0))
    }

    /// The file as Understory reads it.
    pub fn to_tum(&self) -> String {
        let mut text = String::new();
        for (time, at, rotation) in &self.poses {
            // Writing to a string does not fail.
            let _ = write!(text, "{time:.9} {:.6} {:.6} {:.6}", at.x, at.y, at.z);
            if let Some(q) = rotation {
                let _ = write!(text, " {:.12} {:.12} {:.12} {:.12}", q.x, q.y, q.z, q.w);
            }
            text.push('\n');
        }
        text
    }
}
