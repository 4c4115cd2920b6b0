//! NPY, NumPy's own file: one structured array of records, and waveforms in two files beside it.

pub(super) mod header;
pub(super) mod read;
mod waveform;
pub(super) mod write;
