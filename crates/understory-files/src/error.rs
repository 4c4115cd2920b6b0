//! Why a file was refused: what is wrong, where, and what to do.

use std::path::PathBuf;

/// A file that cannot be read, or says something that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// A file cannot be read.
    #[error("{path}: cannot be read: {source}; check that it exists and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why the system refused it.
        source: std::io::Error,
    },
    /// It says something that cannot be.
    #[error("{location}: {problem}; {remedy}")]
    Invalid {
        /// `file:line`, or the file where no line is known.
        location: String,
        /// What is wrong.
        problem: String,
        /// What to do about it.
        remedy: String,
    },
}
