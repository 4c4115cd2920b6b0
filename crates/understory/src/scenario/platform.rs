//! The platform of a scenario: its trajectory, what it knows of it, and when its sensors begin.
//!
//! What enters: the table `[platform]`, the key `delay_s` of sensors and the poses of `[output]`.
//! What leaves: a checked [`Platform`]. `docs/trajectories.md` explains the keys.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use understory_cloud::{PoseFileOptions, TimedPoses, read_pose_file};

use super::file::{BeyondEnd, Heading, OutputFile, PlatformFile, WaypointFile};
use super::navigation::check_navigation;
use super::number;
use super::output_names::OutputNames;
use crate::Error;
use crate::pulse::prepared_run::Delay;
use crate::run::pose_output::{POSE_OUTPUTS, POSES_MAX, SBET};
use crate::world::scene::Scene;
use crate::world::trajectory::{
    FlightLines, GroundContact, Interpolation, Navigation, Pose, Register, Trajectory,
};
use understory_files::{LayeredToml, NonEmpty, Number, Spanned, Step, ValueOr, Vector, mend};

/// Rounding that is forgiven where a run ends with its file of poses.
const END_SLACK_S: f64 = 1e-6;

/// `delay_s = 0.013` or `delay_s = "random"`.
pub(super) fn check_delay(
    layers: &LayeredToml<'_>,
    value: Option<&Spanned<toml::Value>>,
    duration_s: f64,
) -> Result<Delay, Error> {
    let Some(value) = value else { return Ok(Delay::Seconds(0.0)) };
    match value.get_ref() {
        toml::Value::String(word) if word == "random" => return Ok(Delay::Random),
        other => match number::number(other) {
            Some(delay_s) if (0.0..duration_s).contains(&delay_s) => {
                return Ok(Delay::Seconds(delay_s));
            }
            _ => {}
        },
    }
    Err(layers.invalid(
        &value.span(),
        format!("`delay_s` is {}", value.get_ref()),
        format!("give a number from 0 to below `duration_s` ({duration_s}), or \"random\""),
    ))
}

/// A platform that was found valid.
pub(super) struct Platform {
    pub trajectory: Trajectory,
    pub lines: FlightLines,
    pub on_ground: Option<PathOnGround>,
    pub register: Register,
    pub navigation: Option<Navigation>,
    /// Files that were read.
    pub files: Vec<PathBuf>,
}

impl Platform {
    pub(super) fn check(
        layers: &LayeredToml<'_>,
        file: &PlatformFile,
        duration_s: f64,
    ) -> Result<Platform, Error> {
        let mut files = Vec::new();
        let mut lines = FlightLines::default();
        let trajectory = match (&file.file, &file.waypoints) {
            (Some(named), Some(_)) => {
                let problem = "the platform has `waypoints` and a `file`";
                return Err(layers.invalid(&named.span(), problem, "keep one of them"));
            }
            (Some(named), None) => from_file(layers, file, named, duration_s, &mut files)?,
            (None, Some(waypoints)) => {
                refuse_keys_of_files(layers, file)?;
                let (trajectory, turns_s) = from_waypoints(layers, file, waypoints)?;
                lines = FlightLines::between(&turns_s);
                trajectory
            }
            (None, None) => {
                refuse_keys_of_files(layers, file)?;
                let moves = [
                    ("interpolation", file.interpolation.as_ref().map(Spanned::span)),
                    ("heading", file.heading.as_ref().map(Spanned::span)),
                ];
                if let Some((key, Some(span))) = moves.into_iter().find(|(_, at)| at.is_some()) {
                    let problem = format!("the platform has `{key}` but stands still");
                    return Err(layers.invalid(&span, problem, "give `waypoints` or a `file`"));
                }
                let (position, rotation) = (file.position_m.as_ref(), file.rotation_deg.as_ref());
                Trajectory::fixed(number::pose(position, rotation))
            }
        };
        let on_ground = PathOnGround::check(layers, file)?;
        let navigation = match &file.navigation {
            Some(navigation) => Some(check_navigation(layers, navigation, duration_s)?),
            None => None,
        };
        if let Some(register) = file.register.as_ref().filter(|_| navigation.is_none()) {
            let problem = "there is `register`, but the platform has no navigation";
            let remedy = "add a table [platform.navigation], or leave `register` away";
            return Err(layers.invalid(&register.span(), problem, remedy));
        }
        if let Some(register) = &file.register {
            layers.hint_renamed_word(&register.span(), mend::ESTIMATED);
        }
        let register = file.register.as_ref().map_or(Register::default(), |r| *r.get_ref());
        Ok(Platform { trajectory, lines, on_ground, register, navigation, files })
    }
}

