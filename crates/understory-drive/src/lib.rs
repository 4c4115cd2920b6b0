//! A robot in the loop: a vehicle that senses, maps, plans and drives, one period after another.
//!
//! What enters: a scenario with a table `[drive]` and the [`PreparedRun`](understory::pulse::PreparedRun)
//! of its world and sensors. What leaves: a [`Drive`] that was driven to its goal or stopped before
//! it, its [`Metrics`], its map and its path. Goodin et al. (2018, "P2"), section 3.5, is the model;
//! every part of it can be exchanged.
//!
//! The files, in the order of a period: [`planner`] looks for a path on the [`cost_map`], [`follower`]
//! turns it into commands, [`vehicle`] obeys them on the true ground ([`contact`] says what it runs
//! into), the simulator fires every pulse from the pose at its own time on the path that the vehicle
//! really drives, [`estimated_pose`] says with which pose points are registered, and a [`mapper`]
//! takes them. [`true_map`] is what the [`metrics`] compare with.

// Tests take the system's sines, which are a check from elsewhere.
#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod animation;
pub mod command;
pub mod contact;
pub mod cost_map;
pub mod drive;
pub mod estimated_pose;
pub mod experiment;
pub mod follower;
pub mod grid;
pub mod mapper;
pub mod metrics;
pub mod path;
pub mod picture;
pub mod planner;
pub mod true_map;
pub mod vehicle;

pub use command::Command;
pub use drive::{Drive, DriveOptions, Situation};
pub use metrics::{Metrics, Outcome};
