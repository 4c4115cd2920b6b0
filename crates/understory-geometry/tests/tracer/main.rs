//! The tracer against brute force, geometry and itself.

mod common;
mod edges;
mod filter;
mod instructions;
mod moving;
mod nearest;
mod precision;
mod refusals;
