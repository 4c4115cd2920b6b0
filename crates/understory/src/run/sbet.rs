//! Poses as surveyors' trajectory files hold them: SBET, "smoothed best estimate of trajectory".
//!
//! What enters: poses of the platform over time in the world, and where on Earth that is. What
//! leaves: records of 17 little-endian doubles: time, latitude and longitude (radians), altitude
//! above WGS 84, velocity to north, east and down, roll, pitch and heading, wander angle (0: the
//! frame is north-aligned), acceleration and angular rate along the body's axes (forward, right,
//! down). Acceleration is that of the motion, without gravity. Times are seconds of the run.

use glam::{DMat3, DVec3};
use understory_base::Pose;
use understory_base::math;
use understory_cloud::GeographicOrigin;

/// Doubles of a record.
const FIELDS: usize = 17;

/// The record of one time, as bytes; `half_step_s` is the time over which motion is measured to
/// either side.
pub(super) fn record(
    origin: &GeographicOrigin,
    pose_at: impl Fn(f64) -> Pose,
    time_s: f64,
    half_step_s: f64,
) -> [u8; 8 * FIELDS] {
    let [before, now, after] = [-half_step_s, 0.0, half_step_s].map(|step| pose_at(time_s + step));
    let at = origin.geodetic(now.translation.to_array());
    let ned_from_world = origin.ned_from_world(&at);
    let velocity = (after.translation - before.translation) / (2.0 * half_step_s);
    let acceleration = (after.translation - 2.0 * now.translation + before.translation)
        / (half_step_s * half_step_s);
    let turn = (before.rotation.inverse() * after.rotation).to_scaled_axis();
    let rate = turn / (2.0 * half_step_s);
    // The platform's own frame is forward, left, up.
    let frd = |v: DVec3| DVec3::new(v.x, -v.y, -v.z);
    let frd_from_flu = DMat3::from_diagonal(frd(DVec3::ONE));
    let ned_from_body = ned_from_world * DMat3::from_quat(now.rotation) * frd_from_flu;
    let row = ned_from_body.transpose();
    let [roll, pitch, heading] = [
        math::atan2(row.z_axis.y, row.z_axis.z),
        -math::asin(row.z_axis.x.clamp(-1.0, 1.0)),
        math::atan2(row.y_axis.x, row.x_axis.x),
    ];
    let ned = ned_from_world * velocity;
    let [a, w] = [frd(now.rotation.inverse() * acceleration), frd(rate)];
    let (latitude, longitude) = (at.latitude_deg.to_radians(), at.longitude_deg.to_radians());
    let values: [f64; FIELDS] = [
        time_s,
        latitude,
        longitude,
        at.altitude_m,
        ned.x,
        ned.y,
        ned.z,
        roll,
        pitch,
        heading,
        0.0,
        a.x,
        a.y,
        a.z,
        w.x,
        w.y,
        w.z,
    ];
    let mut bytes = [0; 8 * FIELDS];
    for (to, value) in bytes.chunks_exact_mut(8).zip(values) {
        to.copy_from_slice(&value.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn values(origin: &GeographicOrigin, pose_at: impl Fn(f64) -> Pose, time_s: f64) -> Vec<f64> {
        let bytes = record(origin, pose_at, time_s, 0.005);
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    /// Motion on a circle that climbs, banked to its inside, as written on paper: heading follows
    /// the tangent, the acceleration v²/r points to the centre, the rate is v/r about the vertical.
    #[test]
    fn a_banked_turn_is_as_on_paper() {
        let origin = GeographicOrigin {
            latitude_deg: 48.0,
            longitude_deg: 11.0,
            altitude_m: 500.0,
            yaw_from_east_deg: 0.0,
        };
        let (radius_m, speed_m_s, bank) = (200.0, 30.0, 0.2f64);
        let turn_rate = speed_m_s / radius_m;
        // From above clockwise about (200, 0): begins at the origin to the north, right side down.
        let pose_at = |time_s: f64| {
            let angle = turn_rate * time_s;
            let translation =
                DVec3::new(radius_m * (1.0 - angle.cos()), radius_m * angle.sin(), 2.0 * time_s);
            let yaw = std::f64::consts::FRAC_PI_2 - angle;
            // Positive about x lowers the right side.
            let rotation = DQuat::from_rotation_z(yaw) * DQuat::from_rotation_x(bank);
            Pose { translation, rotation }
        };
        let now = values(&origin, pose_at, 0.0);
        let radius_of_meridian_m = 6_378_137.0 * (1.0 - 0.006_694_379_990_14)
            / (1.0 - 0.006_694_379_990_14 * 48f64.to_radians().sin().powi(2)).powf(1.5);
        let ahead = values(&origin, pose_at, 0.1);
        let north_m = (ahead[1] - now[1]) * (radius_of_meridian_m + 500.0);
        assert!((north_m - radius_m * (0.1 * turn_rate).sin()).abs() < 1e-4, "{north_m}");
        let inward = speed_m_s * turn_rate;
        let expected = [
            (3, 500.0, 1e-6),
            (4, speed_m_s, 1e-4),
            (5, 0.0, 1e-4),
            (6, -2.0, 1e-6),
            (7, bank, 1e-9),
            (8, 0.0, 1e-9),
            (9, 0.0, 1e-9),
            (11, 0.0, 1e-3),
            (12, inward * bank.cos(), 1e-3),
            (13, -inward * bank.sin(), 1e-3),
            (14, 0.0, 1e-9),
            (15, turn_rate * bank.sin(), 1e-6),
            (16, turn_rate * bank.cos(), 1e-6),
        ];
        for (field, value, limit) in expected {
            assert!(
                (now[field] - value).abs() < limit,
                "field {field}: {} for {value}",
                now[field]
            );
        }
        // East of the origin north is not the origin's: the meridians converge by Δλ·sin φ.
        let far = values(
            &origin,
            |_| Pose { translation: DVec3::X * 50_000.0, rotation: DQuat::IDENTITY },
            0.0,
        );
        let converged = (far[2] - now[2]) * far[1].sin();
        let heading = far[9] - std::f64::consts::FRAC_PI_2;
        assert!((heading - converged).abs() < 1e-6, "{heading} for {converged}");
    }
}
