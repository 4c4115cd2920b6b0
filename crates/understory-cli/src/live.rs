//! Arguments of verbs that send live → sinks beside the files of a run.

use std::io::Write;
use std::net::SocketAddr;
use std::time::SystemTime;

use anyhow::Result;
use serde_json::{Map, Value, json};
use understory_cloud::{RecordSink, SinkOptions};
use understory_live::{LiveHandle, LiveOptions, LiveReport, LiveSink, PaceHandle, UdpTarget};

use crate::report::usage;

/// Where records go while they are made.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Live outputs")]
pub struct LiveArguments {
    /// Send the packets of the makers' own sensors to HOST at true pace: udp://127.0.0.1, or with a port behind it; one address for all sensors, or one for each
    #[arg(long, value_name = "udp://HOST[:PORT]")]
    udp: Vec<UdpTarget>,
    /// Serve the metadata of Ouster sensors over HTTP here, such as 127.0.0.1:80
    #[arg(long, value_name = "ADDRESS", requires = "udp")]
    http: Option<SocketAddr>,
    /// Publish ROS 2 messages over DDS [default domain: ROS_DOMAIN_ID, or 0]
    #[arg(long, value_name = "DOMAIN", num_args = 0..=1, require_equals = true)]
    ros2: Option<Option<u16>>,
    /// Serve a Foxglove viewer [default address: 127.0.0.1:8765]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true)]
    foxglove: Option<Option<SocketAddr>>,
    /// Write for Rerun to FILE.rrd, or send to a viewer that runs (rerun+http://127.0.0.1:9876/proxy)
    #[arg(long, value_name = "FILE|URL")]
    rerun: Option<String>,
    /// Seconds of the run that pass in a second
    #[arg(long, value_name = "FACTOR")]
    speed: Option<f64>,
}

/// Live outputs that are open.
#[derive(Default)]
pub struct Live {
    /// To be fed like files.
    pub sinks: Vec<Box<dyn RecordSink>>,
    packets: Option<LiveHandle>,
    /// Where others can connect, and the same in words.
    offered: Vec<(SocketAddr, String)>,
    /// How messages keep their times.
    #[cfg_attr(not(any(feature = "ros2", feature = "foxglove")), allow(dead_code))]
    paces: Vec<(&'static str, PaceHandle)>,
}

impl LiveArguments {
    /// Whether anything is sent or shown live.
    pub fn any(&self) -> bool {
        !self.udp.is_empty()
            || self.ros2.is_some()
            || self.foxglove.is_some()
            || self.rerun.is_some()
    }

    /// Seconds of the run that pass in a second.
    pub fn speed(&self) -> f64 {
        self.speed.unwrap_or(1.0)
    }

