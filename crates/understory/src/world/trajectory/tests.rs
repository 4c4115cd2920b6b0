use super::*;
use crate::rng::{PulseRng, Stage};
use glam::DQuat;

/// Knots at uneven times with turns of up to some 60° about all axes.
fn wild(seed: u64) -> Vec<(f64, Pose)> {
    let mut rng = PulseRng::new(seed, 0, 0, Stage::PlaneSearch);
    let (mut time_s, mut pose) = (-0.3, Pose::IDENTITY);
    let mut knots = Vec::new();
    for _ in 0..12 {
        knots.push((time_s, pose));
        time_s += 0.05 + rng.uniform();
        let mut draw =
            |size: f64| DVec3::from_array(std::array::from_fn(|_| size * rng.gaussian()));
        let (turn, step) = (draw(0.3), draw(1.5));
        pose.rotation = (pose.rotation * DQuat::from_scaled_axis(turn)).normalize();
        pose.translation += step;
    }
    knots
}

fn both_ways(seed: u64) -> [Trajectory; 2] {
    let through = || Trajectory::through(wild(seed)).unwrap();
    [through(), through().interpolated(Interpolation::Spline)]
}

fn apart(a: &Pose, b: &Pose) -> f64 {
    let turn = 2.0 * (a.rotation.inverse() * b.rotation).xyz().length();
    a.translation.distance(b.translation).max(turn)
}

#[test]
fn every_way_passes_through_its_knots_and_rests_beyond_them() {
    for seed in 0..20 {
        for path in both_ways(seed) {
            for (time_s, pose) in wild(seed) {
                assert!(apart(&path.pose_at(time_s), &pose) < 1e-13);
                assert!(apart(&path.pose_at(time_s - 1e-13), &pose) < 1e-10);
            }
            let (first, last) = path.span_s();
            assert_eq!(path.pose_at(first - 1.0), path.pose_at(first));
            assert_eq!(path.pose_at(last + 1.0), wild(seed)[11].1);
            assert_eq!(path.velocity_at(first - 1.0), Velocity::REST);
            assert_eq!(path.velocity_at(last + 1.0), Velocity::REST);
        }
    }
}

/// Central differences of poses over 2·10⁻⁵ s, whose own error is about 10⁻⁹.
fn difference(path: &Trajectory, time_s: f64) -> Velocity {
    let step = 1e-5;
    let (before, after) = (path.pose_at(time_s - step), path.pose_at(time_s + step));
    let mut turn = after.rotation * before.rotation.inverse();
    if turn.w < 0.0 {
        turn = -turn;
    }
    Velocity {
        linear_m_s: (after.translation - before.translation) / (2.0 * step),
        angular_rad_s: turn.to_scaled_axis() / (2.0 * step),
    }
}

#[test]
fn velocities_are_those_of_differences_and_within_their_bounds() {
    for seed in 0..10 {
        for path in both_ways(seed) {
            let (first, last) = path.span_s();
            let near_knot = |t: f64| wild(seed).iter().any(|knot| (knot.0 - t).abs() < 2e-5);
            for step in 1..2000 {
                let time_s = first + (last - first) * f64::from(step) / 2000.0;
                let exact = path.velocity_at(time_s);
                let (speed, turn) = path.fastest(time_s, time_s);
                assert!(exact.linear_m_s.length() <= speed * (1.0 + 1e-12));
                assert!(exact.angular_rad_s.length() <= turn * (1.0 + 1e-12));
                if near_knot(time_s) {
                    continue;
                }
                let found = difference(&path, time_s);
                let scale = 1.0 + exact.linear_m_s.length() + exact.angular_rad_s.length();
                assert!((found.linear_m_s - exact.linear_m_s).length() < 1e-6 * scale);
                assert!((found.angular_rad_s - exact.angular_rad_s).length() < 1e-6 * scale);
            }
        }
    }
}

/// What the tracer relies on: nothing gets further than the bound times the time.
#[test]
fn no_way_is_longer_than_its_bound_allows() {
    for seed in 0..10 {
        for path in both_ways(seed) {
            let (first, last) = path.span_s();
            let at = |share: u32| first + (last - first) * f64::from(share) / 40.0;
            for (from, to) in (0..40).flat_map(|a| (a + 1..41).map(move |b| (a, b))) {
                let (from_s, to_s) = (at(from), at(to));
                let (speed, turn) = path.fastest(from_s, to_s);
                let (a, b) = (path.pose_at(from_s), path.pose_at(to_s));
                let turned = (a.rotation.inverse() * b.rotation).to_scaled_axis().length();
                let turned = turned.min(std::f64::consts::TAU - turned);
                let allowed = (to_s - from_s) * (1.0 + 1e-9);
                assert!(a.translation.distance(b.translation) <= speed * allowed);
                assert!(turned <= turn * allowed);
            }
        }
    }
}

