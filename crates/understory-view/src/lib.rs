//! Pictures: what a camera sees of a world, what a recording looks like, plots, and worlds exported
//! for other programs.
//!
//! What enters: the very [`Scene`](understory::world::scene::Scene) that the lidar's rays meet, or
//! records. What leaves: images, plots and glTF or OBJ files.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod export;
pub mod figures;
pub mod film;
pub mod pattern;
pub mod picture;
pub mod plot;
mod raster;
pub mod render;
