//! Poses out of ROS 2 bags: MCAP files, alone or in a bag's folder.
//!
//! `nav_msgs/msg/Odometry`, `geometry_msgs/msg/PoseStamped`, `…/PoseWithCovarianceStamped`,
//! `…/TransformStamped` and `tf2_msgs/msg/TFMessage`, each at the time in its own header. The file
//! is read once from its start to its end, whatever its size; what its headers say about lengths
//! is limited by its real length.

use super::cdr::CdrReader;
use super::{PoseFileOptions, TimedPoses};
use crate::CloudError;
use crate::table::damaged;
use glam::{DQuat, DVec3};
use mcap::records::Record;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most poses of a bag: ten days at 100 Hz.
const POSES_MAX: usize = 86_400_000;

/// Longest record, in times of the file's length, and its limits in bytes.
const RECORD_PER_FILE: u64 = 64;
const RECORD_LIMITS: (u64, u64) = (1 << 20, 256 << 20);

/// Kinds of messages that hold a pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MessageKind {
    /// Header, child frame, pose, and a twist.
    Odometry,
    /// Header and pose.
    Pose,
    /// Header, child frame and transform.
    Transform,
    /// A list of transforms.
    Transforms,
}

impl MessageKind {
    fn of_schema(name: &str) -> Option<MessageKind> {
        // `nav_msgs/msg/Odometry`, and `nav_msgs/Odometry` in older bags.
        let (package, rest) = name.split_once('/')?;
        let kind = match (package, rest.strip_prefix("msg/").unwrap_or(rest)) {
            ("nav_msgs", "Odometry") => MessageKind::Odometry,
            ("geometry_msgs", "PoseStamped" | "PoseWithCovarianceStamped") => MessageKind::Pose,
            ("geometry_msgs", "TransformStamped") => MessageKind::Transform,
            ("tf2_msgs", "TFMessage") => MessageKind::Transforms,
            _ => return None,
        };
        Some(kind)
    }
}

/// A pose as it was sent.
struct Stamped {
    time_ns: i128,
    rotation: DQuat,
    position_m: DVec3,
    /// Which of the messages of its track, from 1.
    message: u64,
}

/// Topic, and the frames of a transform.
type TrackName = (String, Option<(String, String)>);

/// Poses by track.
type Tracks = BTreeMap<TrackName, Vec<Stamped>>;

/// What was found in a bag.
#[derive(Default)]
struct Bag {
    files: Vec<PathBuf>,
    tracks: Tracks,
    /// Topics with poses that nobody asked for.
    others: BTreeSet<String>,
}

/// Reads one MCAP file.
pub(super) fn read_file(path: &Path, options: &PoseFileOptions) -> Result<TimedPoses, CloudError> {
    let bag = collect(path, options)?;
    choose(path, options, bag)
}

/// Reads all MCAP files of a bag's folder.
pub(super) fn read_folder(
    folder: &Path,
    options: &PoseFileOptions,
) -> Result<TimedPoses, CloudError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| CloudError::read(folder, e))? {
        let path = entry.map_err(|e| CloudError::read(folder, e))?.path();
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mcap")) {
            files.push(path);
        }
    }
    if files.is_empty() {
        let what = "it holds neither an .mcap file nor poses.txt";
        return Err(damaged(folder, "ROS 2 bag or KITTI", what));
    }
    let mut parts = Vec::new();
    for file in &files {
        parts.push(collect(file, options)?);
    }
    // A long bag is split; its parts are put in order by time, not by name (…_10 and …_2).
    let start = |bag: &Bag| bag.tracks.values().flatten().map(|pose| pose.time_ns).min();
    parts.sort_by_key(start);
    let mut all = Bag::default();
    for part in parts {
        for (name, mut poses) in part.tracks {
            all.tracks.entry(name).or_default().append(&mut poses);
        }
        all.files.extend(part.files);
        all.others.extend(part.others);
    }
    choose(folder, options, all)
}

