//! Summaries of files with a header in text: PCD, NPY and CSV.

use crate::info::{ColumnSummary, FileSummary, Source, Tally};
use crate::info_rows::{Rows, Scalar};
use crate::{CloudError, OutputFormat};
use npyz::DType;
use std::io::{self, BufRead, Read};

/// A line or header longer than this is not believed.
const LINE_MAX: u64 = 1 << 16;

/// Calls `each` with every line; a line that never ends is an error.
pub(crate) fn each_line(mut reader: impl BufRead, mut each: impl FnMut(&str)) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(text) = next_line(&mut reader, &mut line)? {
        each(&text);
    }
    Ok(())
}

/// The next line without its end, or `None` at the end of the file.
fn next_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<String>> {
    line.clear();
    let read = reader.take(LINE_MAX).read_until(b'\n', line)?;
    if read as u64 == LINE_MAX && line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line has more than 65536 bytes"));
    }
    let text = String::from_utf8_lossy(line).trim_end_matches(['\n', '\r']).to_owned();
    Ok((read > 0).then_some(text))
}

/// Describes a PCD file.
pub(crate) fn pcd(mut source: Source<'_>) -> Result<FileSummary, CloudError> {
    let mut summary = source.summary(OutputFormat::Pcd, String::new());
    let (mut fields, mut sizes, mut types, mut counts) = (vec![], vec![], vec![], vec![]);
    let (mut version, mut points, mut data) = (String::new(), None, None);
    let mut start = 0;
    let mut line = Vec::new();
    while data.is_none() {
        let Some(text) = next_line(&mut source.reader, &mut line)
            .map_err(|e| source.damaged("PCD", format!("its header: {e}")))?
        else {
            return Err(source.damaged("PCD", "its header has no DATA line"));
        };
        start += line.len() as u64;
        if let Some(comment) = text.strip_prefix("# ")
            && comment.starts_with("Understory")
        {
            summary.software = comment.split(':').next().map(|s| s.trim().to_owned());
        }
        let mut words = text.split_whitespace().map(str::to_owned);
        match words.next().as_deref() {
            Some("VERSION") => version = words.next().unwrap_or_default(),
            Some("FIELDS") => fields = words.collect(),
            Some("SIZE") => sizes = words.collect(),
            Some("TYPE") => types = words.collect(),
            Some("COUNT") => counts = words.collect(),
            Some("POINTS") => points = words.next().and_then(|n| n.parse::<u64>().ok()),
            Some("DATA") => data = words.next().or(Some(String::new())),
            Some(word)
                if word.starts_with('#') || matches!(word, "WIDTH" | "HEIGHT" | "VIEWPOINT") => {}
            None => {}
            Some(word) => {
                let what = format!("its header has a line {:.20?}", word);
                return Err(source.damaged("PCD", what));
            }
        }
    }
    let Some(points) = points else {
        return Err(source.damaged("PCD", "its header has no line POINTS with a number"));
    };
    if sizes.len() != fields.len() || types.len() != fields.len() {
        return Err(source.damaged("PCD", "its lines FIELDS, SIZE and TYPE differ in length"));
    }
    let mut rows = Rows::default();
    for (i, ((name, size), kind)) in fields.iter().zip(&sizes).zip(&types).enumerate() {
        let count = counts.get(i).map_or(Ok(1), |n| n.parse::<u32>());
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
        match count {
            Ok(1) => rows.push(name, scalar),
            Ok(count) => {
                let size = scalar.size().saturating_mul(count as usize);
                rows.push(name, Scalar::Opaque(size));
            }
            Err(_) => return Err(source.damaged("PCD", "its line COUNT is no list of numbers")),
        }
    }
    let data = data.unwrap_or_default();
    if !matches!(data.as_str(), "ascii" | "binary" | "binary_compressed") {
        return Err(source.damaged("PCD", "its line DATA names no known encoding"));
    }
    summary.version = format!("PCD {version:.9}, {data}");
    summary.columns = rows.summaries();
    summary.rows = points;
    if data == "binary" {
        rows.scan(&mut source, "PCD", start, points, &mut summary)?;
    }
    Ok(summary)
}