#[test]
fn the_velocity_of_a_spline_has_no_jumps() {
    for seed in 0..20 {
        let [even, smooth] = both_ways(seed);
        let mut even_jump: f64 = 0.0;
        for (time_s, _) in &wild(seed)[1..11] {
            let jump = |path: &Trajectory| {
                let (before, at) = (path.velocity_at(time_s - 1e-9), path.velocity_at(*time_s));
                let turn = (before.angular_rad_s - at.angular_rad_s).length();
                (before.linear_m_s - at.linear_m_s).length().max(turn)
            };
            assert!(jump(&smooth) < 1e-4, "{}", jump(&smooth));
            even_jump = even_jump.max(jump(&even));
        }
        assert!(even_jump > 0.1);
    }
}

/// Half-way between two rotations is the turn by half the angle; glam's own slerp is an
/// approximation below 3.6°.
#[test]
fn even_turns_are_exact() {
    for angle in [1e-6, 1e-3, 0.01, 0.02, 0.05, 0.07, 1.0, 3.0] {
        let axis = DVec3::new(1.0, -2.0, 0.5).normalize();
        let to = DQuat::from_axis_angle(axis, angle);
        for to in [to, -to] {
            let knots = vec![(0.0, Pose::IDENTITY), (2.0, Pose { rotation: to, ..Pose::IDENTITY })];
            let path = Trajectory::through(knots).unwrap();
            for share in [0.1, 0.25, 0.5, 0.9] {
                let wanted = DQuat::from_axis_angle(axis, share * angle);
                let found = path.pose_at(2.0 * share).rotation;
                let off = 2.0 * (found.inverse() * wanted).xyz().length();
                assert!(off < 5e-9, "{angle} {share}: {off}");
            }
        }
    }
}

/// A spline is exact for even motion, and for a parabola.
#[test]
fn a_spline_gives_simple_motions_back() {
    let at = |t: f64| Pose {
        rotation: DQuat::from_rotation_z(0.4 * t),
        translation: DVec3::new(2.0 * t, 0.5 * t * t, -1.0),
    };
    let knots = [0.0, 0.7, 1.0, 2.2, 3.0].map(|t| (t, at(t))).to_vec();
    let path = Trajectory::through(knots).unwrap().interpolated(Interpolation::Spline);
    for step in 0..=300 {
        let t = f64::from(step) / 100.0;
        assert!(apart(&path.pose_at(t), &at(t)) < 1e-13, "{t}");
    }
}

#[test]
fn a_stop_is_a_stop() {
    let at = |x: f64| Pose { translation: DVec3::new(x, 0.0, 0.0), ..Pose::IDENTITY };
    let knots = vec![(0.0, at(0.0)), (1.0, at(1.0)), (4.0, at(1.0)), (5.0, at(2.0))];
    let path = Trajectory::through(knots).unwrap().interpolated(Interpolation::Spline);
    for step in 0..=30 {
        let t = 1.0 + f64::from(step) / 10.0;
        assert!((path.pose_at(t).translation.x - 1.0).abs() < 1e-15);
        assert_eq!(path.fastest(1.0, 4.0).1, 0.0);
    }
}

/// scipy 1.17's `RotationSpline` and `Slerp` at 0.37 s between four rotations given as rotation
/// vectors. Slerp is the same function. Its spline has continuous accelerations, ours continuous
/// velocities; both approach the true motion, so they are close where knots are.
#[test]
fn rotations_agree_with_scipy() {
    let knots = [
        (0.0, [0.0, 0.0, 0.0]),
        (0.2, [0.05, -0.02, 0.1]),
        (0.5, [0.1, 0.01, 0.3]),
        (0.9, [0.05, 0.08, 0.55]),
    ];
    let knots = knots.map(|(t, v)| {
        let rotation = DQuat::from_scaled_axis(DVec3::from_array(v));
        (t, Pose { rotation, ..Pose::IDENTITY })
    });
    let even = Trajectory::through(knots.to_vec()).unwrap();
    let smooth = even.clone().interpolated(Interpolation::Spline);
    let off = |path: &Trajectory, wanted: [f64; 4]| {
        let wanted = DQuat::from_array(wanted);
        2.0 * (path.pose_at(0.37).rotation.inverse() * wanted).xyz().length()
    };
    assert!(off(&even, SCIPY_SLERP) < 1e-14, "{}", off(&even, SCIPY_SLERP));
    let (near, far) = (off(&smooth, SCIPY_SPLINE), off(&even, SCIPY_SPLINE));
    assert!(near < far / 3.0 && near < 4e-3, "{near} {far}");
}

const SCIPY_SLERP: [f64; 4] =
    [0.03909340927684154, -0.0015123743420496216, 0.10643679729105707, 0.9935495087097499];
const SCIPY_SPLINE: [f64; 4] =
    [0.043410436192926026, -0.005100105306705453, 0.10456504189162225, 0.9935570818879023];
