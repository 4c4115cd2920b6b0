//! Figures as PNG: [`Figure`] → picture, by `plotters` on pixels of our own.

mod canvas;
mod heat_map;

use std::path::Path;

use anyhow::{Result, anyhow};
use image::RgbImage;
use plotters::coord::Shift;
use plotters::prelude::*;
use understory::figures::{Figure, Mark, Panel};

use crate::picture::write_whole;
use crate::report::cannot_write;
use canvas::Canvas;

pub use heat_map::{HeatMap, write_heat_maps};

/// Width of a panel and height of a figure in pixels.
const PANEL: (u32, u32) = (900, 640);

/// `plotters` guesses the width of the legend from this size; at 35 the guess fits our letters.
const LEGEND_FONT: i32 = 35;

/// Colours that are told apart in print and by the colour-blind (Okabe and Ito).
const COLOURS: [RGBColor; 9] = [
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

/// Writes a figure into a folder and returns its path.
pub fn write_figure(figure: &Figure, folder: &Path) -> Result<std::path::PathBuf> {
    write_png(&draw(figure)?, folder, &figure.name)
}

/// Writes a picture into a folder and returns its path.
fn write_png(image: &RgbImage, folder: &Path, name: &str) -> Result<std::path::PathBuf> {
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png)?;
    let path = folder.join(format!("{name}.png"));
    write_whole(&path, png.get_ref()).map_err(|error| cannot_write(&path, error))?;
    Ok(path)
}

/// Draws a figure.
fn draw(figure: &Figure) -> Result<RgbImage> {
    let panels = figure.panels.len().max(1);
    let mut image = RgbImage::new(PANEL.0 * panels as u32, PANEL.1);
    {
        let area = Canvas::new(&mut image).into_drawing_area();
        draw_on(figure, panels, &area).map_err(|error| anyhow!("{}: {error}", figure.name))?;
    }
    Ok(image)
}

type Area<'a> = DrawingArea<Canvas<'a>, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw_on(figure: &Figure, panels: usize, area: &Area<'_>) -> Drawn {
    area.fill(&WHITE)?;
    let Some((x, y)) = figure.bounds() else { return Ok(()) };
    let below = area.titled(&figure.title, ("sans-serif", 24))?;
    for (panel, part) in figure.panels.iter().zip(below.split_evenly((1, panels))) {
        draw_panel(figure, panel, &part, padded(x), headed(figure, padded(y)))?;
    }
    area.present()?;
    Ok(())
}

/// A little more than the data, so that no line runs along the frame.
fn padded([low, high]: [f64; 2]) -> [f64; 2] {
    let margin = if high > low { 0.03 * (high - low) } else { 1.0 };
    [low - margin, high + margin]
}

/// Room for the legend above the data.
fn headed(figure: &Figure, [low, high]: [f64; 2]) -> [f64; 2] {
    let named = |panel: &Panel| panel.series.iter().filter(|s| !s.name.is_empty()).count();
    let lines = figure.panels.iter().map(named).max().unwrap_or(0);
    [low, high + 0.14 * lines.min(4) as f64 * (high - low)]
}

fn draw_panel(figure: &Figure, panel: &Panel, area: &Area<'_>, x: [f64; 2], y: [f64; 2]) -> Drawn {
    let mut builder = ChartBuilder::on(area);
    builder.margin(16).margin_right(48).x_label_area_size(56).y_label_area_size(110);
    if !panel.title.is_empty() {
        builder.caption(&panel.title, ("sans-serif", 16));
    }
    let mut chart = builder.build_cartesian_2d(x[0]..x[1], y[0]..y[1])?;
    chart
        .configure_mesh()
        .x_desc(&figure.x_label)
        .y_desc(&figure.y_label)
        .x_labels(8)
        .y_labels(8)
        .light_line_style(RGBColor(244, 244, 244))
        .bold_line_style(RGBColor(222, 222, 222))
        .label_style(("sans-serif", 16))
        .draw()?;
    let mut named = false;
    for (series, colour) in panel.series.iter().zip(COLOURS.iter().cycle()) {
        let points = series.points.iter().map(|point| (point[0], point[1]));
        let drawn = match series.mark {
            Mark::Line => chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?,
            Mark::Dots => {
                chart.draw_series(points.map(|point| Circle::new(point, 2, colour.filled())))?
            }
        };
        if !series.name.is_empty() {
            named = true;
            drawn
                .label(&series.name)
                .legend(|(x, y)| Rectangle::new([(x, y - 4), (x + 16, y + 4)], colour.filled()));
        }
    }
    if named {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperLeft)
            .background_style(WHITE)
            .border_style(RGBColor(180, 180, 180))
            .label_font(("sans-serif", LEGEND_FONT))
            .draw()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory::figures::Series;

    #[test]
    fn a_line_and_its_words_appear() {
        let line = Series::line("rise", vec![[0.0, 0.0], [1.0, 2.0]]);
        let figure = Figure {
            name: "test".into(),
            title: "Title".into(),
            x_label: "x [m]".into(),
            y_label: "y [m]".into(),
            panels: vec![Panel { title: "panel".into(), series: vec![line] }; 2],
        };
        let image = draw(&figure).unwrap();
        assert_eq!(image.dimensions(), (1800, 640));
        let count = |colour: RGBColor| {
            image.pixels().filter(|pixel| pixel.0 == [colour.0, colour.1, colour.2]).count()
        };
        assert!(count(COLOURS[0]) > 1000, "the lines");
        assert!(count(BLACK) > 1000, "the words");
        let folder = tempfile::tempdir().unwrap();
        assert!(write_figure(&figure, folder.path()).unwrap().is_file());
        let empty = Figure { panels: vec![], ..figure };
        assert_eq!(draw(&empty).unwrap().dimensions(), (900, 640));
    }
}
