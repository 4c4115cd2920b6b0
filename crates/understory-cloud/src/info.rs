//! What is in a file of points.
//!
//! What enters: a path. What leaves: a [`FileSummary`], read with little memory whatever the size
//! of the file. Everything that a header says is checked against the file's real length before it
//! is believed.

use crate::{CloudError, OutputFormat, blensor, info_binary, info_text};
use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What is known about a file or folder of points.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FileSummary {
    /// The file.
    pub path: PathBuf,
    /// Its format.
    pub format: OutputFormat,
    /// The format's version and encoding, in words.
    pub version: String,
    /// What wrote it, if it says so.
    pub software: Option<String>,
    /// Its size; of a folder, that of the points in it.
    pub bytes: u64,
    /// Rows in it: returns, and pulses without a return where the format can hold them.
    pub rows: u64,
    /// Rows that are returns.
    pub returns: Option<u64>,
    /// Pulses without a return, whether they are rows or were left out.
    pub misses: Option<u64>,
    /// Scans, for formats that keep them apart.
    pub scans: Option<u64>,
    /// Names and types of the columns.
    pub columns: Vec<ColumnSummary>,
    /// Smallest and largest x, y and z, in the frame of the file.
    pub bounds_m: Option<[[f64; 3]; 2]>,
    /// First and last firing time.
    pub time_span_s: Option<[f64; 2]>,
}

/// One column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// Its type, such as `f32`.
    pub kind: String,
}

/// Says what is in a LAS, LAZ, PLY, PCD, CSV, NPY or EVD file, a KITTI folder or one of its `.bin` files.
pub fn describe(path: &Path) -> Result<FileSummary, CloudError> {
    let metadata = std::fs::metadata(path).map_err(|e| CloudError::read(path, e))?;
    if metadata.is_dir() {
        return info_binary::kitti_folder(path);
    }
    let is_bin = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("bin"));
    let format = if is_bin { OutputFormat::Kitti } else { OutputFormat::from_path(path)? };
    let file = File::open(path).map_err(|e| CloudError::read(path, e))?;
    let source =
        Source { path, bytes: metadata.len(), reader: BufReader::with_capacity(1 << 16, file) };
    match format {
        OutputFormat::Las | OutputFormat::Laz => info_binary::las(source),
        OutputFormat::Ply => info_binary::ply(source),
        OutputFormat::Pcd => info_text::pcd(source),
        OutputFormat::Csv | OutputFormat::BlensorCsv => info_text::csv(source),
        OutputFormat::Npy | OutputFormat::BlensorNpy => info_text::npy(source),
        OutputFormat::Evd => blensor::describe_evd(source),
        OutputFormat::Kitti => info_binary::kitti_bin(source),
    }
}

/// A file that is being described.
pub(crate) struct Source<'a> {
    pub(crate) path: &'a Path,
    pub(crate) bytes: u64,
    pub(crate) reader: BufReader<File>,
}

impl Source<'_> {
    /// A summary that knows nothing yet.
    pub(crate) fn summary(&self, format: OutputFormat, version: String) -> FileSummary {
        FileSummary {
            path: self.path.to_path_buf(),
            format,
            version,
            software: None,
            bytes: self.bytes,
            rows: 0,
            returns: None,
            misses: None,
            scans: None,
            columns: Vec::new(),
            bounds_m: None,
            time_span_s: None,
        }
    }

    /// An error about the content of this file.
    pub(crate) fn damaged(&self, format: &'static str, what: impl Into<String>) -> CloudError {
        damaged(self.path, format, what)
    }
}

/// An error about the content of a file.
pub(crate) fn damaged(path: &Path, format: &'static str, what: impl Into<String>) -> CloudError {
    CloudError::Damaged { path: path.to_path_buf(), format, what: what.into() }
}

/// What the rows of a file show as they pass by.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) returns: u64,
    bounds_m: Option<[[f64; 3]; 2]>,
    time_span_s: Option<[f64; 2]>,
}

impl Tally {
    /// Counts a row.
    pub(crate) fn add(&mut self, xyz: Option<[f64; 3]>, time_s: Option<f64>, is_return: bool) {
        self.rows += 1;
        self.returns += u64::from(is_return);
        if let Some(xyz) = xyz.filter(|xyz| xyz.iter().all(|c| c.is_finite())) {
            let [min, max] = self.bounds_m.get_or_insert([xyz; 2]);
            for axis in 0..3 {
                min[axis] = min[axis].min(xyz[axis]);
                max[axis] = max[axis].max(xyz[axis]);
            }
        }
        if let Some(time) = time_s.filter(|time| time.is_finite()) {
            let [first, last] = self.time_span_s.get_or_insert([time; 2]);
            *first = first.min(time);
            *last = last.max(time);
        }
    }

    /// Copies what was seen; misses are only known where rows say which return they are.
    pub(crate) fn put_into(&self, summary: &mut FileSummary, knows_returns: bool) {
        summary.rows = self.rows;
        summary.bounds_m = self.bounds_m;
        summary.time_span_s = self.time_span_s;
        if knows_returns {
            summary.returns = Some(self.returns);
            summary.misses = Some(self.rows - self.returns);
        }
    }
}

impl fmt::Display for FileSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.path.display(), self.version)?;
        if let Some(software) = &self.software {
            writeln!(f, "  written by  {software}")?;
        }
        writeln!(f, "  size        {} bytes", self.bytes)?;
        writeln!(f, "  rows        {}", self.rows)?;
        if let Some(returns) = self.returns {
            writeln!(f, "  returns     {returns}")?;
        }
        if let Some(misses) = self.misses {
            writeln!(f, "  misses      {misses}")?;
        }
        if let Some(scans) = self.scans {
            writeln!(f, "  scans       {scans}")?;
        }
        if let Some([first, last]) = self.time_span_s {
            writeln!(f, "  time        {first} to {last} s")?;
        }
        if let Some([min, max]) = self.bounds_m {
            for axis in 0..3 {
                let name = ["x", "y", "z"][axis];
                writeln!(f, "  {name}           {:.4} to {:.4} m", min[axis], max[axis])?;
            }
        }
        let columns: Vec<_> =
            self.columns.iter().map(|c| format!("{} ({})", c.name, c.kind)).collect();
        write!(f, "  columns     {}", columns.join(", "))
    }
}
