//! Grey PNG of 8 or 16 bits.

use super::{Raster, Reason, check_size};
use image::codecs::png::PngDecoder;
use image::{ColorType, ImageDecoder, Limits};
use std::fs::File;
use std::io::BufReader;

pub fn read(file: File, file_bytes: u64, range_m: [f64; 2]) -> Result<Raster, Reason> {
    let damaged = |error| format!("it is no PNG or it is damaged: {error}");
    let mut limits = Limits::default();
    limits.max_alloc = Some(256 << 20);
    let decoder = PngDecoder::with_limits(BufReader::new(file), limits).map_err(damaged)?;
    let (columns, rows) = decoder.dimensions();
    let bytes = match decoder.color_type() {
        ColorType::L8 => 1,
        ColorType::L16 => 2,
        other => {
            return Err(format!("its pixels are {other:?}, but heights are grey of 8 or 16 bits"));
        }
    };
    // Deflate makes at most 1032 bytes of one; a grey of one bit becomes eight.
    check_size(columns.into(), rows.into(), bytes, file_bytes, 8 * 1032)?;
    let (columns, rows) = (columns as usize, rows as usize);
    let mut pixels = vec![0; columns * rows * bytes as usize];
    decoder.read_image(&mut pixels).map_err(damaged)?;
    let [low, high] = range_m;
    let height = |part: f64| low + (high - low) * part;
    let heights = if bytes == 1 {
        pixels.iter().map(|&grey| height(f64::from(grey) / 255.0)).collect()
    } else {
        let greys = pixels.chunks_exact(2).map(|pair| u16::from_ne_bytes([pair[0], pair[1]]));
        greys.map(|grey| height(f64::from(grey) / 65535.0)).collect()
    };
    Ok(Raster { columns, rows, heights, spacing_m: None, north_west_m: None })
}
