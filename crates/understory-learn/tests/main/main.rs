//! Sites drawn from the model itself, by a generator that shares no code with the estimators, are
//! recovered from their beams.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test may fail and say so")]

mod clusters;
mod draw;
mod march;
mod memory;
mod misses;
mod surface_of_scans;
mod voxel;
