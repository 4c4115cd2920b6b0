//! Messages over DDS arrive at another implementation: Cyclone DDS.
//!
//! Runs with the feature `ros2`.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use understory_cloud::{
    IDENTITY_ROWS, LaserDescription, PacketFormat, Record, RecordSink, Records, ReportedReturns,
    RosMessage, RosType, ScanPose, SensorDescription, SinkOptions, VelodyneModel,
};
use understory_live::{Ros2Options, Ros2Publisher, Ros2Sink};
use understory_testing::{DdsNode, Python};

const CLOUDS: u32 = 5;

/// 29 184 points, as many as a VLP-16 has in a turn at 10 Hz.
fn scan(scan: u32) -> Records {
    let mut records = Records::default();
    for column in 0..1824u32 {
        for channel in 0..16u16 {
            let time_s = f64::from(scan) * 0.1 + f64::from(column) * 55.296e-6;
            let range_m = 2.0 + (column * 7 + u32::from(channel) + scan) as f32 % 50.0;
            records.push(Record {
                time_s,
                channel,
                scan,
                column,
                return_number: 1,
                return_count: 1,
                range_m,
                intensity: 0.5,
                sensor_xyz_m: [range_m, 0.01 * column as f32, f32::from(channel)],
                ..Record::miss()
            });
        }
    }
    records
}

fn facts() -> SensorDescription {
    let laser = |i| LaserDescription { elevation_deg: f64::from(i), ..LaserDescription::default() };
    SensorDescription {
        name: "vlp-16".to_owned(),
        packets: Some(PacketFormat::Velodyne(VelodyneModel::Vlp16)),
        lasers: (0..16).map(laser).collect(),
        spin: None,
        scan_s: 0.1,
        columns_per_scan: 1824,
        range_m: [0.5, 100.0],
        returns: ReportedReturns::Strongest,
        sensor_from_lidar: IDENTITY_ROWS,
        platform_from_sensor: IDENTITY_ROWS,
    }
}

