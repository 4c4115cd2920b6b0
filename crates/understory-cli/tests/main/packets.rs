//! Runs as the makers' packets: captures that other people's decoders read, and packets live.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::Value;

use understory_cloud::{ReadOptions, Recording};
use understory_testing::Python;

use super::support::{Workplace, text};

/// A room of boxes around the sensor, so that most pulses return something.
fn room(sensor: &str, duration_s: f64, more: &str) -> String {
    format!(
        r#"version = 1
seed = 5
duration_s = {duration_s}
[[world.object]]
name = "floor"
shape = "plane"
size_m = [60.0, 60.0]
material = "concrete"
[[world.object]]
name = "wall"
shape = "box"
size_m = [20.0, 0.3, 6.0]
position_m = [0.0, 12.0, 0.0]
material = "plaster"
[[world.object]]
name = "post"
shape = "cylinder"
radius_m = 0.2
height_m = 4.0
material = "wood"
instances = [{{ position_m = [5.0, -3.0, 0.0] }}, {{ position_m = [-8.0, 2.0, 0.0] }}]
[platform]
position_m = [0.0, 0.0, 1.7]
[[sensor]]
name = "{sensor}"
preset = "{sensor}"
{more}"#
    )
}

/// What the program says where it must refuse.
fn refused(work: &Workplace, arguments: &[&str]) -> String {
    let output = work.run(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    text(&output.stderr)
}

/// Simulates sensors into captures and arrays, and lets a vendor's decoder compare them.
#[allow(clippy::print_stdout, reason = "a test tells what it saw")]
fn compare(python: Option<Python>, vendor: &str, sensors: &[(&str, f64)]) {
    let Some(python) = python else {
        return;
    };
    let work = Workplace::new();
    for (sensor, duration_s) in sensors {
        let scenario = format!("{sensor}.toml");
        work.put(&scenario, room(sensor, *duration_s, ""));
        let formats = ["--format", "pcap", "--format", "npy", "--no-picture"];
        work.succeed(&[&["run", &scenario, "--out", "out"], &formats[..]].concat());
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/check_packets.py");
    println!("{}", python.run([script.as_ref(), vendor.as_ref(), work.path("out").as_os_str()]));
}

/// Decoded by velodyne-decoder, points are where the simulator put them in the sensor's frame. An
/// HDL-64E tells its calibration in 4160 packets, six columns each.
#[test]
fn velodyne_decoder_puts_simulated_points_where_they_were() {
    let short = ["vlp-16", "hdl-32e", "vlp-32c", "vls-128"].map(|sensor| (sensor, 0.25));
    let sensors = [&short[..], &[("hdl-64e-s2", 1.5), ("hdl-64e-s3", 1.5)]].concat();
    compare(Python::find(), "velodyne", &sensors);
}

#[test]
fn ouster_sdk_puts_simulated_points_where_they_were() {
    let sensors = ["os0-128-rev7", "os1-64-gen1", "os1-32-gradient", "os2-128-rev6"];
    let sensors = sensors.map(|sensor| (sensor, 0.2));
    compare(Python::with_ouster_sdk(), "ouster", &sensors);
}

/// A capture says how fast its sensor turned, so that all of a slow turn fits into what is made of
/// it.
#[test]
fn the_rate_of_a_captured_head_is_measured() {
    let work = Workplace::new();
    work.put("slow.toml", room("vlp-16", 0.45, "override = { spinning = { rotation_hz = 5.0 } }"));
    work.succeed(&["run", "slow.toml", "--format", "pcap", "--no-picture"]);
    let capture = work.path("out/slow/slow.pcap");
    let recording = Recording::open(&capture, &ReadOptions::default()).unwrap();
    let facts = &recording.sensors()[0];
    let rotation_hz = facts.spin.unwrap().rotation_hz;
    assert!((rotation_hz - 5.0).abs() < 5e-3, "{rotation_hz}");
    assert!(facts.columns_per_scan.abs_diff(3617) < 5, "{}", facts.columns_per_scan);
    let output = work.succeed(&["convert", "out/slow/slow.pcap", "slow.mcap"]);
    assert!(!output.contains("columns that the sensor does not have"), "{output}");
}

/// Counts datagrams until it is told to stop.
fn listen() -> (u16, impl FnOnce() -> Vec<usize>) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let port = socket.local_addr().unwrap().port();
    let stop = Arc::new(AtomicBool::new(false));
    let its_stop = stop.clone();
    let thread = std::thread::spawn(move || {
        let (mut sizes, mut bytes) = (Vec::new(), vec![0; 65_536]);
        loop {
            match socket.recv(&mut bytes) {
                Ok(size) => sizes.push(size),
                Err(_) if its_stop.load(Ordering::Relaxed) => return sizes,
                Err(_) => {}
            }
        }
    });
    let end = move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.store(true, Ordering::Relaxed);
        thread.join().unwrap()
    };
    (port, end)
}

