//! Procedural grass, shrubs, trees and terrain as meshes with known leaf area.
//!
//! What enters: a [`PlantSpec`] and a seed. What leaves: a [`Plant`], a mesh whose triangles know
//! whether they are leaf or wood, with its measures. A [`TerrainSpec`] becomes a [`HeightField`] and
//! from it a [`GroundMesh`]; an [`ObstacleSpec`] becomes a [`GroundObject`].

mod error;
mod obstacle;
mod plant;
mod random;
mod terrain;

pub use error::PlantError;
pub use obstacle::{Fence, GroundObject, Log, ObstacleSpec, Post, Rock, Wall};
pub use plant::{Part, Plant, PlantMeasures};
pub use random::Random;
pub use terrain::features::{Berm, Ditch, Feature, Mound, Ruts, Slope, Step};
pub use terrain::heightmap_file::{HeightmapFile, Holes};
pub use terrain::mesh::{GroundDetail, GroundMesh};
pub use terrain::relief::Relief;
pub use terrain::{GroundPlane, HeightField, MAX_SAMPLES, TerrainSpec};
