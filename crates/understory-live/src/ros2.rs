//! Messages of ROS 2 over DDS, without a ROS installation.
//!
//! What enters: records, which [`RosEncoder`] makes messages of, or messages themselves. What
//! leaves: samples on the topics of ROS 2 (`rt/velodyne_points`, type
//! `sensor_msgs::msg::dds_::PointCloud2_`), as a node that `ros2 node list` shows. Scans are best
//! effort, as drivers send them; transforms and odometry are reliable, and static transforms reach
//! late subscribers too.
//!
//! A thread of its own talks to DDS. What it cannot take in time is dropped and counted: a slow
//! network never stalls the simulation. Pace is not kept here: what is pushed is sent.

use ros2_client::qos::{Durability, History, WhenFull};
use ros2_client::{
    Context, ContextOptions, MessageTypeName, Name, NodeName, NodeOptions, Publisher, QosProfile,
};
use serde::ser::{Serialize, SerializeTuple, Serializer};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;
use understory_cloud::{
    CloudError, ImuSamples, PlatformPose, RecordSink, Records, RosEncoder, RosMessage, RosType,
    ScanPose, SinkOptions, SinkReport,
};

/// How long the last messages have to leave before the node goes.
const LINGER: Duration = Duration::from_millis(300);
/// Bytes before the body of a message in CDR.
const ENCODING_LEN: usize = 4;

/// Why messages cannot be published.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Ros2Error {
    /// DDS did not start.
    #[error("cannot join ROS 2 domain {domain_id}: {why}; check the network and ROS_DOMAIN_ID")]
    NoDomain {
        /// The domain.
        domain_id: u16,
        /// What DDS said.
        why: String,
    },
    /// The environment names no domain.
    #[error("ROS_DOMAIN_ID is {value:?}; set it to a number from 0 to 232, or not at all")]
    BadDomain {
        /// What it is.
        value: String,
    },
    /// A name is none that ROS 2 knows.
    #[error("{name:?} is no name of ROS 2: {why}; use letters, digits and underscores")]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

/// How to publish; the default suits most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ros2Options {
    /// Domain of DDS; none: what `ROS_DOMAIN_ID` says, or 0.
    pub domain_id: Option<u16>,
    /// Name of the node.
    pub node: String,
    /// Whether scans are reliable too. Subscribers that are not are served either way.
    pub reliable_scans: bool,
    /// Messages that may wait.
    pub queue: usize,
}

impl Default for Ros2Options {
    fn default() -> Ros2Options {
        let node = "understory".to_owned();
        Ros2Options { domain_id: None, node, reliable_scans: false, queue: 64 }
    }
}

/// What was published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ros2Report {
    /// Messages that DDS took.
    pub published: u64,
    /// Messages that were dropped, because those before them still waited or DDS refused them.
    pub dropped: u64,
}

/// A node that publishes messages.
///
/// Topics appear when they are announced or when their first message comes; subscribers take a
/// moment to find them.
pub struct Ros2Publisher {
    queue: Option<SyncSender<Order>>,
    thread: Option<JoinHandle<()>>,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    published: AtomicU64,
    dropped: AtomicU64,
}

/// What the thread is to do.
struct Order {
    topic: String,
    kind: RosType,
    latched: bool,
    /// The message without the bytes of its encoding; none: only make the topic known.
    body: Option<Vec<u8>>,
}

/// The body of a message, which is encoded already.
struct Body(Vec<u8>);

impl Serialize for Body {
    /// Numbers of eight bytes need no padding and go through as they are; so do single bytes.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (eights, rest) = self.0.as_chunks::<8>();
        let mut tuple = serializer.serialize_tuple(eights.len() + rest.len())?;
        for eight in eights {
            tuple.serialize_element(&u64::from_le_bytes(*eight))?;
        }
        for byte in rest {
            tuple.serialize_element(byte)?;
        }
        tuple.end()
    }
}

