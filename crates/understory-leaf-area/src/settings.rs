//! What is estimated, and with which assumptions.

use glam::DVec3;

use crate::{Estimator, LeafAngles, LeafAreaError, Weights};

/// Settings of an estimate; the default suits most.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The box that is looked at; all returns from plants where nothing is said.
    pub region: Option<[DVec3; 2]>,
    /// Edges of the voxels.
    pub cell_m: [f64; 3],
    /// How density follows from the sums of a voxel.
    pub estimator: Estimator,
    /// How the light of a pulse is shared among its returns.
    pub weights: Weights,
    /// How leaves are inclined.
    pub leaf_angle: LeafAngles,
    /// Typical width of a leaf, which says how much chance there is in where few leaves hang.
    pub leaf_width_m: f64,
    /// Clumping index within voxels: density is divided by it.
    pub clumping: f64,
    /// Share of wood in what stopped light, where no class says so.
    pub wood_share: f64,
    /// Fewest pulses of a voxel that is estimated; with fewer it is unknown.
    pub pulses_min: u32,
    /// How far pulses are followed: nearer than the first and beyond the second they say nothing.
    pub range_m: [f64; 2],
    /// Probability with which intervals hold the truth.
    pub confidence: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            region: None,
            cell_m: [0.5; 3],
            estimator: Estimator::BiasCorrected,
            weights: Weights::Auto,
            leaf_angle: LeafAngles::default(),
            leaf_width_m: 0.05,
            clumping: 1.0,
            wood_share: 0.0,
            pulses_min: 1,
            range_m: [0.0, f64::INFINITY],
            confidence: 0.95,
        }
    }
}

impl Settings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), LeafAreaError> {
        let refused = |setting, value: f64, remedy| {
            Err(LeafAreaError::BadSetting { setting, value: value.to_string(), remedy })
        };
        if !(0.0..=10.0).contains(&self.leaf_width_m) {
            return refused("the leaf width", self.leaf_width_m, "give metres from 0 to 10");
        }
        if !(self.clumping > 0.0 && self.clumping <= 2.0) {
            return refused("the clumping index", self.clumping, "give one above 0 and up to 2");
        }
        if !(0.0..1.0).contains(&self.wood_share) {
            return refused("the share of wood", self.wood_share, "give one from 0 to below 1");
        }
        if !(self.confidence > 0.0 && self.confidence < 1.0) {
            return refused("the confidence", self.confidence, "give one between 0 and 1");
        }
        let [near, far] = self.range_m;
        if !(near >= 0.0 && far > near) {
            return refused("the range", near, "give two rising lengths such as 0.5,120");
        }
        self.weights.check()
    }

    /// One-sided area of a leaf.
    pub fn leaf_area_m2(&self) -> f64 {
        std::f64::consts::FRAC_PI_4 * self.leaf_width_m.powi(2)
    }
}
