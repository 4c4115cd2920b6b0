//! The stream of jobs of a run, model-checked.
//!
//! The module [`ordered`](../../crates/understory/src/run/ordered.rs) is taken as it is; what it needs
//! of the standard library comes from `sync` here: in `with_loom` channels made of loom's mutexes, so
//! that loom goes through every order in which threads can be held up, and in `with_threads` those of
//! the standard library, for Miri and ThreadSanitizer.

// One file, compiled against two kinds of channels: that is the point.
#![allow(clippy::duplicate_mod)]

#[cfg(all(test, not(miri)))]
mod with_loom;
#[cfg(test)]
mod with_threads;
