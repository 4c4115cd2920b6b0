//! Records sent live and at true pace: the packets of a vendor's sensor over UDP, ROS 2 messages,
//! viewers.
//!
//! A [`LiveSink`] takes records like any writer of files and sends the packets that they fill when
//! they are due; for Ouster's sensors it also answers their drivers over HTTP. A consumer that is
//! slow or gone never stalls a run: what cannot be sent is dropped and counted.
//!
//! Half a thousandth of a second of a VLP-16, over loopback:
//!
//! ```
//! use understory_cloud::{Record, RecordSink, Records, SensorDescription, VelodyneModel};
//! use understory_live::{LiveOptions, LiveSink, UdpTarget};
//!
//! let driver = std::net::UdpSocket::bind("127.0.0.1:0")?;
//! let target: UdpTarget = format!("udp://{}", driver.local_addr()?).parse()?;
//! let sensor = SensorDescription::velodyne(VelodyneModel::Vlp16)?;
//! let sink = LiveSink::open(&[target], &[sensor], LiveOptions::default())?;
//! let mut records = Records::default();
//! for pulse in 0..400 {
//!     let (time_s, channel) = (pulse as f64 * 1.2e-6, (pulse % 16) as u16);
//!     let column = (pulse / 16) as u32;
//!     records.push(Record { time_s, pulse, channel, column, ..Record::miss() });
//! }
//! let handle = sink.handle();
//! let mut sink: Box<dyn RecordSink> = Box::new(sink);
//! sink.write(&records)?;
//! sink.finish()?;
//! assert!(handle.report().packets > 0);
//! assert_eq!(driver.recv(&mut [0; 2048])?, 1206);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
#[cfg(feature = "foxglove")]
mod foxglove;
mod live_sink;
mod metadata_server;
mod latency;
mod pace;
mod queue;
mod report;
#[cfg(feature = "rerun")]
mod rerun;
#[cfg(feature = "ros2")]
mod ros2;
#[cfg(feature = "ros2")]
mod ros2_commands;
mod sender;
mod udp_target;

pub use error::LiveError;
#[cfg(feature = "foxglove")]
pub use foxglove::FoxgloveSink;
pub use live_sink::{LiveHandle, LiveOptions, LiveSink};
pub use metadata_server::MetadataAnswers;
pub use pace::{PaceHandle, PaceReport, PaceSink};
pub use report::LiveReport;
#[cfg(feature = "rerun")]
pub use rerun::RerunSink;
#[cfg(feature = "ros2")]
pub use ros2::{Ros2Error, Ros2Options, Ros2Publisher, Ros2Report, Ros2Sink};
#[cfg(feature = "ros2")]
pub use ros2_commands::{CommandCounts, CommandListener, VelocityCommand};
pub use udp_target::UdpTarget;
