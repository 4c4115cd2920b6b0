//! How much light clear-looking air takes: visibility → extinction coefficient.
//!
//! Koschmieder's law with the contrast of 5 % of the meteorological optical range (MOR):
//! MOR = ln 20/α. Visibility is reported for green light (550 nm); at another wavelength
//! α(λ) = α·(λ/550 nm)^−q with q by visibility after Kruse (1962) or Kim (2001).

use understory_base::math;

/// ln 20, the optical depth of one meteorological optical range.
pub const LN_20: f64 = 2.995_732_273_553_991;

/// Wavelength at which visibility is reported.
const VISIBLE_NM: f64 = 550.0;

/// Extinction coefficient of air with this meteorological optical range.
///
/// ```
/// use understory::pulse::atmosphere::extinction::{extinction_per_m, visibility_m};
/// assert!((visibility_m(0.06) - 49.928_871_2).abs() < 1e-7);
/// assert!((extinction_per_m(visibility_m(0.06)) - 0.06).abs() < 1e-15);
/// ```
pub fn extinction_per_m(visibility_m: f64) -> f64 {
    LN_20 / visibility_m
}

/// Meteorological optical range of air with this extinction coefficient.
pub fn visibility_m(extinction_per_m: f64) -> f64 {
    LN_20 / extinction_per_m
}

/// How extinction depends on the wavelength.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WavelengthLaw {
    /// Not at all, as in fog, whose drops are larger than the wavelength.
    #[default]
    None,
    /// After Kruse: also in fog the infrared goes farther, which measurements do not bear out.
    Kruse,
    /// After Kim: as Kruse in haze, not at all below 500 m.
    Kim,
}

impl WavelengthLaw {
    /// Factor on the extinction at `wavelength_nm` of air with this visibility.
    pub fn factor(self, visibility_m: f64, wavelength_nm: f64) -> f64 {
        math::powf(wavelength_nm / VISIBLE_NM, -self.exponent(visibility_m / 1000.0))
    }

    /// The exponent q at a visibility in kilometres.
    fn exponent(self, visibility_km: f64) -> f64 {
        let v = visibility_km;
        match self {
            WavelengthLaw::None => 0.0,
            _ if v > 50.0 => 1.6,
            _ if v > 6.0 => 1.3,
            WavelengthLaw::Kruse => 0.585 * math::cbrt(v),
            WavelengthLaw::Kim if v > 1.0 => 0.16 * v + 0.34,
            WavelengthLaw::Kim if v > 0.5 => v - 0.5,
            WavelengthLaw::Kim => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_per_cent_are_left_after_one_visibility() {
        for visibility in [10.0, 50.0, 600.0, 20_000.0] {
            let left = (-extinction_per_m(visibility) * visibility).exp();
            assert!((left - 0.05).abs() < 1e-15);
        }
    }

    /// Exponents printed by Kim, McArthur and Korevaar (2001), and Kruse's at 1 km.
    #[test]
    fn exponents_of_kruse_and_kim() {
        for (law, km, q) in [
            (WavelengthLaw::Kim, 60.0, 1.6),
            (WavelengthLaw::Kim, 10.0, 1.3),
            (WavelengthLaw::Kim, 2.0, 0.66),
            (WavelengthLaw::Kim, 0.8, 0.3),
            (WavelengthLaw::Kim, 0.2, 0.0),
            (WavelengthLaw::Kruse, 10.0, 1.3),
            (WavelengthLaw::Kruse, 1.0, 0.585),
            (WavelengthLaw::None, 10.0, 0.0),
        ] {
            assert!((law.exponent(km) - q).abs() < 1e-12, "{law:?} at {km} km");
        }
        // 10 km at 1550 nm: (1550/550)^-1.3.
        let factor = WavelengthLaw::Kim.factor(10_000.0, 1550.0);
        assert!((factor / 0.260_040_079 - 1.0).abs() < 1e-8, "{factor}");
        assert!((WavelengthLaw::Kim.factor(10_000.0, 550.0) - 1.0).abs() < 1e-15);
    }
}
