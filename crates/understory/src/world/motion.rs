//! Motion of objects: time → where a body is and how fast its points move.
//!
//! What enters: a track of poses, from keyframes, a file or physics. What leaves: the pose at any
//! time, and bounds on speed by which the tracer knows how far a body can get.

use std::sync::Arc;

use serde::Deserialize;

use crate::world::trajectory::{Pose, Trajectory, Velocity};

/// What a track does before its first and after its last pose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repeat {
    /// It stands at the end.
    #[default]
    Hold,
    /// It starts again at the beginning.
    Loop,
    /// It goes back the same way.
    BackAndForth,
}

impl Repeat {
    /// The time on a track from `span_s.0` to `span_s.1` that stands for `time_s`, and whether it
    /// runs backwards there.
    pub fn on_track(self, time_s: f64, span_s: (f64, f64)) -> (f64, bool) {
        let (first, last) = span_s;
        let (length, round) = (last - first, round(time_s, span_s));
        if self == Repeat::Hold || round == 0.0 || length <= 0.0 {
            return (time_s, false);
        }
        let share = (time_s - first) / length - round;
        match self {
            Repeat::BackAndForth if round.rem_euclid(2.0) == 1.0 => (last - share * length, true),
            _ => (first + share * length, false),
        }
    }
}

/// How often a track was run through before `time_s`. Its last moment belongs to the next round, so
/// that a track that starts again is in two places at no time.
fn round(time_s: f64, (first, last): (f64, f64)) -> f64 {
    ((time_s - first) / (last - first)).floor()
}

/// How a body, or a part of one, moves.
#[derive(Clone, Debug)]
pub struct Motion {
    /// What the poses of the track are relative to.
    place: Pose,
    track: Arc<Trajectory>,
    repeat: Repeat,
    delay_s: f64,
}

impl Motion {
    /// Along a track.
    pub fn new(track: Arc<Trajectory>, repeat: Repeat) -> Motion {
        Motion { place: Pose::IDENTITY, track, repeat, delay_s: 0.0 }
    }

    /// The same movement made in another place: the track's frame becomes `place`.
    pub fn placed(mut self, place: Pose) -> Motion {
        self.place = place.after(&self.place);
        self
    }

    /// The same movement made later.
    pub fn delayed(mut self, delay_s: f64) -> Motion {
        self.delay_s += delay_s;
        self
    }

    /// First and last time of its track.
    pub fn span_s(&self) -> (f64, f64) {
        let (first, last) = self.track.span_s();
        (first + self.delay_s, last + self.delay_s)
    }

    /// What it does before and after that.
    pub fn repeat(&self) -> Repeat {
        self.repeat
    }

    /// The times and poses of which it is made; none where it repeats itself.
    pub fn knots(&self) -> Option<Vec<(f64, Pose)>> {
        let placed = |pose: &Pose| match self.place == Pose::IDENTITY {
            true => *pose,
            false => self.place.after(pose),
        };
        let knots = self.track.knots().iter();
        (self.repeat == Repeat::Hold)
            .then(|| knots.map(|(time_s, pose)| (time_s + self.delay_s, placed(pose))).collect())
    }

    /// Where it is.
    pub fn pose_at(&self, time_s: f64) -> Pose {
        let on_track_s = self.repeat.on_track(time_s - self.delay_s, self.track.span_s()).0;
        self.place.after(&self.track.pose_at(on_track_s))
    }

    /// How fast it moves.
    pub fn velocity_at(&self, time_s: f64) -> Velocity {
        let (on_track_s, backwards) =
            self.repeat.on_track(time_s - self.delay_s, self.track.span_s());
        let Velocity { linear_m_s, angular_rad_s } = self.track.velocity_at(on_track_s);
        let sign = if backwards { -1.0 } else { 1.0 };
        let turned = |vector| self.place.rotation * vector * sign;
        Velocity { linear_m_s: turned(linear_m_s), angular_rad_s: turned(angular_rad_s) }
    }

    /// Largest speed in m/s and rate of turning in rad/s between two times. A track that starts
    /// again may jump; see [`Motion::jump_m`].
    pub fn fastest(&self, from_s: f64, to_s: f64) -> (f64, f64) {
        let (from_s, to_s) = (from_s - self.delay_s, to_s - self.delay_s);
        let (first, last) = self.track.span_s();
        if self.repeat == Repeat::Hold || (first <= from_s && to_s <= last) {
            return self.track.fastest(from_s, to_s);
        }
        self.track.fastest(first, last)
    }

    /// How far a point `arm_m` from its origin can get by starting again, if that happens between
    /// two times.
    pub fn jump_m(&self, from_s: f64, to_s: f64, arm_m: f64) -> f64 {
        let (from_s, to_s) = (from_s - self.delay_s, to_s - self.delay_s);
        let (first, last) = self.track.span_s();
        let once = last <= first || round(from_s, (first, last)) == round(to_s, (first, last));
        if self.repeat != Repeat::Loop || once {
            return 0.0;
        }
        let (start, end) = (self.track.pose_at(first), self.track.pose_at(last));
        (end.translation - start.translation).length() + 2.0 * arm_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_beyond_the_track() {
        let span = (1.0, 3.0);
        for (repeat, time_s, wanted) in [
            (Repeat::Hold, 3.5, (3.5, false)),
            (Repeat::Loop, 2.5, (2.5, false)),
            (Repeat::Loop, 3.5, (1.5, false)),
            (Repeat::Loop, 0.5, (2.5, false)),
            (Repeat::Loop, 3.0, (1.0, false)),
            (Repeat::BackAndForth, 3.0, (3.0, true)),
            (Repeat::BackAndForth, 3.5, (2.5, true)),
            (Repeat::BackAndForth, 5.5, (1.5, false)),
            (Repeat::BackAndForth, 0.5, (1.5, true)),
        ] {
            assert_eq!(repeat.on_track(time_s, span), wanted, "{repeat:?} {time_s}");
        }
    }
}
