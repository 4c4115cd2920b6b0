//! Records sent live and at true pace: the packets of a maker's sensor over UDP, ROS 2 messages,
//! viewers.
//!
//! A [`LiveSink`] takes records like any writer of files and sends the packets that they fill when
//! they are due; a [`MetadataServer`] answers the questions that drivers of Ouster's sensors ask
//! over HTTP. A consumer that is slow or gone never stalls a run: what cannot be sent is dropped
//! and counted.

mod error;
#[cfg(feature = "foxglove")]
mod foxglove;
mod live_sink;
mod metadata_server;
mod pace;
mod queue;
mod report;
#[cfg(feature = "rerun")]
mod rerun;
#[cfg(feature = "ros2")]
mod ros2;
mod sender;
mod udp_target;

pub use error::LiveError;
#[cfg(feature = "foxglove")]
pub use foxglove::FoxgloveSink;
pub use live_sink::{LiveHandle, LiveOptions, LiveSink};
pub use metadata_server::MetadataServer;
pub use pace::PaceSink;
pub use report::LiveReport;
#[cfg(feature = "rerun")]
pub use rerun::RerunSink;
#[cfg(feature = "ros2")]
pub use ros2::{Ros2Error, Ros2Options, Ros2Publisher, Ros2Report, Ros2Sink};
pub use udp_target::UdpTarget;
