//! Every reader of other people's bytes, as targets for fuzzing.
//!
//! What enters: bytes. What leaves: nothing, or a panic. A [`Target`] gives bytes to the very library
//! function that the program calls, in memory or as a file in a folder in memory. [`clouds`] are
//! recordings, packets and poses, [`worlds`] what a scenario is made of, [`servers`] what listens.
//!
//! The programs in `src/bin` put libFuzzer around them, guided by coverage: `cargo xtask fuzz`.
//! [`mutate`] changes what has a structure (TOML, glTF, MCAP, files with checksums) so that it stays
//! one. `corpus/` keeps, minimised, what covers most; the tests read all of it once.

// A harness: what fails here is to end the program.
#![allow(clippy::unwrap_used, clippy::expect_used)]

pub mod clouds;
mod corpus;
#[cfg(feature = "guided")]
pub mod guided;
pub mod mutate;
mod records;
pub mod servers;
pub mod worlds;

pub use corpus::{corpus_path, read_corpus, write_corpus};

use mutate::Mutation;
use std::path::{Path, PathBuf};

/// A reader and what it is given.
pub struct Target {
    /// What it is called on the command line.
    pub name: &'static str,
    /// Longest input.
    pub bytes_max: usize,
    /// Small inputs that are fine.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// How inputs are changed besides byte by byte.
    pub mutation: Mutation,
    /// Prepares what all inputs have in common, and gives what reads one.
    pub reader: fn() -> Reader,
}

/// Reads one input.
pub type Reader = Box<dyn FnMut(&[u8])>;

/// All targets of all programs.
pub fn targets() -> impl Iterator<Item = &'static Target> {
    clouds::TARGETS.iter().chain(&worlds::TARGETS).chain(&servers::TARGETS)
}

/// The target of this name.
pub fn target(name: &str) -> Option<&'static Target> {
    targets().find(|target| target.name == name)
}

/// A folder for the files of one reader: in memory where there is such a place.
pub(crate) fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("understory-fuzz-");
    if memory.is_dir() { builder.tempdir_in(memory) } else { builder.tempdir() }.unwrap()
}

/// A reader of files of this name.
pub(crate) fn of_file(name: &'static str, mut read: impl FnMut(&Path) + 'static) -> Reader {
    let folder = folder();
    let path: PathBuf = folder.path().join(name);
    Box::new(move |bytes| {
        std::fs::write(&path, bytes).unwrap();
        read(&path);
        let _kept_alive = &folder;
    })
}

/// A refusal is one sentence of some length on one line.
pub(crate) fn is_sentence(error: &dyn std::fmt::Display) {
    let text = error.to_string();
    assert!(!text.is_empty() && text.len() < 4000, "{} bytes: {text:.200}", text.len());
}
