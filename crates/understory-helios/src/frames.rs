//! Frames and angles: HELIOS++'s right–forward–up and Understory's forward–left–up.
//!
//! A vector of HELIOS++ is a quarter turn about z of the same vector in Understory's frame, so a
//! rotation R of a thing on another becomes Z⁻¹·R·Z with Z the quarter turn. The world is the same
//! in both: only what has a forward of its own is turned.

use std::f64::consts::FRAC_PI_2;
use understory_base::math;

use glam::{DMat3, DVec3};

use crate::HeliosError;
use crate::xml::Element;

/// The quarter turn: `helios_from_ours`.
pub fn helios_from_ours() -> DMat3 {
    DMat3::from_rotation_z(FRAC_PI_2)
}

/// Pose of a thing on another, in Understory's frames.
pub fn mounted(rotation: DMat3, position: DVec3) -> (DMat3, DVec3) {
    let turn = helios_from_ours();
    (turn.transpose() * rotation * turn, turn.transpose() * position)
}

/// What `<rot axis angle_deg>` in an element say together; about fixed axes, or each about those
/// that the ones before have turned (`rotations = "local"`).
pub fn rotation(element: Element<'_>) -> Result<DMat3, HeliosError> {
    let local = element.text("rotations") == Some("local");
    let mut sum = DMat3::IDENTITY;
    for turn in element.children("rot") {
        let angle = turn.number("angle_deg")?.unwrap_or(0.0).to_radians();
        let one = match turn.text("axis") {
            Some("x" | "X") => DMat3::from_rotation_x(angle),
            Some("y" | "Y") => DMat3::from_rotation_y(angle),
            Some("z" | "Z") => DMat3::from_rotation_z(angle),
            other => {
                return Err(HeliosError::invalid(
                    turn.location(),
                    format!("axis = {:?} is no axis", other.unwrap_or("")),
                    "write x, y or z",
                ));
            }
        };
        sum = if local { sum * one } else { one * sum };
    }
    Ok(sum)
}

/// `x`, `y` and `z` of an element, 0 where they are not said.
pub fn vector(element: Element<'_>) -> Result<DVec3, HeliosError> {
    let part = |name| Ok(element.number(name)?.unwrap_or(0.0));
    Ok(DVec3::new(part("x")?, part("y")?, part("z")?))
}

/// Roll, pitch and yaw in degrees of R = Rz(yaw)·Ry(pitch)·Rx(roll).
pub fn rpy_deg(rotation: DMat3) -> [f64; 3] {
    let [x, y, z] = [rotation.x_axis, rotation.y_axis, rotation.z_axis];
    let level = math::hypot(x.x, x.y);
    let pitch = math::atan2(-x.z, level);
    // Straight up or down only the difference of roll and yaw is known.
    let (roll, yaw) = if level > 1e-9 {
        (math::atan2(y.z, z.z), math::atan2(x.y, x.x))
    } else {
        (0.0, math::atan2(-y.x, y.y))
    };
    [roll, pitch, yaw].map(|angle| tidy(angle.to_degrees(), 1e-6))
}

/// A number without the dust of rounding: the nearest multiple of `step`, and no −0.
pub fn tidy(number: f64, step: f64) -> f64 {
    let whole = (number / step).round();
    if whole == 0.0 { 0.0 } else { whole / (1.0 / step).round() }
}

/// The same angle within (−180°, 180°].
pub fn half_turn_deg(angle_deg: f64) -> f64 {
    let turned = tidy(angle_deg, 1e-6).rem_euclid(360.0);
    tidy(if turned > 180.0 { turned - 360.0 } else { turned }, 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_base::Pose;

    #[test]
    fn angles_make_the_rotation_that_they_came_from() {
        for angles in [
            [10.0, 20.0, 30.0],
            [-170.0, -80.0, 179.0],
            [0.0, 90.0, 40.0],
            [0.0, -90.0, -120.0],
            [180.0, 0.0, 0.0],
        ] {
            let wanted = Pose::from_position_and_rpy_deg([0.0; 3], angles);
            let matrix = DMat3::from_quat(wanted.rotation);
            let got = Pose::from_position_and_rpy_deg([0.0; 3], rpy_deg(matrix));
            let error = DMat3::from_quat(got.rotation) - matrix;
            assert!(error.to_cols_array().iter().all(|part| part.abs() < 1e-7), "{angles:?}");
        }
    }

    #[test]
    fn forward_stays_forward() {
        // 30° up about the right hand's axis, which is our left with the other sign.
        let (rotation, position) =
            mounted(DMat3::from_rotation_x(30f64.to_radians()), DVec3::new(1.0, 2.0, 3.0));
        assert!((rotation * DVec3::X - DVec3::new(0.75f64.sqrt(), 0.0, 0.5)).length() < 1e-12);
        assert!((position - DVec3::new(2.0, -1.0, 3.0)).length() < 1e-12);
        assert_eq!(
            (half_turn_deg(540.0), half_turn_deg(-180.0), half_turn_deg(-0.0)),
            (180.0, 180.0, 0.0)
        );
    }
}
