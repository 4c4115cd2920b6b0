//! Where frames are in each other over time: transforms and odometry of a bag → the sensor's poses.
//!
//! Every transform is an edge from a child to its parent. From the frame of the points the edges
//! lead up to a root. If one of them moves, or the root is a frame that stands by convention, the
//! root is the world. Odometry is an edge too, where no transform leads up from its child.

use super::bag::{one_line, split_type};
use super::cdr::CdrReader;
use crate::TimedPoses;
use crate::poses::{Rigid, Trajectory};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::path::Path;

/// Frames that stand still by convention (REP-105, and habit).
const FIXED: [&str; 6] = ["map", "odom", "world", "earth", "enu", "utm"];
/// Most edges from a sensor to the world.
const DEPTH_MAX: usize = 64;
/// Most frames of a bag.
const FRAMES_MAX: usize = 65_536;
/// For how long the first and the last pose hold beyond their times: times of points are rounded.
const HOLD_S: f64 = 1e-6;

/// Kinds of messages that hold a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PoseKind {
    /// Header, child frame, pose, and a twist.
    Odometry,
    /// Header and pose.
    Pose,
    /// Header, child frame and transform.
    Transform,
    /// A list of transforms.
    Transforms,
}

/// A pose as it was sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamped {
    pub(crate) time_ns: i128,
    pub(crate) rotation: DQuat,
    pub(crate) position_m: DVec3,
}

impl PoseKind {
    pub(crate) fn from_type(name: &str) -> Option<PoseKind> {
        Some(match split_type(name)? {
            ("nav_msgs", "Odometry") => PoseKind::Odometry,
            ("geometry_msgs", "PoseStamped" | "PoseWithCovarianceStamped") => PoseKind::Pose,
            ("geometry_msgs", "TransformStamped") => PoseKind::Transform,
            ("tf2_msgs", "TFMessage") => PoseKind::Transforms,
            _ => return None,
        })
    }

    /// Whether its messages say where one frame is in another.
    pub(crate) fn is_transform(self) -> bool {
        matches!(self, PoseKind::Transform | PoseKind::Transforms)
    }

    /// Gives frame, child frame and pose of all poses of a message; returns how many.
    pub(crate) fn read(
        self,
        message: &[u8],
        each: &mut dyn FnMut(&str, &str, Stamped),
    ) -> Result<usize, String> {
        let mut cdr = CdrReader::new(message)?;
        let count = if self == PoseKind::Transforms { cdr.u32()? } else { 1 };
        for _ in 0..count {
            let (seconds, nanoseconds) = (cdr.i32()?, cdr.u32()?);
            let frame = cdr.string()?;
            let child = match self {
                PoseKind::Pose => "",
                _ => cdr.string()?,
            };
            let [x, y, z] = cdr.f64s()?;
            let [qx, qy, qz, qw] = cdr.f64s()?;
            let stamped = Stamped {
                time_ns: i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds),
                rotation: DQuat::from_xyzw(qx, qy, qz, qw),
                position_m: DVec3::new(x, y, z),
            };
            each(frame, child, stamped);
        }
        Ok(count as usize)
    }
}

/// Which poses lead from a child to a parent: transforms come before odometry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeName {
    is_odometry: bool,
    parent: String,
    topic: String,
}

/// All transforms and odometry of a bag.
#[derive(Debug, Default)]
pub(crate) struct FrameTree {
    edges: BTreeMap<String, BTreeMap<EdgeName, Vec<Stamped>>>,
}

/// Where a sensor was.
pub(crate) enum Placed {
    /// Nobody says.
    Nowhere,
    /// Standing.
    Fixed(Rigid),
    /// Moving, in the frame of that name; the last is the sensor's pose on what moves.
    Moving(Trajectory, String, Rigid),
}

/// One edge of the way up.
enum Step {
    Fixed(Rigid),
    Moving(Trajectory),
}

/// A frame's name without the slash that old programs put before it.
fn bare(frame: &str) -> &str {
    frame.strip_prefix('/').unwrap_or(frame)
}

impl FrameTree {
    /// Takes the poses of a message.
    pub(crate) fn add(
        &mut self,
        topic: &str,
        kind: PoseKind,
        message: &[u8],
    ) -> Result<usize, String> {
        if self.edges.len() > FRAMES_MAX {
            return Err(format!("it has more than {FRAMES_MAX} frames"));
        }
        kind.read(message, &mut |frame, child, stamped| {
            let (parent, child) = (bare(frame), bare(child));
            if parent.is_empty() || child.is_empty() || parent == child {
                return;
            }
            let is_odometry = !kind.is_transform();
            let name = EdgeName { is_odometry, parent: parent.to_owned(), topic: topic.to_owned() };
            let edges = self.edges.entry(child.to_owned()).or_default();
            edges.entry(name).or_default().push(stamped);
        })
    }

