//! NPY: a structured array with a name per column, or a plain array whose last axis is the columns.
//!
//! Of a plain array of three axes, as an organised scan has it, the first two are the channel and
//! the column of the scan.

use crate::format::csv::read::default_names;
use crate::format::fixed_rows::{FixedTable, Rows, Scalar};
use crate::format::organised::Organised;
use crate::format::table::{Opened, Source, Table};
use crate::text_lines::LINE_MAX;
use crate::{CloudError, OutputFormat};
use npyz::{DType, Endianness};
use std::io::Read;

/// What the header says.
struct Header {
    rows: Rows,
    count: u64,
    /// Rows per channel of an organised scan.
    columns_per_channel: Option<u64>,
}

/// Opens an NPY file.
pub(crate) fn open(mut source: Source, given: Option<&[String]>) -> Result<Opened, CloudError> {
    let cut_short = |source: &Source| source.damaged("NPY", "its header is cut short");
    let mut magic = [0; 8];
    source.reader.read_exact(&mut magic).map_err(|_| cut_short(&source))?;
    let [mark @ .., major, minor] = magic;
    if mark != *b"\x93NUMPY" {
        return Err(source.damaged("NPY", "it does not begin with the word NUMPY"));
    }
    // The length of the header has 2 bytes in version 1 and 4 later.
    let mut length = [0; 4];
    let length_len = if major == 1 { 2 } else { 4 };
    source.reader.read_exact(&mut length[..length_len]).map_err(|_| cut_short(&source))?;
    let length = u64::from(u32::from_le_bytes(length));
    let start = 8 + length_len as u64 + length;
    if length > LINE_MAX || start > source.bytes {
        return Err(cut_short(&source));
    }
    let mut text = Vec::new();
    let read = source.reader.by_ref().take(length).read_to_end(&mut text);
    if read.map_err(|e| CloudError::read(&source.path, e))? as u64 != length {
        return Err(cut_short(&source));
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let header = parse(&text, given).map_err(|what| source.damaged("NPY", what))?;
    let mut facts = source.facts(OutputFormat::Npy, format!("NPY {major}.{minor}"));
    facts.rows = Some(header.count);
    header.rows.check(&source, "NPY", start, header.count)?;
    let table = FixedTable {
        path: source.path,
        format: "NPY",
        rows: header.rows,
        left: header.count,
        source: Box::new(source.reader),
        bytes: Vec::new(),
    };
    let table: Box<dyn Table> = match header.columns_per_channel {
        Some(per_channel) => Box::new(Organised::new(Box::new(table), per_channel)),
        None => Box::new(table),
    };
    Ok(Opened { table, facts })
}

/// Columns and number of rows from the dictionary in which NumPy describes an array.
fn parse(text: &str, given: Option<&[String]>) -> Result<Header, &'static str> {
    let between = |from: &str, to: &str| {
        let rest = text.split_once(from)?.1;
        Some(rest.split_once(to)?.0.trim().trim_end_matches(',').trim())
    };
    let descr = between("'descr':", "'fortran_order'").ok_or("its header names no type")?;
    let fortran = between("'fortran_order':", ",").is_some_and(|order| order == "True");
    let shape = text.split_once("'shape':").ok_or("its header names no shape")?.1;
    let shape = shape.split_once('(').and_then(|(_, s)| s.split_once(')'));
    let shape = shape.ok_or("its header names no shape")?.0;
    let sizes: Result<Vec<u64>, _> =
        shape.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::parse).collect();
    let sizes = sizes.map_err(|_| "its shape is no list of numbers")?;
    let product = |sizes: &[u64]| {
        sizes.iter().try_fold(1u64, |a, &b| a.checked_mul(b)).ok_or("its shape is too large")
    };
    product(&sizes)?;
    // The parser of types calls itself for each bracket: deep nesting would exhaust the stack.
    let mut depth = 0usize;
    for letter in descr.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 8 {
            return Err("its type is nested too deeply");
        }
    }
    let dtype = DType::parse(descr).map_err(|_| "its type is unknown")?;
    if fortran && sizes.len() > 1 {
        return Err("it stands column by column; save it with numpy.ascontiguousarray");
    }
    let mut rows = Rows::new(is_big_endian(&dtype));
    if let DType::Record(fields) = &dtype {
        let order = |field: &npyz::Field| match &field.dtype {
            DType::Plain(plain) => Some(plain.endianness()),
            _ => None,
        };
        let has = |wanted| fields.iter().any(|field| order(field) == Some(wanted));
        if has(Endianness::Big) && has(Endianness::Little) {
            return Err("its columns differ in byte order; save them in one");
        }
        fields.iter().for_each(|field| rows.push(&field.name, scalar(&field.dtype)));
        return Ok(Header { rows, count: product(&sizes)?, columns_per_channel: None });
    }
    // A list of numbers is one column.
    let (width, outer) = match sizes.split_last() {
        Some((&width, outer)) if !outer.is_empty() => (width, outer),
        _ => (1, sizes.as_slice()),
    };
    if width > 4096 {
        return Err("its last axis, the columns, is longer than 4096");
    }
    let names = match given {
        Some(given) if given.len() as u64 == width => given.to_vec(),
        Some(_) => return Err("its last axis does not have as many columns as were named"),
        None if width == 1 => vec!["value".to_owned()],
        None => default_names(width as usize),
    };
    names.iter().for_each(|name| rows.push(name, scalar(&dtype)));
    let columns_per_channel = match outer {
        [_, columns] => Some(*columns),
        _ => None,
    };
    Ok(Header { rows, count: product(outer)?, columns_per_channel })
}

/// Whether the first number of a type has its highest byte first.
fn is_big_endian(dtype: &DType) -> bool {
    match dtype {
        DType::Plain(plain) => plain.endianness() == Endianness::Big,
        DType::Array(_, inner) => is_big_endian(inner),
        DType::Record(fields) => fields.iter().any(|field| is_big_endian(&field.dtype)),
    }
}

fn scalar(dtype: &DType) -> Scalar {
    let descr = dtype.descr();
    let code = descr.trim_matches('\'');
    match code.trim_start_matches(['<', '>', '|', '=']) {
        "f4" => Scalar::F32,
        "f8" => Scalar::F64,
        "u1" | "b1" => Scalar::Unsigned(1),
        "u2" => Scalar::Unsigned(2),
        "u4" => Scalar::Unsigned(4),
        "u8" => Scalar::Unsigned(8),
        "i1" => Scalar::Signed(1),
        "i2" => Scalar::Signed(2),
        "i4" => Scalar::Signed(4),
        "i8" => Scalar::Signed(8),
        _ => Scalar::Opaque(opaque_size(dtype)),
    }
}

/// Size of a type that is no number; the widest there is if it does not say.
fn opaque_size(dtype: &DType) -> usize {
    match dtype {
        DType::Array(count, inner) => {
            usize::try_from(*count).unwrap_or(usize::MAX).saturating_mul(opaque_size(inner))
        }
        DType::Record(fields) => {
            fields.iter().map(|f| opaque_size(&f.dtype)).fold(0, usize::saturating_add)
        }
        DType::Plain(plain) => plain.num_bytes().unwrap_or(usize::MAX),
    }
}
