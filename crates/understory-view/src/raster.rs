//! Pixels of red, green and blue in memory, and their PNG.
//!
//! By hand over the crate `png`: `image` draws in colour management that nothing here uses and that
//! takes longer to build than all of this crate.

use std::io::{self, Write};

/// Red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u8; 3]);

/// A picture, by rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RgbImage {
    width: u32,
    height: u32,
    pixels: Vec<Rgb>,
}

/// How hard a PNG is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Quickly, for pictures of every run.
    Fast,
    /// As small as it gets, for plots that are kept.
    Small,
}

impl RgbImage {
    /// A black picture.
    pub fn new(width: u32, height: u32) -> RgbImage {
        RgbImage::from_pixel(width, height, Rgb([0; 3]))
    }

    /// A picture of one colour.
    pub fn from_pixel(width: u32, height: u32, pixel: Rgb) -> RgbImage {
        RgbImage { width, height, pixels: vec![pixel; width as usize * height as usize] }
    }

    /// Pixels from left to right.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Width and height.
    pub fn dimensions(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// The pixel in column `x` of row `y`; none outside.
    pub fn get_pixel_mut_checked(&mut self, x: u32, y: u32) -> Option<&mut Rgb> {
        let inside = x < self.width && y < self.height;
        let index = y as usize * self.width as usize + x as usize;
        inside.then(|| &mut self.pixels[index])
    }

    /// Colours the pixel in column `x` of row `y`; nothing happens outside.
    pub fn put_pixel(&mut self, x: u32, y: u32, pixel: Rgb) {
        if let Some(here) = self.get_pixel_mut_checked(x, y) {
            *here = pixel;
        }
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> impl Iterator<Item = &Rgb> {
        self.pixels.iter()
    }

    /// All pixels with their columns and rows.
    #[cfg(test)]
    pub fn enumerate_pixels(&self) -> impl Iterator<Item = (u32, u32, &Rgb)> {
        let width = self.width;
        let place = move |index: usize| (index as u32 % width, index as u32 / width);
        let with_place = move |(index, pixel)| {
            let (x, y) = place(index);
            (x, y, pixel)
        };
        self.pixels.iter().enumerate().map(with_place)
    }

    /// Red, green and blue of all pixels, row by row.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.pixels.iter().flat_map(|pixel| pixel.0).collect()
    }

    /// Writes a PNG.
    pub fn write_png(&self, file: impl Write, compression: Compression) -> io::Result<()> {
        write_png(file, [self.width, self.height], &self.to_bytes(), compression)
    }
}

/// Writes red, green and blue of all pixels, row by row, as PNG.
pub fn write_png(
    file: impl Write,
    [width, height]: [u32; 2],
    rgb: &[u8],
    compression: Compression,
) -> io::Result<()> {
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    match compression {
        Compression::Fast => encoder.set_compression(png::Compression::Fast),
        Compression::Small => {
            encoder.set_compression(png::Compression::High);
            encoder.set_filter(png::Filter::Adaptive);
        }
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(rgb)?;
    writer.finish()?;
    Ok(())
}
