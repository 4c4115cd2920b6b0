//! Rows of fixed length as they stand in LAS, PLY, PCD, NPY and KITTI files.
//!
//! What enters: bytes of rows, and where the columns are. What leaves: columns of numbers.

use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, Source, Table};
use crate::{CloudError, ColumnSummary};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;

/// A row longer than this is not believed.
const STRIDE_MAX: usize = 1 << 16;

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scalar {
    F32,
    F64,
    Unsigned(u8),
    Signed(u8),
    /// Bytes that are no number; how many.
    Opaque(usize),
}

impl Scalar {
    /// Size in bytes.
    pub(crate) fn size(self) -> usize {
        match self {
            Scalar::F32 => 4,
            Scalar::F64 => 8,
            Scalar::Unsigned(size) | Scalar::Signed(size) => usize::from(size),
            Scalar::Opaque(size) => size,
        }
    }

    /// The type as Rust calls it.
    pub(crate) fn name(self) -> String {
        match self {
            Scalar::F32 => "f32".to_owned(),
            Scalar::F64 => "f64".to_owned(),
            Scalar::Unsigned(size) => format!("u{}", 8 * u32::from(size)),
            Scalar::Signed(size) => format!("i{}", 8 * u32::from(size)),
            Scalar::Opaque(size) => format!("{size} bytes"),
        }
    }
}

/// What a stored number means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// Itself.
    Plain,
    /// Some of its bits.
    Bits { shift: u32, mask: u64 },
    /// A number of steps; `no_data` stands for none.
    Steps { scale: f64, offset: f64, no_data: Option<f64> },
}

/// A column of a row.
#[derive(Clone, Debug)]
struct RowColumn {
    name: String,
    kind: String,
    scalar: Scalar,
    at: usize,
    meaning: Meaning,
}

/// The columns of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    columns: Vec<RowColumn>,
    stride: usize,
    big_endian: bool,
}

impl Rows {
    /// Rows whose numbers have their first byte last, or first.
    pub(crate) fn new(big_endian: bool) -> Rows {
        Rows { big_endian, ..Rows::default() }
    }

    /// Appends a column behind the others.
    pub(crate) fn push(&mut self, name: &str, scalar: Scalar) {
        self.put(name, &scalar.name(), scalar, self.stride, Meaning::Plain);
        self.stride = self.stride.saturating_add(scalar.size());
    }

    /// Adds a column at a place within rows whose length [`set_stride`](Rows::set_stride) says.
    pub(crate) fn put(
        &mut self,
        name: &str,
        kind: &str,
        scalar: Scalar,
        at: usize,
        meaning: Meaning,
    ) {
        let (name, kind) = (name.to_owned(), kind.to_owned());
        self.columns.push(RowColumn { name, kind, scalar, at, meaning });
    }

    /// Says how long a row is.
    pub(crate) fn set_stride(&mut self, stride: usize) {
        self.stride = stride;
    }

    /// Bytes per row.
    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    /// The columns for a summary.
    pub(crate) fn summaries(&self) -> Vec<ColumnSummary> {
        let summary = |c: &RowColumn| ColumnSummary { name: c.name.clone(), kind: c.kind.clone() };
        self.columns.iter().map(summary).collect()
    }

