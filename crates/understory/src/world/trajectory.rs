//! Where the platform is: time → pose.
//!
//! What enters: knots, each a time and a pose, from a scenario's waypoints or from a file of poses.
//! What leaves: the pose at any time, its exact velocity, and bounds on it.
//!
//! Between two knots the pose moves evenly (position linear, rotation about one axis), or along a
//! spline whose velocity has no jumps: `spline.rs`. Before the first knot and behind the last one
//! it rests. [`navigation`] says what the platform believes of its pose, and [`pose_output`] writes
//! both.

mod flight_lines;
mod imu;
pub mod navigation;
mod on_ground;
mod spline;

use glam::{DMat3, DVec3};
use understory_base::math;

pub use flight_lines::FlightLines;
pub use imu::ImuStream;
pub use navigation::{EstimatedPath, Navigation};
pub use on_ground::{GroundContact, NoGround};
use understory_base::slerp;
pub use understory_base::{Pose, Velocity};

use spline::Segment;

/// How a trajectory runs from one knot to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Interpolation {
    /// Evenly.
    #[default]
    Linear,
    /// Along a cubic through the knots whose velocity has no jumps.
    Spline,
}

/// From which pose a pulse is fired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
pub enum PosePer {
    /// From that at its own time.
    #[default]
    #[serde(rename = "per-pulse")]
    Pulse,
    /// From that at the time of the first pulse of its scan.
    #[serde(rename = "per-scan")]
    Scan,
}

/// With which pose points get into the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Register {
    /// With the one that the platform estimates, which is the true one without a navigation.
    #[default]
    #[serde(alias = "believed")]
    Estimated,
    /// With the true one.
    True,
}

/// From which poses pulses are fired and with which their points are registered.
#[derive(Clone, Debug, Default)]
pub struct Registration {
    /// From which pose a pulse is fired.
    pub per: PosePer,
    /// What the platform believes; none: it knows its pose.
    pub estimated: Option<EstimatedPath>,
    /// With which pose points get into the world.
    pub register: Register,
    /// The inertial measurement unit whose samples go to outputs.
    pub imu: Option<navigation::Imu>,
}

impl Registration {
    /// What points are registered with, if that is not the true pose.
    pub fn estimate(&self) -> Option<&EstimatedPath> {
        self.estimated.as_ref().filter(|_| self.register == Register::Estimated)
    }
}

/// Pose of the platform over time.
#[derive(Clone, Debug)]
pub struct Trajectory {
    /// Times in seconds, rising, each with the pose at that time; at least one.
    knots: Vec<(f64, Pose)>,
    /// The spline from each knot to the next; empty: evenly.
    segments: Vec<Segment>,
}

impl Trajectory {
    /// A platform that stands still.
    pub fn fixed(pose: Pose) -> Trajectory {
        Trajectory { knots: vec![(0.0, pose)], segments: Vec::new() }
    }

    /// A platform that passes through `knots`; `None` if there is none or times do not rise.
    pub fn through(knots: Vec<(f64, Pose)>) -> Option<Trajectory> {
        let rising = knots.windows(2).all(|pair| pair[0].0 < pair[1].0);
        (rising && !knots.is_empty()).then_some(Trajectory { knots, segments: Vec::new() })
    }

    /// The same knots with another way from one to the next.
    pub fn interpolated(mut self, interpolation: Interpolation) -> Trajectory {
        self.segments = match interpolation {
            Interpolation::Linear => Vec::new(),
            Interpolation::Spline => spline::segments(&self.knots),
        };
        self
    }

    /// Pose at `time_s`; the end poses before the first knot and after the last.
    pub fn pose_at(&self, time_s: f64) -> Pose {
        let next = self.knots.partition_point(|(time, _)| *time <= time_s);
        let before = self.knots[next.saturating_sub(1)];
        let Some(after) = self.knots.get(next).filter(|_| next > 0) else { return before.1 };
        if let Some(segment) = self.segments.get(next - 1) {
            return segment.pose_at(time_s);
        }
        let share = (time_s - before.0) / (after.0 - before.0);
        Pose {
            rotation: slerp(before.1.rotation, after.1.rotation, share),
            translation: before.1.translation.lerp(after.1.translation, share),
        }
    }

    /// The times at which poses were given, with these poses.
    pub fn knots(&self) -> &[(f64, Pose)] {
        &self.knots
    }

    /// First and last time of its knots.
    pub fn span_s(&self) -> (f64, f64) {
        let last = self.knots.len().saturating_sub(1);
        (self.knots[0].0, self.knots[last].0)
    }

