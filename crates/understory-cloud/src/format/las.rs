//! LAS and LAZ, ASPRS's files of points, and the waveforms beside them.

mod header;
mod laz_chunk;
mod laz_read;
pub(super) mod read;
mod scan_angle;
mod survey_class;
mod waveform;
pub(super) mod write;

/// Bytes in front of the data of an extended variable-length record.
const EVLR_HEADER_LEN: usize = 60;

/// Bytes of point format 6 without extra bytes.
const POINT_LEN: usize = 30;
