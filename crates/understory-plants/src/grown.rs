//! Trees that are grown: their form comes of light, space and the habit of their species.
//!
//! What enters: a [`GrownSpec`] and a seed. What leaves: a plant of stem, branches, twigs and leaves
//! or needles. Axes grow year by year ([`simulation`]) in the light of a voxel field ([`light`]),
//! after Palubicki et al. (2009, "Self-organizing tree models for image synthesis"). Radii follow
//! the pipe model, branches sag under their own weight, and the leaves make up the leaf area
//! exactly.

mod finish;
mod light;
mod simulation;
pub(crate) mod species;

use serde::{Deserialize, Serialize};

use crate::limits::{fits, within};
use crate::tree::{LeafPlan, MAX_LEAVES};
use crate::{FoliageDensity, LeafAngle, LeafShape, Plant, PlantError, Random};

pub(crate) use light::LightField;
pub(crate) use simulation::{GrowingTree, Habit, Seedling, grow_together};

/// What the bark of a species looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Bark {
    /// Brown and furrowed: oak, larch.
    #[default]
    Rough,
    /// White: birch.
    White,
    /// Silver-grey and smooth: beech, alder.
    Grey,
    /// Orange above: Scots pine.
    Orange,
    /// Reddish brown and scaly: spruce.
    Scaly,
}

/// The time of the year.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Season {
    /// Leaves unfold: half of their area, light green.
    Spring,
    /// All leaves.
    #[default]
    Summer,
    /// Seven tenths of the leaves, yellow.
    Autumn,
    /// No leaves; trees whose leaves stay for years keep theirs.
    Bare,
}

/// A tree that is grown; the default is a broad-leaved tree of no particular species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GrownSpec {
    /// Ground to top.
    pub height_m: f64,
    /// Diameter of the crown that an open-grown tree reaches.
    pub crown_width_m: f64,
    /// Distance of its like on all sides; nothing for a tree that stands alone.
    pub neighbours_m: Option<f64>,
    /// Branches below are cut off.
    pub pruned_below_m: f64,
    /// Thickness of the stem above its root flare.
    pub stem_diameter_m: f64,
    /// Thickness of the last twigs; with the stem's it sets the exponent of the pipe model.
    pub twig_diameter_m: f64,
    /// Length of the leading shoot of a good year.
    pub leader_m: f64,
    /// Shoots of side branches against those of the branch that bears them.
    pub side_share: f64,
    /// How much an axis is favoured before its branches: λ of Borchert and Honda; 0.5 is not.
    pub apical_control: f64,
    /// Angle between the stem and its branches.
    pub branch_angle_deg: f64,
    /// Angle between branches and theirs.
    pub side_angle_deg: f64,
    /// Branches on a year's shoot of the stem.
    pub branches_per_shoot: f64,
    /// Side branches on a year's shoot of a branch.
    pub sides_per_shoot: f64,
    /// Generations of branches on branches; leafy shoots are one more.
    pub branch_orders: u32,
    /// Whether the branches of a year stand in a whorl at its end.
    pub whorled: bool,
    /// Whether side branches lie flat to both hands of their branch.
    pub flat: bool,
    /// Bend of the stem: up above 0.
    pub stem_tropism: f64,
    /// Bend of branches: up above 0, down below.
    pub branch_tropism: f64,
    /// Bend towards the light.
    pub phototropism: f64,
    /// Random bend.
    pub wander: f64,
    /// Share of the sky's light by which a branch just lives.
    pub shade_limit: f64,
    /// Years that dead branches stay on the stem.
    pub dead_years: u32,
    /// Years that leaves stay.
    pub leaf_years: u32,
    /// Leaf area index of the cell around one full shoot, while growing: how dense foliage stands.
    pub shoot_foliage: f64,
    /// Probability in a year that the leader is lost and branches take its place.
    pub leader_loss: f64,
    /// Share of its life after which the leader slows down.
    pub slow_from: f64,
    /// Share of its growth that the leader has left at the end.
    pub slow_to: f64,
    /// How much branches bend under their weight, against elastic green wood.
    pub sag: f64,
    /// Length of leafy shoots.
    pub shoot_length_m: f64,
    /// Bend of leafy shoots: up above 0, hanging below.
    pub shoot_tropism: f64,
    /// Leaves on each leafy shoot, in the mean.
    pub leaves_per_shoot: u32,
    /// Whether leaves are needles around their shoots.
    pub needles: bool,
    /// Length of a blade or a needle's triangle.
    pub leaf_length_m: f64,
    /// Width of it.
    pub leaf_width_m: f64,
    /// Outline of a blade.
    pub leaf_shape: LeafShape,
    /// How blades are inclined.
    pub leaf_angle: LeafAngle,
    /// Leaf area over ground under the crown that is typical of the species.
    pub leaf_area_index: f64,
    /// How much foliage there is.
    pub foliage_density: FoliageDensity,
    /// Most leaves; where more are needed they are fewer and larger instead.
    pub leaf_count_max: u32,
    /// What its bark looks like.
    pub bark: Bark,
    /// The time of the year.
    pub season: Season,
}

