//! The real program, run as a stranger would run it.
#![allow(clippy::disallowed_methods)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod bad_input;
mod book;
mod bag_frames;
mod compare;
mod convert;
mod drive;
#[cfg(feature = "ros2")]
mod drive_ros2;
mod every_machine;
mod fit_error;
mod gps;
mod leaf_area;
mod learn;
mod pack;
mod new;
mod packets;
mod motion;
mod moving;
#[cfg(feature = "mpi")]
mod ranks;
mod render;
mod reproduce;
mod resume;
mod same_bytes;
mod schema;
mod site;
mod strangers;
mod support;
mod verbs;
#[cfg(any(feature = "foxglove", feature = "rerun"))]
mod viewers;
mod wrong_files;
