//! What to grow: one enum over all kinds of plants.
//!
//! What enters: parameters, from a file or a preset. What leaves: a [`Plant`], and before growing
//! it, how large it will be. In a file the kind is the name of the table:
//!
//! ```toml
//! [grass]
//! blades_per_m2 = 3000.0
//! ```

use serde::{Deserialize, Serialize};

use crate::limits::fits;
use crate::{
    ConiferSpec, CropSpec, GrassSpec, GrownSpec, LeafVolumeSpec, Plant, PlantError, ShrubSpec,
    StandSpec, StemsSpec, TreeSpec,
};

/// Parameters of a plant or of a patch of plants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlantSpec {
    /// A patch of grass or meadow.
    Grass(GrassSpec),
    /// A patch of upright rods.
    Stems(StemsSpec),
    /// A patch of cereals, maize or reeds.
    Crop(CropSpec),
    /// A box of leaves placed at random.
    LeafVolume(LeafVolumeSpec),
    /// A tree that is grown.
    Grown(GrownSpec),
    /// A square of forest whose trees grew up together.
    Stand(StandSpec),
    /// A broad-leaved tree of a given outline.
    Tree(TreeSpec),
    /// A conifer of a given outline.
    Conifer(ConiferSpec),
    /// A shrub or a piece of hedge.
    Shrub(ShrubSpec),
}

/// Calls the same method of whichever kind it is.
macro_rules! each_kind {
    ($spec:expr, $kind:ident => $call:expr) => {
        match $spec {
            PlantSpec::Grass($kind) => $call,
            PlantSpec::Stems($kind) => $call,
            PlantSpec::Crop($kind) => $call,
            PlantSpec::LeafVolume($kind) => $call,
            PlantSpec::Grown($kind) => $call,
            PlantSpec::Stand($kind) => $call,
            PlantSpec::Tree($kind) => $call,
            PlantSpec::Conifer($kind) => $call,
            PlantSpec::Shrub($kind) => $call,
        }
    };
}

impl PlantSpec {
    /// Refuses parameters outside their limits, and plants too large to be held.
    pub fn check(&self) -> Result<(), PlantError> {
        each_kind!(self, kind => kind.check())?;
        fits(self.triangle_estimate())
    }

    /// Grows the plant; the same seed gives the same plant.
    pub fn grow(&self, seed: u64) -> Result<Plant, PlantError> {
        self.check()?;
        each_kind!(self, kind => kind.grow(seed))
    }

    /// About how many triangles it will have, without growing it.
    pub fn triangle_estimate(&self) -> u64 {
        each_kind!(self, kind => kind.triangle_estimate())
    }

    /// About how many bytes its mesh will take, from above.
    ///
    /// A triangle is 13 bytes and has at most two vertices of its own, of 24 bytes each; a needle,
    /// which stands alone, has three.
    pub fn memory_estimate_bytes(&self) -> u64 {
        let needles = match self {
            PlantSpec::Conifer(_) | PlantSpec::Stand(_) => true,
            PlantSpec::Grown(spec) => spec.needles,
            _ => false,
        };
        let vertices = if needles { 3 } else { 2 };
        self.triangle_estimate().saturating_mul(13 + vertices * 24)
    }

    /// Ground that a patch covers, x and y, if the kind is grown as a patch.
    pub fn patch_size_m(&self) -> Option<[f64; 2]> {
        match self {
            PlantSpec::Grass(spec) => Some([spec.size_x_m, spec.size_y_m]),
            PlantSpec::Stems(spec) => Some([spec.size_x_m, spec.size_y_m]),
            PlantSpec::Crop(spec) => Some([spec.size_x_m, spec.size_y_m]),
            PlantSpec::LeafVolume(spec) => Some([spec.size_x_m, spec.size_y_m]),
            PlantSpec::Stand(spec) => Some([spec.side_m; 2]),
            PlantSpec::Grown(_)
            | PlantSpec::Tree(_)
            | PlantSpec::Conifer(_)
            | PlantSpec::Shrub(_) => None,
        }
    }
}
