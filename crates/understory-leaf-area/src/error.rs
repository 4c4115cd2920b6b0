//! Everything that can go wrong when leaf area is estimated, each as one sentence.

use understory_cloud::{CloudError, VoxelError};
use understory_learn::LearnError;

/// Why leaf area could not be estimated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeafAreaError {
    /// A recording could not be read.
    #[error(transparent)]
    Learn(#[from] LearnError),
    /// A file could not be written.
    #[error(transparent)]
    Cloud(#[from] CloudError),
    /// Voxels that cannot be.
    #[error(transparent)]
    Voxels(#[from] VoxelError),
    /// A setting that makes no sense.
    #[error("{setting} is {value}; {remedy}")]
    BadSetting {
        /// Its name.
        setting: &'static str,
        /// What it was.
        value: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Nothing came back that could be a plant.
    #[error(
        "{pulses} pulses were read and none of them returned from a plant; check the recording, its classes and its units, or give a region"
    )]
    NoPlants {
        /// How many pulses there were.
        pulses: u64,
    },
    /// Leaf angles that the pulses do not show.
    #[error(
        "the leaf angles cannot be fitted: {why}; give them, such as --leaf-angle spherical, or scans from more places"
    )]
    NoLeafAngles {
        /// Why not.
        why: String,
    },
}
