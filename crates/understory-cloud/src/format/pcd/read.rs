//! PCD in text, in bytes and compressed. `VIEWPOINT` is the pose of the sensor.

use super::lzf;
use crate::error::damaged;
use crate::format::csv::read::TextTable;
use crate::format::fixed_rows::{FixedTable, Rows, Scalar};
use crate::format::organised::Organised;
use crate::format::table::{BLOCK_ROWS, Block, Opened, Source, Table};
use crate::poses::Rigid;
use crate::text_lines::{Separator, next_line};
use crate::{CloudError, ColumnSummary, OutputFormat};
use glam::{DQuat, DVec3};
use std::io::Read;

/// The lines of a header.
#[derive(Default)]
struct Header {
    version: String,
    fields: Vec<String>,
    sizes: Vec<String>,
    types: Vec<String>,
    counts: Vec<String>,
    viewpoint: Option<Rigid>,
    points: Option<u64>,
    /// Lines of an organised cloud, and rows of each.
    height: u64,
    width: u64,
    data: String,
    software: Option<String>,
    lines: u64,
    bytes: u64,
}

/// Opens a PCD file.
pub(crate) fn open(mut source: Source) -> Result<Opened, CloudError> {
    let header = read_header(&mut source)?;
    let Some(points) = header.points else {
        return Err(source.damaged("PCD", "its header has no line POINTS with a number"));
    };
    let (columns, rows) = columns(&source, &header)?;
    let version = format!("PCD {:.9}, {}", header.version, header.data);
    let mut facts = source.facts(OutputFormat::Pcd, version);
    facts.software = header.software.clone();
    facts.viewpoint = header.viewpoint;
    facts.rows = Some(points);
    let table: Box<dyn Table> = match header.data.as_str() {
        "ascii" => {
            // A number and what separates it from the next take two letters.
            let least = (columns.len() as u64).saturating_mul(2).saturating_mul(points);
            let held = source.bytes.saturating_sub(header.bytes).saturating_add(1);
            if least > held || (least == 0 && points > 0) {
                let what =
                    format!("its header promises {points} rows, but only {held} bytes follow");
                return Err(source.damaged("PCD", what));
            }
            Box::new(TextTable {
                path: source.path,
                format: "PCD",
                names: columns,
                separator: Separator::Blanks,
                reader: source.reader,
                left: Some(points),
                line: header.lines,
                pending: None,
            })
        }
        "binary" => {
            rows.check(&source, "PCD", header.bytes, points)?;
            Box::new(FixedTable {
                path: source.path,
                format: "PCD",
                rows,
                left: points,
                source: Box::new(source.reader),
                bytes: Vec::new(),
            })
        }
        "binary_compressed" => Box::new(unpack(source, &header, &rows, points)?),
        _ => return Err(source.damaged("PCD", "its line DATA names no known encoding")),
    };
    let Header { height, width, .. } = header;
    // Channels have 16 bits.
    let is_organised =
        (2..=1 << 16).contains(&height) && width > 1 && height.checked_mul(width) == Some(points);
    let names = table.columns();
    let has_places = names.iter().any(|c| c.name == "column" || c.name == "channel");
    let table = match is_organised && !has_places {
        true => Box::new(Organised::new(table, width)),
        false => table,
    };
    Ok(Opened { table, facts })
}

fn read_header(source: &mut Source) -> Result<Header, CloudError> {
    let mut header = Header::default();
    let mut line = Vec::new();
    loop {
        let text = next_line(&mut source.reader, &mut line)
            .map_err(|e| damaged(&source.path, "PCD", format!("its header: {e}")))?;
        let Some(text) = text else {
            return Err(source.damaged("PCD", "its header has no DATA line"));
        };
        header.lines += 1;
        if let Some(comment) = text.strip_prefix("# ")
            && comment.starts_with("Understory")
        {
            header.software = comment.split(':').next().map(|s| s.trim().to_owned());
        }
        let mut words = text.split_whitespace().map(str::to_owned);
        let key = words.next().unwrap_or_default();
        let mut last = false;
        match key.as_str() {
            "VERSION" => header.version = words.next().unwrap_or_default(),
            "FIELDS" => header.fields = words.collect(),
            "SIZE" => header.sizes = words.collect(),
            "TYPE" => header.types = words.collect(),
            "COUNT" => header.counts = words.collect(),
            "POINTS" => header.points = words.next().and_then(|n| n.parse().ok()),
            "VIEWPOINT" => {
                let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
                header.viewpoint = viewpoint(&numbers);
            }
            "DATA" => {
                header.data = words.next().unwrap_or_default();
                last = true;
            }
            "WIDTH" => header.width = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "HEIGHT" => header.height = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "" => {}
            comment if comment.starts_with('#') => {}
            other => {
                let what = format!("its header has a line {other:.20?}");
                return Err(source.damaged("PCD", what));
            }
        }
        header.bytes += line.len() as u64;
        if last {
            return Ok(header);
        }
    }
}

