//! Live output as its users take it: over loopback, by other people's programs.

// Helpers of tests may fail like tests, and tell what they saw.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

#[cfg(feature = "ros2")]
mod ros2;
mod udp;
