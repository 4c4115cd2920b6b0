//! E57 (ASTM E2807): scans with their poses.

mod points;
pub(super) mod read;
pub(super) mod write;
