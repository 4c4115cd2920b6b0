//! Wheels on soft, fine-grained soil, by the vehicle–terrain relations that MAVS uses.
//!
//! With wheel width b, diameter d, load W, rating cone index RCI and deflection δ/h of the tyre:
//!
//! - N_cz = RCI·b·d / (W·(1 − δ/h)^1.5), N_c = N_cz / (1 + b/d)^0.75
//! - slip at the self-propelled point S_sp = 21/N_c^2.5 + 0.005
//! - resistance R = 5.07/N_c^1.71 + 0.011
//! - traction T(s) = ½·log₁₀(s/S_sp)·(1 + b/d)^0.25 + 12/N_c² + 0.007, at most 1
//!
//! All forces are over the wheel's load. A wheel that climbs a grade g (the tangent of the slope) at a
//! steady speed needs T = R + g, which gives the slip in closed form:
//! s = S_sp · 10^(2·(R + g − 12/N_c² − 0.007)/(1 + b/d)^0.25). From s = 1 on it does not move.

use understory::scenario::drive::SoilSpec;
use understory_base::math;

/// A wheel under its load on a soil.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wheel {
    /// N_c.
    pub number: f64,
    /// (1 + b/d)^0.25.
    shape: f64,
}

impl Wheel {
    /// A wheel of this diameter and width.
    pub fn new([diameter_m, width_m]: [f64; 2], load_n: f64, soil: &SoilSpec) -> Wheel {
        let pressed = math::powf(1.0 - soil.deflection, 1.5);
        let clay = soil.cone_index_pa * width_m * diameter_m / (load_n * pressed);
        let slender = 1.0 + width_m / diameter_m;
        Wheel { number: clay / math::powf(slender, 0.75), shape: math::powf(slender, 0.25) }
    }

    /// S_sp.
    pub fn slip_self_propelled(&self) -> f64 {
        21.0 / math::powf(self.number, 2.5) + 0.005
    }

    /// R.
    pub fn resistance(&self) -> f64 {
        5.07 / math::powf(self.number, 1.71) + 0.011
    }

    /// T at a slip.
    pub fn traction(&self, slip: f64) -> f64 {
        let rises = 0.5 * math::log10(slip / self.slip_self_propelled()) * self.shape;
        (rises + self.torque()).min(1.0)
    }

    fn torque(&self) -> f64 {
        12.0 / (self.number * self.number) + 0.007
    }

    /// Slip at a steady speed up a grade, 0 to 1; 1: it does not move.
    pub fn slip(&self, grade: f64) -> f64 {
        let needed = self.resistance() + grade;
        if needed >= 1.0 {
            return 1.0;
        }
        let exponent = 2.0 * (needed - self.torque()) / self.shape;
        let slip = self.slip_self_propelled() * math::powf(10f64, exponent);
        // Where hardly any soil holds it, its numbers overflow.
        if slip.is_finite() { slip.clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOIL: SoilSpec = SoilSpec { cone_index_pa: 300e3, deflection: 0.15 };

    /// The slip found by bisection of the traction formula, and that in closed form.
    #[test]
    fn slip_balances_traction_and_load() {
        let wheel = Wheel::new([0.7, 0.25], 2942.0, &SOIL);
        for grade in [0.0, 0.1, 0.25, 0.35] {
            let (mut low, mut high) = (1e-9, 1.0);
            for _ in 0..200 {
                let middle: f64 = 0.5 * (low + high);
                let short = wheel.traction(middle) < wheel.resistance() + grade;
                if short { low = middle } else { high = middle }
            }
            let slip = wheel.slip(grade);
            assert!((slip - low).abs() < 1e-9, "{grade}: {slip} {low}");
        }
        assert!(wheel.slip(0.1) < wheel.slip(0.3) && wheel.slip(0.0) > 0.0);
    }

    #[test]
    fn softer_soil_slips_more_until_nothing_moves() {
        let slip = |kpa: f64, grade: f64| {
            let soil = SoilSpec { cone_index_pa: 1000.0 * kpa, ..SOIL };
            Wheel::new([0.7, 0.25], 2942.0, &soil).slip(grade)
        };
        let slips: Vec<f64> = [1000.0, 300.0, 150.0, 80.0].map(|kpa| slip(kpa, 0.1)).to_vec();
        assert!(slips.is_sorted(), "{slips:?}");
        assert_eq!(slip(10.0, 0.0), 1.0);
        assert_eq!(slip(1000.0, 5.0), 1.0);
    }
}
