//! What can be learned from scans: how each small volume of a site returns light.
//!
//! Estimators of Gaussian volumes with permeability (Deschaud 2012) and of their likelihood under
//! the beams. Nothing here simulates: recovering a known site from simulated scans tests two
//! separate codes.
//!
//! ```
//! use glam::{DVec3, Vec3};
//! use understory_learn::estimate::{Settings, learn};
//! use understory_learn::input::Beams;
//! use understory_learn::site::Model;
//!
//! // Twigs 5 m away stop every second beam; the others return from nothing.
//! let mut beams = Beams::default();
//! for k in 0..1000u16 {
//!     let direction = Vec3::new(1.0, f32::from(k % 40) * 1e-4, 0.0).normalize();
//!     let range_m = if k % 2 == 0 { 5.02 + f32::from(k) * 1e-5 } else { f32::INFINITY };
//!     beams.push(DVec3::ZERO, direction, range_m, f32::NAN, 0);
//! }
//! let (site, report) = learn(&vec![beams], Model::Voxel, &Settings::default(), &understory_base::Silent)?;
//! assert_eq!((report.beams, report.misses), (1000, 500));
//! assert!((site.volumes[0].permeability() - 0.5).abs() < 0.1);
//! # Ok::<(), understory_learn::LearnError>(())
//! ```
//!
//! [`input`] reads recordings as beams, [`estimate`] learns from them, [`site`] is what was learned
//! and its files, [`volume`] the mathematics of one Gaussian volume.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod colours;
pub mod estimate;
pub mod input;
pub mod judge;
pub mod register;
pub mod scan_motion;
pub mod site;
pub mod volume;

mod error;

pub use error::{LearnError, SurfaceError};
