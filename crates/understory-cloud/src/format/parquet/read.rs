//! Parquet: every flat column of numbers, row group by row group.
//!
//! Nulls become NaN. Texts, lists and decimals are passed over with a remark. A column of timestamps
//! becomes seconds since [`ReadOptions::start_unix_ns`]. Before a group is read, the pages of its
//! columns are measured: see [`pages`](super::pages).

use super::pages::{SharedFile, largest_page};
use crate::error::damaged;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::scene_names::NAMES_KEY;
use crate::{CloudError, ColumnSummary, OutputFormat, ReadOptions, SceneNames};
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;
use rayon::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Memory that the pages of one group may take.
const GROUP_PAGES_MAX: u64 = 1 << 29;

/// What a stored number means.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Plain,
    Unsigned,
    /// Absolute time; how many nanoseconds one step has.
    Time(i64),
}

/// A column of numbers.
#[derive(Clone, Debug)]
struct NumberColumn {
    name: String,
    kind: String,
    /// Which column of the file.
    at: usize,
    meaning: Meaning,
    nullable: bool,
}

/// A column of the group that is being read.
struct OpenColumn {
    reader: ColumnReader,
    meaning: Meaning,
    nullable: bool,
    start_unix_ns: i64,
    levels: Vec<i16>,
}

/// A Parquet file, group by group.
struct ParquetTable {
    path: PathBuf,
    file: SerializedFileReader<SharedFile>,
    bytes: SharedFile,
    columns: Vec<NumberColumn>,
    start_unix_ns: i64,
    next_group: usize,
    /// Rows of the open group that were read and that are to come.
    done: usize,
    left: u64,
    open_columns: Vec<usize>,
    open: Vec<OpenColumn>,
    rows_before: u64,
}

