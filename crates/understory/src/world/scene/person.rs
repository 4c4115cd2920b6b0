//! A person who walks: rigid limbs, and a gait that follows the way of the body.
//!
//! What enters: a height and how the body moves. What leaves: twelve meshes and the track of each
//! in the frame of the body (x forward, y left, z up from the ground).
//!
//! Lengths of limbs are shares of the height (Drillis and Contini 1966, as in Winter,
//! *Biomechanics and Motor Control of Human Movement*). The stride λ at speed v is that of
//! Alexander (Nature 261, 1976): λ = 2.3 h (v²/gh)^0.3 with the height h of the hip, so one cycle
//! lasts λ/v. A foot is on the ground for a share β of the cycle and moves from λβ/2 before the hip
//! to λβ/2 behind it: at constant speed it stands still on the ground. It swings forward on a cubic
//! that goes on as smoothly as it left. Knees follow from the lengths of thigh and shin, the height
//! of the hip from the leg that reaches farthest; arms swing against the legs. Where the body
//! stands, the stride is 0 and so is the swing of everything.

use glam::{DQuat, DVec3};
use std::f64::consts::TAU;
use std::sync::Arc;
use understory_base::math;

use crate::world::motion::Motion;
use crate::world::trajectory::{Pose, Trajectory};

/// Share of a cycle in which a foot is on the ground.
const DUTY: f64 = 0.62;
/// Time between knots of the tracks.
const STEP_S: f64 = 0.01;
/// Most knots; longer tracks have longer steps.
const KNOTS_MAX: f64 = 100_000.0;
/// The speed is that of the body over this time, so that a sudden start is one of a person.
const SMOOTH_S: f64 = 0.5;
const GRAVITY_M_S2: f64 = 9.81;
/// A leg is never quite straight.
const REACH: f64 = 0.995;

/// Height of a person where nothing is said.
pub const HEIGHT_M: f64 = 1.75;

/// How many parts a person has.
pub const PARTS: usize = 12;

/// A person, by the lengths of the limbs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Person {
    height_m: f64,
    ankle_m: f64,
    shin_m: f64,
    thigh_m: f64,
    hip_half_m: f64,
    shoulder_m: f64,
    shoulder_half_m: f64,
    upper_arm_m: f64,
    forearm_m: f64,
}

/// Triangles of a part in its own frame, whose origin is the joint that it hangs on.
#[derive(Clone, Debug, PartialEq)]
pub struct PartMesh {
    /// Vertices.
    pub positions: Vec<DVec3>,
    /// Corners of the triangles.
    pub triangles: Vec<[u32; 3]>,
}

impl Person {
    /// Of this height.
    pub fn new(height_m: f64) -> Person {
        Person {
            height_m,
            ankle_m: 0.039 * height_m,
            shin_m: 0.246 * height_m,
            thigh_m: 0.245 * height_m,
            hip_half_m: 0.0955 * height_m,
            shoulder_m: 0.818 * height_m,
            shoulder_half_m: 0.1295 * height_m,
            upper_arm_m: 0.186 * height_m,
            forearm_m: 0.146 * height_m,
        }
    }

    /// Height of the hip of one who stands.
    pub fn hip_m(&self) -> f64 {
        self.ankle_m + REACH * (self.thigh_m + self.shin_m)
    }

    /// Length of a stride, which is two steps, at a speed.
    pub fn stride_m(&self, speed_m_s: f64) -> f64 {
        let hip_m = self.hip_m();
        let froude = speed_m_s * speed_m_s / (GRAVITY_M_S2 * hip_m);
        let longest = 1.1 * (self.thigh_m + self.shin_m) / DUTY;
        (2.3 * hip_m * math::powf(froude, 0.3)).min(longest)
    }

    /// The parts, in the order of [`Person::posture`].
    pub fn meshes(&self) -> [PartMesh; PARTS] {
        let h = self.height_m;
        // Chest, neck, shoulders and pelvis, from the middle between the hips.
        let mut torso =
            ellipsoid(DVec3::Z * (0.66 * h - self.hip_m()), DVec3::new(0.068, 0.105, 0.185) * h);
        for (z, semi_axes) in [
            (0.84 * h, DVec3::new(0.032, 0.032, 0.06)),
            (self.shoulder_m - 0.015 * h, DVec3::new(0.05, 0.14, 0.035)),
            (self.hip_m() + 0.01 * h, DVec3::new(0.065, 0.105, 0.055)),
        ] {
            torso.append(ellipsoid(DVec3::Z * (z - self.hip_m()), semi_axes * h));
        }
        let head = ellipsoid(DVec3::ZERO, DVec3::new(0.056, 0.046, 0.066) * h);
        let thigh = capsule(self.thigh_m, 0.046 * h, 0.033 * h);
        let shin = capsule(self.shin_m, 0.032 * h, 0.022 * h);
        let foot = ellipsoid(
            DVec3::new(0.045 * h, 0.0, -0.5 * self.ankle_m),
            DVec3::new(0.076 * h, 0.028 * h, 0.5 * self.ankle_m),
        );
        let upper_arm = capsule(self.upper_arm_m, 0.029 * h, 0.023 * h);
        // With the hand.
        let forearm = capsule(self.forearm_m + 0.08 * h, 0.023 * h, 0.017 * h);
        [
            torso,
            head,
            thigh.clone(),
            shin.clone(),
            foot.clone(),
            upper_arm.clone(),
            forearm.clone(),
            thigh,
            shin,
            foot,
            upper_arm,
            forearm,
        ]
    }