/// How a platform goes on the ground.
#[derive(Clone, Debug)]
pub struct PathOnGround {
    location: String,
    contact: GroundContact,
}

impl PathOnGround {
    fn check(layers: &LayeredToml<'_>, file: &PlatformFile) -> Result<Option<PathOnGround>, Error> {
        let size = file.footprint_m.as_ref();
        if let Some(size) = size.filter(|_| !file.on_ground) {
            let problem = "the platform has `footprint_m` but does not go on the ground";
            return Err(layers.invalid(&size.span(), problem, "add `on_ground = true`"));
        }
        let steps = [Step::Key("platform"), Step::Key("on_ground")];
        Ok(file.on_ground.then(|| PathOnGround {
            location: layers.location(&layers.span_at(&steps).unwrap_or(0..0)),
            contact: GroundContact { size_m: size.map_or([1.0, 0.6], Vector::get) },
        }))
    }

    /// The path on the ground of a scene.
    pub fn path(&self, path: &Trajectory, scene: &Scene) -> Result<Trajectory, Error> {
        let ground = |x_m: f64, y_m: f64| Some(scene.ground_at(x_m, y_m)?.height_m);
        path.on_ground(self.contact, &Pose::IDENTITY, &ground).map_err(|off| {
            let ([x, y], time_s) = (off.at_m, off.time_s);
            Error::invalid(
                &self.location,
                format!(
                    "the platform is not on the ground at x = {x:.2}, y = {y:.2} m (after {time_s:.2} s)"
                ),
                "let its path end before, enlarge [world.terrain], or give an object there a label of ground",
            )
        })
    }
}

/// Keys that only a file of poses has a use for.
fn refuse_keys_of_files(layers: &LayeredToml<'_>, file: &PlatformFile) -> Result<(), Error> {
    let keys = [
        ("times", file.times.as_ref().map(Spanned::span)),
        ("topic", file.topic.as_ref().map(Spanned::span)),
        ("child_frame", file.child_frame.as_ref().map(Spanned::span)),
        ("start_at_s", file.start_at_s.as_ref().map(Number::span)),
        ("beyond_end", file.beyond_end.as_ref().map(Spanned::span)),
    ];
    match keys.into_iter().find_map(|(key, span)| Some((key, span?))) {
        None => Ok(()),
        Some((key, span)) => Err(layers.invalid(
            &span,
            format!("the platform has `{key}` but no `file`"),
            "name a file of poses, or leave the key away",
        )),
    }
}

