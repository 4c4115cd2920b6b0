//! The columns of our PCD files and the header that names them.

use crate::SOFTWARE;
use crate::format::row_file::Totals;
use crate::format::row_layout::{Kind, RowLayout, Slot};
use crate::records::FILE_COLUMNS;

/// The columns of a row.
pub(crate) fn layout(offset_m: [f64; 3], colours: bool) -> RowLayout {
    let mut layout = RowLayout::default();
    let world = FILE_COLUMNS.into_iter().take(3);
    for ((column, name), offset_m) in world.clone().zip(["x", "y", "z"]).zip(offset_m) {
        layout.push_as(column, name, Kind::F32, offset_m);
    }
    for column in FILE_COLUMNS.into_iter().skip(3) {
        match column.name {
            "pulse" => layout.push_as(column, "pulse", Kind::F64, 0.0),
            "red" | "green" | "blue" if !colours => {}
            _ => layout.push(column),
        }
    }
    for (column, name) in world.zip(["world_x_m", "world_y_m", "world_z_m"]) {
        layout.push_as(column, name, Kind::F64, 0.0);
    }
    layout
}

/// The header of a file whose data are `data`.
pub(crate) fn header_of(layout: &RowLayout, totals: &Totals, pad: usize, data: &str) -> Vec<u8> {
    let [x, y, z] = totals.offset_m;
    let list =
        |item: fn(&Slot) -> String| layout.slots().iter().map(item).collect::<Vec<_>>().join(" ");
    format!(
        "# .PCD v0.7 - Point Cloud Data file format\n\
         # {SOFTWARE}: x y z are world coordinates minus {x:?} {y:?} {z:?}{:pad$}\n\
         VERSION 0.7\nFIELDS {}\nSIZE {}\nTYPE {}\nCOUNT {}\n\
         WIDTH {rows}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {rows}\nDATA {data}\n",
        "",
        list(|slot| slot.name.to_owned()),
        list(|slot| slot.kind.size().to_string()),
        list(|slot| match slot.kind {
            Kind::F64 | Kind::F32 => "F".to_owned(),
            Kind::I32 => "I".to_owned(),
            _ => "U".to_owned(),
        }),
        list(|_| "1".to_owned()),
        rows = totals.rows,
    )
    .into_bytes()
}
