//! ROS 2 bags: MCAP files alone or in a bag's folder, read as the points of one topic.
//!
//! The bag is read twice: once for its topics, the layout of the points and all transforms and
//! odometry, and once for the points. Points stay in the sensor's frame; where transforms lead from
//! their frame to the world, each is placed by the pose at its own time. A bag that ends too early
//! is read as far as it goes, and the error tells how many points that were.

use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Table, TableFacts};
use crate::ros::{
    BagFile, FrameTree, Placed, PointColumn, PointKind, PoseKind, ReadRules, ScanMessage, bag_files,
};
use crate::{CloudError, ColumnSummary, OutputFormat, ReadOptions, RosNames};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The points of one topic.
struct McapTable {
    files: Vec<PathBuf>,
    next_file: usize,
    bag: Option<BagFile>,
    topic: String,
    frame: String,
    kind: PointKind,
    rules: ReadRules,
    columns: Vec<PointColumn>,
    message: Vec<u8>,
    open: Option<ScanMessage>,
    /// Rows of the open scan that were given.
    given: usize,
    /// Scans that began.
    scans: u64,
    points: u64,
}

/// What the first pass finds.
struct Survey {
    rules: ReadRules,
    bytes: u64,
    software: Option<String>,
    topics: BTreeMap<String, (String, u64)>,
    frames: FrameTree,
    /// The first scan of each topic with points.
    scans: BTreeMap<String, First>,
}

/// What is known of a topic with points.
struct First {
    kind: PointKind,
    frame: String,
    layout: &'static str,
    columns: Vec<PointColumn>,
    rows: u64,
    messages: u64,
}

/// Opens an MCAP file.
pub(crate) fn file(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    open(path, vec![path.to_path_buf()], options)
}

/// Opens the folder of a bag.
pub(crate) fn folder(path: &Path, options: &ReadOptions) -> Result<Opened, CloudError> {
    let files = bag_files(path)?;
    if files.is_empty() {
        return Err(damaged(path, "ROS 2 bag", "it holds no .mcap file"));
    }
    open(path, files, options)
}

fn open(path: &Path, files: Vec<PathBuf>, options: &ReadOptions) -> Result<Opened, CloudError> {
    let mut survey = Survey {
        rules: ReadRules::new(options),
        bytes: 0,
        software: None,
        topics: BTreeMap::new(),
        frames: FrameTree::default(),
        scans: BTreeMap::new(),
    };
    let mut parts = Vec::new();
    for file in files {
        let start_ns = survey.read(&file)?;
        parts.push((start_ns, file));
    }
    // A long bag is split; its parts are put in order by time, not by name (…_10 and …_2).
    parts.sort();
    let files: Vec<PathBuf> = parts.into_iter().map(|(_, file)| file).collect();
    let topic = survey.choose(path, options)?;
    let version = survey.summary(&topic);
    let Some(first) = survey.scans.remove(&topic) else {
        return Err(survey.which_topic(path, options));
    };
    let First { kind, frame, columns, .. } = first;
    let mounted = options.pose.is_some();
    // A trajectory from elsewhere stands in for what the bag says.
    let placed = match options.trajectory {
        Some(_) => Placed::Nowhere,
        None => survey
            .frames
            .place(path, &frame, options.start_unix_ns, mounted)
            .map_err(|what| CloudError::Misplaced { path: path.to_owned(), what })?,
    };
    let (viewpoint, trajectory, where_from) = match placed {
        Placed::Nowhere => {
            let odometry = survey.frames.odometry();
            let described = match odometry.is_empty() {
                true => format!("; nothing says where frame {frame:?} is"),
                false => format!(
                    "; no transform leads from frame {frame:?} to {}: give the sensor's pose on it",
                    odometry.join(", ")
                ),
            };
            (None, None, described)
        }
        Placed::Fixed(pose) => (Some(pose), None, format!("; frame {frame:?} stands still")),
        Placed::Moving(trajectory, root, mount) => {
            (Some(mount), Some(trajectory), format!("; frame {frame:?} placed in {root:?}"))
        }
    };
    let facts = TableFacts {
        software: survey.software,
        rows: Some(first.rows),
        scans: Some(first.messages),
        holds_misses: columns.contains(&PointColumn::ReturnNumber),
        viewpoint,
        in_sensor_frame: true,
        trajectory: trajectory.map(Box::new),
        ..TableFacts::new(OutputFormat::Mcap, version + &where_from, survey.bytes)
    };
    let table = McapTable {
        files,
        next_file: 0,
        bag: None,
        topic,
        frame,
        kind,
        rules: survey.rules,
        columns,
        message: Vec::new(),
        open: None,
        given: 0,
        scans: 0,
        points: 0,
    };
    Ok(Opened { table: Box::new(table), facts })
}

