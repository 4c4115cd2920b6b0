//! Names of series in a strip above a panel, so that they hide no data.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Area, LABEL};
use crate::picture::text::text_width;

/// Side of a patch of colour, and room behind it and behind a name.
const PATCH: i32 = 16;
const GAP: i32 = 8;
const APART: i32 = 28;

/// Draws the names with their colours into the top of `area`, and returns what is left below.
pub fn draw<B>(
    names: &[(&str, RGBColor)],
    area: &Area<B>,
) -> Result<Area<B>, Box<dyn std::error::Error>>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    if names.is_empty() {
        return Ok(area.clone());
    }
    let line = LABEL + GAP;
    let widths = names.iter().map(|(name, _)| text_width(name, LABEL as f32) as i32);
    let places = flow(&widths.collect::<Vec<_>>(), area.dim_in_pixel().0 as i32);
    let lines = places.last().map_or(0, |(_, row)| row + 1);
    let (strip, rest) = area.split_vertically(lines * line + GAP);
    let style = ("sans-serif", LABEL).into_text_style(&strip);
    let style = style.pos(Pos::new(HPos::Left, VPos::Center));
    for ((name, colour), (x, row)) in names.iter().zip(places) {
        let middle = row * line + line / 2;
        let patch = [(x, middle - PATCH / 2), (x + PATCH, middle + PATCH / 2)];
        strip.draw(&Rectangle::new(patch, colour.filled()))?;
        strip.draw(&Text::new(*name, (x + PATCH + GAP, middle), style.clone()))?;
    }
    Ok(rest)
}

/// Where each entry begins and in which row, from left to right and row by row.
fn flow(widths: &[i32], room: i32) -> Vec<(i32, i32)> {
    let (mut x, mut row) = (APART, 0);
    let place = |width: &i32| {
        let wide = PATCH + GAP + width + APART;
        if x > APART && x + wide > room {
            (x, row) = (APART, row + 1);
        }
        let at = (x, row);
        x += wide;
        at
    };
    widths.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::flow;

    #[test]
    fn entries_fill_rows_and_one_that_is_too_long_has_its_own() {
        let places = flow(&[100, 100, 900, 50], 400);
        assert_eq!(places.iter().map(|(_, row)| *row).collect::<Vec<_>>(), [0, 0, 1, 2]);
        assert!(places[1].0 > places[0].0 + 100);
    }
}
