//! Count, mean and scatter of points, kept as points come: points → Σ.
//!
//! Deschaud 2012, §III-C: the maximum-likelihood Gaussian of a volume has the mean of its points
//! and Σ = scatter/n. Welford's update never subtracts two large numbers; Chan's merge makes parts
//! that were gathered apart equal to the whole up to rounding. Points are given relative to a place
//! near them (the centre of their voxel): at map coordinates the squares would eat the millimetres.

use glam::{DMat3, DVec3};

/// What is known of a set of points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Number of points, or the sum of their weights.
    pub weight: f64,
    /// Their mean.
    pub mean: DVec3,
    /// Sum of the outer products of their offsets from the mean.
    pub scatter: DMat3,
}

impl Default for Moments {
    /// Not derived: the default of a matrix is the identity.
    fn default() -> Moments {
        Moments::EMPTY
    }
}

impl Moments {
    /// Nothing yet.
    pub const EMPTY: Moments = Moments { weight: 0.0, mean: DVec3::ZERO, scatter: DMat3::ZERO };

    /// Adds a point.
    pub fn add(&mut self, point: DVec3) {
        self.add_weighted(point, 1.0);
    }

    /// Adds a point that counts `weight` times; not positive: nothing.
    pub fn add_weighted(&mut self, point: DVec3, weight: f64) {
        if weight.is_nan() || weight <= 0.0 {
            return;
        }
        self.weight += weight;
        let before = point - self.mean;
        self.mean += before * (weight / self.weight);
        self.scatter += outer(before * weight, point - self.mean);
    }

    /// Adds the points that another one holds, relative to the same place.
    pub fn merge(&mut self, other: &Moments) {
        if other.weight <= 0.0 {
            return;
        }
        if self.weight <= 0.0 {
            *self = *other;
            return;
        }
        let weight = self.weight + other.weight;
        let between = other.mean - self.mean;
        self.scatter +=
            other.scatter + outer(between, between) * (self.weight * other.weight / weight);
        self.mean += between * (other.weight / weight);
        self.weight = weight;
    }

    /// Maximum-likelihood covariance; zero without points.
    pub fn covariance(&self) -> DMat3 {
        if self.weight > 0.0 { self.scatter * (1.0 / self.weight) } else { DMat3::ZERO }
    }
}

/// a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const POINTS: [DVec3; 6] = [
        DVec3::new(8.010, 0.010, 0.020),
        DVec3::new(8.030, 0.018, 0.012),
        DVec3::new(8.022, 0.041, 0.033),
        DVec3::new(8.045, 0.033, 0.008),
        DVec3::new(8.018, 0.027, 0.045),
        DVec3::new(8.036, 0.006, 0.029),
    ];

    pub(crate) fn moments(points: &[DVec3]) -> Moments {
        let mut moments = Moments::EMPTY;
        points.iter().for_each(|point| moments.add(*point));
        moments
    }

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-8 * expected.abs(), "{value} not {expected}");
    }

    #[test]
    fn six_points_by_test_vector() {
        let six = moments(&POINTS);
        close(six.mean.x, 8.026_833_333_333);
        close(six.mean.y, 0.0225);
        close(six.mean.z, 0.0245);
        let covariance = six.covariance();
        close(covariance.x_axis.x, 1.348_055_56e-4);
        close(covariance.y_axis.y, 1.535_833_33e-4);
        close(covariance.z_axis.z, 1.6025e-4);
        close(covariance.x_axis.y, 1.775e-5);
        close(covariance.x_axis.z, -7.408_333_33e-5);
        close(covariance.y_axis.z, 1.908_333_33e-5);
    }

    #[test]
    fn parts_merge_to_the_whole() {
        let mut parts = moments(&POINTS[..2]);
        parts.merge(&moments(&POINTS[2..]));
        close(parts.scatter.x_axis.x, 8.088_333_33e-4);
        close(parts.scatter.x_axis.z, -4.445e-4);
        let whole = moments(&POINTS);
        assert!((parts.mean - whole.mean).length() < 1e-15);
        let mut nothing = Moments::EMPTY;
        nothing.merge(&whole);
        nothing.merge(&Moments::EMPTY);
        assert_eq!(nothing, whole);
    }

    /// A point of weight 3 is three points.
    #[test]
    fn weights_are_counts() {
        let mut weighted = Moments::EMPTY;
        weighted.add_weighted(POINTS[0], 3.0);
        weighted.add_weighted(POINTS[3], 2.0);
        weighted.add_weighted(POINTS[1], 0.0);
        weighted.add_weighted(POINTS[1], f64::NAN);
        let plain = moments(&[POINTS[0], POINTS[0], POINTS[0], POINTS[3], POINTS[3]]);
        assert!((weighted.mean - plain.mean).length() < 1e-14);
        let difference = weighted.scatter - plain.scatter;
        assert!(difference.to_cols_array().iter().all(|x| x.abs() < 1e-14));
    }
}
