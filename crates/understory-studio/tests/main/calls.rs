//! World, scans, points, comparisons, exports.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use http_body_util::BodyExt;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use understory::run::{RunBackend, RunOptions, run, run_with};
use understory::scenario::Scenario;
use understory_base::Silent;
use understory_cloud::{MemorySink, OutputFormat, Records, open_sink};

use crate::support::{Block, SMALL, TestStudio, blocks};

/// What the simulator itself gives for a text.
fn simulated(text: &str) -> Records {
    let scenario = Scenario::from_toml(text, "test.toml", std::path::Path::new("")).unwrap();
    let sink = MemorySink::default();
    let (prepared, options) = (scenario.prepare().unwrap(), RunOptions::default());
    run(&prepared, &options, Box::new(sink.clone()), &Silent).unwrap();
    sink.take_records()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_world_is_what_rays_meet() {
    let studio = TestStudio::start().await;
    let world = studio.get("/api/world").await.ok().json();
    assert_eq!(world["objects"][1]["name"], "crate");
    assert_eq!(world["objects"][1]["table"], json!(["world", "object", 1]));
    assert_eq!(world["sensors"][0]["elevation_deg"], json!([-15.0, 15.0]));
    assert_eq!(world["sensors"][0]["azimuth_deg"], json!([-180.0, 180.0]));
    assert_eq!(world["sensors"][0]["world_from_sensor"][14], json!(1.5));
    assert_eq!(world["platform"]["moving"], json!(false));
    // What stands is the crate; the ground goes on to the horizon, and the sky is open.
    assert_eq!(world["focus_m"], json!([[0.0, -1.0, 0.0], [7.0, 1.0, 3.0]]));
    assert_eq!(world["closed"], json!(false));
    let block = studio.get("/api/world/geometry").await.ok().blocks().remove(0);
    let (positions, indices) = (block.f32("position"), block.u32("index"));
    let (meshes, matrices) = (block.u32("instance_mesh"), block.f32("instance_matrix"));
    assert_eq!((meshes.len(), matrices.len()), (2, 32));
    let card = &block.header.extra["meshes"][meshes[1] as usize];
    assert_eq!(block.u32("instance_object"), [1, 2]);
    // The crate: all corners a metre from its middle, a metre above where it was put.
    let first = card["first_vertex"].as_u64().unwrap() as usize;
    let part = &card["parts"][0];
    let from = part["first_index"].as_u64().unwrap() as usize;
    let count = part["indices"].as_u64().unwrap() as usize;
    assert_eq!(count, 36);
    for index in &indices[from..from + count] {
        let vertex = first + *index as usize;
        let local = &positions[3 * vertex..3 * vertex + 3];
        let matrix = &matrices[16..32];
        for (axis, middle) in [6.0, 0.0, 2.0].into_iter().enumerate() {
            let at =
                (0..3).map(|k| matrix[4 * k + axis] * local[k]).sum::<f32>() + matrix[12 + axis];
            assert!(((at - middle).abs() - 1.0).abs() < 1e-5, "{at} {middle}");
        }
    }
    let beams = studio.get("/api/world/beams?sensor=0&limit=1000").await.ok().blocks().remove(0);
    let directions = beams.f32("direction");
    assert!(directions.len() >= 3 * 900 && directions.len() <= 3 * 1000);
    assert!(beams.u16("channel").contains(&15));
    for direction in directions.chunks_exact(3) {
        assert!((direction.iter().map(|d| d * d).sum::<f32>() - 1.0).abs() < 1e-5);
    }
    let moment = studio.get("/api/world/moment?time_s=0.05").await.ok().blocks().remove(0);
    assert_eq!(moment.u32("instance").len(), 0);
    assert_eq!(moment.header.extra["world_from_sensor"][0][14], json!(1.5));
    let picture = studio.get("/api/world/picture?width=64&height=36").await.ok();
    assert_eq!(&picture.body[1..4], b"PNG");
    let eye = "/api/world/picture?width=32&height=32&eye=0,0,2&target=6,0,1";
    assert_eq!(&studio.get(eye).await.ok().body[1..4], b"PNG");
    let glb = studio.get("/api/world/export?format=glb").await.ok();
    assert_eq!(&glb.body[..4], b"glTF");
    let wrong = studio.get("/api/world/picture?width=99999").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sensor_in_a_room_is_in_a_closed_one() {
    let studio = TestStudio::with(|_| Some("first-scan".into())).await;
    assert_eq!(studio.get("/api/world").await.ok().json()["closed"], json!(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_world_is_shown_coarser_and_says_so() {
    let studio = TestStudio::with(|_| Some("maize-field".into())).await;
    let world = studio.get("/api/world").await.ok().json();
    assert!(world["triangles"].as_u64().unwrap() > 1_000_000, "{}", world["triangles"]);
    let block = studio.get("/api/world/geometry?budget=200000").await.ok().blocks().remove(0);
    let extra = &block.header.extra;
    let drawn = extra["drawn_triangles"].as_u64().unwrap();
    assert!(drawn <= 210_000, "{drawn}");
    let sentence = extra["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("coarser") && sentence.contains("scans meet all of it"),
        "{sentence}"
    );
    // Indices stay within their meshes.
    let indices = block.u32("index");
    for mesh in extra["meshes"].as_array().unwrap() {
        for part in mesh["parts"].as_array().unwrap() {
            let from = part["first_index"].as_u64().unwrap() as usize;
            let count = part["indices"].as_u64().unwrap() as usize;
            let vertices = mesh["vertices"].as_u64().unwrap() as u32;
            assert!(indices[from..from + count].iter().all(|index| *index < vertices));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn things_that_move_are_where_they_are_at_a_time() {
    let studio = TestStudio::with(|_| Some("people-walking".into())).await;
    let world = studio.get("/api/world").await.ok().json();
    assert_eq!(world["platform"]["things_move"], json!(true));
    let geometry = studio.get("/api/world/geometry").await.ok().blocks().remove(0);
    let meshes = geometry.header.extra["meshes"].as_array().unwrap().len() as u32;
    let at = async |time_s: f64| {
        let path = format!("/api/world/moment?time_s={time_s}");
        studio.get(&path).await.ok().blocks().remove(0)
    };
    let (start, later): (Block, Block) = (at(0.0).await, at(0.4).await);
    let instances = start.u32("instance");
    assert!(!instances.is_empty());
    assert!(later.u32("mesh").iter().all(|mesh| *mesh < meshes));
    // At the start they are as the geometry has them.
    let matrices = geometry.f32("instance_matrix");
    for (place, instance) in instances.iter().enumerate() {
        let of = |all: &[f32], row: usize| all[16 * row..16 * row + 16].to_vec();
        let here = of(&start.f32("matrix"), place);
        assert_eq!(here, of(&matrices, *instance as usize));
    }
    assert_ne!(start.f32("matrix"), later.f32("matrix"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_is_the_run_of_the_simulator() {
    let studio = TestStudio::start().await;
    let layer = studio.scan(json!({ "name": "first" })).await;
    let expected = simulated(SMALL);
    let returns = expected.return_rows();
    assert_eq!(layer["state"], "done", "{layer}");
    assert_eq!((&layer["returns"], &layer["points"]), (&json!(returns), &json!(returns)));
    assert_eq!(layer["rows"], json!(expected.len()));
    assert_eq!((&layer["name"], &layer["seed"]), (&json!("first"), &json!(7)));
    let id = layer["id"].as_u64().unwrap();
    // The stream, and the columns at once.
    let names = "range_m,intensity,label,object,return_number,range_error_m,incidence_deg,channel";
    let stream = studio.get(&format!("/api/layers/{id}/stream?columns={names}")).await.ok();
    let mut streamed = stream.blocks();
    let end = streamed.pop().unwrap();
    assert_eq!((end.header.kind.as_str(), &end.header.extra["state"]), ("end", &json!("done")));
    let rows: Vec<usize> = (0..expected.len()).filter(|row| !expected.is_miss(*row)).collect();
    let gather = |of: fn(&Block, &str) -> Vec<f32>, name: &str| -> Vec<f32> {
        streamed.iter().flat_map(|block| of(block, name)).collect()
    };
    let of = |column: &[f32]| -> Vec<f32> { rows.iter().map(|row| column[*row]).collect() };
    assert_eq!(gather(Block::f32, "range_m"), of(&expected.range_m));
    assert_eq!(gather(Block::f32, "intensity"), of(&expected.intensity));
    let numbers: Vec<u32> = streamed.iter().flat_map(|block| block.u32("row")).collect();
    assert_eq!(numbers, rows.iter().map(|row| *row as u32).collect::<Vec<_>>());
    let labels: Vec<u16> = streamed.iter().flat_map(|block| block.u16("label")).collect();
    assert_eq!(labels, rows.iter().map(|row| expected.label[*row]).collect::<Vec<_>>());
    let xyz = gather(Block::f32, "xyz");
    for (point, row) in rows.iter().enumerate() {
        for axis in 0..3 {
            assert_eq!(xyz[3 * point + axis], expected.world_xyz_m[*row][axis] as f32);
        }
    }
    let path = format!("/api/layers/{id}/columns?columns=range_m&from=100&count=50");
    let part = studio.get(&path).await.ok().blocks().remove(0);
    assert_eq!(part.f32("range_m"), of(&expected.range_m)[100..150]);
    assert_eq!(part.header.extra["first"], json!(100));
    let unknown = studio.get(&format!("/api/layers/{id}/columns?columns=nonsense")).await;
    assert_eq!(unknown.status, StatusCode::BAD_REQUEST);
    let scenario = studio.get(&format!("/api/layers/{id}/scenario")).await.ok();
    assert_eq!(&scenario.body[..], SMALL.as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_point_tells_what_the_file_says_and_its_pulse_what_trace_says() {
    let studio = TestStudio::start().await;
    let id = studio.scan(json!({})).await["id"].as_u64().unwrap();
    let expected = simulated(SMALL);
    let row = (0..expected.len()).filter(|row| !expected.is_miss(*row)).nth(1234).unwrap();
    let point = studio.get(&format!("/api/layers/{id}/points/1234")).await.ok().json();
    assert_eq!(point["row"], json!(row));
    let field = |name: &str| {
        let fields = point["fields"].as_array().unwrap();
        fields.iter().find(|field| field["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    assert_eq!(field("range_m"), f64::from(expected.range_m[row]));
    assert_eq!(field("true_range_m"), f64::from(expected.true_range_m[row]));
    assert_eq!(field("x_m"), expected.world_xyz_m[row][0]);
    assert_eq!(field("pulse"), expected.pulse[row] as f64);
    assert!(["ground", "crate"].contains(&point["object"].as_str().unwrap()));
    let pulse = studio.get(&format!("/api/layers/{id}/points/1234/pulse")).await.ok().json();
    assert_eq!(pulse["pulse"], json!(expected.pulse[row]));
    let measured = pulse["returns"][0]["measured_m"].as_f64().unwrap();
    assert!((measured - f64::from(expected.range_m[row])).abs() < 1e-4, "{measured}");
    assert!(pulse["text"].as_str().unwrap().contains("sub-ray"));
    assert!(!pulse["echo"]["range_m"].as_array().unwrap().is_empty());
    assert!(!pulse["sub_rays"].as_array().unwrap().is_empty());
    let beyond = studio.get(&format!("/api/layers/{id}/points/99999999")).await;
    assert_eq!(beyond.status, StatusCode::NOT_FOUND);
    // The range image leads to the same points.
    let image =
        studio.get(&format!("/api/layers/{id}/image?sensor=0")).await.ok().blocks().remove(0);
    let (points, ranges) = (image.u32("point"), image.f32("range_m"));
    let extra = &image.header.extra;
    assert_eq!(extra["height"], json!(16));
    assert_eq!(points.len() as u64, extra["width"].as_u64().unwrap() * 16);
    let all = studio.get(&format!("/api/layers/{id}/columns?columns=range_m")).await.ok();
    let all = all.blocks().remove(0).f32("range_m");
    let shown = points.iter().zip(&ranges).filter(|(point, _)| **point != u32::MAX);
    assert!(shown.clone().count() > all.len() / 2);
    assert!(shown.into_iter().all(|(point, range)| all[*point as usize] == *range));
}

#[tokio::test(flavor = "multi_thread")]
async fn sensors_seeds_and_intervals_can_be_chosen() {
    let studio = TestStudio::start().await;
    let other = studio.scan(json!({ "preset": "hdl-32e", "seed": 99 })).await;
    assert_eq!((&other["state"], &other["seed"]), (&json!("done"), &json!(99)), "{other}");
    assert!(other["sensors"][0].as_str().unwrap().contains("HDL-32"), "{other}");
    let half = studio.scan(json!({ "interval_s": [0.0, 0.05] })).await;
    let whole = studio.scan(json!({})).await;
    let (half, whole) = (half["pulses"].as_u64().unwrap(), whole["pulses"].as_u64().unwrap());
    assert!(half.abs_diff(whole / 2) <= 32, "{half} of {whole}");
    for wrong in [
        json!({ "preset": "no-such" }),
        json!({ "sensor": 5 }),
        json!({ "interval_s": [1.0, 0.0] }),
        json!({ "sensro": 0 }),
    ] {
        let refused = studio.post("/api/scans", wrong.clone()).await;
        assert!(refused.status.is_client_error(), "{wrong}");
        assert!(!refused.sentence().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn layers_are_renamed_exported_and_removed() {
    let studio = TestStudio::start().await;
    let id = studio.scan(json!({})).await["id"].as_u64().unwrap();
    let path = format!("/api/layers/{id}");
    let name = json!({ "name": " My scan " });
    let renamed = studio.send(studio.request(Method::PATCH, &path, Some(name))).await.ok().json();
    assert_eq!(renamed["name"], "My scan");
    let empty = studio.send(studio.request(Method::PATCH, &path, Some(json!({ "name": " " }))));
    assert_eq!(empty.await.status, StatusCode::BAD_REQUEST);
    // An exported file has the bytes of a run's own.
    let folder = tempfile::tempdir().unwrap();
    let scenario = Scenario::from_toml(SMALL, "small.toml", std::path::Path::new("")).unwrap();
    let prepared = scenario.prepare().unwrap();
    for format in OutputFormat::ALL {
        let answer = studio.get(&format!("{path}/export?format={}", format.name())).await;
        let file = folder.path().join(format!("My-scan.{}", format.extension()));
        let sink = open_sink(&file, format, &scenario.sink_options(&prepared));
        let Ok(sink) = sink else {
            assert!(answer.status.is_client_error(), "{format}");
            continue;
        };
        let (options, backend) = (RunOptions::default(), RunBackend::default());
        let open = || Ok::<_, understory::Error>(sink);
        let written = run_with(&prepared, &options, backend, open, &Silent);
        if written.is_err() {
            assert!(answer.status.is_client_error(), "{format}: {}", answer.status);
            continue;
        }
        let answer = answer.ok();
        let named = answer.headers["content-disposition"].to_str().unwrap().to_owned();
        assert!(named.contains("My-scan"), "{named}");
        if file.is_file() && !named.contains(".zip") {
            let same = std::fs::read(&file).unwrap() == answer.body[..];
            assert!(same, "{format} differs from what a run writes");
        }
    }
    let picture = studio.get(&format!("{path}/picture")).await.ok();
    assert_eq!(&picture.body[1..4], b"PNG");
    let wrong = studio.get(&format!("{path}/export?format=doc")).await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    studio.send(studio.request(Method::DELETE, &path, None)).await.ok();
    assert_eq!(studio.get(&path).await.status, StatusCode::NOT_FOUND);
    assert_eq!(studio.get("/api/layers").await.ok().json(), json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_layers_are_compared() {
    let studio = TestStudio::start().await;
    let one = studio.scan(json!({})).await["id"].clone();
    let same = studio.scan(json!({})).await["id"].clone();
    let text = SMALL.replace("[6.0, 0.0, 1.0]", "[7.0, 0.0, 1.0]");
    studio.open_text(&text).await;
    let moved = studio.scan(json!({})).await["id"].clone();
    let compared = |to: Value| {
        let body = json!({ "real": one, "simulated": to });
        async { studio.post("/api/compare", body).await.ok().json() }
    };
    let figure = |of: &Value, name: &str| {
        let figures = of["figures"].as_array().unwrap();
        figures.iter().find(|figure| figure["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    let (equal, other) = (compared(same.clone()).await, compared(moved.clone()).await);
    assert_eq!(figure(&equal, "Chamfer distance"), 0.0);
    assert_eq!(figure(&equal, "F-score at 5 cm"), 1.0);
    assert!(figure(&other, "Chamfer distance") > 0.005, "{}", figure(&other, "Chamfer distance"));
    assert!(equal["report"]["distances"].is_array());
    for histogram in other["histograms"].as_array().unwrap() {
        let sum = |side: &str| -> f64 {
            histogram[side].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).sum()
        };
        assert!(sum("real") > 0.98 && sum("real") <= 1.0 + 1e-9, "{histogram}");
    }
    let difference = async |to: &Value, kind: &str| {
        let path = format!("/api/compare/difference?of={one}&to={to}&kind={kind}");
        studio.get(&path).await.ok().blocks().remove(0).f32("difference_m")
    };
    assert!(difference(&same, "nearest").await.iter().all(|d| *d == 0.0));
    assert!(difference(&same, "range").await.iter().all(|d| *d == 0.0));
    let nearest = difference(&moved, "nearest").await;
    assert!(
        nearest.iter().any(|d| *d > 0.5) && nearest.iter().filter(|d| **d < 0.2).count() > 1000
    );
    let ranges = difference(&moved, "range").await;
    let front = ranges.iter().filter(|d| (**d + 1.0).abs() < 0.2).count();
    assert!(front > 100, "{front} points of the crate's front are a metre nearer");
    let gone = studio.post("/api/compare", json!({ "real": one, "simulated": 99 })).await;
    assert_eq!(gone.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn points_appear_while_they_are_made_and_a_scan_can_be_stopped() {
    let studio = TestStudio::start().await;
    studio.open_text(&SMALL.replace("duration_s = 0.1", "duration_s = 600.0")).await;
    studio.get("/api/world").await.ok();
    let start = Instant::now();
    let layer = studio.post("/api/scans", json!({})).await.ok().json();
    let id = layer["id"].as_u64().unwrap();
    let waiting = studio.post("/api/scans", json!({})).await.ok().json();
    let request = studio.request(Method::GET, &format!("/api/layers/{id}/stream"), None);
    let mut body = studio.open(request).await.into_body();
    let mut first = Vec::new();
    while first.len() < 16 {
        first.extend_from_slice(&body.frame().await.unwrap().unwrap().into_data().unwrap());
    }
    assert!(start.elapsed() < Duration::from_secs(20));
    let seen = studio.get(&format!("/api/layers/{id}")).await.ok().json();
    assert_eq!(seen["state"], "running", "it is far from done");
    studio.post(&format!("/api/layers/{id}/cancel"), json!({})).await.ok();
    let stopped = studio.wait(id).await;
    assert_eq!(stopped["state"], "cancelled");
    assert!(stopped["points"].as_u64().unwrap() > 0, "what came before is there");
    let rest = body.collect().await.unwrap().to_bytes();
    first.extend_from_slice(&rest);
    assert_eq!(blocks(&first).last().unwrap().header.kind, "end");
    // The one behind it is stopped before it starts.
    let behind = waiting["id"].as_u64().unwrap();
    studio.post(&format!("/api/layers/{behind}/cancel"), json!({})).await.ok();
    assert_eq!(studio.wait(behind).await["state"], "cancelled");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_socket_tells_what_changes() {
    let studio = TestStudio::start().await;
    let mut request = format!("ws://{}/api/live", studio.address).into_client_request().unwrap();
    let protocols = format!("understory, {}", studio.token);
    request.headers_mut().insert("sec-websocket-protocol", protocols.parse().unwrap());
    let origin = format!("http://{}", studio.address);
    request.headers_mut().insert("origin", origin.parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
    let mut next = async || -> Value {
        let message = socket.next().await.unwrap().unwrap();
        serde_json::from_str(message.to_text().unwrap()).unwrap()
    };
    let first = next().await;
    assert_eq!((&first["layers"], &first["revision"]), (&json!([]), &json!(1)));
    let id = studio.post("/api/scans", json!({})).await.ok().json()["id"].clone();
    let mut done = false;
    for _ in 0..100 {
        let news = next().await;
        done |= news["layers"].as_array().unwrap().iter().any(|layer| layer["state"] == "done");
        if done {
            break;
        }
    }
    assert!(done);
    let path = format!("/api/layers/{id}");
    studio.send(studio.request(Method::DELETE, &path, None)).await.ok();
    let mut gone = Value::Null;
    for _ in 0..20 {
        gone = next().await["gone"].clone();
        if gone == json!([id]) {
            break;
        }
    }
    assert_eq!(gone, json!([id]));
    socket.close(None).await.unwrap();
}
