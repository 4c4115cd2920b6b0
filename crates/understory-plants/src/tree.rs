//! Broad-leaved trees.
//!
//! What enters: a [`TreeSpec`] and a seed. What leaves: a plant of trunk, branches, twigs and
//! leaves. The branches grow by space colonisation (Runions, Lane and Prusinkiewicz 2007), their
//! radii follow the pipe model, and the leaves make up the leaf area exactly.

mod colonisation;
mod crown;
mod foliage;
mod skeleton;
mod species;
mod wood;
mod woody;

pub use crown::CrownShape;
pub use foliage::FoliageDensity;

pub(crate) use crown::Envelope;
pub(crate) use foliage::{GOLDEN_ANGLE, LeafPlan, add_needles};
pub(crate) use skeleton::Skeleton;
pub(crate) use species::PRESETS;
pub(crate) use wood::add_wood;
pub(crate) use woody::{MAX_LEAVES, Woody};

use crate::{LeafAngle, LeafShape, Plant, PlantError};
use serde::{Deserialize, Serialize};

/// A broad-leaved tree; the default is a middle-aged tree of no particular species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TreeSpec {
    /// Ground to top.
    pub height_m: f64,
    /// Outline of the crown.
    pub crown_shape: CrownShape,
    /// Extent of the crown along x.
    pub crown_width_m: f64,
    /// Extent of the crown along y; as wide as along x if not given.
    pub crown_depth_m: Option<f64>,
    /// Height of the crown's lower end.
    pub crown_base_m: f64,
    /// How far up the crown the trunk runs on: 0 ends at the crown's base, 1 at the top.
    pub leader: f64,
    /// Number of trunks.
    pub stems: u32,
    /// Thickness of a trunk above its root flare.
    pub stem_diameter_m: f64,
    /// Thickness of the last twigs; with the trunk's it sets the exponent of the pipe model.
    pub twig_diameter_m: f64,
    /// Mean distance of attraction points: about that of fine branches.
    pub branch_spacing_m: f64,
    /// How far an attraction point reaches.
    pub influence_radius_m: f64,
    /// How near a branch comes to an attraction point before that is spent.
    pub kill_radius_m: f64,
    /// Bend of growing branches, from the length of their pull: up above 0, down below.
    pub tropism: f64,
    /// How much denser the crown is outside than inside; 0 is even.
    pub hollow: f64,
    /// Length of leafy shoots.
    pub shoot_length_m: f64,
    /// Bend of leafy shoots: up above 0, hanging below.
    pub shoot_tropism: f64,
    /// Leaves on each shoot, in the mean.
    pub leaves_per_shoot: u32,
    /// Length of a blade.
    pub leaf_length_m: f64,
    /// Width of a blade.
    pub leaf_width_m: f64,
    /// Outline of a blade.
    pub leaf_shape: LeafShape,
    /// How the leaves are inclined.
    pub leaf_angle: LeafAngle,
    /// Leaf area over ground under the crown that is typical of the species.
    pub leaf_area_index: f64,
    /// How much foliage there is.
    pub foliage_density: FoliageDensity,
    /// Most leaves; where more are needed they are fewer and larger instead.
    pub leaf_count_max: u32,
}

impl Default for TreeSpec {
    fn default() -> TreeSpec {
        TreeSpec {
            height_m: 12.0,
            crown_shape: CrownShape::Ovoid,
            crown_width_m: 7.0,
            crown_depth_m: None,
            crown_base_m: 2.5,
            leader: 0.5,
            stems: 1,
            stem_diameter_m: 0.25,
            twig_diameter_m: 0.003,
            branch_spacing_m: 0.4,
            influence_radius_m: 1.8,
            kill_radius_m: 0.45,
            tropism: 0.1,
            hollow: 1.0,
            shoot_length_m: 0.2,
            shoot_tropism: 0.2,
            leaves_per_shoot: 8,
            leaf_length_m: 0.09,
            leaf_width_m: 0.06,
            leaf_shape: LeafShape::Rhombus,
            leaf_angle: LeafAngle::Spherical,
            leaf_area_index: 4.0,
            foliage_density: FoliageDensity::Medium,
            leaf_count_max: 200_000,
        }
    }
}

impl TreeSpec {
    pub(crate) fn woody(&self) -> Woody {
        Woody {
            envelope: Envelope {
                shape: self.crown_shape,
                width_m: self.crown_width_m,
                depth_m: self.crown_depth_m.unwrap_or(self.crown_width_m),
                base_m: self.crown_base_m,
                top_m: self.height_m,
            },
            stems: self.stems,
            leader: self.leader,
            stem_diameter_m: self.stem_diameter_m,
            twig_diameter_m: self.twig_diameter_m,
            branch_spacing_m: self.branch_spacing_m,
            influence_radius_m: self.influence_radius_m,
            kill_radius_m: self.kill_radius_m,
            tropism: self.tropism,
            hollow: self.hollow,
            shoot_length_m: self.shoot_length_m,
            shoot_tropism: self.shoot_tropism,
            leaves_per_shoot: self.leaves_per_shoot,
            leaf_length_m: self.leaf_length_m,
            leaf_width_m: self.leaf_width_m,
            leaf_shape: self.leaf_shape,
            leaf_angle: self.leaf_angle,
            leaf_area_index: self.leaf_area_index,
            foliage_density: self.foliage_density,
            leaf_count_max: self.leaf_count_max,
        }
    }

    /// Whether every parameter is within its limits.
    pub fn check(&self) -> Result<(), PlantError> {
        self.woody().check()
    }

    /// One-sided leaf area that the tree will have.
    pub fn leaf_area_m2(&self) -> f64 {
        self.woody().leaf_area_m2()
    }

    /// About how many triangles the tree will have.
    pub fn triangle_estimate(&self) -> u64 {
        self.woody().triangle_estimate()
    }

    /// Grows the tree; the same seed gives the same tree.
    ///
    /// ```
    /// use understory_plants::{FoliageDensity, TreeSpec};
    ///
    /// let spec = TreeSpec {
    ///     height_m: 4.0,
    ///     crown_width_m: 2.5,
    ///     crown_base_m: 1.0,
    ///     foliage_density: FoliageDensity::LeafAreaM2(8.0),
    ///     ..TreeSpec::default()
    /// };
    /// let tree = spec.grow(1)?;
    /// assert!((tree.measures(0).leaf_area_m2 - 8.0).abs() < 1e-6);
    /// # Ok::<(), understory_plants::PlantError>(())
    /// ```
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.woody().grow(seed)
    }
}
