//! Live packets over loopback: all of them, in order and in time; and consumers that do not play
//! along.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant, SystemTime};
use understory_cloud::{
    CloudError, Emit, IDENTITY_ROWS, LaserDescription, OusterProduct, OusterProfile, Packet,
    PacketEncoder, PacketFormat, Record, RecordSink, Records, ReportedReturns, SensorDescription,
    Spin, VelodyneModel,
};
use understory_live::{LiveError, LiveOptions, LiveReport, LiveSink, UdpTarget};
use understory_testing::{Need, Python, skip};

/// Packets of 1206 bytes that bear their number, every `pulses` pulses.
struct Numbered {
    pulses: usize,
    held: usize,
    bytes: [u8; 1206],
    number: u32,
}

impl Numbered {
    fn new(pulses: usize) -> Numbered {
        Numbered { pulses, held: 0, bytes: [0; 1206], number: 0 }
    }

    fn emit(&mut self, time_s: f64, emit: &mut Emit<'_>) -> Result<(), CloudError> {
        self.bytes[..4].copy_from_slice(&self.number.to_le_bytes());
        self.number += 1;
        self.held = 0;
        emit(Packet { time_s, port: 2368, bytes: &self.bytes })
    }
}

impl PacketEncoder for Numbered {
    fn push(
        &mut self,
        records: &Records,
        rows: &[usize],
        emit: &mut Emit<'_>,
    ) -> Result<(), CloudError> {
        for &row in rows {
            self.held += 1;
            if self.held == self.pulses {
                self.emit(records.time_s[row], emit)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, _emit: &mut Emit<'_>) -> Result<(), CloudError> {
        Ok(())
    }
}

/// Pulses `first..first + count`, one each `step_s`.
fn pulses(first: u64, count: u64, step_s: f64) -> Records {
    let mut records = Records::default();
    for pulse in first..first + count {
        let time_s = pulse as f64 * step_s;
        records.push(Record { time_s, pulse, ..Record::miss() });
    }
    records
}

/// A thread that takes packets and gives their numbers back.
struct Receiver {
    address: SocketAddr,
    ends: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u32>>,
}

impl Receiver {
    fn start() -> Receiver {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let address = socket.local_addr().unwrap();
        let ends = Arc::new(AtomicBool::new(false));
        let its_ends = ends.clone();
        let thread = spawn(move || {
            let mut numbers = Vec::new();
            let mut bytes = [0; 65_536];
            loop {
                match socket.recv(&mut bytes) {
                    Ok(length) => {
                        assert_eq!(length, 1206);
                        numbers.push(u32::from_le_bytes(bytes[..4].try_into().unwrap()));
                    }
                    Err(_) if its_ends.load(Ordering::Acquire) => return numbers,
                    Err(_) => {}
                }
            }
        });
        Receiver { address, ends, thread }
    }

    fn numbers(self) -> Vec<u32> {
        self.ends.store(true, Ordering::Release);
        self.thread.join().unwrap()
    }
}

/// Sends `seconds` of pulses in batches of 1/100 s; returns the report and how long it took.
fn send(
    to: SocketAddr,
    rate_hz: u64,
    per_packet: usize,
    seconds: f64,
    options: LiveOptions,
) -> (LiveReport, f64) {
    let before = Instant::now();
    let encoder: Box<dyn PacketEncoder> = Box::new(Numbered::new(per_packet));
    let sink = LiveSink::with_encoders(vec![(to, 2368, encoder)], options).unwrap();
    let handle = sink.handle();
    let mut sink: Box<dyn RecordSink> = Box::new(sink);
    let total = (rate_hz as f64 * seconds) as u64;
    let (batch, step_s) = (rate_hz / 100, 1.0 / rate_hz as f64);
    // Only the times change: a sender is tested here, not a simulation.
    let mut records = pulses(0, batch, step_s);
    for first in (0..total).step_by(batch as usize) {
        if total - first < batch {
            records = pulses(first, total - first, step_s);
        }
        for (pulse, time_s) in (first..).zip(&mut records.time_s) {
            *time_s = pulse as f64 * step_s;
        }
        sink.write(&records).unwrap();
    }
    let report = sink.finish().unwrap();
    assert_eq!(report.rows, total);
    (handle.report(), before.elapsed().as_secs_f64())
}

/// Sends at a rate and has every packet back in order and in time. Where others keep the processors
/// busy, a receiver may lose packets in its own buffer and a sender may be woken up late, neither of
/// which is a fault of the code: there are three attempts. What a fault would do, it does each time.
fn keeps_pace(name: &str, rate_hz: u64, seconds: u64) {
    let packets = rate_hz * seconds / 384;
    for attempt in 1..=3 {
        let receiver = Receiver::start();
        let options = LiveOptions::default();
        let (report, _) = send(receiver.address, rate_hz, 384, seconds as f64, options);
        println!("{name}: {report}");
        assert_eq!((report.packets, report.dropped), (packets, 0));
        assert_eq!(report.bytes, 1206 * packets);
        let true_s = (packets - 1) as f64 * 384.0 / rate_hz as f64;
        assert!((report.true_duration_s - true_s).abs() < 1e-6, "{report:?}");
        let numbers = receiver.numbers();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        if numbers.len() as u64 == packets && report.pace_error.abs() < 1e-3 {
            return;
        }
        println!("attempt {attempt}: the receiver lost {}", packets - numbers.len() as u64);
    }
    panic!("packets were lost or the pace was wrong in all attempts");
}

#[test]
fn a_vlp_16_keeps_its_pace_and_loses_nothing() {
    keeps_pace("VLP-16", 289_352, 3);
}

#[test]
fn an_hdl_64e_keeps_its_pace_and_loses_nothing() {
    // 1.33 million pulses per second: a packet every 0.29 ms.
    keeps_pace("HDL-64E", 1_333_333, 2);
}

#[test]
fn speed_and_start_are_kept() {
    let receiver = Receiver::start();
    let options = LiveOptions { speed: 4.0, ..LiveOptions::default() };
    let (report, took_s) = send(receiver.address, 289_352, 384, 4.0, options);
    assert!((report.true_duration_s - 1.0).abs() < 0.01, "{report}");
    assert!(report.pace_error.abs() < 0.03, "{report}");
    assert!(took_s > 1.0, "{took_s}");
    assert_eq!(receiver.numbers().len() as u64, report.packets);
    // A start in the future is waited for, one in the past is made up for at once.
    let receiver = Receiver::start();
    let start = SystemTime::now() + Duration::from_millis(400);
    let options = LiveOptions { start: Some(start), ..LiveOptions::default() };
    let (report, took_s) = send(receiver.address, 289_352, 384, 0.2, options);
    assert!((0.55..2.0).contains(&took_s), "{took_s}");
    assert_eq!(report.late, 0, "{report}");
    let start = SystemTime::now() - Duration::from_secs(60);
    let options = LiveOptions { start: Some(start), ..LiveOptions::default() };
    let (report, took_s) = send(receiver.address, 289_352, 384, 0.2, options);
    assert!(took_s < 30.0, "{took_s}");
    assert_eq!(report.late, report.packets, "{report}");
    assert!(report.latest_s > 59.0, "{report}");
}

#[test]
fn a_consumer_that_is_slow_or_gone_does_not_stall_the_run() {
    // It never reads: its buffer is full after some packets.
    let deaf = UdpSocket::bind("127.0.0.1:0").unwrap();
    let (report, took_s) =
        send(deaf.local_addr().unwrap(), 1_333_333, 384, 1.0, LiveOptions::default());
    assert_eq!(report.packets + report.dropped, 3472);
    // One second, and whatever a busy computer adds.
    assert!(took_s < 10.0, "{took_s}");
    // It is gone.
    let gone = deaf.local_addr().unwrap();
    drop(deaf);
    let (report, took_s) = send(gone, 1_333_333, 384, 1.0, LiveOptions::default());
    assert_eq!(report.packets + report.dropped, 3472);
    // One second, and whatever a busy computer adds.
    assert!(took_s < 10.0, "{took_s}");
    // There is no way to it at all: everything is dropped and counted.
    let nowhere = "240.0.0.1:2368".parse().unwrap();
    let (report, _) = send(nowhere, 289_352, 384, 0.2, LiveOptions::default());
    assert_eq!(report.packets + report.dropped, 150, "{report}");
}

#[test]
fn the_simulation_is_held_back_and_a_dropped_sink_ends_at_once() {
    let receiver = Receiver::start();
    let encoder: Box<dyn PacketEncoder> = Box::new(Numbered::new(384));
    let options = LiveOptions { ahead_s: 0.1, lead_s: 0.0, ..LiveOptions::default() };
    let mut sink =
        LiveSink::with_encoders(vec![(receiver.address, 2368, encoder)], options).unwrap();
    let before = Instant::now();
    // Half a second of pulses; a tenth of it may wait.
    sink.write(&pulses(0, 144_676, 1.0 / 289_352.0)).unwrap();
    let held_s = before.elapsed().as_secs_f64();
    assert!(held_s > 0.38, "{held_s}");
    let before = Instant::now();
    drop(sink);
    assert!(before.elapsed().as_secs_f64() < 0.3);
    // A queue of few bytes is as good as a short one.
    let encoder: Box<dyn PacketEncoder> = Box::new(Numbered::new(384));
    let options = LiveOptions { ahead_s: 9.0, queue_bytes: 1206 * 10, ..LiveOptions::default() };
    let mut sink =
        LiveSink::with_encoders(vec![(receiver.address, 2368, encoder)], options).unwrap();
    let before = Instant::now();
    sink.write(&pulses(0, 144_676, 1.0 / 289_352.0)).unwrap();
    assert!(before.elapsed().as_secs_f64() > 0.4);
    drop(sink);
}

#[test]
fn packets_of_a_vendors_sensor_reach_the_vendors_port() {
    let data = UdpSocket::bind("127.0.0.1:0").unwrap();
    data.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let port = data.local_addr().unwrap().port();
    let facts = SensorDescription::velodyne(VelodyneModel::Vlp16).unwrap();
    let target: UdpTarget = format!("udp://127.0.0.1:{port}").parse().unwrap();
    let sink = LiveSink::open(&[target], std::slice::from_ref(&facts), LiveOptions::default());
    let mut sink: Box<dyn RecordSink> = Box::new(sink.unwrap());
    let mut records = Records::default();
    for column in 0..100u32 {
        for (channel, laser) in facts.lasers.iter().enumerate() {
            records.push(Record {
                time_s: f64::from(column) * facts.spin.unwrap().cycle_s + laser.firing_s,
                channel: channel as u16,
                column,
                azimuth_deg: -0.2 * column as f32,
                elevation_deg: laser.elevation_deg as f32,
                ..Record::miss()
            });
        }
    }
    sink.write(&records).unwrap();
    sink.finish().unwrap();
    let mut bytes = [0; 2000];
    assert_eq!(data.recv(&mut bytes).unwrap(), 1206);
    assert_eq!((bytes[0], bytes[1], bytes[1205]), (0xff, 0xee, 0x22));
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let facts = SensorDescription::velodyne(VelodyneModel::Vlp16).unwrap();
    let sensors = [facts.clone(), facts];
    let open = |targets: &[&str], options: LiveOptions| -> LiveError {
        let targets: Vec<UdpTarget> = targets.iter().map(|t| t.parse().unwrap()).collect();
        LiveSink::open(&targets, &sensors, options).err().unwrap()
    };
    let fine = LiveOptions::default();
    let three = ["udp://127.0.0.1"; 3];
    assert!(open(&three, fine).to_string().starts_with("there are 3 addresses for 2 sensors"));
    assert!(open(&[], fine).to_string().contains("0 addresses"));
    for speed in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = open(&["udp://127.0.0.1"], LiveOptions { speed, ..fine }).to_string();
        assert!(error.contains("speed = ") && error.contains("0.001 to 1000"), "{error}");
    }
    let unknown = open(&["udp://no-such-host.invalid"], fine).to_string();
    assert!(unknown.contains("no-such-host.invalid"), "{unknown}");
    // A row of a sensor that nobody described.
    let target = UdpTarget::default();
    let mut sink = LiveSink::open(&[target], &sensors, fine).unwrap();
    let mut records = pulses(0, 1, 1.0);
    records.sensor[0] = 7;
    assert!(sink.write(&records).unwrap_err().to_string().contains("sensor 7"));
}

/// An OS1-32 at 1024x10.
fn ouster() -> SensorDescription {
    let laser = |row: u16| LaserDescription {
        elevation_deg: 20.0 - 1.3 * f64::from(row),
        azimuth_offset_deg: [4.2, 1.4, -1.4, -4.2][usize::from(row % 4)],
        forward_m: 0.015_806,
        ..LaserDescription::default()
    };
    SensorDescription {
        name: "os1-32".to_owned(),
        packets: Some(PacketFormat::Ouster(OusterProduct {
            profile: OusterProfile::Rng19,
            product: "OS-1-32".to_owned(),
            serial: 122_500_000_042,
        })),
        lasers: (0..32).map(laser).collect(),
        spin: Some(Spin { rotation_hz: 10.0, clockwise: true, cycle_s: 0.1 / 1024.0 }),
        scan_s: 0.1,
        columns_per_scan: 1024,
        range_m: [0.3, 120.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: [[-1.0, 0.0, 0.0, 0.0], [0.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.03618]],
        platform_from_sensor: IDENTITY_ROWS,
    }
}

/// The driver of Ouster opens the simulated sensor as if it were one of its own.
#[test]
fn ouster_sdk_opens_a_live_sensor() {
    let Some(python) = Python::with_ouster_sdk() else {
        return;
    };
    // Drivers ask at port 80, which not everybody may open.
    let host = "127.0.0.9";
    let options = LiveOptions {
        metadata_address: Some(format!("{host}:80").parse().unwrap()),
        ahead_s: 0.2,
        ..LiveOptions::default()
    };
    let target: UdpTarget = format!("udp://{host}").parse().unwrap();
    let sink = match LiveSink::open(&[target], &[ouster()], options) {
        Ok(sink) => sink,
        Err(error @ LiveError::Serve { .. }) => {
            skip(Need::Rights, &error.to_string());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    assert_eq!(sink.metadata_addresses().len(), 1);
    let handle = sink.handle();
    let mut sink: Box<dyn RecordSink> = Box::new(sink);
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/open_live.py");
    let mut driver = python
        .command()
        .args([script, host])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut records = Records::default();
    let before = Instant::now();
    for scan in 0.. {
        if driver.try_wait().unwrap().is_some() {
            break;
        }
        if before.elapsed() > Duration::from_secs(60) {
            driver.kill().unwrap();
            break;
        }
        records.clear();
        for column in 0..1024u32 {
            for channel in 0..32u16 {
                let reach = u32::from(channel) * 10 + column + 1000;
                records.push(Record {
                    time_s: 0.1 * (f64::from(scan) + f64::from(column) / 1024.0),
                    scan,
                    column,
                    channel,
                    return_number: 1,
                    return_count: 1,
                    range_m: reach as f32 * 1e-3,
                    intensity: ((u32::from(channel) + column) % 200) as f32 / 100.0,
                    ..Record::miss()
                });
            }
        }
        sink.write(&records).unwrap();
    }
    drop(sink);
    let output = driver.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    println!("{text}{}", handle.report());
    assert!(output.status.success(), "{text}");
    assert!(text.contains("5 frames in a row exact, of OS-1-32 122500000042, simulated"), "{text}");
}

#[test]
fn sensors_whose_batches_take_turns_are_sent_side_by_side() {
    let receivers = [Receiver::start(), Receiver::start()];
    let sensor = |receiver: &Receiver| {
        let encoder: Box<dyn PacketEncoder> = Box::new(Numbered::new(384));
        (receiver.address, 2368, encoder)
    };
    let options = LiveOptions { lead_s: 0.3, ..LiveOptions::default() };
    let sink = LiveSink::with_encoders(receivers.iter().map(sensor).collect(), options).unwrap();
    let handle = sink.handle();
    let mut sink: Box<dyn RecordSink> = Box::new(sink);
    // Twenty batches of 50 ms, first all pulses of one sensor and then all of the other.
    for batch in 0..20 {
        for sensor in 0..2 {
            let mut records = pulses(batch * 14_468, 14_468, 1.0 / 289_352.0);
            records.sensor.fill(sensor);
            sink.write(&records).unwrap();
        }
    }
    sink.finish().unwrap();
    let report = handle.report();
    println!("two sensors: {report}");
    let packets = 20 * 14_468 / 384;
    // The second sensor's packets came after later ones of the first, and yet in time.
    assert_eq!((report.packets, report.dropped, report.late), (2 * packets, 0, 0), "{report}");
    for receiver in receivers {
        let numbers = receiver.numbers();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        assert!(numbers.len() as u64 > packets * 9 / 10, "{}", numbers.len());
    }
}