    /// Child frames of odometry, in words.
    pub(crate) fn odometry(&self) -> Vec<String> {
        let described = |(child, edges): (&String, &BTreeMap<EdgeName, Vec<Stamped>>)| {
            let name = edges.keys().find(|name| name.is_odometry)?;
            Some(one_line(&format!("{} ({} to {child})", name.topic, name.parent)))
        };
        self.edges.iter().filter_map(described).collect()
    }

    /// Where `frame` was; times count from `start_unix_ns`. With `mounted`, a frame that nothing
    /// leads to is taken as one on the child of the only odometry.
    pub(crate) fn place(
        &self,
        path: &Path,
        frame: &str,
        start_unix_ns: i64,
        mounted: bool,
    ) -> Result<Placed, String> {
        let mut at = bare(frame);
        if !self.edges.contains_key(at) && mounted {
            let mut only = self.edges.iter().filter(|(_, e)| e.keys().any(|n| n.is_odometry));
            if let (Some((child, _)), None) = (only.next(), only.next()) {
                at = child;
            }
        }
        let mut steps = Vec::new();
        let mut way = Vec::new();
        while let Some(edges) = self.edges.get(at) {
            if let Some(first) = way.iter().position(|passed| *passed == at) {
                return Err(in_a_circle(&way[first..], at));
            }
            if steps.len() >= DEPTH_MAX {
                return Err(format!(
                    "more than {DEPTH_MAX} transforms lead up from frame {frame:?}"
                ));
            }
            way.push(at);
            // Of several that say the same, the one that says it most often.
            let best = edges.iter().min_by_key(|(name, poses)| {
                let is_truth = name.topic.contains("ground_truth");
                (name.is_odometry, is_truth, std::cmp::Reverse(poses.len()), *name)
            });
            let Some((name, poses)) = best else { break };
            let step = edge(path, name, at, poses, start_unix_ns)?;
            steps.push(step);
            at = &name.parent;
        }
        let moves = steps.iter().any(|step| matches!(step, Step::Moving(_)));
        if steps.is_empty() || !(moves || FIXED.contains(&at)) {
            return Ok(Placed::Nowhere);
        }
        if !moves {
            return Ok(Placed::Fixed(
                compose(&steps, 0.0, &mut Vec::new()).unwrap_or(Rigid::IDENTITY),
            ));
        }
        // What stands between the sensor and the first that moves stays apart: its lever arm
        // follows the interpolated rotation, which would be lost between interpolated positions.
        let standing = steps.iter().take_while(|step| matches!(step, Step::Fixed(_))).count();
        let (below, above) = steps.split_at(standing);
        let mount = compose(below, 0.0, &mut Vec::new()).unwrap_or(Rigid::IDENTITY);
        Ok(match trajectory(path, above)? {
            Some(trajectory) => Placed::Moving(trajectory, at.to_owned(), mount),
            None => Placed::Nowhere,
        })
    }
}

/// What is wrong with frames of which each is the parent of the one before, and the first of the last.
fn in_a_circle(frames: &[&str], first: &str) -> String {
    let mut names: Vec<&str> = frames.iter().copied().take(8).collect();
    if names.len() < frames.len() {
        names.push("…");
    }
    names.push(first);
    let way = names.join(" to ");
    one_line(&format!(
        "its transforms lead in a circle, from {way}; record it without one of them, or give a trajectory"
    ))
}

/// The poses of an edge in order.
fn edge(
    path: &Path,
    name: &EdgeName,
    child: &str,
    poses: &[Stamped],
    start_unix_ns: i64,
) -> Result<Step, String> {
    let described = |what: String| {
        one_line(&format!("a transform of {} ({} to {child}): {what}", name.topic, name.parent))
    };
    let is_static = name.topic.ends_with("tf_static");
    let mut sorted: Vec<&Stamped> = match (is_static, poses.last()) {
        (true, Some(last)) => vec![last],
        _ => poses.iter().collect(),
    };
    sorted.sort_by_key(|pose| pose.time_ns);
    let mut timed = TimedPoses { turns: true, ..TimedPoses::default() };
    for (i, pose) in sorted.iter().enumerate() {
        // What is sent twice holds as it was sent last.
        if sorted.get(i + 1).is_some_and(|next| next.time_ns == pose.time_ns) {
            continue;
        }
        let time_s = (pose.time_ns - i128::from(start_unix_ns)) as f64 * 1e-9;
        if timed.times_s.last().is_some_and(|&last| last >= time_s) {
            continue;
        }
        timed.push(time_s, pose.rotation, pose.position_m).map_err(described)?;
    }
    let fixed = || Rigid::new(*timed.rotations.first()?, *timed.positions_m.first()?);
    match is_static {
        true => fixed().map(Step::Fixed).ok_or_else(|| described("it is no pose".to_owned())),
        false => Ok(Step::Moving(Trajectory::new(path, timed))),
    }
}

/// The pose at a time, by all steps from the sensor to the world.
fn compose(steps: &[Step], time_s: f64, near: &mut Vec<usize>) -> Option<Rigid> {
    near.resize(steps.len(), 0);
    let mut pose = Rigid::IDENTITY;
    for (step, near) in steps.iter().zip(near) {
        let parent_from_child = match step {
            Step::Fixed(pose) => *pose,
            Step::Moving(trajectory) => trajectory.at(time_s, near)?,
        };
        pose = parent_from_child.after(&pose);
    }
    Some(pose)
}

