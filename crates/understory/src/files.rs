//! Files that people write: TOML read strictly, and what it refers to.

pub(crate) mod references;
pub(crate) mod toml_file;

pub use toml_file::word_remedy;
