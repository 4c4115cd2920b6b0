//! The surface that runs through the points of scans: the baseline of Deschaud 2012, section V-C.
//!
//! What enters: points with the origins of their beams ([`SurfaceBuilder::add`]), in any order and
//! in any parts ([`SurfaceBuilder::merge`]). What leaves: a [`SurfaceMesh`], whose triangles face
//! the sensors, and a [`SurfaceReport`] of what was used and what was skipped.
//!
//! 1. Points are averaged in small cells (`thinning.rs`), so that cost and memory follow the
//!    occupied volume, not the number of pulses.
//! 2. Each has a normal by weighted principal components, turned towards the sensor (`normals.rs`).
//! 3. They define a signed distance by Robust Implicit Moving Least Squares, Öztireli, Guennebaud
//!    and Gross 2009 (`rimls.rs`).
//! 4. Its zero becomes triangles by marching cubes, only in cells near points and only where the
//!    distance is known at all eight corners (`marching_cubes.rs`, `cube_cases.rs`). Where there are
//!    no points, there is a hole.
//!
//! All positions are whole numbers of ticks, so a site at UTM coordinates loses nothing, parts
//! merge exactly, and any number of threads gives the same bytes.
//!
//! A sheet thinner than `kernel_m` that was seen from both sides has no inside; what comes out
//! there is neither side. This is in the nature of the model: the paper shows it on trees.

mod cell_sums;
mod cube_cases;
mod extract;
mod marching_cubes;
mod mesh;
mod normals;
mod options;
mod points;
mod rimls;
mod thinning;
#[cfg(test)]
mod tests;

pub use mesh::{SurfaceMesh, SurfaceReport};
pub use options::SurfaceOptions;
pub use thinning::SurfaceBuilder;

/// Lengths of options and input positions are whole numbers of this: 10 µm.
const QUANTA_PER_METRE: f64 = 1e5;
/// Averages of positions are finer by this.
const TICKS_PER_QUANTUM: i64 = 64;
const METRES_PER_TICK: f64 = 1.0 / (QUANTA_PER_METRE * TICKS_PER_QUANTUM as f64);

/// What a build is doing, for whoever shows its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceStep {
    /// Normals of points.
    Normals,
    /// Distances and triangles.
    Triangles,
}
