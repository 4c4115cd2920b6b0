//! Stems that are pushed over, by the relations that MAVS uses: with the stem's diameter d and the
//! height h at which it is pushed, both in cm, the force is
//! F = (2 − 1/(1 + e^(−5(d − 2.5))))·(10.86 − 0.0534 h)·d³ in units of 10 N, and a vehicle pushes over
//! what is thinner than d_crit = (weight / (108.6 − 0.534 h))^⅓, where F is its weight.

use crate::vehicle::slope::GRAVITY;
use understory_base::math;

/// Higher than this the relations are not meant; they would become negative at 2 m.
const HEIGHT_MAX_CM: f64 = 150.0;

/// The force that pushes a stem over.
pub fn force_n(diameter_m: f64, height_m: f64) -> f64 {
    let (d, h) = (100.0 * diameter_m, (100.0 * height_m).clamp(0.0, HEIGHT_MAX_CM));
    let thin = 2.0 - 1.0 / (1.0 + math::exp(-5.0 * (d - 2.5)));
    10.0 * thin * (10.86 - 0.0534 * h) * d.powi(3)
}

/// The thinnest stem that stops a vehicle of this mass.
pub fn critical_diameter_m(mass_kg: f64, height_m: f64) -> f64 {
    let h = (100.0 * height_m).clamp(0.0, HEIGHT_MAX_CM);
    0.01 * math::cbrt(mass_kg * GRAVITY / (108.6 - 0.534 * h))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beyond 2.5 cm the first factor is 1, and the force at the critical diameter is the weight.
    #[test]
    fn the_critical_stem_takes_the_whole_weight() {
        for (mass, height) in [(1200.0, 0.5), (3000.0, 0.3), (10_000.0, 1.0)] {
            let d = critical_diameter_m(mass, height);
            assert!(d > 0.04, "{d}");
            let ratio = force_n(d, height) / (mass * GRAVITY);
            assert!((ratio - 1.0).abs() < 1e-3, "{ratio}");
        }
        // 1200 kg at 50 cm: (11768/81.9)^⅓ cm.
        assert!((critical_diameter_m(1200.0, 0.5) - 0.0524).abs() < 1e-4);
    }

    #[test]
    fn thin_stems_are_twice_as_stiff_as_the_cube_of_their_diameter_says() {
        let cube = 10.0 * (10.86 - 0.0534 * 50.0);
        assert!((force_n(0.005, 0.5) / (cube * 0.125) - 2.0).abs() < 1e-3);
    }
}