/// A trajectory from a file of poses, whose frame stands in the world at the platform's own pose.
fn from_file(
    layers: &LayeredToml<'_>,
    file: &PlatformFile,
    named: &Spanned<PathBuf>,
    duration_s: f64,
    files: &mut Vec<PathBuf>,
) -> Result<Trajectory, Error> {
    let mut options = PoseFileOptions {
        topic: file.topic.as_ref().map(|topic| topic.get_ref().clone()),
        child_frame: file.child_frame.as_ref().map(|frame| frame.get_ref().clone()),
        times: None,
    };
    if let Some(times) = &file.times {
        options.times = Some(layers.file(&times.span(), times.get_ref())?);
    }
    let read = |path: &Path| -> Result<_, Error> {
        let poses = read_pose_file(path, &options)?;
        let files = poses.files.clone();
        Ok(((path.to_path_buf(), poses), files))
    };
    let (path, poses) = layers.files(&named.span(), named.get_ref(), read)?;
    files.clone_from(&poses.files);
    let [first_s, last_s] = poses.span_s();
    let start_s = file.start_at_s.value_or(first_s);
    let end_s = start_s + duration_s;
    let hold = file.beyond_end.as_ref().is_some_and(|beyond| *beyond.get_ref() == BeyondEnd::Hold);
    if !hold && (start_s < first_s - END_SLACK_S || end_s > last_s + END_SLACK_S) {
        let span = file.start_at_s.as_ref().map_or_else(|| named.span(), Number::span);
        return Err(layers.invalid(
            &span,
            format!(
                "the run lasts from {start_s} to {end_s} s in the clock of {}, whose poses last from {first_s} to {last_s} s",
                path.display()
            ),
            "change `duration_s` or `start_at_s`, or let the platform rest at the ends with `beyond_end = \"hold\"`",
        ));
    }
    let heading = file.heading.as_ref().map(|heading| *heading.get_ref());
    if !poses.turns && heading.is_none() {
        return Err(layers.invalid(
            &named.span(),
            format!("{} has positions without rotations", path.display()),
            "set `heading` to \"along-path\", or to \"none\" for a platform that never turns",
        ));
    }
    if poses.turns && heading == Some(Heading::AlongPath) {
        return Err(layers.invalid(
            &named.span(),
            format!("{} has rotations and the platform a `heading` of its own", path.display()),
            "leave `heading` away",
        ));
    }
    let (position, rotation) = (file.position_m.as_ref(), file.rotation_deg.as_ref());
    let world_from_file = number::pose(position, rotation);
    let along = heading == Some(Heading::AlongPath);
    let knots = knots_of(&poses, start_s, &world_from_file, along);
    let interpolation = file.interpolation.as_ref().map_or(Interpolation::Linear, |i| *i.get_ref());
    let trajectory = Trajectory::through(knots).ok_or_else(|| -> Error {
        let problem = format!("{} has times that do not rise from `start_at_s`", path.display());
        layers.invalid(&named.span(), problem, "give a file with times in seconds")
    })?;
    Ok(trajectory.interpolated(interpolation))
}

fn knots_of(poses: &TimedPoses, start_s: f64, outer: &Pose, along_path: bool) -> Vec<(f64, Pose)> {
    let times = poses.times_s.iter().map(|time_s| time_s - start_s);
    let places = poses.rotations.iter().zip(&poses.positions_m);
    let place = |(rotation, position): (&DQuat, &DVec3)| {
        outer.after(&Pose { rotation: *rotation, translation: *position })
    };
    let mut knots: Vec<(f64, Pose)> = times.zip(places.map(place)).collect();
    if along_path {
        let headings = headings_rad(&knots);
        for ((_, pose), heading) in knots.iter_mut().zip(headings) {
            pose.rotation = DQuat::from_rotation_z(heading);
        }
    }
    knots
}

/// Where the path leads at each knot.
fn headings_rad(knots: &[(f64, Pose)]) -> Vec<f64> {
    let smooth = Trajectory::through(knots.to_vec());
    let smooth = smooth.map(|path| path.interpolated(Interpolation::Spline));
    smooth.map_or_else(|| vec![0.0; knots.len()], |path| path.headings_rad())
}

/// Poses by rising time.
type Knots = Vec<(f64, Pose)>;

/// A waypoint, checked by itself.
struct Stop {
    position: DVec3,
    rotation: Option<DQuat>,
    time_s: Option<f64>,
    speed_m_s: Option<f64>,
    wait_s: f64,
    /// Whether sensors fire on the way to it.
    active: bool,
}

fn check_stop(
    layers: &LayeredToml<'_>,
    file: &WaypointFile,
    is_first: bool,
) -> Result<Stop, Error> {
    let (position, rotation) = (Some(&file.position_m), file.rotation_deg.as_ref());
    let pose = number::pose(position, rotation);
    if let (Some(_), Some(speed)) = (&file.time_s, &file.speed_m_s) {
        let problem = "a waypoint has both `time_s` and `speed_m_s`";
        return Err(layers.invalid(&speed.span(), problem, "keep one of them"));
    }
    let speed_m_s = match &file.speed_m_s {
        Some(speed) if is_first => {
            let problem = "the first waypoint has `speed_m_s`, but nothing leads to it";
            let remedy = "give the speed at the waypoints behind it";
            return Err(layers.invalid(&speed.span(), problem, remedy));
        }
        Some(speed) => Some(speed.get()),
        None => None,
    };
    if let (Some(active), true) = (&file.active, is_first) {
        let problem = "the first waypoint has `active`, but nothing leads to it";
        let remedy = "give it at the waypoints behind it";
        return Err(layers.invalid(&active.span(), problem, remedy));
    }
    if file.time_s.is_none() && speed_m_s.is_none() && !is_first {
        let problem = "a waypoint has neither `time_s` nor `speed_m_s`";
        let remedy = "say when the platform is there, or how fast it goes there";
        return Err(layers.invalid(&file.position_m.span(), problem, remedy));
    }
    Ok(Stop {
        position: pose.translation,
        rotation: file.rotation_deg.as_ref().map(|_| pose.rotation),
        time_s: file.time_s.as_ref().map(Number::get),
        speed_m_s,
        wait_s: file.wait_s.value_or(0.0),
        active: file.active.as_ref().is_none_or(|active| *active.get_ref()),
    })
}

