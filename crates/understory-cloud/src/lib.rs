//! Pulses and points as columns, and the files in which they travel.
//!
//! What enters: [`Records`], columns with one row per return and one row per pulse without a
//! return. What leaves: files that other people's tools open.

mod records;

pub use records::{Record, Records};
