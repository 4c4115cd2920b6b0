//! Legs → runs: on each the scanner is set in one way.
//!
//! A sensor of Understory keeps its settings for a whole run, so legs that set the scanner otherwise
//! become another run. Tripods go from place to place while nothing fires; there the head begins
//! each scan at the multiple of its turns that comes next, so that the tripod's yaw alone says where
//! a scan begins. What moves flies straight from leg to leg and looks along its way.

use std::collections::BTreeMap;
use understory_base::math;

use glam::DVec3;

use crate::HeliosError;
use crate::frames::{half_turn_deg, tidy};
use crate::legs::Leg;
use crate::settings::ScannerSettings;
use crate::trajectory::Trajectory;

/// Time between two ways on which nothing fires.
const TURN_S: f64 = 1.0;

/// A run with one setting of the scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// How the scanner is set.
    pub settings: ScannerSettings,
    /// How the platform moves.
    pub motion: Motion,
    /// How long it lasts.
    pub duration_s: f64,
    /// Whether the platform goes on the ground.
    pub on_ground: bool,
    /// Numbers of its legs.
    pub legs: Vec<usize>,
}

/// How the platform moves in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Through poses.
    Waypoints(Vec<Waypoint>),
    /// Along a trajectory.
    Trajectory {
        /// Its name in the survey.
        name: String,
        /// Where in it the run begins.
        start_s: f64,
    },
}

/// A pose on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waypoint {
    /// When.
    pub time_s: f64,
    /// Where.
    pub position: DVec3,
    /// Heading, from x towards y.
    pub yaw_deg: f64,
    /// Whether the scanner fires on the way to it.
    pub active: bool,
}

/// How a platform gets from leg to leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// It stands at each leg.
    Standing,
    /// It moves from each leg to the next.
    Moving,
}

/// The runs of a survey, in the order of their first legs.
pub fn runs(
    legs: &[Leg],
    carrier: Carrier,
    lost: &mut Vec<String>,
) -> Result<Vec<Run>, HeliosError> {
    let mut groups: Vec<(ScannerSettings, Vec<usize>)> = Vec::new();
    for (place, leg) in legs.iter().enumerate() {
        let last =
            carrier == Carrier::Moving && place + 1 == legs.len() && leg.duration_max_s.is_none();
        if !leg.scanner.active || last {
            continue;
        }
        let alike = alike(leg.scanner, carrier);
        match groups.iter_mut().find(|(known, _)| *known == alike) {
            Some((_, places)) => places.push(place),
            None => groups.push((alike, vec![place])),
        }
    }
    let mut runs = Vec::new();
    for (settings, places) in groups {
        let on_ground = places.iter().filter(|place| legs[**place].platform.on_ground).count();
        if on_ground > 0 && on_ground < places.len() {
            lost.push("onGround of single legs: all of them are on the ground".into());
        }
        let (waypoints, done) = match carrier {
            Carrier::Standing => standing(legs, &places, &settings, on_ground > 0, lost),
            Carrier::Moving => moving(legs, &places, on_ground > 0)?,
        };
        let Some(last) = waypoints.last() else { continue };
        let duration_s = last.time_s;
        runs.push(Run {
            settings,
            motion: Motion::Waypoints(waypoints),
            duration_s,
            on_ground: on_ground > 0,
            legs: done,
        });
    }
    Ok(runs)
}

/// The runs of a platform that follows trajectories: one for each leg.
pub fn along(
    legs: &[Leg],
    trajectories: &BTreeMap<String, Trajectory>,
    lost: &mut Vec<String>,
) -> Vec<Run> {
    let mut runs = Vec::new();
    for leg in legs.iter().filter(|leg| leg.scanner.active) {
        let known =
            leg.platform.trajectory.as_ref().and_then(|name| Some((name, trajectories.get(name)?)));
        let Some((name, trajectory)) = known else { continue };
        let [first, last] = trajectory.span_s();
        let start_s = leg.trajectory_s[0].unwrap_or(first).max(first);
        let mut end_s = leg.trajectory_s[1].unwrap_or(last).min(last);
        if let Some(longest) = leg.duration_max_s {
            end_s = end_s.min(start_s + longest);
        }
        if end_s - start_s < 1e-6 {
            lost.push(format!(
                "leg {}: its time is not in the trajectory, which lasts from {first} s to {last} s",
                leg.number
            ));
            continue;
        }
        runs.push(Run {
            settings: alike(leg.scanner, Carrier::Moving),
            motion: Motion::Trajectory { name: name.clone(), start_s },
            duration_s: tidy(end_s - start_s, 1e-9),
            on_ground: false,
            legs: vec![leg.number],
        });
    }
    runs
}

