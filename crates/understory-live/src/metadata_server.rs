//! A server of what an Ouster sensor answers over HTTP, so that its driver finds a simulated one.
//!
//! What enters: requests of HTTP/1.1, one per connection. What leaves: the answers of
//! `metadata_server/answers.rs`.
//!
//! Requests are bounded in size, time and number, each in a thread of its own, so that a slow client
//! holds no other. The small servers that could stand here (`tiny_http`) take heads of any length
//! and wait for a silent client forever, so only the parser of requests is other people's.

mod answers;

use crate::LiveError;
use answers::{Answers, Request, Status};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Most bytes of a request.
const REQUEST_MAX: usize = 64 << 10;
/// Most clients at a time; others are turned away until one of these is done.
const CLIENTS_MAX: usize = 64;
/// Longest time for a request, and for its answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Serves the metadata of one sensor until it is dropped.
pub(crate) struct MetadataServer {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MetadataServer {
    /// Serves `metadata`, a JSON object as [`ouster_metadata`](understory_cloud::ouster_metadata)
    /// gives it, for a sensor whose packets go to `lidar_port`.
    ///
    /// Drivers ask at port 80; port 0 takes any that is free.
    pub(crate) fn start(
        address: SocketAddr,
        metadata: &str,
        lidar_port: u16,
    ) -> Result<MetadataServer, LiveError> {
        let failed = |error| LiveError::Serve { address, error };
        let answers = Arc::new(Answers::new(metadata, lidar_port)?);
        let listener = TcpListener::bind(address).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let ends = Arc::new(AtomicBool::new(false));
        let its_ends = ends.clone();
        let thread = Builder::new()
            .name("sensor metadata".to_owned())
            .spawn(move || serve(&listener, &answers, &its_ends))
            .map_err(|error| LiveError::Thread { what: "serves metadata", error })?;
        Ok(MetadataServer { address, ends, thread: Some(thread) })
    }

    /// Where it serves.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MetadataServer {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::Release);
        // The thread waits for a connection: here is one.
        let _it_wakes_up = TcpStream::connect_timeout(&self.address, PATIENCE);
        if let Some(thread) = self.thread.take() {
            let _it_has_no_result = thread.join();
        }
    }
}

fn serve(listener: &TcpListener, answers: &Arc<Answers>, ends: &AtomicBool) {
    let clients = Arc::new(AtomicUsize::new(0));
    for connection in listener.incoming() {
        if ends.load(Ordering::Acquire) {
            return;
        }
        let Ok(mut stream) = connection else {
            // Too many open files, perhaps: the next attempt waits a little.
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if clients.fetch_add(1, Ordering::AcqRel) >= CLIENTS_MAX {
            clients.fetch_sub(1, Ordering::AcqRel);
            continue;
        }
        let leaves = Leaves(Arc::clone(&clients));
        let answers = Arc::clone(answers);
        // Without a thread the client is turned away, and counted out with the closure.
        let _started = Builder::new().name("metadata client".to_owned()).spawn(move || {
            let _leaves = leaves;
            // A client that went away is its own affair.
            drop(converse(&mut stream, &answers));
        });
    }
}

/// Counts a client out.
struct Leaves(Arc<AtomicUsize>);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Answers one request.
fn converse(stream: &mut TcpStream, answers: &Answers) -> std::io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = read_request(stream)?;
    stream.write_all(&answer(request.as_ref(), answers))
}

/// The bytes of an answer; without a request a refusal.
fn answer(request: Option<&Request>, answers: &Answers) -> Vec<u8> {
    let (status, body) = match request {
        Some(request) => answers.to(request),
        None => (Status::Refused, String::from("{\"error\": \"no request of HTTP\"}")),
    };
    let head = format!(
        "HTTP/1.1 {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        status.line(),
        body.len()
    );
    [head, body].concat().into_bytes()
}

/// What the server answers, without a network.
pub struct MetadataAnswers(Answers);

impl MetadataAnswers {
    /// The answers of a sensor whose packets go to `lidar_port`, from its metadata as JSON.
    pub fn new(metadata: &str, lidar_port: u16) -> Result<MetadataAnswers, LiveError> {
        Answers::new(metadata, lidar_port).map(MetadataAnswers)
    }

    /// The answer to the bytes of a request; `None`: more of it has to come.
    pub fn respond(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match parse(bytes) {
            Parsed::Whole(request) => Some(answer(Some(&request), &self.0)),
            Parsed::Nonsense => Some(answer(None, &self.0)),
            Parsed::Beginning => None,
        }
    }
}

