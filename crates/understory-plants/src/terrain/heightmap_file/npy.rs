//! NumPy arrays of two dimensions, whole numbers or floating point, in metres.
//!
//! The header is looked through before the library sees it: a shape whose product overflows or an
//! element that is itself an array must not get that far.

use super::{Raster, Reason, check_size};
use npyz::{DType, NpyFile, Order};
use std::fs::File;
use std::io::{BufReader, Read};

/// NumPy pads headers to 64 bytes; those of plain arrays have some 120.
const MAX_HEADER_BYTES: usize = 4096;

pub fn read(file: File, file_bytes: u64) -> Result<Raster, Reason> {
    let damaged = |error| format!("it is no NPY file or it is damaged: {error}");
    let mut reader = BufReader::new(file);
    let header = read_header(&mut reader)?;
    let [rows, columns] = shape(&header)?;
    check_size(columns, rows, 1, file_bytes, 1)?;
    let array = NpyFile::new(header.as_slice().chain(reader)).map_err(damaged)?;
    let kind = match array.dtype() {
        DType::Plain(kind) => kind,
        other => return Err(format!("its elements are {}, but must be numbers", other.descr())),
    };
    let bytes = kind.num_bytes().unwrap_or(1) as u64;
    check_size(columns, rows, bytes, file_bytes, 1)?;
    let order = array.order();
    // The type string ends in its letter and its size, as in "<f4".
    let name = kind.to_string();
    let stored: Vec<f64> = match name.get(1..) {
        Some("f4") => array.into_vec::<f32>().map(widen),
        Some("f8") => array.into_vec::<f64>(),
        Some("i1") => array.into_vec::<i8>().map(widen),
        Some("i2") => array.into_vec::<i16>().map(widen),
        Some("i4") => array.into_vec::<i32>().map(widen),
        Some("u1") => array.into_vec::<u8>().map(widen),
        Some("u2") => array.into_vec::<u16>().map(widen),
        Some("u4") => array.into_vec::<u32>().map(widen),
        _ => {
            return Err(format!("its elements are {name:?}, but must be f4, f8, i1–i4 or u1–u4"));
        }
    }
    .map_err(damaged)?;
    let (columns, rows) = (columns as usize, rows as usize);
    if stored.len() != columns * rows {
        return Err(format!("it has {} numbers instead of {columns} × {rows}", stored.len()));
    }
    let heights = match order {
        Order::C => stored,
        Order::Fortran => {
            (0..columns * rows).map(|at| stored[at % columns * rows + at / columns]).collect()
        }
    };
    Ok(Raster { columns, rows, heights, spacing_m: None, north_west_m: None })
}

fn widen<T: Into<f64>>(numbers: Vec<T>) -> Vec<f64> {
    numbers.into_iter().map(Into::into).collect()
}

/// Everything before the numbers.
fn read_header(reader: &mut impl Read) -> Result<Vec<u8>, Reason> {
    let cut = |error| format!("it is no NPY file or it is cut short in its header: {error}");
    let mut header = vec![0; 10];
    reader.read_exact(&mut header).map_err(cut)?;
    if !header.starts_with(b"\x93NUMPY") {
        return Err("it is no NPY file: it does not start with \\x93NUMPY".to_owned());
    }
    let mut length = usize::from(u16::from_le_bytes([header[8], header[9]]));
    if header[6] > 1 {
        // Version 2 has a length of four bytes.
        let mut more = [0; 2];
        reader.read_exact(&mut more).map_err(cut)?;
        header.extend_from_slice(&more);
        length += usize::from(u16::from_le_bytes(more)) << 16;
    }
    if length > MAX_HEADER_BYTES {
        return Err(format!(
            "its header has {length} bytes, but a plain array needs at most {MAX_HEADER_BYTES}"
        ));
    }
    let start = header.len();
    header.resize(start + length, 0);
    reader.read_exact(&mut header[start..]).map_err(cut)?;
    Ok(header)
}

/// Rows and columns of a plain array.
fn shape(header: &[u8]) -> Result<[u64; 2], Reason> {
    let text = String::from_utf8_lossy(header);
    let after = |key: &str| {
        let (_, rest) = text.split_once(key)?;
        rest.split_once(':').map(|(_, value)| value.trim_start())
    };
    let plain = after("'descr'").is_some_and(|value| value.starts_with('\''));
    let numbers = after("'shape'")
        .and_then(|value| value.strip_prefix('(')?.split_once(')'))
        .map(|(inside, _)| inside.trim_end_matches([' ', ',']));
    let shape: Option<Vec<u32>> = numbers
        .and_then(|inside| inside.split(',').map(|number| number.trim().parse().ok()).collect());
    // Two keys of one name could hide a second shape.
    let once = text.matches("'shape'").count() == 1 && text.matches("'descr'").count() == 1;
    match shape.as_deref() {
        Some(&[rows, columns]) if plain && once => Ok([rows.into(), columns.into()]),
        _ => Err("it is no array of numbers with two dimensions; \
                  save heights as numpy.save(path, array) with array.ndim == 2"
            .to_owned()),
    }
}