/// Settings without what may differ within a run.
fn alike(settings: ScannerSettings, carrier: Carrier) -> ScannerSettings {
    let kept = ScannerSettings { head_stop_deg: 0.0, duration_max_s: None, ..settings };
    match carrier {
        Carrier::Standing => ScannerSettings { head_start_deg: 0.0, ..kept },
        // A head that turns begins anywhere; one that stands, there.
        Carrier::Moving if settings.head_deg_per_s != 0.0 => {
            ScannerSettings { head_start_deg: 0.0, ..kept }
        }
        Carrier::Moving => kept,
    }
}

fn standing(
    legs: &[Leg],
    places: &[usize],
    settings: &ScannerSettings,
    on_ground: bool,
    lost: &mut Vec<String>,
) -> (Vec<Waypoint>, Vec<usize>) {
    let (mut waypoints, mut done) = (Vec::new(), Vec::new());
    let rate = settings.head_deg_per_s.abs();
    let mut end_s = 0.0;
    for place in places {
        let leg = &legs[*place];
        let turned = leg.scanner.head_stop_deg - leg.scanner.head_start_deg;
        let by_head = if rate > 0.0 { turned.abs() / rate } else { 0.0 };
        let duration_s = match leg.duration_max_s {
            Some(longest) if by_head > 0.0 => by_head.min(longest),
            Some(longest) => longest,
            None => by_head,
        };
        if duration_s <= 0.0 {
            lost.push(format!(
                "leg {}: nothing says when it ends (headRotateStop_deg or maxDuration_s)",
                leg.number
            ));
            continue;
        }
        let start_s = match (waypoints.is_empty(), rate > 0.0) {
            (true, _) => 0.0,
            (false, true) => tidy(((end_s * rate / 360.0).floor() + 1.0) * 360.0 / rate, 1e-9),
            (false, false) => end_s + TURN_S,
        };
        end_s = tidy(start_s + duration_s, 1e-9);
        // HELIOS++ looks along y where nothing turns it.
        let yaw_deg = half_turn_deg(90.0 + leg.scanner.head_start_deg);
        let position = position(leg, on_ground);
        waypoints.push(Waypoint { time_s: start_s, position, yaw_deg, active: false });
        waypoints.push(Waypoint { time_s: end_s, position, yaw_deg, active: true });
        done.push(leg.number);
    }
    (waypoints, done)
}

fn position(leg: &Leg, on_ground: bool) -> DVec3 {
    let [x, y, z] = leg.platform.position_m;
    DVec3::new(x, y, if on_ground { 0.0 } else { z })
}

fn moving(
    legs: &[Leg],
    places: &[usize],
    on_ground: bool,
) -> Result<(Vec<Waypoint>, Vec<usize>), HeliosError> {
    let mut waypoints: Vec<Waypoint> = Vec::new();
    let mut done = Vec::new();
    let (Some(&first), Some(&last)) = (places.first(), places.last()) else {
        return Ok((waypoints, done));
    };
    let mut yaw_deg = 0.0;
    for place in first..=last {
        let leg = &legs[place];
        let from = position(leg, on_ground);
        let to = legs.get(place + 1).map_or(from, |next| position(next, on_ground));
        let way = to - from;
        if math::hypot(way.x, way.y) > 1e-9 {
            yaw_deg = half_turn_deg(math::atan2(way.y, way.x).to_degrees());
        }
        let speed = leg.platform.speed_m_s;
        let mut duration_s = way.length() / speed;
        let mut to = to;
        if way.length() < 1e-9 {
            duration_s = leg.duration_max_s.unwrap_or(0.0);
        } else if speed <= 0.0 {
            return Err(HeliosError::invalid(
                &leg.location,
                format!("leg {} moves at {speed} m/s and never arrives", leg.number),
                "write movePerSec_m above 0",
            ));
        } else if let Some(longest) = leg.duration_max_s.filter(|longest| *longest < duration_s) {
            to = from + way * (longest / duration_s);
            duration_s = longest;
        }
        if duration_s <= 0.0 {
            continue;
        }
        let active = places.contains(&place);
        let start = Waypoint { time_s: 0.0, position: from, yaw_deg, active: false };
        match waypoints.last().copied() {
            None => waypoints.push(start),
            // Straight on: the end of one way is the start of the next.
            Some(before)
                if before.yaw_deg == yaw_deg && (before.position - from).length() < 1e-9 => {}
            Some(before) => {
                waypoints.push(Waypoint { time_s: tidy(before.time_s + TURN_S, 1e-9), ..start });
            }
        }
        let start_s = waypoints.last().map_or(0.0, |before| before.time_s);
        let time_s = tidy(start_s + duration_s, 1e-9);
        waypoints.push(Waypoint { time_s, position: to, yaw_deg, active });
        if active {
            done.push(leg.number);
        }
    }
    Ok((waypoints, done))
}
