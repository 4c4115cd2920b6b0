//! ROS 2 bags in MCAP: the messages of [`ros`](crate::ros) in a file or a folder.

pub(super) mod read;
mod write;

pub use write::McapSink;
