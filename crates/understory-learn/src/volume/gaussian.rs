//! A Gaussian volume and a ray: where they come nearest, and how range is spread there.
//!
//! Deschaud 2012, equations 1–3. For a ray p₀ + t·r̂ and a volume of mean μ and precision
//! Λ = Σ⁻¹, with a = r̂ᵀΛr̂: the nearest approach is at t* = r̂ᵀΛ(μ − p₀)/a, its Mahalanobis
//! distance is d = ‖p₀ + t*·r̂ − μ‖_Λ, and along the ray the density is that of a normal law about t*
//! with σ_t² = 1/a. One evaluation gives all three, because ‖p(t) − μ‖²_Λ = d² + (t − t*)²/σ_t².
//!
//! Covariances are made valid before they are inverted ([`floor_eigenvalues`]): a voxel often holds a
//! single scan line, and its scatter across it is nothing.

use glam::{DMat3, DVec3};
use nalgebra::{Matrix3, SymmetricEigen};

use super::moments::outer;

/// A volume that may return light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaussian {
    /// Its centre.
    pub mean: DVec3,
    /// Inverse of its covariance.
    pub precision: DMat3,
}

/// Where a ray comes nearest to a volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Range of the nearest point, t*.
    pub range_m: f64,
    /// Its Mahalanobis distance.
    pub distance: f64,
    /// Spread of the range, σ_t.
    pub sigma_m: f64,
}

impl Gaussian {
    /// From a mean and a covariance that was regularised; `None` where it has no inverse.
    pub fn new(mean: DVec3, covariance: DMat3) -> Option<Gaussian> {
        let precision = covariance.inverse();
        (precision.is_finite() && covariance.determinant() > 0.0)
            .then_some(Gaussian { mean, precision })
    }

    /// Where a ray from `origin` in the unit direction `direction` comes nearest.
    pub fn approach(&self, origin: DVec3, direction: DVec3) -> Approach {
        let to_mean = self.mean - origin;
        let along = self.precision * direction;
        let a = direction.dot(along);
        let range_m = along.dot(to_mean) / a;
        let miss = direction * range_m - to_mean;
        let distance = miss.dot(self.precision * miss).max(0.0).sqrt();
        Approach { range_m, distance, sigma_m: 1.0 / a.sqrt() }
    }
}

/// How covariances are made valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Regularisation {
    /// How many points the sensor's own uncertainty counts for, ν.
    pub prior_points: f64,
    /// Least standard deviation along any axis.
    pub sigma_min_m: f64,
    /// Least ratio of an eigenvalue to the largest.
    pub eigenvalue_ratio_min: f64,
}

impl Default for Regularisation {
    fn default() -> Regularisation {
        Regularisation { prior_points: 3.0, sigma_min_m: 0.003, eigenvalue_ratio_min: 1e-4 }
    }
}

/// Uncertainty of a sensor's points, along and across the beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointUncertainty {
    /// Standard deviation of the range.
    pub sigma_range_m: f64,
    /// Width of an encoder step.
    pub encoder_step_rad: f64,
    /// Full divergence of the beam.
    pub divergence_rad: f64,
}

impl PointUncertainty {
    /// Standard deviation across the beam at a range: a uniform encoder step and a uniform spot.
    pub fn sigma_across_m(&self, range_m: f64) -> f64 {
        range_m * ((self.encoder_step_rad.powi(2) + self.divergence_rad.powi(2)) / 12.0).sqrt()
    }

    /// Covariance of a point measured in the unit direction `direction`.
    pub fn covariance(&self, direction: DVec3, range_m: f64) -> DMat3 {
        let along = outer(direction, direction);
        let across = self.sigma_across_m(range_m).powi(2);
        along * self.sigma_range_m.powi(2) + (DMat3::IDENTITY - along) * across
    }
}

/// Whether all eigenvalues of a symmetric matrix are above `least`: the leading minors of what is left
/// are positive (Sylvester). Much quicker than to find them.
pub(crate) fn exceeds(covariance: DMat3, least: f64) -> bool {
    let left = covariance - DMat3::from_diagonal(DVec3::splat(least));
    let [x, y] = [left.x_axis, left.y_axis];
    x.x > 0.0 && x.x * y.y - x.y * y.x > 0.0 && left.determinant() > 0.0
}

