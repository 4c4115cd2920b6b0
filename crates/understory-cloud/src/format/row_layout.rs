//! The order of columns in a file, and rows packed into bytes.
//!
//! What enters: columns of [`Records`]. What leaves: rows of little-endian bytes without padding,
//! as PLY, PCD, NPY and the extra bytes of LAS hold them.

use crate::Records;
use crate::records::{FileColumn, Values};

/// How a value is stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    F64,
    F32,
    U64,
    U32,
    U16,
    U8,
    /// Steps of the layout's quantum from the column's shift; [`NO_DATA`] for what does not fit.
    I32,
}

/// Stored by [`Kind::I32`] for a value that is no number or too large.
pub(crate) const NO_DATA: i32 = i32::MIN;

/// Stored by [`Kind::F32`] for what is no number, where a layout has a quantum.
pub(crate) const FLOAT_NO_DATA: f32 = -9999.0;

impl Kind {
    /// Size in bytes.
    pub(crate) const fn size(self) -> usize {
        match self {
            Kind::F64 | Kind::U64 => 8,
            Kind::F32 | Kind::U32 | Kind::I32 => 4,
            Kind::U16 => 2,
            Kind::U8 => 1,
        }
    }
}

/// A column with its place in a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// Name in this file format.
    pub(crate) name: &'static str,
    /// How it is stored.
    pub(crate) kind: Kind,
    /// First byte within the row.
    offset: usize,
    /// Subtracted from the value before it is stored; only for columns of doubles.
    pub(crate) shift: f64,
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    column: FileColumn,
}

/// Which bytes a row consists of.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowLayout {
    slots: Vec<Slot>,
    stride: usize,
    quantum: f64,
}

impl RowLayout {
    /// A layout whose rows begin with `reserved` bytes that someone else fills, and whose columns
    /// of [`Kind::I32`] count steps of `quantum`. No value of its columns is NaN.
    pub(crate) fn with_reserved(reserved: usize, quantum: f64) -> RowLayout {
        RowLayout { slots: Vec::new(), stride: reserved, quantum }
    }

    /// Whether every value is a number.
    fn has_no_nan(&self) -> bool {
        self.quantum > 0.0
    }

    /// The step of columns of [`Kind::I32`].
    pub(crate) fn quantum(&self) -> f64 {
        self.quantum
    }

    /// Appends a column under its own name and in its own type.
    pub(crate) fn push(&mut self, column: FileColumn) {
        let kind = column.values(&Records::default()).kind();
        self.push_as(column, column.name, kind, 0.0);
    }

    /// Appends a column under another name, as another type, less a constant.
    pub(crate) fn push_as(
        &mut self,
        column: FileColumn,
        name: &'static str,
        kind: Kind,
        shift: f64,
    ) {
        let about = column.info().brief;
        self.slots.push(Slot { name, kind, offset: self.stride, shift, about, column });
        self.stride += kind.size();
    }

    /// The columns in their order.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Where a column begins within the row.
    pub(crate) fn offset_of(&self, slot: usize) -> usize {
        self.slots.get(slot).map_or(self.stride, |slot| slot.offset)
    }

    /// Bytes per row.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// Packs the chosen rows; `bytes` becomes exactly `rows.len() * stride` long.
    pub(crate) fn pack(&self, records: &Records, rows: &[usize], bytes: &mut Vec<u8>) {
        // Reserved bytes must not keep anything of an earlier batch.
        bytes.clear();
        bytes.resize(rows.len() * self.stride, 0);
        // Column by column in blocks that stay in the cache.
        const BLOCK_ROWS: usize = 256;
        for (rows, bytes) in
            rows.chunks(BLOCK_ROWS).zip(bytes.chunks_mut(BLOCK_ROWS * self.stride.max(1)))
        {
            for slot in &self.slots {
                slot.pack(records, rows, bytes, self);
            }
        }
    }
}