    /// Names and types of the columns.
    pub(crate) fn column_scalars(&self) -> impl Iterator<Item = (String, Scalar)> + '_ {
        self.columns.iter().map(|c| (c.name.clone(), c.scalar))
    }

    /// Refuses a header that promises more than the file can hold behind byte `start`.
    pub(crate) fn check(
        &self,
        source: &Source,
        format: &'static str,
        start: u64,
        rows: u64,
    ) -> Result<(), CloudError> {
        if self.stride > STRIDE_MAX {
            let what = format!("its header says that a row has {} bytes", self.stride);
            return Err(source.damaged(format, what));
        }
        if self.stride == 0 && rows > 0 {
            return Err(source.damaged(format, "its header names no columns"));
        }
        let held = source.bytes.saturating_sub(start);
        let wanted = rows.checked_mul(self.stride as u64);
        if wanted.is_none_or(|wanted| wanted > held) {
            let what = format!(
                "its header promises {rows} rows of {} bytes, but only {held} bytes follow byte {start}",
                self.stride
            );
            return Err(source.damaged(format, what));
        }
        Ok(())
    }

    /// Appends the values of one column in `bytes`, whole rows, to `values`.
    pub(crate) fn decode(&self, column: usize, bytes: &[u8], values: &mut Vec<f64>) {
        let Some(column) = self.columns.get(column) else { return };
        let rows = Gather { bytes, stride: self.stride.max(1), at: column.at };
        let big = self.big_endian;
        let first = values.len();
        let mut bits = 0;
        macro_rules! gather {
            ($t:ty) => {
                if big {
                    rows.append_to(values, |b| <$t>::from_be_bytes(b) as f64)
                } else {
                    rows.append_to(values, |b| <$t>::from_le_bytes(b) as f64)
                }
            };
        }
        match (column.scalar, column.meaning) {
            (Scalar::Unsigned(1), Meaning::Bits { shift, mask }) => {
                rows.append_to(values, |[b]: [u8; 1]| ((u64::from(b) >> shift) & mask) as f64);
                bits = 1;
            }
            (Scalar::F32, _) => gather!(f32),
            (Scalar::F64, _) => gather!(f64),
            (Scalar::Unsigned(1), _) => gather!(u8),
            (Scalar::Unsigned(2), _) => gather!(u16),
            (Scalar::Unsigned(4), _) => gather!(u32),
            (Scalar::Unsigned(_), _) => gather!(u64),
            (Scalar::Signed(1), _) => gather!(i8),
            (Scalar::Signed(2), _) => gather!(i16),
            (Scalar::Signed(4), _) => gather!(i32),
            (Scalar::Signed(_), _) => gather!(i64),
            (Scalar::Opaque(_), _) => rows.append_to(values, |_: [u8; 0]| f64::NAN),
        }
        if let (0, Meaning::Steps { scale, offset, no_data }) = (bits, column.meaning) {
            for value in values.iter_mut().skip(first) {
                *value = if no_data == Some(*value) { f64::NAN } else { *value * scale + offset };
            }
        }
    }
}

/// One column of some rows.
struct Gather<'a> {
    bytes: &'a [u8],
    stride: usize,
    at: usize,
}

impl Gather<'_> {
    /// Appends the numbers; a row that is too short has none.
    fn append_to<const N: usize>(&self, values: &mut Vec<f64>, number: impl Fn([u8; N]) -> f64) {
        let (from, to) = (self.at, self.at.saturating_add(N));
        values.extend(self.bytes.chunks_exact(self.stride).map(|row| {
            let bytes = row.get(from..to).and_then(|bytes| <[u8; N]>::try_from(bytes).ok());
            bytes.map_or(f64::NAN, &number)
        }));
    }
}

/// Where the bytes of rows come from.
pub(crate) trait RowBytes: Send {
    /// Fills `bytes` with the next rows.
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()>;
}

impl RowBytes for BufReader<File> {
    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.read_exact(bytes)
    }
}

/// A table of rows of fixed length.
pub(crate) struct FixedTable {
    pub(crate) path: PathBuf,
    pub(crate) format: &'static str,
    pub(crate) rows: Rows,
    pub(crate) left: u64,
    pub(crate) source: Box<dyn RowBytes>,
    pub(crate) bytes: Vec<u8>,
}

impl Table for FixedTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        self.rows.summaries()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let stride = self.rows.stride();
        // Long rows come in smaller blocks.
        let most = ((1 << 22) / stride.max(1)).clamp(1, BLOCK_ROWS) as u64;
        let now = if stride == 0 { 0 } else { self.left.min(most) };
        self.bytes.resize(now as usize * stride, 0);
        self.source.fill(&mut self.bytes).map_err(|e| {
            damaged(&self.path, self.format, format!("{e}, with {} rows still to come", self.left))
        })?;
        self.left -= now;
        block.resize_with(wanted.len(), Vec::new);
        for (values, &column) in block.iter_mut().zip(wanted) {
            values.clear();
            self.rows.decode(column, &self.bytes, values);
        }
        Ok(now as usize)
    }
}