/// Opens a Parquet file.
pub(crate) fn open(source: Source, options: &ReadOptions) -> Result<Opened, CloudError> {
    let mut facts = source.facts(OutputFormat::Parquet, String::new());
    let Source { path, bytes: length, reader } = source;
    let bytes = SharedFile::new(reader.into_inner(), length);
    let file = guarded(|| SerializedFileReader::new(bytes.clone()))
        .map_err(|e| damaged(&path, "Parquet", format!("its footer: {e}")))?;
    let metadata = file.metadata().file_metadata();
    facts.version = format!("Parquet {}", metadata.version());
    facts.names = metadata
        .key_value_metadata()
        .and_then(|pairs| pairs.iter().find(|pair| pair.key == NAMES_KEY)?.value.as_ref())
        .and_then(|text| SceneNames::from_json(text.as_bytes()));
    facts.software = metadata.created_by().map(|name| name.chars().take(200).collect());
    let groups = file.metadata().row_groups();
    let rows = groups
        .iter()
        .try_fold(0u64, |sum, group| sum.checked_add(u64::try_from(group.num_rows()).ok()?));
    // Points with coordinates take more than an eighth of a byte, whatever packs them.
    let Some(rows) = rows.filter(|&rows| rows <= length.saturating_mul(8).saturating_add(1 << 16))
    else {
        let what = format!("its footer promises more rows than {length} bytes can hold");
        return Err(damaged(&path, "Parquet", what));
    };
    facts.rows = Some(rows);
    let mut columns = Vec::new();
    let mut skipped = Vec::new();
    for (at, of) in metadata.schema_descr().columns().iter().enumerate() {
        match number_column(of, at) {
            Some(column) => columns.push(column),
            None => skipped.push(of.path().string()),
        }
    }
    if !skipped.is_empty() {
        let names: String = skipped.join(", ").chars().take(200).collect();
        facts.remarks.push(format!("passed over columns that are no plain numbers: {names}"));
    }
    let table = ParquetTable {
        path,
        file,
        bytes,
        columns,
        start_unix_ns: options.start_unix_ns,
        next_group: 0,
        done: 0,
        left: 0,
        open_columns: Vec::new(),
        open: Vec::new(),
        rows_before: 0,
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// The column if it is flat and of numbers.
fn number_column(of: &ColumnDescriptor, at: usize) -> Option<NumberColumn> {
    if of.max_rep_level() > 0 || of.max_def_level() > 1 || of.path().parts().len() != 1 {
        return None;
    }
    let bits = match of.physical_type() {
        Physical::INT32 => 32,
        Physical::INT64 => 64,
        Physical::FLOAT | Physical::DOUBLE | Physical::BOOLEAN => 0,
        _ => return None,
    };
    let (kind, meaning) = match (of.physical_type(), of.logical_type_ref(), of.converted_type()) {
        (Physical::FLOAT, _, _) => ("f32".to_owned(), Meaning::Plain),
        (Physical::DOUBLE, _, _) => ("f64".to_owned(), Meaning::Plain),
        (Physical::BOOLEAN, _, _) => ("u8".to_owned(), Meaning::Plain),
        (_, Some(LogicalType::Decimal(_)), _) | (_, _, ConvertedType::DECIMAL) => return None,
        (_, Some(LogicalType::Integer(int)), _) => match int.is_signed {
            true => (format!("i{}", int.bit_width), Meaning::Plain),
            false => (format!("u{}", int.bit_width), Meaning::Unsigned),
        },
        (_, Some(LogicalType::Timestamp(of)), _) => {
            let step_ns = match of.unit {
                TimeUnit::MILLIS => 1_000_000,
                TimeUnit::MICROS => 1000,
                TimeUnit::NANOS => 1,
            };
            ("time".to_owned(), Meaning::Time(step_ns))
        }
        (_, _, ConvertedType::TIMESTAMP_MILLIS) => ("time".to_owned(), Meaning::Time(1_000_000)),
        (_, _, ConvertedType::TIMESTAMP_MICROS) => ("time".to_owned(), Meaning::Time(1000)),
        (
            _,
            _,
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64,
        ) => (format!("u{bits}"), Meaning::Unsigned),
        _ => (format!("i{bits}"), Meaning::Plain),
    };
    let nullable = of.max_def_level() == 1;
    Some(NumberColumn { name: of.name().to_owned(), kind, at, meaning, nullable })
}

/// Runs a function of the decoder. Its checks on hostile files are not complete; where one is
/// missing it panics, which is an error about the file here.
fn guarded<T>(run: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(one_line(&error.to_string())),
        Err(_) => Err("its content contradicts itself".to_owned()),
    }
}

/// The first line of a message, not too long.
fn one_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

impl ParquetTable {
    fn damaged(&self, what: String) -> CloudError {
        let rows = self.rows_before + self.done as u64;
        damaged(&self.path, "Parquet", format!("{what}, after {rows} rows"))
    }

    /// Opens the next group that has rows; false at the end.
    fn next_group(&mut self) -> Result<bool, CloudError> {
        while let Some(group) = self.file.metadata().row_groups().get(self.next_group) {
            self.rows_before += self.done as u64;
            self.done = 0;
            self.left = u64::try_from(group.num_rows()).unwrap_or(0);
            self.next_group += 1;
            self.open_columns.clear();
            self.open.clear();
            if self.left > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Opens the wanted columns of the group at the row that is next.
    fn open_wanted(&mut self, wanted: &[usize]) -> Result<(), CloudError> {
        if self.open_columns == wanted && self.open.len() == wanted.len() {
            return Ok(());
        }
        let index = self.next_group.saturating_sub(1);
        let group = guarded(|| self.file.get_row_group(index)).map_err(|e| self.damaged(e))?;
        let mut open = Vec::new();
        let mut memory = 0u64;
        for column in wanted.iter().filter_map(|&at| self.columns.get(at)) {
            let chunk = group.metadata().columns().get(column.at);
            let chunk = chunk.ok_or_else(|| {
                self.damaged(format!("row group {index} has no column {:.40}", column.name))
            })?;
            let start = match chunk.dictionary_page_offset() {
                Some(dictionary) => dictionary.min(chunk.data_page_offset()),
                None => chunk.data_page_offset(),
            };
            let (Ok(start), Ok(length)) =
                (u64::try_from(start), u64::try_from(chunk.compressed_size()))
            else {
                let what = format!("column {:.40} has a negative place or length", column.name);
                return Err(self.damaged(what));
            };
            let rows = self.done as u64 + self.left;
            let largest = largest_page(&self.bytes, start, length, rows)
                .map_err(|what| self.damaged(format!("column {:.40}: {what}", column.name)))?;
            memory = memory.saturating_add(largest);
            if memory > GROUP_PAGES_MAX {
                let what = format!("row group {index} needs more than {GROUP_PAGES_MAX} bytes");
                return Err(self.damaged(what));
            }
            let done = self.done;
            let reader = guarded(|| {
                let mut reader = group.get_column_reader(column.at)?;
                if done > 0 {
                    skip(&mut reader, done)?;
                }
                Ok(reader)
            })
            .map_err(|e| self.damaged(format!("column {:.40}: {e}", column.name)))?;
            let (meaning, nullable) = (column.meaning, column.nullable);
            let start_unix_ns = self.start_unix_ns;
            open.push(OpenColumn { reader, meaning, nullable, start_unix_ns, levels: Vec::new() });
        }
        drop(group);
        self.open = open;
        self.open_columns = wanted.to_vec();
        Ok(())
    }
}

impl Table for ParquetTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        let summary =
            |c: &NumberColumn| ColumnSummary { name: c.name.clone(), kind: c.kind.clone() };
        self.columns.iter().map(summary).collect()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        block.resize_with(wanted.len(), Vec::new);
        block.iter_mut().for_each(Vec::clear);
        if self.left == 0 && !self.next_group()? {
            return Ok(0);
        }
        self.open_wanted(wanted)?;
        let now = self.left.min(BLOCK_ROWS as u64) as usize;
        let read: Result<(), String> = self
            .open
            .par_iter_mut()
            .zip(block.par_iter_mut())
            .map(|(column, values)| {
                guarded(|| column.read(now, values))?;
                match values.len() == now {
                    true => Ok(()),
                    false => Err(format!("a column has {} values instead of {now}", values.len())),
                }
            })
            .collect();
        read.map_err(|what| self.damaged(what))?;
        self.left -= now as u64;
        self.done += now;
        Ok(now)
    }
}

impl OpenColumn {
    /// Appends the next `rows` values.
    fn read(&mut self, rows: usize, values: &mut Vec<f64>) -> Result<(), ParquetError> {
        let levels = self.nullable.then_some(&mut self.levels);
        match (&mut self.reader, self.meaning) {
            (ColumnReader::BoolColumnReader(r), _) => {
                take(r, rows, levels, values, |v| f64::from(u8::from(*v)))
            }
            (ColumnReader::Int32ColumnReader(r), Meaning::Unsigned) => {
                take(r, rows, levels, values, |v| f64::from(v.cast_unsigned()))
            }
            (ColumnReader::Int32ColumnReader(r), _) => {
                take(r, rows, levels, values, |v| f64::from(*v))
            }
            (ColumnReader::Int64ColumnReader(r), Meaning::Unsigned) => {
                take(r, rows, levels, values, |v| v.cast_unsigned() as f64)
            }
            (ColumnReader::Int64ColumnReader(r), Meaning::Time(step_ns)) => {
                let start = i128::from(self.start_unix_ns);
                take(r, rows, levels, values, |v| {
                    (i128::from(*v) * i128::from(step_ns) - start) as f64 * 1e-9
                })
            }
            (ColumnReader::Int64ColumnReader(r), Meaning::Plain) => {
                take(r, rows, levels, values, |v| *v as f64)
            }
            (ColumnReader::FloatColumnReader(r), _) => {
                take(r, rows, levels, values, |v| f64::from(*v))
            }
            (ColumnReader::DoubleColumnReader(r), _) => take(r, rows, levels, values, |v| *v),
            _ => Err(ParquetError::General("a column is of no number".to_owned())),
        }
    }
}

/// Appends `rows` values of one column, NaN for nulls.
fn take<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    mut levels: Option<&mut Vec<i16>>,
    values: &mut Vec<f64>,
    number: impl Fn(&T::T) -> f64,
) -> Result<(), ParquetError> {
    if let Some(levels) = levels.as_deref_mut() {
        levels.clear();
    }
    let mut found = Vec::with_capacity(rows);
    reader.read_records(rows, levels.as_deref_mut(), None, &mut found)?;
    match levels {
        None => values.extend(found.iter().map(number)),
        Some(levels) => {
            let mut found = found.iter();
            values.extend(levels.iter().map(|&level| {
                let value = if level > 0 { found.next() } else { None };
                value.map_or(f64::NAN, &number)
            }));
        }
    }
    Ok(())
}

/// Passes over some rows.
fn skip(reader: &mut ColumnReader, rows: usize) -> Result<(), ParquetError> {
    match reader {
        ColumnReader::BoolColumnReader(r) => r.skip_records(rows),
        ColumnReader::Int32ColumnReader(r) => r.skip_records(rows),
        ColumnReader::Int64ColumnReader(r) => r.skip_records(rows),
        ColumnReader::FloatColumnReader(r) => r.skip_records(rows),
        ColumnReader::DoubleColumnReader(r) => r.skip_records(rows),
        _ => Ok(0),
    }?;
    Ok(())
}
