//! PCD 0.7 with `DATA binary_compressed`: columns one behind another, packed by LZF.
//!
//! The header has both sizes in 32 bits, and the columns come in another order than the rows. Each
//! column waits in a spool of its own, outside of the memory if it is long; at the end they are
//! packed in parts, one after another. Columns of more than 4 GiB become rows again, in a file
//! that is not compressed.

use super::header::{header_of, layout};
use super::lzf;
use crate::format::coordinate_offset::round_offset_m;
use crate::format::row_file::Totals;
use crate::format::row_layout::{RowLayout, first_return};
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SinkOptions, SinkReport};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::SpooledTempFile;

/// Memory of a column before it moves to a file.
const SPOOL_BYTES: usize = 1 << 20;

/// Most bytes of columns, which may become a little longer when they are packed.
const COLUMNS_MAX: u64 = u32::MAX as u64 / 33 * 32;

/// How many rows are put together at once.
const ROWS_AT_ONCE: usize = 4096;

/// How much is packed at once.
const PART_BYTES: u64 = 1 << 20;

/// Writes one compressed PCD file.
pub(crate) struct CompressedPcd {
    path: PathBuf,
    file: StagedFile,
    layout: RowLayout,
    offset_m: Option<[f64; 3]>,
    columns: Vec<SpooledTempFile>,
    misses: Misses,
    colours: bool,
    columns_max: u64,
    rows: u64,
    dropped_misses: u64,
    selected: Vec<usize>,
    bytes: Vec<u8>,
    column: Vec<u8>,
}

impl CompressedPcd {
    /// Opens a file.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<CompressedPcd, CloudError> {
        let layout = layout(options.offset_m.unwrap_or_default(), options.colours);
        let spool = |_: &_| SpooledTempFile::new(SPOOL_BYTES);
        Ok(CompressedPcd {
            path: path.to_path_buf(),
            file: StagedFile::create(path)?,
            columns: layout.slots().iter().map(spool).collect(),
            layout,
            offset_m: options.offset_m,
            misses: options.misses,
            colours: options.colours,
            columns_max: COLUMNS_MAX,
            rows: 0,
            dropped_misses: 0,
            selected: Vec::new(),
            bytes: Vec::new(),
            column: Vec::new(),
        })
    }

    /// Lets the packed rows wait by column.
    fn spool(&mut self) -> io::Result<()> {
        for (slot, to) in self.columns.iter_mut().enumerate() {
            let (from, end) = (self.layout.offset_of(slot), self.layout.offset_of(slot + 1));
            self.column.clear();
            for row in self.bytes.chunks_exact(self.layout.stride()) {
                self.column.extend_from_slice(row.get(from..end).unwrap_or_default());
            }
            to.write_all(&self.column)?;
        }
        Ok(())
    }

    fn put_header(&mut self, data: &str) -> io::Result<()> {
        let totals = Totals { rows: self.rows, offset_m: self.offset_m.unwrap_or_default() };
        self.file.write_all(&header_of(&self.layout, &totals, 0, data))
    }

    /// Writes header and rows, which are put together from the columns.
    fn put_rows(&mut self) -> io::Result<()> {
        self.put_header("binary")?;
        for column in &mut self.columns {
            column.seek(SeekFrom::Start(0))?;
        }
        let mut left = self.rows;
        while left > 0 {
            let rows = (ROWS_AT_ONCE as u64).min(left) as usize;
            left -= rows as u64;
            let stride = self.layout.stride();
            self.bytes.clear();
            self.bytes.resize(rows * stride, 0);
            for (slot, from) in self.columns.iter_mut().enumerate() {
                let (start, end) = (self.layout.offset_of(slot), self.layout.offset_of(slot + 1));
                self.column.resize(rows * (end - start), 0);
                from.read_exact(&mut self.column)?;
                let values = self.column.chunks_exact(end - start);
                for (row, value) in self.bytes.chunks_exact_mut(stride).zip(values) {
                    row[start..end].copy_from_slice(value);
                }
            }
            self.file.write_all(&self.bytes)?;
        }
        Ok(())
    }

    /// Writes header and columns.
    fn put_columns(&mut self, size: u32) -> io::Result<()> {
        self.put_header("binary_compressed")?;
        let sizes_at = self.file.stream_position()?;
        self.file.write_all(&[0; 8])?;
        let mut packed_len = 0u64;
        for column in &mut self.columns {
            column.seek(SeekFrom::Start(0))?;
            loop {
                self.column.clear();
                Read::by_ref(column).take(PART_BYTES).read_to_end(&mut self.column)?;
                if self.column.is_empty() {
                    break;
                }
                self.bytes.clear();
                lzf::pack(&self.column, &mut self.bytes);
                self.file.write_all(&self.bytes)?;
                packed_len += self.bytes.len() as u64;
            }
        }
        let packed_len = u32::try_from(packed_len)
            .map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "it has more than 4 GiB"))?;
        self.file.seek(SeekFrom::Start(sizes_at))?;
        self.file.write_all(&packed_len.to_le_bytes())?;
        self.file.write_all(&size.to_le_bytes())
    }
}

impl RecordSink for CompressedPcd {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        if self.offset_m.is_none()
            && let Some(first) = first_return(records)
        {
            let offset_m = round_offset_m(first);
            self.layout = layout(offset_m, self.colours);
            self.offset_m = Some(offset_m);
        }
        let mut selected = std::mem::take(&mut self.selected);
        self.dropped_misses += select_rows(records, self.misses, &mut selected);
        for rows in selected.chunks(16_384) {
            self.layout.pack(records, rows, &mut self.bytes);
            self.spool().map_err(|e| CloudError::write(&self.path, e))?;
            self.rows += rows.len() as u64;
        }
        self.selected = selected;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        let size = self.rows.saturating_mul(self.layout.stride() as u64);
        let size = u32::try_from(size).ok().filter(|&size| u64::from(size) <= self.columns_max);
        let put = match size {
            Some(size) => self.put_columns(size),
            None => self.put_rows(),
        };
        put.map_err(|e| CloudError::write(&self.path, e))?;
        Ok(SinkReport {
            paths: vec![self.file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            ..SinkReport::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Record, open_sink};

    #[test]
    fn columns_that_are_too_long_become_the_rows_of_a_plain_file() {
        let mut records = Records::default();
        for pulse in 0..10_000 {
            let world_xyz_m = [pulse as f64, 1.0, 2.0];
            records.push(Record { pulse, world_xyz_m, return_number: 1, ..Record::miss() });
        }
        let folder = tempfile::tempdir().unwrap();
        let options = SinkOptions { compress_pcd: false, ..SinkOptions::default() };
        let plain = folder.path().join("plain.pcd");
        let mut sink = open_sink(&plain, crate::OutputFormat::Pcd, &options).unwrap();
        sink.write(&records).unwrap();
        sink.finish().unwrap();
        let long = folder.path().join("long.pcd");
        let mut sink = Box::new(CompressedPcd::create(&long, &options).unwrap());
        sink.columns_max = 1000;
        sink.write(&records).unwrap();
        sink.finish().unwrap();
        let points = |path| {
            let bytes = std::fs::read(path).unwrap();
            let start = bytes.windows(12).position(|window| window == b"DATA binary\n").unwrap();
            bytes[start..].to_vec()
        };
        assert!(points(&long) == points(&plain));
    }
}