impl Ros2Publisher {
    /// Joins the domain as a node.
    pub fn open(options: &Ros2Options) -> Result<Ros2Publisher, Ros2Error> {
        let domain_id = match options.domain_id {
            Some(domain_id) => domain_id,
            None => domain_of_environment()?,
        };
        let bad_name = |e: &dyn std::fmt::Debug| Ros2Error::BadName {
            name: options.node.clone(),
            why: format!("{e:?}"),
        };
        let name = NodeName::new("/", &options.node).map_err(|e| bad_name(&e))?;
        let no_domain = |why: String| Ros2Error::NoDomain { domain_id, why };
        let context = Context::with_options(ContextOptions::new().domain_id(domain_id))
            .map_err(|e| no_domain(e.to_string()))?;
        let node = context
            .new_node(name, NodeOptions::new().enable_rosout(false))
            .map_err(|e| no_domain(format!("{e:?}")))?;
        let (queue, orders) = sync_channel(options.queue.max(1));
        let counts = Arc::new(Counts::default());
        let talker = Talker {
            node,
            topics: BTreeMap::new(),
            reliable_scans: options.reliable_scans,
            counts: counts.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("ros2".to_owned())
            .spawn(move || talker.run(&orders))
            .map_err(|e| no_domain(e.to_string()))?;
        Ok(Ros2Publisher { queue: Some(queue), thread: Some(thread), counts })
    }

    /// Makes a topic known before its first message.
    pub fn announce(&self, topic: &str, kind: RosType, latched: bool) {
        self.send(Order { topic: topic.to_owned(), kind, latched, body: None });
    }

    /// Publishes a message; drops it if too many wait.
    pub fn publish(&self, message: &RosMessage<'_>) {
        let body = message.bytes.get(ENCODING_LEN..).unwrap_or_default().to_vec();
        let RosMessage { topic, kind, latched, .. } = *message;
        self.send(Order { topic: topic.to_owned(), kind, latched, body: Some(body) });
    }

    fn send(&self, order: Order) {
        let Some(queue) = &self.queue else { return };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = queue.try_send(order) {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What was published so far.
    pub fn report(&self) -> Ros2Report {
        Ros2Report {
            published: self.counts.published.load(Ordering::Relaxed),
            dropped: self.counts.dropped.load(Ordering::Relaxed),
        }
    }

    /// Sends what still waits and leaves the domain.
    pub fn close(mut self) -> Ros2Report {
        self.end();
        self.report()
    }

    fn end(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has published what it could.
            let _ended = thread.join();
        }
    }
}

impl Drop for Ros2Publisher {
    fn drop(&mut self) {
        self.end();
    }
}

/// The domain that the environment names, as all programs of ROS 2 take it.
pub(crate) fn domain_of_environment() -> Result<u16, Ros2Error> {
    match std::env::var("ROS_DOMAIN_ID") {
        Ok(value) if !value.trim().is_empty() => {
            let number = value.trim().parse().ok().filter(|&id| id <= 232);
            number.ok_or(Ros2Error::BadDomain { value })
        }
        _ => Ok(0),
    }
}

/// The thread's own.
struct Talker {
    node: ros2_client::Node,
    topics: BTreeMap<String, Option<Publisher<Body>>>,
    reliable_scans: bool,
    counts: Arc<Counts>,
}

impl Talker {
    fn run(mut self, orders: &Receiver<Order>) {
        while let Ok(order) = orders.recv() {
            if !self.topics.contains_key(&order.topic) {
                let publisher = self.create(&order);
                self.topics.insert(order.topic.clone(), publisher);
            }
            let Some(body) = order.body else { continue };
            let publisher = self.topics.get(&order.topic).and_then(Option::as_ref);
            let sent = publisher.is_some_and(|publisher| publisher.publish(Body(body)).is_ok());
            let count = if sent { &self.counts.published } else { &self.counts.dropped };
            count.fetch_add(1, Ordering::Relaxed);
        }
        if !self.topics.is_empty() {
            std::thread::sleep(LINGER);
        }
    }

    fn create(&mut self, order: &Order) -> Option<Publisher<Body>> {
        let (package, kind) = order.kind.name().split_once("/msg/")?;
        let name = Name::parse(&order.topic).ok()?;
        let reliable = match order.kind {
            RosType::PointCloud2 | RosType::LaserScan | RosType::Imu | RosType::Clock => {
                self.reliable_scans && order.kind != RosType::Clock
            }
            _ => true,
        };
        let (durability, depth) = match (order.latched, order.kind) {
            (true, _) => (Durability::TransientLocal, 100),
            (false, RosType::TfMessage | RosType::Odometry | RosType::NavSatFix) => {
                (Durability::Volatile, 100)
            }
            (false, _) => (Durability::Volatile, 5),
        };
        let qos = QosProfile::publisher_default()
            .durability(durability)
            .history(History::KeepLast { depth });
        let qos = match reliable {
            true => qos.reliability_reliable(WhenFull::DEFAULT),
            false => qos.reliability_best_effort(),
        };
        let topic =
            self.node.create_topic(&name, MessageTypeName::new(package, kind), &qos).ok()?;
        self.node.create_publisher(&topic, Some(qos)).ok()
    }
}

/// Publishes records as the messages of drivers; each scan when it is complete.
pub struct Ros2Sink {
    encoder: RosEncoder,
    publisher: Ros2Publisher,
}

impl Ros2Sink {
    /// Joins the domain; of `sink` it takes sensors, start and what becomes of misses.
    pub fn open(options: &Ros2Options, sink: &SinkOptions) -> Result<Ros2Sink, Ros2Error> {
        Ok(Ros2Sink::new(Ros2Publisher::open(options)?, sink))
    }

    /// The same with a node that exists already.
    pub fn new(publisher: Ros2Publisher, sink: &SinkOptions) -> Ros2Sink {
        let encoder = RosEncoder::new(sink);
        Ros2Sink { encoder, publisher }
    }

    /// What was published so far.
    pub fn report(&self) -> Ros2Report {
        self.publisher.report()
    }
}

impl RecordSink for Ros2Sink {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.encoder.scan_pose(pose)
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.encoder.platform_pose(pose)
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        let publisher = &self.publisher;
        self.encoder.imu(sensor, samples, &mut |message| {
            publisher.publish(&message);
            Ok(())
        })
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let publisher = &self.publisher;
        self.encoder.push(records, &mut |message| {
            publisher.publish(&message);
            Ok(())
        })
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let Ros2Sink { mut encoder, publisher } = *self;
        encoder.finish(&mut |message| {
            publisher.publish(&message);
            Ok(())
        })?;
        let Ros2Report { dropped, .. } = publisher.close();
        let [rows, dropped_misses] = encoder.rows();
        let mut dropped_fields = encoder.dropped_fields();
        if dropped > 0 {
            dropped_fields
                .push(format!("{dropped} ROS 2 messages, for which the network was too slow"));
        }
        Ok(SinkReport { paths: Vec::new(), rows, dropped_misses, dropped_fields })
    }
}
