//! Columns as files have them: one number per row, vectors cut into their axes.
//!
//! What enters: the table of columns of [`records`](super). What leaves: [`FileColumn`]s in the
//! order of the files, each of which shows its values ([`Values`]) or has them filled
//! ([`ValuesMut`]).

use super::Records;

/// What is known of a column of the records.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ColumnInfo {
    /// Its name; a quantity's name ends in its unit.
    pub name: &'static str,
    /// Its type in Rust.
    pub kind: &'static str,
    /// Where its values come from.
    pub source: Source,
    /// What it is, in at most 32 characters.
    pub brief: &'static str,
    pub(super) doc: &'static str,
    /// Its names in files, one for each axis.
    pub file_names: &'static [&'static str],
    /// Its place among the columns of files.
    pub(super) rank: usize,
    pub(super) values: fn(&Records, usize) -> Values<'_>,
    pub(super) values_mut: fn(&mut Records, usize) -> ValuesMut<'_>,
}

/// Where the values of a column come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The sensor reports it, or it follows from what it reports.
    Measured,
    /// Only a simulation knows it.
    Truth,
}

impl ColumnInfo {
    /// What it is, in a sentence.
    pub fn doc(&self) -> &'static str {
        self.doc.trim()
    }

    /// Its unit, by the end of its name; empty for numbers without one.
    pub fn unit(&self) -> &'static str {
        let ends = |suffix| self.name.ends_with(suffix);
        match () {
            () if ends("_m_s") => "m/s",
            () if ends("_m") => "m",
            () if ends("_s") => "s",
            () if ends("_deg") => "°",
            () => "",
        }
    }
}

/// One column of numbers in files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileColumn {
    /// Name with its unit.
    pub(crate) name: &'static str,
    info: ColumnInfo,
    axis: usize,
}

impl FileColumn {
    /// The column of the records that it is, or is an axis of.
    pub(crate) fn info(&self) -> &ColumnInfo {
        &self.info
    }

    /// Its values.
    pub(crate) fn values<'a>(&self, records: &'a Records) -> Values<'a> {
        (self.info.values)(records, self.axis)
    }

    /// The same, to be filled.
    pub(crate) fn values_mut<'a>(&self, records: &'a mut Records) -> ValuesMut<'a> {
        (self.info.values_mut)(records, self.axis)
    }
}

/// How many columns of numbers there are.
pub(super) const fn count(columns: &[ColumnInfo]) -> usize {
    let (mut total, mut i) = (0, 0);
    while i < columns.len() {
        total += columns[i].file_names.len();
        i += 1;
    }
    total
}

/// The columns of numbers by their rank. Ranks that are not 0, 1, 2 … stop the compiler.
pub(super) const fn in_file_order<const N: usize>(columns: &[ColumnInfo]) -> [FileColumn; N] {
    let first = FileColumn { name: "", info: columns[0], axis: 0 };
    let mut ordered = [first; N];
    let (mut next, mut rank) = (0, 0);
    while rank < columns.len() {
        let mut i = 0;
        while columns[i].rank != rank {
            i += 1;
        }
        let info = columns[i];
        let mut axis = 0;
        while axis < info.file_names.len() {
            ordered[next] = FileColumn { name: info.file_names[axis], info, axis };
            next += 1;
            axis += 1;
        }
        rank += 1;
    }
    ordered
}

/// A type of values in records: how its numbers are seen as a column of a file.
pub(super) trait Cell: Sized {
    fn values(rows: &[Self], axis: usize) -> Values<'_>;
    fn values_mut(rows: &mut [Self], axis: usize) -> ValuesMut<'_>;
}

macro_rules! cells {
    ($($ty:ty, $kind:ident;)*) => {$(
        impl Cell for $ty {
            fn values(rows: &[Self], _axis: usize) -> Values<'_> {
                Values::$kind(rows)
            }

            fn values_mut(rows: &mut [Self], _axis: usize) -> ValuesMut<'_> {
                ValuesMut::$kind(rows)
            }
        }
    )*};
}

