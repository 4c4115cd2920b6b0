//! The one error type of the plants.

use std::path::PathBuf;

/// Why a plant or a terrain cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// A parameter that is outside its limits.
    #[error("{parameter} is {value}, but must be {limits}")]
    Parameter {
        /// Which parameter.
        parameter: String,
        /// What it is.
        value: String,
        /// What it may be.
        limits: String,
    },
    /// A name that is no preset.
    #[error("there is no plant {name:?}; choose one of {known}")]
    UnknownPlant {
        /// What was requested.
        name: String,
        /// What there is.
        known: String,
    },
    /// A file of heights that cannot be used.
    #[error("cannot use the heights of {}: {reason}", path.display())]
    HeightFile {
        /// The file as the user named it.
        path: PathBuf,
        /// What is wrong and what to do.
        reason: String,
    },
}
