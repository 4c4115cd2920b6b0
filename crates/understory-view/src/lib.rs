//! Pictures: what a camera sees of a world, what a recording looks like, plots, and worlds exported
//! for other programs.
//!
//! What enters: the very [`Scene`](understory::world::scene::Scene) that the lidar's rays meet, or
//! records. What leaves: images, plots and glTF or OBJ files.

pub mod export;
pub mod figures;
pub mod film;
pub mod pattern;
pub mod picture;
pub mod plot;
mod raster;
pub mod render;
