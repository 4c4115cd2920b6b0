//! Whole files: written, read back by other programs, cut short, and never half-written.

#![allow(clippy::disallowed_methods)]
// Helpers of tests may fail like tests.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod bags;
mod blensor;
mod common;
mod convert_all;
mod damage;
mod docs;
mod e57;
mod failures;
mod parquet;
mod python;
mod ray_cloud;
mod reading;
mod real_data;
mod ouster;
mod ros;
mod round_trip;
mod velodyne;
mod waveforms;
