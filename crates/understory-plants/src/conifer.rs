//! Conifers: whorls of branches on a straight stem.
//!
//! What enters: a [`ConiferSpec`] and a seed. What leaves: a plant of stem, branches, side branches,
//! short shoots and needles. The axes are laid out level by level after Weber and Penn (1995,
//! "Creation and rendering of realistic trees"): the length of a branch follows the crown's outline
//! at its height, its angle changes from the top down, and it curves along its way. Radii follow
//! the pipe model. A tree has millions of needles; here one thin triangle stands for a few of them,
//! longer and wider, with the leaf area kept exactly.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use understory_base::math;

use crate::limits::{fits, within};
use crate::tree::{Envelope, GOLDEN_ANGLE, LeafPlan, MAX_LEAVES, Skeleton, add_needles, add_wood};
use crate::{CrownShape, FoliageDensity, Plant, PlantError, Random};

/// A conifer; the default is a young spruce.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConiferSpec {
    /// Ground to top.
    pub height_m: f64,
    /// Outline of the crown.
    pub crown_shape: CrownShape,
    /// Diameter of the crown.
    pub crown_width_m: f64,
    /// Height of the lowest living branches.
    pub crown_base_m: f64,
    /// Thickness of the stem above its root flare.
    pub stem_diameter_m: f64,
    /// Thickness of the last shoots; with the stem's it sets the exponent of the pipe model.
    pub twig_diameter_m: f64,
    /// Distance from whorl to whorl: a year's growth.
    pub whorl_spacing_m: f64,
    /// Branches in a whorl.
    pub branches_per_whorl: u32,
    /// Angle between the stem and the highest branches: 0 is straight up.
    pub branch_angle_top_deg: f64,
    /// Angle between the stem and the lowest branches: above 90 they hang.
    pub branch_angle_base_deg: f64,
    /// Bend of a branch from foot to tip: up above 0, down below.
    pub branch_curve_deg: f64,
    /// Distance of side branches along a branch.
    pub side_spacing_m: f64,
    /// Angle of side branches below their branch's plane: 0 is flat, 90 hangs straight down.
    pub side_droop_deg: f64,
    /// How far from the ends of shoots needles are found.
    pub needled_length_m: f64,
    /// Random change of lengths and angles, 0 (as drawn) … 1 (wild).
    pub irregularity: f64,
    /// Length of a needle's triangle.
    pub needle_length_m: f64,
    /// Width of a needle's triangle at its foot.
    pub needle_width_m: f64,
    /// Leaf area over ground under the crown that is typical of the species.
    pub leaf_area_index: f64,
    /// How much foliage there is.
    pub foliage_density: FoliageDensity,
    /// Most needle triangles; where more are needed they are fewer and larger instead.
    pub needle_count_max: u32,
}

impl Default for ConiferSpec {
    fn default() -> ConiferSpec {
        ConiferSpec {
            height_m: 12.0,
            crown_shape: CrownShape::Conical,
            crown_width_m: 4.4,
            crown_base_m: 1.0,
            stem_diameter_m: 0.22,
            twig_diameter_m: 0.003,
            whorl_spacing_m: 0.36,
            branches_per_whorl: 7,
            branch_angle_top_deg: 45.0,
            branch_angle_base_deg: 108.0,
            branch_curve_deg: 22.0,
            side_spacing_m: 0.13,
            side_droop_deg: 35.0,
            needled_length_m: 0.9,
            irregularity: 0.25,
            needle_length_m: 0.04,
            needle_width_m: 0.006,
            leaf_area_index: 6.0,
            foliage_density: FoliageDensity::Medium,
            needle_count_max: 350_000,
        }
    }
}

/// Side branches reach this share of what is left of their branch beyond them.
const SIDE_SHARE: f64 = 0.55;

/// Shoots on side branches: spacing relative to that of the side branches, and length.
const SHOOT_SPACING: f64 = 0.8;
const SHOOT_SHARE: f64 = 0.4;

/// Angle between an axis and the axes on it.
const SIDE_ANGLE_RAD: f64 = 0.95;

/// Most axes' nodes of one conifer.
const MAX_NODES: f64 = 2e6;

