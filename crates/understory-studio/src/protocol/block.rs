//! The header of a block of numbers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What stands before the columns of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BlockHeader {
    /// What it is: geometry, beams, moment, points, end, image or difference.
    pub kind: String,
    /// To be added to positions to get those of the world.
    pub offset_m: [f64; 3],
    /// The columns, in the order of their bytes.
    pub columns: Vec<ColumnHeader>,
    /// What else belongs to this kind of block.
    #[cfg_attr(test, ts(type = "unknown"))]
    pub extra: Value,
}

/// One column of a block.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ColumnHeader {
    /// Its name.
    pub name: String,
    /// What its numbers are.
    pub kind: NumberKind,
    /// Numbers in a row.
    pub width: u32,
    /// Rows.
    pub rows: u32,
    /// Where it begins, in bytes from the start of the data; a multiple of 8.
    pub offset: u32,
}

/// What the numbers of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum NumberKind {
    /// Bytes.
    U8,
    /// Whole numbers in two bytes.
    U16,
    /// Whole numbers in four bytes.
    U32,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}