    /// Where the parts are at a phase (1 is a whole cycle) of strides of this length: torso and
    /// head, then of the left and of the right side thigh, shin, foot, upper arm and forearm.
    pub fn posture(&self, phase: f64, stride_m: f64) -> [Pose; PARTS] {
        let feet = [self.foot(phase, stride_m), self.foot(phase + 0.5, stride_m)];
        let leg_m = REACH * (self.thigh_m + self.shin_m);
        let reach = |foot: &DVec3| foot.z + (leg_m * leg_m - foot.x * foot.x).max(0.0).sqrt();
        let hip_m = reach(&feet[0]).min(reach(&feet[1]));
        let upright = |z: f64| Pose { rotation: DQuat::IDENTITY, translation: DVec3::Z * z };
        let lowered = hip_m - self.hip_m();
        let mut poses = [upright(hip_m); PARTS];
        poses[1] = upright(0.934 * self.height_m + lowered);
        for (side, sign) in [(0, 1.0), (1, -1.0)] {
            let first = 2 + 5 * side;
            let hip = DVec3::new(0.0, sign * self.hip_half_m, hip_m);
            let ankle = feet[side] + DVec3::Y * hip.y;
            let (thigh, knee) = self.knee(hip, ankle);
            let shin = math::atan2(ankle.x - knee.x, knee.z - ankle.z);
            poses[first] = hanging(hip, thigh);
            poses[first + 1] = hanging(knee, shin);
            poses[first + 2] = Pose { rotation: DQuat::IDENTITY, translation: ankle };
            // Each arm goes with the leg of the other side.
            let swing = 0.6 * feet[1 - side].x / leg_m;
            let shoulder = DVec3::new(0.0, sign * self.shoulder_half_m, self.shoulder_m + lowered);
            let elbow = shoulder + along(swing) * self.upper_arm_m;
            poses[first + 3] = hanging(shoulder, swing);
            poses[first + 4] = hanging(elbow, swing + 0.3);
        }
        poses
    }

    /// Ankle of the left foot relative to the hip's place on the ground.
    fn foot(&self, phase: f64, stride_m: f64) -> DVec3 {
        let phase = phase - phase.floor();
        let half_m = 0.5 * DUTY * stride_m;
        if phase < DUTY {
            return DVec3::new(half_m * (1.0 - 2.0 * phase / DUTY), 0.0, self.ankle_m);
        }
        // A cubic from behind to before the hip that begins and ends as fast as the ground goes by.
        let share = (phase - DUTY) / (1.0 - DUTY);
        let slope = -stride_m * (1.0 - DUTY);
        let (s2, s3) = (share * share, share * share * share);
        let x = -half_m * (2.0 * s3 - 3.0 * s2 + 1.0)
            + slope * (s3 - 2.0 * s2 + share)
            + half_m * (3.0 * s2 - 2.0 * s3)
            + slope * (s3 - s2);
        let lift = 0.05 * stride_m * 0.5 * (1.0 - math::cos(TAU * share));
        DVec3::new(x, 0.0, self.ankle_m + lift)
    }

    /// How far forward the thigh is turned, and the knee, for a foot at `ankle`.
    fn knee(&self, hip: DVec3, ankle: DVec3) -> (f64, DVec3) {
        let to_ankle = ankle - hip;
        let reach = to_ankle.length().min(self.thigh_m + self.shin_m);
        let (a, b) = (self.thigh_m, self.shin_m);
        let bend =
            math::acos(((a * a + reach * reach - b * b) / (2.0 * a * reach)).clamp(-1.0, 1.0));
        let forward = math::atan2(to_ankle.x, -to_ankle.z) + bend;
        (forward, hip + along(forward) * a)
    }

