//! Understory, a lidar simulator for vegetation: one pulse, then many.
//!
//! The folders are layers; each uses only those above it in this list. [`pulse::simulate`] has the
//! whole path of a pulse on one page.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

mod error;
pub mod rng;

pub mod world;
pub mod pulse;
pub mod sensor;
pub mod run;
pub mod scenario;

pub use error::Error;
