//! Recordings: what a lidar measured, read from any format of this crate as beams.
//!
//! What enters: a file or folder, simulated or real, and [`ReadOptions`] for what it does not say
//! itself. What leaves: batches of [`Records`], one row per return and one row per pulse without
//! one, with the beam's origin and direction in the world wherever they can be known; which columns
//! mean something ([`KnownColumns`]); and at the end a [`ReadReport`] of everything that was skipped. A column that a format does not have is 0 or NaN, as in [`Record::miss`](crate::Record::miss).
//!
//! | format | origins of beams | misses |
//! | --- | --- | --- |
//! | Understory's NPY, CSV, PLY, PCD, Parquet | in the file | in the file |
//! | Understory's LAS, LAZ | in the file | no |
//! | LAS, LAZ of others | trajectory or pose | no |
//! | CSIRO ray cloud (PLY) | in the file: point plus normal | in the file: alpha 0 |
//! | PCD of others | `VIEWPOINT`, if it is not the identity: points are in the sensor's frame | directions unknown |
//! | E57 | pose of each scan | in the file: points that are only directions |
//! | KITTI folder | `poses.txt` and `calib.txt` | no |
//! | ROS 2 bag | transforms or odometry in the bag, trajectory or pose | where the layout has rows for them |
//! | KITTI `.bin` | points are in the sensor's frame | no |
//! | network capture (pcap, pcapng) of Velodyne's or Ouster's packets | points are in the sensor's frame | in the file |
//! | NPY, Parquet, CSV, XYZ, VTK of others | columns, trajectory or pose | with columns of directions |
//!
//! **A miss** is a row with return number 0; in files without return numbers it is a row with a
//! direction whose position or range is no number. A row at the sensor's very position, or without
//! numbers and without a direction, is a pulse of unknown direction: it teaches nothing and is left
//! out and counted, unless [`ReadOptions::undirected_misses`] asks for it, as somebody does who
//! knows the sensor's pattern and completes the direction.

mod ahead;
mod beams;
mod colours;
mod names;

pub(crate) use colours::any_colour;
pub(crate) use names::{Bound, bind};

use crate::format::open_table;
use crate::format::table::{Block, Table, TableFacts};
use crate::text_lines::plain;
use crate::{
    CloudError, Frame, LasClasses, ReadOptions, Records, RosNames, ScanPose, SceneNames,
    SensorDescription,
};
use ahead::{Ahead, Step};
use beams::{FileHas, Pass, Placing, Rays};
use std::fmt;
use std::path::{Path, PathBuf};

/// Which columns of the batches mean something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KnownColumns {
    /// `world_xyz_m`.
    pub position: bool,
    /// `time_s`.
    pub time: bool,
    /// `pulse`; without it returns that follow each other are put together by number and time.
    pub pulse: bool,
    /// `channel`.
    pub channel: bool,
    /// `scan`.
    pub scan: bool,
    /// `column`.
    pub column: bool,
    /// `azimuth_deg` and `elevation_deg`.
    pub angles: bool,
    /// `return_number` and `return_count`.
    pub returns: bool,
    /// `range_m` as the sensor reported it; without it, it is the distance from the origin.
    pub range: bool,
    /// `intensity`.
    pub intensity: bool,
    /// `origin_xyz_m` and `direction_xyz`.
    pub origin: bool,
    /// `sensor_xyz_m`.
    pub sensor_frame: bool,
    /// `label`.
    pub label: bool,
    /// `colour_rgb`.
    pub colour: bool,
    /// The true columns, from a simulation.
    pub truth: bool,
    /// Whether pulses without a return are in the file.
    pub misses: bool,
}

/// What was read and what was skipped.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ReadReport {
    /// Rows of the file so far.
    pub rows: u64,
    /// Rows that became returns.
    pub returns: u64,
    /// Rows that became misses.
    pub misses: u64,
    /// Pulses that the file says were left out when it was written.
    pub misses_left_out: Option<u64>,
    /// Rows left out: a coordinate, time or origin is no finite number.
    pub not_finite: u64,
    /// Rows left out: at the sensor's own position, a pulse without a return in many files.
    pub at_origin: u64,
    /// Rows left out: pulses without a return whose direction is not known.
    pub undirected: u64,
    /// Rows left out: their time is outside the trajectory.
    pub outside_trajectory: u64,
    /// Rows left out: their whole scan is a copy of an earlier one.
    pub duplicated: u64,
    /// How often the clock of a sensor went back from one row to the next.
    pub clock_steps_back: u64,
    /// The largest of these steps.
    pub largest_step_back_s: f64,
    /// The longest time between two rows of a sensor.
    pub largest_gap_s: f64,
    /// First and last time.
    pub time_span_s: Option<[f64; 2]>,
    /// Other things worth knowing, each a sentence without its full stop.
    pub remarks: Vec<String>,
}

impl ReadReport {
    /// Rows that were left out, whatever the reason.
    pub fn skipped(&self) -> u64 {
        self.not_finite
            + self.at_origin
            + self.undirected
            + self.outside_trajectory
            + self.duplicated
    }
}

