//! Understory, a lidar simulator for vegetation: one pulse, then many.
//!
//! The folders are layers; each uses only those above it in this list. [`pulse::simulate`] has the
//! whole path of a pulse on one page.

mod error;
pub mod rng;

pub mod world;
pub mod pulse;
pub mod sensor;
pub mod run;
pub mod scenario;

pub use error::Error;
