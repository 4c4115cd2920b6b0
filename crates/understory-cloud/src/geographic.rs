//! Where on Earth a world is: metres about an origin ↔ latitude and longitude on WGS 84.
//!
//! What enters: a point of the world and the place of the world's origin. What leaves: geodetic
//! coordinates. The world is a plane that touches the ellipsoid's parallel surface at the origin (a
//! local tangent plane, east, north, up); the way leads over geocentric coordinates and has no
//! approximation.

use glam::{DMat3, DVec3};
use understory_base::math;

/// Semi-major axis of WGS 84.
const RADIUS_M: f64 = 6_378_137.0;
/// Flattening of WGS 84.
const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// Square of its first eccentricity.
const ECCENTRICITY_2: f64 = FLATTENING * (2.0 - FLATTENING);

/// Where on Earth the origin of a world is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeographicOrigin {
    /// North of the equator.
    pub latitude_deg: f64,
    /// East of Greenwich.
    pub longitude_deg: f64,
    /// Above the ellipsoid of WGS 84.
    pub altitude_m: f64,
    /// From east counter-clockwise to the world's x axis.
    pub yaw_from_east_deg: f64,
}

/// A point on WGS 84.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geodetic {
    /// North of the equator.
    pub latitude_deg: f64,
    /// East of Greenwich, −180…180.
    pub longitude_deg: f64,
    /// Above the ellipsoid.
    pub altitude_m: f64,
}

impl GeographicOrigin {
    /// Where a point of the world is.
    pub fn geodetic(&self, world_m: [f64; 3]) -> Geodetic {
        let geocentric_from_enu = geocentric_from_enu(self.latitude_deg, self.longitude_deg);
        let sin_lat = math::sin(self.latitude_deg.to_radians());
        let curvature_m = RADIUS_M / (1.0 - ECCENTRICITY_2 * sin_lat * sin_lat).sqrt();
        let origin = geocentric_from_enu.z_axis * (curvature_m + self.altitude_m)
            - DVec3::Z * (ECCENTRICITY_2 * curvature_m * sin_lat);
        let local = self.east_from_world() * DVec3::from(world_m);
        of_geocentric(origin + geocentric_from_enu * local)
    }

    /// Turns vectors of the world to north, east and down at a point, whose horizon is not the
    /// origin's.
    pub fn ned_from_world(&self, at: &Geodetic) -> DMat3 {
        let ned_from_enu = DMat3::from_cols(DVec3::Y, DVec3::X, -DVec3::Z);
        ned_from_enu
            * geocentric_from_enu(at.latitude_deg, at.longitude_deg).transpose()
            * geocentric_from_enu(self.latitude_deg, self.longitude_deg)
            * self.east_from_world()
    }

    /// Turns vectors of the world to east, north and up.
    fn east_from_world(&self) -> DMat3 {
        DMat3::from_rotation_z(self.yaw_from_east_deg.to_radians())
    }

    /// Covariance in east, north and up of variances along the world's axes, row by row.
    pub(crate) fn covariance(&self, variance: [f64; 3]) -> [f64; 9] {
        let turn = self.east_from_world();
        // Symmetric: rows are columns.
        (turn * DMat3::from_diagonal(variance.into()) * turn.transpose()).to_cols_array()
    }
}

/// Turns east, north and up of a place to the Earth's axes.
fn geocentric_from_enu(latitude_deg: f64, longitude_deg: f64) -> DMat3 {
    let (sin_lat, cos_lat) = math::sin_cos(latitude_deg.to_radians());
    let (sin_lon, cos_lon) = math::sin_cos(longitude_deg.to_radians());
    DMat3::from_cols(
        DVec3::new(-sin_lon, cos_lon, 0.0),
        DVec3::new(-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat),
        DVec3::new(cos_lat * cos_lon, cos_lat * sin_lon, sin_lat),
    )
}

