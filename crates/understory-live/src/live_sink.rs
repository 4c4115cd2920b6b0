//! Records → packets over UDP at the sensors' own pace.
//!
//! What enters: records in firing order, as for any file. Each sensor has an encoder, which works
//! in the caller's thread; a full packet goes into a queue with the time at which it is due, and
//! another thread sends it then. A simulation that is faster than the clock waits in
//! [`write`](RecordSink::write); one that is slower sends at once, and its packets are counted as
//! late.

use crate::metadata_server::MetadataServer;
use crate::queue::Queue;
use crate::sender::{self, Outlet, Shared};
use crate::{LiveError, LiveReport, UdpTarget};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use understory_cloud::{
    CloudError, CostlyColumns, Packet, PacketEncoder, PacketFormat, RecordSink, Records,
    SensorDescription, SinkReport, ouster_metadata, packet_encoder, with_distinct_serials,
};

/// How to send.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LiveOptions {
    /// Seconds of the run per second of the clock.
    pub speed: f64,
    /// When the run's time 0 is. None: the first packet is sent as soon as it can be, and packets
    /// bear times as if the first record was made when the sink was opened.
    pub start: Option<SystemTime>,
    /// Time of the first record, where a run begins in its middle.
    pub first_s: f64,
    /// How much later than it could the first packet is sent, so that a simulation that starts
    /// slowly has something in hand.
    pub lead_s: f64,
    /// How far the simulation may be ahead of what is sent.
    pub ahead_s: f64,
    /// Most bytes that may wait.
    pub queue_bytes: usize,
    /// Where the metadata of the first Ouster sensor is served over HTTP; further ones follow at
    /// the next loopback address, or at the next port. None: nowhere.
    pub metadata_address: Option<SocketAddr>,
}

impl Default for LiveOptions {
    fn default() -> LiveOptions {
        LiveOptions {
            speed: 1.0,
            start: None,
            first_s: 0.0,
            lead_s: 0.1,
            ahead_s: 1.0,
            queue_bytes: 64 << 20,
            metadata_address: None,
        }
    }
}

impl LiveOptions {
    fn check(&self) -> Result<(), LiveError> {
        for (name, value, low, high) in [
            ("speed", self.speed, 1e-3, 1e3),
            ("first_s", self.first_s, 0.0, 1e9),
            ("lead_s", self.lead_s, 0.0, 3600.0),
            ("ahead_s", self.ahead_s, 0.0, 3600.0),
        ] {
            if !(low..=high).contains(&value) {
                return Err(LiveError::BadOption { name, value, low, high });
            }
        }
        Ok(())
    }
}

/// Tells how it goes, also while it does.
#[derive(Clone)]
pub struct LiveHandle {
    shared: Arc<Shared>,
}

impl LiveHandle {
    /// What was sent so far.
    pub fn report(&self) -> LiveReport {
        self.shared.tally().report()
    }
}

/// Sends the packets of sensors when they are due.
pub struct LiveSink {
    encoders: Vec<Box<dyn PacketEncoder>>,
    queue: Arc<Queue>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    servers: Vec<MetadataServer>,
    clock: Clock,
    rows: Vec<usize>,
    taken: u64,
}

/// When packets are due.
#[derive(Clone, Copy, Debug)]
struct Clock {
    speed: f64,
    lead: Duration,
    /// Moment of the run's time 0, as far as it is known before the first packet.
    zero: Option<Instant>,
    /// Moment and time in the run of the first packet.
    first: Option<(Instant, f64)>,
}

impl Clock {
    fn due(&mut self, time_s: f64) -> Instant {
        let (speed, lead) = (self.speed, self.lead);
        let (moment, first_s) = *self.first.get_or_insert_with(|| match self.zero {
            Some(zero) => (zero, 0.0),
            None => (Instant::now() + lead, time_s),
        });
        // Times may fall a little; nothing else makes this negative or no number.
        let after_s = ((time_s - first_s) / speed).clamp(0.0, 1e9);
        moment + Duration::from_secs_f64(if after_s.is_nan() { 0.0 } else { after_s })
    }
}

impl LiveSink {
    /// Opens sockets to `targets`, one for all of the sensors or one for each, and starts the
    /// thread that sends.
    pub fn open(
        targets: &[UdpTarget],
        sensors: &[SensorDescription],
        options: LiveOptions,
    ) -> Result<LiveSink, LiveError> {
        if targets.is_empty() || (targets.len() != 1 && targets.len() != sensors.len()) {
            let (targets, sensors) = (targets.len(), sensors.len());
            return Err(LiveError::TargetCount { targets, sensors });
        }
        if sensors.is_empty() {
            return Err(CloudError::NoSensors { path: "live output".into() }.into());
        }
        options.check()?;
        let start = options
            .start
            .unwrap_or_else(|| SystemTime::now() - Duration::from_secs_f64(options.first_s));
        let start_unix_ns = start.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as i64;
        let mut outlets = Vec::new();
        let mut servers = Vec::new();
        let sensors = with_distinct_serials(sensors);
        for (facts, target) in sensors.iter().zip(targets.iter().cycle()) {
            let encoder = packet_encoder(facts, start_unix_ns)?;
            let vendor_port = match facts.packets {
                Some(PacketFormat::Ouster(_)) => 7502,
                _ => 2368,
            };
            let address = target.resolve(vendor_port)?;
            if let (Some(first), Some(PacketFormat::Ouster(_))) =
                (options.metadata_address, &facts.packets)
            {
                let metadata = ouster_metadata(facts, &address.ip().to_string())?;
                let at = nth_address(first, servers.len());
                servers.push(MetadataServer::start(at, &metadata, address.port())?);
            }
            outlets.push((address, vendor_port, encoder));
        }
        let mut sink = LiveSink::with_encoders(outlets, options)?;
        sink.servers = servers;
        Ok(sink)
    }

