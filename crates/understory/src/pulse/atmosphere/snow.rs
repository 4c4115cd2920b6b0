//! Snow: flakes that hide the beam and send light back (after Hahner et al. 2022).
//!
//! Flakes are disks in the plane of the channel with exponential sizes; each hides the share of
//! the beam's angle that it covers, the nearest first, and the target keeps what is left. A flake's
//! echo is share·ξ/r² and has the shape sin² of the pulse, so echoes of flakes within a pulse's
//! length add up; the strongest place counts. Sizes and numbers by Gunn and Marshall (1958):
//! N(D) = N0·e^(−ΛD) with N0 = 7600·R^−0.87 per m³ and mm and Λ = 2.55·R^−0.48 per mm, for the rate
//! R in mm/h of water. The plane of 1 m² cuts N0/Λ² of them. By area instead of by angle a flake is
//! a ball in space and hides (D/d)².

use std::f64::consts::PI;
use understory_base::math;

use super::fog::LIGHT_M_PER_S;
use super::particles::{Occlusion, Particle, ParticleBeam, ParticleLaw};

/// A snowfall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SnowSpec {
    /// Rate R, as water.
    pub rate_mm_per_h: f64,
    /// How flakes hide the beam.
    pub occlusion: Occlusion,
    /// Reflectance of a flake.
    pub flake_reflectance: f64,
    /// The pulse's full width at half maximum, τ.
    pub pulse_s: f64,
}

impl SnowSpec {
    /// Gunn and Marshall's flakes.
    pub fn flake_law(&self) -> ParticleLaw {
        ParticleLaw {
            intercept: 7600.0 * math::powf(self.rate_mm_per_h, -0.87),
            slope_per_mm: 2.55 * math::powf(self.rate_mm_per_h, -0.48),
            least_mm: 0.0,
            occlusion: self.occlusion,
            reflectance: self.flake_reflectance,
        }
    }
}

/// What a pulse keeps of itself where particles hide parts of it, nearest first: turns the shares
/// into what each really takes, which is never more than what those before it left.
pub fn take(particles: &mut [Particle]) {
    let mut left = 1.0;
    for particle in particles {
        particle.share = particle.share.min(left);
        left -= particle.share;
    }
}

/// The strongest echo of particles: the index of the particle where it is and the power there, to
/// which others within the pulse's length `pulse_s` add. `power` gives what one sends back.
pub fn strongest(
    particles: &[Particle],
    pulse_s: f64,
    power: impl Fn(&Particle) -> f64,
) -> Option<(usize, f64)> {
    let length_m = LIGHT_M_PER_S * pulse_s;
    let at = |here: &Particle| -> f64 {
        let others = particles.iter().map(|other| {
            let apart_m = (here.distance_m - other.distance_m).abs();
            // sin² around its maximum, half a pulse's length to each side.
            let shape =
                if 2.0 * apart_m < length_m { math::cos(PI * apart_m / length_m) } else { 0.0 };
            shape * shape * power(other)
        });
        others.sum()
    };
    let powers = particles.iter().enumerate().map(|(index, here)| (index, at(here)));
    powers.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// Energy limit of an echo that several particles share: all that they took.
pub fn taken(particles: &[Particle], beam: &ParticleBeam) -> f64 {
    beam.reflectance() * particles.iter().map(|particle| particle.share).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(distance_m: f64, share: f64) -> Particle {
        Particle { distance_m, share }
    }

    /// Gunn and Marshall's law at 2.5 mm/h, worked out by hand.
    #[test]
    fn flakes_of_gunn_and_marshall() {
        let snow = SnowSpec {
            rate_mm_per_h: 2.5,
            occlusion: Occlusion::Area,
            flake_reflectance: 0.9,
            pulse_s: 1e-8,
        };
        let law = snow.flake_law();
        assert!((law.intercept / 3_424.567_925 - 1.0).abs() < 1e-9, "{}", law.intercept);
        assert!((law.slope_per_mm / 1.642_589_25 - 1.0).abs() < 1e-8, "{}", law.slope_per_mm);
        let planar = SnowSpec { occlusion: Occlusion::Angle, ..snow }.flake_law();
        let expected = law.intercept / law.slope_per_mm.powi(2) * 1e-3;
        assert!((planar.density_above(0.0) / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_nearest_takes_first_and_no_more_than_there_is() {
        let mut flakes = [at(1.0, 0.5), at(2.0, 0.3), at(3.0, 0.4), at(4.0, 0.1)];
        take(&mut flakes);
        for (flake, share) in flakes.iter().zip([0.5, 0.3, 0.2, 0.0]) {
            assert!((flake.share - share).abs() < 1e-15);
        }
    }

    /// cτ is 2.998 m for 10 ns: two flakes that far apart do not help each other, two at cτ/4 give
    /// half of their light to each other.
    #[test]
    fn echoes_within_a_pulse_add_up() {
        let flat = |particle: &Particle| particle.share;
        let length_m = LIGHT_M_PER_S * 1e-8;
        let far = [at(5.0, 0.2), at(5.0 + length_m / 2.0, 0.3)];
        assert_eq!(strongest(&far, 1e-8, flat), Some((1, 0.3)));
        let near = [at(5.0, 0.2), at(5.0 + length_m / 4.0, 0.3)];
        let (index, power) = strongest(&near, 1e-8, flat).unwrap();
        assert_eq!(index, 1);
        assert!((power - 0.4).abs() < 1e-12);
        assert_eq!(strongest(&[], 1e-8, flat), None);
    }
}