    /// Opens all of them; `first_s` in the run is now.
    pub fn open(&self, options: &SinkOptions, first_s: f64) -> Result<Live> {
        let speed = self.speed();
        if !(1e-3..=1e3).contains(&speed) {
            return Err(usage(format!("--speed is {speed}; choose from 0.001 to 1000")));
        }
        let paced = !self.udp.is_empty() || self.ros2.is_some() || self.foxglove.is_some();
        if self.speed.is_some() && !paced {
            return Err(usage("--speed is for --udp, --ros2 and --foxglove; give one of them"));
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let start_unix_ns = now.as_nanos() as i64 - (first_s * 1e9) as i64;
        let options = SinkOptions { start_unix_ns, ..options.clone() };
        let mut live = Live::default();
        if !self.udp.is_empty() {
            let metadata_address = self.http;
            let settings = LiveOptions { speed, first_s, metadata_address, ..Default::default() };
            let sink = LiveSink::open(&self.udp, &options.sensors, settings)?;
            live.packets = Some(sink.handle());
            let servers = sink.metadata_addresses().into_iter();
            live.offered
                .extend(servers.map(|at| (at, format!("Ouster's metadata at http://{at}/"))));
            live.sinks.push(Box::new(sink));
        }
        if let Some(domain_id) = self.ros2 {
            open_ros2(domain_id, speed, &options, &mut live)?;
        }
        if let Some(address) = self.foxglove {
            open_foxglove(address, speed, &options, &mut live)?;
        }
        if let Some(target) = &self.rerun {
            live.sinks.push(open_rerun(target, &options)?);
        }
        Ok(live)
    }
}

#[cfg(feature = "ros2")]
fn open_ros2(
    domain_id: Option<u16>,
    speed: f64,
    options: &SinkOptions,
    live: &mut Live,
) -> Result<()> {
    let settings = understory_live::Ros2Options { domain_id, ..Default::default() };
    let sink = understory_live::Ros2Sink::open(&settings, options)?;
    live.paced("ROS 2", Box::new(sink), speed);
    Ok(())
}

#[cfg(not(feature = "ros2"))]
fn open_ros2(_: Option<u16>, _: f64, _: &SinkOptions, _: &mut Live) -> Result<()> {
    Err(not_built("--ros2", "ros2"))
}

#[cfg(feature = "foxglove")]
fn open_foxglove(
    address: Option<SocketAddr>,
    speed: f64,
    options: &SinkOptions,
    live: &mut Live,
) -> Result<()> {
    let sink = understory_live::FoxgloveSink::serve(address, options)?;
    live.offered.push((sink.address(), format!("Foxglove at ws://{}", sink.address())));
    live.paced("Foxglove", Box::new(sink), speed);
    Ok(())
}

#[cfg(not(feature = "foxglove"))]
fn open_foxglove(_: Option<SocketAddr>, _: f64, _: &SinkOptions, _: &mut Live) -> Result<()> {
    Err(not_built("--foxglove", "foxglove"))
}

#[cfg(feature = "rerun")]
fn open_rerun(target: &str, options: &SinkOptions) -> Result<Box<dyn RecordSink>> {
    use understory_live::RerunSink;
    let sink = match target.contains("://") {
        true => RerunSink::to_viewer(target, &options.sensors)?,
        false => RerunSink::to_file(target.as_ref(), &options.sensors)?,
    };
    Ok(Box::new(sink))
}

#[cfg(not(feature = "rerun"))]
fn open_rerun(_: &str, _: &SinkOptions) -> Result<Box<dyn RecordSink>> {
    Err(not_built("--rerun", "rerun"))
}

#[cfg(not(all(feature = "ros2", feature = "foxglove", feature = "rerun")))]
fn not_built(option: &str, feature: &str) -> anyhow::Error {
    usage(format!(
        "{option} is not in this build; build with `cargo install --path crates/understory-cli --features {feature}`"
    ))
}

impl Live {
    #[cfg(any(feature = "ros2", feature = "foxglove"))]
    fn paced(&mut self, what: &'static str, sink: Box<dyn RecordSink>, speed: f64) {
        let sink = understory_live::PaceSink::new(sink, speed);
        self.paces.push((what, sink.handle()));
        self.sinks.push(Box::new(sink));
    }

    /// Where to connect, on stderr before the run begins.
    pub fn announce(&self) {
        for (address, offered) in &self.offered {
            // Nobody to read it is no reason to stop.
            let _ = writeln!(std::io::stderr(), "{offered}");
            if !address.ip().is_loopback() {
                tracing::warn!(
                    "everybody who can reach {address} over the network can connect and read; \
                     give 127.0.0.1 to serve this machine alone"
                );
            }
        }
    }

    /// How it went, as rows of a table and as JSON.
    pub fn summary(&self) -> (Vec<(&'static str, String)>, Value) {
        let mut rows = Vec::new();
        let mut value = Map::new();
        if let Some(report) = self.packets.as_ref().map(LiveHandle::report) {
            rows.push(("sent", report.to_string()));
            value.insert("packets".to_owned(), as_json(&report));
        }
        for (what, pace) in &self.paces {
            let report = pace.report();
            rows.push(("sent", format!("{what} messages, {report}")));
            let key = what.to_ascii_lowercase().replace(' ', "");
            let report = json!({
                "deadlines": report.slices,
                "deadlines_missed": report.missed,
                "latest_s": report.latest_s,
                "latency_p50_s": report.latency_p50_s,
                "latency_p99_s": report.latency_p99_s,
            });
            value.insert(key, report);
        }
        (rows, Value::Object(value))
    }
}

fn as_json(report: &LiveReport) -> Value {
    json!({
        "packets": report.packets,
        "bytes": report.bytes,
        "dropped": report.dropped,
        "late": report.late,
        "latest_s": report.latest_s,
        "true_duration_s": report.true_duration_s,
        "measured_duration_s": report.measured_duration_s,
        "pace_error": report.pace_error,
        "jitter_rms_s": report.jitter_rms_s,
        "jitter_p99_s": report.jitter_p99_s,
        "jitter_max_s": report.jitter_max_s,
        "latency_p50_s": report.latency_p50_s,
        "latency_p99_s": report.latency_p99_s,
        "latency_max_s": report.latency_max_s,
    })
}
