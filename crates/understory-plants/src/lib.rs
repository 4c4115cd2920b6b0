//! Procedural grass, shrubs, trees and terrain as meshes with known leaf area.
//!
//! What enters: a [`PlantSpec`] and a seed. What leaves: a [`Plant`], a mesh whose triangles know
//! whether they are leaf or wood, with its measures.

mod error;
mod plant;
mod random;

pub use error::PlantError;
pub use plant::{Part, Plant, PlantMeasures};
pub use random::Random;