/// Reads a request with its body; `None` if it is none, is too long or takes too long.
fn read_request(stream: &mut TcpStream) -> std::io::Result<Option<Request>> {
    let until = Instant::now() + PATIENCE;
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    loop {
        match parse(&bytes) {
            Parsed::Whole(request) => return Ok(Some(request)),
            Parsed::Nonsense => return Ok(None),
            Parsed::Beginning => {}
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || bytes.len() > REQUEST_MAX {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut part)? {
            0 => return Ok(None),
            read => bytes.extend_from_slice(part.get(..read).unwrap_or_default()),
        }
    }
}

/// What the bytes that have come so far are.
enum Parsed {
    Whole(Request),
    /// More has to come.
    Beginning,
    Nonsense,
}

fn parse(bytes: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let head = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Parsed::Beginning,
        Err(_) => return Parsed::Nonsense,
    };
    let (Some(method), Some(target)) = (request.method, request.path) else {
        return Parsed::Nonsense;
    };
    let mut lengths =
        request.headers.iter().filter(|header| header.name.eq_ignore_ascii_case("content-length"));
    let body = match lengths.next().map(|header| str::from_utf8(header.value)) {
        None => Some(0),
        Some(value) => value.ok().and_then(|value| value.trim().parse().ok()),
    };
    match body.map(|body: usize| head.saturating_add(body)) {
        Some(length) if length > REQUEST_MAX => Parsed::Nonsense,
        Some(length) if bytes.len() < length => Parsed::Beginning,
        Some(_) => {
            let path = target.split('?').next().unwrap_or_default().to_owned();
            Parsed::Whole(Request { method: method.to_owned(), path })
        }
        None => Parsed::Nonsense,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: &str = r#"{"sensor_info": {"image_rev": "v3.1.0", "prod_line": "OS-1-64"},
        "config_params": {"udp_dest": "127.0.0.1"}, "user_data": "simulated"}"#;

    fn ask(address: SocketAddr, request: &[u8]) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        // A client that is turned away may not get that far.
        let _either_way = stream.write_all(request);
        let mut answer = String::new();
        // A refusal may cut the connection before all of a request was read.
        let _either_way = stream.read_to_string(&mut answer);
        answer
    }

    #[test]
    fn silent_clients_hold_no_other() {
        let any = "127.0.0.1:0".parse().unwrap();
        let server = MetadataServer::start(any, METADATA, 7777).unwrap();
        let silent: Vec<TcpStream> =
            (0..CLIENTS_MAX / 2).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
        let start = Instant::now();
        let answer = ask(server.address(), b"GET /api/v1/sensor/metadata HTTP/1.1\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
        // One after another they would take PATIENCE each.
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
        drop(silent);
    }

    #[test]
    fn too_many_clients_are_turned_away_until_some_have_gone() {
        let any = "127.0.0.1:0".parse().unwrap();
        let server = MetadataServer::start(any, METADATA, 7777).unwrap();
        let silent: Vec<TcpStream> =
            (0..CLIENTS_MAX * 2).map(|_| TcpStream::connect(server.address()).unwrap()).collect();
        drop(silent);
        let until = Instant::now() + 10 * PATIENCE;
        loop {
            let answer = ask(server.address(), b"GET /api/v1/sensor/metadata HTTP/1.1\r\n\r\n");
            if answer.starts_with("HTTP/1.1 200 OK") {
                return;
            }
            assert!(Instant::now() < until, "no client is served any more");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    #[test]
    fn what_drivers_ask_is_answered_and_nonsense_is_refused() {
        let any = "127.0.0.1:0".parse().unwrap();
        let server = MetadataServer::start(any, METADATA, 7777).unwrap();
        let at = server.address();
        let get =
            |path: &str| ask(at, format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n").as_bytes());
        let answer = get("/api/v1/sensor/metadata/sensor_info");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(answer.ends_with(r#"{"image_rev":"v3.1.0","prod_line":"OS-1-64"}"#), "{answer}");
        assert!(get("/api/v1/sensor/metadata").contains("\"udp_port_lidar\":7777"));
        assert!(get("/api/v1/sensor/config?staging=false").contains("\"udp_dest\":\"127.0.0.1\""));
        assert!(get("/api/v1/sensor/cmd/get_config_param?args=active").contains("7777"));
        assert!(get("/api/v1/sensor/cmd/get_sensor_info").contains("OS-1-64"));
        assert!(
            get("/api/v1/sensor/cmd/set_config_param?args=a+1").ends_with("set_config_param\"")
        );
        assert!(get("/api/v1/sensor/cmd/reinitialize").ends_with("\r\n{}"));
        assert!(get("/api/v1/system/firmware").ends_with(r#"{"fw":"v3.1.0"}"#));
        assert!(get("/api/v1/user/data").ends_with("\"simulated\""));
        for unknown in ["/", "/api/v2/sensor/metadata", "/api/v1/zone_monitor/active/zip"] {
            assert!(get(unknown).starts_with("HTTP/1.1 404"), "{unknown}");
        }
        let post = b"POST /api/v1/sensor/config?reinit=False HTTP/1.1\r\nContent-Length: 20\r\n\r\n{\"udp_dest\":\"@auto\"}";
        assert!(ask(at, post).ends_with("\"udp_port_lidar\":7777}"));
        assert!(ask(at, b"DELETE /api/v1/user/data HTTP/1.1\r\n\r\n").contains("405"));
        assert!(ask(at, b"nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
        assert!(ask(at, b"\xff\xfe \r\n\r\n").starts_with("HTTP/1.1 400"));
        let long = b"POST /api/v1/sensor/config HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n";
        assert!(ask(at, long).starts_with("HTTP/1.1 400"));
        // More than any request may have, without an end.
        let _cut_off = ask(at, &vec![b'x'; 2 * REQUEST_MAX]);
        // A client that says nothing holds nobody up for long, not even the end.
        let silent = TcpStream::connect(at).unwrap();
        let before = Instant::now();
        drop(server);
        assert!(before.elapsed() < 2 * PATIENCE + PATIENCE);
        drop(silent);
    }

    #[test]
    fn what_cannot_be_served_is_refused() {
        let any = "127.0.0.1:0".parse().unwrap();
        assert!(MetadataServer::start(any, "[]", 1).is_err());
        assert!(MetadataServer::start(any, "{", 1).is_err());
        let server = MetadataServer::start(any, METADATA, 1).unwrap();
        let taken = MetadataServer::start(server.address(), METADATA, 1);
        let error = taken.err().unwrap().to_string();
        assert!(error.contains("cannot serve metadata at 127.0.0.1:"), "{error}");
    }
}
