//! Pictures for the documents: smaller, and with as few colours as make them small.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use color_quant::NeuQuant;
use image::imageops::{FilterType, resize};
use image::{RgbaImage, open};

/// Writes picture `large` as `small`, at most so wide, with as few colours as `most_bytes` ask for.
pub fn shrink(large: &Path, small: &Path, width: u32, most_bytes: usize) -> Result<()> {
    let image = open(large).with_context(|| format!("cannot read {}", large.display()))?;
    let image = image.to_rgba8();
    let width = width.min(image.width());
    let height = width * image.height() / image.width();
    let image = resize(&image, width, height, FilterType::CatmullRom);
    let mut bytes = Vec::new();
    for colours in [128, 64, 32, 16] {
        bytes = indexed_png(&image, colours)?;
        if bytes.len() <= most_bytes {
            break;
        }
    }
    if let Some(folder) = small.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(small, bytes).with_context(|| format!("cannot write {}", small.display()))
}

fn indexed_png(image: &RgbaImage, colours: usize) -> Result<Vec<u8>> {
    let quantiser = NeuQuant::new(3, colours, image.as_raw());
    let indices: Vec<u8> = image.pixels().map(|pixel| quantiser.index_of(&pixel.0) as u8).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width(), image.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(quantiser.color_map_rgb());
    encoder.set_compression(png::Compression::High);
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&indices)?;
    Ok(bytes)
}
