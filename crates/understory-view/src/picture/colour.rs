//! Range → colour: near is bright yellow, far is violet, and equal steps look equal.
//!
//! The scale is a curve in OKLCh, a space in which lightness L, chroma C and hue h are as the eye
//! sees them [Ottosson2020]. Lightness falls steadily with range, so the scale also reads in grey.

use crate::raster::Rgb;
use understory_base::math;

/// Behind everything.
pub const BACKGROUND: Rgb = Rgb([11, 14, 20]);
/// Behind a view.
pub const PANEL: Rgb = Rgb([17, 21, 29]);
/// A pulse that came back with nothing.
pub const MISS: Rgb = Rgb([25, 30, 41]);
/// Lines that help but must not shout.
pub const FAINT: Rgb = Rgb([58, 68, 86]);
/// Text that explains.
pub const MUTED: Rgb = Rgb([148, 160, 180]);
/// Text that is to be read first.
pub const BRIGHT: Rgb = Rgb([236, 240, 246]);

const STEPS: usize = 256;

/// Colours of ranges between two ends, finer near the sensor where most points are.
pub struct RangeScale {
    colours: Vec<[f32; 3]>,
    /// Nearer ranges all get the first colour.
    pub near_m: f32,
    /// Farther ranges all get the last colour.
    pub far_m: f32,
}

impl RangeScale {
    /// A scale from `near_m` to `far_m`.
    pub fn between(near_m: f32, far_m: f32) -> RangeScale {
        let colours = (0..STEPS).map(|step| scale_colour(step as f32 / (STEPS - 1) as f32));
        let near_m = near_m.max(0.0);
        RangeScale { colours: colours.collect(), near_m, far_m: far_m.max(near_m + 0.01) }
    }

    /// Place of a range on the scale, 0…1, even in the square root of range.
    pub fn place(&self, range_m: f32) -> f32 {
        let (near, far) = (self.near_m.sqrt(), self.far_m.sqrt());
        ((range_m.max(0.0).sqrt() - near) / (far - near)).clamp(0.0, 1.0)
    }

    /// Linear colour of a range, each part 0…1.
    pub fn linear(&self, range_m: f32) -> [f32; 3] {
        self.at(self.place(range_m))
    }

    /// Linear colour at a place 0…1 of the scale.
    pub fn at(&self, place: f32) -> [f32; 3] {
        let step = (place * (STEPS - 1) as f32 + 0.5) as usize;
        self.colours[step.min(STEPS - 1)]
    }
}

/// Linear colour at `t` 0…1.
fn scale_colour(t: f32) -> [f32; 3] {
    let lightness = 0.93 - 0.42 * t;
    let chroma = 0.165 - 0.02 * (2.0 * t - 1.0).powi(2);
    let hue = (102.0 + 196.0 * t).to_radians();
    linear_from_oklab(lightness, chroma * math::cos(hue), chroma * math::sin(hue))
}

/// OKLab to linear sRGB, clipped to the gamut [Ottosson2020].
fn linear_from_oklab(lightness: f32, a: f32, b: f32) -> [f32; 3] {
    let l = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let m = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let s = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    [
        4.076_741_7 * l - 3.307_711_6 * m + 0.230_969_93 * s,
        -1.268_438 * l + 2.609_757_4 * m - 0.341_319_4 * s,
        -0.004_196_086_3 * l - 0.703_418_6 * m + 1.707_614_7 * s,
    ]
    .map(|part| part.clamp(0.0, 1.0))
}

/// Linear colour to the one that is stored in the file.
pub fn to_srgb(linear: [f32; 3]) -> Rgb {
    Rgb(linear.map(|part| {
        let part = part.clamp(0.0, 1.0);
        let encoded = if part <= 0.003_130_8 {
            12.92 * part
        } else {
            1.055 * math::powf(part, 1.0 / 2.4) - 0.055
        };
        (255.0 * encoded + 0.5) as u8
    }))
}

/// A stored colour as linear light.
pub fn to_linear(Rgb(stored): Rgb) -> [f32; 3] {
    stored.map(|part| {
        let part = f32::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { math::powf((part + 0.055) / 1.055, 2.4) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn luminance_falls_with_range() {
        let scale = RangeScale::between(0.5, 100.0);
        let luminance = |range_m: f32| {
            let [r, g, b] = scale.linear(range_m);
            0.2126 * r + 0.7152 * g + 0.0722 * b
        };
        let ranges = [1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0];
        assert!(ranges.windows(2).all(|pair| luminance(pair[0]) > luminance(pair[1])));
    }

    #[test]
    fn white_of_oklab_is_white() {
        let white = linear_from_oklab(1.0, 0.0, 0.0);
        assert!(white.iter().all(|part| (part - 1.0).abs() < 1e-4), "{white:?}");
        assert_eq!(to_srgb(white), Rgb([255, 255, 255]));
    }

    #[test]
    fn stored_colours_come_back() {
        for value in 0..=255u8 {
            let colour = Rgb([value, 255 - value, value / 2]);
            assert_eq!(to_srgb(to_linear(colour)), colour);
        }
    }
}
