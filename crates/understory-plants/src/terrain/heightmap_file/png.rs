//! Grey PNG of 8 or 16 bits.

use super::{Raster, Reason, check_size};
use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use std::fs::File;
use std::io::BufReader;

pub fn read(file: File, file_bytes: u64, range_m: [f64; 2]) -> Result<Raster, Reason> {
    let damaged = |error| format!("it is no PNG or it is damaged: {error}");
    let mut decoder = Decoder::new_with_limits(BufReader::new(file), Limits { bytes: 256 << 20 });
    decoder.set_transformations(Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let (columns, rows) = reader.info().size();
    let bytes = match reader.output_color_type() {
        (ColorType::Grayscale, BitDepth::Sixteen) => 2,
        (ColorType::Grayscale, _) => 1,
        (other, depth) => {
            let bits = depth as u8;
            return Err(format!(
                "its pixels are {other:?} of {bits} bits, but heights are grey of 8 or 16 bits"
            ));
        }
    };
    // Deflate makes at most 1032 bytes of one; a grey of one bit becomes eight.
    check_size(columns.into(), rows.into(), bytes, file_bytes, 8 * 1032)?;
    let (columns, rows) = (columns as usize, rows as usize);
    let mut pixels = vec![0; columns * rows * bytes as usize];
    reader.next_frame(&mut pixels).map_err(damaged)?;
    let [low, high] = range_m;
    let height = |part: f64| low + (high - low) * part;
    let heights = if bytes == 1 {
        pixels.iter().map(|&grey| height(f64::from(grey) / 255.0)).collect()
    } else {
        let greys = pixels.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        greys.map(|grey| height(f64::from(grey) / 65535.0)).collect()
    };
    Ok(Raster { columns, rows, heights, spacing_m: None, north_west_m: None })
}
