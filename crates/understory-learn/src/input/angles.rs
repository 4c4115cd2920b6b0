//! Directions as azimuth and elevation.

use glam::DVec3;
use understory_base::math;

/// An angle between −180 and 180.
pub(super) fn wrap_deg(angle: f64) -> f64 {
    (angle + 180.0).rem_euclid(360.0) - 180.0
}

/// The unit vector of an azimuth and an elevation.
pub(super) fn unit_of(azimuth_deg: f64, elevation_deg: f64) -> DVec3 {
    let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
    let (sin, cos) = math::sin_cos(azimuth);
    let flat = math::cos(elevation);
    DVec3::new(flat * cos, flat * sin, math::sin(elevation))
}

/// Azimuth and elevation of a direction.
pub(super) fn angles_deg(direction: DVec3) -> [f64; 2] {
    let flat = math::hypot(direction.x, direction.y);
    [
        math::atan2(direction.y, direction.x).to_degrees(),
        math::atan2(direction.z, flat).to_degrees(),
    ]
}
