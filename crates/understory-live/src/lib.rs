//! Records sent live and at true pace: the packets of a maker's sensor over UDP, ROS 2 messages,
//! viewers.

#[cfg(feature = "ros2")]
mod ros2;

#[cfg(feature = "ros2")]
pub use ros2::{Ros2Error, Ros2Options, Ros2Publisher, Ros2Report, Ros2Sink};
