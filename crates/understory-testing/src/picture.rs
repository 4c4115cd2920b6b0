//! Pictures that tests look into or make: PNG to pixels and back.

use std::io::Cursor;

use png::{BitDepth, ColorType, Transformations};

/// Pixels by rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue of each.
    pub rgb: Vec<[u8; 3]>,
}

impl Pixels {
    /// Reads a PNG without transparency.
    #[track_caller]
    pub fn from_png(bytes: &[u8]) -> Pixels {
        let mut decoder = png::Decoder::new(Cursor::new(bytes));
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info().expect("a PNG");
        let mut data = vec![0; reader.output_buffer_size().expect("a size")];
        let frame = reader.next_frame(&mut data).expect("a whole PNG");
        let rgb = match frame.color_type {
            ColorType::Rgb => data.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
            ColorType::Grayscale => data.iter().map(|grey| [*grey; 3]).collect(),
            other => panic!("a picture of {other:?}"),
        };
        Pixels { size: [frame.width, frame.height], rgb }
    }

    /// The pixel in a column and a row.
    #[track_caller]
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        assert!(x < self.size[0], "column {x} of {}", self.size[0]);
        self.rgb[(y * self.size[0] + x) as usize]
    }
}

/// A PNG of grey pixels of 8 bits.
pub fn grey_png(size: [u32; 2], pixels: &[u8]) -> Vec<u8> {
    png_of(size, ColorType::Grayscale, BitDepth::Eight, pixels)
}

/// A PNG of grey pixels of 16 bits.
pub fn grey16_png(size: [u32; 2], pixels: &[u16]) -> Vec<u8> {
    let bytes: Vec<u8> = pixels.iter().flat_map(|pixel| pixel.to_be_bytes()).collect();
    png_of(size, ColorType::Grayscale, BitDepth::Sixteen, &bytes)
}

/// A PNG of coloured pixels of 8 bits.
pub fn rgb_png(size: [u32; 2], rgb: &[u8]) -> Vec<u8> {
    png_of(size, ColorType::Rgb, BitDepth::Eight, rgb)
}

fn png_of([width, height]: [u32; 2], color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(data).expect("as many bytes as pixels ask for");
    writer.finish().expect("an end");
    bytes
}