impl fmt::Display for ReadReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows: {} returns, {} misses", self.rows, self.returns, self.misses)?;
        for (count, what) in [
            (self.not_finite, "with something that is no finite number"),
            (self.at_origin, "at the sensor's own position"),
            (self.undirected, "without a return and without a direction"),
            (self.outside_trajectory, "outside the trajectory's time"),
            (self.duplicated, "in copies of earlier scans"),
        ] {
            if count > 0 {
                write!(f, "; left out {count} {what}")?;
            }
        }
        if self.clock_steps_back > 0 {
            let (steps, largest) = (self.clock_steps_back, self.largest_step_back_s);
            write!(f, "; the clock goes back {steps} times, by up to {largest:.6} s")?;
        }
        if self.largest_gap_s > 1.0 {
            write!(f, "; nothing for {:.3} s", self.largest_gap_s)?;
        }
        self.remarks.iter().try_for_each(|remark| write!(f, "; {remark}"))
    }
}

/// A file or folder that is being read.
///
/// ```
/// use understory_cloud::{OutputFormat, ReadOptions, Record, Recording, Records, SinkOptions, open_sink};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("points.npy");
/// let mut sink = open_sink(&path, OutputFormat::Npy, &SinkOptions::default())?;
/// let mut written = Records::default();
/// let origin_xyz_m = [1.0, 2.0, 3.0];
/// written.push(Record { origin_xyz_m, direction_xyz: [0.0, 0.0, 1.0], ..Record::miss() });
/// sink.write(&written)?;
/// sink.finish()?;
///
/// let mut recording = Recording::open(&path, &ReadOptions::default())?;
/// assert!(recording.known().origin && recording.known().misses);
/// let mut batch = Records::default();
/// while recording.next_batch(&mut batch)? {
///     assert_eq!(batch.origin_xyz_m[0], origin_xyz_m);
///     assert!(batch.is_miss(0));
/// }
/// assert_eq!(recording.report().misses, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Recording {
    path: PathBuf,
    /// Until the first rows are requested.
    table: Option<Box<dyn Table>>,
    ahead: Option<Ahead>,
    /// Poses of scans that the file itself has, as far as it was read.
    table_poses: Vec<ScanPose>,
    ros_names: Option<RosNames>,
    facts: TableFacts,
    /// Whether labels come from a column that others call a classification.
    labels_are_classes: bool,
    bound: Vec<Bound>,
    /// Columns that are read: those of `bound`, then those of `rays`.
    wanted: Vec<usize>,
    pass: Pass,
    known: KnownColumns,
    report: ReadReport,
    block: Block,
    ended: bool,
}

impl Recording {
    /// Its coordinate reference system as well-known text, if it says so.
    pub fn crs_wkt(&self) -> Option<&str> {
        self.facts.crs_wkt.as_deref()
    }

    /// The names of objects and materials, if it has them.
    pub fn names(&self) -> Option<&SceneNames> {
        self.facts.names.as_ref()
    }

    /// Which classes its labels are.
    pub fn las_classes(&self) -> LasClasses {
        match self.labels_are_classes {
            true => LasClasses::Labels,
            false => LasClasses::FromLabels,
        }
    }

