//! What listens: the studio, and what an Ouster answers over HTTP. Requests come without a network.

use crate::mutate::Mutation;
use crate::{Reader, Target, folder};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use understory_cloud::ouster_metadata;
use understory_live::MetadataAnswers;
use understory_studio::{Options, Server};

/// All of them.
pub const TARGETS: [Target; 2] = [
    Target {
        name: "ouster-http",
        bytes_max: 1 << 12,
        seeds: || {
            vec![
                b"GET /api/v1/sensor/metadata HTTP/1.1\r\nHost: a\r\n\r\n".to_vec(),
                b"POST /api/v1/sensor/config?reinit=False HTTP/1.1\r\nContent-Length: 20\r\n\r\n{\"udp_dest\":\"@auto\"}".to_vec(),
                b"GET /api/v1/sensor/cmd/set_config_param?args=a+1 HTTP/1.1\r\n\r\n".to_vec(),
            ]
        },
        mutation: Mutation::Lines(request_lines),
        reader: ouster_reader,
    },
    Target {
        name: "studio-http",
        bytes_max: 1 << 12,
        seeds: || {
            let call = |line: &str, body: &str| {
                format!("{line} HTTP/1.1\r\nHost: 127.0.0.1:@PORT\r\nx-understory-token: @TOKEN\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
            };
            vec![
                call("GET /", ""),
                call("GET /api/hello", ""),
                call("GET /api/document", ""),
                call("POST /api/document/edit", "{\"path\":[\"seed\"],\"value\":2}"),
                call("GET /api/layers", ""),
                call("GET /api/layers/1/columns?from=0&to=9", ""),
                call("PATCH /api/layers/1", "{\"name\":\"b\"}"),
                call("POST /api/compare", "{\"real\":1,\"simulated\":2}"),
                call("GET /api/jobs/1", ""),
                call("POST /api/recordings", "{\"path\":\"a.las\"}"),
            ]
        },
        mutation: Mutation::Lines(request_lines),
        reader: studio_reader,
    },
];

fn request_lines() -> Vec<String> {
    [
        "GET /api/world?x=1 HTTP/1.1\r",
        "Host: localhost:@PORT\r",
        "Content-Length: 99999999999\r",
        "Transfer-Encoding: chunked\r",
        "Upgrade: websocket\r",
        "Connection: upgrade\r",
        "Sec-WebSocket-Version: 13\r",
        "Sec-WebSocket-Protocol: understory, @TOKEN\r",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r",
        "Origin: http://127.0.0.1:@PORT\r",
        "GET /api/live HTTP/1.1\r",
        "Expect: 100-continue\r",
        "Range: bytes=0-9\r",
        "5\r",
        "\r",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn ouster_reader() -> Reader {
    let metadata = ouster_metadata(&crate::records::ouster(), "127.0.0.1").unwrap();
    let answers = MetadataAnswers::new(&metadata, 7502).unwrap();
    Box::new(move |bytes| {
        if let Some(answer) = answers.respond(bytes) {
            assert!(answer.starts_with(b"HTTP/1.1 "));
        }
    })
}

fn studio_reader() -> Reader {
    let folder = folder();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let options = Options { folder: folder.path().to_path_buf(), scenario: None, port: Some(0) };
    let server = runtime.block_on(Server::bind(options)).unwrap();
    let (token, port) = (server.token().to_owned(), server.address().port().to_string());
    Box::new(move |bytes| {
        let request = replace(bytes, b"@TOKEN", token.as_bytes());
        let request = replace(&request, b"@PORT", port.as_bytes());
        runtime.block_on(async {
            let (mut here, there) = tokio::io::duplex(1 << 16);
            let converse = server.converse(there);
            let ask = async {
                let _turned_away = here.write_all(&request).await;
                let _turned_away = here.shutdown().await;
                let mut answer = [0; 4096];
                let mut all = 0;
                while let Ok(length @ 1..) = here.read(&mut answer).await {
                    all += length;
                    // A stream without an end is left.
                    if all > 1 << 20 {
                        break;
                    }
                }
                drop(here);
            };
            tokio::join!(converse, ask);
        });
        let _kept = &folder;
    })
}

fn replace(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + to.len());
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at..].starts_with(from) {
            out.extend_from_slice(to);
            at += from.len();
        } else {
            out.push(bytes[at]);
            at += 1;
        }
    }
    out
}
