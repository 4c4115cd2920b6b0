//! The tracer against brute force, geometry and itself.

#![allow(clippy::disallowed_methods)]
// Helpers of tests are tests too, but clippy only knows functions marked as such.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;
mod cutout;
mod edges;
mod filter;
mod instructions;
mod interleaved;
mod lod;
mod moving;
mod nearest;
mod precision;
mod refusals;
mod streams;