/// Describes an NPY file.
pub(crate) fn npy(mut source: Source<'_>) -> Result<FileSummary, CloudError> {
    let cut_short = |source: &Source<'_>| source.damaged("NPY", "its header is cut short");
    let mut magic = [0; 8];
    source.reader.read_exact(&mut magic).map_err(|_| cut_short(&source))?;
    if magic[..6] != *b"\x93NUMPY" {
        return Err(source.damaged("NPY", "it does not begin with the word NUMPY"));
    }
    // The length of the header has 2 bytes in version 1 and 4 later.
    let mut length = [0; 4];
    let length_len = if magic[6] == 1 { 2 } else { 4 };
    source.reader.read_exact(&mut length[..length_len]).map_err(|_| cut_short(&source))?;
    let length = u64::from(u32::from_le_bytes(length));
    let start = 8 + length_len as u64 + length;
    if length > LINE_MAX || start > source.bytes {
        return Err(cut_short(&source));
    }
    let mut text = Vec::new();
    let read = source.reader.by_ref().take(length).read_to_end(&mut text);
    if read.map_err(|e| CloudError::read(source.path, e))? as u64 != length {
        return Err(cut_short(&source));
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let (rows, count) = npy_header(&text).map_err(|what| source.damaged("NPY", what))?;
    let version = format!("NPY {}.{}", magic[6], magic[7]);
    let mut summary = source.summary(OutputFormat::Npy, version);
    summary.columns = rows.summaries();
    rows.scan(&mut source, "NPY", start, count, &mut summary)?;
    Ok(summary)
}

/// Columns and number of rows from the dictionary in which NumPy describes an array.
fn npy_header(text: &str) -> Result<(Rows, u64), &'static str> {
    let between = |from: &str, to: &str| {
        let rest = text.split_once(from)?.1;
        Some(rest.split_once(to)?.0.trim().trim_end_matches(',').trim())
    };
    let descr = between("'descr':", "'fortran_order'").ok_or("its header names no type")?;
    let shape = text.split_once("'shape':").ok_or("its header names no shape")?.1;
    let shape = shape.split_once('(').and_then(|(_, s)| s.split_once(')'));
    let shape = shape.ok_or("its header names no shape")?.0;
    let sizes: Result<Vec<u64>, _> =
        shape.split(',').map(str::trim).filter(|s| !s.is_empty()).map(str::parse).collect();
    let sizes = sizes.map_err(|_| "its shape is no list of numbers")?;
    let count = sizes.iter().try_fold(1u64, |a, &b| a.checked_mul(b));
    let count = count.ok_or("its shape is too large")?;
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
    let mut rows = Rows::default();
    match &dtype {
        DType::Record(fields) => {
            fields.iter().for_each(|field| rows.push(&field.name, npy_scalar(&field.dtype)));
        }
        other => rows.push("value", npy_scalar(other)),
    }
    Ok((rows, count))
}

fn npy_scalar(dtype: &DType) -> Scalar {
    match dtype.descr().trim_matches('\'') {
        "<f4" => Scalar::F32,
        "<f8" => Scalar::F64,
        "|u1" | "<u1" => Scalar::Unsigned(1),
        "<u2" => Scalar::Unsigned(2),
        "<u4" => Scalar::Unsigned(4),
        "<u8" => Scalar::Unsigned(8),
        "|i1" | "<i1" => Scalar::Signed(1),
        "<i2" => Scalar::Signed(2),
        "<i4" => Scalar::Signed(4),
        "<i8" => Scalar::Signed(8),
        _ => Scalar::Opaque(opaque_size(dtype)),
    }
}

/// Size of a type that is no little-endian number; the widest there is if it does not say.
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

/// Describes a CSV file.
pub(crate) fn csv(source: Source<'_>) -> Result<FileSummary, CloudError> {
    let mut summary = source.summary(OutputFormat::Csv, "CSV".to_owned());
    let Source { path, bytes, reader } = source;
    let damaged = |what: String| crate::info::damaged(path, "CSV", what);
    // Without quotes a record is a line, and lines are limited.
    let mut csv = csv::ReaderBuilder::new()
        .quoting(false)
        .flexible(true)
        .from_reader(LineLimit { inner: reader, since_end: 0 });
    let names: Vec<String> =
        csv.headers().map_err(|e| damaged(e.to_string()))?.iter().map(str::to_owned).collect();
    if bytes == 0 || names.iter().all(String::is_empty) {
        return Err(damaged("it has no line of column names".to_owned()));
    }
    let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(&name.trim()));
    let axes = [find(&["x_m", "x"]), find(&["y_m", "y"]), find(&["z_m", "z"])];
    let time = find(&["time_s"]);
    let number = find(&["return_number"]);
    let mut tally = Tally::default();
    let mut record = csv::ByteRecord::new();
    loop {
        let line = csv.position().line();
        match csv.read_byte_record(&mut record) {
            Ok(false) => break,
            Ok(true) => {}
            Err(e) => return Err(damaged(format!("line {line}: {e}"))),
        }
        if record.len() != names.len() {
            let (found, expected) = (record.len(), names.len());
            return Err(damaged(format!("line {line} has {found} values instead of {expected}")));
        }
        let value = |at: usize| {
            let text = std::str::from_utf8(record.get(at)?).ok()?;
            text.trim().parse::<f64>().ok()
        };
        let xyz = match axes.map(|at| at.and_then(value)) {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        };
        let is_return = number.is_none_or(|at| value(at).is_some_and(|n| n > 0.0));
        tally.add(xyz, time.and_then(value), is_return);
    }
    summary.columns =
        names.into_iter().map(|name| ColumnSummary { name, kind: "text".to_owned() }).collect();
    tally.put_into(&mut summary, number.is_some());
    Ok(summary)
}

/// Passes bytes on and fails at a line that never ends.
struct LineLimit<R> {
    inner: R,
    since_end: u64,
}

impl<R: Read> Read for LineLimit<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        let new = bytes.get(..read).unwrap_or_default();
        // An end within the new bytes means that no line is longer than the limit plus one read.
        self.since_end = match new.iter().rposition(|&b| b == b'\n') {
            Some(end) => (read - end) as u64,
            None => self.since_end + read as u64,
        };
        if self.since_end > LINE_MAX {
            let what = "a line has more than 65536 bytes";
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(read)
    }
}
