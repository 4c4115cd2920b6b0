//! The one error type of the plants.

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
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}
