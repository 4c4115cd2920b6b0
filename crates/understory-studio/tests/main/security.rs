//! Who is refused: foreign hosts, foreign pages, callers without the token, paths.

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HOST, ORIGIN};
use hyper::{Method, Request, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::support::{SMALL, TestStudio};

/// A request without anything that was not asked for.
fn bare(method: Method, path: &str, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(Bytes::new())).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_listens_on_loopback_alone() {
    let studio = TestStudio::start().await;
    assert!(studio.address.ip().is_loopback());
    // Another address of this machine, if it has one, is not answered.
    let probe = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let other = probe.connect("192.0.2.1:9").and_then(|()| probe.local_addr());
    if let Ok(other) = other.map(|address| address.ip()).filter(|ip| !ip.is_loopback()) {
        let refused = TcpStream::connect((other, studio.address.port())).await;
        assert!(refused.is_err(), "{other} answers");
    }
}

trait Filter<T> {
    fn filter(self, keep: impl FnOnce(&T) -> bool) -> Self;
}

impl<T> Filter<T> for std::io::Result<T> {
    fn filter(self, keep: impl FnOnce(&T) -> bool) -> Self {
        self.and_then(|value| match keep(&value) {
            true => Ok(value),
            false => Err(std::io::Error::other("left out")),
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_hosts_are_refused() {
    let studio = TestStudio::start().await;
    let port = studio.address.port();
    let good = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    for host in &good {
        let headers = [("host", host.as_str()), ("x-understory-token", studio.token.as_str())];
        let answer = studio.send(bare(Method::GET, "/api/hello", &headers)).await;
        assert_eq!(answer.status, StatusCode::OK, "{host}");
    }
    let bad = [
        "evil.example".to_owned(),
        format!("127.evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        format!("localhost.:{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("[::1]:{port}"),
    ];
    for host in &bad {
        for path in ["/", "/api/hello"] {
            let headers = [("host", host.as_str()), ("x-understory-token", studio.token.as_str())];
            let answer = studio.send(bare(Method::GET, path, &headers)).await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{host} {path}");
        }
    }
    let headers = [("x-understory-token", studio.token.as_str())];
    let none = studio.send(bare(Method::GET, "/api/hello", &headers)).await;
    assert!(none.status.is_client_error(), "no host at all");
    let twice = [("host", good[0].as_str()), ("host", "evil.example")];
    assert!(studio.send(bare(Method::GET, "/", &twice)).await.status.is_client_error());
}

#[tokio::test(flavor = "multi_thread")]
async fn foreign_origins_and_missing_tokens_are_refused() {
    let studio = TestStudio::start().await;
    let host = studio.address.to_string();
    let port = studio.address.port();
    let token = studio.token.as_str();
    let ours = format!("http://127.0.0.1:{port}");
    let base = [("host", host.as_str()), ("x-understory-token", token)];
    let with = |more: &[(&'static str, &str)]| {
        let all: Vec<(&str, &str)> =
            base.iter().copied().chain(more.iter().map(|(a, b)| (*a, *b))).collect();
        bare(Method::GET, "/api/hello", &all)
    };
    assert_eq!(studio.send(with(&[("origin", &ours)])).await.status, StatusCode::OK);
    let https = format!("https://127.0.0.1:{port}");
    let other = format!("http://127.0.0.1:{}", port ^ 1);
    for origin in ["http://evil.example", "null", "", https.as_str(), other.as_str()] {
        let answer = studio.send(with(&[("origin", origin)])).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{origin:?}");
    }
    let cross = studio.send(with(&[("sec-fetch-site", "cross-site")])).await;
    assert_eq!(cross.status, StatusCode::FORBIDDEN);
    for wrong in ["", "0", &token[1..], &format!("{token}0"), "undefined"] {
        let headers = [("host", host.as_str()), ("x-understory-token", wrong)];
        let answer = studio.send(bare(Method::GET, "/api/hello", &headers)).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{wrong}");
    }
    // A token in the address counts for nothing.
    let path = format!("/api/hello?token={token}");
    let answer = studio.send(bare(Method::GET, &path, &[("host", &host)])).await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    // The page itself needs none: it holds no secret.
    let page = studio.send(bare(Method::GET, "/", &[("host", &host)])).await.ok();
    for header in ["content-security-policy", "x-frame-options", "x-content-type-options"] {
        assert!(page.headers.contains_key(header), "{header}");
    }
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-eval"));
    assert!(!String::from_utf8_lossy(&page.body).contains(token));
    assert!(page.headers.keys().all(|name| !name.as_str().starts_with("access-control-")));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_needs_the_token() {
    let studio = TestStudio::start().await;
    let host = studio.address.to_string();
    let source = include_str!("../../src/routes.rs");
    let routes = source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let mut count = 0;
    for route in routes {
        let path = format!("/api{}", route.replace("{id}", "1").replace("{point}", "1"));
        let path = path.replace("{scenario}", "demo").replace("{name}", "vlp-16");
        for method in [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let headers = [("host", host.as_str()), ("content-type", "application/json")];
            let answer = studio.send(bare(method, &path, &headers)).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        }
        count += 1;
    }
    assert!(count > 30, "{count}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_are_json_that_simple_requests_cannot_send() {
    let studio = TestStudio::start().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let mut request = studio.request(Method::POST, "/api/scans", Some(json!({})));
        request.headers_mut().insert(CONTENT_TYPE, kind.parse().unwrap());
        let answer = studio.send(request).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
    }
    // A page that asks first is not told that it may.
    let host = studio.address.to_string();
    let headers = [
        ("host", host.as_str()),
        ("origin", "http://evil.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "x-understory-token"),
    ];
    let asked = studio.send(bare(Method::OPTIONS, "/api/scans", &headers)).await;
    assert!(asked.status.is_client_error());
    assert!(asked.headers.keys().all(|name| !name.as_str().starts_with("access-control-")));
    for wrong in ["{", "[]", "{\"seed\": \"x\"}", "\u{0}"] {
        let mut request = studio.request(Method::POST, "/api/scans", Some(json!({})));
        *request.body_mut() = Full::new(Bytes::from(wrong.to_owned()));
        assert_eq!(studio.send(request).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_need_the_origin_and_the_token() {
    let studio = TestStudio::start().await;
    let ours = format!("http://{}", studio.address);
    let connect = |origin: Option<&str>, protocols: String| {
        let mut request =
            format!("ws://{}/api/live", studio.address).into_client_request().unwrap();
        request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
        if let Some(origin) = origin {
            request.headers_mut().insert(ORIGIN, origin.parse().unwrap());
        }
        async { tokio_tungstenite::connect_async(request).await.is_ok() }
    };
    let good = format!("understory, {}", studio.token);
    assert!(connect(Some(&ours), good.clone()).await);
    assert!(!connect(Some("http://evil.example"), good.clone()).await, "foreign origin");
    assert!(!connect(None, good.clone()).await, "no origin");
    assert!(!connect(Some(&ours), "understory".into()).await, "no token");
    assert!(!connect(Some(&ours), "understory, wrong".into()).await, "wrong token");
    assert!(!connect(Some(&ours), studio.token.clone()).await, "no protocol");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_leads_out() {
    let studio = TestStudio::start().await;
    let secret = studio.folder.path().join("../studio-secret.toml");
    let host = studio.address.to_string();
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/..\\..\\etc\\passwd",
        "/index.html/../../src/lib.rs",
        "/small.toml",
    ] {
        // As it is, which no client library would send.
        let mut stream = TcpStream::connect(studio.address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer:.80}");
    }
    for id in ["../studio-secret.toml", "/etc/passwd", "file-0/../..", "file-999", "small.toml"] {
        let answer = studio.post("/api/document/open", json!({ "scenario": id })).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{id}");
        let answer = studio.post("/api/recordings", json!({ "file": id })).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{id}");
    }
    // Texts name files too: none outside of the folder.
    for file in ["/etc/hostname", "../../../../../../etc/hostname"] {
        let text =
            SMALL.replace("shape = \"box\"", &format!("shape = \"mesh\"\nfile = \"{file}\""));
        let document = studio.open_text(&text).await;
        let sentence = document["problems"][0]["sentence"].as_str().unwrap().to_owned();
        assert!(sentence.contains("outside of the folder"), "{sentence}");
    }
    drop(secret);
    let absolute = bare(
        Method::GET,
        "http://evil.example/api/hello",
        &[(HOST.as_str(), host.as_str()), ("x-understory-token", &studio.token)],
    );
    assert_eq!(studio.send(absolute).await.status, StatusCode::FORBIDDEN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_port_in_use_gives_the_next_one() {
    let first = TestStudio::start().await;
    let options = understory_studio::Options {
        folder: first.folder.path().to_path_buf(),
        scenario: Some("first-scan".into()),
        port: Some(first.address.port()),
    };
    let second = understory_studio::Server::bind(options).await.unwrap();
    assert!(second.address().port() > first.address.port());
    assert_eq!(second.other_port(), Some(first.address.port()));
    assert_ne!(second.token(), first.token);
}
