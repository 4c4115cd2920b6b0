//! What a text refers to outside itself: files by their paths, presets by their names.
//!
//! The checks of scenarios and sensors look up every file by
//! [`LayeredToml::file`](crate::LayeredToml::file) and note every preset, so that this list is
//! whole: a pack holds what it names and nothing else.

use std::ops::Range;
use std::path::PathBuf;

/// One value of a text that stands for something outside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Name of the file whose text holds the value.
    pub location: String,
    /// Where the value stands in that text, in bytes.
    pub span: Range<usize>,
    /// What it stands for.
    pub target: Target,
}

/// What a value stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A file.
    File {
        /// As it is typed.
        typed: PathBuf,
        /// Where it is.
        path: PathBuf,
        /// What was read with it: files in it, where it is a folder, else files beside it.
        parts: Vec<PathBuf>,
    },
    /// A preset that the program carries.
    Preset {
        /// What it describes.
        kind: PresetKind,
        /// Its name.
        name: String,
        /// A file that says the same.
        text: String,
    },
}

/// What a preset describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresetKind {
    /// A sensor, named by `preset`.
    Sensor,
    /// A plant, named by `species`.
    Plant,
}
