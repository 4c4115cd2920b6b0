//! What can be wrong with a surface that is to be built.

/// Why no surface was built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// An option is outside its limits.
    #[error("surface option {name} is {value}; it must be {limits}")]
    BadOption {
        /// The option.
        name: &'static str,
        /// What it was given.
        value: f64,
        /// What it may be.
        limits: &'static str,
    },
    /// Two parts were accumulated with different options.
    #[error(
        "two parts of a surface were gathered with different options; gather both with the same"
    )]
    OptionsDiffer,
    /// There is nothing to build from.
    #[error(
        "no surface can be built from {points} usable points; give points with the origin of their beam, or a larger kernel_m"
    )]
    NoPoints {
        /// Points that were usable.
        points: u64,
    },
    /// More than 32 bits can count.
    #[error("the surface has {count} {what}, more than 4294967295; build it in parts")]
    TooMany {
        /// Of what there are too many.
        what: &'static str,
        /// How many there are.
        count: u64,
    },
}
