//! The studio: a page in which worlds are looked at, scanned and compared, and the server behind it.
//!
//! What enters: a folder to serve and perhaps a scenario. What leaves: an address on loopback, and
//! what the page asks for. [`protocol`] says every call; the page itself is in `page/`, built by
//! `cargo xtask studio` and carried by the program. The server converts: it simulates, compares and
//! learns by the crates that do so.

mod assets;
mod block;
mod changes;
mod compare;
mod document;
mod export;
mod files;
mod jobs;
mod layers;
mod learn;
mod library;
mod live;
mod options;
mod prepared;
pub mod protocol;
mod pulse;
mod recording;
mod refusal;
mod routes;
mod scan;
mod security;
mod server;
mod studio;
mod world;

use std::path::PathBuf;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use options::Options;
pub use server::{CONNECTIONS_MAX, Connection, PORT, Server};

/// How often it is looked whether the studio is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Serves a studio until `stop` rises; `started` hears of it when it listens.
pub fn run(
    options: Options,
    stop: &AtomicBool,
    started: impl FnOnce(&Server),
) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(Error::Threads)?.block_on(async {
        let server = Server::bind(options).await?;
        started(&server);
        let end = async {
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK).await;
            }
        };
        server.serve(end).await;
        Ok(())
    })
}

/// Why the studio cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No port.
    #[error("no port on loopback can be had: {0}; choose another with --port")]
    Port(std::io::Error),
    /// The folder.
    #[error("{}: cannot be served: {error}; choose a folder that exists", folder.display())]
    Folder {
        /// Which one.
        folder: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// No room for what does not fit into memory.
    #[error("no temporary folder can be made: {0}; set TMPDIR to one in which you may write")]
    Scratch(std::io::Error),
    /// No threads.
    #[error("the system gives no threads: {0}; end other programs")]
    Threads(std::io::Error),
    /// The scenario.
    #[error("{0}")]
    Scenario(String),
}
