//! PLY: the scalar properties of the element `vertex`, in text or in bytes of either order.

use crate::format::csv::read::TextTable;
use crate::format::fixed_rows::{FixedTable, Rows, Scalar};
use crate::format::table::{Opened, Source};
use crate::text_lines::{Separator, next_line};
use crate::{CloudError, OutputFormat};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, ElementDef, Encoding, PropertyType, ScalarType};
use std::io::{Read, Seek, SeekFrom};

/// A header longer than this is not believed.
const HEADER_MAX: u64 = 1 << 16;

/// Opens a PLY file.
pub(crate) fn open(mut source: Source) -> Result<Opened, CloudError> {
    let mut reader = Reader::new(source.reader.by_ref().take(HEADER_MAX));
    let header = Parser::<DefaultElement>::new().read_header(&mut reader);
    let start = HEADER_MAX - reader.into_inner().limit();
    // The parser's own message has several lines, of which the first says it all.
    let header = header.map_err(|e| {
        let text = e.to_string();
        let first = text.lines().next().unwrap_or_default().trim_end_matches('.');
        source.damaged("PLY", format!("its header: {first}"))
    })?;
    let mut facts = source.facts(OutputFormat::Ply, format!("PLY 1.0, {}", header.encoding));
    facts.software = header.comments.iter().find_map(|comment| {
        let comment = comment.trim();
        comment.starts_with("Understory").then(|| comment.to_owned())
    });
    let big_endian = header.encoding == Encoding::BinaryBigEndian;
    // Elements in front of the vertices are passed over, if their length is known.
    let (mut skip_bytes, mut skip_lines) = (0u64, 0u64);
    let mut vertex = None;
    for (name, element) in &header.elements {
        if name == "vertex" {
            vertex = Some(element);
            break;
        }
        let rows = rows_of(element, big_endian);
        let bytes =
            rows.as_ref().and_then(|r| (r.stride() as u64).checked_mul(element.count as u64));
        match (header.encoding, bytes.and_then(|bytes| skip_bytes.checked_add(bytes))) {
            (Encoding::Ascii, _) => skip_lines = skip_lines.saturating_add(element.count as u64),
            (_, Some(bytes)) => skip_bytes = bytes,
            (_, None) => {
                let what =
                    format!("its element {name:.20?}, which has lists, stands before its vertices");
                return Err(source.damaged("PLY", what));
            }
        }
    }
    let Some(vertex) = vertex else {
        return Err(source.damaged("PLY", "its header names no element vertex"));
    };
    let Some(rows) = rows_of(vertex, big_endian) else {
        return Err(source.damaged("PLY", "its vertices have a property that is a list"));
    };
    let count = vertex.count as u64;
    facts.rows = Some(count);
    let has = |name: &str| vertex.properties.contains_key(name);
    if has("time") && has("alpha") && (has("nx") || has("rayx")) {
        facts.format = OutputFormat::RayCloud;
        facts.version = format!("ray cloud, {}", facts.version);
    }
    if header.encoding == Encoding::Ascii {
        // A number and what separates it from the next take two letters.
        let least = (rows.summaries().len() as u64).saturating_mul(2).saturating_mul(count);
        let held = source.bytes.saturating_sub(start).saturating_add(1);
        if least > held || (least == 0 && count > 0) {
            let what = format!("its header promises {count} rows, but only {held} bytes follow");
            return Err(source.damaged("PLY", what));
        }
        let mut line = Vec::new();
        for _ in 0..skip_lines {
            let read = next_line(&mut source.reader, &mut line);
            let read = read.map_err(|e| CloudError::read(&source.path, e))?;
            if read.is_none() {
                return Err(source.damaged("PLY", "it ends before its vertices"));
            }
        }
        let table = TextTable {
            path: source.path,
            format: "PLY",
            names: rows.summaries().into_iter().map(|c| c.name).collect(),
            separator: Separator::Blanks,
            reader: source.reader,
            left: Some(count),
            line: header_lines(&header) + skip_lines,
            pending: None,
        };
        return Ok(Opened { table: Box::new(table), facts });
    }
    let start = start.saturating_add(skip_bytes);
    rows.check(&source, "PLY", start, count)?;
    let failed = |e| CloudError::read(&source.path, e);
    source.reader.seek(SeekFrom::Start(start)).map_err(failed)?;
    let table = FixedTable {
        path: source.path,
        format: "PLY",
        rows,
        left: count,
        source: Box::new(source.reader),
        bytes: Vec::new(),
    };
    Ok(Opened { table: Box::new(table), facts })
}

/// Lines of a header: its marks, its comments, its elements and their properties.
fn header_lines(header: &ply_rs_bw::ply::Header) -> u64 {
    let properties: usize = header.elements.values().map(|e| e.properties.len() + 1).sum();
    (3 + header.comments.len() + header.obj_infos.len() + properties) as u64
}

/// The row of an element; `None` if it has lists.
fn rows_of(element: &ElementDef, big_endian: bool) -> Option<Rows> {
    let mut rows = Rows::new(big_endian);
    for (name, property) in &element.properties {
        let scalar = match &property.data_type {
            PropertyType::Scalar(scalar) => scalar,
            PropertyType::List(..) => return None,
        };
        let scalar = match scalar {
            ScalarType::Char => Scalar::Signed(1),
            ScalarType::UChar => Scalar::Unsigned(1),
            ScalarType::Short => Scalar::Signed(2),
            ScalarType::UShort => Scalar::Unsigned(2),
            ScalarType::Int => Scalar::Signed(4),
            ScalarType::UInt => Scalar::Unsigned(4),
            ScalarType::Float => Scalar::F32,
            ScalarType::Double => Scalar::F64,
        };
        rows.push(name, scalar);
    }
    Some(rows)
}
