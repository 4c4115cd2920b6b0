//! Summaries of LAS, LAZ and PLY files and of KITTI folders.

use crate::info::{ColumnSummary, FileSummary, Source, damaged};
use crate::info_rows::{Rows, Scalar};
use crate::{CloudError, OutputFormat};
use ply_rs_bw::parser::{Parser, Reader};
use ply_rs_bw::ply::{DefaultElement, Encoding, PropertyType, ScalarType};
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// A header longer than this is not believed.
const HEADER_MAX: u64 = 1 << 16;

/// Describes a LAS or LAZ file by its header and records; points are not read.
pub(crate) fn las(mut source: Source<'_>) -> Result<FileSummary, CloudError> {
    let header = las::raw::Header::read_from(&mut source.reader)
        .map_err(|e| source.damaged("LAS", format!("its header: {e}")))?;
    let compressed = header.point_data_record_format & 0xc0 != 0;
    let (format, name) =
        if compressed { (OutputFormat::Laz, "LAZ") } else { (OutputFormat::Las, "LAS") };
    let point_format = header.point_data_record_format & 0x3f;
    let version = format!("{name} {}, point format {point_format}", header.version);
    let mut summary = source.summary(format, version);
    summary.software = Some(text(&header.generating_software)).filter(|s| !s.is_empty());
    let points = match header.large_file {
        Some(large) if large.number_of_point_records > 0 => large.number_of_point_records,
        _ => u64::from(header.number_of_point_records),
    };
    summary.rows = points;
    summary.returns = Some(points);
    let start = u64::from(header.offset_to_point_data);
    let held = source.bytes.saturating_sub(start);
    let length = u64::from(header.point_data_record_length);
    if !compressed && points.checked_mul(length).is_none_or(|wanted| wanted > held) {
        let what = format!(
            "its header promises {points} points of {length} bytes, but only {held} bytes follow"
        );
        return Err(source.damaged(name, what));
    }
    if points > 0 {
        summary.bounds_m = Some([
            [header.min_x, header.min_y, header.min_z],
            [header.max_x, header.max_y, header.max_z],
        ]);
    }
    let standard: &[&str] = &[
        "x",
        "y",
        "z",
        "intensity",
        "return_number",
        "number_of_returns",
        "classification",
        "scan_angle",
        "user_data",
        "point_source_id",
        "gps_time",
    ];
    let kinds = ["i32", "i32", "i32", "u16", "u4", "u4", "u8", "i16", "u8", "u16", "f64"];
    summary.columns = standard.iter().zip(kinds).map(|(n, k)| column(n, k)).collect();
    las_records(&mut source, &header, start, name, &mut summary)?;
    if compressed {
        check_chunk_table(&mut source, start)?;
    }
    Ok(summary)
}