cells! {
    f64, F64;
    f32, F32;
    u64, U64;
    u32, U32;
    u16, U16;
    u8, U8;
}

impl Cell for [f64; 3] {
    fn values(rows: &[Self], axis: usize) -> Values<'_> {
        Values::AxisF64(rows, axis)
    }

    fn values_mut(rows: &mut [Self], axis: usize) -> ValuesMut<'_> {
        ValuesMut::AxisF64(rows, axis)
    }
}

impl Cell for [u8; 3] {
    fn values(rows: &[Self], axis: usize) -> Values<'_> {
        Values::AxisU8(rows, axis)
    }

    fn values_mut(rows: &mut [Self], axis: usize) -> ValuesMut<'_> {
        ValuesMut::AxisU8(rows, axis)
    }
}

impl Cell for [f32; 3] {
    fn values(rows: &[Self], axis: usize) -> Values<'_> {
        Values::AxisF32(rows, axis)
    }

    fn values_mut(rows: &mut [Self], axis: usize) -> ValuesMut<'_> {
        ValuesMut::AxisF32(rows, axis)
    }
}

/// Borrowed values of one scalar column.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    U64(&'a [u64]),
    U32(&'a [u32]),
    U16(&'a [u16]),
    U8(&'a [u8]),
    AxisF64(&'a [[f64; 3]], usize),
    AxisF32(&'a [[f32; 3]], usize),
    AxisU8(&'a [[u8; 3]], usize),
}

/// Values of one scalar column that are to be filled.
#[derive(Debug)]
pub(crate) enum ValuesMut<'a> {
    F64(&'a mut [f64]),
    F32(&'a mut [f32]),
    U64(&'a mut [u64]),
    U32(&'a mut [u32]),
    U16(&'a mut [u16]),
    U8(&'a mut [u8]),
    AxisF64(&'a mut [[f64; 3]], usize),
    AxisF32(&'a mut [[f32; 3]], usize),
    AxisU8(&'a mut [[u8; 3]], usize),
}

impl ValuesMut<'_> {
    /// Sets the values, each times `factor`; what does not fit becomes the nearest that does.
    pub(crate) fn set(self, values: &[f64], factor: f64) {
        macro_rules! each {
            ($to:expr, $kind:ty) => {
                $to.iter_mut().zip(values).for_each(|(to, v)| *to = (v * factor) as $kind)
            };
        }
        match self {
            ValuesMut::F64(to) => each!(to, f64),
            ValuesMut::F32(to) => each!(to, f32),
            ValuesMut::U64(to) => each!(to, u64),
            ValuesMut::U32(to) => each!(to, u32),
            ValuesMut::U16(to) => each!(to, u16),
            ValuesMut::U8(to) => each!(to, u8),
            ValuesMut::AxisF64(to, axis) => {
                to.iter_mut().zip(values).for_each(|(to, v)| to[axis] = v * factor);
            }
            ValuesMut::AxisF32(to, axis) => {
                to.iter_mut().zip(values).for_each(|(to, v)| to[axis] = (v * factor) as f32);
            }
            ValuesMut::AxisU8(to, axis) => {
                to.iter_mut().zip(values).for_each(|(to, v)| to[axis] = (v * factor) as u8);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{COLUMNS, FILE_COLUMNS};

    #[test]
    fn names_are_unique_and_briefs_fit_into_las() {
        let mut names: Vec<_> = FILE_COLUMNS.iter().map(|column| column.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), FILE_COLUMNS.len());
        for column in COLUMNS {
            assert!(column.brief.len() <= 32, "{}", column.name);
            let axes = if column.kind.starts_with('[') { 3 } else { 1 };
            assert_eq!(column.file_names.len(), axes, "{}", column.name);
        }
        assert_eq!(FILE_COLUMNS[0].name, "x_m");
        assert_eq!(FILE_COLUMNS[42].name, "blue");
    }
}
