//! NPY: one structured array with a named field per column, packed and little-endian.
//!
//! `numpy.load(path)["range_m"]` is a column; `numpy.load(path, mmap_mode="r")` reads only what is
//! used.

use crate::layout::{COLUMNS, Kind, RowLayout};
use crate::row_file::{RowFile, Totals};
use crate::{CloudError, SinkOptions};
use npyz::{DType, Field, TypeStr};
use std::path::Path;

/// Opens an NPY file.
pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<RowFile, CloudError> {
    RowFile::create(path, options.misses, Some([0.0; 3]), layout, header)
}

fn layout(_offset_m: [f64; 3]) -> RowLayout {
    let mut layout = RowLayout::default();
    COLUMNS.into_iter().for_each(|column| layout.push(column));
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
    let mut text = format!(
        "{{'descr': {}, 'fortran_order': False, 'shape': ({},), }}{:pad$}",
        DType::Record(fields.collect()).descr(),
        totals.rows,
        ""
    );
    // NumPy wants the data to begin at a multiple of 64; 10 bytes stand before the text.
    let unaligned = (10 + text.len() + 1) % 64;
    text.push_str(&" ".repeat((64 - unaligned) % 64));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}
