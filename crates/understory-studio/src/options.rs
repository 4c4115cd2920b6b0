//! What is served, and where.

use std::path::PathBuf;

/// What is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder whose scenarios and recordings are listed.
    pub folder: PathBuf,
    /// A scenario to open: a file of that folder, or the name of a built-in one.
    pub scenario: Option<String>,
    /// The port to try first; 0 takes any.
    pub port: Option<u16>,
}