/// The pose in `tx ty tz qw qx qy qz`; none if it is the identity, which every writer puts there
/// who knows nothing.
fn viewpoint(numbers: &[f64]) -> Option<Rigid> {
    let &[x, y, z, qw, qx, qy, qz] = numbers else { return None };
    let pose = Rigid::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))?;
    (pose != Rigid::IDENTITY).then_some(pose)
}

/// Names of the columns, each as often as its COUNT says, and the row that they make.
fn columns(source: &Source, header: &Header) -> Result<(Vec<String>, Rows), CloudError> {
    let Header { fields, sizes, types, counts, .. } = header;
    if sizes.len() != fields.len() || types.len() != fields.len() {
        return Err(source.damaged("PCD", "its lines FIELDS, SIZE and TYPE differ in length"));
    }
    let mut rows = Rows::default();
    let mut names = Vec::new();
    for (i, ((name, size), kind)) in fields.iter().zip(sizes).zip(types).enumerate() {
        let scalar = match (kind.as_str(), size.as_str()) {
            ("F", "4") => Scalar::F32,
            ("F", "8") => Scalar::F64,
            ("U", "1" | "2" | "4" | "8") => Scalar::Unsigned(size.parse().unwrap_or(1)),
            ("I", "1" | "2" | "4" | "8") => Scalar::Signed(size.parse().unwrap_or(1)),
            _ => {
                let what =
                    format!("its field {name:.20?} has the unknown type {kind:.9} {size:.9}");
                return Err(source.damaged("PCD", what));
            }
        };
        match counts.get(i).map_or(Ok(1), |n| n.parse::<u16>()) {
            Ok(1) => {
                rows.push(name, scalar);
                names.push(name.clone());
            }
            // A list, such as the padding `_`: passed over, but text has a value for each of it.
            Ok(count) => {
                rows.push(name, Scalar::Opaque(scalar.size().saturating_mul(count.into())));
                names.extend((0..count).map(|i| format!("{name}[{i}]")));
            }
            Err(_) => return Err(source.damaged("PCD", "its line COUNT is no list of numbers")),
        }
        // Names are made from numbers in the header: not more of them than a line may be long.
        if names.len() > 1 << 16 {
            return Err(source.damaged("PCD", "its header names more than 65536 columns"));
        }
    }
    Ok((names, rows))
}

/// Columns of a compressed file, one behind another.
struct ColumnTable {
    rows: Rows,
    /// Of each column its own rows and where its bytes are.
    columns: Vec<(Rows, usize)>,
    bytes: Vec<u8>,
    points: usize,
    next: usize,
}

fn unpack(
    mut source: Source,
    header: &Header,
    rows: &Rows,
    points: u64,
) -> Result<ColumnTable, CloudError> {
    let fail = |source: &Source, what: String| source.damaged("PCD", what);
    let mut sizes = [0; 8];
    source
        .reader
        .read_exact(&mut sizes)
        .map_err(|_| fail(&source, "it ends before its compressed data".to_owned()))?;
    let [a, b, c, d, e, f, g, h] = sizes;
    let packed_len = u64::from(u32::from_le_bytes([a, b, c, d]));
    let size = u64::from(u32::from_le_bytes([e, f, g, h]));
    let held = source.bytes.saturating_sub(header.bytes + 8);
    if packed_len > held {
        let what = format!("it promises {packed_len} compressed bytes, but only {held} follow");
        return Err(fail(&source, what));
    }
    if points.checked_mul(rows.stride() as u64) != Some(size) {
        let what = format!(
            "its header promises {points} rows of {} bytes, but its data have {size} bytes",
            rows.stride()
        );
        return Err(fail(&source, what));
    }
    // Three bytes can stand for 264, never for more.
    if size / 88 > packed_len {
        let what = format!("{packed_len} compressed bytes cannot hold {size}");
        return Err(fail(&source, what));
    }
    let mut packed = Vec::new();
    let read = source.reader.by_ref().take(packed_len).read_to_end(&mut packed);
    read.map_err(|e| CloudError::read(&source.path, e))?;
    let bytes = lzf::unpack(&packed, size as usize).map_err(|what| fail(&source, what))?;
    let mut columns = Vec::new();
    let mut at = 0usize;
    for summary in rows.column_scalars() {
        let mut one = Rows::default();
        one.push(&summary.0, summary.1);
        columns.push((one, at));
        at = at.saturating_add(summary.1.size().saturating_mul(points as usize));
    }
    Ok(ColumnTable { rows: rows.clone(), columns, bytes, points: points as usize, next: 0 })
}

impl Table for ColumnTable {
    fn columns(&self) -> Vec<ColumnSummary> {
        self.rows.summaries()
    }

    fn read(&mut self, wanted: &[usize], block: &mut Block) -> Result<usize, CloudError> {
        let now = (self.points - self.next).min(BLOCK_ROWS);
        block.resize_with(wanted.len(), Vec::new);
        for (values, &column) in block.iter_mut().zip(wanted) {
            values.clear();
            if let Some((rows, at)) = self.columns.get(column) {
                let from = at + self.next * rows.stride();
                let bytes = self.bytes.get(from..from + now * rows.stride()).unwrap_or_default();
                rows.decode(0, bytes, values);
            }
            values.resize(now, f64::NAN);
        }
        self.next += now;
        Ok(now)
    }
}
