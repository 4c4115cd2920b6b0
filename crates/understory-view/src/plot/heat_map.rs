//! Counts over two axes as colours: [`HeatMap`]s side by side → picture.

use crate::figures::HeatMap;
use plotters::prelude::*;

use super::chart::mark;
use super::{Area, CAPTION, Drawn, LABEL};

/// Draws each map into its part, with one scale of colours.
pub fn draw<B>(maps: &[HeatMap], parts: &[Area<B>]) -> Drawn
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let full = full_scale(maps);
    for (map, part) in maps.iter().zip(parts) {
        draw_map(map, full, part)?;
    }
    Ok(())
}

/// The value with the strongest colour: a few cells above it must not make all others pale.
fn full_scale(maps: &[HeatMap]) -> f64 {
    let mut values: Vec<f64> =
        maps.iter().flat_map(|map| &map.values).copied().filter(|value| *value > 0.0).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() * 99 / 100).copied().unwrap_or(1.0)
}

fn draw_map<B>(map: &HeatMap, full: f64, area: &Area<B>) -> Drawn
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let mut chart = ChartBuilder::on(area)
        .margin(16)
        .margin_right(48)
        .x_label_area_size(56)
        .y_label_area_size(110)
        .caption(&map.title, ("sans-serif", CAPTION))
        .build_cartesian_2d(map.x[0]..map.x[1], map.y[0]..map.y[1])?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc(&map.x_label)
        .y_desc(&map.y_label)
        .x_labels(8)
        .y_labels(8)
        .label_style(("sans-serif", LABEL))
        .x_label_formatter(&mark)
        .y_label_formatter(&mark)
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
