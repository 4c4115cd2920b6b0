//! A file that is a header and then rows of equal length: PLY, PCD and NPY.
//!
//! What enters: a layout and a function that writes the header. What leaves: a file written in one
//! pass. The header counts the rows, which are only known at the end, so it is written with
//! padding first and again, with the same length, at the end.

use crate::format::coordinate_offset::round_offset_m;
use crate::format::row_layout::{RowLayout, first_return};
use crate::sink::select_rows;
use crate::spool::{Facts, Spool};
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SinkReport};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// What a header says about the rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Totals {
    pub(crate) rows: u64,
    pub(crate) offset_m: [f64; 3],
}

/// Writes a header with `pad` bytes of padding in it.
pub(crate) type WriteHeader = fn(&RowLayout, &Totals, pad: usize) -> Vec<u8>;

/// Makes the layout for coordinates relative to an offset.
pub(crate) type MakeLayout = Box<dyn Fn([f64; 3]) -> RowLayout + Send>;

/// Writes one file of rows.
pub(crate) struct RowFile {
    path: PathBuf,
    file: StagedFile,
    make_layout: MakeLayout,
    layout: RowLayout,
    write_header: WriteHeader,
    header_len: usize,
    offset_m: Option<[f64; 3]>,
    misses: Misses,
    rows: u64,
    dropped_misses: u64,
    selected: Vec<usize>,
    bytes: Vec<u8>,
}

impl RowFile {
    /// Opens the file. Without `offset_m` the first return decides about it.
    pub(crate) fn create(
        path: &Path,
        misses: Misses,
        offset_m: Option<[f64; 3]>,
        make_layout: MakeLayout,
        write_header: WriteHeader,
    ) -> Result<RowFile, CloudError> {
        let file = StagedFile::create(path)?;
        let mut sink = RowFile::empty(path, file, misses, offset_m, make_layout, write_header);
        sink.put_header()?;
        Ok(sink)
    }

    /// The same without a header: rows that are part of a file.
    pub(crate) fn spool(
        path: &Path,
        misses: Misses,
        offset_m: Option<[f64; 3]>,
        make_layout: MakeLayout,
        write_header: WriteHeader,
    ) -> Result<RowFile, CloudError> {
        let file = StagedFile::spool(path)?;
        Ok(RowFile::empty(path, file, misses, offset_m, make_layout, write_header))
    }

    fn empty(
        path: &Path,
        file: StagedFile,
        misses: Misses,
        offset_m: Option<[f64; 3]>,
        make_layout: MakeLayout,
        write_header: WriteHeader,
    ) -> RowFile {
        let layout = make_layout(offset_m.unwrap_or_default());
        // No offset is longer in print than this one.
        let widest = Totals { rows: u64::MAX, offset_m: [-1.234_567_890_123_456_7e-300; 3] };
        let header_len = write_header(&layout, &widest, 0).len();
        RowFile {
            path: path.to_path_buf(),
            file,
            make_layout,
            layout,
            write_header,
            header_len,
            offset_m,
            misses,
            rows: 0,
            dropped_misses: 0,
            selected: Vec::new(),
            bytes: Vec::new(),
        }
    }

    fn put_header(&mut self) -> Result<(), CloudError> {
        let header = self.header(self.rows);
        self.file.write_all(&header).map_err(|e| CloudError::write(&self.path, e))
    }

    fn header(&self, rows: u64) -> Vec<u8> {
        let totals = Totals { rows, offset_m: self.offset_m.unwrap_or_default() };
        let bare_len = (self.write_header)(&self.layout, &totals, 0).len();
        let pad = self.header_len.saturating_sub(bare_len);
        (self.write_header)(&self.layout, &totals, pad)
    }
}

impl Spool for RowFile {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        RecordSink::write(self, records)
    }

    fn spooled(&mut self) -> std::io::Result<PathBuf> {
        self.file.flush()?;
        Ok(self.file.temporary_path().to_path_buf())
    }

    fn facts(&self) -> Facts {
        Facts { rows: self.rows, dropped_misses: self.dropped_misses, ..Facts::default() }
    }

    fn head_len(&self) -> Result<u64, CloudError> {
        Ok(self.header_len as u64)
    }

    fn head(&self, all: &[Facts]) -> Result<Vec<u8>, CloudError> {
        Ok(self.header(all.iter().map(|facts| facts.rows).sum()))
    }
}

impl RecordSink for RowFile {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        if self.offset_m.is_none()
            && let Some(first) = first_return(records)
        {
            let offset_m = round_offset_m(first);
            self.layout = (self.make_layout)(offset_m);
            self.offset_m = Some(offset_m);
        }
        self.dropped_misses += select_rows(records, self.misses, &mut self.selected);
        // In parts, so that a batch of any size needs little memory.
        for rows in self.selected.chunks(16_384) {
            self.layout.pack(records, rows, &mut self.bytes);
            self.file.write_all(&self.bytes).map_err(|e| CloudError::write(&self.path, e))?;
            self.rows += rows.len() as u64;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        self.file.seek(SeekFrom::Start(0)).map_err(|e| CloudError::write(&self.path, e))?;
        self.put_header()?;
        Ok(SinkReport {
            paths: vec![self.file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            ..SinkReport::default()
        })
    }
}
