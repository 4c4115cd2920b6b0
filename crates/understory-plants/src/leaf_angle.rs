//! Leaf angle distributions, and how much leaf a beam meets under an angle.
//!
//! What enters: one of de Wit's (1965) types. What leaves: leaf normals, and the projection
//! function G (Ross 1981; Goel and Strebel 1984): the mean projected area per leaf area, seen under
//! zenith angle θ. θ_L is the inclination of a leaf, the angle between its normal and the zenith;
//! azimuths are uniform. Beer and Lambert: a beam passes a layer with probability
//! exp(−G(θ)·LAI/cos θ).

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, TAU};
use understory_base::math;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::Random;

/// How leaves are inclined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeafAngle {
    /// As on a sphere, g = sin θ_L: a fair guess where nothing is known.
    #[default]
    Spherical,
    /// Mostly flat, g = (2/π)(1 + cos 2θ_L): clover, beech in the shade.
    Planophile,
    /// Mostly upright, g = (2/π)(1 − cos 2θ_L): grasses, cereals.
    Erectophile,
    /// Mostly oblique, g = (2/π)(1 − cos 4θ_L).
    Plagiophile,
    /// Flat or upright, rarely oblique, g = (2/π)(1 + cos 4θ_L).
    Extremophile,
    /// Every inclination alike, g = 2/π.
    Uniform,
}

impl LeafAngle {
    /// All of them.
    pub const ALL: [LeafAngle; 6] = [
        LeafAngle::Spherical,
        LeafAngle::Planophile,
        LeafAngle::Erectophile,
        LeafAngle::Plagiophile,
        LeafAngle::Extremophile,
        LeafAngle::Uniform,
    ];

    /// Probability density g(θ_L) of the inclination, per radian, over 0…π/2.
    pub fn density(self, inclination_rad: f64) -> f64 {
        let t = inclination_rad;
        match self {
            LeafAngle::Spherical => math::sin(t),
            LeafAngle::Planophile => FRAC_2_PI * (1.0 + math::cos(2.0 * t)),
            LeafAngle::Erectophile => FRAC_2_PI * (1.0 - math::cos(2.0 * t)),
            LeafAngle::Plagiophile => FRAC_2_PI * (1.0 - math::cos(4.0 * t)),
            LeafAngle::Extremophile => FRAC_2_PI * (1.0 + math::cos(4.0 * t)),
            LeafAngle::Uniform => FRAC_2_PI,
        }
    }

    /// Share of leaves that are inclined less than this.
    pub fn cumulative(self, inclination_rad: f64) -> f64 {
        let t = inclination_rad.clamp(0.0, FRAC_PI_2);
        match self {
            LeafAngle::Spherical => 1.0 - math::cos(t),
            LeafAngle::Planophile => FRAC_2_PI * (t + 0.5 * math::sin(2.0 * t)),
            LeafAngle::Erectophile => FRAC_2_PI * (t - 0.5 * math::sin(2.0 * t)),
            LeafAngle::Plagiophile => FRAC_2_PI * (t - 0.25 * math::sin(4.0 * t)),
            LeafAngle::Extremophile => FRAC_2_PI * (t + 0.25 * math::sin(4.0 * t)),
            LeafAngle::Uniform => FRAC_2_PI * t,
        }
    }

    /// Draws an inclination: by the inverse where it is closed, else by rejection, both exact.
    pub fn inclination(self, random: &mut Random) -> f64 {
        if self == LeafAngle::Spherical {
            return math::acos(1.0 - random.unit());
        }
        loop {
            let t = FRAC_PI_2 * random.unit();
            // g(t) over its maximum, half of which is the mean: two tries in the mean.
            let keep = match self {
                LeafAngle::Spherical | LeafAngle::Uniform => 1.0,
                LeafAngle::Planophile => math::cos(t).powi(2),
                LeafAngle::Erectophile => math::sin(t).powi(2),
                LeafAngle::Plagiophile => math::sin(2.0 * t).powi(2),
                LeafAngle::Extremophile => math::cos(2.0 * t).powi(2),
            };
            if random.unit() < keep {
                return t;
            }
        }
    }

    /// Draws the normal of a leaf, of unit length and turned upward.
    pub fn normal(self, random: &mut Random) -> DVec3 {
        let (sin, cos) = math::sin_cos(self.inclination(random));
        let azimuth = TAU * random.unit();
        DVec3::new(sin * math::cos(azimuth), sin * math::sin(azimuth), cos)
    }

    /// Projection function G: mean projected area per leaf area, seen under this zenith angle.
    ///
    /// ```
    /// let g = understory_plants::LeafAngle::Spherical.projection(0.7);
    /// assert!((g - 0.5).abs() < 1e-12);
    /// ```
    pub fn projection(self, zenith_rad: f64) -> f64 {
        if self == LeafAngle::Spherical {
            return 0.5;
        }
        let zenith = zenith_rad.abs().clamp(0.0, FRAC_PI_2);
        // The kernel has a bend where the leaf is seen edge on.
        let bend = FRAC_PI_2 - zenith;
        self.projection_between(zenith, 0.0, bend)
            + self.projection_between(zenith, bend, FRAC_PI_2)
    }

    fn projection_between(self, zenith: f64, low: f64, high: f64) -> f64 {
        const STEPS: u32 = 500;
        let step = (high - low) / f64::from(STEPS);
        let at = |i: u32| low + (f64::from(i) + 0.5) * step;
        (0..STEPS).map(|i| self.density(at(i)) * mean_projection(at(i), zenith) * step).sum()
    }

