//! The messages of an MCAP file, one after another.
//!
//! The file is read once from its start to its end, whatever its size; what its headers say about
//! lengths is limited by its real length. An error tells the byte before which it was found.

use crate::CloudError;
use crate::error::damaged;
use mcap::records::{Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use std::collections::BTreeMap;
use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use understory_base::read_some;

/// Longest record, in times of the file's length, and its limits in bytes.
const RECORD_PER_FILE: u64 = 64;
const RECORD_LIMITS: (u64, u64) = (1 << 20, 256 << 20);
/// Most bytes that all chunks may unpack to, in times of the file's length, and at least.
const UNPACKED_PER_FILE: u64 = 200;
const UNPACKED_MIN: u64 = 64 << 20;

/// One channel of a file.
#[derive(Clone, Debug)]
pub(crate) struct BagChannel {
    pub(crate) topic: String,
    /// Type of its messages, as in `sensor_msgs/msg/PointCloud2`.
    pub(crate) kind: String,
    /// Encoding of its messages.
    pub(crate) encoding: String,
    /// Messages so far.
    pub(crate) messages: u64,
}

/// A message that was wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BagEvent {
    /// Number of its channel.
    pub(crate) channel: u16,
    /// When it was recorded, in nanoseconds.
    pub(crate) log_time_ns: u64,
}

/// A file that is being read.
pub(crate) struct BagFile {
    path: PathBuf,
    file: File,
    reader: LinearReader,
    schemas: BTreeMap<u16, String>,
    channels: BTreeMap<u16, BagChannel>,
    /// Bytes of the file that were requested so far.
    read: u64,
    unpacked: u64,
    unpacked_max: u64,
    /// Size of the file.
    pub(crate) bytes: u64,
    /// How its chunks are compressed, as far as they were seen.
    pub(crate) software: Option<String>,
}

impl BagFile {
    /// Opens a file; `check` compares the check sums of its chunks.
    pub(crate) fn open(path: &Path, check: bool) -> Result<BagFile, CloudError> {
        let failed = |e| CloudError::read(path, e);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let (low, high) = RECORD_LIMITS;
        let limit = bytes.saturating_mul(RECORD_PER_FILE).clamp(low, high) as usize;
        let options = LinearReaderOptions::default()
            .with_validate_chunk_crcs(check)
            .with_record_length_limit(limit);
        Ok(BagFile {
            path: path.to_path_buf(),
            file,
            reader: LinearReader::new_with_options(options),
            schemas: BTreeMap::new(),
            channels: BTreeMap::new(),
            read: 0,
            unpacked: 0,
            unpacked_max: bytes.saturating_mul(UNPACKED_PER_FILE).max(UNPACKED_MIN),
            bytes,
            software: None,
        })
    }

    /// The channels that were met so far.
    pub(crate) fn channels(&self) -> impl Iterator<Item = &BagChannel> {
        self.channels.values()
    }

    /// The channel of a message.
    pub(crate) fn channel(&self, event: BagEvent) -> Option<&BagChannel> {
        self.channels.get(&event.channel)
    }

    /// An error about what was read last.
    pub(crate) fn broken(&self, what: impl std::fmt::Display) -> CloudError {
        let what = one_line(&what.to_string());
        damaged(&self.path, "MCAP", format!("{what}, before byte {}", self.read))
    }

    /// Copies the next message of a channel that is wanted into `message`; `None` at the end.
    pub(crate) fn next(
        &mut self,
        wanted: &dyn Fn(&BagChannel) -> bool,
        message: &mut Vec<u8>,
    ) -> Result<Option<BagEvent>, CloudError> {
        loop {
            let read = self.read;
            let path = &self.path;
            let reader = &mut self.reader;
            // It reckons with lengths that a chunk claims, and where numbers are checked for overflow
            // it panics at a record that is longer than its chunk.
            let next = AssertUnwindSafe(move || {
                let reader = reader;
                reader.next_event()
            });
            let event = match catch_unwind(next) {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(_) => {
                    let what = "a record is longer than the chunk that it is in";
                    return Err(damaged(path, "MCAP", format!("{what}, before byte {read}")));
                }
            };
            let broken = |what: String| {
                let what = one_line(&what);
                damaged(path, "MCAP", format!("{what}, before byte {read}"))
            };
            let (opcode, data) = match event.map_err(|e| broken(e.to_string()))? {
                LinearReadEvent::ReadRequest(wanted) => {
                    let wanted = wanted.clamp(1, 1 << 20);
                    let got = read_some(&mut self.file, self.reader.insert(wanted));
                    let got = got.map_err(|e| CloudError::read(path, e))?;
                    self.reader.notify_read(got);
                    self.read += got as u64;
                    continue;
                }
                LinearReadEvent::Record { opcode, data } => (opcode, data),
            };
            self.unpacked = self.unpacked.saturating_add(data.len() as u64);
            if self.unpacked > self.unpacked_max {
                let most = self.unpacked_max;
                return Err(broken(format!("its chunks unpack to more than {most} bytes")));
            }
            match texts_fit(opcode, data) {
                None => continue,
                Some(true) => {}
                Some(false) => {
                    let what = "a record has texts that are longer than itself";
                    return Err(broken(what.to_owned()));
                }
            }
            match mcap::parse_record(opcode, data).map_err(|e| broken(e.to_string()))? {
                Record::Header(header) if !header.library.is_empty() => {
                    self.software = Some(one_line(&header.library));
                }
                Record::Schema { header, .. } => {
                    self.schemas.insert(header.id, one_line(&header.name));
                }
                Record::Channel(channel) => {
                    let kind = self.schemas.get(&channel.schema_id).cloned().unwrap_or_default();
                    self.channels.entry(channel.id).or_insert(BagChannel {
                        topic: one_line(&channel.topic),
                        kind,
                        encoding: channel.message_encoding,
                        messages: 0,
                    });
                }
                Record::Message { header, data } => {
                    let Some(channel) = self.channels.get_mut(&header.channel_id) else { continue };
                    channel.messages += 1;
                    if !wanted(channel) {
                        continue;
                    }
                    if channel.encoding != "cdr" {
                        return Err(broken(format!(
                            "the messages of {} are encoded as {:?} and not as \"cdr\"",
                            channel.topic, channel.encoding
                        )));
                    }
                    message.clear();
                    message.extend_from_slice(&data);
                    return Ok(Some(BagEvent {
                        channel: header.channel_id,
                        log_time_ns: header.log_time,
                    }));
                }
                _ => {}
            }
        }
        Ok(None)
    }
}

