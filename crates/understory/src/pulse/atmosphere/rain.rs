//! Rain: what it takes (Goodin et al. 2019) and the drops that are seen (Kilic et al. 2021).
//!
//! - Extinction α = 0.01·R^0.6 in 1/m, for the rate R in mm/h.
//! - Ranges scatter by σ = 0.02·z·(1 − e^(−R))².
//! - A return is kept while ρ·e^(−2αz)/z² > 0.9/(π·z_max²): see [`super::kept`].
//! - Drops by Marshall and Palmer's law N(D) = 8000·e^(−ΛD) per m³ and mm, Λ = 4.1·R^−0.21 per mm,
//!   from 0.05 mm on; a drop sends back F·min((D/d)², 1)·e^(−2αr)/r² of a beam d wide, as in LISA,
//!   the program of Kilic et al., with F what water reflects after Fresnel.

use super::particles::{Occlusion, ParticleLaw};
use understory_base::math;

/// What water of index 1.328 reflects at normal incidence, ((n − 1)/(n + 1))².
pub const WATER: f64 = 0.019_850_970_1;

/// A rain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RainSpec {
    /// Rate R.
    pub rate_mm_per_h: f64,
    /// Whether single drops are seen.
    pub drops: bool,
    /// F, what a drop sends back beside a white surface of its size: [`WATER`].
    pub drop_reflectance: f64,
    /// Whether ranges scatter.
    pub range_noise: bool,
}

impl RainSpec {
    /// Extinction coefficient.
    ///
    /// ```
    /// # use understory::pulse::atmosphere::rain::RainSpec;
    /// let rain = RainSpec { rate_mm_per_h: 10.0, drops: true, drop_reflectance: 1.0, range_noise: true };
    /// assert!((rain.extinction_per_m() - 0.039_810_717_1).abs() < 1e-10);
    /// ```
    pub fn extinction_per_m(&self) -> f64 {
        0.01 * math::powf(self.rate_mm_per_h, 0.6)
    }

    /// Standard deviation of the range, per metre of range.
    pub fn range_sigma(&self) -> f64 {
        match self.range_noise {
            true => 0.02 * (1.0 - math::exp(-self.rate_mm_per_h)).powi(2),
            false => 0.0,
        }
    }

    /// Marshall and Palmer's drops.
    pub fn drop_law(&self) -> ParticleLaw {
        ParticleLaw {
            intercept: 8000.0,
            slope_per_mm: 4.1 * math::powf(self.rate_mm_per_h, -0.21),
            least_mm: 0.05,
            occlusion: Occlusion::Area,
            reflectance: self.drop_reflectance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rain(rate_mm_per_h: f64) -> RainSpec {
        RainSpec { rate_mm_per_h, drops: true, drop_reflectance: 1.0, range_noise: true }
    }

    #[test]
    fn a_rain_of_10_mm_per_h() {
        let rain = rain(10.0);
        assert!((rain.extinction_per_m() - 0.039_810_717_1).abs() < 5e-11);
        assert!((20.0 * rain.range_sigma() - 0.399_963_681).abs() < 5e-10);
        assert!((rain.drop_law().density_above(0.05) - 2_788.755_57).abs() < 1e-5);
    }

    /// Range at which a target of ρ = 0.3 is lost to a sensor that reaches 100 m.
    #[test]
    fn detection_range_in_rain() {
        for (rate, expected_m) in [(10.0, 30.4487), (1.0, 57.5527)] {
            let alpha = rain(rate).extinction_per_m();
            let kept = |z: f64| super::super::kept(0.3, 0.3 * (-2.0 * alpha * z).exp(), z, 100.0);
            assert!(kept(expected_m - 1e-4) && !kept(expected_m + 1e-4), "{rate} mm/h");
        }
    }
}
