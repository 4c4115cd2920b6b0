//! Parquet: one table with all columns, each in its own type, for data work.
//!
//! What enters: records. What leaves: a file of row groups, whose columns pyarrow, pandas, Polars,
//! DuckDB and R open by name. Misses are rows; what a miss cannot have is NaN and not null, so that
//! every value is the very one that was written.
//!
//! A row group is cut after a fixed number of rows, and its columns are encoded side by side on the
//! threads of the pool: neither batches nor threads change a byte.

use crate::format::row_layout::Kind;
use crate::records::{FILE_COLUMNS, FileColumn, Values};
use crate::scene_names::NAMES_KEY;
use crate::sink::select_rows;
use crate::staging::StagedFile;
use crate::{CloudError, Misses, RecordSink, Records, SOFTWARE, SinkOptions, SinkReport};
use bytes::Bytes;
use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{
    EnabledStatistics, WriterProperties, WriterPropertiesPtr, WriterVersion,
};
use parquet::file::writer::{SerializedFileWriter, SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, ColumnPath, Type};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Rows in a group: some twenty megabytes in memory.
const GROUP_ROWS: usize = 131_072;

/// Writes one Parquet file.
pub(crate) struct ParquetSink {
    path: PathBuf,
    file: SerializedFileWriter<StagedFile>,
    properties: WriterPropertiesPtr,
    misses: Misses,
    /// Rows of the group that is not yet full.
    pending: Records,
    rows: u64,
    dropped_misses: u64,
    selected: Vec<usize>,
}

impl ParquetSink {
    /// Opens a Parquet file.
    pub(crate) fn create(path: &Path, options: &SinkOptions) -> Result<ParquetSink, CloudError> {
        let file = StagedFile::create(path)?;
        let properties = Arc::new(properties(options).map_err(|e| failed(path, e))?);
        let file = schema()
            .and_then(|schema| SerializedFileWriter::new(file, schema, Arc::clone(&properties)))
            .map_err(|e| failed(path, e))?;
        Ok(ParquetSink {
            path: path.to_path_buf(),
            file,
            properties,
            misses: options.misses,
            pending: Records::default(),
            rows: 0,
            dropped_misses: 0,
            selected: Vec::new(),
        })
    }

    /// Writes the pending rows as one group.
    fn put_group(&mut self) -> Result<(), CloudError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        self.encode_group().map_err(|e| failed(&self.path, e))?;
        self.rows += self.pending.len() as u64;
        self.pending.clear();
        Ok(())
    }

    fn encode_group(&mut self) -> Result<(), ParquetError> {
        let schema = self.file.schema_descr();
        let jobs: Vec<(FileColumn, ColumnDescPtr)> = FILE_COLUMNS
            .into_iter()
            .enumerate()
            .map(|(i, column)| (column, schema.column(i)))
            .collect();
        let encoded: Result<Vec<_>, ParquetError> = jobs
            .into_par_iter()
            .map(|(column, of)| encode(&self.pending, column, of, Arc::clone(&self.properties)))
            .collect();
        let mut group = self.file.next_row_group()?;
        for (bytes, closed) in encoded? {
            group.append_column(&bytes, closed)?;
        }
        group.close()?;
        Ok(())
    }
}

