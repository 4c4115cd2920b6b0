//! Grass: a patch of blades, and for a meadow flowering stems and broad leaves of herbs.
//!
//! What enters: densities and the distributions of height, width, lean and curvature. What leaves:
//! a patch around the origin. Feet are inside the patch, singly or in tufts; tufts that reach over
//! its edge come back in on the other side, so that patches laid side by side show no seam.

use std::f64::consts::{PI, TAU};
use understory_base::math;

use glam::DVec3;
use serde::{Deserialize, Serialize};

use crate::blade::{self, Blade};
use crate::limits::{fits, normal_within, size_draw, within};
use crate::patch::Patch;
use crate::{Leaf, LeafAngle, LeafShape, Part, Plant, PlantError, Random};

/// Parameters of a patch of grass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrassSpec {
    /// Size of the patch.
    pub size_x_m: f64,
    /// Size of the patch.
    pub size_y_m: f64,
    /// Number of blades per ground area.
    pub blades_per_m2: f64,
    /// Height of a blade's highest point above ground.
    pub height_mean_m: f64,
    /// Its standard deviation from blade to blade.
    pub height_sd_m: f64,
    /// Width of a blade below its taper.
    pub width_mean_m: f64,
    /// Its standard deviation.
    pub width_sd_m: f64,
    /// Angle from the vertical at the foot, in a random direction.
    pub lean_mean_deg: f64,
    /// Its standard deviation.
    pub lean_sd_deg: f64,
    /// How much further a blade leans at its tip than at its foot. Lean and curvature together
    /// are drawn again where a blade would have to be more than twice as long as it is high.
    pub curvature_mean_deg: f64,
    /// Its standard deviation.
    pub curvature_sd_deg: f64,
    /// Blades that grow together; 1: each alone.
    pub blades_per_tuft: u32,
    /// Radius of a tuft at the ground.
    pub tuft_radius_m: f64,
    /// Straight pieces of a blade.
    pub segments: u32,
    /// Flowering stems per ground area.
    pub flower_stems_per_m2: f64,
    /// Height of a stem below its head.
    pub flower_stem_height_mean_m: f64,
    /// Its standard deviation.
    pub flower_stem_height_sd_m: f64,
    /// Thickness of a stem.
    pub flower_stem_diameter_m: f64,
    /// Length of its head.
    pub flower_head_length_m: f64,
    /// Thickness of its head.
    pub flower_head_diameter_m: f64,
    /// Broad leaves per ground area, lying flat rather than upright, without their thin stalks.
    pub herb_leaves_per_m2: f64,
    /// One-sided area of such a leaf.
    pub herb_leaf_area_m2: f64,
    /// Up to which height they are.
    pub herb_height_m: f64,
}

impl Default for GrassSpec {
    /// Tall grass.
    fn default() -> GrassSpec {
        GrassSpec {
            size_x_m: 1.0,
            size_y_m: 1.0,
            blades_per_m2: 2000.0,
            height_mean_m: 0.6,
            height_sd_m: 0.15,
            width_mean_m: 0.004,
            width_sd_m: 0.001,
            lean_mean_deg: 12.0,
            lean_sd_deg: 8.0,
            curvature_mean_deg: 60.0,
            curvature_sd_deg: 30.0,
            blades_per_tuft: 8,
            tuft_radius_m: 0.03,
            segments: 5,
            flower_stems_per_m2: 0.0,
            flower_stem_height_mean_m: 0.6,
            flower_stem_height_sd_m: 0.12,
            flower_stem_diameter_m: 0.002,
            flower_head_length_m: 0.03,
            flower_head_diameter_m: 0.012,
            herb_leaves_per_m2: 0.0,
            herb_leaf_area_m2: 0.0008,
            herb_height_m: 0.25,
        }
    }
}

const STEM_SIDES: u32 = 3;
const HEAD_SIDES: u32 = 4;
/// Stem of two pieces without lids; head of a piece that widens, a cone and a lid below.
const FLOWER_TRIANGLES: u64 = 4 * STEM_SIDES as u64 + 4 * HEAD_SIDES as u64 - 2;

