//! Linear light → what a screen shows: exposure, tone curve, sRGB, PNG.

use glam::Vec3;
use understory_base::math;

use crate::raster::{Compression, write_png};
use std::io::{self, Write};

/// Luminance to which the picture's geometric mean is brought.
const MIDDLE: f64 = 0.27;
/// How far exposure may be changed: night stays dark.
const EXPOSURES: (f64, f64) = (0.5, 8.0);
/// Luminance, after exposure, that becomes white.
const WHITE: f32 = 3.5;

/// A picture in sRGB, by rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: [u32; 2],
    /// Red, green and blue of each pixel.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Exposes and tone-maps linear light, `exposure_ev` steps brighter than its mean asks for.
    pub fn develop(size: [u32; 2], light: &[Vec3], exposure_ev: f64) -> Picture {
        let exposure = exposure(light) * math::exp2(exposure_ev as f32);
        let rgb = light.iter().flat_map(|pixel| encode(tone(*pixel * exposure))).collect();
        Picture { size, rgb }
    }

    /// Writes a PNG.
    pub fn write_png(&self, file: impl Write) -> io::Result<()> {
        write_png(file, self.size, &self.rgb, Compression::Fast)
    }
}

/// Weights of ITU-R BT.709.
fn luminance(colour: Vec3) -> f32 {
    colour.dot(Vec3::new(0.2126, 0.7152, 0.0722))
}

/// What brings the geometric mean of the luminance to the middle. Summed pixel by pixel in one
/// order, so that it does not depend on threads.
fn exposure(light: &[Vec3]) -> f32 {
    let logarithm = |pixel: &Vec3| math::ln(f64::from(luminance(*pixel).max(1e-3)));
    let mean = light.iter().map(logarithm).sum::<f64>() / light.len().max(1) as f64;
    (MIDDLE / math::exp(mean)).clamp(EXPOSURES.0, EXPOSURES.1) as f32
}

/// Reinhard's curve (2002, eq. 4) on the luminance: keeps the dark, bends the bright to 1.
fn tone(colour: Vec3) -> Vec3 {
    let bright = luminance(colour);
    colour * ((1.0 + bright / (WHITE * WHITE)) / (1.0 + bright))
}

/// Linear → sRGB (IEC 61966-2-1).
fn encode(colour: Vec3) -> [u8; 3] {
    colour.to_array().map(|linear| {
        let v = linear.clamp(0.0, 1.0);
        let v = if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * math::powf(v, 1.0 / 2.4) - 0.055 };
        (v * 255.0).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::super::shade::linear;
    use super::*;
    use understory_testing::picture::Pixels;

    #[test]
    fn srgb_goes_there_and_back() {
        for value in 0..=255u8 {
            assert_eq!(encode(linear([value; 3])), [value; 3]);
        }
    }

    #[test]
    fn brighter_light_is_never_darker_and_white_is_white() {
        let values: Vec<f32> =
            (0..=700).map(|i| luminance(tone(Vec3::splat(i as f32 * 0.005)))).collect();
        assert!(values.is_sorted());
        assert!((values[700] - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_png_is_read_back() {
        let picture = Picture { size: [3, 2], rgb: (0..18).collect() };
        let mut bytes = Vec::new();
        picture.write_png(&mut bytes).unwrap();
        let read = Pixels::from_png(&bytes);
        assert_eq!((read.size, read.rgb.as_flattened()), ([3, 2], picture.rgb.as_slice()));
    }
}