    /// The same with encoders of one's own: each with the address of its packets and the port that
    /// they name for it.
    pub fn with_encoders(
        sensors: Vec<(SocketAddr, u16, Box<dyn PacketEncoder>)>,
        options: LiveOptions,
    ) -> Result<LiveSink, LiveError> {
        options.check()?;
        let mut outlets = Vec::new();
        let mut encoders = Vec::new();
        for (address, vendor_port, encoder) in sensors {
            outlets.push(Outlet::open(address, vendor_port)?);
            encoders.push(encoder);
        }
        let ahead = Duration::from_secs_f64(options.ahead_s + options.lead_s);
        let queue = Arc::new(Queue::new(ahead, options.queue_bytes));
        let shared = Arc::new(Shared::default());
        let (its_queue, its_shared) = (queue.clone(), shared.clone());
        let thread = Builder::new()
            .name("live packets".to_owned())
            .spawn(move || sender::run(&its_queue, &outlets, &its_shared))
            .map_err(|error| LiveError::Thread { what: "sends packets", error })?;
        let zero = options.start.map(|start| {
            let now = Instant::now();
            match start.duration_since(SystemTime::now()) {
                Ok(ahead) => now + ahead,
                Err(before) => now.checked_sub(before.duration()).unwrap_or(now),
            }
        });
        let lead = Duration::from_secs_f64(options.lead_s);
        Ok(LiveSink {
            encoders,
            queue,
            shared,
            thread: Some(thread),
            servers: Vec::new(),
            clock: Clock { speed: options.speed, lead, zero, first: None },
            rows: Vec::new(),
            taken: 0,
        })
    }

    /// A handle that tells how it goes.
    pub fn handle(&self) -> LiveHandle {
        LiveHandle { shared: self.shared.clone() }
    }

    /// Where metadata is served.
    pub fn metadata_addresses(&self) -> Vec<SocketAddr> {
        self.servers.iter().map(MetadataServer::address).collect()
    }
}

/// The address of server number `n`: Ouster's drivers know no other port than 80, so that sensors
/// on this computer differ by its loopback addresses.
fn nth_address(first: SocketAddr, n: usize) -> SocketAddr {
    let mut address = first;
    match first.ip() {
        IpAddr::V4(ip) if ip.is_loopback() => {
            let bits = ip.to_bits().wrapping_add(n as u32);
            address.set_ip(std::net::Ipv4Addr::from_bits(bits).into());
        }
        _ if first.port() == 0 => {}
        _ => address.set_port(first.port().wrapping_add(n as u16)),
    }
    address
}

impl RecordSink for LiveSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        if let Some((column, found)) = records.uneven_column() {
            let expected = records.len();
            return Err(CloudError::UnevenColumns { column, found, expected });
        }
        let mut first = 0;
        for same in records.sensor.chunk_by(|a, b| a == b) {
            let sensor = same.first().copied().map_or(0, usize::from);
            self.rows.clear();
            self.rows.extend(first..first + same.len());
            first += same.len();
            let known = self.encoders.len();
            let Some(encoder) = self.encoders.get_mut(sensor) else {
                let path = "live output".into();
                return Err(CloudError::UnknownSensor { path, sensor: sensor as u16, known });
            };
            let (clock, queue) = (&mut self.clock, &self.queue);
            encoder.push(records, &self.rows, &mut |packet: Packet<'_>| {
                queue.push(clock.due(packet.time_s), sensor, packet.port, packet.bytes);
                Ok(())
            })?;
        }
        self.taken += records.len() as u64;
        Ok(())
    }

    fn reads(&self) -> CostlyColumns {
        CostlyColumns { incidence: false, ..CostlyColumns::ALL }
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        let mut dropped_fields = Vec::new();
        for (sensor, encoder) in self.encoders.iter_mut().enumerate() {
            let (clock, queue) = (&mut self.clock, &self.queue);
            encoder.finish(&mut |packet: Packet<'_>| {
                queue.push(clock.due(packet.time_s), sensor, packet.port, packet.bytes);
                Ok(())
            })?;
            dropped_fields.extend(encoder.dropped_fields());
        }
        self.queue.close();
        if let Some(thread) = self.thread.take() {
            let _it_has_no_result = thread.join();
        }
        let dropped = self.handle().report().dropped;
        if dropped > 0 {
            dropped_fields.push(format!("{dropped} packets that the network did not take"));
        }
        Ok(SinkReport { rows: self.taken, dropped_fields, ..SinkReport::default() })
    }
}

impl Drop for LiveSink {
    /// A sink that was not finished sends nothing more.
    fn drop(&mut self) {
        self.queue.give_up();
        if let Some(thread) = self.thread.take() {
            let _it_has_no_result = thread.join();
        }
    }
}