impl Slot {
    fn pack(&self, records: &Records, rows: &[usize], bytes: &mut [u8], layout: &RowLayout) {
        let mut slots = Slots { rows, bytes, stride: layout.stride, offset: self.offset };
        let values = self.column.values(records);
        let shift = self.shift;
        match (values, self.kind) {
            (Values::F64(v), Kind::F64) => slots.put(|i| (v[i] - shift).to_le_bytes()),
            (Values::F64(v), _) => slots.put(|i| ((v[i] - shift) as f32).to_le_bytes()),
            (Values::AxisF64(v, a), Kind::F64) => {
                slots.put(|i| (v[i][a] - shift).to_le_bytes());
            }
            (Values::AxisF64(v, a), Kind::I32) => {
                slots.put(|i| {
                    steps(v[i][a], shift, layout.quantum).unwrap_or(NO_DATA).to_le_bytes()
                });
            }
            (Values::AxisF64(v, a), _) => {
                slots.put(|i| ((v[i][a] - shift) as f32).to_le_bytes());
            }
            (Values::F32(v), _) if layout.has_no_nan() => slots.put(|i| filled(v[i]).to_le_bytes()),
            (Values::AxisF32(v, a), _) if layout.has_no_nan() => {
                slots.put(|i| filled(v[i][a]).to_le_bytes());
            }
            (Values::F32(v), _) => slots.put(|i| v[i].to_le_bytes()),
            (Values::AxisF32(v, a), _) => slots.put(|i| v[i][a].to_le_bytes()),
            (Values::U64(v), Kind::F64) => slots.put(|i| (v[i] as f64).to_le_bytes()),
            (Values::U64(v), _) => slots.put(|i| v[i].to_le_bytes()),
            (Values::U32(v), _) => slots.put(|i| v[i].to_le_bytes()),
            (Values::U16(v), _) => slots.put(|i| v[i].to_le_bytes()),
            (Values::U8(v), _) => slots.put(|i| v[i].to_le_bytes()),
            (Values::AxisU8(v, a), _) => slots.put(|i| [v[i][a]]),
        }
    }
}

impl Values<'_> {
    /// The type that holds the values without loss.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Values::F64(_) | Values::AxisF64(..) => Kind::F64,
            Values::F32(_) | Values::AxisF32(..) => Kind::F32,
            Values::U64(_) => Kind::U64,
            Values::U32(_) => Kind::U32,
            Values::U16(_) => Kind::U16,
            Values::U8(_) | Values::AxisU8(..) => Kind::U8,
        }
    }
}

/// Where one column of a block of rows goes.
struct Slots<'a> {
    rows: &'a [usize],
    bytes: &'a mut [u8],
    stride: usize,
    offset: usize,
}

impl Slots<'_> {
    /// Stores `value(row)` of each row. Rows come from the batch itself, so the index holds.
    fn put<const N: usize>(&mut self, value: impl Fn(usize) -> [u8; N]) {
        for (bytes, &row) in self.bytes.chunks_exact_mut(self.stride).zip(self.rows) {
            if let Some(slot) = bytes.get_mut(self.offset..self.offset + N) {
                slot.copy_from_slice(&value(row));
            }
        }
    }
}

/// A number in every case.
fn filled(value: f32) -> f32 {
    if value.is_nan() { FLOAT_NO_DATA } else { value }
}

/// How many steps of `quantum` lie between `offset` and `value`; `None` if that is no number or does
/// not fit.
pub(crate) fn steps(value: f64, offset: f64, quantum: f64) -> Option<i32> {
    let steps = ((value - offset) / quantum).round();
    // The smallest integer is kept for "no data".
    (steps > f64::from(i32::MIN) && steps <= f64::from(i32::MAX)).then_some(steps as i32)
}

/// The position of the first return of a batch.
pub fn first_return(records: &Records) -> Option<[f64; 3]> {
    let row = records.return_number.iter().position(|&n| n > 0)?;
    records.world_xyz_m.get(row).copied()
}