impl GrassSpec {
    /// Refuses parameters outside their limits.
    pub fn check(&self) -> Result<(), PlantError> {
        self.patch().check()?;
        within("blades_per_m2", self.blades_per_m2, 0.0, 200_000.0)?;
        within("height_mean_m", self.height_mean_m, 0.005, 5.0)?;
        within("height_sd_m", self.height_sd_m, 0.0, 2.0)?;
        within("width_mean_m", self.width_mean_m, 1e-4, 0.1)?;
        within("width_sd_m", self.width_sd_m, 0.0, 0.05)?;
        within("lean_mean_deg", self.lean_mean_deg, 0.0, 75.0)?;
        within("lean_sd_deg", self.lean_sd_deg, 0.0, 45.0)?;
        within("curvature_mean_deg", self.curvature_mean_deg, 0.0, 150.0)?;
        within("curvature_sd_deg", self.curvature_sd_deg, 0.0, 90.0)?;
        within("blades_per_tuft", f64::from(self.blades_per_tuft), 1.0, 1000.0)?;
        within("tuft_radius_m", self.tuft_radius_m, 0.0, 1.0)?;
        within("segments", f64::from(self.segments), 2.0, 32.0)?;
        within("flower_stems_per_m2", self.flower_stems_per_m2, 0.0, 20_000.0)?;
        within("flower_stem_height_mean_m", self.flower_stem_height_mean_m, 0.01, 5.0)?;
        within("flower_stem_height_sd_m", self.flower_stem_height_sd_m, 0.0, 2.0)?;
        within("flower_stem_diameter_m", self.flower_stem_diameter_m, 1e-4, 0.05)?;
        within("flower_head_length_m", self.flower_head_length_m, 1e-3, 1.0)?;
        within("flower_head_diameter_m", self.flower_head_diameter_m, 1e-4, 0.3)?;
        within("herb_leaves_per_m2", self.herb_leaves_per_m2, 0.0, 100_000.0)?;
        within("herb_leaf_area_m2", self.herb_leaf_area_m2, 1e-6, 0.1)?;
        within("herb_height_m", self.herb_height_m, 0.001, 3.0)?;
        fits(self.triangle_estimate())
    }

    /// Number of triangles.
    pub fn triangle_estimate(&self) -> u64 {
        let patch = self.patch();
        let blades =
            patch.count(self.blades_per_m2).saturating_mul(Blade::triangles(self.segments));
        let flowers = patch.count(self.flower_stems_per_m2).saturating_mul(FLOWER_TRIANGLES);
        let herbs =
            patch.count(self.herb_leaves_per_m2).saturating_mul(LeafShape::Oval.triangles());
        blades.saturating_add(flowers).saturating_add(herbs)
    }