/// The poses of a file.
fn collect(path: &Path, options: &PoseFileOptions) -> Result<Bag, CloudError> {
    let mut bag = Bag { files: vec![path.to_path_buf()], ..Bag::default() };
    let failed = |e| CloudError::read(path, e);
    let mut file = File::open(path).map_err(failed)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let (low, high) = RECORD_LIMITS;
    let limit = bytes.saturating_mul(RECORD_PER_FILE).clamp(low, high) as usize;
    let mut reader = LinearReader::new_with_options(
        LinearReaderOptions::default()
            .with_validate_chunk_crcs(true)
            .with_record_length_limit(limit),
    );
    let mut schemas: BTreeMap<u16, String> = BTreeMap::new();
    let mut channels: BTreeMap<u16, Channel> = BTreeMap::new();
    let (mut read, mut poses) = (0u64, 0usize);
    while let Some(event) = reader.next_event() {
        let broken = |what: String| damaged(path, "MCAP", format!("{what}, before byte {read}"));
        let event = event.map_err(|e| broken(e.to_string()))?;
        let (opcode, data) = match event {
            LinearReadEvent::ReadRequest(wanted) => {
                let wanted = wanted.clamp(1, 1 << 20);
                let got = file.read(reader.insert(wanted)).map_err(failed)?;
                reader.notify_read(got);
                read += got as u64;
                continue;
            }
            LinearReadEvent::Record { opcode, data } => (opcode, data),
        };
        match mcap::parse_record(opcode, data).map_err(|e| broken(e.to_string()))? {
            Record::Schema { header, .. } => {
                schemas.insert(header.id, header.name);
            }
            Record::Channel(channel) => {
                let kind = schemas.get(&channel.schema_id).and_then(|s| MessageKind::of_schema(s));
                let wanted = options.topic.as_ref().is_none_or(|topic| *topic == channel.topic);
                if kind.is_some() && !wanted {
                    bag.others.insert(channel.topic.clone());
                }
                if let Some(kind) = kind.filter(|_| wanted) {
                    if channel.message_encoding != "cdr" {
                        return Err(broken(format!(
                            "the messages of {} are encoded as {:?} and not as \"cdr\"",
                            channel.topic, channel.message_encoding
                        )));
                    }
                    let topic = channel.topic;
                    channels.entry(channel.id).or_insert(Channel { kind, topic, messages: 0 });
                }
            }
            Record::Message { header, data } => {
                let Some(channel) = channels.get_mut(&header.channel_id) else { continue };
                channel.messages += 1;
                poses += channel.read(&data, options, &mut bag.tracks).map_err(|what| {
                    broken(format!("message {} of {}: {what}", channel.messages, channel.topic))
                })?;
                if poses > POSES_MAX {
                    return Err(broken(format!("it has more than {POSES_MAX} poses")));
                }
            }
            _ => {}
        }
    }
    Ok(bag)
}

/// A channel of a file whose messages hold poses.
struct Channel {
    kind: MessageKind,
    topic: String,
    messages: u64,
}

impl Channel {
    /// Takes the poses out of a message; returns how many.
    fn read(
        &self,
        message: &[u8],
        options: &PoseFileOptions,
        tracks: &mut Tracks,
    ) -> Result<usize, String> {
        let mut cdr = CdrReader::new(message)?;
        let count = if self.kind == MessageKind::Transforms { cdr.u32()? } else { 1 };
        for _ in 0..count {
            let (seconds, nanoseconds) = (cdr.i32()?, cdr.u32()?);
            let frame = cdr.string()?;
            let child = match self.kind {
                MessageKind::Pose => "",
                _ => cdr.string()?,
            };
            let [x, y, z] = cdr.f64s()?;
            let [qx, qy, qz, qw] = cdr.f64s()?;
            let is_transform =
                matches!(self.kind, MessageKind::Transform | MessageKind::Transforms);
            if is_transform && options.child_frame.as_ref().is_some_and(|wanted| wanted != child) {
                continue;
            }
            let frames = is_transform.then(|| (frame.to_owned(), child.to_owned()));
            tracks.entry((self.topic.clone(), frames)).or_default().push(Stamped {
                time_ns: i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds),
                rotation: DQuat::from_xyzw(qx, qy, qz, qw),
                position_m: DVec3::new(x, y, z),
                message: self.messages,
            });
        }
        Ok(count as usize)
    }
}

/// The one track that is meant, checked.
fn choose(
    path: &Path,
    options: &PoseFileOptions,
    Bag { files, mut tracks, others }: Bag,
) -> Result<TimedPoses, CloudError> {
    if options.times.is_some() {
        return Err(CloudError::NeedlessPoseOption { path: path.to_path_buf(), option: "times" });
    }
    let told = |(topic, frames): &TrackName| match frames {
        Some((frame, child)) => format!("{topic} ({frame} to {child})"),
        None => topic.clone(),
    };
    if tracks.len() != 1 {
        let found: Vec<String> = tracks.keys().map(told).chain(others).collect();
        return Err(CloudError::WhichPoses {
            path: path.to_path_buf(),
            wanted: options.topic.clone(),
            found,
        });
    }
    let Some((name, stamped)) = tracks.pop_first() else {
        return Err(damaged(path, "MCAP", "it has no pose"));
    };
    let mut poses = TimedPoses { turns: true, files, ..TimedPoses::default() };
    for pose in stamped {
        let time_s = seconds(pose.time_ns);
        poses.push(time_s, pose.rotation, pose.position_m).map_err(|what| {
            let what = format!("message {} of {}: {what}", pose.message, told(&name));
            damaged(path, "MCAP", what)
        })?;
    }
    Ok(poses)
}

/// Nanoseconds as the nearest number of seconds.
fn seconds(time_ns: i128) -> f64 {
    let whole = time_ns.div_euclid(1_000_000_000);
    let rest = time_ns.rem_euclid(1_000_000_000);
    whole as f64 + rest as f64 * 1e-9
}