    /// The tracks of the parts of a person who is `scale` times as large and stands at
    /// `object_from_person` on an object that moves like `body`, in the frame of the object.
    pub fn tracks(&self, body: &Motion, object_from_person: &Pose, scale: f64) -> [Motion; PARTS] {
        let (first_s, last_s) = body.span_s();
        let steps = ((last_s - first_s) / STEP_S).ceil().clamp(1.0, KNOTS_MAX);
        let step_s = (last_s - first_s) / steps;
        let mut knots: [Vec<(f64, Pose)>; PARTS] = Default::default();
        let (mut phase, mut rate) = (0.0, None);
        for step in 0..=steps as usize {
            let time_s = first_s + step as f64 * step_s;
            let speed_m_s = forward_speed(body, object_from_person.rotation, time_s) / scale;
            let stride_m = self.stride_m(speed_m_s.abs());
            let rate_now = if stride_m > 0.0 { speed_m_s / stride_m } else { 0.0 };
            phase += 0.5 * (rate_now + rate.unwrap_or(rate_now)) * step_s * f64::from(step > 0);
            rate = Some(rate_now);
            for (knots, pose) in knots.iter_mut().zip(self.posture(phase, stride_m)) {
                let scaled = Pose { translation: pose.translation * scale, ..pose };
                knots.push((time_s, object_from_person.after(&scaled)));
            }
        }
        knots.map(|mut knots| {
            knots.dedup_by(|b, a| b.0 <= a.0);
            let last = knots.first().map_or(Pose::IDENTITY, |knot| knot.1);
            let track = Trajectory::through(knots).unwrap_or_else(|| Trajectory::fixed(last));
            Motion::new(Arc::new(track), body.repeat())
        })
    }
}

/// How fast a body goes forward on the level, as a mean over [`SMOOTH_S`].
fn forward_speed(body: &Motion, turn: DQuat, time_s: f64) -> f64 {
    let (first_s, last_s) = body.span_s();
    let at = |time_s: f64| body.pose_at(time_s.clamp(first_s, last_s));
    let moved = at(time_s + 0.5 * SMOOTH_S).translation - at(time_s - 0.5 * SMOOTH_S).translation;
    let ahead = (at(time_s).rotation * turn * DVec3::X).truncate().normalize_or_zero();
    moved.truncate().dot(ahead) / SMOOTH_S
}

/// Downwards, turned forward by an angle.
fn along(forward_rad: f64) -> DVec3 {
    DVec3::new(math::sin(forward_rad), 0.0, -math::cos(forward_rad))
}

/// A limb that hangs on a joint, turned forward by an angle.
fn hanging(joint: DVec3, forward_rad: f64) -> Pose {
    Pose { rotation: DQuat::from_rotation_y(-forward_rad), translation: joint }
}

impl PartMesh {
    fn append(&mut self, other: PartMesh) {
        let first = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|corner| corner + first)));
    }
}

/// A body of revolution around z: from below, heights and radii; its ends are closed.
fn revolve(profile: &[(f64, f64)]) -> PartMesh {
    const SIDES: u32 = 12;
    let mut mesh = PartMesh { positions: Vec::new(), triangles: Vec::new() };
    let rings = profile.len() as u32;
    for &(z, radius) in profile {
        for side in 0..SIDES {
            let (sin, cos) = math::sin_cos(TAU * f64::from(side) / f64::from(SIDES));
            mesh.positions.push(DVec3::new(radius * cos, radius * sin, z));
        }
    }
    let corner = |ring: u32, side: u32| ring * SIDES + side % SIDES;
    for ring in 0..rings.saturating_sub(1) {
        for side in 0..SIDES {
            let (a, b) = (corner(ring, side), corner(ring, side + 1));
            let (c, d) = (corner(ring + 1, side), corner(ring + 1, side + 1));
            mesh.triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    for (ring, up) in [(0, false), (rings.saturating_sub(1), true)] {
        for side in 1..SIDES - 1 {
            let (a, b, c) = (corner(ring, 0), corner(ring, side), corner(ring, side + 1));
            mesh.triangles.push(if up { [a, b, c] } else { [a, c, b] });
        }
    }
    mesh
}

/// Rings of half a ball: angle from the equator to near the pole.
fn rings() -> impl DoubleEndedIterator<Item = (f64, f64)> {
    [0.0, 30.0, 60.0, 80.0].into_iter().map(|deg: f64| math::sin_cos(deg.to_radians()))
}

/// A limb from the origin down to −z, with round ends.
fn capsule(length_m: f64, upper_radius_m: f64, lower_radius_m: f64) -> PartMesh {
    let below = rings().rev();
    let below = below.map(|(sin, cos)| (-length_m - lower_radius_m * sin, lower_radius_m * cos));
    let above = rings().map(|(sin, cos)| (upper_radius_m * sin, upper_radius_m * cos));
    revolve(&below.chain(above).collect::<Vec<_>>())
}

fn ellipsoid(centre: DVec3, semi_axes: DVec3) -> PartMesh {
    let below = rings().rev().map(|(sin, cos)| (-sin, cos));
    let above = rings().skip(1);
    let mut mesh = revolve(&below.chain(above).collect::<Vec<_>>());
    mesh.positions.iter_mut().for_each(|p| *p = centre + *p * semi_axes);
    mesh
}

#[cfg(test)]
mod tests;