impl Default for GrownSpec {
    fn default() -> GrownSpec {
        GrownSpec {
            height_m: 14.0,
            crown_width_m: 8.0,
            neighbours_m: None,
            pruned_below_m: 0.0,
            stem_diameter_m: 0.3,
            twig_diameter_m: 0.004,
            leader_m: 0.45,
            side_share: 0.75,
            apical_control: 0.52,
            branch_angle_deg: 55.0,
            side_angle_deg: 45.0,
            branches_per_shoot: 3.0,
            sides_per_shoot: 2.5,
            branch_orders: 3,
            whorled: false,
            flat: false,
            stem_tropism: 0.15,
            branch_tropism: 0.05,
            phototropism: 0.25,
            wander: 0.16,
            shade_limit: 0.12,
            dead_years: 3,
            leaf_years: 1,
            shoot_foliage: 1.0,
            leader_loss: 0.02,
            slow_from: 0.6,
            slow_to: 0.5,
            sag: 2.0,
            shoot_length_m: 0.25,
            shoot_tropism: 0.2,
            leaves_per_shoot: 10,
            needles: false,
            leaf_length_m: 0.09,
            leaf_width_m: 0.06,
            leaf_shape: LeafShape::Rhombus,
            leaf_angle: LeafAngle::Spherical,
            leaf_area_index: 4.5,
            foliage_density: FoliageDensity::Medium,
            leaf_count_max: 200_000,
            bark: Bark::Rough,
            season: Season::Summer,
        }
    }
}

/// Fewest and most years of growth; with more a shoot stands for the growth of several.
const YEARS: (f64, f64) = (12.0, 45.0);

/// Cells of the light field over the height of a tree.
const CELLS_PER_HEIGHT: f64 = 36.0;

impl GrownSpec {
    /// Whether every parameter is within its limits.
    pub fn check(&self) -> Result<(), PlantError> {
        within("height_m", self.height_m, 0.3, 120.0)?;
        within("crown_width_m", self.crown_width_m, 0.05 * self.height_m, 4.0 * self.height_m)?;
        if let Some(neighbours) = self.neighbours_m {
            within("neighbours_m", neighbours, 0.04 * self.height_m, 10.0 * self.height_m)?;
        }
        within("pruned_below_m", self.pruned_below_m, 0.0, 0.8 * self.height_m)?;
        within("twig_diameter_m", self.twig_diameter_m, 1e-4, 0.1)?;
        within("stem_diameter_m", self.stem_diameter_m, 1.2 * self.twig_diameter_m, 10.0)?;
        within("leader_m", self.leader_m, 0.02, 3.0)?;
        within("side_share", self.side_share, 0.05, 1.5)?;
        within("apical_control", self.apical_control, 0.2, 0.9)?;
        within("branch_angle_deg", self.branch_angle_deg, 5.0, 150.0)?;
        within("side_angle_deg", self.side_angle_deg, 5.0, 150.0)?;
        within("branches_per_shoot", self.branches_per_shoot, 0.0, 20.0)?;
        within("sides_per_shoot", self.sides_per_shoot, 0.0, 12.0)?;
        within("branch_orders", self.branch_orders.into(), 1.0, 5.0)?;
        within("stem_tropism", self.stem_tropism, -1.0, 2.0)?;
        within("branch_tropism", self.branch_tropism, -1.0, 2.0)?;
        within("phototropism", self.phototropism, 0.0, 3.0)?;
        within("wander", self.wander, 0.0, 1.0)?;
        within("shade_limit", self.shade_limit, 0.0, 0.9)?;
        within("dead_years", self.dead_years.into(), 0.0, 100.0)?;
        within("leaf_years", self.leaf_years.into(), 1.0, 20.0)?;
        within("shoot_foliage", self.shoot_foliage, 0.01, 20.0)?;
        within("leader_loss", self.leader_loss, 0.0, 1.0)?;
        within("slow_from", self.slow_from, 0.0, 1.0)?;
        within("slow_to", self.slow_to, 0.05, 1.0)?;
        within("sag", self.sag, 0.0, 100.0)?;
        within("shoot_length_m", self.shoot_length_m, 0.005, 5.0)?;
        within("shoot_tropism", self.shoot_tropism, -3.0, 3.0)?;
        within("leaves_per_shoot", self.leaves_per_shoot.into(), 1.0, 1000.0)?;
        within("leaf_length_m", self.leaf_length_m, 0.001, 2.0)?;
        within("leaf_width_m", self.leaf_width_m, 0.0002, 2.0)?;
        within("leaf_area_index", self.leaf_area_index, 0.0, 30.0)?;
        within("leaf_count_max", self.leaf_count_max.into(), 1.0, MAX_LEAVES.into())?;
        let most = if self.season == Season::Bare && !self.is_evergreen() { 0.0 } else { 1e5 };
        within("foliage_density", self.leaf_area_m2(), 0.0, most)?;
        self.leaf_plan().check("leaf_count_max", self.height_m)?;
        fits(self.triangle_estimate())
    }

