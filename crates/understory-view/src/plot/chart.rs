//! Lines, dots and bars on linear or logarithmic axes: [`Figure`] → drawing.

use std::collections::HashSet;
use understory_base::math;

use crate::figures::{Figure, Mark, Panel, Series};
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::{Area, CAPTION, Drawn, LABEL, legend};

/// Colours that are told apart in print and by the colour-blind (Okabe and Ito).
pub const COLOURS: [RGBColor; 9] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
    RGBColor(90, 90, 90),
    RGBColor(0, 0, 0),
];

/// So many dots are drawn large.
const MANY_DOTS: usize = 40;

/// Of dots in one square of so many pixels one is drawn.
const DOTS_APART: i32 = 4;

/// Pixels around the data: above, to its right, and for the marks and names of the axes.
const TOP: u32 = 16;
const RIGHT: u32 = 48;
const BELOW: u32 = 60;
const LEFT: u32 = 100;

/// How much of what is behind them bars hide.
const BAR_OPACITY: f64 = 0.6;

/// Draws each panel into its part.
pub fn draw<B>(figure: &Figure, parts: &[Area<B>]) -> Drawn
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let Some((x, y)) = figure.bounds() else { return Ok(()) };
    let (x, y) = (padded(x, figure.log_x), padded(y, figure.log_y));
    for (panel, part) in figure.panels.iter().zip(parts) {
        let part = match panel.title.as_str() {
            "" => part.clone(),
            title => part.titled(title, ("sans-serif", CAPTION))?,
        };
        let names: Vec<_> = coloured(panel)
            .filter(|(series, _)| !series.name.is_empty())
            .map(|(series, colour)| (series.name.as_str(), colour))
            .collect();
        let part = legend::draw(&names, &part)?;
        let ([x0, x1], [y0, y1]) =
            if figure.equal_axes { equalled(x, y, part.dim_in_pixel()) } else { (x, y) };
        let paper = Paper { figure, panel, area: &part, floor: y0 };
        match (figure.log_x, figure.log_y) {
            (false, false) => paper.draw(x0..x1, y0..y1)?,
            (true, false) => paper.draw((x0..x1).log_scale(), y0..y1)?,
            (false, true) => paper.draw(x0..x1, (y0..y1).log_scale())?,
            (true, true) => paper.draw((x0..x1).log_scale(), (y0..y1).log_scale())?,
        }
    }
    Ok(())
}

/// The series of a panel with their colours.
fn coloured(panel: &Panel) -> impl Iterator<Item = (&Series, RGBColor)> {
    panel.series.iter().zip(COLOURS.into_iter().cycle())
}

/// The axes widened so that a metre is as long on both.
fn equalled(x: [f64; 2], y: [f64; 2], (width, height): (u32, u32)) -> ([f64; 2], [f64; 2]) {
    let room = |pixels: u32, taken: u32| f64::from(pixels.saturating_sub(taken).max(1));
    let (width, height) = (room(width, LEFT + RIGHT + TOP), room(height, BELOW + 2 * TOP));
    let per_pixel = ((x[1] - x[0]) / width).max((y[1] - y[0]) / height);
    let widened = |[low, high]: [f64; 2], pixels: f64| {
        let (middle, half) = ((low + high) / 2.0, per_pixel * pixels / 2.0);
        [middle - half, middle + half]
    };
    (widened(x, width), widened(y, height))
}

/// A little more than the data, so that no line runs along the frame.
fn padded([low, high]: [f64; 2], log: bool) -> [f64; 2] {
    if log {
        let factor = if high > low { math::powf(high / low, 0.03) } else { 2.0 };
        return [low / factor, high * factor];
    }
    let margin = if high > low { 0.03 * (high - low) } else { 1.0 };
    [low - margin, high + margin]
}

/// One panel and where it is drawn.
struct Paper<'a, B: DrawingBackend> {
    figure: &'a Figure,
    panel: &'a Panel,
    area: &'a Area<B>,
    /// Lower end of the vertical axis, where bars stand if it has no zero.
    floor: f64,
}

impl<B> Paper<'_, B>
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    fn draw<X, Y>(&self, x: X, y: Y) -> Drawn
    where
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        let mut chart = ChartBuilder::on(self.area)
            .margin(TOP)
            .margin_right(RIGHT)
            .x_label_area_size(BELOW)
            .y_label_area_size(LEFT)
            .build_cartesian_2d(x, y)?;
        chart
            .configure_mesh()
            .x_desc(&self.figure.x_label)
            .y_desc(&self.figure.y_label)
            .x_labels(8)
            .y_labels(8)
            .light_line_style(RGBColor(244, 244, 244))
            .bold_line_style(RGBColor(222, 222, 222))
            .label_style(("sans-serif", LABEL))
            .x_label_formatter(&mark)
            .y_label_formatter(&mark)
            .draw()?;
        for (series, colour) in coloured(self.panel) {
            let points = series.points.iter().filter(|point| self.figure.shows(**point));
            let points = points.map(|point| (point[0], point[1]));
            match series.mark {
                Mark::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
                Mark::Dots => {
                    let radius = if series.points.len() > MANY_DOTS { 2 } else { 5 };
                    // A dot on another one shows nothing and makes a drawing large.
                    let mut taken = HashSet::new();
                    let fresh: Vec<(f64, f64)> = points
                        .filter(|point| {
                            let (x, y) = chart.backend_coord(point);
                            taken.insert((x / DOTS_APART, y / DOTS_APART))
                        })
                        .collect();
                    let dot = |point| Circle::new(point, radius, colour.filled());
                    chart.draw_series(fresh.into_iter().map(dot))?
                }
                Mark::Bars => {
                    let half = series.bar_width() / 2.0;
                    let foot = if self.figure.log_y { self.floor } else { 0.0 };
                    let style = colour.mix(BAR_OPACITY).filled();
                    let bar = |(x, y)| Rectangle::new([(x - half, foot), (x + half, y)], style);
                    chart.draw_series(points.map(bar))?
                }
            };
        }
        Ok(())
    }
}

/// A mark of an axis to six digits, and no more than it needs.
pub fn mark(value: &f64) -> String {
    let size = value.abs();
    if size < 1e-12 {
        return "0".to_owned();
    }
    let scale = 10f64.powi(5 - math::log10(size).floor() as i32);
    let rounded = (value * scale).round() / scale;
    if (1e-3..1e4).contains(&size) { format!("{rounded}") } else { format!("{rounded:e}") }
}
