//! Procedural grass, shrubs, trees and terrain as meshes with known leaf area.
//!
//! What enters: a [`PlantSpec`] and a seed. What leaves: a [`Plant`], a mesh whose triangles know
//! whether they are leaf or wood, with its measures.

mod conifer;
mod error;
mod leaf;
mod leaf_angle;
mod limits;
mod plant;
mod random;
mod shrub;
pub mod tree;

pub use conifer::ConiferSpec;
pub use error::PlantError;
pub use leaf::{Leaf, LeafShape};
pub use leaf_angle::LeafAngle;
pub use plant::{Part, Plant, PlantMeasures};
pub use random::Random;
pub use shrub::ShrubSpec;
pub use tree::{CrownShape, FoliageDensity, TreeSpec};