    /// Ground that the crown covers.
    fn crown_area_m2(&self) -> f64 {
        let disc = 0.25 * std::f64::consts::PI * self.crown_width_m.powi(2);
        self.neighbours_m.map_or(disc, |side| disc.min(side * side))
    }

    /// One-sided leaf area that the tree will have. A number that is given counts in every season.
    pub fn leaf_area_m2(&self) -> f64 {
        let share = match self.season {
            _ if self.is_evergreen() => 1.0,
            Season::Spring => 0.5,
            Season::Summer => 1.0,
            Season::Autumn => 0.7,
            Season::Bare => 0.0,
        };
        self.foliage_density.leaf_area_m2(share * self.leaf_area_index * self.crown_area_m2())
    }

    fn is_evergreen(&self) -> bool {
        self.leaf_years > 1
    }

    /// Materials of its leaves and of its wood, by their names in the library.
    pub fn materials(&self) -> [&'static str; 2] {
        let leaf = match self.season {
            Season::Spring if !self.is_evergreen() => "leaf-spring",
            Season::Autumn if !self.is_evergreen() => "leaf-autumn",
            _ if self.needles => "needle",
            _ => "leaf",
        };
        let bark = match self.bark {
            Bark::Rough => "bark",
            Bark::White => "bark-white",
            Bark::Grey => "bark-grey",
            Bark::Orange => "bark-orange",
            Bark::Scaly => "bark-scaly",
        };
        [leaf, bark]
    }

    fn leaf_plan(&self) -> LeafPlan {
        let limit = self.leaf_count_max as usize;
        let fill = if self.needles { 0.5 } else { self.leaf_shape.fill() };
        LeafPlan::new(self.leaf_area_m2(), self.leaf_length_m, self.leaf_width_m, fill, limit)
    }

    fn shoot_count(&self) -> usize {
        self.leaf_plan().count.div_ceil(self.leaves_per_shoot.max(1) as usize)
    }

    /// About how many triangles the tree will have, from above.
    pub fn triangle_estimate(&self) -> u64 {
        let per_leaf = if self.needles { 1 } else { self.leaf_shape.triangles() };
        // Wood by experience: what grew for longer has more of it.
        let wood = 420_000.0 * (self.years() / YEARS.1).powi(2);
        per_leaf * self.leaf_plan().count as u64 + 12 * self.shoot_count() as u64 + wood as u64
    }

    /// Grows the tree; the same seed gives the same tree.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        let random = Random::new(seed);
        let skeleton = self.skeleton(&random);
        Ok(self.dress(skeleton, &mut random.fork(4)))
    }

    /// Growth of a mean year against that of a good one.
    fn mean_growth(&self) -> f64 {
        0.95 * (1.0 - 0.5 * (1.0 - self.slow_from) * (1.0 - self.slow_to))
    }

    /// Years of growth.
    fn years(&self) -> f64 {
        let years = self.height_m / (self.leader_m * self.mean_growth());
        years.clamp(YEARS.0, YEARS.1).round()
    }

    /// How it grows, with branches of this share of the leader.
    pub(crate) fn habit(&self, branch_share: f64, cell_m: f64) -> Habit {
        let years = self.years();
        let shoot_m = self.height_m / (years * self.mean_growth());
        Habit {
            shoot_m,
            years: years as u32,
            branch_share,
            side_share: self.side_share,
            apical_control: self.apical_control,
            branch_angle_deg: self.branch_angle_deg,
            side_angle_deg: self.side_angle_deg,
            branches_per_shoot: self.branches_per_shoot,
            sides_per_shoot: self.sides_per_shoot,
            orders: self.branch_orders,
            whorled: self.whorled,
            flat: self.flat,
            stem_tropism: self.stem_tropism,
            branch_tropism: self.branch_tropism,
            phototropism: self.phototropism,
            wander: self.wander,
            shade_limit: self.shade_limit,
            dead_years: self.dead_years,
            leaf_years: self.leaf_years,
            leaf_m2_per_m: self.shoot_foliage * cell_m.powi(2) / shoot_m,
            leader_loss: self.leader_loss,
            slow_from: self.slow_from,
            slow_to: self.slow_to,
            pruned_below_m: self.pruned_below_m,
            reach_m: 0.62
                * self.neighbours_m.map_or(self.crown_width_m, |side| side.min(self.crown_width_m)),
        }
    }
}
