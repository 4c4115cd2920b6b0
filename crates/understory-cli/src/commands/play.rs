//! `understory play RECORDING`: sends a recording live, at the pace at which it was made.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Result;
use serde_json::json;
use understory_cloud::{MultiSink, ReadOptions, RecordSink, Recording, Records, SinkOptions};

use crate::interrupt::stop_on_signal;
use crate::live::LiveArguments;
use crate::reading::ReadingArguments;
use crate::report::{check_json, print_or_json, usage};
use crate::table::facts;
use understory_view::picture::grouped;

/// Send a recording live, at the pace at which it was made
#[derive(clap::Args)]
#[command(after_help = "Examples:
  understory play drive.pcap --udp udp://127.0.0.1
  understory play out/demo/demo.npy --sensor vlp-16 --udp udp://192.168.1.77:2368
  understory play drive.mcap --foxglove
  understory play drive.laz --trajectory poses.txt --rerun drive.rrd

Packets need a sensor whose vendor's packets are known: captures say it themselves, for other
recordings it is named by --sensor.")]
pub struct Arguments {
    /// A recording
    recording: PathBuf,
    #[command(flatten)]
    reading: ReadingArguments,
    #[command(flatten)]
    live: LiveArguments,
    /// Also write the result as JSON to FILE; - writes it to stdout instead of the table
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Sends one recording.
pub fn play(arguments: &Arguments) -> Result<()> {
    check_json(arguments.json.as_deref())?;
    if !arguments.live.any() {
        return Err(usage("nothing to play to; give --udp, --ros2, --foxglove or --rerun"));
    }
    let reading = ReadOptions { undirected_misses: true, ..arguments.reading.options()? };
    let mut recording = Recording::open(&arguments.recording, &reading)?;
    let sensors = match &reading.sensor {
        Some(sensor) => vec![sensor.clone()],
        None => recording.sensors().to_vec(),
    };
    let ros_names = recording.ros_names().cloned();
    let options = SinkOptions { sensors, ros_names, ..SinkOptions::default() };
    let mut live = arguments.live.open(&options, 0.0)?;
    live.announce();
    let mut sink = Box::new(MultiSink::new(std::mem::take(&mut live.sinks)));
    let stop = stop_on_signal();
    let start = Instant::now();
    let (mut batch, mut poses_told, mut zero_s) = (Records::default(), 0, None);
    while recording.next_batch(&mut batch)? && !stop.load(Ordering::Relaxed) {
        let zero_s = *zero_s.get_or_insert(batch.time_s.first().copied().unwrap_or_default());
        for pose in recording.scan_poses().get(poses_told..).unwrap_or_default() {
            let mut pose = *pose;
            pose.time_s -= zero_s;
            sink.scan_pose(&pose)?;
            poses_told += 1;
        }
        // Packets and messages bear the times at which they are sent.
        batch.time_s.iter_mut().for_each(|time_s| *time_s -= zero_s);
        sink.write(&batch)?;
    }
    let report = sink.finish()?;
    let (summary, value) = live.summary();
    let mut rows = vec![
        ("returns", grouped(recording.report().returns)),
        ("misses", grouped(recording.report().misses)),
        ("took", format!("{:.2} s", start.elapsed().as_secs_f64())),
    ];
    rows.extend(summary);
    rows.extend(report.dropped_fields.iter().map(|what| ("not kept", what.clone())));
    rows.extend(report.paths.iter().map(|path| ("wrote", path.display().to_string())));
    let value = json!({
        "recording": arguments.recording,
        "returns": recording.report().returns,
        "misses": recording.report().misses,
        "seconds": start.elapsed().as_secs_f64(),
        "dropped_fields": report.dropped_fields,
        "live": value,
    });
    print_or_json(&facts(&rows), arguments.json.as_deref(), &value)
}
