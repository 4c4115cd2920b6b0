//! Motion as CSV, in both directions: with all digits, so that what is read back moves by the same
//! bits.
//!
//! A row is an object at a time, `part` 0, in the world, or a part of it, from 1, in the object's
//! frame. Velocities are those of the origin of the frame; boxes have their middle in the world and
//! their size along the object's axes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};

use super::TruthRow;
use crate::Error;
use crate::world::physics::RecordedMotion;
use crate::world::trajectory::Pose;

/// The first line.
const HEADER: &str = "time_s,object,name,label,part,x_m,y_m,z_m,qw,qx,qy,qz,vx_m_s,vy_m_s,vz_m_s,\
                      wx_rad_s,wy_rad_s,wz_rad_s,box_x_m,box_y_m,box_z_m,length_m,width_m,height_m";

/// Columns that a replay needs.
const NEEDED: [&str; 10] = ["time_s", "name", "part", "x_m", "y_m", "z_m", "qw", "qx", "qy", "qz"];

/// Quaternions may be this far from length one.
const UNIT_SLACK: f64 = 1e-6;

/// Header and rows.
pub fn text(rows: &[TruthRow<'_>]) -> String {
    let mut text = String::with_capacity(256 * (rows.len() + 1));
    text.push_str(HEADER);
    text.push('\n');
    for row in rows {
        let (p, q, v) = (row.pose.translation, row.pose.rotation, row.velocity);
        let numbers = [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
        let speeds = v.linear_m_s.to_array().into_iter().chain(v.angular_rad_s.to_array());
        // The shortest digits that read back as the same number. Writing to a string cannot fail.
        let _ = write!(text, "{},{},", row.time_s, row.object.id);
        let _ = write!(text, "{},{},{}", quoted(&row.object.name), row.object.label, row.part);
        for number in numbers.into_iter().chain(speeds) {
            let _ = write!(text, ",{number}");
        }
        match row.oriented_box() {
            Some((centre, size)) => {
                for number in centre.to_array().into_iter().chain(size.to_array()) {
                    let _ = write!(text, ",{number}");
                }
            }
            None => text.push_str(",,,,,,"),
        }
        text.push('\n');
    }
    text
}

/// A name as a field, in quotes where it must be.
fn quoted(name: &str) -> String {
    match name.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
}

/// Reads the motions of all objects of a file back.
pub fn read_csv(path: &Path) -> Result<Vec<RecordedMotion>, Error> {
    let at = |line: u64| format!("{}:{line}", path.display());
    let bytes =
        std::fs::read(path).map_err(|source| Error::Read { path: PathBuf::from(path), source })?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes.as_slice());
    let refuse = |error: csv::Error| {
        let line = error.position().map_or(1, |p| p.line());
        Error::invalid(at(line), format!("the CSV cannot be read: {error}"), "correct the line")
    };
    let header = reader.headers().map_err(refuse)?.clone();
    let mut columns = [0; NEEDED.len()];
    for (column, name) in columns.iter_mut().zip(NEEDED) {
        *column = header.iter().position(|known| known == name).ok_or_else(|| {
            let remedy = "write the file by `understory motion SCENARIO -o FILE.csv`";
            Error::invalid(at(1), format!("column {name:?} is missing"), remedy)
        })?;
    }
    let mut motions: Vec<RecordedMotion> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(refuse)?;
        let line = record.position().map_or(0, |p| p.line());
        let field = |index: usize| record.get(columns[index]).unwrap_or_default();
        let mut numbers = [0.0; NEEDED.len()];
        for index in (0..NEEDED.len()).filter(|index| *index != 1) {
            let number = field(index).parse::<f64>().ok().filter(|x| x.is_finite());
            numbers[index] = number.ok_or_else(|| {
                let problem = format!("column {:?} holds {:?}", NEEDED[index], field(index));
                Error::invalid(at(line), problem, "give a finite number")
            })?;
        }
        let [time_s, _, part, x, y, z, qw, qx, qy, qz] = numbers;
        let rotation = DQuat::from_xyzw(qx, qy, qz, qw);
        if (rotation.length() - 1.0).abs() > UNIT_SLACK {
            let problem = format!("the quaternion has the length {}", rotation.length());
            return Err(Error::invalid(at(line), problem, "make it one of length 1"));
        }
        let pose = Pose { rotation, translation: DVec3::new(x, y, z) };
        let track = track(&mut motions, field(1), part).ok_or_else(|| {
            let problem = format!("part {part} comes before part {}", part - 1.0);
            Error::invalid(at(line), problem, "number the parts of an object from 1 without gaps")
        })?;
        if track.last().is_some_and(|(last_s, _)| *last_s >= time_s) {
            let problem = format!("the time {time_s} s of {:?} is not after the last", field(1));
            return Err(Error::invalid(at(line), problem, "sort the rows by time"));
        }
        track.push((time_s, pose));
    }
    Ok(motions)
}

/// The track of an object or of its part; none where parts before it are missing.
fn track<'a>(
    motions: &'a mut Vec<RecordedMotion>,
    name: &str,
    part: f64,
) -> Option<&'a mut Vec<(f64, Pose)>> {
    // Rows come by time, so an object's are near the end of few; a map would cost more.
    let index = motions.iter().position(|motion| motion.name == name).unwrap_or_else(|| {
        let (body, parts) = (Vec::new(), Vec::new());
        motions.push(RecordedMotion { name: name.to_owned(), body, parts });
        motions.len() - 1
    });
    let motion = motions.get_mut(index)?;
    if part == 0.0 {
        return Some(&mut motion.body);
    }
    if part < 1.0 || part.fract() != 0.0 || part > motion.parts.len() as f64 + 1.0 {
        return None;
    }
    let part = part as usize - 1;
    if part == motion.parts.len() {
        motion.parts.push(Vec::new());
    }
    motion.parts.get_mut(part)
}