impl ConiferSpec {
    /// Whether every parameter is within its limits.
    pub fn check(&self) -> Result<(), PlantError> {
        within("height_m", self.height_m, 0.3, 120.0)?;
        within("crown_width_m", self.crown_width_m, 0.1, 50.0)?;
        within("crown_base_m", self.crown_base_m, 0.0, 0.9 * self.height_m)?;
        within("twig_diameter_m", self.twig_diameter_m, 1e-4, 0.1)?;
        within("stem_diameter_m", self.stem_diameter_m, 1.2 * self.twig_diameter_m, 10.0)?;
        within("whorl_spacing_m", self.whorl_spacing_m, 0.02, 5.0)?;
        within("branches_per_whorl", f64::from(self.branches_per_whorl), 1.0, 50.0)?;
        within("branch_angle_top_deg", self.branch_angle_top_deg, 5.0, 160.0)?;
        within("branch_angle_base_deg", self.branch_angle_base_deg, 5.0, 160.0)?;
        within("branch_curve_deg", self.branch_curve_deg, -120.0, 120.0)?;
        within("side_spacing_m", self.side_spacing_m, 0.01, 5.0)?;
        within("side_droop_deg", self.side_droop_deg, -90.0, 90.0)?;
        within("needled_length_m", self.needled_length_m, 0.01, 20.0)?;
        within("irregularity", self.irregularity, 0.0, 1.0)?;
        within("needle_length_m", self.needle_length_m, 0.002, 1.0)?;
        within("needle_width_m", self.needle_width_m, 0.0002, 0.5)?;
        within("leaf_area_index", self.leaf_area_index, 0.0, 30.0)?;
        within("needle_count_max", self.needle_count_max.into(), 1.0, MAX_LEAVES.into())?;
        within("foliage_density", self.leaf_area_m2(), 0.0, 1e5)?;
        self.needle_plan().check("needle_count_max", self.height_m)?;
        let nodes = self.node_estimate();
        if nodes > MAX_NODES {
            return Err(PlantError::Parameter {
                parameter: "side_spacing_m".to_owned(),
                value: self.side_spacing_m.to_string(),
                limits: "larger for a crown of this size, or whorl_spacing_m must be".to_owned(),
            });
        }
        fits(self.triangle_estimate())
    }

    fn envelope(&self) -> Envelope {
        Envelope {
            shape: self.crown_shape,
            width_m: self.crown_width_m,
            depth_m: self.crown_width_m,
            base_m: self.crown_base_m,
            top_m: self.height_m,
        }
    }

    /// One-sided leaf area that the tree will have.
    pub fn leaf_area_m2(&self) -> f64 {
        let typical = self.leaf_area_index * self.envelope().projected_area_m2();
        self.foliage_density.leaf_area_m2(typical)
    }

    fn needle_plan(&self) -> LeafPlan {
        let limit = self.needle_count_max as usize;
        let (length, width) = (self.needle_length_m, self.needle_width_m);
        LeafPlan::new(self.leaf_area_m2(), length, width, 0.5, limit)
    }

    /// Heights of the whorls from the crown's base up.
    fn whorls(&self) -> impl Iterator<Item = f64> {
        let crown = self.height_m - self.crown_base_m;
        let count = (crown / self.whorl_spacing_m).clamp(1.0, 5000.0) as u32;
        let (base, spacing) = (self.crown_base_m, crown / f64::from(count));
        (0..count).map(move |i| base + f64::from(i) * spacing)
    }

    /// Length of a branch at this height, without chance.
    fn branch_length_m(&self, height_m: f64) -> f64 {
        let share = (height_m - self.crown_base_m) / (self.height_m - self.crown_base_m);
        // The lowest branches are not shorter than those above.
        let radius = self.crown_shape.relative_radius(share.max(0.06));
        (0.5 * self.crown_width_m * radius).max(0.3 * self.whorl_spacing_m)
    }

    /// Nodes of all axes in the mean; the numbers of pieces are those of `grow`.
    fn node_estimate(&self) -> f64 {
        let of_branch = |length: f64| {
            let mut nodes = pieces(length, self.side_spacing_m);
            for place in steps_along(length, self.side_spacing_m, 0.12) {
                let side = SIDE_SHARE * (length - place);
                nodes += 2.0 * pieces(side, self.side_spacing_m);
                let shoots = steps_along(side, SHOOT_SPACING * self.side_spacing_m, 0.2).count();
                nodes += 2.0 * 2.0 * shoots as f64;
            }
            nodes
        };
        let per_branch = self.whorls().map(|height| of_branch(self.branch_length_m(height)));
        per_branch.sum::<f64>() * f64::from(self.branches_per_whorl)
    }

    /// About how many triangles the tree will have.
    pub fn triangle_estimate(&self) -> u64 {
        self.needle_plan().count as u64 + (4.4 * self.node_estimate()) as u64
    }

