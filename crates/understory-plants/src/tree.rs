//! Broad-leaved trees and shrubs.
//!
//! What enters: a [`WoodySpec`] and a seed. What leaves: a plant of trunk, branches, twigs and
//! leaves. The branches grow by space colonisation (Runions, Lane and Prusinkiewicz 2007), their
//! radii follow the pipe model, and the leaves make up the leaf area exactly. A [`ShrubSpec`] is
//! a [`TreeSpec`] with other defaults: small, and of many stems from the ground.

mod colonisation;
mod crown;
mod foliage;
mod skeleton;
mod wood;
mod woody;

pub use crown::CrownShape;
pub use foliage::FoliageDensity;

pub(crate) use crown::Envelope;
pub(crate) use foliage::{GOLDEN_ANGLE, LeafPlan, add_leaves, add_needles, turned_from};
pub(crate) use skeleton::Skeleton;
pub(crate) use wood::add_wood;
pub(crate) use woody::MAX_LEAVES;

use std::marker::PhantomData;

use crate::{LeafAngle, LeafShape};
use serde::{Deserialize, Serialize};

/// A broad-leaved tree; the default is a middle-aged tree of no particular species.
pub type TreeSpec = WoodySpec<Tree>;

/// A shrub or a piece of hedge; the default is a round shrub of no particular species.
pub type ShrubSpec = WoodySpec<Shrub>;

/// A broad-leaved plant with a trunk or with several stems; `H` says where its defaults are from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, bound = "H: Habit")]
pub struct WoodySpec<H> {
    /// Ground to top.
    pub height_m: f64,
    /// Outline of the crown; `box` is a clipped hedge with its stems in a row along x.
    pub crown_shape: CrownShape,
    /// Extent of the crown along x.
    pub crown_width_m: f64,
    /// Extent of the crown along y; as wide as along x if not given.
    pub crown_depth_m: Option<f64>,
    /// Height of the crown's lower end.
    pub crown_base_m: f64,
    /// How far up the crown the trunk runs on: 0 ends at the crown's base, 1 at the top.
    pub leader: f64,
    /// Number of trunks or stems.
    pub stems: u32,
    /// Thickness of a trunk above its root flare, or of a stem at its foot.
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
    /// Nothing but the kind.
    #[serde(skip)]
    #[doc(hidden)]
    pub habit: PhantomData<H>,
}

/// What keeps trees and shrubs apart: what is meant where a parameter is not given.
pub trait Habit: Sized {
    /// A plant of no particular species.
    fn defaults() -> WoodySpec<Self>;
}

impl<H: Habit> Default for WoodySpec<H> {
    fn default() -> WoodySpec<H> {
        H::defaults()
    }
}

/// The habit of trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tree;

impl Habit for Tree {
    fn defaults() -> TreeSpec {
        WoodySpec {
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
            habit: PhantomData,
        }
    }
}

/// The habit of shrubs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrub;

impl Habit for Shrub {
    fn defaults() -> ShrubSpec {
        WoodySpec {
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
            habit: PhantomData,
        }
    }
}
