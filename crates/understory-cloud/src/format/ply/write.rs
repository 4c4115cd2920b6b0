//! PLY: binary, little-endian, one element `vertex` with all columns.
//!
//! `x`, `y` and `z` are doubles in the world's frame. PLY has no integer of 64 bits: `pulse` is a
//! double, which counts exactly to 2⁵³. Types have their old names (`float`, `uchar`), which every
//! reader knows. `red`, `green` and `blue` are there where colours are known.

use crate::format::row_file::{RowFile, Totals};
use crate::format::row_layout::{Kind, RowLayout};
use crate::records::FILE_COLUMNS;
use crate::{CloudError, SOFTWARE, SinkOptions};
use std::path::Path;

/// Opens a PLY file.
pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<RowFile, CloudError> {
    let colours = options.colours;
    let layout = Box::new(move |_| layout(colours));
    RowFile::create(path, options.misses, Some([0.0; 3]), layout, header)
}

/// Rows that are part of a file.
pub(crate) fn spool(path: &Path, options: &SinkOptions) -> Result<RowFile, CloudError> {
    let colours = options.colours;
    let layout = Box::new(move |_| layout(colours));
    RowFile::spool(path, options.misses, Some([0.0; 3]), layout, header)
}

fn layout(colours: bool) -> RowLayout {
    let mut layout = RowLayout::default();
    for column in FILE_COLUMNS {
        match column.name {
            "x_m" => layout.push_as(column, "x", Kind::F64, 0.0),
            "y_m" => layout.push_as(column, "y", Kind::F64, 0.0),
            "z_m" => layout.push_as(column, "z", Kind::F64, 0.0),
            "pulse" => layout.push_as(column, "pulse", Kind::F64, 0.0),
            "red" | "green" | "blue" if !colours => {}
            _ => layout.push(column),
        }
    }
    layout
}

fn header(layout: &RowLayout, totals: &Totals, pad: usize) -> Vec<u8> {
    // Some readers look for words such as "time" in every line: the comment has none of them.
    let mut text = format!(
        "ply\nformat binary_little_endian 1.0\ncomment {SOFTWARE}{:pad$}\nelement vertex {}\n",
        "", totals.rows
    );
    for slot in layout.slots() {
        let kind = match slot.kind {
            Kind::F64 | Kind::U64 => "double",
            Kind::F32 => "float",
            Kind::U32 => "uint",
            Kind::U16 => "ushort",
            Kind::U8 => "uchar",
            Kind::I32 => "int",
        };
        text.push_str(&format!("property {kind} {}\n", slot.name));
    }
    text.push_str("end_header\n");
    text.into_bytes()
}
