//! A ROS 2 bag: an MCAP file, or a folder with one and `metadata.yaml`.
//!
//! What enters: records and poses of scans. What leaves: the messages of [`RosEncoder`], in chunks
//! that are compressed, with their index and statistics. A path such as `drive.mcap` is the bare
//! file, which Foxglove, `ros2 bag play` and every MCAP library open; `drive.mcap/`, with a slash at
//! its end, is the folder that older tools want.

use crate::ros::{RosEncoder, RosMessage};
use crate::scene_names::NAMES_KEY;
use crate::staging::StagedFolder;
use crate::{
    BagCompression, CloudError, ImuSamples, PlatformPose, RecordSink, Records, SOFTWARE, ScanPose,
    SinkOptions, SinkReport, StagedFile,
};
use mcap::records::MessageHeader;
use mcap::{Compression, WriteOptions, Writer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes of messages after which a chunk is closed.
const CHUNK_BYTES: u64 = 4 << 20;
/// Fixed, so that the same messages are the same bytes on every machine.
const COMPRESSION_THREADS: u32 = 2;
/// Floats hardly shrink further at higher levels.
const COMPRESSION_LEVEL: u32 = 1;

/// Writes one bag.
pub struct McapSink {
    encoder: RosEncoder,
    bag: Bag,
    folder: Option<(StagedFolder, String)>,
}

/// The file, and what is in it.
struct Bag {
    target: PathBuf,
    writer: Writer<StagedFile>,
    channels: BTreeMap<String, Channel>,
    span_ns: Option<[i64; 2]>,
}

struct Channel {
    id: u16,
    messages: u32,
    kind: &'static str,
    qos: String,
}

impl McapSink {
    /// Opens a file, or the folder of a bag where `path` ends in a slash.
    pub fn create(path: &Path, options: &SinkOptions) -> Result<McapSink, CloudError> {
        let last = path.as_os_str().as_encoded_bytes().last();
        let folder = match last.is_some_and(|&b| b == b'/' || b == b'\\') {
            true => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                Some((StagedFolder::create(path, is_ours)?, format!("{stem}_0.mcap")))
            }
            false => None,
        };
        let inner = folder.as_ref().map(|(folder, name)| folder.path().join(name));
        let file = StagedFile::create(inner.as_deref().unwrap_or(path))?;
        let compression = match options.bag_compression {
            BagCompression::Zstd => Some(Compression::Zstd),
            BagCompression::Lz4 => Some(Compression::Lz4),
            BagCompression::None => None,
        };
        let mut writer = WriteOptions::new()
            .profile("ros2")
            .library(SOFTWARE)
            .compression(compression)
            .compression_level(COMPRESSION_LEVEL)
            .compression_threads(COMPRESSION_THREADS)
            .chunk_size(Some(CHUNK_BYTES))
            .create(file)
            .map_err(|e| failed(path, e))?;
        let target = path.to_path_buf();
        if let Some(names) = &options.names {
            let metadata = BTreeMap::from([("json".to_owned(), names.to_json())]);
            let record = mcap::records::Metadata { name: NAMES_KEY.to_owned(), metadata };
            writer.write_metadata(&record).map_err(|e| failed(path, e))?;
        }
        let bag = Bag { target, writer, channels: BTreeMap::new(), span_ns: None };
        let encoder = RosEncoder::new(options);
        Ok(McapSink { encoder, bag, folder })
    }
}

impl RecordSink for McapSink {
    fn scan_pose(&mut self, pose: &ScanPose) -> Result<(), CloudError> {
        self.encoder.scan_pose(pose).map_err(|error| self.bag.named(error))
    }

    fn platform_pose(&mut self, pose: &PlatformPose) -> Result<(), CloudError> {
        self.encoder.platform_pose(pose).map_err(|error| self.bag.named(error))
    }

    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        let bag = &mut self.bag;
        let written = self.encoder.push(records, &mut |message| bag.put(&message));
        written.map_err(|error| self.bag.named(error))
    }

    fn imu(&mut self, sensor: u16, samples: &ImuSamples) -> Result<(), CloudError> {
        let bag = &mut self.bag;
        self.encoder.imu(sensor, samples, &mut |message| bag.put(&message))
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let McapSink { mut encoder, mut bag, folder } = *self;
        encoder.finish(&mut |message| bag.put(&message))?;
        let metadata = folder.as_ref().map(|(_, name)| bag.metadata(name));
        bag.writer.finish().map_err(|e| failed(&bag.target, e))?;
        let file = bag.writer.into_inner().publish()?;
        let path = match (folder, metadata) {
            (Some((folder, _)), Some(metadata)) => {
                let path = folder.path().join("metadata.yaml");
                std::fs::write(&path, metadata).map_err(|e| CloudError::write(&bag.target, e))?;
                folder.publish()?
            }
            _ => file,
        };
        let [rows, dropped_misses] = encoder.rows();
        Ok(SinkReport {
            paths: vec![path],
            rows,
            dropped_misses,
            dropped_fields: encoder.dropped_fields(),
        })
    }
}

