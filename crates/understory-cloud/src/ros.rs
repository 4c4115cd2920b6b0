//! ROS 2: the messages of drivers, transforms and odometry as bytes, and back.
//!
//! The way out: [`RosEncoder`] takes records and poses of scans and gives finished messages, which
//! a bag ([`McapSink`](crate::McapSink)) stores and a live publisher sends. The way in: `bag.rs`
//! goes through the messages of an MCAP file, `points.rs` takes the points of a scan out of them,
//! `frames.rs` the poses. Numbers are in CDR (`cdr.rs`) as DDS has them on the wire.

mod bag;
mod cdr;
mod cloud;
mod cloud_layout;
mod encoder;
mod frames;
mod laser_scan;
mod message_type;
mod messages;
mod platform;
mod points;
mod scan_row;

pub(crate) use bag::{BagChannel, BagFile, bag_files, is_bag_folder, one_line};
pub(crate) use frames::{FrameTree, Placed, PoseKind, Stamped};
pub(crate) use points::{PointColumn, PointKind, ReadRules, ScanMessage};

pub use encoder::{RosEncoder, RosNames, RosOptions};
pub use message_type::{EmitRos, RosMessage, RosType};
