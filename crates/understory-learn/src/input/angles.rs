//! Directions as azimuth and elevation.

use glam::DVec3;

/// An angle between −180 and 180.
pub(super) fn wrap_deg(angle: f64) -> f64 {
    (angle + 180.0).rem_euclid(360.0) - 180.0
}

/// The unit vector of an azimuth and an elevation.
pub(super) fn unit_of(azimuth_deg: f64, elevation_deg: f64) -> DVec3 {
    let (azimuth, elevation) = (azimuth_deg.to_radians(), elevation_deg.to_radians());
    let (sin, cos) = azimuth.sin_cos();
    let flat = elevation.cos();
    DVec3::new(flat * cos, flat * sin, elevation.sin())
}

/// Azimuth and elevation of a direction.
pub(super) fn angles_deg(direction: DVec3) -> [f64; 2] {
    let flat = direction.x.hypot(direction.y);
    [direction.y.atan2(direction.x).to_degrees(), direction.z.atan2(flat).to_degrees()]
}