impl Bag {
    fn put(&mut self, message: &RosMessage<'_>) -> Result<(), CloudError> {
        if !self.channels.contains_key(message.topic) {
            let channel = self.add_channel(message).map_err(|e| failed(&self.target, e))?;
            self.channels.insert(message.topic.to_owned(), channel);
        }
        let Some(channel) = self.channels.get_mut(message.topic) else { return Ok(()) };
        // Bags count from 1970 and do not know what was before.
        let time = message.time_unix_ns.max(0) as u64;
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.messages,
            log_time: time,
            publish_time: time,
        };
        channel.messages = channel.messages.wrapping_add(1);
        let [first, last] = self.span_ns.unwrap_or([message.time_unix_ns; 2]);
        self.span_ns = Some([first.min(message.time_unix_ns), last.max(message.time_unix_ns)]);
        let written = self.writer.write_to_known_channel(&header, message.bytes);
        written.map_err(|e| failed(&self.target, e))
    }

    fn add_channel(&mut self, message: &RosMessage<'_>) -> Result<Channel, mcap::McapError> {
        let kind = message.kind.name();
        let definition = message.kind.definition();
        let schema = self.writer.add_schema(kind, "ros2msg", definition.as_bytes())?;
        let qos = quality_of_service(message.latched);
        let metadata = BTreeMap::from([("offered_qos_profiles".to_owned(), qos.clone())]);
        let id = self.writer.add_channel(schema, message.topic, "cdr", &metadata)?;
        Ok(Channel { id, messages: 0, kind, qos })
    }

    /// Puts the name of this output into an error of the encoder, which knows none.
    fn named(&self, error: CloudError) -> CloudError {
        match error {
            CloudError::ScanOutOfOrder { sensor, scan, previous, .. } => {
                let path = self.target.clone();
                CloudError::ScanOutOfOrder { path, sensor, scan, previous }
            }
            other => other,
        }
    }

    /// What `ros2 bag` wants to know of a folder, in version 5 of its file.
    fn metadata(&self, file: &str) -> String {
        let [first, last] = self.span_ns.unwrap_or([0; 2]);
        let total: u64 = self.channels.values().map(|channel| u64::from(channel.messages)).sum();
        let duration = last - first;
        let mut topics = String::new();
        for (name, channel) in &self.channels {
            let qos = channel.qos.replace('\n', "\\n");
            topics += &format!(
                "    - topic_metadata:\n        name: {name}\n        type: {}\n        serialization_format: cdr\n        offered_qos_profiles: \"{qos}\"\n      message_count: {}\n",
                channel.kind, channel.messages
            );
        }
        let topics = if topics.is_empty() { " []\n".to_owned() } else { format!("\n{topics}") };
        // A quoted name may have any letter but these two.
        let file = file.replace('\\', "\\\\").replace('"', "\\\"");
        format!(
            "rosbag2_bagfile_information:\n  version: 5\n  storage_identifier: mcap\n  relative_file_paths:\n    - \"{file}\"\n  duration:\n    nanoseconds: {duration}\n  starting_time:\n    nanoseconds_since_epoch: {first}\n  message_count: {total}\n  topics_with_message_count:{topics}  compression_format: \"\"\n  compression_mode: \"\"\n  files:\n    - path: \"{file}\"\n      starting_time:\n        nanoseconds_since_epoch: {first}\n      duration:\n        nanoseconds: {duration}\n      message_count: {total}\n"
        )
    }
}

/// How a topic was published: everything is reliable here, because nothing gets lost in a file, and
/// static transforms are kept for late subscribers.
fn quality_of_service(latched: bool) -> String {
    let durability = if latched { 1 } else { 2 };
    let forever = "\n    sec: 9223372036\n    nsec: 854775807\n";
    format!(
        "- history: 3\n  depth: 0\n  reliability: 1\n  durability: {durability}\n  deadline:{forever}  lifespan:{forever}  liveliness: 1\n  liveliness_lease_duration:{forever}  avoid_ros_namespace_conventions: false"
    )
}

/// Whether a name in a folder is one that this writer gives.
fn is_ours(name: &str) -> bool {
    name == "metadata.yaml" || name.ends_with("_0.mcap")
}

fn failed(path: &Path, error: mcap::McapError) -> CloudError {
    let error = match error {
        mcap::McapError::Io(error) => error,
        other => std::io::Error::other(other.to_string()),
    };
    CloudError::write(path, error)
}