/// Raises eigenvalues to their least.
pub fn floor_eigenvalues(covariance: DMat3, rule: &Regularisation) -> DMat3 {
    let trace = covariance.x_axis.x + covariance.y_axis.y + covariance.z_axis.z;
    // The largest is at most the trace.
    if exceeds(covariance, rule.sigma_min_m.powi(2).max(trace * rule.eigenvalue_ratio_min)) {
        return covariance;
    }
    let matrix = Matrix3::from_column_slice(&covariance.to_cols_array());
    let eigen = SymmetricEigen::new(matrix);
    let largest = eigen.eigenvalues.max();
    let least = rule.sigma_min_m.powi(2).max(largest * rule.eigenvalue_ratio_min);
    if eigen.eigenvalues.min() >= least {
        return covariance;
    }
    let values = eigen.eigenvalues.map(|value| value.max(least));
    let floored =
        eigen.eigenvectors * Matrix3::from_diagonal(&values) * eigen.eigenvectors.transpose();
    let mut columns = [0.0; 9];
    columns.copy_from_slice(floored.as_slice());
    DMat3::from_cols_array(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::moments::tests::{POINTS, moments};

    fn close(value: f64, expected: f64, relative: f64) {
        assert!((value - expected).abs() <= relative * expected.abs(), "{value} not {expected}");
    }

    #[test]
    fn the_nearest_approach_by_test_vector() {
        let six = moments(&POINTS);
        let volume = Gaussian::new(six.mean, six.covariance()).unwrap();
        let direction = DVec3::new(8.0, 0.02, -0.97).normalize();
        close(direction.x, 0.992_726_232, 1e-8);
        let nearest = volume.approach(DVec3::new(0.0, 0.0, 1.0), direction);
        close(nearest.range_m, 8.084_259_48, 1e-8);
        close(nearest.distance, 0.293_033_954, 1e-7);
        close(nearest.sigma_m, 0.010_430_156_9, 1e-7);
    }

    /// A turned diagonal matrix: all eigenvalues are above what is below the least of them.
    #[test]
    fn eigenvalues_exceed_what_is_below_the_least() {
        let turn = DMat3::from_axis_angle(DVec3::new(1.0, -2.0, 0.5).normalize(), 0.8);
        let values = DVec3::new(4.0, 0.01, 0.3);
        let matrix = turn * DMat3::from_diagonal(values) * turn.transpose();
        assert!(exceeds(matrix, 0.0099) && !exceeds(matrix, 0.0101) && !exceeds(matrix, 5.0));
        assert!(!exceeds(-matrix, 0.0) && !exceeds(DMat3::NAN, 0.0));
    }

    #[test]
    fn eigenvalues_by_test_vector() {
        let covariance = moments(&POINTS).covariance();
        let matrix = Matrix3::from_column_slice(&covariance.to_cols_array());
        let mut values: Vec<f64> =
            SymmetricEigen::new(matrix).eigenvalues.iter().copied().collect();
        values.sort_by(f64::total_cmp);
        for (value, expected) in
            values.iter().zip([6.481_477_03e-5, 1.609_753_34e-4, 2.228_487_84e-4])
        {
            close(*value, expected, 1e-8);
        }
    }

    #[test]
    fn spread_across_the_beam_by_test_vector() {
        let uncertainty = PointUncertainty {
            sigma_range_m: 0.005,
            encoder_step_rad: 0.09f64.to_radians(),
            divergence_rad: 0.002,
        };
        close(uncertainty.sigma_across_m(8.0), 5.873_057_63e-3, 1e-8);
        let covariance = uncertainty.covariance(DVec3::Y, 8.0);
        close(covariance.y_axis.y, 2.5e-5, 1e-12);
        close(covariance.x_axis.x, 5.873_057_63e-3f64.powi(2), 1e-8);
    }

    /// Four coplanar points; the plane is 5 mm thick after the floor.
    #[test]
    fn a_plane_gets_a_thickness() {
        let corners = [(0.0, 0.0), (0.04, 0.0), (0.0, 0.04), (0.04, 0.04)];
        let plane = moments(&corners.map(|(y, z)| DVec3::new(8.0, y, z)));
        let rule = Regularisation { sigma_min_m: 0.005, ..Regularisation::default() };
        let covariance = floor_eigenvalues(plane.covariance(), &rule);
        close(covariance.x_axis.x, 2.5e-5, 1e-9);
        close(covariance.y_axis.y, 4e-4, 1e-9);
        let volume = Gaussian::new(plane.mean, covariance).unwrap();
        let nearest = volume.approach(DVec3::ZERO, DVec3::new(1.0, 0.0025, 0.0025).normalize());
        close(nearest.range_m, 8.000_050_00, 1e-8);
        assert!(nearest.distance < 1e-6);
        close(nearest.sigma_m, 5.000_029_30e-3, 1e-8);
    }

    #[test]
    fn a_lone_point_has_no_inverse() {
        let one = moments(&POINTS[..1]);
        assert!(Gaussian::new(one.mean, DMat3::ZERO).is_none());
    }
}
