//! What can be learned from scans: how each small volume of a site returns light.
//!
//! Estimators of Gaussian volumes with permeability (Deschaud 2012) and of their likelihood under
//! the beams. Nothing here simulates: recovering a known site from simulated scans tests two
//! separate codes.

pub mod beams;
pub mod learn;
pub mod rebuild;
pub mod recordings;
pub mod site;
pub mod site_edit;
pub mod site_file;
pub mod site_table;

pub mod bottom_up;
pub mod likelihood;
pub mod surface;
pub mod top_down;
pub mod voxel;

pub mod beer_lambert;
pub mod bricks;
pub mod cells;
pub mod clusters;
pub mod gaps;
pub mod gaussian;
pub mod march;
pub mod moments;
pub mod parts;
pub mod permeability;
pub mod range_draw;
pub mod rays;

mod error;

pub use error::LearnError;
