//! Rows of fixed length as they stand in PLY, PCD, NPY and KITTI files.
//!
//! What enters: a file at its first row, and where the columns are. What leaves: counts, bounds and
//! times, gathered in one pass through a small buffer.

use crate::CloudError;
use crate::info::{ColumnSummary, FileSummary, Source, Tally};
use std::io::Read;

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

    /// The number in little-endian `bytes`; NaN for what is none.
    fn read(self, bytes: &[u8]) -> f64 {
        let mut wide = [0; 8];
        let size = self.size().min(8);
        let Some(bytes) = bytes.get(..size) else { return f64::NAN };
        wide[..size].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match self {
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F64 => f64::from_bits(bits),
            Scalar::Unsigned(_) => bits as f64,
            Scalar::Signed(size) => {
                let unused = 64 - 8 * u32::from(size.clamp(1, 8));
                ((bits << unused) as i64 >> unused) as f64
            }
            Scalar::Opaque(_) => f64::NAN,
        }
    }
}

/// The columns of a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    columns: Vec<(String, Scalar, usize)>,
    stride: usize,
}

impl Rows {
    /// Appends a column.
    pub(crate) fn push(&mut self, name: &str, scalar: Scalar) {
        self.columns.push((name.to_owned(), scalar, self.stride));
        self.stride = self.stride.saturating_add(scalar.size());
    }

    /// The columns for a summary.
    pub(crate) fn summaries(&self) -> Vec<ColumnSummary> {
        let summary = |(name, scalar, _): &(String, Scalar, usize)| ColumnSummary {
            name: name.clone(),
            kind: scalar.name(),
        };
        self.columns.iter().map(summary).collect()
    }

    fn find(&self, names: &[&str]) -> Option<(Scalar, usize)> {
        let found = |name| self.columns.iter().find(|(n, ..)| n == name);
        names.iter().find_map(found).map(|&(_, scalar, offset)| (scalar, offset))
    }

    /// Reads `rows` rows that begin at byte `start`, and completes `summary`.
    pub(crate) fn scan(
        &self,
        source: &mut Source<'_>,
        format: &'static str,
        start: u64,
        rows: u64,
        summary: &mut FileSummary,
    ) -> Result<(), CloudError> {
        self.check(source, format, start, rows)?;
        // The world's coordinates, if a file has two kinds.
        let axes =
            [["world_x_m", "x", "x_m"], ["world_y_m", "y", "y_m"], ["world_z_m", "z", "z_m"]]
                .map(|names| self.find(&names));
        let time = self.find(&["time_s"]);
        let number = self.find(&["return_number"]);
        let read = |row: &[u8], column: (Scalar, usize)| {
            row.get(column.1..).map_or(f64::NAN, |bytes| column.0.read(bytes))
        };
        let mut tally = Tally::default();
        let block = (1 << 18) / self.stride.max(1);
        let mut bytes = vec![0; block.max(1) * self.stride];
        let mut left = rows;
        while left > 0 && self.stride > 0 {
            let now = left.min(block.max(1) as u64) as usize;
            let bytes = &mut bytes[..now * self.stride];
            source.reader.read_exact(bytes).map_err(|e| CloudError::read(source.path, e))?;
            for row in bytes.chunks_exact(self.stride) {
                let xyz = match axes {
                    [Some(x), Some(y), Some(z)] => Some([x, y, z].map(|c| read(row, c))),
                    _ => None,
                };
                let is_return = number.is_none_or(|n| read(row, n) > 0.0);
                tally.add(xyz, time.map(|t| read(row, t)), is_return);
            }
            left -= now as u64;
        }
        tally.put_into(summary, number.is_some());
        Ok(())
    }

    /// Refuses a header that promises more than the file can hold.
    fn check(
        &self,
        source: &Source<'_>,
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
                "its header promises {rows} rows of {} bytes, but only {held} bytes follow",
                self.stride
            );
            return Err(source.damaged(format, what));
        }
        Ok(())
    }
}
