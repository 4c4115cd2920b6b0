use super::*;
use crate::world::motion::Repeat;

const SPEED_M_S: f64 = 1.3;

/// A person who walks straight on, from rest to rest.
fn walk(seconds: f64) -> Motion {
    let knots = vec![
        (0.0, Pose::IDENTITY),
        (2.0, Pose::IDENTITY),
        (2.0 + seconds, Pose::from_position_and_rpy_deg([SPEED_M_S * seconds, 0.0, 0.0], [0.0; 3])),
        (6.0 + seconds, Pose::from_position_and_rpy_deg([SPEED_M_S * seconds, 0.0, 0.0], [0.0; 3])),
    ];
    Motion::new(Arc::new(Trajectory::through(knots).unwrap()), Repeat::Hold)
}

/// The far end of a limb of this length.
fn end(pose: &Pose, length_m: f64) -> DVec3 {
    pose.translation + pose.rotation * (DVec3::NEG_Z * length_m)
}

#[test]
fn limbs_keep_their_lengths_and_their_joints() {
    let person = Person::new(HEIGHT_M);
    let mut knees = (f64::INFINITY, f64::NEG_INFINITY);
    for stride_m in [0.0, 0.4, 1.0, person.stride_m(1.4), person.stride_m(9.0)] {
        for step in 0..400 {
            let poses = person.posture(f64::from(step) / 400.0, stride_m);
            for first in [2, 7] {
                let [thigh, shin, foot, upper, fore] = [0, 1, 2, 3, 4].map(|i| poses[first + i]);
                assert!(end(&thigh, person.thigh_m).distance(shin.translation) < 1e-9);
                assert!(end(&shin, person.shin_m).distance(foot.translation) < 1e-9);
                assert!(end(&upper, person.upper_arm_m).distance(fore.translation) < 1e-9);
                // A knee bends forward, never back.
                let bend = (thigh.rotation.inverse() * shin.rotation).to_scaled_axis().y;
                knees = (knees.0.min(bend), knees.1.max(bend));
                assert!(foot.translation.z >= person.ankle_m - 1e-12);
            }
            let lowest = poses[4].translation.z.min(poses[9].translation.z);
            assert!((lowest - person.ankle_m).abs() < 1e-12, "one foot is on the ground");
        }
    }
    assert!(knees.0 > 0.0 && knees.1 < 2.0, "{knees:?}");
}

#[test]
fn a_foot_on_the_ground_stands_still() {
    let person = Person::new(HEIGHT_M);
    let body = walk(20.0);
    let tracks = person.tracks(&body, &Pose::IDENTITY, 1.0);
    let mut standing = 0.0;
    for step in 0..1000 {
        let time_s = 5.0 + f64::from(step) * 0.01;
        for foot in [4, 9] {
            let at = |t: f64| body.pose_at(t).after(&tracks[foot].pose_at(t)).translation;
            let (now, later) = (at(time_s), at(time_s + 0.01));
            if now.z < person.ankle_m + 1e-6 && later.z < person.ankle_m + 1e-6 {
                // To the accuracy of a step between knots in which the foot touches down.
                assert!(now.distance(later) < 2e-4, "{time_s}: {}", now.distance(later));
                standing += 0.005 / 10.0;
            }
        }
    }
    assert!((standing - DUTY).abs() < 0.02, "on the ground for {standing} of the time");
    // Alexander 1976: 2.3 · 0.9232 m · (1.3²/(9.81 · 0.9232))^0.3 = 1.2832 m.
    assert!((person.stride_m(SPEED_M_S) - 1.2832).abs() < 1e-4, "{}", person.stride_m(SPEED_M_S));
}

#[test]
fn one_who_stands_stands_upright_and_still() {
    let person = Person::new(1.8);
    let still = person.posture(0.0, 0.0);
    let tracks = person.tracks(&walk(5.0), &Pose::IDENTITY, 1.0);
    for (part, still) in tracks.iter().zip(&still) {
        for time_s in [0.0, 1.0, 1.7, 7.4, 9.0, 20.0] {
            let (a, b) = (part.pose_at(time_s), still);
            assert!(a.translation.distance(b.translation) < 1e-12, "{time_s}");
        }
    }
    let top = still[1].translation.z + 0.066 * 1.8;
    assert!((top - 1.8).abs() < 1e-9, "{top}");
    for mesh in person.meshes() {
        // Closed and turned outwards: its volume is positive.
        let volume: f64 = mesh
            .triangles
            .iter()
            .map(|t| {
                let [a, b, c] = t.map(|i| mesh.positions[i as usize]);
                a.dot(b.cross(c)) / 6.0
            })
            .sum();
        assert!(volume > 1e-4, "{volume}");
    }
}

#[test]
fn the_gait_goes_on_smoothly_from_cycle_to_cycle() {
    let person = Person::new(HEIGHT_M);
    let stride_m = person.stride_m(1.4);
    let (a, b) = (person.posture(0.0, stride_m), person.posture(1.0, stride_m));
    assert_eq!(a, b);
    // No part jumps: the fastest is a knee that unbends, below six times the speed of walking.
    let cycle_s = stride_m / 1.4;
    for step in 0..2000 {
        let at = |i: i32| person.posture(f64::from(i) / 2000.0, stride_m);
        for (now, next) in at(step).iter().zip(&at(step + 1)) {
            let speed = now.translation.distance(next.translation) * 2000.0 / cycle_s;
            assert!(speed < 6.0 * 1.4, "{speed}");
        }
    }
}
