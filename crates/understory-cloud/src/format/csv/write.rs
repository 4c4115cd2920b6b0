//! CSV: one header line with names and units, then one line per row.
//!
//! Numbers have as many digits as are needed to read them back exactly; what a pulse without a
//! return cannot have is `NaN`.

use crate::records::{FILE_COLUMNS, Values};
use crate::sink::select_rows;
use crate::spool::{Facts, Spool};
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SinkOptions, SinkReport};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Writes one CSV file.
pub(crate) struct CsvSink {
    path: PathBuf,
    csv: csv::Writer<StagedFile>,
    misses: Misses,
    rows: u64,
    dropped_misses: u64,
    selected: Vec<usize>,
    text: Vec<u8>,
}

impl CsvSink {
    /// Opens a CSV file.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<CsvSink, CloudError> {
        let mut sink = CsvSink::empty(path, StagedFile::create(path)?, options);
        let names = FILE_COLUMNS.iter().map(|column| column.name);
        sink.csv.write_record(names).map_err(|e| failed(path, e))?;
        Ok(sink)
    }

    /// The same without the line of names: rows that are part of a file.
    pub(crate) fn spool(path: &Path, options: &SinkOptions) -> Result<CsvSink, CloudError> {
        Ok(CsvSink::empty(path, StagedFile::spool(path)?, options))
    }

    fn empty(path: &Path, file: StagedFile, options: &SinkOptions) -> CsvSink {
        CsvSink {
            path: path.to_path_buf(),
            csv: csv::Writer::from_writer(file),
            misses: options.misses,
            rows: 0,
            dropped_misses: 0,
            selected: Vec::new(),
            text: Vec::new(),
        }
    }
}

impl RecordSink for CsvSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        self.dropped_misses += select_rows(records, self.misses, &mut self.selected);
        let columns = FILE_COLUMNS.map(|column| column.values(records));
        for &row in &self.selected {
            for column in &columns {
                self.text.clear();
                put(column, row, &mut self.text).map_err(|e| CloudError::write(&self.path, e))?;
                self.csv.write_field(&self.text).map_err(|e| failed(&self.path, e))?;
            }
            self.csv.write_record(None::<&[u8]>).map_err(|e| failed(&self.path, e))?;
            self.rows += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let file = self.csv.into_inner().map_err(|e| {
            let error = std::io::Error::new(e.error().kind(), e.error().to_string());
            CloudError::write(&self.path, error)
        })?;
        Ok(SinkReport {
            paths: vec![file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            ..SinkReport::default()
        })
    }
}

/// The line of names.
fn names() -> Vec<u8> {
    let names: Vec<&str> = FILE_COLUMNS.iter().map(|column| column.name).collect();
    (names.join(",") + "\n").into_bytes()
}

impl Spool for CsvSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        RecordSink::write(self, records)
    }

    fn spooled(&mut self) -> std::io::Result<PathBuf> {
        self.csv.flush()?;
        Ok(self.csv.get_ref().temporary_path().to_path_buf())
    }

    fn facts(&self) -> Facts {
        Facts { rows: self.rows, dropped_misses: self.dropped_misses, ..Facts::default() }
    }

    fn head_len(&self) -> Result<u64, CloudError> {
        Ok(names().len() as u64)
    }

    fn head(&self, _all: &[Facts]) -> Result<Vec<u8>, CloudError> {
        Ok(names())
    }
}

/// Prints one value.
fn put(values: &Values<'_>, row: usize, text: &mut Vec<u8>) -> std::io::Result<()> {
    match values {
        Values::F64(v) => write!(text, "{}", v[row]),
        Values::F32(v) => write!(text, "{}", v[row]),
        Values::U64(v) => write!(text, "{}", v[row]),
        Values::U32(v) => write!(text, "{}", v[row]),
        Values::U16(v) => write!(text, "{}", v[row]),
        Values::U8(v) => write!(text, "{}", v[row]),
        Values::AxisF64(v, axis) => write!(text, "{}", v[row][*axis]),
        Values::AxisF32(v, axis) => write!(text, "{}", v[row][*axis]),
        Values::AxisU8(v, axis) => write!(text, "{}", v[row][*axis]),
    }
}

fn failed(path: &Path, error: csv::Error) -> CloudError {
    let error = match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    };
    CloudError::write(path, error)
}
