//! BlenSor's record in its three forms: a table whose columns have our names.
//!
//! EVD is binary: blocks of an i32 count and so many entries of 14 doubles and a u64, and −1 at the
//! end. One block is one scan. Text and NumPy arrays are read like any others, and their columns are
//! named here.
//!
//! Of the clean and the noisy values of a row the noisy ones are what was measured. The clean point
//! is read as the true one; behind a mirror it is the virtual point, see `write`, and the record
//! does not say where the light was.

use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::{CloudError, ColumnSummary, OutputFormat, ScanPose};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// Bytes of an entry.
pub(crate) const ENTRY: u64 = 15 * 8;

/// Fields of an entry; the last one is a u64.
const NAMES: [&str; 15] = [
    "timestamp",
    "azimuth_rad",
    "elevation_rad",
    "true_range_m",
    "range_m",
    "true_x_m",
    "true_y_m",
    "true_z_m",
    "x",
    "y",
    "z",
    "red",
    "green",
    "blue",
    "object_id",
];

/// What BlenSor calls the twelve fields of its record.
const FIELDS: [&str; 12] = [
    "timestamp",
    "yaw",
    "pitch",
    "distance",
    "distance_noise",
    "x",
    "y",
    "z",
    "x_noise",
    "y_noise",
    "z_noise",
    "object_id",
];

/// Our name of each field: as in an entry of EVD, but for the colours.
fn name_of(field: usize) -> &'static str {
    if field + 1 == FIELDS.len() { NAMES[NAMES.len() - 1] } else { NAMES[field] }
}

/// A table of another reader whose columns have BlenSor's names, or none.
struct Named {
    inner: Box<dyn Table>,
    columns: Vec<ColumnSummary>,
}

/// Names the columns of BlenSor's record as text.
pub(crate) fn name_text(opened: Opened) -> Opened {
    let ours = |name: &str| FIELDS.iter().position(|field| *field == name).map(name_of);
    renamed(opened, |_, name| ours(name))
}

/// Names the columns of BlenSor's record as an array, which has no names; what follows the twelve is
/// left as it is.
pub(crate) fn name_array(opened: Opened) -> Opened {
    let known = opened.table.columns().len() >= FIELDS.len();
    renamed(opened, |place, _| (known && place < FIELDS.len()).then(|| name_of(place)))
}

fn renamed(opened: Opened, ours: impl Fn(usize, &str) -> Option<&'static str>) -> Opened {
    let Opened { table: inner, mut facts } = opened;
    let mut columns = inner.columns();
    for (place, column) in columns.iter_mut().enumerate() {
        if let Some(name) = ours(place, &column.name) {
            column.name = name.to_owned();
        }
    }
    facts.holds_misses = false;
    Opened { table: Box::new(Named { inner, columns }), facts }
}

impl Table for Named {
    fn columns(&self) -> Vec<ColumnSummary> {
        self.columns.clone()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        self.inner.read(wanted, block)
    }

    fn scan_poses(&self) -> &[ScanPose] {
        self.inner.scan_poses()
    }

    fn duplicated_rows(&self) -> u64 {
        self.inner.duplicated_rows()
    }

    fn remarks(&self) -> Vec<String> {
        self.inner.remarks()
    }
}

struct EvdTable {
    path: PathBuf,
    reader: BufReader<File>,
    /// Entries of this block that are still to be read.
    in_block: u64,
    /// The scan of this block, from 0; −1 before the first.
    scan: i64,
    bytes: Vec<u8>,
}

/// Opens an EVD file; its counts are compared with its length before any entry is read.
pub(crate) fn open(mut source: Source) -> Result<Opened, CloudError> {
    let mut facts = source.facts(OutputFormat::Evd, "EVD, BlenSor's binary record".to_owned());
    let (mut blocks, mut rows, mut left) = (0u64, 0u64, source.bytes);
    loop {
        if left < 4 {
            return Err(source.damaged("EVD", "it ends without the mark −1"));
        }
        let failed = |e| CloudError::read(&source.path, e);
        let mut count = [0; 4];
        source.reader.read_exact(&mut count).map_err(failed)?;
        left -= 4;
        let count = i32::from_le_bytes(count);
        if count == -1 && left == 0 {
            break;
        }
        let entries = u64::try_from(count).unwrap_or(u64::MAX);
        if entries > left / ENTRY {
            let what = format!("block {blocks} promises {count} entries, but {left} bytes follow");
            return Err(source.damaged("EVD", what));
        }
        source.reader.seek_relative((entries * ENTRY) as i64).map_err(failed)?;
        left -= entries * ENTRY;
        rows += entries;
        blocks += 1;
    }
    source.reader.seek(SeekFrom::Start(0)).map_err(|e| CloudError::read(&source.path, e))?;
    facts.rows = Some(rows);
    facts.scans = Some(blocks);
    facts.holds_misses = false;
    let (path, reader) = (source.path, source.reader);
    let table = EvdTable { path, reader, in_block: 0, scan: -1, bytes: Vec::new() };
    Ok(Opened { table: Box::new(table), facts })
}

impl EvdTable {
    /// Goes on to the next block that has entries; false at the end.
    fn next_block(&mut self) -> Result<bool, CloudError> {
        while self.in_block == 0 {
            let mut count = [0; 4];
            self.reader.read_exact(&mut count).map_err(|e| CloudError::read(&self.path, e))?;
            let count = i32::from_le_bytes(count);
            if count == -1 {
                return Ok(false);
            }
            self.in_block = u64::try_from(count)
                .map_err(|_| damaged(&self.path, "EVD", "it changed while it was read"))?;
            self.scan += 1;
        }
        Ok(true)
    }
}

impl Table for EvdTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let kind = |name: &str| if name == "object_id" { "u64" } else { "f64" };
        let column = |name: &str| ColumnSummary { name: name.into(), kind: kind(name).into() };
        let scan = ColumnSummary { name: "scan".into(), kind: "u32".into() };
        NAMES.iter().map(|name| column(name)).chain([scan]).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        if !self.next_block()? {
            // The mark stays the last thing that was read.
            self.reader.seek_relative(-4).map_err(|e| CloudError::read(&self.path, e))?;
            return Ok(0);
        }
        let rows = self.in_block.min(BLOCK_ROWS as u64);
        self.bytes.resize((rows * ENTRY) as usize, 0);
        self.reader.read_exact(&mut self.bytes).map_err(|e| CloudError::read(&self.path, e))?;
        self.in_block -= rows;
        let (entries, _) = self.bytes.as_chunks::<8>();
        for entry in entries.chunks_exact(NAMES.len()) {
            for (&column, values) in wanted.iter().zip(block.iter_mut()) {
                values.push(match entry.get(column) {
                    Some(bytes) if column + 1 == NAMES.len() => u64::from_le_bytes(*bytes) as f64,
                    Some(bytes) => f64::from_le_bytes(*bytes),
                    None => self.scan as f64,
                });
            }
        }
        Ok(rows as usize)
    }
}
