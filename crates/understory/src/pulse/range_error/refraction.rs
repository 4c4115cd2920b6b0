//! The air's refractive index: light is slower in air than in vacuum, and a sensor that divides by
//! another index than the air has reports another range (Bayraktaroglu 2023, equation 3.1).
//!
//! What enters: temperature, pressure and humidity of the air, and the index that the sensor takes
//! for granted. What leaves: the factor n/n_assumed of all ranges.
//!
//! Pulses go with the group index. Its refractivity follows the resolution of the International
//! Association of Geodesy (1999; Ciddor and Hill 1999): in dry air at 0 °C and 1013.25 hPa
//! N_g = 287.6155 + 4.88660/λ² + 0.06800/λ⁴ (λ in µm, N = 10⁶·(n − 1)), and in other air
//! N = N_g·(273.15/1013.25)·p/T − 11.27·e/T, with T in kelvin and the pressures p of the air and e
//! of its vapour in hPa. e is the relative humidity times Magnus's saturation pressure
//! 6.1078·10^(7.5t/(237.3 + t)), t in °C.

use understory_base::math;
use understory_files::ValueOr;
use understory_files::sensor::RefractionFile;

/// Air as geodesists describe it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AirState {
    /// Temperature.
    pub temperature_c: f64,
    /// Pressure.
    pub pressure_hpa: f64,
    /// Relative humidity.
    pub humidity_percent: f64,
}

impl AirState {
    /// Dry air of 15 °C at sea level.
    pub const STANDARD: AirState =
        AirState { temperature_c: 15.0, pressure_hpa: 1013.25, humidity_percent: 0.0 };

    /// Group refractive index for light of this wavelength in vacuum.
    pub fn group_index(&self, wavelength_nm: f64) -> f64 {
        let per_um2 = 1e6 / (wavelength_nm * wavelength_nm);
        let standard = 287.6155 + 4.886_60 * per_um2 + 0.068_00 * per_um2 * per_um2;
        let kelvin = 273.15 + self.temperature_c;
        let exponent = 7.5 * self.temperature_c / (237.3 + self.temperature_c);
        let vapour_hpa = self.humidity_percent / 100.0 * 6.1078 * math::powf(10f64, exponent);
        let dry = standard * 273.15 / 1013.25 * self.pressure_hpa / kelvin;
        1.0 + 1e-6 * (dry - 11.27 * vapour_hpa / kelvin)
    }
}

/// The factor of all ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refraction {
    /// n/n_assumed.
    pub factor: f64,
}

impl Refraction {
    /// What the file says of a sensor of this wavelength.
    pub(super) fn from_file(file: &RefractionFile, wavelength_nm: f64) -> Refraction {
        let usual = AirState::STANDARD;
        let air = AirState {
            temperature_c: file.temperature_c.value_or(usual.temperature_c),
            pressure_hpa: file.pressure_hpa.value_or(usual.pressure_hpa),
            humidity_percent: file.humidity_percent.value_or(usual.humidity_percent),
        };
        let assumed = file.assumed_index.value_or(usual.group_index(wavelength_nm));
        Refraction { factor: air.group_index(wavelength_nm) / assumed }
    }

    pub(super) fn describe(&self) -> String {
        format!("air that stretches ranges by {:+.1} mm per km", 1e6 * (self.factor - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refractivity(wavelength_nm: f64, temperature_c: f64, pressure: f64, humidity: f64) -> f64 {
        let air = AirState { temperature_c, pressure_hpa: pressure, humidity_percent: humidity };
        1e6 * (air.group_index(wavelength_nm) - 1.0)
    }

    /// The reference of Leica's total stations (658 nm, 12 °C, 1013.25 hPa, 60 %), printed in their
    /// manuals as 286.338 ppm, and their 0.29535 ppm per hPa at 0 °C.
    #[test]
    fn the_reference_air_of_a_total_station() {
        assert!((refractivity(658.0, 12.0, 1013.25, 60.0) - 286.338).abs() < 2e-3);
        assert!((refractivity(658.0, 0.0, 1.0, 0.0) - 0.29535).abs() < 1e-5);
    }

    /// Edlén's dispersion (1966) of standard air, 15 °C, by its derivative:
    /// n_g = n + σ·dn/dσ, 10⁸(n − 1) = 8342.13 + 2406030/(130 − σ²) + 15997/(38.9 − σ²).
    #[test]
    fn dispersion_is_that_of_edlen() {
        for wavelength_nm in [532.0, 865.0, 905.0, 1064.0, 1550.0] {
            let phase = |sigma: f64| {
                let square = sigma * sigma;
                1e-2 * (8342.13 + 2_406_030.0 / (130.0 - square) + 15_997.0 / (38.9 - square))
            };
            let sigma = 1e3 / wavelength_nm;
            let step = 1e-4;
            let slope = (phase(sigma + step) - phase(sigma - step)) / (2.0 * step);
            let expected = phase(sigma) + sigma * slope;
            let found = refractivity(wavelength_nm, 15.0, 1013.25, 0.0);
            // Both are good to some 0.1 ppm; Edlén's air has less carbon dioxide.
            assert!((found - expected).abs() < 0.15, "{wavelength_nm}: {found} {expected}");
            assert!((270.0..290.0).contains(&found));
        }
    }

    /// A degree is 1 ppm, 3.6 hPa are 1 ppm, as every handbook of surveying has it.
    #[test]
    fn temperature_and_pressure_by_the_rule_of_thumb() {
        let at = |t, p| refractivity(905.0, t, p, 0.0);
        assert!(((at(15.0, 1013.25) - at(16.0, 1013.25)) - 0.97).abs() < 0.02);
        assert!(((at(15.0, 1013.25) - at(15.0, 1009.65)) - 0.99).abs() < 0.02);
    }
}
