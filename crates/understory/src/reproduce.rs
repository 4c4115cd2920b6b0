//! Tables and figures of the papers, worked out anew by scenarios of our own.
//!
//! Each reproduction is a module of the paper's and the figure's name. What leaves it are rows: the
//! paper's value where it prints one, ours, and what belongs to ours. A front end shows them.

pub mod deschaud_table1;
pub mod standing_target;
