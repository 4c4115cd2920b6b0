//! Understory, a lidar simulator for vegetation: one pulse, then many.
//!
//! The modules stand in the order in which a pulse passes through them.

pub mod beam;
pub mod detector;
pub mod scan_pattern;
pub mod scene;
pub mod trajectory;

pub mod scenario;
pub mod sensor;

mod error;
mod toml_file;

pub use error::Error;
