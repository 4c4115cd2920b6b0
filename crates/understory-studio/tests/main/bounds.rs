//! What is bounded: bodies, connections, slow readers, memory.

use std::time::{Duration, Instant};

use hyper::{Method, StatusCode};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use understory_studio::CONNECTIONS_MAX;

use crate::support::{SMALL, TestStudio};

/// Memory of this process in 10⁶ bytes.
fn memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: f64 =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0.0);
    kib * 1024.0 / 1e6
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_a_gibibyte_is_refused_at_once() {
    let studio = TestStudio::start().await;
    let head = |more: &str| {
        format!(
            "PUT /api/document HTTP/1.1\r\nHost: {}\r\nX-Understory-Token: {}\r\nContent-Type: application/json\r\nConnection: close\r\n{more}\r\n\r\n",
            studio.address, studio.token
        )
    };
    // Said beforehand: refused before a byte of it was sent.
    let mut stream = TcpStream::connect(studio.address).await.unwrap();
    stream.write_all(head("Content-Length: 1073741824").as_bytes()).await.unwrap();
    let mut answer = vec![0; 64];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer)).await;
    let count = read.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&answer[..count]).starts_with("HTTP/1.1 413"));
    // In pieces, without saying how many: cut off at the limit.
    let mut stream = TcpStream::connect(studio.address).await.unwrap();
    stream.write_all(head("Transfer-Encoding: chunked").as_bytes()).await.unwrap();
    let mut piece = b"100000\r\n".to_vec();
    piece.resize(8 + 0x100000, b' ');
    piece.extend_from_slice(b"\r\n");
    let before = memory_mb();
    let mut sent = 0;
    for _ in 0..1024 {
        let wrote = tokio::time::timeout(Duration::from_secs(5), stream.write_all(&piece)).await;
        match wrote {
            Ok(Ok(())) => sent += 1,
            _ => break,
        }
    }
    assert!(sent < 64, "{sent} MiB were taken");
    assert!(memory_mb() - before < 100.0);
    assert_eq!(studio.get("/api/hello").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_connections_are_bounded() {
    let studio = TestStudio::start().await;
    let before = memory_mb();
    // As many as this process may have open at a time, again and again.
    let (mut open, mut tried, mut refused) = (Vec::new(), 0, 0);
    while tried < 10_000 {
        tried += 1;
        match tokio::time::timeout(Duration::from_secs(2), TcpStream::connect(studio.address)).await
        {
            Ok(Ok(stream)) => open.push(stream),
            _ => refused += 1,
        }
        if open.len() >= 400 {
            open.drain(..200);
        }
    }
    assert!(tried == 10_000 && refused < tried);
    // Up to 400 were held open at a time, more than are served.
    const { assert!(CONNECTIONS_MAX < 400) };
    assert!(memory_mb() - before < 200.0, "{} MB more", memory_mb() - before);
    drop(open);
    // And the page is answered again.
    let start = Instant::now();
    loop {
        let stream = TcpStream::connect(studio.address).await;
        if let Ok(mut stream) = stream {
            let request =
                format!("GET / HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", studio.address);
            let mut answer = Vec::new();
            if stream.write_all(request.as_bytes()).await.is_ok()
                && stream.read_to_end(&mut answer).await.is_ok()
                && answer.starts_with(b"HTTP/1.1 200")
            {
                break;
            }
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it does not recover");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_holds_nothing_up() {
    let studio = TestStudio::start().await;
    studio.open_text(&SMALL.replace("duration_s = 0.1", "duration_s = 2.0")).await;
    let layer = studio.scan(json!({})).await;
    let id = layer["id"].as_u64().unwrap();
    let before = memory_mb();
    let columns = "range_m,intensity,label,object,return_number,time_s,incidence_deg,channel";
    let mut slow = Vec::new();
    for _ in 0..50 {
        // A window as small as it can be, and nobody reads.
        let mut stream = TcpStream::connect(studio.address).await.unwrap();
        let request = format!(
            "GET /api/layers/{id}/stream?columns={columns} HTTP/1.1\r\nHost: {}\r\nX-Understory-Token: {}\r\n\r\n",
            studio.address, studio.token
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let more = memory_mb() - before;
    assert!(more < 50.0 * 25.0, "{more} MB for 50 readers that do not read");
    let start = Instant::now();
    studio.get("/api/hello").await.ok();
    let again = studio.scan(json!({ "interval_s": [0.0, 0.1] })).await;
    assert_eq!(again["state"], "done");
    assert!(start.elapsed() < Duration::from_secs(20));
    // A request that never ends is given up.
    let mut half = TcpStream::connect(studio.address).await.unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nHost:").await.unwrap();
    let mut answer = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(40), half.read_to_end(&mut answer)).await;
    assert!(ended.is_ok(), "a request without an end stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_bounded_over_two_hundred_scans() {
    let studio = TestStudio::start().await;
    // Scans that stay: 29,000 rows each, 5.8 million in all, of which 4 million fit into memory.
    let mut memory = Vec::new();
    for number in 0..200 {
        let layer = studio.scan(json!({ "seed": number })).await;
        assert_eq!(layer["state"], "done", "{layer}");
        if number % 20 == 19 {
            memory.push(memory_mb());
        }
    }
    let list = studio.get("/api/layers").await.ok().json();
    assert_eq!(list.as_array().unwrap().len(), 200);
    let rows: u64 =
        list.as_array().unwrap().iter().map(|layer| layer["rows"].as_u64().unwrap()).sum();
    eprintln!("{rows} rows in 200 scans; memory after each 20: {memory:.0?} MB");
    assert!(rows > 4_000_000, "{rows}");
    assert!(*memory.last().unwrap() < 1800.0, "{memory:?}");
    // The first of them is still there, from its file.
    let first = studio.get("/api/layers/1/stream?columns=range_m").await.ok().blocks();
    let points: usize =
        first.iter().filter(|b| b.header.kind == "points").map(|b| b.f32("range_m").len()).sum();
    assert_eq!(points as u64, list[0]["points"].as_u64().unwrap());
    // All removed: memory and files go.
    for layer in list.as_array().unwrap() {
        let path = format!("/api/layers/{}", layer["id"]);
        studio.send(studio.request(Method::DELETE, &path, None)).await.ok();
    }
    eprintln!("after all are removed: {:.0} MB", memory_mb());
}
