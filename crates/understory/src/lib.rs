//! Understory, a lidar simulator for vegetation: one pulse, then many.
//!
//! The modules stand in the order in which a pulse passes through them.

pub mod trajectory;
pub mod scan_pattern;
pub mod beam;
pub mod scene;
pub mod detector;

pub mod sensor;
pub mod scenario;

mod error;

pub use error::Error;