/// Text of a file without what would break a line of ours.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// Package and name of a type: `nav_msgs/msg/Odometry`, and `nav_msgs/Odometry` in older bags.
pub(crate) fn split_type(name: &str) -> Option<(&str, &str)> {
    let (package, rest) = name.split_once('/')?;
    Some((package, rest.strip_prefix("msg/").unwrap_or(rest)))
}

/// Whether a folder is one of a ROS 2 bag.
pub(crate) fn is_bag_folder(folder: &Path) -> bool {
    folder.join("metadata.yaml").is_file() || bag_files(folder).is_ok_and(|files| !files.is_empty())
}

/// The MCAP files of a folder by their names; a bag that is kept in SQLite is refused.
pub(crate) fn bag_files(folder: &Path) -> Result<Vec<PathBuf>, CloudError> {
    let (mut files, mut sqlite) = (Vec::new(), false);
    for entry in std::fs::read_dir(folder).map_err(|e| CloudError::read(folder, e))? {
        let path = entry.map_err(|e| CloudError::read(folder, e))?.path();
        let extension = path.extension().unwrap_or_default();
        sqlite |= extension.eq_ignore_ascii_case("db3");
        if extension.eq_ignore_ascii_case("mcap") {
            files.push(path);
        }
    }
    if files.is_empty() && sqlite {
        return Err(CloudError::SqliteBag { path: folder.to_path_buf() });
    }
    files.sort();
    Ok(files)
}

/// Whether the texts of a record lie within it, by its opcode; `None` for records that nobody here
/// needs. The `mcap` crate takes memory for a text before it looks whether the text is there.
fn texts_fit(opcode: u8, data: &[u8]) -> Option<bool> {
    let (skip, texts) = match opcode {
        op::HEADER => (0, 2),
        // The last of them is the definition, which has a length like a text.
        op::SCHEMA => (2, 3),
        // The last of them is the map, whose length is in bytes.
        op::CHANNEL => (4, 3),
        op::MESSAGE => return Some(data.len() >= 22),
        _ => return None,
    };
    let Some(mut rest) = data.get(skip..) else { return Some(false) };
    let mut last: &[u8] = &[];
    for _ in 0..texts {
        match text(rest) {
            Some((found, behind)) => (last, rest) = (found, behind),
            None => return Some(false),
        }
    }
    if opcode == op::CHANNEL {
        while !last.is_empty() {
            match text(last) {
                Some((_, behind)) => last = behind,
                None => return Some(false),
            }
        }
    }
    Some(true)
}

/// The bytes of a text with its length before it, and what is behind them.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_longer_than_their_record_are_seen() {
        // A channel: numbers, topic "a", encoding "cdr", a map with one pair.
        let valid = [
            &[1, 0, 2, 0, 1, 0, 0, 0, b'a', 3, 0, 0, 0, b'c', b'd', b'r'][..],
            &[10, 0, 0, 0, 1, 0, 0, 0, b'k', 1, 0, 0, 0, b'v'],
        ]
        .concat();
        assert_eq!(texts_fit(op::CHANNEL, &valid), Some(true));
        for at in [7, 12, 16, 19, 23, 28] {
            let mut lie = valid.clone();
            lie[at] = 0x7f;
            assert_eq!(texts_fit(op::CHANNEL, &lie), Some(false), "{at}");
        }
        for length in 0..valid.len() {
            assert_eq!(texts_fit(op::CHANNEL, &valid[..length]), Some(false), "{length}");
        }
        assert_eq!(texts_fit(op::ATTACHMENT, &[255; 40]), None);
    }
}