fn from_waypoints(
    layers: &LayeredToml<'_>,
    file: &PlatformFile,
    waypoints: &NonEmpty<WaypointFile>,
) -> Result<(Trajectory, Vec<[f64; 2]>), Error> {
    if let Some(fixed) = file.position_m.as_ref().or(file.rotation_deg.as_ref()) {
        return Err(layers.invalid(
            &fixed.span(),
            "the platform has `waypoints` and a fixed pose",
            "keep one of them",
        ));
    }
    let listed = waypoints.get_ref();
    let mut stops: Vec<Stop> = Vec::new();
    for (index, waypoint) in listed.iter().enumerate() {
        let stop = check_stop(layers, waypoint, index == 0)?;
        let still = stops.last().is_some_and(|last| last.position == stop.position);
        if stop.speed_m_s.is_some() && still {
            let problem = "a waypoint with `speed_m_s` lies where the one before it does";
            let remedy = "give `wait_s` at the one before it, or `time_s`";
            return Err(layers.invalid(&waypoint.position_m.span(), problem, remedy));
        }
        stops.push(stop);
    }
    let interpolation = file.interpolation.as_ref().map_or(Interpolation::Linear, |i| *i.get_ref());
    let chords = stops.windows(2).map(|pair| pair[0].position.distance(pair[1].position));
    let mut lengths: Vec<f64> = chords.collect();
    let mut path = None;
    // The way along a spline depends on its times a little, and they on the length of the way.
    let rounds = if interpolation == Interpolation::Spline { 200 } else { 1 };
    for _ in 0..rounds {
        let (knots, arrivals) = schedule(layers, listed, &stops, &lengths)?;
        let turns_s = turns_s(&knots, &arrivals, &stops);
        let along = file.heading.as_ref().is_some_and(|h| *h.get_ref() == Heading::AlongPath);
        let knots = if along { turned_along(knots, &arrivals, &stops) } else { knots };
        let trajectory = Trajectory::through(knots).ok_or_else(|| -> Error {
            layers.invalid(&waypoints.span(), "`waypoints` is empty", "give one or more")
        })?;
        let trajectory = trajectory.interpolated(interpolation);
        let of_pieces = trajectory.lengths_m();
        let of_legs = arrivals.iter().skip(1).filter_map(|knot| of_pieces.get(knot - 1)).copied();
        let before = std::mem::replace(&mut lengths, of_legs.collect());
        path = Some((trajectory, turns_s));
        if lengths.iter().zip(&before).all(|(a, b)| (a - b).abs() <= 1e-9 * a) {
            break;
        }
    }
    path.ok_or_else(|| {
        layers.invalid(&waypoints.span(), "`waypoints` is empty", "give one or more")
    })
}

/// From when to when the platform is on legs on which its sensors do not fire.
fn turns_s(knots: &Knots, arrivals: &[usize], stops: &[Stop]) -> Vec<[f64; 2]> {
    let legs = arrivals.windows(2).zip(stops.windows(2));
    let turns = legs.filter(|(_, stops)| !stops[1].active);
    turns.map(|(at, stops)| [knots[at[0]].0 + stops[0].wait_s, knots[at[1]].0]).collect()
}

