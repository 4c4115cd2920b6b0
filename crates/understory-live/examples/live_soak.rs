//! A long run over loopback: does a VLP-16 and an HDL-64E keep its pace, and does a packet get
//! lost?
//!
//! ```text
//! cargo run --release -p understory-live --example live_soak -- [SECONDS]
//! ```
//!
//! One revolution of records is made beforehand and sent again and again with later times, as a
//! recorded run would be; a thread of its own takes the packets and counts them.

// Results of an example belong on stdout, and its mistakes may end it.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::net::UdpSocket;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use understory_cloud::{Record, RecordSink, Records, SensorDescription, VelodyneModel};
use understory_live::{LiveOptions, LiveSink, UdpTarget};

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60.0);
    let models = [VelodyneModel::Vlp16, VelodyneModel::Hdl64eS2];
    let lost: i64 = models.map(|model| soak(model, seconds)).iter().sum();
    if lost == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Sends for some seconds; how many packets got lost.
fn soak(model: VelodyneModel, seconds: f64) -> i64 {
    let facts = SensorDescription::velodyne(model).unwrap();
    let spin = facts.spin.unwrap();
    let columns = (1.0 / (spin.rotation_hz * spin.cycle_s)).round() as u32;
    let scan_s = f64::from(columns) * spin.cycle_s;
    let mut records = revolution(&facts, columns);

    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    let port = socket.local_addr().unwrap().port();
    let ends = Arc::new(AtomicBool::new(false));
    let its_ends = ends.clone();
    let receiver = std::thread::spawn(move || {
        let mut bytes = [0; 65_536];
        let mut arrivals = 0u64;
        let (mut first, mut last) = (None, Instant::now());
        loop {
            match socket.recv(&mut bytes) {
                Ok(_) => {
                    arrivals += 1;
                    last = Instant::now();
                    first.get_or_insert(last);
                }
                Err(_) if its_ends.load(Ordering::Acquire) => {
                    return (arrivals, first.map_or(0.0, |first| (last - first).as_secs_f64()));
                }
                Err(_) => {}
            }
        }
    });

    let target: UdpTarget = format!("udp://127.0.0.1:{port}").parse().unwrap();
    let sensors = std::slice::from_ref(&facts);
    let sink = LiveSink::open(&[target], sensors, LiveOptions::default()).unwrap();
    let handle = sink.handle();
    let mut sink: Box<dyn RecordSink> = Box::new(sink);
    let scans = (seconds / scan_s).ceil() as u32;
    let pulses = records.len() as u64;
    for scan in 0..scans {
        sink.write(&records).unwrap();
        for row in 0..records.len() {
            records.time_s[row] += scan_s;
            records.pulse[row] += pulses;
            records.scan[row] = scan + 1;
        }
    }
    sink.finish().unwrap();
    std::thread::sleep(Duration::from_millis(100));
    ends.store(true, Ordering::Release);
    let (arrived, arrived_s) = receiver.join().unwrap();

    let report = handle.report();
    let rate = pulses as f64 / scan_s;
    println!("{model:?}: {rate:.0} pulses/s, {scans} revolutions");
    println!("  sent     {report}");
    println!("  received {arrived} packets in {arrived_s:.3} s");
    // Position packets go to a port of their own, at which nobody listens here.
    let data = (f64::from(scans) * pulses as f64 / 384.0).ceil() as i64;
    let lost = data - arrived as i64;
    println!("  lost     {lost} of {data} data packets");
    lost
}

/// One revolution with a return for two pulses of three.
fn revolution(facts: &SensorDescription, columns: u32) -> Records {
    let spin = facts.spin.unwrap();
    let mut records = Records::default();
    for column in 0..columns {
        for (channel, laser) in facts.lasers.iter().enumerate() {
            let pulse = u64::from(column) * facts.lasers.len() as u64 + channel as u64;
            let time_s = f64::from(column) * spin.cycle_s + laser.firing_s;
            let turn_deg = -360.0 * spin.rotation_hz * time_s + laser.azimuth_offset_deg;
            let fired = Record {
                time_s,
                pulse,
                channel: channel as u16,
                column,
                azimuth_deg: (turn_deg + 180.0).rem_euclid(360.0) as f32 - 180.0,
                elevation_deg: laser.elevation_deg as f32,
                ..Record::miss()
            };
            records.push(match pulse % 3 {
                0 => fired,
                _ => Record {
                    return_number: 1,
                    return_count: 1,
                    range_m: 5.0 + (pulse % 1000) as f32 * 0.05,
                    intensity: 0.3,
                    ..fired
                },
            });
        }
    }
    records
}
