//! Lines, dots and bars on linear or logarithmic axes: [`Figure`] → drawing.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;
use understory::figures::{Figure, Mark, Panel};

use super::{Area, Drawn, Letters};

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

/// How much of what is behind them bars hide.
const BAR_OPACITY: f64 = 0.6;

/// Draws each panel into its part.
pub fn draw<B>(figure: &Figure, parts: &[Area<B>], letters: &Letters) -> Drawn
where
    B: DrawingBackend,
    B::ErrorType: 'static,
{
    let Some((x, y)) = figure.bounds() else { return Ok(()) };
    let [x0, x1] = padded(x, figure.log_x);
    let [y0, y1] = headed(figure, padded(y, figure.log_y));
    for (panel, part) in figure.panels.iter().zip(parts) {
        let paper = Paper { figure, panel, area: part, letters, floor: y0 };
        match (figure.log_x, figure.log_y) {
            (false, false) => paper.draw(x0..x1, y0..y1)?,
            (true, false) => paper.draw((x0..x1).log_scale(), y0..y1)?,
            (false, true) => paper.draw(x0..x1, (y0..y1).log_scale())?,
            (true, true) => paper.draw((x0..x1).log_scale(), (y0..y1).log_scale())?,
        }
    }
    Ok(())
}

/// A little more than the data, so that no line runs along the frame.
fn padded([low, high]: [f64; 2], log: bool) -> [f64; 2] {
    if log {
        let factor = if high > low { (high / low).powf(0.03) } else { 2.0 };
        return [low / factor, high * factor];
    }
    let margin = if high > low { 0.03 * (high - low) } else { 1.0 };
    [low - margin, high + margin]
}

/// Room for the legend above the data.
fn headed(figure: &Figure, [low, high]: [f64; 2]) -> [f64; 2] {
    let named = |panel: &Panel| panel.series.iter().filter(|s| !s.name.is_empty()).count();
    let lines = figure.panels.iter().map(named).max().unwrap_or(0);
    // A line takes 8 % of the height; more than 60 % would leave too little for the data.
    let taken = if lines == 0 { 0.0 } else { (0.02 + 0.08 * lines as f64).min(0.6) };
    let share = taken / (1.0 - taken);
    if figure.log_y {
        [low, high * (high / low).powf(share)]
    } else {
        [low, high + share * (high - low)]
    }
}

/// One panel and where it is drawn.
struct Paper<'a, B: DrawingBackend> {
    figure: &'a Figure,
    panel: &'a Panel,
    area: &'a Area<B>,
    letters: &'a Letters,
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
        let mut builder = ChartBuilder::on(self.area);
        builder.margin(16).margin_right(48).x_label_area_size(56).y_label_area_size(110);
        if !self.panel.title.is_empty() {
            builder.caption(&self.panel.title, ("sans-serif", self.letters.caption));
        }
        let mut chart = builder.build_cartesian_2d(x, y)?;
        let mut mesh = chart.configure_mesh();
        mesh.x_desc(&self.figure.x_label)
            .y_desc(&self.figure.y_label)
            .x_labels(8)
            .y_labels(8)
            .light_line_style(RGBColor(244, 244, 244))
            .bold_line_style(RGBColor(222, 222, 222))
            .label_style(("sans-serif", self.letters.label));
        if self.figure.log_x {
            mesh.x_label_formatter(&power);
        }
        if self.figure.log_y {
            mesh.y_label_formatter(&power);
        }
        mesh.draw()?;
        let mut named = false;
        for (series, colour) in self.panel.series.iter().zip(COLOURS.iter().cycle()) {
            let points = series.points.iter().filter(|point| self.figure.shows(**point));
            let points = points.map(|point| (point[0], point[1]));
            let drawn = match series.mark {
                Mark::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
                Mark::Dots => {
                    let radius = if series.points.len() > MANY_DOTS { 2 } else { 5 };
                    let dot = |point| Circle::new(point, radius, colour.filled());
                    chart.draw_series(points.map(dot))?
                }
                Mark::Bars => {
                    let half = series.bar_width() / 2.0;
                    let foot = if self.figure.log_y { self.floor } else { 0.0 };
                    let style = colour.mix(BAR_OPACITY).filled();
                    let bar = |(x, y)| Rectangle::new([(x - half, foot), (x + half, y)], style);
                    chart.draw_series(points.map(bar))?
                }
            };
            if !series.name.is_empty() {
                named = true;
                drawn.label(&series.name).legend(|(x, y)| {
                    Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled())
                });
            }
        }
        if named {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE)
                .border_style(RGBColor(180, 180, 180))
                .label_font(("sans-serif", self.letters.legend))
                .draw()?;
        }
        Ok(())
    }
}

/// A mark of a logarithmic axis without needless digits.
fn power(value: &f64) -> String {
    let small = (1e-3..1e4).contains(value);
    if small { format!("{}", (value * 1e6).round() / 1e6) } else { format!("{value:e}") }
}
