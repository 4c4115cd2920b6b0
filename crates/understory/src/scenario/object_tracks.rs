//! Ground truth of motion: a [`Scene`] and an interval → where objects are, how fast they move, and
//! the boxes around them, in files.
//!
//! What enters: a built scene, which objects are wanted and when. What leaves: [`TruthRow`]s, and
//! files of them as CSV, as text in BlenSor's form (Gschwandtner et al. 2011, §4.2)
//! or as KITTI tracklets. The box of an object is the one around all its parts at time 0, in the
//! object's own frame; it moves and turns with the object and keeps its size.

mod blensor;
mod csv_rows;
mod names;
mod tracklets;

use std::io::Write;
use std::path::{Path, PathBuf};

use glam::DVec3;
use understory_cloud::StagedFile;

use crate::Error;
use crate::scenario::Scenario;
use crate::world::motion::Motion;
use crate::world::scene::{Object, Scene};
use crate::world::trajectory::{Pose, Velocity};
pub use csv_rows::read_csv;
pub use names::matches;

/// Rows a second where neither the user nor the motion says when.
pub const RATE_HZ: f64 = 100.0;

/// Most rows of one file.
const ROWS_MAX: f64 = 5e7;

/// Which objects, when, and seen by whom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TruthOptions {
    /// Names of objects with `*` and `?`; none: all that move.
    pub objects: Vec<String>,
    /// From and up to which time; the whole run where nothing is said.
    pub interval_s: Option<(f64, f64)>,
    /// Rows a second. Where nothing is said, a CSV has the poses that the motion is made of, which
    /// replay it bit by bit, and text has [`RATE_HZ`].
    pub rate_hz: Option<f64>,
    /// The sensor whose scans are the frames of tracklets; the first where nothing is said.
    pub sensor: Option<String>,
}

/// An object, or a part of one, at a time.
#[derive(Clone, Copy, Debug)]
pub struct TruthRow<'a> {
    /// When.
    pub time_s: f64,
    /// What.
    pub object: &'a Object,
    /// 0 for the object; 1, 2 … for its parts that move on it, as wheels do.
    pub part: u32,
    /// `world_from_object`, or `object_from_part`.
    pub pose: Pose,
    /// In the world, or of a part in the object's frame.
    pub velocity: Velocity,
}

impl TruthRow<'_> {
    /// Middle of the box in the world and its size along the object's axes, if it has a box.
    pub fn oriented_box(&self) -> Option<(DVec3, DVec3)> {
        let (low, high) = self.object.bounds;
        let size = high - low;
        let centre = self.pose.translation + self.pose.rotation * ((low + high) * 0.5);
        (self.part == 0 && size.is_finite() && size.min_element() >= 0.0).then_some((centre, size))
    }
}

/// The kinds of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionFormat {
    /// Comma-separated values with all digits; can be replayed.
    Csv,
    /// BlenSor's text.
    Text,
    /// KITTI's `tracklet_labels.xml`.
    Tracklets,
}

impl MotionFormat {
    /// By the ending of a path: csv, txt or xml.
    pub fn of(path: &Path) -> Option<MotionFormat> {
        match path.extension()?.to_string_lossy().to_lowercase().as_str() {
            "csv" => Some(MotionFormat::Csv),
            "txt" => Some(MotionFormat::Text),
            "xml" => Some(MotionFormat::Tracklets),
            _ => None,
        }
    }
}

/// Writes the motion in a scene to `path`, whose ending names the form: whole or not at all.
pub fn write(
    path: &Path,
    scenario: &Scenario,
    scene: &Scene,
    options: &TruthOptions,
) -> Result<PathBuf, Error> {
    let format = MotionFormat::of(path).ok_or_else(|| {
        Error::invalid(
            path.display(),
            "its ending names no form of motion",
            "end it in .csv, .txt (BlenSor's form) or .xml (KITTI tracklets)",
        )
    })?;
    let objects = selected(scene, &options.objects)?;
    let interval_s = interval(options, scenario.duration_s)?;
    let text = match format {
        MotionFormat::Csv => csv_rows::text(&rows(scene, &objects, interval_s, options.rate_hz)?),
        MotionFormat::Text => {
            let rate_hz = Some(options.rate_hz.unwrap_or(RATE_HZ));
            blensor::text(&rows(scene, &objects, interval_s, rate_hz)?)
        }
        MotionFormat::Tracklets => {
            let path = scenario.path_in(scene)?;
            tracklets::text(scenario, &path, &objects, interval_s, options.sensor.as_deref())?
        }
    };
    let mut file = StagedFile::create(path)?;
    if let Err(error) = file.write_all(text.as_bytes()) {
        return Err(file.failed(error).into());
    }
    Ok(file.publish()?)
}

