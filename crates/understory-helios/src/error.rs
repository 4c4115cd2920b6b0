//! Why a survey cannot be taken over.

use std::path::{Path, PathBuf};

/// A survey, or a file that it names, that cannot be taken over.
#[derive(Debug, thiserror::Error)]
pub enum HeliosError {
    /// A file cannot be read.
    #[error("{path}: cannot be read: {source}; check that it exists and that you may read it")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why the system refused it.
        source: std::io::Error,
    },
    /// It says something that cannot be taken over.
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

impl HeliosError {
    pub(crate) fn invalid(
        location: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> HeliosError {
        HeliosError::Invalid {
            location: location.into(),
            problem: problem.into(),
            remedy: remedy.into(),
        }
    }

    pub(crate) fn read(path: &Path, source: std::io::Error) -> HeliosError {
        HeliosError::Read { path: path.to_path_buf(), source }
    }
}
