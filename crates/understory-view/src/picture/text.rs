//! Text in pictures, from a font inside the program: no system font is needed.

use std::sync::LazyLock;

use crate::raster::{Rgb, RgbImage};
use ab_glyph::{Font, FontRef, GlyphId, ScaleFont, point};

/// Height of small text in pixels.
pub const SMALL: f32 = 24.0;
/// Height of headings.
pub const LARGE: f32 = 38.0;

static FONT: LazyLock<Option<FontRef<'_>>> =
    LazyLock::new(|| FontRef::try_from_slice(epaint_default_fonts::UBUNTU_LIGHT).ok());

/// Width of `text` in pixels.
pub fn text_width(text: &str, height: f32) -> i64 {
    let end = place(text, height, |_, _| {});
    end.ceil() as i64
}

/// Writes `text` with its top left corner at (`x`, `y`); what lies outside the image is left out.
pub fn write_text(image: &mut RgbImage, (x, y): (i64, i64), text: &str, height: f32, colour: Rgb) {
    rasterise(text, height, |column, row, opacity| {
        let at = (u32::try_from(x + column), u32::try_from(y + row));
        if let (Ok(px), Ok(py)) = at
            && let Some(pixel) = image.get_pixel_mut_checked(px, py)
        {
            for (old, new) in pixel.0.iter_mut().zip(colour.0) {
                let mixed = f32::from(*old) + (f32::from(new) - f32::from(*old)) * opacity;
                *old = mixed.round() as u8;
            }
        }
    });
}

/// Calls `dot` with column, row and opacity (0…1) of each pixel that `text` touches.
pub fn rasterise(text: &str, height: f32, mut dot: impl FnMut(i64, i64, f32)) {
    let Some(font) = &*FONT else { return };
    let baseline = font.as_scaled(height).ascent();
    place(text, height, |glyph, x| {
        let glyph = glyph.with_scale_and_position(height, point(x, baseline));
        if let Some(outline) = font.outline_glyph(glyph) {
            let corner = outline.px_bounds().min;
            outline.draw(|column, row, coverage| {
                // In steps, so that the last bit of a machine's arithmetic does not show.
                let opacity = (coverage.clamp(0.0, 1.0) * 32.0).round() / 32.0;
                let at = (corner.x as i64 + i64::from(column), corner.y as i64 + i64::from(row));
                dot(at.0, at.1, opacity);
            });
        }
    });
}

/// Calls `put` with each letter and where it begins; returns where the last ends.
fn place(text: &str, height: f32, mut put: impl FnMut(GlyphId, f32)) -> f32 {
    let Some(font) = &*FONT else { return 0.0 };
    let scaled = font.as_scaled(height);
    let mut x = 0.0;
    let mut last: Option<GlyphId> = None;
    for letter in text.chars() {
        let glyph = match font.glyph_id(letter) {
            GlyphId(0) => font.glyph_id('?'),
            known => known,
        };
        x += last.map_or(0.0, |last| scaled.kern(last, glyph));
        put(glyph, x);
        x += scaled.h_advance(glyph);
        last = Some(glyph);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_appear_and_stay_inside() {
        let mut image = RgbImage::new(40, 20);
        write_text(&mut image, (-4, -4), "Aµ\u{1F333}", SMALL, Rgb([255, 0, 0]));
        assert!(image.pixels().any(|pixel| pixel.0[0] > 200 && pixel.0[1] == 0));
        assert!(text_width("12 m", LARGE) > text_width("12 m", SMALL));
        assert!(text_width("mm", SMALL) > text_width("ii", SMALL));
    }

    #[test]
    fn the_font_has_what_plots_say() {
        let font = FONT.as_ref().unwrap();
        for letter in "σλρµ²³°×·−–…≤≥±√ΓΔδθ≈".chars() {
            assert!(font.glyph_id(letter).0 != 0, "{letter}");
        }
    }
}
