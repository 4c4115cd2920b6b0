//! Poses out of ROS 2 bags: MCAP files, alone or in a bag's folder.
//!
//! `nav_msgs/msg/Odometry`, `geometry_msgs/msg/PoseStamped`, `…/PoseWithCovarianceStamped`,
//! `…/TransformStamped` and `tf2_msgs/msg/TFMessage`, each at the time in its own header. The file
//! is read once from its start to its end, whatever its size; what its headers say about lengths
//! is limited by its real length.

use super::{PoseFileOptions, TimedPoses};
use crate::CloudError;
use crate::error::damaged;
use crate::ros::{BagChannel, BagFile, PoseKind, Stamped, bag_files, one_line};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Most poses of a bag: ten days at 100 Hz.
const POSES_MAX: usize = 86_400_000;

/// Topic, and the frames of a transform.
type TrackName = (String, Option<(String, String)>);

/// Poses by track, each with the number of its message, from 1.
type Tracks = BTreeMap<TrackName, Vec<(u64, Stamped)>>;

/// What was found in a bag.
#[derive(Default)]
struct Bag {
    files: Vec<PathBuf>,
    tracks: Tracks,
    /// Topics with poses that nobody requested.
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
    let files = bag_files(folder)?;
    if files.is_empty() {
        let what = "it holds neither an .mcap file nor poses.txt";
        return Err(damaged(folder, "ROS 2 bag or KITTI", what));
    }
    let mut parts = Vec::new();
    for file in &files {
        parts.push(collect(file, options)?);
    }
    // A long bag is split; its parts are put in order by time, not by name (…_10 and …_2).
    let start = |bag: &Bag| bag.tracks.values().flatten().map(|(_, pose)| pose.time_ns).min();
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
    let mut file = BagFile::open(path, true)?;
    let asked = |topic: &str| options.topic.as_ref().is_none_or(|wanted| wanted == topic);
    let wanted = |channel: &BagChannel| {
        PoseKind::from_type(&channel.kind).is_some() && asked(&channel.topic)
    };
    let mut message = Vec::new();
    let mut poses = 0usize;
    while let Some(event) = file.next(&wanted, &mut message)? {
        let Some(channel) = file.channel(event) else { continue };
        let Some(kind) = PoseKind::from_type(&channel.kind) else { continue };
        let number = channel.messages;
        let read = kind.read(&message, &mut |frame, child, stamped| {
            let other = options.child_frame.as_ref().is_some_and(|wanted| wanted != child);
            if kind.is_transform() && other {
                return;
            }
            let frames = kind.is_transform().then(|| (frame.to_owned(), child.to_owned()));
            let track = bag.tracks.entry((channel.topic.clone(), frames)).or_default();
            track.push((number, stamped));
        });
        let described =
            |what| file.broken(format!("message {number} of {}: {what}", channel.topic));
        poses += read.map_err(described)?;
        if poses > POSES_MAX {
            return Err(file.broken(format!("it has more than {POSES_MAX} poses")));
        }
    }
    let others = file
        .channels()
        .filter(|channel| PoseKind::from_type(&channel.kind).is_some() && !asked(&channel.topic));
    bag.others.extend(others.map(|channel| channel.topic.clone()));
    Ok(bag)
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
    let described = |(topic, frames): &TrackName| match frames {
        Some((frame, child)) => one_line(&format!("{topic} ({frame} to {child})")),
        None => topic.clone(),
    };
    if tracks.len() != 1 {
        let found: Vec<String> = tracks.keys().map(described).chain(others).collect();
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
    for (message, pose) in stamped {
        let time_s = seconds(pose.time_ns);
        poses.push(time_s, pose.rotation, pose.position_m).map_err(|what| {
            let what = format!("message {message} of {}: {what}", described(&name));
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