    /// Opens a recording and reads its header.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Recording, CloudError> {
        let unit = options.metres_per_unit;
        if !(unit.is_finite() && unit > 0.0) {
            return Err(CloudError::BadUnit { metres_per_unit: unit });
        }
        let full = options.intensity_full;
        if !(full.is_finite() && full > 0.0) {
            return Err(CloudError::BadIntensity { intensity_full: full });
        }
        let opened = open_table(path, options)?;
        let (table, mut facts) = (opened.table, opened.facts);
        let columns = table.columns();
        let (mut bound, mut remarks) = bind(&columns);
        remarks.extend(facts.remarks.iter().cloned());
        // Every column of a length has its unit at the end of its name.
        for bound in bound.iter_mut().filter(|bound| bound.to.name.ends_with("_m")) {
            bound.factor *= unit;
        }
        for bound in bound.iter_mut().filter(|bound| bound.to.name == "intensity") {
            bound.factor /= full;
        }
        let names: Vec<String> = columns.iter().map(|column| plain(&column.name)).collect();
        let rays = Rays::find(&names, unit);
        let has = |name: &str| bound.iter().any(|bound| bound.to.name == name);
        let axes =
            |of: &str, unit: &str| ["x", "y", "z"].iter().all(|a| has(&format!("{of}{a}{unit}")));
        let directed = axes("direction_", "");
        let in_file = axes("origin_", "_m") || rays.is_some();
        let position = axes("", "_m");
        let placed = position || (directed && has("range_m") && in_file);
        if !placed {
            return Err(CloudError::NoPositions {
                path: path.to_path_buf(),
                columns: columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>().join(" "),
            });
        }
        let in_sensor_frame = match options.points_in {
            Some(frame) => frame == Frame::Sensor,
            None => facts.in_sensor_frame || facts.viewpoint.is_some(),
        };
        let placing = Placing::choose(path, options, &mut facts, in_sensor_frame, has("time_s"))?;
        // Scans of a folder without poses are each in a frame of their own.
        let scattered = facts.in_sensor_frame
            && facts.scans.is_some_and(|scans| scans > 1)
            && facts.viewpoint.is_none()
            && !matches!(placing, Placing::Moving(..))
            && options.pose.is_none()
            && options.trajectory.is_none();
        let origin = (in_file || !matches!(placing, Placing::Unknown)) && !scattered;
        if options.need_origins && !origin {
            return Err(CloudError::NoOrigins { path: path.to_path_buf() });
        }
        let turns = placing.turns();
        let known = KnownColumns {
            position: true,
            time: has("time_s"),
            pulse: has("pulse"),
            channel: has("channel"),
            scan: has("scan"),
            column: has("column"),
            angles: (has("azimuth_deg") && has("elevation_deg")) || turns || axes("sensor_", "_m"),
            returns: has("return_number"),
            range: has("range_m"),
            intensity: has("intensity") || rays.is_some(),
            origin,
            sensor_frame: axes("sensor_", "_m") || turns,
            label: has("label"),
            colour: has("red") && has("green") && has("blue"),
            truth: has("true_range_m"),
            misses: facts.holds_misses && (has("return_number") || rays.is_some() || directed),
        };
        let labels = bound.iter().find(|bound| bound.to.name == "label");
        let labels_are_classes = labels.is_some_and(|bound| names[bound.from] != "label");
        let mut wanted: Vec<usize> = bound.iter().map(|bound| bound.from).collect();
        wanted.extend(rays.iter().flat_map(|rays| rays.columns));
        let report =
            ReadReport { misses_left_out: facts.misses_left_out, remarks, ..ReadReport::default() };
        let file_has = FileHas {
            position,
            direction: directed,
            origin: axes("origin_", "_m"),
            angles: has("azimuth_deg") && has("elevation_deg"),
            sensor_frame: axes("sensor_", "_m"),
            intensity: has("intensity"),
            misses: facts.holds_misses,
        };
        let rays = rays.map(|rays| (rays, bound.len()));
        let pass = Pass::new(path, placing, file_has, rays, in_sensor_frame, options);
        Ok(Recording {
            path: path.to_path_buf(),
            table_poses: table.scan_poses().to_vec(),
            ros_names: table.ros_names(),
            table: Some(table),
            ahead: None,
            facts,
            labels_are_classes,
            bound,
            wanted,
            pass,
            known,
            report,
            block: Block::new(),
            ended: false,
        })
    }

    /// Which columns of the batches mean something.
    pub fn known(&self) -> KnownColumns {
        self.known
    }

    /// Rows in the file, if its header counts them.
    pub fn rows(&self) -> Option<u64> {
        self.facts.rows
    }

    /// Replaces `batch` by the next rows; false at the end, when `batch` is empty.
    ///
    /// A batch may be empty before the end, if all its rows were left out.
    pub fn next_batch(&mut self, batch: &mut Records) -> Result<bool, CloudError> {
        batch.clear();
        if self.ended {
            return Ok(false);
        }
        // Whoever only asks what is known needs no thread.
        if let Some(table) = self.table.take() {
            self.ahead = Some(Ahead::start(&self.path, table, self.wanted.clone())?);
        }
        let Some(ahead) = &mut self.ahead else { return Ok(false) };
        let Step { rows, block, mut poses, duplicated_rows, remarks } =
            ahead.next(std::mem::take(&mut self.block))?;
        self.block = block;
        self.table_poses.append(&mut poses);
        self.report.duplicated = duplicated_rows;
        if rows == 0 {
            self.ended = true;
            self.report.rows += self.report.duplicated;
            self.report.remarks.extend(remarks);
            return self.pass.check_end(&self.report).map(|()| false);
        }
        batch.fill_with_misses(rows);
        for (values, bound) in self.block.iter().zip(&self.bound) {
            bound.to.values_mut(batch).set(values, bound.factor);
        }
        self.report.rows += rows as u64;
        self.pass.complete(&self.known, &self.block, batch, &mut self.report)?;
        Ok(true)
    }

    /// All rows that are still to come, in memory.
    pub fn read_all(&mut self) -> Result<Records, CloudError> {
        let (mut all, mut batch) = (Records::default(), Records::default());
        while self.next_batch(&mut batch)? {
            all.append(&batch);
        }
        Ok(all)
    }

    /// What was read so far and what was skipped.
    pub fn report(&self) -> &ReadReport {
        &self.report
    }

    /// Where the sensor stood at the start of each scan that has begun so far, for recordings that
    /// say where the sensor was and how it was turned.
    pub fn scan_poses(&self) -> &[ScanPose] {
        match self.table_poses.as_slice() {
            [] => &self.pass.scan_poses,
            poses => poses,
        }
    }

    /// Topic and frame of the points, where the recording is a bag of ROS 2.
    pub fn ros_names(&self) -> Option<&RosNames> {
        self.ros_names.as_ref()
    }

    /// The sensors that recorded, where the file tells what they are.
    pub fn sensors(&self) -> &[SensorDescription] {
        &self.facts.sensors
    }

    /// The file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}