    /// How fast the pose changes at `time_s`; at a knot, as behind it.
    pub fn velocity_at(&self, time_s: f64) -> Velocity {
        let next = self.knots.partition_point(|(time, _)| *time <= time_s);
        match self.knots.get(next.wrapping_sub(1)..=next) {
            Some([before, after]) => match self.segments.get(next - 1) {
                Some(segment) => segment.velocity_at(time_s),
                None => Velocity::between(before, after),
            },
            _ => Velocity::REST,
        }
    }

    /// Length of the way from knot `knot` to the next, by Simpson's rule.
    fn length_m(&self, knot: usize) -> f64 {
        const STEPS: usize = 64;
        let Some([before, after]) = self.knots.get(knot..knot + 2) else { return 0.0 };
        let Some(segment) = self.segments.get(knot) else {
            return before.1.translation.distance(after.1.translation);
        };
        let step_s = (after.0 - before.0) / STEPS as f64;
        let speed =
            |i: usize| segment.velocity_at(before.0 + i as f64 * step_s).linear_m_s.length();
        let weight = |i: usize| match i {
            0 | STEPS => 1.0,
            _ if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        (0..=STEPS).map(|i| weight(i) * speed(i)).sum::<f64>() * step_s / 3.0
    }

    /// Lengths of the ways from knot to knot.
    pub(crate) fn lengths_m(&self) -> Vec<f64> {
        (1..self.knots.len()).map(|after| self.length_m(after - 1)).collect()
    }

    /// An upper bound on the speed in m/s and on the rate of turning in rad/s anywhere between two
    /// times; exact where the platform moves evenly.
    pub fn fastest(&self, from_s: f64, to_s: f64) -> (f64, f64) {
        let first = self.knots.partition_point(|(time, _)| *time <= from_s).saturating_sub(1);
        let end = self.knots.partition_point(|(time, _)| *time < to_s) + 1;
        let knots = self.knots.get(first..end.min(self.knots.len())).unwrap_or(&[]);
        let each =
            knots.windows(2).enumerate().map(|(i, pair)| match self.segments.get(first + i) {
                Some(segment) => segment.fastest(),
                None => {
                    let v = Velocity::between(&pair[0], &pair[1]);
                    (v.linear_m_s.length(), v.angular_rad_s.length())
                }
            });
        each.fold((0.0, 0.0), |(speed, turn): (f64, f64), v| (speed.max(v.0), turn.max(v.1)))
    }

    /// Where the platform heads at each knot of a spline, counter-clockwise from x; where it does
    /// not move on the level, as before.
    pub(crate) fn headings_rad(&self) -> Vec<f64> {
        let mut heading = 0.0;
        let mut known = false;
        let mut headings = Vec::with_capacity(self.knots.len());
        for (knot, (time_s, _)) in self.knots.iter().enumerate() {
            let last = self.segments.len().saturating_sub(1);
            let segment = self.segments.get(knot.min(last));
            let velocity = segment.map(|segment| segment.velocity_at(*time_s).linear_m_s);
            if let Some(v) = velocity.filter(|v| v.truncate().length() > 1e-9) {
                heading = math::atan2(v.y, v.x);
                if !known {
                    headings.fill(heading);
                    known = true;
                }
            }
            headings.push(heading);
        }
        headings
    }

    /// Whether the pose never changes.
    pub fn is_fixed(&self) -> bool {
        self.knots.len() == 1
    }
}

/// Poses of a sensor in the world, one per pulse of a batch, as what turns and moves vectors.
#[derive(Clone, Debug, Default)]
pub struct Poses {
    /// One for all pulses where the platform stands still.
    rotation_and_translation: Vec<(DMat3, DVec3)>,
}

impl Poses {
    /// Removes all poses and keeps the memory.
    pub fn clear(&mut self) {
        self.rotation_and_translation.clear();
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rotation_and_translation.is_empty()
    }

    fn fill(&mut self, world_from_sensor: impl Iterator<Item = Pose>) {
        self.clear();
        let each = world_from_sensor.map(|pose| (pose.rotation_matrix(), pose.translation));
        self.rotation_and_translation.extend(each);
    }

    /// Rotation and translation at pulse `pulse` of the batch.
    pub fn at(&self, pulse: usize) -> (DMat3, DVec3) {
        let last = self.rotation_and_translation.len().saturating_sub(1);
        self.rotation_and_translation
            .get(pulse.min(last))
            .copied()
            .unwrap_or((DMat3::IDENTITY, DVec3::ZERO))
    }
}

impl Trajectory {
    /// Fills `poses` with `world_from_sensor` at each of the times.
    pub fn poses_at(&self, times_s: &[f64], platform_from_sensor: &Pose, poses: &mut Poses) {
        let times_s = if self.is_fixed() { times_s.get(..1).unwrap_or(&[]) } else { times_s };
        poses.fill(times_s.iter().map(|&time_s| self.pose_at(time_s).after(platform_from_sensor)));
    }
}

#[cfg(test)]
mod tests;
