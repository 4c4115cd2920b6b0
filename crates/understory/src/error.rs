//! The one error type of the simulator: each message says what is wrong, where, and what to do.

use std::fmt::Display;
use std::path::PathBuf;

use understory_files::FileError;

/// Everything that can go wrong between a scenario file and its records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("{path}: cannot be read: {source}; check that it exists and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why the system refused it.
        source: std::io::Error,
    },
    /// A scenario, preset or mesh file says something that cannot be.
    #[error("{location}: {problem}; {remedy}")]
    Invalid {
        /// `file:line`, or the file where no line is known.
        location: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
    /// The caller stopped the run.
    #[error(
        "the run was stopped after {simulated_s} s of simulated time and nothing was written; start it again, or simulate parts of it by intervals"
    )]
    Cancelled {
        /// How much was simulated.
        simulated_s: f64,
    },
    /// The caller stopped the run, and what it did is kept.
    #[error(
        "the run was stopped after {simulated_s:.6} s of simulated time, which is kept in {}; start it again in the same way and it goes on from there", folder.display()
    )]
    Interrupted {
        /// How much was simulated.
        simulated_s: f64,
        /// Where it is.
        folder: PathBuf,
    },
    /// Another process of the run failed.
    #[error("rank {rank} failed: {problem}")]
    Rank {
        /// Which one.
        rank: usize,
        /// Why, in its own words.
        problem: String,
    },
    /// Another process of the run failed, and rank 0 says why.
    #[error("another rank ended the run; rank 0 says why")]
    OtherRank,
    /// The system gives no more threads.
    #[error("cannot start a thread: {0}; ask for fewer threads")]
    Threads(std::io::Error),
    /// The output failed.
    #[error(transparent)]
    Cloud(#[from] understory_cloud::CloudError),
    /// Two recordings cannot be compared.
    #[error(transparent)]
    Compare(#[from] understory_compare::CompareError),
    /// A learned site was refused.
    #[error(transparent)]
    Learn(#[from] understory_learn::LearnError),
    /// A body left the world of sane numbers.
    #[error(
        "physics: body {body:?} {problem} after {time_s} s; start it clear of others, or lower its velocity or the `step_s` of [world.physics]"
    )]
    Physics {
        /// Its name.
        body: String,
        /// When.
        time_s: f64,
        /// What happened to it.
        problem: String,
    },
    /// The geometry of an object was refused.
    #[error("{location}: {source}")]
    Object {
        /// Where the object is described.
        location: String,
        /// Why it was refused; the message says what to do.
        source: understory_geometry::GeometryError,
    },
    /// The geometry was refused.
    #[error(transparent)]
    Geometry(#[from] understory_geometry::GeometryError),
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Error {
        match error {
            FileError::Read { path, source } => Error::Read { path, source },
            FileError::Invalid { location, problem, remedy } => {
                Error::Invalid { location, problem, remedy }
            }
        }
    }
}

impl Error {
    /// An [`Error::Invalid`] from its parts.
    pub fn invalid(
        location: impl Display,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Error {
        Error::Invalid {
            location: location.to_string(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }
}