/// As many packets as the capture of the same run has, each of 1206 bytes, none lost.
#[test]
fn a_run_and_a_recording_send_all_packets_live() {
    let work = Workplace::new();
    work.put("room.toml", room("vlp-16", 0.5, ""));
    // Data packets of 24 firings each.
    let packets = (0.5f64 / (24.0 * 55.296e-6)).ceil() as usize;
    for (speed, verb) in [("4", "run"), ("2", "play")] {
        let (port, end) = listen();
        let target = format!("udp://127.0.0.1:{port}");
        let common = ["--udp", &target, "--speed", speed, "--json", "live.json"];
        let arguments: Vec<&str> = match verb {
            "run" => {
                [&["run", "room.toml", "--format", "pcap", "--no-picture"], &common[..]].concat()
            }
            _ => [&["play", "out/room/room.pcap"], &common[..]].concat(),
        };
        work.succeed(&arguments);
        let sizes = end();
        assert!(sizes.iter().all(|&size| size == 1206), "{verb}");
        let report: Value = serde_json::from_slice(&work.bytes("live.json")).unwrap();
        let live = &report["live"]["packets"];
        assert_eq!(live["dropped"], 0, "{report}");
        assert!(sizes.len().abs_diff(packets) <= 1, "{verb}: {} of {packets}", sizes.len());
        // Half a second at this speed; the machine of a test may be busy.
        let seconds = live["measured_duration_s"].as_f64().unwrap();
        assert!(seconds > 0.9 * 0.5 / speed.parse::<f64>().unwrap(), "{report}");
    }
}

#[test]
fn sensors_without_packets_and_missing_features_are_told() {
    let work = Workplace::new();
    work.put("line.toml", room("lms-291", 0.05, ""));
    let output = refused(&work, &["run", "line.toml", "--format", "pcap", "--no-picture"]);
    assert!(output.contains("lms-291") && output.contains("packets"), "{output}");
    let output = refused(&work, &["run", "line.toml", "--udp", "127.0.0.1"]);
    assert!(output.contains("udp://"), "{output}");
    let output = refused(&work, &["play", "line.toml"]);
    assert!(output.contains("--udp"), "{output}");
    if cfg!(not(feature = "rerun")) {
        let output = refused(&work, &["run", "line.toml", "--rerun", "a.rrd"]);
        assert!(output.contains("--features rerun"), "{output}");
    }
}

/// A picture of a recording that says little is still a picture.
#[test]
fn info_draws_what_it_describes() {
    let work = Workplace::new();
    work.put("room.toml", room("vlp-16", 0.1, ""));
    work.succeed(&["run", "room.toml", "--format", "pcap", "--format", "mcap", "--no-picture"]);
    work.put("bare.xyz", "1 2 3\n4 5 6\n7 8 9.5\n");
    for (file, picture) in
        [("out/room/room.pcap", "a.png"), ("out/room/room.mcap", "b.png"), ("bare.xyz", "c.png")]
    {
        let output = work.succeed(&["info", file, "--picture", picture, "--json", "info.json"]);
        assert!(output.contains(picture), "{output}");
        assert!(work.bytes(picture).starts_with(b"\x89PNG"), "{file}");
    }
    let output = refused(&work, &["info", "room.toml", "--picture", "d.png"]);
    assert!(output.contains("--picture"), "{output}");
}
