//! Everything that can go wrong when a site is learned, written or read, each as one sentence.

use std::path::PathBuf;

use understory_cloud::CloudError;
use understory_geometry::GeometryError;

/// Why a site could not be learned, written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LearnError {
    /// A recording could not be read, or a file not be written.
    #[error(transparent)]
    Cloud(#[from] CloudError),
    /// The volumes do not make a tree.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A setting that makes no sense.
    #[error("{setting} is {value}, which is not {wanted}; {remedy}")]
    BadSetting {
        /// Its name.
        setting: &'static str,
        /// What it was.
        value: f64,
        /// What it may be.
        wanted: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// No beam of the recordings can teach anything.
    #[error(
        "{beams} beams were read and none of them returned from anything nearer than {range_max_m} m; check the recording and its units"
    )]
    NothingToLearn {
        /// How many beams there were.
        beams: u64,
        /// How far beams were believed.
        range_max_m: f64,
    },
    /// Points farther apart than a site can hold.
    #[error(
        "the points reach {reach_m:.0} m from the middle of the site and a site can reach {limit_m:.0} m; learn it in tiles, each a site of its own"
    )]
    TooLarge {
        /// How far they reach.
        reach_m: f64,
        /// How far they may.
        limit_m: f64,
    },
    /// A surface cannot be built.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// Pulses without a return that cannot be found again.
    #[error("{}: the pulses without a return cannot be recovered: {why}; {remedy}", path.display())]
    CannotRecoverMisses {
        /// The recording.
        path: PathBuf,
        /// What is missing.
        why: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Nothing that could give volumes colours.
    #[error(
        "no volume gets a colour: {coloured} points of the recordings have one, and none of them lies in a volume; give recordings with red, green and blue of the same place, or leave out --colours"
    )]
    NoColours {
        /// Points with a colour.
        coloured: u64,
    },
    /// A surface has no probabilities.
    #[error(
        "a surface says one range for every beam and has no probabilities to judge; simulate it and compare the recordings"
    )]
    CannotJudge,
    /// A file of poses that cannot be used.
    #[error("{}: {problem}; {remedy}", path.display())]
    BadPoses {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Scans that cannot be registered.
    #[error(
        "these scans cannot be registered: {why}; give the scans of one drive, each a file with a pose"
    )]
    CannotRegister {
        /// Why not.
        why: String,
    },
    /// A file of sums or counts that cannot be read.
    #[error("{} cannot be used: {problem}; {remedy}", path.display())]
    BadPart {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A site file that cannot be read.
    #[error("{} is no valid site file: {problem}; {remedy}", path.display())]
    BadSite {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
    /// Sites that cannot be put together.
    #[error("these sites cannot be merged: {problem}; {remedy}")]
    CannotMerge {
        /// Why not.
        problem: String,
        /// What to do.
        remedy: &'static str,
    },
}

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
