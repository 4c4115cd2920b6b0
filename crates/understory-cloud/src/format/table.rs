//! Files of points as tables of named numbers.
//!
//! What enters: a path. What leaves: a [`Table`], whose rows come in blocks of columns, and
//! [`TableFacts`], what the file says about itself. Every format of this crate is read through
//! this one interface: [`describe`](crate::describe) tallies the rows, and a
//! [`Recording`](crate::Recording) turns them into beams.
//!
//! Everything that a header says is checked against the file's real length before it is believed.
//! A table holds one block of rows, whatever the size of the file; only a compressed PCD, whose
//! columns stand one behind another, is held whole.

use crate::error::damaged;
use crate::poses::{Rigid, Trajectory};
use crate::{CloudError, OutputFormat, RosNames, ScanPose, SceneNames, SensorDescription};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// One column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type, such as `f32`.
    pub kind: String,
}

/// Rows in a block.
pub(crate) const BLOCK_ROWS: usize = 16_384;

/// Values of some columns of the next rows.
pub(crate) type Block = Vec<Vec<f64>>;

/// Rows of named numbers, one block after another.
pub(crate) trait Table: Send {
    /// The columns in the order of the file.
    fn columns(&self) -> Vec<ColumnSummary>;

    /// Replaces the vectors of `block` by the values of the `wanted` columns in the next rows, at
    /// most [`BLOCK_ROWS`]; returns how many rows that were, 0 at the end.
    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError>;

    /// Where the sensor stood at the start of each scan, for formats that say so.
    fn scan_poses(&self) -> &[ScanPose] {
        &[]
    }

    /// How ROS 2 calls what is read, for bags.
    fn ros_names(&self) -> Option<RosNames> {
        None
    }

    /// Rows of scans that were left out because an earlier scan is the same to the last byte.
    fn duplicated_rows(&self) -> u64 {
        0
    }

    /// What was noticed on the way, each a sentence without its full stop; asked at the end.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What a file says about itself apart from its rows.
#[derive(Clone, Debug)]
pub(crate) struct TableFacts {
    pub(crate) format: OutputFormat,
    /// The format's version and encoding, in words.
    pub(crate) version: String,
    pub(crate) software: Option<String>,
    pub(crate) bytes: u64,
    /// Rows, if the header counts them.
    pub(crate) rows: Option<u64>,
    pub(crate) misses_left_out: Option<u64>,
    pub(crate) scans: Option<u64>,
    pub(crate) bounds_m: Option<[[f64; 3]; 2]>,
    pub(crate) time_span_s: Option<[f64; 2]>,
    /// Whether a return number of 0 means a pulse without a return.
    pub(crate) holds_misses: bool,
    /// Pose of the sensor that the header names; with a trajectory, on what it moves.
    pub(crate) viewpoint: Option<Rigid>,
    /// Whether positions are in the sensor's frame by convention.
    pub(crate) in_sensor_frame: bool,
    /// Poses over time that the file itself has.
    pub(crate) trajectory: Option<Box<Trajectory>>,
    /// What was skipped, each a sentence without its full stop.
    pub(crate) remarks: Vec<String>,
    /// Coordinate reference system as well-known text.
    pub(crate) crs_wkt: Option<String>,
    pub(crate) names: Option<SceneNames>,
    /// The sensors that recorded, where the file tells what they are.
    pub(crate) sensors: Vec<SensorDescription>,
}

impl TableFacts {
    /// Facts of a file of so many bytes that says nothing else.
    pub(crate) fn new(format: OutputFormat, version: String, bytes: u64) -> TableFacts {
        TableFacts {
            format,
            version,
            software: None,
            bytes,
            rows: None,
            misses_left_out: None,
            scans: None,
            bounds_m: None,
            time_span_s: None,
            holds_misses: true,
            viewpoint: None,
            in_sensor_frame: false,
            trajectory: None,
            remarks: Vec::new(),
            crs_wkt: None,
            names: None,
            sensors: Vec::new(),
        }
    }
}

/// A table with its facts.
pub(crate) struct Opened {
    pub(crate) table: Box<dyn Table>,
    pub(crate) facts: TableFacts,
}

/// A file at its beginning.
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) reader: BufReader<File>,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Source, CloudError> {
        let failed = |e| CloudError::read(path, e);
        let file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let reader = BufReader::with_capacity(1 << 16, file);
        Ok(Source { path: path.to_path_buf(), bytes, reader })
    }

    /// Facts that know nothing yet.
    pub(crate) fn facts(&self, format: OutputFormat, version: String) -> TableFacts {
        TableFacts::new(format, version, self.bytes)
    }

    /// An error about the content of this file.
    pub(crate) fn damaged(&self, format: &'static str, what: impl Into<String>) -> CloudError {
        damaged(&self.path, format, what)
    }
}
