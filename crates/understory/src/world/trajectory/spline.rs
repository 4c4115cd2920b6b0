//! A smooth way through knots: position and rotation whose velocities have no jumps.
//!
//! Each piece between two knots is a cubic that has the given poses and velocities at its ends. Of
//! the position it is Hermite's, here by its Bézier points; of the rotation it is the cumulative
//! Bézier curve on the sphere of quaternions (Kim, Kim and Shin 1995),
//!
//! ```text
//! q(u) = q₀ · exp(β₁(u) ω₁) · exp(β₂(u) ω₂) · exp(β₃(u) ω₃)
//! β₁ = 1 − (1−u)³,  β₂ = 3u² − 2u³,  β₃ = u³
//! ```
//!
//! with ω₁ = ω(0)·h/3, ω₃ = ω(h)·h/3 and ω₂ such that q(1) = q₁. It never leaves the rotations, has
//! the given angular velocities at its ends, and its derivative is exact and cheap.
//!
//! The velocity at a knot is that of the parabola through it and its neighbours. So a piece depends
//! on four knots alone: one bad pose of a file bends the way near it and nowhere else, which a
//! spline with continuous accelerations, whose knots all depend on each other, does not grant. A
//! pose that is the same at two knots is a stop: it stays there in between.

use glam::{DQuat, DVec3};

use understory_base::{Pose, Velocity};

/// The way from one knot to the next.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    start_s: f64,
    duration_s: f64,
    /// Bézier points of the position.
    points_m: [DVec3; 4],
    rotation: DQuat,
    /// ω₁, ω₂, ω₃: turns in the moving frame.
    turns_rad: [DVec3; 3],
}

/// A time and the pose at it.
type Knot = (f64, Pose);

/// The pieces between all knots.
pub(super) fn segments(knots: &[Knot]) -> Vec<Segment> {
    let durations: Vec<f64> = knots.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let moved = |pair: &[Knot]| pair[1].1.translation - pair[0].1.translation;
    let turned = |pair: &[Knot]| turn(pair[0].1.rotation, pair[1].1.rotation);
    let chord = |of: &dyn Fn(&[Knot]) -> DVec3| -> Vec<DVec3> {
        knots.windows(2).zip(&durations).map(|(pair, h)| of(pair) / *h).collect()
    };
    // The axis of an even turn is the same in the frames at both of its ends, so rates of turning
    // on both sides of a knot can be averaged there.
    let velocities = at_knots(&chord(&moved), &durations);
    let rates = at_knots(&chord(&turned), &durations);
    let piece = |(i, pair): (usize, &[Knot])| {
        let h = durations[i];
        let (from, to) = (pair[0].1, pair[1].1);
        let (first, last) = (rates[i] * (h / 3.0), rates[i + 1] * (h / 3.0));
        let inner_from = from.rotation * DQuat::from_scaled_axis(first);
        let inner_to = to.rotation * DQuat::from_scaled_axis(-last);
        Segment {
            start_s: pair[0].0,
            duration_s: h,
            points_m: [
                from.translation,
                from.translation + velocities[i] * (h / 3.0),
                to.translation - velocities[i + 1] * (h / 3.0),
                to.translation,
            ],
            rotation: from.rotation,
            turns_rad: [first, turn(inner_from, inner_to), last],
        }
    };
    knots.windows(2).enumerate().map(piece).collect()
}

/// The shorter turn from one rotation to another, in the frame of either.
fn turn(from: DQuat, to: DQuat) -> DVec3 {
    let between = from.inverse() * to;
    (if between.w < 0.0 { -between } else { between }).to_scaled_axis()
}

/// Rates at the knots from the mean rates between them.
fn at_knots(chords: &[DVec3], durations: &[f64]) -> Vec<DVec3> {
    let Some(&only) = chords.first() else { return Vec::new() };
    if chords.len() == 1 {
        return vec![only; 2];
    }
    let end = |near: usize, far: usize| {
        let share = durations[near] / (durations[near] + durations[far]);
        chords[near] + (chords[near] - chords[far]) * share
    };
    let last = chords.len() - 1;
    let mut rates = vec![end(0, 1)];
    for after in 1..chords.len() {
        let (h0, h1) = (durations[after - 1], durations[after]);
        rates.push((chords[after - 1] * h1 + chords[after] * h0) / (h0 + h1));
    }
    rates.push(end(last, last - 1));
    for (i, chord) in chords.iter().enumerate() {
        if *chord == DVec3::ZERO {
            (rates[i], rates[i + 1]) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
    rates
}

impl Segment {
    fn share(&self, time_s: f64) -> f64 {
        (time_s - self.start_s) / self.duration_s
    }

    pub(super) fn pose_at(&self, time_s: f64) -> Pose {
        let u = self.share(time_s);
        let v = 1.0 - u;
        let [a, b, c, d] = self.points_m;
        let translation =
            a * (v * v * v) + b * (3.0 * v * v * u) + c * (3.0 * v * u * u) + d * (u * u * u);
        let [first, middle, last] = self.turns_rad;
        let rotation = self.rotation
            * DQuat::from_scaled_axis(first * (1.0 - v * v * v))
            * DQuat::from_scaled_axis(middle * (u * u * (3.0 - 2.0 * u)))
            * DQuat::from_scaled_axis(last * (u * u * u));
        Pose { rotation: rotation.normalize(), translation }
    }

    pub(super) fn velocity_at(&self, time_s: f64) -> Velocity {
        let u = self.share(time_s);
        let v = 1.0 - u;
        let rate = 3.0 / self.duration_s;
        let [a, b, c, d] = self.points_m;
        let linear = (b - a) * (v * v) + (c - b) * (2.0 * v * u) + (d - c) * (u * u);
        // The product rule, each factor seen from the frame behind it.
        let [first, middle, last] = self.turns_rad;
        let by_middle = DQuat::from_scaled_axis(middle * (u * u * (3.0 - 2.0 * u)));
        let by_last = DQuat::from_scaled_axis(last * (u * u * u));
        let in_middle = by_middle.inverse() * (first * (v * v)) + middle * (2.0 * u * v);
        let in_body = by_last.inverse() * in_middle + last * (u * u);
        let rotation = self.pose_at(time_s).rotation;
        Velocity { linear_m_s: linear * rate, angular_rad_s: rotation * (in_body * rate) }
    }

    /// Upper bounds on speed and rate of turning. Both velocities are means, with weights that sum
    /// to one, of three vectors (turned, for the rotation), so none is faster than the fastest.
    pub(super) fn fastest(&self) -> (f64, f64) {
        let rate = 3.0 / self.duration_s;
        let [a, b, c, d] = self.points_m;
        let speed = [b - a, c - b, d - c].into_iter().map(DVec3::length).fold(0.0, f64::max);
        let turn = self.turns_rad.into_iter().map(DVec3::length).fold(0.0, f64::max);
        // The last bits of the sums above.
        let rounding = 1.0 + 1e-12;
        (speed * rate * rounding, turn * rate * rounding)
    }
}
