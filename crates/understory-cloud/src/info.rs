//! What is in a file of points.
//!
//! What enters: a path. What leaves: a [`FileSummary`], read with little memory whatever the size
//! of the file. Everything that a header says is checked against the file's real length before it
//! is believed.

use crate::format::open_table;
use crate::format::table::{Block, Opened};
use crate::recording::{Bound, bind};
use crate::{CloudError, ColumnSummary, OutputFormat, ReadOptions, SceneNames};
use std::fmt;
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
    /// Coordinate reference system as well-known text.
    pub crs_wkt: Option<String>,
    /// Names of objects and materials.
    pub names: Option<SceneNames>,
}

/// Says what is in a file or folder of any format that a [`Recording`](crate::Recording) reads.
///
/// Of LAS and LAZ the header is asked, of the others every row.
pub fn describe(path: &Path) -> Result<FileSummary, CloudError> {
    describe_with(path, &ReadOptions::default())
}

/// The same with what the file does not say itself.
pub fn describe_with(path: &Path, options: &ReadOptions) -> Result<FileSummary, CloudError> {
    let Opened { mut table, facts } = open_table(path, options)?;
    let columns = table.columns();
    let mut summary = FileSummary {
        path: path.to_path_buf(),
        format: facts.format,
        version: facts.version,
        software: facts.software,
        bytes: facts.bytes,
        rows: facts.rows.unwrap_or_default(),
        returns: (!facts.holds_misses).then(|| facts.rows.unwrap_or_default()),
        misses: facts.misses_left_out,
        scans: facts.scans,
        columns: columns.clone(),
        bounds_m: facts.bounds_m,
        time_span_s: facts.time_span_s,
        crs_wkt: facts.crs_wkt,
        names: facts.names,
    };
    if matches!(facts.format, OutputFormat::Las | OutputFormat::Laz) {
        return Ok(summary);
    }
    let bound = bind(&columns).0;
    let find = |name: &str| bound.iter().find(|bound| bound.to.name == name).copied();
    let mut shown = ["x_m", "y_m", "z_m", "time_s", "return_number"].map(find);
    // A ray cloud has misses with an end; they are no part of its bounds.
    let rays = facts.format == OutputFormat::RayCloud;
    if rays
        && let (Some(from), Some(like)) =
            (columns.iter().position(|column| column.name == "alpha"), shown[0])
    {
        shown[4] = Some(Bound { from, to: like.to, factor: 1.0 });
    }
    let wanted: Vec<usize> = shown.iter().flatten().map(|bound| bound.from).collect();
    let mut tally = Tally::default();
    let mut block = Block::new();
    loop {
        let rows = table.read(&wanted, &mut block)?;
        if rows == 0 {
            break;
        }
        for row in 0..rows {
            let mut values = block.iter();
            let [x, y, z, time, number] = shown.map(|bound| {
                let value = values.by_ref().take(usize::from(bound.is_some())).next()?.get(row)?;
                bound.map(|bound| value * bound.factor)
            });
            let xyz = match (x, y, z) {
                (Some(x), Some(y), Some(z)) => Some([x, y, z]),
                _ => None,
            };
            let is_return = number.is_none_or(|n| n > 0.0);
            tally.add(xyz.filter(|_| is_return || !rays), time, is_return);
        }
    }
    tally.put_into(&mut summary, facts.holds_misses && shown[4].is_some());
    Ok(summary)
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
        summary.time_span_s = self.time_span_s.or(summary.time_span_s);
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
        if let Some(wkt) = &self.crs_wkt {
            // The name is the first text in quotation marks.
            writeln!(f, "  CRS         {}", wkt.split('"').nth(1).unwrap_or(wkt))?;
        }
        if let Some(names) = &self.names {
            let (objects, materials) = (names.objects.len(), names.materials.len());
            writeln!(f, "  names       of {objects} objects and {materials} materials")?;
        }
        let columns: Vec<_> =
            self.columns.iter().map(|c| format!("{} ({})", c.name, c.kind)).collect();
        write!(f, "  columns     {}", columns.join(", "))
    }
}
