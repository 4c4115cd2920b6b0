//! The server: a port on loopback, a bounded number of connections, and a token.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::library;
use crate::options::Options;
use crate::routes;
use crate::security::Guard;
use crate::studio::Studio;

/// Connections at a time; more are closed at once.
pub const CONNECTIONS_MAX: usize = 256;
/// How long a connection may take to send the head of its next request.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// Ports that are tried after the first.
const PORTS_TRIED: u16 = 100;
/// The port where nothing is said.
pub const PORT: u16 = 7400;

/// A server that listens.
pub struct Server {
    listener: TcpListener,
    router: Router,
    studio: Arc<Studio>,
    guard: Guard,
    address: SocketAddr,
    wanted: u16,
}

impl Server {
    /// Takes a port and opens the scenario.
    pub async fn bind(options: Options) -> Result<Server, crate::Error> {
        let wanted = options.port.unwrap_or(PORT);
        let listener = listen(wanted).await.map_err(crate::Error::Port)?;
        let address = listener.local_addr().map_err(crate::Error::Port)?;
        let guard = Guard::new(address.port()).map_err(crate::Error::Port)?;
        let studio = Arc::new(Studio::open(&options)?);
        let router = routes::router(studio.clone(), guard.clone());
        Ok(Server { listener, router, studio, guard, address, wanted })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Whether it had to take another port than the one that was asked for.
    pub fn other_port(&self) -> Option<u16> {
        (self.wanted != 0 && self.wanted != self.address.port()).then_some(self.wanted)
    }

    /// The token that calls need.
    pub fn token(&self) -> &str {
        self.guard.token()
    }

    /// The address of the page, with the token where no server and no other page sees it.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.address.port(), self.token())
    }

    /// Answers until `end` comes.
    pub async fn serve(self, end: impl Future<Output = ()>) {
        let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let studio = self.studio.clone();
        tokio::task::spawn_blocking(move || {
            studio.warm();
            // What it lists of the program itself is kept.
            library::library(&studio);
        });
        tokio::pin!(end);
        loop {
            let accepted = tokio::select! {
                () = &mut end => {
                    self.studio.close();
                    return;
                }
                accepted = self.listener.accept() => accepted,
            };
            let Ok((stream, _)) = accepted else {
                // Out of files, or the peer has gone already.
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            // Without a place the stream is dropped, which closes it.
            let Ok(place) = places.clone().try_acquire_owned() else { continue };
            let _ = stream.set_nodelay(true);
            let router = self.router.clone();
            tokio::spawn(async move {
                converse(router, stream).await;
                drop(place);
            });
        }
    }

    /// Answers one connection, whatever it comes over.
    pub async fn converse(&self, stream: impl Connection) {
        converse(self.router.clone(), stream).await;
    }
}

/// What bytes come and go over.
pub trait Connection: AsyncRead + AsyncWrite + Unpin + Send + 'static {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send + 'static> Connection for T {}

/// Answers requests until the peer is done.
async fn converse(router: Router, stream: impl Connection) {
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_buf_size(64 << 10);
    let service = TowerToHyperService::new(router);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    // A peer that breaks off is none of our business.
    let _ = connection.with_upgrades().await;
}

/// The first free port from `wanted` on, on loopback alone.
async fn listen(wanted: u16) -> io::Result<TcpListener> {
    let mut last = None;
    for step in 0..=PORTS_TRIED {
        let Some(port) = wanted.checked_add(step) else { break };
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && wanted != 0 => {
                last = Some(error);
            }
            Err(error) => return Err(error),
        }
    }
    Err(last.unwrap_or_else(|| io::Error::other("no port is free")))
}
