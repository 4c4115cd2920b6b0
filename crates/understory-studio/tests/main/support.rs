//! A studio of its own for each test, and a client that sends exactly what it is told.

use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use understory_studio::protocol::block::BlockHeader;
use understory_studio::{Options, Server};

/// A scenario of a moment, so that tests are quick.
pub const SMALL: &str = r#"version = 1
seed = 7
duration_s = 0.1
title = "A box on the ground"

[world]
[[world.object]]
name = "ground" # flat
shape = "plane"
size_m = [60.0, 60.0]
material = "soil"
label = "terrain"

[[world.object]]
name = "crate"
shape = "box"
size_m = [2.0, 2.0, 2.0]
position_m = [6.0, 0.0, 1.0]
material = "concrete"
label = "building"

[[sensor]]
name = "lidar"
preset = "vlp-16"
position_m = [0.0, 0.0, 1.5]
"#;

/// A running studio.
pub struct TestStudio {
    pub address: std::net::SocketAddr,
    pub token: String,
    pub folder: tempfile::TempDir,
    /// The server ends when this goes.
    _end: tokio::sync::oneshot::Sender<()>,
}

/// What was answered.
pub struct Answer {
    pub status: StatusCode,
    pub headers: hyper::HeaderMap,
    pub body: Bytes,
}

impl Answer {
    pub fn json(&self) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {text}"))
    }

    /// The answer, which must be a good one.
    #[track_caller]
    pub fn ok(self) -> Answer {
        let text = String::from_utf8_lossy(&self.body[..self.body.len().min(500)]);
        assert_eq!(self.status, StatusCode::OK, "{text}");
        self
    }

    /// The sentence of a refusal.
    pub fn sentence(&self) -> String {
        self.json()["sentence"].as_str().unwrap_or_default().to_owned()
    }

    pub fn blocks(&self) -> Vec<Block> {
        blocks(&self.body)
    }
}

/// A block that was read again.
pub struct Block {
    pub header: BlockHeader,
    pub data: Vec<u8>,
}

/// All blocks one after another.
pub fn blocks(mut bytes: &[u8]) -> Vec<Block> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(&bytes[..4], b"USB1");
        let head = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        let data = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
        assert_eq!((head % 8, data % 8), (0, 0));
        let header = serde_json::from_slice(&bytes[16..16 + head]).unwrap();
        found.push(Block { header, data: bytes[16 + head..16 + head + data].to_vec() });
        bytes = &bytes[16 + head + data..];
    }
    found
}

impl Block {
    fn bytes(&self, name: &str, size: usize) -> &[u8] {
        let column = self.header.columns.iter().find(|column| column.name == name);
        let column = column.unwrap_or_else(|| panic!("no column {name}"));
        assert_eq!(column.offset % 8, 0);
        let length = column.rows as usize * column.width as usize * size;
        &self.data[column.offset as usize..column.offset as usize + length]
    }

    pub fn f32(&self, name: &str) -> Vec<f32> {
        let bytes = self.bytes(name, 4);
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn u32(&self, name: &str) -> Vec<u32> {
        let bytes = self.bytes(name, 4);
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    pub fn u16(&self, name: &str) -> Vec<u16> {
        let bytes = self.bytes(name, 2);
        bytes.chunks_exact(2).map(|b| u16::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

impl TestStudio {
    /// A studio with [`SMALL`] open.
    pub async fn start() -> TestStudio {
        TestStudio::with(|folder| {
            std::fs::write(folder.join("small.toml"), SMALL).unwrap();
            Some(folder.join("small.toml").display().to_string())
        })
        .await
    }

    /// A studio whose folder is filled by `fill`, which names the scenario to open.
    pub async fn with(fill: impl FnOnce(&Path) -> Option<String>) -> TestStudio {
        let folder = tempfile::tempdir().unwrap();
        let scenario = fill(folder.path());
        let options = Options { folder: folder.path().to_path_buf(), scenario, port: Some(0) };
        let server = Server::bind(options).await.unwrap();
        let (address, token) = (server.address(), server.token().to_owned());
        let (end, ended) = tokio::sync::oneshot::channel();
        tokio::spawn(server.serve(async {
            let _ = ended.await;
        }));
        TestStudio { address, token, folder, _end: end }
    }

    /// A request as the page sends it.
    pub fn request(&self, method: Method, path: &str, body: Option<Value>) -> Request<Full<Bytes>> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, self.address.to_string())
            .header("x-understory-token", &self.token);
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let body = body.map(|body| Bytes::from(body.to_string())).unwrap_or_default();
        request.body(Full::new(body)).unwrap()
    }

    /// Sends a request over a connection of its own and waits for the head of the answer.
    pub async fn open(&self, request: Request<Full<Bytes>>) -> Response<hyper::body::Incoming> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        sender.send_request(request).await.unwrap()
    }

    /// Sends a request and waits for the whole answer.
    pub async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let response = self.open(request).await;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(self.request(Method::GET, path, None)).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(self.request(Method::POST, path, Some(body))).await
    }

    /// Opens a text as the document.
    pub async fn open_text(&self, text: &str) -> Value {
        let body = serde_json::json!({ "text": { "name": "test", "text": text } });
        self.post("/api/document/open", body).await.ok().json()
    }

    /// Starts a scan and waits until it is over.
    pub async fn scan(&self, body: Value) -> Value {
        let layer = self.post("/api/scans", body).await.ok().json();
        self.wait(layer["id"].as_u64().unwrap()).await
    }

    /// Waits until a layer is over.
    pub async fn wait(&self, id: u64) -> Value {
        for _ in 0..1200 {
            let layer = self.get(&format!("/api/layers/{id}")).await.ok().json();
            if ["done", "failed", "cancelled"].contains(&layer["state"].as_str().unwrap()) {
                return layer;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("layer {id} is never done");
    }

    /// Waits until a job is over.
    pub async fn wait_for_job(&self, id: u64) -> Value {
        for _ in 0..2400 {
            let job = self.get(&format!("/api/jobs/{id}")).await.ok().json();
            if job["state"] != "running" {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("job {id} is never done");
    }
}