/// The poses at all times at which one of the steps has one and all are known.
fn trajectory(path: &Path, steps: &[Step]) -> Result<Option<Trajectory>, String> {
    let mut times_s: Vec<f64> = Vec::new();
    for step in steps {
        if let Step::Moving(trajectory) = step {
            times_s.extend_from_slice(trajectory.times_s());
        }
    }
    times_s.sort_by(f64::total_cmp);
    times_s.dedup();
    let mut near = Vec::new();
    let known = times_s.iter().filter_map(|&t| Some((t, compose(steps, t, &mut near)?)));
    let known: Vec<(f64, Rigid)> = known.collect();
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else { return Ok(None) };
    let mut timed = TimedPoses { turns: true, ..TimedPoses::default() };
    let held = [(first.0 - HOLD_S, first.1)].into_iter();
    for (time_s, pose) in held.chain(known).chain([(last.0 + HOLD_S, last.1)]) {
        timed.push(time_s, DQuat::from_mat3(&pose.rotation), pose.translation)?;
    }
    Ok(Some(Trajectory::new(path, timed)))
}

#[cfg(test)]
mod tests {
    use super::super::cdr::CdrWriter;
    use super::super::messages::{Header, transform};
    use super::*;

    /// Adds a transform along x at a time in milliseconds.
    fn add(tree: &mut FrameTree, topic: &str, time_ms: i64, parent: &str, child: &str, x: f64) {
        let mut cdr = CdrWriter::default();
        let pose = Rigid { translation: DVec3::new(x, 0.0, 0.0), ..Rigid::IDENTITY };
        transform(&mut cdr, Header { stamp_ns: time_ms * 1_000_000, frame: parent }, child, &pose);
        tree.add(topic, PoseKind::Transforms, cdr.message()).unwrap();
    }

    fn place(tree: &FrameTree, frame: &str) -> Result<Placed, String> {
        tree.place(Path::new("bag.mcap"), frame, 0, false)
    }

    #[test]
    fn chains_lead_to_the_root_and_circles_are_refused() {
        let mut tree = FrameTree::default();
        add(&mut tree, "/tf_static", 900, "base", "/lidar", 0.5);
        assert!(matches!(place(&tree, "lidar"), Ok(Placed::Nowhere)));
        assert!(matches!(place(&tree, "other"), Ok(Placed::Nowhere)));
        // Out of order, and one of them sent twice.
        for (time_ms, x) in [(0, 10.0), (2000, 30.0), (1000, 19.0), (1000, 20.0)] {
            add(&mut tree, "/tf", time_ms, "odom", "base", x);
        }
        add(&mut tree, "/tf", 500, "map", "odom", 100.0);
        add(&mut tree, "/tf", 1500, "map", "odom", 102.0);
        let Ok(Placed::Moving(trajectory, root, mount)) = place(&tree, "/lidar") else { panic!() };
        assert_eq!((root.as_str(), mount.translation.x), ("map", 0.5));
        let mut near = 0;
        let mut at = |t: f64| trajectory.at(t, &mut near).map(|pose| pose.translation.x);
        assert_eq!(at(1.25), Some(101.5 + 22.5));
        assert!((at(0.5).unwrap() - 115.0).abs() < 1e-9 && at(0.49).is_none());
        assert!(at(1.500_000_5).is_some() && at(1.500_01).is_none());

        add(&mut tree, "/tf", 0, "lidar", "map", 1.0);
        let Err(error) = place(&tree, "lidar") else { panic!() };
        let said = "in a circle, from lidar to base to odom to map to lidar";
        assert!(error.contains(said), "{error}");
        // One that says to be its own parent says nothing, as in tf2.
        let mut own = FrameTree::default();
        add(&mut own, "/tf_static", 0, "map", "map", 1.0);
        add(&mut own, "/tf_static", 0, "map", "lidar", 0.25);
        let Ok(Placed::Fixed(pose)) = place(&own, "lidar") else { panic!() };
        assert_eq!(pose.translation.x, 0.25);
        let mut long = FrameTree::default();
        for frame in 0..=DEPTH_MAX {
            add(&mut long, "/tf_static", 0, &format!("f{}", frame + 1), &format!("f{frame}"), 1.0);
        }
        let Err(error) = place(&long, "f0") else { panic!() };
        assert!(error.contains("more than 64 transforms"), "{error}");
    }

    #[test]
    fn a_sensor_on_a_stand_stands() {
        let mut tree = FrameTree::default();
        add(&mut tree, "/tf_static", 0, "world", "stand", 2.0);
        add(&mut tree, "/tf_static", 0, "stand", "lidar", 0.25);
        let Ok(Placed::Fixed(pose)) = place(&tree, "lidar") else { panic!() };
        assert_eq!(pose.translation.x, 2.25);
    }
}
