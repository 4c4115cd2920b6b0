//! NPY: one structured array with a named field per column, packed and little-endian.
//!
//! `numpy.load(path)["range_m"]` is a column; `numpy.load(path, mmap_mode="r")` reads only what is
//! used.

use super::header::array_header;
use super::waveform::NpyWaveforms;
use crate::format::row_file::{RowFile, Totals};
use crate::format::row_layout::{Kind, RowLayout};
use crate::records::FILE_COLUMNS;
use crate::{CloudError, RecordSink, Records, SinkOptions, SinkReport};
use npyz::{DType, Field, TypeStr};
use std::path::Path;

/// Opens an NPY file.
pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<NpySink, CloudError> {
    let rows = RowFile::create(path, options.misses, Some([0.0; 3]), Box::new(layout), header)?;
    let waveforms = match options.waveforms.is_empty() {
        true => None,
        false => Some(NpyWaveforms::create(path)?),
    };
    Ok(NpySink { rows: Box::new(rows), waveforms })
}

/// Rows that are part of a file.
pub(crate) fn spool(path: &Path, options: &SinkOptions) -> Result<RowFile, CloudError> {
    RowFile::spool(path, options.misses, Some([0.0; 3]), Box::new(layout), header)
}

/// Rows, and beside them waveforms if they are wanted.
pub(crate) struct NpySink {
    rows: Box<RowFile>,
    waveforms: Option<NpyWaveforms>,
}

impl RecordSink for NpySink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        self.rows.write(records)?;
        match &mut self.waveforms {
            Some(waveforms) => waveforms.write(&records.waveforms),
            None => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> Result<SinkReport, CloudError> {
        let waveforms = self.waveforms.map(NpyWaveforms::finish).transpose()?;
        let mut report = self.rows.finish()?;
        report.paths.extend(waveforms.into_iter().flatten());
        Ok(report)
    }
}

fn layout(_offset_m: [f64; 3]) -> RowLayout {
    let mut layout = RowLayout::default();
    FILE_COLUMNS.into_iter().for_each(|column| layout.push(column));
    layout
}

fn header(layout: &RowLayout, totals: &Totals, pad: usize) -> Vec<u8> {
    let fields = layout.slots().iter().filter_map(|slot| {
        let code = match slot.kind {
            Kind::F64 => "<f8",
            Kind::F32 => "<f4",
            Kind::U64 => "<u8",
            Kind::U32 => "<u4",
            Kind::U16 => "<u2",
            Kind::U8 => "|u1",
            Kind::I32 => "<i4",
        };
        let dtype = DType::Plain(code.parse::<TypeStr>().ok()?);
        Some(Field { name: slot.name.to_owned(), dtype })
    });
    array_header(&DType::Record(fields.collect()).descr(), totals.rows, pad)
}