/// The knots of waypoints whose legs have these lengths, and the knot of each arrival.
fn schedule(
    layers: &LayeredToml<'_>,
    listed: &[WaypointFile],
    stops: &[Stop],
    lengths: &[f64],
) -> Result<(Knots, Vec<usize>), Error> {
    let mut knots: Vec<(f64, Pose)> = Vec::new();
    let mut arrivals = Vec::new();
    for (index, (stop, typed)) in stops.iter().zip(listed).enumerate() {
        let before = knots.last().map(|knot| knot.0);
        let travelled = index.checked_sub(1).and_then(|leg| lengths.get(leg)).copied();
        let time = match (stop.time_s, stop.speed_m_s, travelled) {
            (Some(time_s), ..) => time_s,
            (None, Some(speed), Some(length)) => before.unwrap_or(0.0) + length / speed,
            _ => 0.0,
        };
        if !time.is_finite() || before.is_some_and(|before| before >= time) {
            let span = typed.time_s.as_ref().map_or_else(|| typed.position_m.span(), Number::span);
            return Err(layers.invalid(
                &span,
                format!("`time_s` is {time}, which is not after the waypoint before it"),
                "sort the waypoints by time",
            ));
        }
        let rotation = stop.rotation.unwrap_or(DQuat::IDENTITY);
        let pose = Pose { rotation, translation: stop.position };
        arrivals.push(knots.len());
        knots.push((time, pose));
        if stop.wait_s > 0.0 {
            knots.push((time + stop.wait_s, pose));
        }
    }
    Ok((knots, arrivals))
}

/// Waypoints without a rotation look along the path.
fn turned_along(
    mut knots: Vec<(f64, Pose)>,
    arrivals: &[usize],
    stops: &[Stop],
) -> Vec<(f64, Pose)> {
    // Where the platform waits does not matter for where its path leads.
    let mut path: Vec<(f64, Pose)> = Vec::new();
    let mut place = Vec::new();
    let mut waited_s = 0.0;
    for (&arrival, stop) in arrivals.iter().zip(stops) {
        let (time_s, pose) = knots[arrival];
        if path.last().is_none_or(|last| last.1.translation != pose.translation) {
            path.push((time_s - waited_s, pose));
        }
        place.push(path.len() - 1);
        waited_s += stop.wait_s;
    }
    let headings = headings_rad(&path);
    for (index, stop) in stops.iter().enumerate().filter(|(_, stop)| stop.rotation.is_none()) {
        let rotation = DQuat::from_rotation_z(headings[place[index]]);
        knots[arrivals[index]].1.rotation = rotation;
        if stop.wait_s > 0.0 {
            knots[arrivals[index] + 1].1.rotation = rotation;
        }
    }
    knots
}

/// Files of poses that a run writes.
pub(super) struct PoseOutputs {
    pub files: Vec<PathBuf>,
    pub rate_hz: f64,
}

impl PoseOutputs {
    pub(super) fn check(
        layers: &LayeredToml<'_>,
        file: &OutputFile,
        duration_s: f64,
        is_on_earth: bool,
        names: &mut OutputNames,
    ) -> Result<PoseOutputs, Error> {
        let mut files: Vec<PathBuf> = Vec::new();
        for output in &file.poses {
            let path = output.get_ref();
            let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
            if !POSE_OUTPUTS.contains(&extension.as_str()) {
                let problem = format!("{path:?} names no format of poses");
                let remedy = format!("end it in .{}", POSE_OUTPUTS.join(" or ."));
                return Err(layers.invalid(&output.span(), problem, remedy));
            }
            if extension == SBET && !is_on_earth {
                let problem =
                    format!("{path:?} holds latitudes, but nothing says where the world is");
                let remedy = "add [world.geographic_origin] with latitude_deg and longitude_deg";
                return Err(layers.invalid(&output.span(), problem, remedy));
            }
            files.push(names.take(layers, output)?);
        }
        let most_hz = (POSES_MAX / duration_s).clamp(0.001, 100_000.0);
        if let Some(rate) = file.poses_hz.as_ref().filter(|rate| rate.get() > most_hz) {
            let problem = format!("`poses_hz` is {}", rate.get());
            let remedy = format!("give a number from 0.001 to {most_hz}");
            return Err(layers.invalid(&rate.span(), problem, remedy));
        }
        Ok(PoseOutputs { files, rate_hz: file.poses_hz.value_or(most_hz.min(100.0)) })
    }
}
