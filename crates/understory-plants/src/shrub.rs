//! Shrubs and hedges: many stems from the ground.
//!
//! What enters: a [`ShrubSpec`] and a seed. What leaves: a plant of stems, twigs and leaves, grown
//! like a broad-leaved tree (space colonisation, pipe model) from several feet.

use crate::tree::{Envelope, Woody};
use crate::{CrownShape, FoliageDensity, LeafAngle, LeafShape, Plant, PlantError};
use serde::{Deserialize, Serialize};

/// A shrub; the default is a round one of no particular species.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShrubSpec {
    /// Ground to top.
    pub height_m: f64,
    /// Outline of the shrub; `box` is a clipped hedge with its stems in a row along x.
    pub crown_shape: CrownShape,
    /// Extent along x.
    pub crown_width_m: f64,
    /// Extent along y; as wide as along x if not given.
    pub crown_depth_m: Option<f64>,
    /// Height where the twigs begin.
    pub crown_base_m: f64,
    /// How far up the shrub its stems run on, 0…1.
    pub leader: f64,
    /// Number of stems.
    pub stems: u32,
    /// Thickness of a stem at its foot.
    pub stem_diameter_m: f64,
    /// Thickness of the last twigs; with the stems' it sets the exponent of the pipe model.
    pub twig_diameter_m: f64,
    /// Mean distance of attraction points: about that of fine branches.
    pub branch_spacing_m: f64,
    /// How far an attraction point reaches.
    pub influence_radius_m: f64,
    /// How near a branch comes to an attraction point before that is spent.
    pub kill_radius_m: f64,
    /// Bend of growing branches: up above 0, down below.
    pub tropism: f64,
    /// How much denser the shrub is outside than inside; 0 is even.
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
    /// Leaf area over ground under the shrub that is typical of the species.
    pub leaf_area_index: f64,
    /// How much foliage there is.
    pub foliage_density: FoliageDensity,
    /// Most leaves; where more are needed they are fewer and larger instead.
    pub leaf_count_max: u32,
}

impl Default for ShrubSpec {
    fn default() -> ShrubSpec {
        ShrubSpec {
            height_m: 1.8,
            crown_shape: CrownShape::Ellipsoid,
            crown_width_m: 1.8,
            crown_depth_m: None,
            crown_base_m: 0.1,
            leader: 0.4,
            stems: 8,
            stem_diameter_m: 0.025,
            twig_diameter_m: 0.002,
            branch_spacing_m: 0.12,
            influence_radius_m: 0.6,
            kill_radius_m: 0.14,
            tropism: 0.15,
            hollow: 0.8,
            shoot_length_m: 0.1,
            shoot_tropism: 0.3,
            leaves_per_shoot: 8,
            leaf_length_m: 0.04,
            leaf_width_m: 0.025,
            leaf_shape: LeafShape::Rhombus,
            leaf_angle: LeafAngle::Spherical,
            leaf_area_index: 4.0,
            foliage_density: FoliageDensity::Medium,
            leaf_count_max: 100_000,
        }
    }
}

impl ShrubSpec {
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

    /// One-sided leaf area that the shrub will have.
    pub fn leaf_area_m2(&self) -> f64 {
        self.woody().leaf_area_m2()
    }

    /// About how many triangles the shrub will have.
    pub fn triangle_estimate(&self) -> u64 {
        self.woody().triangle_estimate()
    }

    /// Grows the shrub; the same seed gives the same shrub.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.woody().grow(seed)
    }
}