impl RecordSink for ParquetSink {
    fn write(&mut self, records: &Records) -> Result<(), CloudError> {
        records.check_even()?;
        let mut selected = std::mem::take(&mut self.selected);
        self.dropped_misses += select_rows(records, self.misses, &mut selected);
        let mut rows = selected.as_slice();
        while !rows.is_empty() {
            let (now, later) = rows.split_at(rows.len().min(GROUP_ROWS - self.pending.len()));
            self.pending.append_rows(records, now);
            rows = later;
            if self.pending.len() == GROUP_ROWS {
                self.put_group()?;
            }
        }
        self.selected = selected;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<SinkReport, CloudError> {
        self.put_group()?;
        let file = self.file.into_inner().map_err(|e| failed(&self.path, e))?;
        Ok(SinkReport {
            paths: vec![file.publish()?],
            rows: self.rows,
            dropped_misses: self.dropped_misses,
            ..SinkReport::default()
        })
    }
}

/// The type of a column in the file.
fn column_type(column: &FileColumn) -> (Physical, Option<LogicalType>) {
    let unsigned = |bits| Some(LogicalType::integer(bits, false));
    match column.values(&Records::default()).kind() {
        Kind::F64 => (Physical::DOUBLE, None),
        Kind::F32 => (Physical::FLOAT, None),
        Kind::U64 => (Physical::INT64, unsigned(64)),
        Kind::U32 => (Physical::INT32, unsigned(32)),
        Kind::U16 => (Physical::INT32, unsigned(16)),
        Kind::U8 => (Physical::INT32, unsigned(8)),
        Kind::I32 => (Physical::INT32, None),
    }
}

fn schema() -> Result<Arc<Type>, ParquetError> {
    let mut fields = Vec::new();
    for column in FILE_COLUMNS {
        let (physical, logical) = column_type(&column);
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Ok(Arc::new(Type::group_type_builder("records").with_fields(fields).build()?))
}

fn properties(options: &SinkOptions) -> Result<WriterProperties, ParquetError> {
    let mut metadata = vec![KeyValue::new("software".to_owned(), SOFTWARE.to_owned())];
    if let Some(names) = &options.names {
        metadata.push(KeyValue::new(NAMES_KEY.to_owned(), names.to_json()));
    }
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(SOFTWARE.to_owned())
        .set_key_value_metadata(Some(metadata))
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_offset_index_disabled(true)
        .set_dictionary_enabled(false);
    for column in FILE_COLUMNS {
        let path = ColumnPath::from(column.name);
        builder = match column.values(&Records::default()).kind() {
            // Few different values.
            Kind::U8 | Kind::U16 => builder.set_column_dictionary_enabled(path, true),
            // Numbers that rise.
            Kind::U64 | Kind::U32 => {
                builder.set_column_encoding(path, Encoding::DELTA_BINARY_PACKED)
            }
            // The upper bytes of neighbours are alike.
            Kind::F64 | Kind::F32 => builder.set_column_encoding(path, Encoding::BYTE_STREAM_SPLIT),
            Kind::I32 => builder,
        };
    }
    Ok(builder.build())
}

/// Encodes one column of a group.
fn encode(
    records: &Records,
    column: FileColumn,
    of: ColumnDescPtr,
    properties: WriterPropertiesPtr,
) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let mut out = TrackedWrite::new(Vec::new());
    let pages = Box::new(SerializedPageWriter::new(&mut out));
    let mut writer = get_column_writer(of, properties, pages);
    match (&mut writer, column.values(records)) {
        (ColumnWriter::DoubleColumnWriter(to), Values::F64(v)) => put(to, v, |v| *v),
        (ColumnWriter::DoubleColumnWriter(to), Values::AxisF64(v, axis)) => put(to, v, |v| v[axis]),
        (ColumnWriter::FloatColumnWriter(to), Values::F32(v)) => put(to, v, |v| *v),
        (ColumnWriter::FloatColumnWriter(to), Values::AxisF32(v, axis)) => put(to, v, |v| v[axis]),
        (ColumnWriter::Int64ColumnWriter(to), Values::U64(v)) => put(to, v, |v| v.cast_signed()),
        (ColumnWriter::Int32ColumnWriter(to), Values::U32(v)) => put(to, v, |v| v.cast_signed()),
        (ColumnWriter::Int32ColumnWriter(to), Values::U16(v)) => put(to, v, |v| i32::from(*v)),
        (ColumnWriter::Int32ColumnWriter(to), Values::U8(v)) => put(to, v, |v| i32::from(*v)),
        (ColumnWriter::Int32ColumnWriter(to), Values::AxisU8(v, axis)) => {
            put(to, v, |v| i32::from(v[axis]))
        }
        _ => Err(ParquetError::General(format!("column {} has another type", column.name))),
    }?;
    let closed = writer.close()?;
    Ok((Bytes::from(out.into_inner()?), closed))
}

/// Writes the values of one column.
fn put<V, T: DataType>(
    to: &mut parquet::column::writer::ColumnWriterImpl<'_, T>,
    values: &[V],
    value: impl Fn(&V) -> T::T,
) -> Result<(), ParquetError> {
    let mut part = Vec::new();
    for values in values.chunks(8192) {
        part.clear();
        part.extend(values.iter().map(&value));
        to.write_batch(&part, None, None)?;
    }
    Ok(())
}

/// An error of the operating system as such, others in words.
fn failed(path: &Path, error: ParquetError) -> CloudError {
    let error = match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => *error,
            Err(other) => std::io::Error::other(other.to_string()),
        },
        other => std::io::Error::other(other.to_string()),
    };
    CloudError::write(path, error)
}