/// Reads the variable-length records: names of extra bytes, and what Understory notes there.
fn las_records(
    source: &mut Source<'_>,
    header: &las::raw::Header,
    start: u64,
    name: &'static str,
    summary: &mut FileSummary,
) -> Result<(), CloudError> {
    let fail = |source: &Source<'_>, e: String| source.damaged(name, format!("its records: {e}"));
    source
        .reader
        .seek(SeekFrom::Start(u64::from(header.header_size)))
        .map_err(|e| CloudError::read(source.path, e))?;
    for _ in 0..header.number_of_variable_length_records {
        // Each record has at most 64 KB, and the loop ends with the file.
        let vlr = las::raw::Vlr::read_from(&mut source.reader, false)
            .map_err(|e| fail(source, e.to_string()))?;
        let position =
            source.reader.stream_position().map_err(|e| CloudError::read(source.path, e))?;
        if position > start {
            return Err(fail(source, "they reach into the points".to_owned()));
        }
        match (text(&vlr.user_id).as_str(), vlr.record_id) {
            ("LASF_Spec", 4) => {
                for field in vlr.data.chunks_exact(192) {
                    let kind = match field[2] {
                        1 => "u8",
                        2 => "i8",
                        3 => "u16",
                        4 => "i16",
                        5 => "u32",
                        6 => "i32",
                        7 => "u64",
                        8 => "i64",
                        9 => "f32",
                        10 => "f64",
                        _ => "bytes",
                    };
                    summary.columns.push(column(&text(&field[4..36]), kind));
                }
            }
            ("Understory", 1) => {
                let text = String::from_utf8_lossy(&vlr.data).into_owned();
                let value = |key: &str| {
                    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
                    line.trim_start().strip_prefix('=').map(|value| value.trim().to_owned())
                };
                summary.misses = value("misses_left_out").and_then(|v| v.parse().ok());
                let time = |key| value(key).and_then(|v| v.parse::<f64>().ok());
                summary.time_span_s = match (time("time_first_s"), time("time_last_s")) {
                    (Some(first), Some(last)) => Some([first, last]),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    Ok(())
}

/// A LAZ file that was cut short has lost its chunk table, which stands at the end.
fn check_chunk_table(source: &mut Source<'_>, start: u64) -> Result<(), CloudError> {
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

/// Describes a PLY file.
pub(crate) fn ply(mut source: Source<'_>) -> Result<FileSummary, CloudError> {
    let mut reader = Reader::new(source.reader.by_ref().take(HEADER_MAX));
    let header = Parser::<DefaultElement>::new().read_header(&mut reader);
    let start = HEADER_MAX - reader.into_inner().limit();
    // The parser's own message has several lines, of which the first says it all.
    let header = header.map_err(|e| {
        let text = e.to_string();
        let first = text.lines().next().unwrap_or_default().trim_end_matches('.');
        source.damaged("PLY", format!("its header: {first}"))
    })?;
    let version = format!("PLY 1.0, {}", header.encoding);
    let mut summary = source.summary(OutputFormat::Ply, version);
    summary.software = header.comments.iter().find_map(|comment| {
        let comment = comment.trim();
        comment.starts_with("Understory").then(|| comment.to_owned())
    });
    let Some((name, element)) = header.elements.iter().next() else {
        return Err(source.damaged("PLY", "its header names no element"));
    };
    summary.rows = element.count as u64;
    let mut rows = Rows::default();
    let mut fixed = header.encoding == Encoding::BinaryLittleEndian && name == "vertex";
    for (name, property) in &element.properties {
        match &property.data_type {
            PropertyType::Scalar(scalar) => rows.push(name, ply_scalar(scalar)),
            PropertyType::List(..) => {
                fixed = false;
                rows.push(name, Scalar::Opaque(0));
            }
        }
    }
    summary.columns = rows.summaries();
    if fixed {
        rows.scan(&mut source, "PLY", start, element.count as u64, &mut summary)?;
    }
    Ok(summary)
}

fn ply_scalar(scalar: &ScalarType) -> Scalar {
    match scalar {
        ScalarType::Char => Scalar::Signed(1),
        ScalarType::UChar => Scalar::Unsigned(1),
        ScalarType::Short => Scalar::Signed(2),
        ScalarType::UShort => Scalar::Unsigned(2),
        ScalarType::Int => Scalar::Signed(4),
        ScalarType::UInt => Scalar::Unsigned(4),
        ScalarType::Float => Scalar::F32,
        ScalarType::Double => Scalar::F64,
    }
}

/// Describes one scan of a KITTI sequence.
pub(crate) fn kitti_bin(mut source: Source<'_>) -> Result<FileSummary, CloudError> {
    if !source.bytes.is_multiple_of(16) {
        let what = format!("its {} bytes are no whole number of points of 16 bytes", source.bytes);
        return Err(source.damaged("KITTI", what));
    }
    let mut summary = source.summary(OutputFormat::Kitti, "KITTI points".to_owned());
    let mut rows = Rows::default();
    ["x", "y", "z", "remission"].into_iter().for_each(|name| rows.push(name, Scalar::F32));
    summary.columns = rows.summaries();
    let points = source.bytes / 16;
    rows.scan(&mut source, "KITTI", 0, points, &mut summary)?;
    summary.returns = Some(points);
    summary.scans = Some(1);
    Ok(summary)
}

/// Describes a KITTI folder: all scans of its first sensor and of the folders `sensor_…` in it.
pub(crate) fn kitti_folder(path: &Path) -> Result<FileSummary, CloudError> {
    let mut folders = vec![path.to_path_buf()];
    folders.extend(sorted_entries(path)?.into_iter().filter(|p| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("sensor_") && p.is_dir()
    }));
    let mut total: Option<FileSummary> = None;
    for folder in folders {
        let points = folder.join("velodyne");
        if !points.is_dir() {
            continue;
        }
        for bin in sorted_entries(&points)? {
            if bin.extension().is_none_or(|e| e != "bin") {
                continue;
            }
            let file = File::open(&bin).map_err(|e| CloudError::read(&bin, e))?;
            let bytes = file.metadata().map_err(|e| CloudError::read(&bin, e))?.len();
            let reader = BufReader::with_capacity(1 << 16, file);
            let scan = kitti_bin(Source { path: &bin, bytes, reader })?;
            total = Some(match total.take() {
                None => scan,
                Some(total) => add(total, &scan),
            });
        }
    }
    let Some(mut total) = total else {
        return Err(damaged(path, "KITTI", "it has no folder velodyne with .bin files"));
    };
    total.path = path.to_path_buf();
    total.version = "KITTI sequence, points in the sensor's frame".to_owned();
    total.time_span_s = times(&path.join("times.txt"))?;
    Ok(total)
}

/// The sum of two scans.
fn add(mut total: FileSummary, scan: &FileSummary) -> FileSummary {
    total.bytes = total.bytes.saturating_add(scan.bytes);
    total.rows += scan.rows;
    total.returns = total.returns.zip(scan.returns).map(|(a, b)| a + b);
    total.scans = total.scans.zip(scan.scans).map(|(a, b)| a + b);
    total.bounds_m = match (total.bounds_m, scan.bounds_m) {
        (Some([a, b]), Some([c, d])) => {
            Some([std::array::from_fn(|i| a[i].min(c[i])), std::array::from_fn(|i| b[i].max(d[i]))])
        }
        (a, b) => a.or(b),
    };
    total
}

/// First and last time in a `times.txt`, if there is one.
fn times(path: &Path) -> Result<Option<[f64; 2]>, CloudError> {
    let Ok(file) = File::open(path) else { return Ok(None) };
    let mut span: Option<[f64; 2]> = None;
    crate::info_text::each_line(BufReader::new(file), |line| {
        if let Ok(time) = line.trim().parse::<f64>() {
            let [first, last] = span.get_or_insert([time; 2]);
            *first = first.min(time);
            *last = last.max(time);
        }
    })
    .map_err(|e| CloudError::read(path, e))?;
    Ok(span)
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>, CloudError> {
    let failed = |e| CloudError::read(folder, e);
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        paths.push(entry.map_err(failed)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn column(name: &str, kind: &str) -> ColumnSummary {
    ColumnSummary { name: name.to_owned(), kind: kind.to_owned() }
}

/// Text up to the first 0.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or_default()).trim().to_owned()
}