/// The interval within a run.
fn interval(options: &TruthOptions, duration_s: f64) -> Result<(f64, f64), Error> {
    let (from_s, to_s) = options.interval_s.unwrap_or((0.0, duration_s));
    if 0.0 <= from_s && from_s <= to_s && to_s <= duration_s {
        return Ok((from_s, to_s));
    }
    Err(Error::invalid(
        "interval",
        format!("{from_s}..{to_s} s is no part of the run"),
        format!("choose two rising times from 0 to {duration_s} s"),
    ))
}

/// Objects by patterns of their names; those that move, or have parts that do, where there is none.
pub fn selected<'a>(scene: &'a Scene, patterns: &[String]) -> Result<Vec<&'a Object>, Error> {
    if patterns.is_empty() {
        let moves = |object: &&Object| {
            object.motion.is_some() || scene.movers().iter().any(|mover| mover.object == object.id)
        };
        return Ok(scene.objects().iter().filter(moves).collect());
    }
    for pattern in patterns {
        if !scene.objects().iter().any(|object| matches(pattern, &object.name)) {
            let names: Vec<&str> = scene.objects().iter().map(|o| o.name.as_str()).collect();
            return Err(Error::invalid(
                "objects",
                format!("no object is called {pattern:?}"),
                understory_files::hint::word_remedy(pattern, &names[..names.len().min(100)]),
            ));
        }
    }
    let wanted = |object: &&Object| patterns.iter().any(|pattern| matches(pattern, &object.name));
    Ok(scene.objects().iter().filter(wanted).collect())
}

/// Rows of objects and their parts by time, then object, then part: `rate_hz` of them a second from
/// the start of the interval to its end, or where the motions have poses of their own.
pub fn rows<'a>(
    scene: &'a Scene,
    objects: &[&'a Object],
    interval_s: (f64, f64),
    rate_hz: Option<f64>,
) -> Result<Vec<TruthRow<'a>>, Error> {
    let mut tracks: Vec<(&Object, u32, Option<&Motion>)> = Vec::new();
    for object in objects {
        tracks.push((object, 0, object.motion.as_ref()));
        let parts = scene.movers().iter().filter(|mover| mover.object == object.id);
        let parts = parts.filter_map(|mover| mover.part.as_ref());
        tracks.extend(parts.zip(1..).map(|(motion, part)| (*object, part, Some(motion))));
    }
    if let Some(rate_hz) = rate_hz {
        let per_track = (interval_s.1 - interval_s.0) * rate_hz + 1.0;
        let valid = rate_hz > 0.0 && per_track * (tracks.len().max(1) as f64) <= ROWS_MAX;
        if !valid {
            return Err(Error::invalid(
                "rate",
                format!("{rate_hz} Hz makes {:.1e} rows", per_track * tracks.len() as f64),
                format!("choose a rate above 0 that makes at most {ROWS_MAX:e} rows"),
            ));
        }
    }
    let mut rows = Vec::new();
    for (object, part, motion) in tracks {
        let mut add = |time_s: f64, pose: Pose, velocity: Velocity| {
            rows.push(TruthRow { time_s, object, part, pose, velocity });
        };
        let knots = motion.and_then(Motion::knots);
        let own = knots.as_ref().filter(|_| rate_hz.is_none());
        let knots = knots.as_deref().unwrap_or(&[]);
        match (own, motion) {
            (Some(own), Some(motion)) => {
                let inside = |knot: &&(f64, Pose)| (interval_s.0..=interval_s.1).contains(&knot.0);
                for (time_s, pose) in own.iter().filter(inside) {
                    add(*time_s, *pose, velocity(motion, knots, *time_s));
                }
            }
            (None, Some(motion)) => {
                for time_s in times(interval_s, rate_hz.unwrap_or(RATE_HZ)) {
                    add(time_s, motion.pose_at(time_s), velocity(motion, knots, time_s));
                }
            }
            (_, None) => {
                let rate_hz = rate_hz.unwrap_or(0.0);
                let place = object.place.filter(|_| part == 0).unwrap_or(Pose::IDENTITY);
                times(interval_s, rate_hz).for_each(|t| add(t, place, Velocity::REST));
            }
        }
    }
    rows.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    Ok(rows)
}

/// Equally spaced times of an interval; the first alone where the rate is 0.
fn times((from_s, to_s): (f64, f64), rate_hz: f64) -> impl Iterator<Item = f64> {
    // A time that rounding puts a nanosecond beyond the end counts as the end.
    let last = ((to_s - from_s + 1e-9) * rate_hz).floor() as u64;
    (0..=last).map(move |k| if k == 0 { from_s } else { (from_s + k as f64 / rate_hz).min(to_s) })
}

/// Velocity at a time; at the end of a track that stops there, the one with which it arrived.
fn velocity(motion: &Motion, knots: &[(f64, Pose)], time_s: f64) -> Velocity {
    match knots {
        [.., before, last] if time_s == last.0 => motion.velocity_at(before.0),
        _ => motion.velocity_at(time_s),
    }
}

#[cfg(test)]
mod tests;
