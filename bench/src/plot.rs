//! A plot of time per pulse over triangles, the latter by their logarithm, as a small PNG.

use std::path::Path;

use anyhow::{Context, Result};
use font8x8::UnicodeFonts;
use image::{Rgb, RgbImage};

/// Triangles and microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

const SIZE: (u32, u32) = (720, 420);
/// Left, top, right and bottom of the frame.
const FRAME: [f64; 4] = [70.0, 40.0, 690.0, 350.0];
const BLACK: Rgb<u8> = Rgb([30, 30, 30]);
const GREY: Rgb<u8> = Rgb([215, 215, 215]);
const BLUE: Rgb<u8> = Rgb([30, 90, 180]);
const RED: Rgb<u8> = Rgb([200, 70, 40]);

/// Draws both series, and the curve fitted to the first.
pub fn write(
    path: &Path,
    ground: &[Point],
    leaves: &[Point],
    fitted: impl Fn(f64) -> f64,
) -> Result<()> {
    let mut image = RgbImage::from_pixel(SIZE.0, SIZE.1, Rgb([255, 255, 255]));
    let highest = ground.iter().chain(leaves).map(|point| point.y).fold(0.0, f64::max);
    let step = step_of(highest);
    let top = step * (1.15 * highest / step).ceil();
    let [left, upper, right, lower] = FRAME;
    let x_of = |x: f64| left + (right - left) * (x.log10() - 5.0) / 4.0;
    let y_of = |y: f64| lower - (lower - upper) * y / top;
    for power in 5..=9 {
        let x = x_of(10f64.powi(power));
        line(&mut image, (x, upper), (x, lower), GREY);
        text(&mut image, (x - 20.0, lower + 10.0), &format!("10^{power}"));
    }
    for tick in 0..=(top / step).round() as i32 {
        let value = f64::from(tick) * step;
        line(&mut image, (left, y_of(value)), (right, y_of(value)), GREY);
        let label = format!("{value:.*}", usize::from(step < 1.0));
        text(&mut image, (left - 12.0 - 16.0 * label.len() as f64, y_of(value) - 8.0), &label);
    }
    line(&mut image, (left, upper), (left, lower), BLACK);
    line(&mut image, (left, lower), (right, lower), BLACK);
    text(&mut image, (left, 12.0), "\u{b5}s per pulse of 9 rays");
    text(&mut image, (300.0, lower + 40.0), "triangles");
    for pixel in 0..(right - left) as u32 {
        let at = |pixel: f64| {
            let x = 10f64.powf(5.0 + 4.0 * pixel / (right - left));
            (left + pixel, y_of(fitted(x)))
        };
        let pixel = f64::from(pixel);
        line(&mut image, at(pixel), at(pixel + 1.0), BLUE);
    }
    for (points, colour, at_y, words) in
        [(leaves, RED, 60.0, "finer leaves"), (ground, BLUE, 84.0, "more ground, log fit")]
    {
        for point in points {
            dot(&mut image, (x_of(point.x), y_of(point.y)), colour);
        }
        dot(&mut image, (left + 20.0, at_y + 8.0), colour);
        text(&mut image, (left + 34.0, at_y), words);
    }
    image.save(path).with_context(|| format!("{} cannot be written", path.display()))
}

/// 1, 2 or 5 times a power of ten, of which about five fit.
fn step_of(highest: f64) -> f64 {
    let rough = (highest / 5.0).max(1e-6);
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps.into_iter().find(|step| *step >= rough).unwrap_or(rough)
}

fn put(image: &mut RgbImage, (x, y): (f64, f64), colour: Rgb<u8>) {
    if x >= 0.0
        && y >= 0.0
        && let Some(pixel) = image.get_pixel_mut_checked(x as u32, y as u32)
    {
        *pixel = colour;
    }
}

fn dot(image: &mut RgbImage, (x, y): (f64, f64), colour: Rgb<u8>) {
    for dx in -4i32..=4 {
        for dy in (-4i32..=4).filter(|dy| dx * dx + dy * dy <= 18) {
            put(image, (x + f64::from(dx), y + f64::from(dy)), colour);
        }
    }
}

fn line(image: &mut RgbImage, from: (f64, f64), to: (f64, f64), colour: Rgb<u8>) {
    let steps = (to.0 - from.0).abs().max((to.1 - from.1).abs()).ceil().max(1.0);
    for step in 0..=steps as u32 {
        let share = f64::from(step) / steps;
        let at = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
        put(image, at, colour);
    }
}

/// 8 × 8 letters at twice their size.
fn text(image: &mut RgbImage, (x, y): (f64, f64), words: &str) {
    for (place, letter) in words.chars().enumerate() {
        let glyph = font8x8::BASIC_FONTS.get(letter).or(font8x8::LATIN_FONTS.get(letter));
        for (row, bits) in glyph.unwrap_or_default().iter().enumerate() {
            for column in (0..8).filter(|column| bits >> column & 1 == 1) {
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let at = (16 * place + 2 * column + dx, 2 * row + dy);
                    put(image, (x + at.0 as f64, y + at.1 as f64), BLACK);
                }
            }
        }
    }
}
