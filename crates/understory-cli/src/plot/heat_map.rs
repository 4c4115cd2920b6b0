//! Counts over two axes as colours: [`HeatMap`]s side by side → picture.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use image::RgbImage;
use plotters::prelude::*;

use super::canvas::Canvas;
use super::{Area, Drawn, PANEL, write_png};

/// Cells of equal size with a value each; a row is one place on the vertical axis.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// One line above it.
    pub title: String,
    /// Under the horizontal axis, with its unit.
    pub x_label: String,
    /// Beside the vertical axis, with its unit.
    pub y_label: String,
    /// Left edge of the first cell and right edge of the last.
    pub x: [f64; 2],
    /// Lower edge of the first row and upper edge of the last.
    pub y: [f64; 2],
    /// Cells in a row.
    pub columns: usize,
    /// Values from 0, row by row from below.
    pub values: Vec<f64>,
}

/// Draws maps side by side with one scale of colours, writes them and returns the path.
pub fn write_heat_maps(
    maps: &[HeatMap],
    title: &str,
    folder: &Path,
    name: &str,
) -> Result<PathBuf> {
    let image = draw(maps, title).map_err(|error| anyhow!("{name}: {error}"))?;
    write_png(&image, folder, name)
}

fn draw(maps: &[HeatMap], title: &str) -> Result<RgbImage, Box<dyn std::error::Error>> {
    let panels = maps.len().max(1);
    let mut image = RgbImage::new(PANEL.0 * panels as u32, PANEL.1);
    {
        let area = Canvas::new(&mut image).into_drawing_area();
        area.fill(&WHITE)?;
        let below = area.titled(title, ("sans-serif", 24))?;
        let full = full_scale(maps);
        for (map, part) in maps.iter().zip(below.split_evenly((1, panels))) {
            draw_map(map, full, &part)?;
        }
        area.present()?;
    }
    Ok(image)
}

/// The value with the strongest colour: a few cells above it must not make all others pale.
fn full_scale(maps: &[HeatMap]) -> f64 {
    let mut values: Vec<f64> =
        maps.iter().flat_map(|map| &map.values).copied().filter(|value| *value > 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() * 99 / 100).copied().unwrap_or(1.0)
}

fn draw_map(map: &HeatMap, full: f64, area: &Area<'_>) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(48)
        .x_label_area_size(56)
        .y_label_area_size(110)
        .caption(&map.title, ("sans-serif", 16))
        .build_cartesian_2d(map.x[0]..map.x[1], map.y[0]..map.y[1])?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(&map.x_label)
        .y_desc(&map.y_label)
        .x_labels(8)
        .y_labels(8)
        .label_style(("sans-serif", 16))
        .draw()?;
    let columns = map.columns.max(1);
    let rows = map.values.len() / columns;
    let edge = |[low, high]: [f64; 2], at: usize, of: usize| {
        low + (high - low) * at as f64 / of.max(1) as f64
    };
    let cells = map.values.iter().enumerate().filter(|(_, value)| **value > 0.0);
    chart.draw_series(cells.map(|(index, value)| {
        let (column, row) = (index % columns, index / columns);
        let corner =
            |right, up| (edge(map.x, column + right, columns), edge(map.y, row + up, rows));
        Rectangle::new([corner(0, 0), corner(1, 1)], colour(value / full).filled())
    }))?;
    Ok(())
}

/// From pale yellow over red to black; even in the root of the value, so that rare cells show.
fn colour(share: f64) -> RGBColor {
    let stops =
        [[255.0, 245.0, 200.0], [245.0, 150.0, 60.0], [190.0, 30.0, 40.0], [40.0, 0.0, 40.0]];
    let place = share.clamp(0.0, 1.0).sqrt() * (stops.len() - 1) as f64;
    let first = (place as usize).min(stops.len() - 2);
    let t = place - first as f64;
    let mix = |k: usize| (stops[first][k] + t * (stops[first + 1][k] - stops[first][k])) as u8;
    RGBColor(mix(0), mix(1), mix(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_cell_is_dark_where_it_belongs() {
        let map = HeatMap {
            title: "real".into(),
            x_label: "bearing [°]".into(),
            y_label: "range [m]".into(),
            x: [0.0, 2.0],
            y: [7.0, 9.0],
            columns: 2,
            values: vec![0.0, 1.0, 0.01, 0.0],
        };
        let image = draw(&[map.clone(), map], "Title").unwrap();
        assert_eq!(image.dimensions(), (1800, 640));
        let dark = image.enumerate_pixels().filter(|(_, _, p)| p.0 == [40, 0, 40]);
        let places: Vec<(u32, u32)> = dark.map(|(x, y, _)| (x, y)).collect();
        assert!(places.len() > 50_000, "{}", places.len());
        // Right and below in both panels.
        assert!(places.iter().all(|&(x, y)| x % 900 > 400 && y > 280));
        assert!(draw(&[], "nothing").is_ok());
    }
}
