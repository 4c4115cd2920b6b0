//! Who may call: a page of this very server that knows the token, and nobody else.
//!
//! A browser lets any page on the web send requests to loopback. So the `Host` must be one of the
//! names of this server (a name that an attacker points to 127.0.0.1 is another), an `Origin` must
//! be one of its own, calls need a random token as a header that no foreign page can send, bodies
//! are JSON, which foreign pages cannot send without asking first, and no answer says that others may read it.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::refusal::Refusal;

/// Most bytes of a request.
pub const BODY_BYTES: usize = 8 << 20;
/// How long a request's body may take.
const BODY_TIME: Duration = Duration::from_secs(20);
/// The header with the token.
pub const TOKEN_HEADER: &str = "x-understory-token";
/// Sub-protocol of the WebSocket; the token stands behind it.
pub const SOCKET_PROTOCOL: &str = "understory";

/// What is compared with.
#[derive(Clone, Debug)]
pub struct Guard {
    token: String,
    hosts: [String; 2],
    origins: [String; 2],
    policy: HeaderValue,
}

impl Guard {
    /// A guard of the server at this port, with a fresh token.
    pub fn new(port: u16) -> Result<Guard, std::io::Error> {
        let mut random = [0; 24];
        getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let policy = format!(
            "default-src 'self'; img-src 'self' blob: data:; style-src 'self' 'unsafe-inline'; \
             connect-src 'self' ws://{} ws://{}; worker-src 'self' blob:; media-src 'self' blob:; \
             object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hosts[0], hosts[1]
        );
        Ok(Guard {
            token,
            origins: [format!("http://{}", hosts[0]), format!("http://{}", hosts[1])],
            hosts,
            policy: HeaderValue::from_str(&policy).map_err(std::io::Error::other)?,
        })
    }

    /// The token of this start.
    pub fn token(&self) -> &str {
        &self.token
    }

    fn check(&self, request: &Request) -> Result<(), Refusal> {
        let headers = request.headers();
        let forbidden = |sentence: &str| Err(Refusal::new(StatusCode::FORBIDDEN, sentence));
        // Exactly one, and one of ours; a target in absolute form names a host as well.
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = hosts.next().and_then(|host| host.to_str().ok());
        let ours = |host: &str| self.hosts.iter().any(|known| host == known);
        if !host.is_some_and(ours) || hosts.next().is_some() {
            return forbidden("this server answers to 127.0.0.1 and localhost alone");
        }
        if request.uri().authority().is_some_and(|named| !ours(named.as_str())) {
            return forbidden("this server answers to 127.0.0.1 and localhost alone");
        }
        let is_socket = headers.contains_key(header::UPGRADE);
        let mut origins = headers.get_all(header::ORIGIN).iter();
        match origins.next().map(|origin| origin.to_str()) {
            None if !is_socket => {}
            Some(Ok(origin)) if self.origins.iter().any(|known| known == origin) => {}
            _ => return forbidden("pages of other origins are not answered"),
        }
        if origins.next().is_some() {
            return forbidden("pages of other origins are not answered");
        }
        if !request.uri().path().starts_with("/api") {
            return Ok(());
        }
        let fetch_site = headers.get("sec-fetch-site").and_then(|site| site.to_str().ok());
        if fetch_site.is_some_and(|site| site == "cross-site" || site == "same-site") {
            return forbidden("pages of other origins are not answered");
        }
        let given = if is_socket {
            socket_token(headers)
        } else {
            headers.get(TOKEN_HEADER).and_then(|token| token.to_str().ok()).map(str::to_owned)
        };
        if !given.is_some_and(|given| same(&given, &self.token)) {
            let sentence = "the token is missing or of an earlier start; open the address that the program printed";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, sentence));
        }
        if has_body(request.method()) {
            let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
            let empty = headers.get(header::CONTENT_LENGTH).is_some_and(|length| length == "0");
            let json = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
            if json != Some("application/json") && !(kind.is_none() && empty) {
                let sentence = "send application/json";
                return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence));
            }
        }
        Ok(())
    }
}

/// The token among the sub-protocols of a WebSocket.
fn socket_token(headers: &HeaderMap) -> Option<String> {
    let named = headers.get(header::SEC_WEBSOCKET_PROTOCOL)?.to_str().ok()?;
    let mut names = named.split(',').map(str::trim);
    names.find(|name| *name == SOCKET_PROTOCOL)?;
    names.next().map(str::to_owned)
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(one: &str, other: &str) -> bool {
    let differing = one.bytes().zip(other.bytes()).fold(0, |found, (a, b)| found | (a ^ b));
    one.len() == other.len() && differing == 0
}

fn has_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}

/// Refuses what may not be, bounds bodies, and gives every answer its headers.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let is_call = request.uri().path().starts_with("/api");
    let mut response = match guard.check(&request) {
        Ok(()) => match bounded(request).await {
            Ok(request) => next.run(request).await,
            Err(refusal) => refusal.into_response(),
        },
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set("x-content-type-options", "nosniff");
    set("x-frame-options", "DENY");
    set("referrer-policy", "no-referrer");
    set("cross-origin-opener-policy", "same-origin");
    set("cross-origin-resource-policy", "same-origin");
    set("cache-control", if is_call { "no-store" } else { "no-cache" });
    headers.insert(header::CONTENT_SECURITY_POLICY, guard.policy);
    response
}

/// The request with its body read, if that is small enough and comes in time.
async fn bounded(request: Request) -> Result<Request, Refusal> {
    if !has_body(request.method()) {
        return Ok(request);
    }
    let (parts, body) = request.into_parts();
    let too_large = || {
        let sentence = format!("a request may have {} MiB at most", BODY_BYTES >> 20);
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    };
    let length = parts.headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > BODY_BYTES as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, to_bytes(body, BODY_BYTES)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err(too_large()),
        Err(_) => Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request took too long")),
    }
}
