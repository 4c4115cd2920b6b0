//! Records sent live and at true pace: the packets of a maker's sensor over UDP, ROS 2 messages,
//! viewers.

#[cfg(feature = "rerun")]
pub mod rerun;
