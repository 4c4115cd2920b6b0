//! How far a target is seen, by its reflectivity: which sub-rays are too faint to count.
//!
//! What enters: reflectance ρ, cosine of the incidence and distance of a sub-ray. What leaves:
//! whether it counts. The models stand here as their authors give them; they disagree, and
//! [`SensitivityModel::Physical`] is the one with a reason: light of an extended diffuse target falls as
//! ρ·cos θ·e^{−2αr}/r².

use std::f32::consts::PI;
use understory_base::math;

use understory_files::sensor::{LimitModel, RangeLimitFile};
use understory_files::{Number, ValueOr};

use crate::Error;
use crate::pulse::check::Check;

/// Which sub-rays are too faint to count. Those that bring back nothing never do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum SensitivityModel {
    /// None but those that bring back nothing.
    #[default]
    Dark,
    /// As in MAVS, the program of P2's authors: those whose ρ·cos θ/r² is not above
    /// 0.9/(π·r_max²). P2 does not print this rule.
    Mavs {
        /// r_max, the range at which a target of ρ·cos θ = 0.9/π is just lost.
        range_max_m: f32,
    },
    /// Gschwandtner 2011, equation 1 with its lost factor: up to the near mark everything counts,
    /// beyond it what reflects at least as much as the straight line through both marks says. Plain
    /// ρ, without cos θ; the distance is the whole path.
    Blensor {
        /// The near mark, d_lower.
        near_m: f32,
        /// Least reflectance that is seen there, r_lower.
        near_reflectance: f32,
        /// The far mark, d_upper.
        far_m: f32,
        /// Least reflectance that is seen there, r_upper.
        far_reflectance: f32,
    },
    /// Bayraktaroglu 2023, equation 4.8: what has 100·ρ·cos θ ≥ a + b·r². The coefficients of 4.9
    /// let a black target be seen at 55 m.
    Bayraktaroglu {
        /// a.
        a_percent: f32,
        /// b.
        b_percent_per_m2: f32,
    },
    /// What sends back at least as much light as a target of a known reflectivity at the range at
    /// which it is just seen: r_max = r_ref·√(ρ·cos θ/R_ref), shortened by extinction.
    Physical {
        /// r_ref.
        range_m: f32,
        /// R_ref, ρ·cos θ of the target that is just seen there.
        reflectivity: f32,
        /// α, extinction of the air one way.
        extinction_per_m: f32,
    },
}

impl SensitivityModel {
    /// Which sub-rays are too faint; without a table all that bring back anything count.
    pub(crate) fn from_file(
        check: &Check<'_>,
        file: Option<&RangeLimitFile>,
    ) -> Result<SensitivityModel, Error> {
        let Some(file) = file else { return Ok(SensitivityModel::Dark) };
        let range_m = file.range_m.as_ref().map(Number::get);
        let reflectivity = file.reflectivity.value_or(0.0);
        let extinction = file.extinction_per_m.value_or(0.0);
        let (near_m, far_m) = (file.near_m.value_or(50.0), file.far_m.value_or(120.0));
        let near_reflectance = file.near_reflectance.value_or(0.1);
        let far_reflectance = file.far_reflectance.value_or(0.8);
        let (a, b) = (file.a_percent.value_or(-9.25), file.b_percent_per_m2.value_or(0.003));
        let needs = |keys: &str, example: &str| {
            check.fault(
                &file.model.span(),
                format!("this model needs {keys}"),
                format!("add {example} to [range_limit]"),
            )
        };
        Ok(match (file.model.get_ref(), range_m) {
            (LimitModel::None, _) => SensitivityModel::Dark,
            (LimitModel::Physical, Some(range_m)) if file.reflectivity.is_some() => {
                SensitivityModel::Physical {
                    range_m: range_m as f32,
                    reflectivity: reflectivity as f32,
                    extinction_per_m: extinction as f32,
                }
            }
            (LimitModel::Physical, _) => {
                return needs(
                    "range_m and reflectivity",
                    "for example range_m = 40 and reflectivity = 0.1",
                );
            }
            (LimitModel::Mavs, Some(range_m)) => {
                SensitivityModel::Mavs { range_max_m: range_m as f32 }
            }
            (LimitModel::Mavs, None) => {
                return needs("range_m", "for example range_m = 100");
            }
            (LimitModel::Blensor, _) => {
                if near_m >= far_m || near_reflectance > far_reflectance {
                    return check.fault(
                        &file.model.span(),
                        format!(
                            "the near mark ({near_reflectance} at {near_m} m) does not lie before the far one ({far_reflectance} at {far_m} m)"
                        ),
                        "the far mark must be farther away and need no less reflectance",
                    );
                }
                SensitivityModel::Blensor {
                    near_m: near_m as f32,
                    near_reflectance: near_reflectance as f32,
                    far_m: far_m as f32,
                    far_reflectance: far_reflectance as f32,
                }
            }
            (LimitModel::Bayraktaroglu, _) => {
                SensitivityModel::Bayraktaroglu { a_percent: a as f32, b_percent_per_m2: b as f32 }
            }
        })
    }