/// Latitude, longitude and altitude of a point by Bowring's iteration of the reduced latitude, which
/// keeps every digit after four steps from the Earth's inside to far orbits.
fn of_geocentric(point: DVec3) -> Geodetic {
    let axis_m = math::hypot(point.x, point.y);
    let semi_minor_m = RADIUS_M * (1.0 - FLATTENING);
    let second_2 = ECCENTRICITY_2 / (1.0 - ECCENTRICITY_2);
    let mut reduced = math::atan2(point.z, axis_m * (1.0 - FLATTENING));
    let mut latitude = 0.0f64;
    for _ in 0..4 {
        let (sin, cos) = math::sin_cos(reduced);
        latitude = math::atan2(
            point.z + second_2 * semi_minor_m * sin.powi(3),
            axis_m - ECCENTRICITY_2 * RADIUS_M * cos.powi(3),
        );
        let (sin, cos) = math::sin_cos(latitude);
        reduced = math::atan2((1.0 - FLATTENING) * sin, cos);
    }
    let (sin, cos) = math::sin_cos(latitude);
    // The distance along the normal, well conditioned at the poles and at the equator.
    let altitude_m =
        axis_m * cos + point.z * sin - RADIUS_M * (1.0 - ECCENTRICITY_2 * sin * sin).sqrt();
    Geodetic {
        latitude_deg: latitude.to_degrees(),
        longitude_deg: math::atan2(point.y, point.x).to_degrees(),
        altitude_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against PROJ 9 (`+proj=topocentric` back to `+proj=cart` back): Paris, McMurdo beyond the
    /// date line, the pole.
    #[test]
    fn points_are_where_proj_has_them() {
        let paris = (48.8443, 2.3392, 61.5);
        for ((latitude_deg, longitude_deg, altitude_m), world_m, expected) in [
            (paris, [0.0, 0.0, 0.0], [2.3392, 48.8443, 61.5]),
            (paris, [1000.0, -2500.0, 40.0], [2.352817740556, 48.821818855122, 102.068687392399]),
            (paris, [-3e4, 7e4, 1500.0], [1.925400774113, 49.472804216247, 2016.289509475231]),
            (
                (-77.85, 179.99, 0.0),
                [5000.0, 100.0, 10.0],
                [-179.797295328446, -77.849023029198, 11.954318911768],
            ),
            (
                (90.0, 0.0, 0.0),
                [50.0, 100.0, 10.0],
                [153.434948822832, 89.998999021929, 10.000976623036],
            ),
        ] {
            let origin = GeographicOrigin {
                latitude_deg,
                longitude_deg,
                altitude_m,
                yaw_from_east_deg: 0.0,
            };
            let found = origin.geodetic(world_m);
            let found = [found.longitude_deg, found.latitude_deg, found.altitude_m];
            let off = [found[0] - expected[0], found[1] - expected[1], found[2] - expected[2]];
            // 1e-11° are a micrometre; close to the pole a longitude is worth less.
            let limit = [if latitude_deg == 90.0 { 1e-8 } else { 2e-11 }, 2e-11, 1e-6];
            assert!((0..3).all(|i| off[i].abs() < limit[i]), "{found:?} for {expected:?}");
            // The same point of a world whose x axis points north-west.
            let turned = GeographicOrigin { yaw_from_east_deg: 135.0, ..origin };
            let (sin, cos) = 135f64.to_radians().sin_cos();
            let [x, y, z] = world_m;
            let again = turned.geodetic([cos * x + sin * y, -sin * x + cos * y, z]);
            assert!((again.latitude_deg - found[1]).abs() < 1e-11);
            assert!((again.altitude_m - found[2]).abs() < 1e-6);
        }
    }

    #[test]
    fn variances_turn_with_the_axes() {
        let origin = |yaw_from_east_deg| GeographicOrigin {
            latitude_deg: 10.0,
            longitude_deg: 20.0,
            altitude_m: 0.0,
            yaw_from_east_deg,
        };
        assert_eq!(
            origin(0.0).covariance([1.0, 4.0, 9.0]),
            [1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 9.0]
        );
        let turned = origin(90.0).covariance([1.0, 4.0, 9.0]);
        let expected = [4.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 9.0];
        assert!(turned.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{turned:?}");
    }
}
