//! Understory, a lidar simulator for vegetation: one pulse, then many.
//!
//! The modules stand in the order in which a pulse passes through them; [`simulate`] has the whole
//! path on one page.

pub mod simulate;

pub mod trajectory;
pub mod motion;
pub mod physics;
pub mod scan_pattern;
pub mod beam;
pub mod scene;
pub mod interaction;
pub mod light_path;
pub mod atmosphere;
pub mod echo;
pub mod receiver;
pub mod detector;
pub mod range_error;
pub mod record;

pub mod export;
pub mod far_plants;
pub mod grass_theory;
pub mod figures;
pub mod fit_error;
pub mod pack;
pub mod motion_truth;
pub mod reproduce;
pub mod rng;
pub mod render;
pub mod run;
pub mod trace_pulse;

pub mod scenario;
pub mod sensor;

mod error;
mod references;
mod toml_file;

pub use error::Error;