impl Survey {
    /// Goes through a file; returns when its first message was recorded. What is damaged ends the
    /// survey of the file, and reading will tell.
    fn read(&mut self, path: &Path) -> Result<u64, CloudError> {
        let mut bag = BagFile::open(path, true)?;
        self.bytes += bag.bytes;
        let mut message = Vec::new();
        let mut start_ns = u64::MAX;
        let wanted = |channel: &crate::ros::BagChannel| {
            PointKind::from_type(&channel.kind).is_some()
                || PoseKind::from_type(&channel.kind).is_some()
        };
        let end = loop {
            let event = match bag.next(&wanted, &mut message) {
                Ok(Some(event)) => event,
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            };
            start_ns = start_ns.min(event.log_time_ns);
            let Some(channel) = bag.channel(event) else { continue };
            let found =
                match (PointKind::from_type(&channel.kind), PoseKind::from_type(&channel.kind)) {
                    (Some(kind), _) => self.add_scan(&channel.topic, kind, &message),
                    (None, Some(kind)) => {
                        self.frames.add(&channel.topic, kind, &message).map(|_| ())
                    }
                    (None, None) => Ok(()),
                };
            if let Err(what) = found {
                let described =
                    format!("message {} of {}: {what}", channel.messages, channel.topic);
                break Err(bag.broken(described));
            }
        };
        for channel in bag.channels() {
            let counted = self.topics.entry(channel.topic.clone()).or_default();
            counted.0.clone_from(&channel.kind);
            counted.1 += channel.messages;
        }
        self.software = self.software.take().or(bag.software);
        match end {
            Err(error) if self.scans.is_empty() => Err(error),
            _ => Ok(start_ns),
        }
    }

    fn add_scan(&mut self, topic: &str, kind: PointKind, message: &[u8]) -> Result<(), String> {
        let scan = ScanMessage::read(kind, message)?;
        let rows = scan.rows() as u64;
        match self.scans.get_mut(topic) {
            Some(first) => {
                // An empty scan says nothing about its layout.
                if first.rows == 0 {
                    first.layout = scan.layout();
                    first.columns = scan.columns(message, &self.rules);
                }
                first.rows = first.rows.saturating_add(rows);
                first.messages += 1;
            }
            None => {
                let (layout, columns) = (scan.layout(), scan.columns(message, &self.rules));
                let first = First { kind, frame: scan.frame, layout, columns, rows, messages: 1 };
                self.scans.insert(topic.to_owned(), first);
            }
        }
        Ok(())
    }

    /// The topic that is meant.
    fn choose(&self, path: &Path, options: &ReadOptions) -> Result<String, CloudError> {
        let mut topics = self.scans.keys();
        match (&options.topic, topics.next(), topics.next()) {
            (Some(wanted), _, _) if self.scans.contains_key(wanted) => Ok(wanted.clone()),
            (None, Some(only), None) => Ok(only.clone()),
            _ => Err(self.which_topic(path, options)),
        }
    }

    fn which_topic(&self, path: &Path, options: &ReadOptions) -> CloudError {
        let found = self.scans.keys().map(|topic| self.topic_summary(topic)).collect();
        CloudError::WhichTopic { path: path.to_path_buf(), wanted: options.topic.clone(), found }
    }

    fn topic_summary(&self, topic: &str) -> String {
        let (kind, messages) = self.topics.get(topic).cloned().unwrap_or_default();
        format!("{topic} ({messages} × {kind})")
    }

    /// The bag in words: the topic that is read, then the others.
    fn summary(&self, topic: &str) -> String {
        let layout = self.scans.get(topic).map_or("", |first| first.layout);
        let others = self.topics.keys().filter(|other| *other != topic);
        let others: Vec<String> = others.map(|topic| self.topic_summary(topic)).collect();
        let also = if others.is_empty() { "" } else { "; also " };
        format!("ROS 2 bag: {} in {layout}{also}{}", self.topic_summary(topic), others.join(", "))
    }
}

impl McapTable {
    /// Goes to the next scan; false at the end.
    fn next_scan(&mut self) -> Result<bool, CloudError> {
        loop {
            let bag = match &mut self.bag {
                Some(bag) => bag,
                None => {
                    let Some(path) = self.files.get(self.next_file) else { return Ok(false) };
                    self.next_file += 1;
                    self.bag.insert(BagFile::open(path, true)?)
                }
            };
            let points = self.points;
            let after = |error: CloudError| match error {
                CloudError::Damaged { path, format, what } => CloudError::Damaged {
                    path,
                    format,
                    what: format!("{what}, after {points} points"),
                },
                other => other,
            };
            let topic = &self.topic;
            let event = bag.next(&|channel| channel.topic == *topic, &mut self.message);
            if event.map_err(after)?.is_none() {
                self.bag = None;
                continue;
            }
            let scan = ScanMessage::read(self.kind, &self.message).map_err(|what| {
                after(bag.broken(format!("message {} of {topic}: {what}", self.scans + 1)))
            })?;
            self.scans += 1;
            self.given = 0;
            self.open = Some(scan);
            return Ok(true);
        }
    }
}

impl Table for McapTable {
    fn ros_names(&self) -> Option<RosNames> {
        Some(RosNames { topic: self.topic.clone(), frame: self.frame.clone() })
    }

    fn columns(&self) -> Vec<ColumnSummary> {
        let summary = |column: &PointColumn| {
            let (name, kind) = column.name_and_type();
            ColumnSummary { name: name.to_owned(), kind: kind.to_owned() }
        };
        self.columns.iter().map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        loop {
            if let Some(scan) = &self.open {
                let end = scan.rows().min(self.given + BLOCK_ROWS);
                let rows = self.given..end;
                let count = rows.len();
                if count > 0 {
                    let number = (self.scans - 1) as f64;
                    for (values, &column) in block.iter_mut().zip(wanted) {
                        match self.columns.get(column) {
                            Some(PointColumn::Scan) => values.resize(count, number),
                            Some(&column) => {
                                let rows = rows.clone();
                                scan.fill(&self.message, column, rows, &self.rules, values);
                            }
                            None => values.resize(count, f64::NAN),
                        }
                    }
                    self.given = end;
                    self.points += count as u64;
                    return Ok(count);
                }
            }
            self.open = None;
            if !self.next_scan()? {
                return Ok(0);
            }
        }
    }
}
