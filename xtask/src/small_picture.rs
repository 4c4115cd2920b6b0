//! Pictures for the documents: smaller, and with as few colours as make them small.

use std::fs;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};
use color_quant::NeuQuant;
use resize::Pixel::RGB8;
use resize::Type::Catrom;
use rgb::{FromSlice, RGB8 as Rgb};

/// Writes picture `large` as `small`, at most so wide, with as few colours as `most_bytes` ask for.
pub fn shrink(large: &Path, small: &Path, width: u32, most_bytes: usize) -> Result<()> {
    let (from, pixels) =
        read_rgb(large).with_context(|| format!("cannot read {}", large.display()))?;
    let width = width.min(from[0]);
    let to = [width, width * from[1] / from[0]];
    let [w, h, w_to, h_to] = [from[0], from[1], to[0], to[1]].map(|side| side as usize);
    let mut small_pixels = vec![Rgb::default(); w_to * h_to];
    resize::new(w, h, w_to, h_to, RGB8, Catrom)?.resize(pixels.as_rgb(), &mut small_pixels)?;
    let mut bytes = Vec::new();
    for colours in [128, 64, 32, 16] {
        bytes = indexed_png(to, &small_pixels, colours)?;
        if bytes.len() <= most_bytes {
            break;
        }
    }
    if let Some(folder) = small.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(small, bytes).with_context(|| format!("cannot write {}", small.display()))
}

/// Width, height and the pixels of a PNG.
fn read_rgb(path: &Path) -> Result<([u32; 2], Vec<u8>)> {
    let mut decoder = png::Decoder::new(BufReader::new(fs::File::open(path)?));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut data = vec![0; reader.output_buffer_size().context("it is too large")?];
    let frame = reader.next_frame(&mut data)?;
    let rgb = match frame.color_type {
        png::ColorType::Rgb => data,
        png::ColorType::Rgba => data.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect(),
        other => bail!("it has pixels of {other:?}"),
    };
    Ok(([frame.width, frame.height], rgb))
}

fn indexed_png([width, height]: [u32; 2], pixels: &[Rgb], colours: usize) -> Result<Vec<u8>> {
    let rgba: Vec<[u8; 4]> = pixels.iter().map(|p| [p.r, p.g, p.b, 255]).collect();
    let quantiser = NeuQuant::new(3, colours, rgba.as_flattened());
    let indices: Vec<u8> = rgba.iter().map(|pixel| quantiser.index_of(pixel) as u8).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(quantiser.color_map_rgb());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(bytes)
}
