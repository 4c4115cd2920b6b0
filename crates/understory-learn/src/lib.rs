//! What can be learned from scans: how each small volume of a site returns light.
//!
//! Estimators of Gaussian volumes with permeability (Deschaud 2012) and of their likelihood under
//! the beams. Nothing here simulates: recovering a known site from simulated scans tests two
//! separate codes.

pub mod estimate;
pub mod input;
pub mod site;
pub mod volume;

mod error;

pub use error::{LearnError, SurfaceError};
