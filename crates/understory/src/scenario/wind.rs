//! `[world.wind]`: plants that sway.
//!
//! Every plant swings about its root at one period, taller ones more slowly and less far: a plant of
//! height h has the period `period_s` · √(h / ½ m), in steps of half an octave, and the angle
//! `sway_deg` · (1 m / h), neither beyond what the key says for low ones. Gusts run over the field
//! as a wave, so that neighbours swing nearly together. Across the wind a plant swings 0.4 times as
//! far as along it.

use super::file::WindFile;
use glam::{DAffine3, DVec2};
use std::f64::consts::TAU;
use understory_base::math;
use understory_files::ValueOr;
use understory_geometry::Sway;

/// Plants up to this height swing as the keys say.
const LOW_M: f64 = 1.0;
/// Plants up to this height have the period that the key says.
const QUICK_M: f64 = 0.5;
/// How far plants swing across the wind, of how far they do along it.
const ACROSS: f64 = 0.4;
/// Most half octaves by which the period of tall plants is longer.
const SLOWER_MAX: f64 = 7.0;

/// The wind over a world.
#[derive(Clone, Copy, Debug)]
pub struct Wind {
    along: DVec2,
    sway_deg: f64,
    lean_deg: f64,
    period_s: f64,
    wavelength_m: f64,
    unrest: f64,
}

impl Wind {
    /// The wind of a table.
    pub fn new(file: &WindFile) -> Wind {
        let heading_deg = file.heading_deg.value_or(0.0);
        Wind {
            along: DVec2::from_angle(heading_deg.to_radians()),
            sway_deg: file.sway_deg.value_or(5.0),
            lean_deg: file.lean_deg.value_or(3.0),
            period_s: file.period_s.value_or(1.2),
            wavelength_m: file.wavelength_m.value_or(8.0),
            unrest: file.unrest.value_or(0.2),
        }
    }

    /// How a plant of this height sways where it stands; `random` is a number of its own.
    pub fn sway(&self, height_m: f64, world_from_plant: &DAffine3, random: u64) -> Sway {
        let tall = (LOW_M / height_m.max(LOW_M)).min(1.0);
        let half_octaves = math::log2(height_m.max(QUICK_M) / QUICK_M).round().min(SLOWER_MAX);
        let tangent = |degrees: f64| math::tan((degrees * tall).to_radians());
        let root = world_from_plant.translation;
        let own = (random >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
        let waves = root.truncate().dot(self.along) / self.wavelength_m;
        let phase = TAU * (self.unrest * own - waves);
        let (sin, cos) = math::sin_cos(phase);
        let (along, across) = (self.along, self.along.perp() * ACROSS);
        let swing = tangent(self.sway_deg);
        Sway {
            frequency_hz: 1.0 / (self.period_s * math::exp2(0.5 * half_octaves)),
            lean: along * tangent(self.lean_deg),
            sine: (along * cos - across * sin) * swing,
            cosine: (along * sin + across * cos) * swing,
            root_z_m: root.z,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    const WIND: Wind = Wind {
        along: DVec2::Y,
        sway_deg: 5.0,
        lean_deg: 3.0,
        period_s: 1.0,
        wavelength_m: 8.0,
        unrest: 0.0,
    };

    fn tangents(sway: &Sway, time_s: f64) -> DVec2 {
        let (sin, cos) = (TAU * sway.frequency_hz * time_s).sin_cos();
        sway.lean + sway.sine * sin + sway.cosine * cos
    }

    /// The crest of the wave has gone a wavelength down the wind after a period.
    #[test]
    fn gusts_run_with_the_wind() {
        let at = |y: f64| DAffine3::from_translation(DVec3::new(3.0, y, 0.0));
        let here = WIND.sway(0.3, &at(0.0), 1);
        for quarter in 0..8 {
            let time_s = 0.25 * f64::from(quarter);
            let down_wind = WIND.sway(0.3, &at(8.0 * time_s), 2);
            let (first, then) = (tangents(&here, 0.0), tangents(&down_wind, time_s));
            assert!((first - then).length() < 1e-9, "{first} {then}");
        }
        let steepest = (0..100).map(|k| tangents(&here, 0.01 * f64::from(k)).y).fold(0.0, f64::max);
        let wanted = 3f64.to_radians().tan() + 5f64.to_radians().tan();
        assert!((steepest - wanted).abs() < 1e-3, "{steepest}");
    }

    #[test]
    fn tall_plants_swing_slowly_and_little() {
        let (low, tall) =
            (WIND.sway(0.4, &DAffine3::IDENTITY, 0), WIND.sway(8.0, &DAffine3::IDENTITY, 0));
        assert_eq!((low.frequency_hz, tall.frequency_hz), (1.0, 0.25));
        assert!(tall.lean.length() < low.lean.length() / 7.9);
    }
}