    /// Grows the tree; the same seed gives the same tree.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let random = Random::new(seed);
        let skeleton = self.skeleton(&random);
        let mut plant = Plant::default();
        add_wood(&mut plant, &skeleton, true);
        add_needles(&mut plant, &skeleton, &self.needle_plan(), &mut random.fork(1));
        Ok(plant)
    }

    pub(crate) fn skeleton(&self, random: &Random) -> Skeleton {
        let mut skeleton = Skeleton::default();
        let mut draw = random.fork(0);
        let mut stem = skeleton.push(DVec3::ZERO, None, false);
        let below = (self.crown_base_m / self.whorl_spacing_m).ceil().clamp(1.0, 500.0);
        let sway = |height: f64, draw: &mut Random| {
            let amount = 0.03 * self.irregularity * self.whorl_spacing_m;
            DVec3::new(draw.normal() * amount, draw.normal() * amount, height)
        };
        for step in 1..below as u32 {
            let height = self.crown_base_m * f64::from(step) / below;
            stem = skeleton.push(sway(height, &mut draw), Some(stem), false);
        }
        let mut turn = 0.0;
        for height in self.whorls() {
            stem = skeleton.push(sway(height.max(0.02), &mut draw), Some(stem), false);
            for branch in 0..self.branches_per_whorl {
                let even = f64::from(branch) / f64::from(self.branches_per_whorl);
                let wild = 0.25 * self.irregularity * draw.normal();
                let azimuth = turn + std::f64::consts::TAU * even + wild;
                self.add_branch(&mut skeleton, stem, height, azimuth, &mut draw);
            }
            turn += GOLDEN_ANGLE;
        }
        // The leading shoot.
        let top = DVec3::Z * (self.height_m - 0.5 * self.needle_plan().length_m);
        let last = skeleton.position(stem);
        for share in [0.5, 1.0] {
            stem = skeleton.push(last.lerp(top, share), Some(stem), false);
        }
        let above = skeleton.length_above();
        for (node, above) in skeleton.nodes.iter_mut().zip(&above) {
            node.leafy = node.parent.is_some() && *above < self.needled_length_m;
        }
        skeleton.stretch_to(top.z);
        skeleton.set_radii(0.5 * self.twig_diameter_m, 0.5 * self.stem_diameter_m, 1);
        skeleton
    }

    /// A branch with its side branches and their shoots.
    fn add_branch(
        &self,
        skeleton: &mut Skeleton,
        stem: u32,
        height_m: f64,
        azimuth: f64,
        draw: &mut Random,
    ) {
        let share = (height_m - self.crown_base_m) / (self.height_m - self.crown_base_m);
        let chance = |draw: &mut Random| 1.0 + 0.45 * self.irregularity * draw.between(-1.0, 1.0);
        let shorter = self.irregularity * draw.between(-0.1, 0.6);
        let length = self.branch_length_m(height_m) * (1.0 - shorter);
        let from_stem = self.branch_angle_base_deg
            + (self.branch_angle_top_deg - self.branch_angle_base_deg) * share
            + 20.0 * self.irregularity * draw.between(-1.0, 1.0);
        // Branches stay well below the leading shoot.
        let rise = math::cos(from_stem.to_radians()).max(0.05);
        let length = length.min(0.6 * (self.height_m - height_m) / rise);
        let outward = DVec3::new(math::cos(azimuth), math::sin(azimuth), 0.0);
        let heading = |angle_deg: f64| {
            let (sin, cos) = math::sin_cos(angle_deg.to_radians());
            outward * sin + DVec3::Z * cos
        };
        let flat = DVec3::Z.cross(outward);
        let count = pieces(length, self.side_spacing_m);
        let (mut node, mut position) = (stem, skeleton.position(stem));
        let mut places = steps_along(length, self.side_spacing_m, 0.12).peekable();
        for piece in 0..count as u32 {
            let part = (f64::from(piece) + 0.5) / count;
            let along = heading(from_stem - self.branch_curve_deg * (part - 0.3));
            position += along * (length / count);
            position.z = position.z.max(0.03);
            node = skeleton.push(position, Some(node), false);
            let reached = length * f64::from(piece + 1) / count;
            while places.next_if(|place| *place <= reached + 1e-9).is_some() {
                for hand in [-1.0, 1.0] {
                    let side_length = SIDE_SHARE * (length - reached) * chance(draw);
                    let droop = self.side_droop_deg.to_radians() * chance(draw);
                    let (sin, cos) = math::sin_cos(SIDE_ANGLE_RAD * chance(draw));
                    let side = flat * (hand * math::cos(droop)) - DVec3::Z * math::sin(droop);
                    let way = (along * cos + side * sin).normalize_or(along);
                    self.add_side(skeleton, node, way, side_length.max(0.03), draw);
                }
            }
        }
    }

    /// A side branch with a shoot to either hand at each step.
    fn add_side(
        &self,
        skeleton: &mut Skeleton,
        from: u32,
        way: DVec3,
        length: f64,
        draw: &mut Random,
    ) {
        let spacing = SHOOT_SPACING * self.side_spacing_m;
        let count = pieces(length, self.side_spacing_m);
        let flat = way.cross(DVec3::Z).normalize_or(DVec3::X);
        let (mut node, mut position) = (from, skeleton.position(from));
        let mut places = steps_along(length, spacing, 0.2).peekable();
        for piece in 0..count as u32 {
            position += (way + draw.direction() * 0.12).normalize_or(way) * (length / count);
            position.z = position.z.max(0.03);
            node = skeleton.push(position, Some(node), false);
            let reached = length * f64::from(piece + 1) / count;
            while places.next_if(|place| *place <= reached + 1e-9).is_some() {
                for hand in [-1.0, 1.0] {
                    let shoot = (SHOOT_SHARE * (length - reached)).max(0.25 * spacing + 0.02);
                    let (sin, cos) = math::sin_cos(SIDE_ANGLE_RAD + 0.3 * draw.between(-1.0, 1.0));
                    let out = flat * hand + draw.direction() * 0.35;
                    let end = position + (way * cos + out * sin) * shoot;
                    skeleton.push(end.with_z(end.z.max(0.03)), Some(node), false);
                }
            }
        }
    }
}

