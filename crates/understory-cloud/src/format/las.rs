//! LAS and LAZ, ASPRS's files of points, and the waveforms beside them.

mod colour_depth;
mod header;
mod laz_chunk;
mod laz_read;
pub(super) mod read;
mod scan_angle;
mod shared;
mod strips;
mod survey_class;
mod waveform;
mod write;

use std::path::Path;

use crate::spool::Spool;
use crate::{CloudError, RecordSink, SinkOptions};

/// Opens one file, or one for each flight line.
pub(super) fn create(
    path: &Path,
    compress: bool,
    options: &SinkOptions,
) -> Result<Box<dyn RecordSink>, CloudError> {
    Ok(match options.strips {
        true => Box::new(strips::StripSink::new(path, compress, options)),
        false => Box::new(write::LasSink::create(path, compress, options)?),
    })
}

/// Points that are part of a file.
pub(super) fn spool(
    path: &Path,
    compress: bool,
    options: &SinkOptions,
) -> Result<Box<dyn Spool>, CloudError> {
    Ok(Box::new(shared::LasSpool::open(path, compress, options)?))
}

/// Bytes in front of the data of an extended variable-length record.
const EVLR_HEADER_LEN: usize = 60;

/// Bytes of point format 6 without extra bytes.
const POINT_LEN: usize = 30;

/// Bytes of red, green and blue behind them, in point format 7.
const RGB_LEN: usize = 6;
