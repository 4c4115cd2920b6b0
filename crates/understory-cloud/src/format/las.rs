//! LAS and LAZ, ASPRS's files of points, and the waveforms beside them.

mod header;
mod laz_chunk;
mod laz_read;
pub(super) mod read;
mod waveform;
pub(super) mod write;

/// Bytes of point format 6 without extra bytes.
const POINT_LEN: usize = 30;