#[test]
fn another_implementation_receives_every_scan() {
    let domain = 100 + (std::process::id() % 100) as u16;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/subscribe_ros2.py");
    let number = domain.to_string();
    let Some(listener) = DdsNode::start(&script, &[&number, "1000", "40"]) else { return };
    let words = |patience| {
        let line = listener.line(patience).ok()?;
        Some(line.split(' ').map(str::to_owned).collect::<Vec<_>>())
    };
    let wait = Duration::from_secs(20);
    // Reliable scans are what every subscriber can take, best effort or not.
    let options =
        Ros2Options { domain_id: Some(domain), reliable_scans: true, ..Ros2Options::default() };
    let publisher = Ros2Publisher::open(&options).unwrap();
    publisher.announce("/tf", RosType::TfMessage, false);

    // The messages as a bag would have them.
    let mut expected = Vec::new();
    let sink_options = SinkOptions { sensors: vec![facts()], ..SinkOptions::default() };
    let poses: Vec<ScanPose> = (0..CLOUDS)
        .map(|scan| ScanPose {
            sensor: 0,
            scan,
            time_s: f64::from(scan) * 0.1,
            world_from_sensor: [
                [1.0, 0.0, 0.0, 7.25 * f64::from(scan)],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 1.0, 0.0],
            ],
        })
        .collect();
    let mut encoder = understory_cloud::RosEncoder::new(&sink_options);
    let mut keep = |message: RosMessage<'_>| {
        if message.kind == RosType::PointCloud2 {
            expected.push((message.time_unix_ns, message.bytes.to_vec()));
        }
        Ok(())
    };
    for number in 0..CLOUDS {
        encoder.scan_pose(&poses[number as usize]).unwrap();
        encoder.push(&scan(number), &mut keep).unwrap();
    }
    encoder.finish(&mut keep).unwrap();
    assert_eq!(expected.len(), CLOUDS as usize);

    // Until the two have found each other, a cloud of time 0 is sent again and again.
    let deadline = Instant::now() + wait;
    let mut probe = expected[0].1.clone();
    // After four bytes that say how it is encoded, a message begins with seconds and nanoseconds.
    probe[4..12].fill(0);
    let first = RosMessage {
        topic: "/velodyne_points",
        kind: RosType::PointCloud2,
        time_unix_ns: 0,
        latched: false,
        bytes: &probe,
    };
    loop {
        publisher.publish(&first);
        match words(Duration::from_millis(300)) {
            Some(words) if words[0] == "cloud" => break,
            _ => assert!(Instant::now() < deadline, "nothing arrived"),
        }
    }
    std::thread::sleep(Duration::from_millis(700));
    while words(Duration::ZERO).is_some() {}

    let before = publisher.report();
    let mut sink = Box::new(Ros2Sink::new(publisher, &sink_options));
    for number in 0..CLOUDS {
        sink.scan_pose(&poses[number as usize]).unwrap();
        sink.write(&scan(number)).unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    let after = sink.report();
    let report = sink.finish().unwrap();
    assert_eq!(report.rows, u64::from(CLOUDS) * 29_184);
    assert!(report.dropped_fields.is_empty(), "{:?}", report.dropped_fields);
    assert!(after.published > before.published && after.dropped == 0, "{after:?}");
    let (mut clouds, mut frames) = (Vec::new(), Vec::new());
    while let Some(words) = words(Duration::from_millis(1500)) {
        match words[0].as_str() {
            // Of a machine with much to do, one may come late.
            "cloud" if words[1] == "0" => {}
            "cloud" => clouds.push(words),
            _ => frames.push(words),
        }
    }
    assert_eq!(clouds.len(), CLOUDS as usize, "{clouds:?}");
    let Some(python) = Python::find() else { return };
    for (words, (time_ns, message)) in clouds.iter().zip(&expected) {
        assert_eq!(words[1], time_ns.to_string());
        let fields: Vec<&str> = words[2..7].iter().map(String::as_str).collect();
        assert_eq!(fields, ["velodyne", "1824", "16", "22", "642048"]);
        // The points are the last but the flag in the message.
        let data = &message[message.len() - 1 - 642_048..message.len() - 1];
        assert_eq!(words[7], sha256(&python, data), "bytes differ");
    }
    let of_platform = frames.iter().filter(|words| words[2] == "base_link");
    let places: Vec<&str> = of_platform.map(|words| words[3].as_str()).collect();
    assert_eq!(places.len(), CLOUDS as usize + 1, "{frames:?}");
    assert_eq!(places[1], "0x1.d000000000000p+2");
}

/// The digest of bytes, by Python.
fn sha256(python: &Python, bytes: &[u8]) -> String {
    use std::io::Write;
    let program = "import hashlib,sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())";
    let mut child = python
        .command()
        .args(["-c", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(bytes).unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

/// Nobody listens and the queue is short: what does not fit is dropped at once.
#[test]
fn a_full_queue_drops_and_counts() {
    let options = Ros2Options { domain_id: Some(231), queue: 1, ..Ros2Options::default() };
    let publisher = Ros2Publisher::open(&options).unwrap();
    let bytes = vec![0; 1 << 20];
    let message = RosMessage {
        topic: "/points",
        kind: RosType::PointCloud2,
        time_unix_ns: 0,
        latched: false,
        bytes: &bytes,
    };
    let started = Instant::now();
    (0..500).for_each(|_| publisher.publish(&message));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    let report = publisher.close();
    assert_eq!(report.published + report.dropped, 500);
    assert!(report.dropped > 0 && report.published > 0, "{report:?}");
}

#[test]
fn names_and_domains_are_checked() {
    let named = Ros2Options { node: "no name".to_owned(), ..Ros2Options::default() };
    let Err(error) = Ros2Publisher::open(&named) else { panic!() };
    assert!(error.to_string().contains("\"no name\" is no name of ROS 2"), "{error}");
}
