//! Procedural grass, shrubs, trees and terrain as meshes with known leaf area.
//!
//! What enters: a [`PlantSpec`] and a seed. What leaves: a [`Plant`], a mesh whose triangles know
//! whether they are leaf or wood, with its measures. A [`TerrainSpec`] becomes a [`HeightField`] and
//! from it a [`GroundMesh`]; an [`ObstacleSpec`] becomes a [`GroundObject`].
//!
//! ```
//! let wheat = understory_plants::preset("wheat")?.spec();
//! let [x_m, y_m] = wheat.patch_size_m().unwrap_or([1.0; 2]);
//! let leaf_area_index = wheat.grow(1)?.measures(10).leaf_area_m2 / (x_m * y_m);
//! assert!((2.7..3.3).contains(&leaf_area_index));
//! # Ok::<(), understory_plants::PlantError>(())
//! ```

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod blade;
mod lod;
mod conifer;
mod crop;
mod error;
mod figures;
mod gap;
mod grass;
mod grown;
mod inclination;
mod leaf;
mod leaf_angle;
mod leaf_volume;
mod limits;
mod obstacle;
mod patch;
mod plant;
mod presets;
mod random;
mod spec;
mod stand;
mod stems;
mod sway;
mod terrain;
mod tree;

pub use conifer::ConiferSpec;
pub use crop::CropSpec;
pub use error::PlantError;
pub use figures::{PlantFigures, SEASONS, SpeciesFigures};
pub use gap::{Canopy, GapFraction, scattered_gap_fractions};
pub use grass::GrassSpec;
pub use grown::{Bark, GrownSpec, Season};
pub use inclination::Inclinations;
pub use leaf::{Leaf, LeafShape};
pub use leaf_angle::LeafAngle;
pub use leaf_volume::LeafVolumeSpec;
pub use lod::{Gaps, PlantLod};
pub use obstacle::{Fence, GroundObject, Log, ObstacleSpec, Post, Rock, Wall};
pub use plant::{Part, Plant, PlantMeasures};
pub use presets::{Preset, preset, presets};
pub use random::Random;
pub use spec::PlantSpec;
pub use stand::{StandSpec, StandTrees};
pub use stems::StemsSpec;
pub use sway::Sway;
pub use terrain::features::{Berm, Ditch, Feature, Mound, Ruts, Slope, Step};
pub use terrain::heightmap_file::{HeightmapFile, Holes};
pub use terrain::mesh::{GroundDetail, GroundMesh};
pub use terrain::relief::Relief;
pub use terrain::{GroundPlane, HeightField, MAX_SAMPLES, TerrainSpec};
pub use tree::{CrownShape, FoliageDensity, Habit, Shrub, ShrubSpec, Tree, TreeSpec, WoodySpec};
