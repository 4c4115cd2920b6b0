//! Leaf angles as a table: how much leaf area has which inclination.
//!
//! What enters: shares of the leaf area by the angle between a leaf's normal and the zenith, measured
//! on triangles, read from a file, or of a known distribution. What leaves: the projection function
//! G(θ), the mean over all azimuths of the area that is seen under a zenith angle, per leaf area
//! (Ross 1981). Of the ellipsoidal distribution (Campbell 1986) leaves lie as on a spheroid whose
//! horizontal axis is χ times its vertical one: upright below 1, flat above, spherical at 1.

use std::f64::consts::FRAC_PI_2;

use understory_base::math;

use crate::LeafAngle;
use crate::leaf_angle::mean_projection;

/// Shares of leaf area by inclination, in bins of equal width from 0 to 90°.
#[derive(Clone, Debug, PartialEq)]
pub struct Inclinations {
    shares: Vec<f64>,
}

impl Inclinations {
    /// Bins where nothing else is said.
    pub const BINS: usize = 90;

    /// From areas (or any numbers in their proportion) in bins of equal width; `None` if a number is
    /// negative or not finite, or all are 0.
    pub fn from_areas(areas: &[f64]) -> Option<Inclinations> {
        let total: f64 = areas.iter().sum();
        let valid = areas.iter().all(|area| area.is_finite() && *area >= 0.0);
        (valid && total.is_finite() && total > 0.0)
            .then(|| Inclinations { shares: areas.iter().map(|area| area / total).collect() })
    }

    /// Of one of de Wit's distributions.
    pub fn of(angle: LeafAngle) -> Inclinations {
        let edge = |bin: usize| FRAC_PI_2 * bin as f64 / Self::BINS as f64;
        let share = |bin| angle.cumulative(edge(bin + 1)) - angle.cumulative(edge(bin));
        Inclinations { shares: (0..Self::BINS).map(share).collect() }
    }

    /// Of Campbell's ellipsoidal distribution: g(θ) ∝ sin θ / (cos² θ + χ² sin² θ)².
    pub fn ellipsoidal(chi: f64) -> Option<Inclinations> {
        let density = |bin: usize| {
            let (sin, cos) = math::sin_cos(FRAC_PI_2 * (bin as f64 + 0.5) / Self::BINS as f64);
            sin / (cos * cos + chi * chi * sin * sin).powi(2)
        };
        let areas: Vec<f64> = (0..Self::BINS).map(density).collect();
        Inclinations::from_areas(&areas).filter(|_| chi > 0.0)
    }

    /// Share of the leaf area in each bin.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// Middle of a bin.
    pub fn middle_rad(&self, bin: usize) -> f64 {
        FRAC_PI_2 * (bin as f64 + 0.5) / self.shares.len() as f64
    }

    /// Mean inclination.
    pub fn mean_rad(&self) -> f64 {
        self.shares.iter().enumerate().map(|(bin, share)| share * self.middle_rad(bin)).sum()
    }

    /// Projection function G at a zenith angle.
    pub fn projection(&self, zenith_rad: f64) -> f64 {
        let zenith = zenith_rad.abs().clamp(0.0, FRAC_PI_2);
        let of_bin =
            |(bin, share): (usize, &f64)| share * mean_projection(self.middle_rad(bin), zenith);
        self.shares.iter().enumerate().map(of_bin).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_project_as_their_distributions() {
        for angle in LeafAngle::ALL {
            let table = Inclinations::of(angle);
            for degrees in [0.0f64, 20.0, 45.0, 57.5, 80.0] {
                let zenith = degrees.to_radians();
                let off = (table.projection(zenith) - angle.projection(zenith)).abs();
                assert!(off < 2e-4, "{angle:?} at {degrees}: {off}");
            }
        }
    }

    #[test]
    fn a_sphere_is_the_ellipsoid_of_chi_1_and_campbells_g_is_met() {
        let sphere = Inclinations::ellipsoidal(1.0).unwrap();
        assert!((sphere.projection(0.3) - 0.5).abs() < 1e-4);
        assert!((sphere.mean_rad() - 1.0).abs() < 1e-4);
        // Campbell's closed extinction coefficient K = sqrt(χ² + tan² θ) / Λ with his Λ, G = K cos θ.
        for chi in [0.3f64, 0.7, 1.5, 3.0] {
            let lambda = if chi < 1.0 {
                let e = (1.0 - chi * chi).sqrt();
                chi + e.asin() / e
            } else {
                let e = (1.0 - 1.0 / (chi * chi)).sqrt();
                chi + ((1.0 + e) / (1.0 - e)).ln() / (2.0 * e * chi)
            };
            let table = Inclinations::ellipsoidal(chi).unwrap();
            for degrees in [0.0f64, 30.0, 60.0, 80.0] {
                let (sin, cos) = degrees.to_radians().sin_cos();
                let g = (chi * chi * cos * cos + sin * sin).sqrt() / lambda;
                let off = table.projection(degrees.to_radians()) - g;
                assert!(off.abs() < 3e-3, "{chi} at {degrees}: {off}");
            }
        }
        assert!(Inclinations::ellipsoidal(f64::NAN).is_none());
        assert!(Inclinations::from_areas(&[0.0; 9]).is_none());
        assert!(Inclinations::from_areas(&[1.0, -1.0, 2.0]).is_none());
    }

    #[test]
    fn flat_and_upright_leaves_project_as_planes_do() {
        let mut areas = vec![0.0; 900];
        areas[0] = 3.0;
        let flat = Inclinations::from_areas(&areas).unwrap();
        assert!((flat.projection(60f64.to_radians()) - 0.5).abs() < 1e-3);
        areas.reverse();
        let upright = Inclinations::from_areas(&areas).unwrap();
        let g = upright.projection(30f64.to_radians());
        // Mean of |cos| over all azimuths: 2/π · sin θ.
        assert!((g - 1.0 / std::f64::consts::PI).abs() < 2e-3, "{g}");
    }
}