/// Pieces of an axis: long enough that few do, short enough to curve.
fn pieces(length_m: f64, spacing_m: f64) -> f64 {
    (length_m / (1.6 * spacing_m)).ceil().clamp(1.0, 60.0)
}

/// Places along an axis where others leave it, beginning at a share of its length.
fn steps_along(length_m: f64, spacing_m: f64, first: f64) -> impl Iterator<Item = f64> {
    let room = (length_m * (0.97 - first)).max(0.0);
    let count = (room / spacing_m).min(2000.0) as u32;
    (0..count).map(move |i| first * length_m + (f64::from(i) + 0.5) * spacing_m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_get_longer_from_the_top_down() {
        let spec = ConiferSpec::default();
        let lengths: Vec<f64> = spec.whorls().map(|height| spec.branch_length_m(height)).collect();
        assert!(lengths.windows(2).skip(3).all(|pair| pair[0] >= pair[1]));
        assert!(lengths[0] > 1.5 && lengths[lengths.len() - 1] < 0.3);
    }

    #[test]
    fn needles_are_bounded_and_keep_their_area() {
        let spec = ConiferSpec { needle_count_max: 5000, ..ConiferSpec::default() };
        let plant = spec.grow(1).unwrap();
        let leaves = plant.parts.iter().filter(|part| **part == crate::Part::Leaf).count();
        assert_eq!(leaves, 5000);
        assert!((plant.measures(0).leaf_area_m2 / spec.leaf_area_m2() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_outside_its_limits_is_named() {
        let good = ConiferSpec::default;
        let bad = [
            ("height_m", ConiferSpec { height_m: 0.0, ..good() }),
            ("whorl_spacing_m", ConiferSpec { whorl_spacing_m: f64::NAN, ..good() }),
            ("branches_per_whorl", ConiferSpec { branches_per_whorl: 0, ..good() }),
            ("needle_length_m", ConiferSpec { needle_length_m: -0.1, ..good() }),
            ("side_spacing_m", ConiferSpec { side_spacing_m: 0.01, crown_width_m: 40.0, ..good() }),
        ];
        for (name, spec) in bad {
            let message = spec.grow(1).unwrap_err().to_string();
            assert!(message.starts_with(name), "{name}: {message}");
        }
    }

    #[test]
    fn any_parameters_give_a_sentence_or_a_sound_plant() {
        let mut random = Random::new(1);
        let mut grown = 0;
        for _ in 0..60 {
            let mut around = |value: f64| value * 10f64.powf(random.between(-0.5, 0.5));
            let base = ConiferSpec::default();
            let spec = ConiferSpec {
                height_m: around(base.height_m),
                crown_width_m: around(base.crown_width_m),
                crown_base_m: around(base.crown_base_m),
                stem_diameter_m: around(base.stem_diameter_m),
                whorl_spacing_m: around(1.0),
                branches_per_whorl: around(3.0) as u32,
                branch_angle_top_deg: around(60.0),
                branch_angle_base_deg: around(60.0),
                branch_curve_deg: around(60.0) - 60.0,
                side_spacing_m: around(0.4),
                needled_length_m: around(base.needled_length_m),
                irregularity: around(0.5),
                needle_length_m: around(base.needle_length_m),
                needle_count_max: 20_000,
                ..base
            };
            let Ok(plant) = spec.grow(5) else { continue };
            grown += 1;
            spec.skeleton(&Random::new(5)).assert_valid();
            assert!(plant.positions.iter().all(|p| p.is_finite()), "{spec:?}");
            let measures = plant.measures(0);
            assert!((measures.leaf_area_m2 / spec.leaf_area_m2() - 1.0).abs() < 1e-6, "{spec:?}");
            assert!((measures.height_m / spec.height_m - 1.0).abs() < 0.1, "{spec:?} {measures:?}");
        }
        assert!(grown > 10, "{grown}");
    }
}
