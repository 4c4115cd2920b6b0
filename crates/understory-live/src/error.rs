//! Everything that can go wrong with live output, each as one sentence.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use understory_cloud::CloudError;

/// Why records could not be sent live.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// An address cannot be read.
    #[error(
        "{address:?} is no address to send packets to: {why}; give udp://HOST or udp://HOST:PORT, such as udp://127.0.0.1:2368"
    )]
    BadAddress {
        /// What was given.
        address: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Nobody knows a host.
    #[error("cannot send packets to {host:?}: {error}; check the name, or give its number")]
    UnknownHost {
        /// The host.
        host: String,
        /// What the operating system said.
        error: io::Error,
    },
    /// No socket could be opened.
    #[error("cannot open a socket towards {address}: {error}")]
    Socket {
        /// Where packets were to go.
        address: SocketAddr,
        /// What the operating system said.
        error: io::Error,
    },
    /// A server could not be started.
    #[error("cannot serve at {address}: {why}; choose another address or port")]
    NoServer {
        /// Where it was to listen.
        address: SocketAddr,
        /// What was said.
        why: String,
    },
    /// A thread could not be started.
    #[error("cannot start the thread that {what}: {error}")]
    Thread {
        /// What it was to do.
        what: &'static str,
        /// What the operating system said.
        error: io::Error,
    },
    /// The number of targets does not fit.
    #[error(
        "there are {targets} addresses for {sensors} sensors; give one for all of them, or one for each"
    )]
    TargetCount {
        /// How many addresses.
        targets: usize,
        /// How many sensors.
        sensors: usize,
    },
    /// A number of the options is outside its limits.
    #[error("{name} = {value} cannot be used; choose from {low} to {high}")]
    BadOption {
        /// Which one.
        name: &'static str,
        /// What was given.
        value: f64,
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
    /// Metadata cannot be served.
    #[error("cannot serve metadata at {address}: {error}; choose another address or port")]
    Serve {
        /// Where it was to be served.
        address: SocketAddr,
        /// What the operating system said.
        error: io::Error,
    },
    /// A text is no metadata of a sensor.
    #[error("the metadata to be served are no JSON object: {what}")]
    BadMetadata {
        /// What is wrong.
        what: String,
    },
    /// Packets could not be made.
    #[error(transparent)]
    Cloud(#[from] CloudError),
}

impl From<LiveError> for CloudError {
    fn from(error: LiveError) -> CloudError {
        match error {
            LiveError::Cloud(error) => error,
            other => CloudError::Write {
                path: PathBuf::from("live output"),
                error: io::Error::other(other.to_string()),
            },
        }
    }
}