    /// Grows the patch around the origin.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let random = Random::new(seed);
        let mut plant = Plant::default();
        self.push_blades(&mut plant, &mut random.fork(0));
        self.push_flowers(&mut plant, &mut random.fork(1));
        self.push_herbs(&mut plant, &mut random.fork(2));
        Ok(plant)
    }

    fn patch(&self) -> Patch {
        Patch { size_x_m: self.size_x_m, size_y_m: self.size_y_m }
    }

    fn push_blades(&self, plant: &mut Plant, random: &mut Random) {
        let patch = self.patch();
        let mut tuft = DVec3::ZERO;
        for i in 0..patch.count(self.blades_per_m2) {
            if i % u64::from(self.blades_per_tuft.max(1)) == 0 {
                tuft = patch.point(random);
            }
            // Blades of a tuft lean away from its middle, more or less.
            let side = TAU * random.unit();
            let radius = self.tuft_radius_m * random.unit().sqrt();
            let foot = tuft + DVec3::new(math::cos(side), math::sin(side), 0.0) * radius;
            let mut blade = Blade {
                foot: patch.wrapped(foot),
                azimuth_rad: side + 0.8 * random.normal(),
                lean_rad: 0.0,
                bend_rad: 0.0,
                length_m: 1.0,
                width_m: size_draw(random, self.width_mean_m, self.width_sd_m),
                outline: blade::GRASS,
                segments: self.segments,
            };
            let height = size_draw(random, self.height_mean_m, self.height_sd_m);
            // A blade that would have to be twice as long as it is high would fall over: again.
            for _ in 0..20 {
                (blade.lean_rad, blade.bend_rad) = self.lean_and_bend(random);
                if blade.rise() >= 0.5 {
                    break;
                }
            }
            blade.with_height(height).push(plant);
        }
    }

    fn lean_and_bend(&self, random: &mut Random) -> (f64, f64) {
        let lean = normal_within(random, self.lean_mean_deg, self.lean_sd_deg, 0.0, 80.0);
        let (mean, sd) = (self.curvature_mean_deg, self.curvature_sd_deg);
        let bend = normal_within(random, mean, sd, 0.0, 170.0);
        // Beyond this the tip would be below the foot.
        (lean.to_radians(), bend.to_radians().min(PI - 2.0 * lean.to_radians()))
    }

    fn push_flowers(&self, plant: &mut Plant, random: &mut Random) {
        let patch = self.patch();
        for _ in 0..patch.count(self.flower_stems_per_m2) {
            let foot = patch.point(random);
            let mean = self.flower_stem_height_mean_m;
            let height = size_draw(random, mean, self.flower_stem_height_sd_m);
            let side = TAU * random.unit();
            let sway = DVec3::new(math::cos(side), math::sin(side), 0.0)
                * (height * 0.15 * random.normal().clamp(-3.0, 3.0));
            let at = |s: f64| foot + DVec3::Z * (height * s) + sway * (s * s);
            let radius = 0.5 * self.flower_stem_diameter_m;
            plant.push_tube(
                &[at(0.0), at(0.5), at(1.0)],
                &[radius, radius, 0.7 * radius],
                STEM_SIDES,
                false,
                Part::Stem,
            );
            let up = (at(1.0) - at(0.9)).normalize_or(DVec3::Z) * self.flower_head_length_m;
            let thick = 0.5 * self.flower_head_diameter_m;
            plant.push_tube(
                &[at(1.0), at(1.0) + up * 0.4, at(1.0) + up],
                &[0.4 * thick, thick, 0.0],
                HEAD_SIDES,
                true,
                Part::Fruit,
            );
        }
    }

    fn push_herbs(&self, plant: &mut Plant, random: &mut Random) {
        let patch = self.patch();
        for _ in 0..patch.count(self.herb_leaves_per_m2) {
            let area = size_draw(random, self.herb_leaf_area_m2, 0.3 * self.herb_leaf_area_m2);
            let leaf = Leaf::from_area(LeafShape::Oval, area, 0.5);
            let normal = LeafAngle::Planophile.normal(random);
            // Half the leaf's length keeps it above ground however it is turned.
            let low = (0.5 * leaf.length_m).min(self.herb_height_m);
            let height = random.between(low, self.herb_height_m);
            let centre = patch.point(random) + DVec3::Z * height.max(0.5 * leaf.length_m);
            leaf.push_centred(plant, centre, normal, random);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlantSpec, presets};

    #[test]
    fn feet_are_inside_the_patch_and_tips_above_ground() {
        for preset in presets() {
            let PlantSpec::Grass(mut spec) = preset.spec() else { continue };
            (spec.size_x_m, spec.size_y_m) = (0.8, 0.5);
            let plant = spec.grow(9).unwrap();
            for p in plant.positions.iter() {
                // The lowest ring of a stem that leans is tilted.
                assert!(p.z >= -1e-3, "{}: {p}", preset.name);
                if p.z <= 0.0 {
                    // Half a blade's width beyond the foot at most.
                    assert!(p.x.abs() <= 0.4 + 0.01 && p.y.abs() <= 0.25 + 0.01);
                }
            }
        }
    }

    #[test]
    fn heights_have_the_mean_and_deviation_asked_for() {
        let spec = GrassSpec {
            blades_per_m2: 10_000.0,
            height_mean_m: 0.5,
            height_sd_m: 0.05,
            ..GrassSpec::default()
        };
        let plant = spec.grow(2).unwrap();
        let per_blade = plant.positions.len() / 10_000;
        let tops: Vec<f64> = plant
            .positions
            .chunks(per_blade)
            .map(|blade| blade.iter().map(|p| p.z).fold(0.0, f64::max))
            .collect();
        let n = tops.len() as f64;
        let mean = tops.iter().sum::<f64>() / n;
        let sd = (tops.iter().map(|t| (t - mean).powi(2)).sum::<f64>() / n).sqrt();
        // Five standard errors: error probability 6e-7 each.
        assert!((mean - 0.5).abs() < 5.0 * 0.05 / n.sqrt(), "{mean}");
        assert!((sd - 0.05).abs() < 5.0 * 0.05 / (2.0 * n).sqrt(), "{sd}");
    }

    #[test]
    fn bad_parameters_are_named_with_their_limits() {
        let grow = |change: fn(&mut GrassSpec)| {
            let mut spec = GrassSpec::default();
            change(&mut spec);
            PlantSpec::Grass(spec).grow(0).unwrap_err().to_string()
        };
        let message = grow(|spec| spec.width_mean_m = -0.1);
        assert_eq!(message, "width_mean_m is -0.1, but must be between 0.0001 and 0.1");
        assert!(grow(|spec| spec.height_mean_m = f64::NAN).contains("height_mean_m is NaN"));
        assert!(grow(|spec| spec.size_x_m = 1000.0).contains("triangles"));
        assert!(grow(|spec| spec.blades_per_tuft = 0).contains("blades_per_tuft is 0"));
    }
}
