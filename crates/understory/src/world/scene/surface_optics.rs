//! What a surface does besides scattering light like chalk: mirrors, gloss, retroreflectors, glass.
//!
//! What enters: a [`Finish`] as the scenario gives it. What leaves: [`Optics`], the finish and the
//! reflectance at one wavelength, which says what comes straight back ([`Optics::backscatter`])
//! and whether the light goes on ([`Optics::continues`]; `light_path.rs` follows it).
//!
//! What comes back is measured as everywhere by what a white Lambertian surface that faces the
//! beam sends back: π·f·cos θ for a surface with the BRDF f.
//!
//! - Diffuse: ρ·cos θ.
//! - Gloss: facets with Beckmann's distribution of slopes (Beckmann & Spizzichino 1963; Cook &
//!   Torrance 1982) of which those that face the sensor answer: F·exp(−tan²θ/m²)/(4·m²·cos⁵θ),
//!   without shadowing, which matters only beyond the lobe.
//! - Retroreflector: the share s of the light goes back evenly into a cone of half-angle δ about
//!   the direction from which it came: s·cos θ·π/(2π(1 − cos δ)), up to a largest angle of
//!   incidence. For s = 0.3 and δ = 1° that is 985 times white.

use std::f64::consts::PI;
use understory_base::math;

/// What a surface does besides scattering diffusely.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Finish {
    /// Share of the light that goes on as from a mirror.
    pub mirror: f64,
    /// A lobe about the direction of reflection.
    pub gloss: Option<Gloss>,
    /// A lobe about the direction of incidence.
    pub retro: Option<Retro>,
    /// What lies behind the surface.
    pub body: Body,
}

/// A rough mirror.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gloss {
    /// Reflectance of its facets, 0…1.
    pub share: f64,
    /// Beckmann's m: root of twice the mean square slope along one axis.
    pub roughness: f64,
}

/// Sheeting, a cat's eye, a cube corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retro {
    /// Share of the light that returns, 0…1.
    pub share: f64,
    /// Half-angle of the cone into which it returns.
    pub cone_rad: f64,
    /// Beyond this angle of incidence nothing returns.
    pub incidence_max_rad: f64,
}

/// What lies behind a surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Body {
    /// Nothing that light reaches.
    #[default]
    Opaque,
    /// A pane thinner than anything that matters: two borders, no bend.
    ThinDielectric {
        /// Index of refraction.
        index: f64,
    },
    /// A clear body: light bends, is slower by the index and is absorbed on its way.
    Dielectric {
        /// Index of refraction.
        index: f64,
    },
}

/// A material at one wavelength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optics {
    /// Diffuse reflectance ρ.
    pub reflectance: f32,
    /// What else it does.
    pub finish: Finish,
    /// Absorption of light on its way through a clear body.
    pub absorption_per_m: f64,
    continues: bool,
    lobes: bool,
}

impl Optics {
    /// What has no material: black.
    pub const BLACK: Optics = Optics {
        reflectance: 0.0,
        finish: Finish { mirror: 0.0, gloss: None, retro: None, body: Body::Opaque },
        absorption_per_m: 0.0,
        continues: false,
        lobes: false,
    };

    /// A surface of diffuse reflectance `reflectance`.
    pub fn new(reflectance: f32, finish: Finish, absorption_per_m: f64) -> Optics {
        let continues = finish.mirror > 0.0 || finish.body != Body::Opaque;
        let lobes = finish.gloss.is_some() || finish.retro.is_some();
        Optics { reflectance, finish, absorption_per_m, continues, lobes }
    }

    /// Whether a part of the light goes on from here.
    #[inline]
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// Whether it sends back more than diffuse surfaces can.
    #[inline]
    pub fn is_retro(&self) -> bool {
        self.finish.retro.is_some()
    }

    /// What comes straight back to the sensor; 1: as much as from a white surface that faces it.
    #[inline]
    pub fn backscatter(&self, cos_incidence: f64) -> f32 {
        let diffuse = self.reflectance * cos_incidence as f32;
        if self.lobes { diffuse + self.finish.lobes(cos_incidence) as f32 } else { diffuse }
    }
}

impl Finish {
    fn lobes(&self, cos: f64) -> f64 {
        let gloss = self.gloss.map_or(0.0, |gloss| {
            let (m2, cos2) = (gloss.roughness.powi(2), cos * cos);
            let tan2 = (1.0 - cos2) / cos2.max(1e-12);
            gloss.share * math::exp(-tan2 / m2) / (4.0 * m2 * (cos2 * cos2 * cos).max(1e-12))
        });
        let retro = self.retro.filter(|retro| cos >= math::cos(retro.incidence_max_rad));
        gloss + retro.map_or(0.0, |retro| retro.gain() * cos)
    }
}

impl Retro {
    /// How many times as bright as white it is at normal incidence.
    pub fn gain(&self) -> f64 {
        let solid_angle_sr = 2.0 * PI * (1.0 - math::cos(self.cone_rad));
        self.share * PI / solid_angle_sr
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffuse_surfaces_follow_lamberts_law() {
        let chalk = Optics::new(0.8, Finish::default(), 0.0);
        assert!(!chalk.continues());
        for cos in [0.0, 0.3, 1.0] {
            assert!((chalk.backscatter(cos) - 0.8 * cos as f32).abs() < 1e-7);
        }
    }

    /// The lobe of a retroreflector, integrated over its cone, is its share of the light.
    #[test]
    fn a_retroreflector_returns_its_share_into_its_cone() {
        let retro = Retro { share: 0.3, cone_rad: 1f64.to_radians(), incidence_max_rad: 0.8 };
        // A white surface sends back 1/π per steradian.
        let per_steradian = retro.gain() / PI;
        let cone_sr = 4.0 * PI * (retro.cone_rad / 2.0).sin().powi(2);
        assert!((per_steradian * cone_sr - 0.3).abs() < 1e-12);
        assert!((retro.gain() - 984.9).abs() < 0.1);
        let optics = Optics::new(0.1, Finish { retro: Some(retro), ..Finish::default() }, 0.0);
        assert!((f64::from(optics.backscatter(1.0)) / 985.0 - 1.0).abs() < 1e-3);
        assert!((optics.backscatter(0.6) - 0.06).abs() < 1e-6, "beyond its largest incidence");
    }

    /// By reciprocity the light of a gloss lobe over all incidences of one facet distribution
    /// sums to its share: ∫ D(θ)·cos θ dω = 1 for the distribution of slopes D, and what comes
    /// back is π·F·D/(4·cos θ).
    #[test]
    fn the_slopes_of_a_gloss_lobe_are_a_distribution() {
        let gloss = Gloss { share: 1.0, roughness: 0.25 };
        let finish = Finish { gloss: Some(gloss), ..Finish::default() };
        let steps = 200_000;
        let step = PI / 2.0 / steps as f64;
        let sum: f64 = (0..steps)
            .map(|i| {
                let theta = (i as f64 + 0.5) * step;
                let cos = theta.cos();
                let slopes = finish.lobes(cos) * 4.0 * cos / PI;
                slopes * cos * 2.0 * PI * theta.sin() * step
            })
            .sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }
}
