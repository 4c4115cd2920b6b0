//! Text from the 8 × 8 font, doubled so that its steps become slopes.

use font8x8::UnicodeFonts;
use image::{Rgb, RgbImage};

/// Side of a glyph before doubling.
const CELL: usize = 8;

/// Size of text: how often the 8 × 8 glyphs are doubled.
#[derive(Clone, Copy)]
pub enum TextSize {
    /// 16 pixels high.
    Small,
    /// 32 pixels high.
    Large,
}

impl TextSize {
    fn doublings(self) -> u32 {
        match self {
            TextSize::Small => 1,
            TextSize::Large => 2,
        }
    }

    /// Width of one letter and height of a line in pixels.
    pub fn pixels(self) -> i64 {
        (CELL << self.doublings()) as i64
    }
}

/// Width of `text` in pixels.
pub fn text_width(text: &str, size: TextSize) -> i64 {
    text.chars().count() as i64 * size.pixels()
}

/// Writes `text` with its top left corner at (`x`, `y`); what lies outside the image is left out.
pub fn write_text(
    image: &mut RgbImage,
    (x, y): (i64, i64),
    text: &str,
    size: TextSize,
    colour: Rgb<u8>,
) {
    for (place, letter) in text.chars().enumerate() {
        let mut bitmap = glyph(letter);
        for _ in 0..size.doublings() {
            bitmap = doubled(&bitmap);
        }
        let left = x + place as i64 * size.pixels();
        for (row, line) in bitmap.iter().enumerate() {
            for (column, _) in line.iter().enumerate().filter(|(_, on)| **on) {
                let at = (u32::try_from(left + column as i64), u32::try_from(y + row as i64));
                if let (Ok(px), Ok(py)) = at
                    && let Some(pixel) = image.get_pixel_mut_checked(px, py)
                {
                    *pixel = colour;
                }
            }
        }
    }
}

/// The bitmap of a letter; a letter that the font lacks becomes a question mark.
fn glyph(letter: char) -> Vec<Vec<bool>> {
    let find = |letter| {
        let basic = font8x8::BASIC_FONTS.get(letter);
        basic
            .or_else(|| font8x8::LATIN_FONTS.get(letter))
            .or_else(|| font8x8::GREEK_FONTS.get(letter))
    };
    let rows = find(letter).or_else(|| find('?')).unwrap_or([0; CELL]);
    rows.iter().map(|row| (0..CELL).map(|bit| row >> bit & 1 == 1).collect()).collect()
}

/// Twice the size. Each pixel becomes four; a corner takes its neighbours' value where two of them
/// meet there and the others do not, which turns steps into slopes.
fn doubled(bitmap: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let at = |row: isize, column: isize| {
        let (row, column) = (usize::try_from(row), usize::try_from(column));
        matches!((row, column), (Ok(r), Ok(c)) if bitmap.get(r).and_then(|line| line.get(c)) == Some(&true))
    };
    let side = bitmap.len() as isize * 2;
    let value = |row: isize, column: isize| {
        let (r, c) = (row / 2, column / 2);
        let (vertical, other_vertical) = if row % 2 == 0 { (-1, 1) } else { (1, -1) };
        let (horizontal, other_horizontal) = if column % 2 == 0 { (-1, 1) } else { (1, -1) };
        let (a, b) = (at(r + vertical, c), at(r, c + horizontal));
        let (opposite_a, opposite_b) = (at(r + other_vertical, c), at(r, c + other_horizontal));
        let corner = a == b && a != opposite_a && b != opposite_b;
        if corner { a } else { at(r, c) }
    };
    (0..side).map(|row| (0..side).map(|column| value(row, column)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_appear_and_stay_inside() {
        let mut image = RgbImage::new(40, 20);
        write_text(&mut image, (-4, -4), "Aµ\u{1F333}", TextSize::Small, Rgb([255, 0, 0]));
        assert!(image.pixels().any(|pixel| pixel.0 == [255, 0, 0]));
        assert_eq!(text_width("12 m", TextSize::Large), 4 * 32);
    }

    #[test]
    fn a_full_square_stays_full_when_doubled() {
        let square = vec![vec![true; 4]; 4];
        assert!(doubled(&square)[3].iter().all(|on| *on));
    }
}