    /// Farthest distance that [`SensitivityModel::reach_m`] tells.
    pub const REACH_MAX_M: f32 = 1e6;

    /// Equation 1 with the marks of the HDL-64E S2: 10 % at 50 m, 80 % at 120 m.
    pub const BLENSOR_HDL_64E: SensitivityModel = SensitivityModel::Blensor {
        near_m: 50.0,
        near_reflectance: 0.1,
        far_m: 120.0,
        far_reflectance: 0.8,
    };

    /// Equation 4.9, for an Ouster OS1-64 under sunlight of 100 klx.
    pub const BAYRAKTAROGLU_OS1: SensitivityModel =
        SensitivityModel::Bayraktaroglu { a_percent: -9.25, b_percent_per_m2: 0.003 };

    /// Whether a sub-ray that met a surface of this reflectance counts.
    #[inline]
    pub fn detects(&self, reflectance: f32, cos_incidence: f32, distance_m: f32) -> bool {
        let lambert = reflectance * cos_incidence;
        let square = distance_m * distance_m;
        lambert > 0.0
            && match *self {
                SensitivityModel::Dark => true,
                SensitivityModel::Mavs { range_max_m } => {
                    lambert > 0.9 / (PI * range_max_m * range_max_m) * square
                }
                SensitivityModel::Blensor { near_m, near_reflectance, far_m, far_reflectance } => {
                    let slope = (far_reflectance - near_reflectance) / (far_m - near_m);
                    distance_m < near_m
                        || reflectance >= near_reflectance + slope * (distance_m - near_m)
                }
                SensitivityModel::Bayraktaroglu { a_percent, b_percent_per_m2 } => {
                    100.0 * lambert >= a_percent + b_percent_per_m2 * square
                }
                SensitivityModel::Physical { range_m, reflectivity, extinction_per_m: 0.0 } => {
                    lambert * (range_m * range_m) >= reflectivity * square
                }
                SensitivityModel::Physical { range_m, reflectivity, extinction_per_m } => {
                    let gain = math::exp(-2.0 * extinction_per_m * (distance_m - range_m));
                    lambert * gain * (range_m * range_m) >= reflectivity * square
                }
            }
    }

    /// The farthest distance at which a surface counts, at most [`SensitivityModel::REACH_MAX_M`].
    pub fn reach_m(&self, reflectance: f32, cos_incidence: f32) -> f32 {
        let (mut near, mut far) = (0.0, SensitivityModel::REACH_MAX_M);
        if self.detects(reflectance, cos_incidence, far) {
            return far;
        }
        // All models are monotonic in the distance: halve as long as f32 can tell the middle.
        loop {
            let middle = 0.5 * (near + far);
            if middle <= near || middle >= far {
                return near;
            }
            if self.detects(reflectance, cos_incidence, middle) {
                near = middle
            } else {
                far = middle
            }
        }
    }