    /// Probability that a beam under this zenith angle meets no leaf of a layer in which leaves are
    /// placed at random: exp(−G·LAI/cos θ).
    pub fn gap_fraction(self, leaf_area_index: f64, zenith_rad: f64) -> f64 {
        math::exp(-self.projection(zenith_rad) * leaf_area_index / math::cos(zenith_rad))
    }
}

/// Mean of |cos| between the view and the normals of one inclination over all azimuths.
pub(crate) fn mean_projection(inclination: f64, zenith: f64) -> f64 {
    let flat = math::cos(zenith) * math::cos(inclination);
    let upright = math::sin(zenith) * math::sin(inclination);
    if flat >= upright {
        return flat;
    }
    // cos ψ = cot θ cot θ_L; then A = cos θ cos θ_L (1 + (2/π)(tan ψ − ψ)).
    let psi = math::acos(flat / upright);
    flat * (1.0 - FRAC_2_PI * psi) + FRAC_2_PI * (upright * upright - flat * flat).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Kolmogorov and Smirnov's bound for n draws: exceeded with probability 1e-6 (two-sided,
    /// Massart 1990) if the draws follow the distribution.
    fn ks_limit(n: usize) -> f64 {
        ((2.0f64 / 1e-6).ln() / (2.0 * n as f64)).sqrt()
    }

    #[test]
    fn drawn_inclinations_follow_their_distribution() {
        let n = 100_000;
        for angle in LeafAngle::ALL {
            let mut random = Random::new(11);
            let mut drawn: Vec<f64> = (0..n).map(|_| angle.normal(&mut random).z.acos()).collect();
            drawn.sort_by(f64::total_cmp);
            let mut worst: f64 = 0.0;
            for (i, t) in drawn.iter().enumerate() {
                let expected = angle.cumulative(*t);
                worst = worst.max((expected - i as f64 / n as f64).abs());
                worst = worst.max((expected - (i + 1) as f64 / n as f64).abs());
            }
            assert!(worst < ks_limit(n), "{angle:?}: {worst} against {}", ks_limit(n));
            // The test can fail: no other type fits.
            for other in LeafAngle::ALL.into_iter().filter(|other| *other != angle) {
                let apart = (0..100)
                    .map(|i| FRAC_PI_2 * f64::from(i) / 100.0)
                    .map(|t| (angle.cumulative(t) - other.cumulative(t)).abs())
                    .fold(0.0, f64::max);
                assert!(apart > 2.0 * ks_limit(n));
            }
        }
    }

    #[test]
    fn densities_are_the_slopes_of_the_cumulative_ones() {
        for angle in LeafAngle::ALL {
            assert!((angle.cumulative(FRAC_PI_2) - 1.0).abs() < 1e-12);
            for i in 1..50 {
                let t = FRAC_PI_2 * f64::from(i) / 50.0;
                let slope = (angle.cumulative(t + 1e-6) - angle.cumulative(t - 1e-6)) / 2e-6;
                assert!((slope - angle.density(t)).abs() < 1e-6, "{angle:?} {t}");
            }
        }
    }

    #[test]
    fn projection_from_above_is_the_closed_integral() {
        let known = [
            (LeafAngle::Spherical, 0.5),
            (LeafAngle::Planophile, 8.0 / (3.0 * PI)),
            (LeafAngle::Erectophile, 4.0 / (3.0 * PI)),
            (LeafAngle::Plagiophile, 32.0 / (15.0 * PI)),
            (LeafAngle::Extremophile, 4.0 / PI - 32.0 / (15.0 * PI)),
            (LeafAngle::Uniform, 2.0 / PI),
        ];
        for (angle, g) in known {
            assert!((angle.projection(0.0) - g).abs() < 1e-6, "{angle:?}");
        }
    }

    #[test]
    fn numeric_projection_of_spherical_leaves_is_one_half_everywhere() {
        for degrees in [0.0f64, 5.0, 30.0, 57.5, 80.0, 90.0] {
            let zenith = degrees.to_radians();
            let bend = FRAC_PI_2 - zenith;
            let numeric = LeafAngle::Spherical.projection_between(zenith, 0.0, bend)
                + LeafAngle::Spherical.projection_between(zenith, bend, FRAC_PI_2);
            assert!((numeric - 0.5).abs() < 2e-6, "{degrees}: {numeric}");
        }
    }

    #[test]
    fn mean_projection_of_drawn_normals_is_g() {
        let n = 200_000;
        for angle in LeafAngle::ALL {
            for degrees in [0.0f64, 20.0, 40.0, 60.0, 85.0] {
                let (sin, cos) = degrees.to_radians().sin_cos();
                let view = DVec3::new(sin, 0.0, cos);
                let mut random = Random::new(3);
                let sum: f64 = (0..n).map(|_| angle.normal(&mut random).dot(view).abs()).sum();
                let g = angle.projection(degrees.to_radians());
                // Values are within 0…1, so that Hoeffding gives an error probability of 1e-6
                // for each of the 30 means.
                let limit = ((2.0f64 / 1e-6).ln() / (2.0 * f64::from(n))).sqrt();
                assert!((sum / f64::from(n) - g).abs() < limit, "{angle:?} at {degrees}°");
            }
        }
    }
}
