//! What tests of several crates share; only ever a dev-dependency.
//!
//! Some checks need what a fresh checkout does not have: a Python with other people's tools, real
//! recordings. `cargo xtask test` brings or finds all of it and says so by variables. A check whose
//! need is not met never passes in silence: it fails with a sentence, unless `UNDERSTORY_SKIP` names
//! the need; then it is skipped, with a line that `cargo xtask test` shows at its end.
//!
//! ```
//! use understory_testing::Need;
//! assert_eq!(Need::Python.name(), "python");
//! ```

// Tests talk to a person, and fail by panicking.
#![allow(clippy::print_stderr, clippy::expect_used, clippy::panic)]

mod dds;
pub mod digests;
mod imports;
mod need;
pub mod picture;
mod python;
mod shared;

pub use dds::DdsNode;
pub use imports::imported_functions;
pub use need::{Need, skip};
pub use python::Python;
pub use shared::{recordings, sensor_table};