    /// The model in a few words.
    pub fn describe(&self) -> String {
        match *self {
            SensitivityModel::Dark => "none".into(),
            SensitivityModel::Mavs { range_max_m } => format!("as in MAVS for {range_max_m} m"),
            SensitivityModel::Blensor { near_m, near_reflectance, far_m, far_reflectance } => {
                format!(
                    "Gschwandtner 2011: {:.0} % up to {near_m} m, {:.0} % up to {far_m} m",
                    100.0 * near_reflectance,
                    100.0 * far_reflectance
                )
            }
            SensitivityModel::Bayraktaroglu { .. } => format!(
                "Bayraktaroglu 2023: 10 % up to {:.0} m, 80 % up to {:.0} m",
                self.reach_m(0.1, 1.0),
                self.reach_m(0.8, 1.0)
            ),
            SensitivityModel::Physical { range_m, reflectivity, .. } => {
                format!("{:.0} % up to {range_m} m, others by ρ·cos θ/r²", 100.0 * reflectivity)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f32, b: f64) -> bool {
        (f64::from(a) / b - 1.0).abs() < 1e-6
    }

    /// The least reflectance that counts at a distance, by halving.
    fn least_reflectance(cut: &SensitivityModel, distance_m: f32) -> f32 {
        let (mut dark, mut bright) = (0.0f32, 1.0f32);
        for _ in 0..60 {
            let middle = 0.5 * (dark + bright);
            if cut.detects(middle, 1.0, distance_m) { bright = middle } else { dark = middle }
        }
        bright
    }

    #[test]
    fn gschwandtner_equation_1() {
        let cut = SensitivityModel::BLENSOR_HDL_64E;
        for (distance_m, reflectance) in [(60.0, 0.2), (85.0, 0.45), (120.0, 0.8)] {
            assert!(near(least_reflectance(&cut, distance_m), reflectance), "{distance_m} m");
        }
        assert!(cut.detects(1e-6, 1.0, 49.999) && !cut.detects(0.0, 1.0, 10.0));
        assert!(!cut.detects(0.0999, 1.0, 50.0) && cut.detects(0.1001, 1.0, 50.0));
        // Grazing incidence changes nothing.
        assert!(cut.detects(0.21, 0.01, 60.0) && !cut.detects(0.19, 1.0, 60.0));
        let line = SensitivityModel::Blensor {
            near_m: 50.0,
            near_reflectance: 0.1,
            far_m: 200.0,
            far_reflectance: 0.9,
        };
        assert!(near(least_reflectance(&line, 100.0), 0.366666667));
    }

    #[test]
    fn bayraktaroglu_equation_4_9() {
        let cut = SensitivityModel::BAYRAKTAROGLU_OS1;
        for (reflectivity, reach_m) in
            [(0.1, 80.104099), (0.2, 98.742088), (0.8, 172.481883), (1.0, 190.831514)]
        {
            assert!(near(cut.reach_m(reflectivity, 1.0), reach_m), "{reflectivity}");
            assert!(near(cut.reach_m(1.0, reflectivity), reach_m), "R is ρ·cos θ");
        }
        // Towards 0 % the equation still promises 55.5 m; nothing at all is not seen.
        assert!(near(cut.reach_m(1e-9, 1.0), 55.527771));
        assert!(!cut.detects(0.0, 1.0, 1.0));
    }

    #[test]
    fn mavs_threshold_at_100_m() {
        let cut = SensitivityModel::Mavs { range_max_m: 100.0 };
        assert!(near(least_reflectance(&cut, 1.0), 2.864_788_98e-5));
        assert!(near(cut.reach_m(0.9 / PI, 1.0), 100.0));
    }

    /// The reach grows with the root of the reflectivity; under extinction it solves
    /// r²·e^{2αr} = r_ref²·e^{2αr_ref}·R/R_ref.
    #[test]
    fn the_physical_reach_follows_the_inverse_square() {
        let clear =
            SensitivityModel::Physical { range_m: 40.0, reflectivity: 0.1, extinction_per_m: 0.0 };
        assert!(near(clear.reach_m(0.8, 1.0), 40.0 * 8f64.sqrt()));
        assert!(near(clear.reach_m(0.8, 0.125), 40.0));
        let hazy =
            SensitivityModel::Physical { range_m: 40.0, reflectivity: 0.1, extinction_per_m: 0.01 };
        let reach = f64::from(hazy.reach_m(0.8, 1.0));
        let law = |r: f64| r * r * (0.02 * r).exp();
        assert!((law(reach) / (8.0 * law(40.0)) - 1.0).abs() < 1e-5, "{reach}");
        assert!(reach < f64::from(clear.reach_m(0.8, 1.0)));
    }

    #[test]
    fn words_name_the_marks() {
        assert!(
            SensitivityModel::BAYRAKTAROGLU_OS1
                .describe()
                .ends_with("10 % up to 80 m, 80 % up to 172 m")
        );
    }
}
