//! LAS and LAZ 1.0 to 1.4, point formats 0 to 10, with the extra bytes that a file names.
//!
//! Intensity is divided by 65535, as the format's rules ask writers to multiply. A return number of
//! 0, which these formats do not know, is no miss: they hold returns only. Colours become 8 bits
//! (`colour_depth.rs`).

use super::EVLR_HEADER_LEN;
use super::colour_depth::ColourDepth;
use super::laz_read::LazRows;
use crate::error::damaged;
use crate::format::fixed_rows::{FixedTable, Meaning, RowBytes, Rows, Scalar};
use crate::format::table::{Opened, Source, Table, TableFacts};
use crate::{CloudError, OutputFormat, SceneNames};
use las::raw::Header;
use std::io::{Read, Seek, SeekFrom};

/// Longest table of names that is read.
const NAMES_BYTES_MAX: u64 = 1 << 28;

/// The columns of colours.
const COLOURS: [&str; 3] = ["red", "green", "blue"];

/// What the variable-length records say.
#[derive(Default)]
struct Records {
    /// Data of the record that names extra bytes.
    extra: Vec<u8>,
    /// Data of the record of LASzip.
    laszip: Option<Vec<u8>>,
    misses_left_out: Option<u64>,
    time_span_s: Option<[f64; 2]>,
    crs_wkt: Option<String>,
}

/// Opens a LAS or LAZ file.
pub(crate) fn open(source: Source) -> Result<Opened, CloudError> {
    let path = source.path.clone();
    let (rows, facts) = open_rows(source)?;
    let names: Vec<String> = rows.columns().into_iter().map(|column| column.name).collect();
    // The first of a name is the standard one.
    let colours = COLOURS.map(|colour| names.iter().position(|name| name == colour));
    let table: Box<dyn Table> = match colours {
        [Some(red), Some(green), Some(blue)] => {
            let reopen = move || open_rows(Source::open(&path)?).map(|(rows, _)| rows);
            Box::new(ColourDepth::new(rows, [red, green, blue], Box::new(reopen)))
        }
        _ => Box::new(rows),
    };
    Ok(Opened { table, facts })
}

/// The rows with colours as they are stored, and what the file says of itself.
fn open_rows(mut source: Source) -> Result<(FixedTable, TableFacts), CloudError> {
    let header = Header::read_from(&mut source.reader)
        .map_err(|e| source.damaged("LAS", format!("its header: {e}")))?;
    let compressed = header.point_data_record_format & 0xc0 != 0;
    let (format, name) =
        if compressed { (OutputFormat::Laz, "LAZ") } else { (OutputFormat::Las, "LAS") };
    let point_format = header.point_data_record_format & 0x3f;
    let points = match header.large_file {
        Some(large) if large.number_of_point_records > 0 => large.number_of_point_records,
        _ => u64::from(header.number_of_point_records),
    };
    let start = u64::from(header.offset_to_point_data);
    let version = format!("{name} {}, point format {point_format}", header.version);
    let mut facts = source.facts(format, version);
    facts.software = Some(text(&header.generating_software)).filter(|s| !s.is_empty());
    facts.rows = Some(points);
    facts.holds_misses = false;
    if points > 0 {
        facts.bounds_m = Some([
            [header.min_x, header.min_y, header.min_z],
            [header.max_x, header.max_y, header.max_z],
        ]);
    }
    let records = read_records(&mut source, &header, start, name)?;
    facts.misses_left_out = records.misses_left_out;
    facts.time_span_s = records.time_span_s;
    facts.crs_wkt = records.crs_wkt;
    facts.names = read_names(&mut source, &header);
    let rows = columns(&source, &header, point_format, &records.extra, name)?;
    if !compressed {
        rows.check(&source, name, start, points)?;
        let failed = |e| CloudError::read(&source.path, e);
        source.reader.seek(SeekFrom::Start(start)).map_err(failed)?;
    } else {
        check_chunk_table(&mut source, start, records.laszip.as_deref())?;
    }
    let Source { path, bytes, reader } = source;
    let source: Box<dyn RowBytes> = match &records.laszip {
        Some(laszip) if compressed => {
            let rows = LazRows::open(reader, bytes, start, laszip, rows.stride(), points);
            Box::new(rows.map_err(|what| damaged(&path, "LAZ", what))?)
        }
        _ if compressed => return Err(damaged(&path, "LAZ", "it has no record of LASzip")),
        _ => Box::new(reader),
    };
    let table = FixedTable { path, format: name, rows, left: points, source, bytes: Vec::new() };
    Ok((table, facts))
}

