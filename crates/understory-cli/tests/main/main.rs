//! The real program, run as a stranger would run it.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod bad_input;
mod compare;
mod convert;
mod drive;
#[cfg(feature = "ros2")]
mod drive_ros2;
mod fit_error;
mod gps;
mod leaf_area;
mod learn;
mod pack;
mod packets;
mod motion;
#[cfg(feature = "mpi")]
mod ranks;
mod render;
mod reproduce;
mod resume;
mod same_bytes;
mod schema;
mod site;
mod support;
mod verbs;
mod wrong_files;
