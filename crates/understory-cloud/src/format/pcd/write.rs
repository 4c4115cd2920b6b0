//! PCD 0.7, binary or, if it is requested, compressed.
//!
//! `x y z` are 32-bit floats, because the Point Cloud Library reads them in no other type. So that
//! they keep the millimetre at UTM coordinates they are relative to an offset of whole kilometres,
//! which the header's comment names; `world_x_m` and its neighbours hold the world's coordinates in
//! full. `VIEWPOINT` is the identity, because viewers disagree on whether it moves the points.
//! `pulse` is a double: old readers know no integer of 64 bits.

use super::header::{header_of, layout};
use super::write_compressed::CompressedPcd;
use crate::format::row_file::{RowFile, Totals};
use crate::format::row_layout::RowLayout;
use crate::{CloudError, RecordSink, SinkOptions};
use std::path::Path;

/// Opens a PCD file.
pub(crate) fn create(
    path: &Path,
    options: &SinkOptions,
) -> Result<Box<dyn RecordSink>, CloudError> {
    if options.compress_pcd {
        return Ok(Box::new(CompressedPcd::create(path, options)?));
    }
    let colours = options.colours;
    let layout = Box::new(move |offset_m| layout(offset_m, colours));
    Ok(Box::new(RowFile::create(path, options.misses, options.offset_m, layout, header)?))
}

fn header(layout: &RowLayout, totals: &Totals, pad: usize) -> Vec<u8> {
    header_of(layout, totals, pad, "binary")
}