/// Reads the variable-length records: extra bytes, compression, and what Understory notes there.
fn read_records(
    source: &mut Source,
    header: &Header,
    start: u64,
    name: &'static str,
) -> Result<Records, CloudError> {
    let fail = |source: &Source, e: String| source.damaged(name, format!("its records: {e}"));
    source
        .reader
        .seek(SeekFrom::Start(u64::from(header.header_size)))
        .map_err(|e| CloudError::read(&source.path, e))?;
    let mut records = Records::default();
    for _ in 0..header.number_of_variable_length_records {
        // Each record has at most 64 KB, and the loop ends with the file.
        let vlr = las::raw::Vlr::read_from(&mut source.reader, false)
            .map_err(|e| fail(source, e.to_string()))?;
        let position =
            source.reader.stream_position().map_err(|e| CloudError::read(&source.path, e))?;
        if position > start {
            return Err(fail(source, format!("they reach into the points at byte {start}")));
        }
        match (text(&vlr.user_id).as_str(), vlr.record_id) {
            ("LASF_Spec", 4) => records.extra = vlr.data,
            ("laszip encoded", 22204) => records.laszip = Some(vlr.data),
            ("LASF_Projection", 2112) => {
                records.crs_wkt = Some(text(&vlr.data)).filter(|text| !text.is_empty());
            }
            ("Understory", 1) => {
                let text = String::from_utf8_lossy(&vlr.data).into_owned();
                let value = |key: &str| {
                    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
                    line.trim_start().strip_prefix('=').map(|value| value.trim().to_owned())
                };
                records.misses_left_out = value("misses_left_out").and_then(|v| v.parse().ok());
                let time = |key| value(key).and_then(|v| v.parse::<f64>().ok());
                records.time_span_s = match (time("time_first_s"), time("time_last_s")) {
                    (Some(first), Some(last)) => Some([first, last]),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    Ok(records)
}

/// The names of objects and materials in the extended records, if they are there. Other people's
/// extended records, and damaged ones, say nothing about the points.
fn read_names(source: &mut Source, header: &Header) -> Option<SceneNames> {
    let evlr = header.evlr?;
    let mut start = evlr.start_of_first_evlr;
    // Each record has 60 bytes at least, so that the loop ends with the file.
    for _ in 0..evlr.number_of_evlrs {
        source.reader.seek(SeekFrom::Start(start)).ok()?;
        let mut head = [0; EVLR_HEADER_LEN];
        source.reader.read_exact(&mut head).ok()?;
        let length = u64::from_le_bytes(head[20..28].try_into().ok()?);
        let data = start + EVLR_HEADER_LEN as u64;
        let end = data.checked_add(length).filter(|&end| end <= source.bytes)?;
        if text(&head[2..18]) == "Understory" && head[18..20] == [2, 0] {
            if length > NAMES_BYTES_MAX {
                return None;
            }
            let mut bytes = Vec::new();
            Read::by_ref(&mut source.reader).take(length).read_to_end(&mut bytes).ok()?;
            return SceneNames::from_json(&bytes);
        }
        start = end;
    }
    None
}

/// The columns of a point: the standard ones of its format, then the extra bytes.
fn columns(
    source: &Source,
    header: &Header,
    point_format: u8,
    extra: &[u8],
    name: &'static str,
) -> Result<Rows, CloudError> {
    let length = usize::from(header.point_data_record_length);
    let standard = match point_format {
        0 => 20,
        1 => 28,
        2 => 26,
        3 => 34,
        4 => 57,
        5 => 63,
        6 => 30,
        7 => 36,
        8 => 38,
        9 => 59,
        10 => 67,
        _ => return Err(source.damaged(name, format!("its point format is {point_format}"))),
    };
    if length < standard {
        let what = format!(
            "its points have {length} bytes, but point format {point_format} needs {standard}"
        );
        return Err(source.damaged(name, what));
    }
    let scales = [header.x_scale_factor, header.y_scale_factor, header.z_scale_factor];
    let offsets = [header.x_offset, header.y_offset, header.z_offset];
    let mut rows = Rows::default();
    rows.set_stride(length);
    for axis in 0..3 {
        let (scale, offset) = (scales[axis], offsets[axis]);
        if !(scale.is_finite() && scale != 0.0 && offset.is_finite()) {
            let what = format!("its scale {scale} or offset {offset} is no useful number");
            return Err(source.damaged(name, what));
        }
        let meaning = Meaning::Steps { scale, offset, no_data: None };
        rows.put(["x", "y", "z"][axis], "i32", Scalar::Signed(4), 4 * axis, meaning);
    }
    let full = Meaning::Steps { scale: 1.0 / 65_535.0, offset: 0.0, no_data: None };
    rows.put("intensity", "u16", Scalar::Unsigned(2), 12, full);
    let mut plain = |name: &str, scalar: Scalar, at: usize| {
        rows.put(name, &scalar.name(), scalar, at, Meaning::Plain);
    };
    if point_format >= 6 {
        plain("user_data", Scalar::Unsigned(1), 17);
        plain("classification", Scalar::Unsigned(1), 16);
        plain("point_source_id", Scalar::Unsigned(2), 20);
        plain("gps_time", Scalar::F64, 22);
        let angle = Meaning::Steps { scale: 0.006, offset: 0.0, no_data: None };
        rows.put("scan_angle", "i16", Scalar::Signed(2), 18, angle);
        let nibble = |shift| Meaning::Bits { shift, mask: 15 };
        rows.put("return_number", "u4", Scalar::Unsigned(1), 14, nibble(0));
        rows.put("number_of_returns", "u4", Scalar::Unsigned(1), 14, nibble(4));
    } else {
        plain("scan_angle", Scalar::Signed(1), 16);
        plain("user_data", Scalar::Unsigned(1), 17);
        plain("point_source_id", Scalar::Unsigned(2), 18);
        if !matches!(point_format, 0 | 2) {
            plain("gps_time", Scalar::F64, 20);
        }
        let bits = |shift, mask| Meaning::Bits { shift, mask };
        rows.put("return_number", "u3", Scalar::Unsigned(1), 14, bits(0, 7));
        rows.put("number_of_returns", "u3", Scalar::Unsigned(1), 14, bits(3, 7));
        // The upper bits are flags.
        rows.put("classification", "u5", Scalar::Unsigned(1), 15, bits(0, 31));
    }
    let rgb_at = match point_format {
        2 => Some(20),
        3 | 5 => Some(28),
        7 | 8 | 10 => Some(30),
        _ => None,
    };
    if let Some(at) = rgb_at {
        for (axis, name) in COLOURS.into_iter().enumerate() {
            rows.put(name, "u16", Scalar::Unsigned(2), at + 2 * axis, Meaning::Plain);
        }
    }
    extra_columns(extra, standard, length, &mut rows);
    Ok(rows)
}

/// The columns that the Extra-Bytes record names, as far as points are long enough for them.
fn extra_columns(extra: &[u8], standard: usize, length: usize, rows: &mut Rows) {
    let mut at = standard;
    for field in extra.chunks_exact(192) {
        let (kind, options) = (field[2], field[3]);
        let scalar = match kind {
            // Bytes without a meaning: how many stands in the options.
            0 => Scalar::Opaque(options.into()),
            1 => Scalar::Unsigned(1),
            2 => Scalar::Signed(1),
            3 => Scalar::Unsigned(2),
            4 => Scalar::Signed(2),
            5 => Scalar::Unsigned(4),
            6 => Scalar::Signed(4),
            7 => Scalar::Unsigned(8),
            8 => Scalar::Signed(8),
            9 => Scalar::F32,
            10 => Scalar::F64,
            // Pairs and triples of older files.
            11..=30 => {
                const SIZES: [usize; 10] = [1, 1, 2, 2, 4, 4, 8, 8, 4, 8];
                let size = SIZES.get(usize::from(kind - 1) % 10).copied().unwrap_or(8);
                Scalar::Opaque(size * if kind <= 20 { 2 } else { 3 })
            }
            _ => return,
        };
        if at + scalar.size() > length {
            return;
        }
        let eight = |from: usize| {
            let bytes = field.get(from..from + 8).and_then(|b| <[u8; 8]>::try_from(b).ok());
            bytes.unwrap_or_default()
        };
        let no_data = (kind != 0 && options & 1 != 0).then(|| match kind {
            9 | 10 => f64::from_le_bytes(eight(40)),
            1 | 3 | 5 | 7 => u64::from_le_bytes(eight(40)) as f64,
            _ => i64::from_le_bytes(eight(40)) as f64,
        });
        let scale = if options & 1 << 3 != 0 { f64::from_le_bytes(eight(112)) } else { 1.0 };
        let offset = if options & 1 << 4 != 0 { f64::from_le_bytes(eight(136)) } else { 0.0 };
        let meaning = if kind == 0 || options & 0b11001 == 0 {
            Meaning::Plain
        } else {
            Meaning::Steps { scale, offset, no_data }
        };
        let name = text(field.get(4..36).unwrap_or_default());
        rows.put(&name, &scalar.name(), scalar, at, meaning);
        at += scalar.size();
    }
}

/// A LAZ file that was cut short has lost its chunk table, which stands at the end.
fn check_chunk_table(
    source: &mut Source,
    start: u64,
    laszip: Option<&[u8]>,
) -> Result<(), CloudError> {
    // One chunk for all points needs no table.
    if laszip.is_some_and(|data| data.starts_with(&[1, 0])) {
        return Ok(());
    }
    let mut bytes = [0; 8];
    let read = source
        .reader
        .seek(SeekFrom::Start(start))
        .and_then(|_| source.reader.read_exact(&mut bytes));
    let table = u64::from_le_bytes(bytes);
    // The table begins with its version and its length.
    if read.is_err() || table < start || table.saturating_add(8) > source.bytes {
        return Err(source.damaged("LAZ", "its chunk table is missing, it was probably cut short"));
    }
    Ok(())
}

/// Text up to the first 0.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).trim().to_owned()
}
