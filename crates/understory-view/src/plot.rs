//! Figures and heat maps as PNG and SVG, by `plotters`.
//!
//! One drawing for both: PNG on pixels with letters of our own, SVG with text as text.

mod canvas;
mod chart;
mod heat_map;
mod legend;

use std::path::{Path, PathBuf};

use crate::figures::{Figure, HeatMaps};
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters_svg::SVGBackend;

use crate::raster::{Compression, RgbImage};
use canvas::Canvas;

pub use chart::mark;

/// Width of a panel and height of a figure in pixels.
const PANEL: (u32, u32) = (900, 640);

/// What can be drawn.
#[derive(Clone, Copy)]
pub enum Plot<'a> {
    /// Lines, dots and bars.
    Figure(&'a Figure),
    /// Cells.
    Maps(&'a HeatMaps),
}

/// Heights of letters: of the title, of a panel's title, and of all else.
const TITLE: i32 = 28;
const CAPTION: i32 = 24;
const LABEL: i32 = 21;

type Area<B> = DrawingArea<B, Shift>;
type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Writes a plot as PNG into a folder and returns its path.
pub fn write_png(plot: Plot<'_>, folder: &Path) -> Result<PathBuf> {
    let mut png = Vec::new();
    // Plots are few and flat: it takes no time, and they are kept.
    pixels(plot)?.write_png(&mut png, Compression::Small)?;
    write(&png, folder, plot.name(), "png")
}

/// Writes a plot as SVG into a folder and returns its path.
pub fn write_svg(plot: Plot<'_>, folder: &Path) -> Result<PathBuf> {
    write(svg(plot)?.as_bytes(), folder, plot.name(), "svg")
}

fn write(bytes: &[u8], folder: &Path, name: &str, ending: &str) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.{ending}"));
    understory_cloud::write_whole(&path, bytes)?;
    Ok(path)
}

fn pixels(plot: Plot<'_>) -> Result<RgbImage> {
    let (width, height) = plot.size();
    let mut image = RgbImage::new(width, height);
    plot.draw(&Canvas::new(&mut image).into_drawing_area())?;
    Ok(image)
}

fn svg(plot: Plot<'_>) -> Result<String> {
    let mut text = String::new();
    plot.draw(&SVGBackend::with_string(&mut text, plot.size()).into_drawing_area())?;
    Ok(text)
}

impl Plot<'_> {
    fn name(&self) -> &str {
        match self {
            Plot::Figure(figure) => &figure.name,
            Plot::Maps(maps) => &maps.name,
        }
    }

    fn panels(&self) -> usize {
        let panels = match self {
            Plot::Figure(figure) => figure.panels.len(),
            Plot::Maps(maps) => maps.maps.len(),
        };
        panels.max(1)
    }

    /// Rows and columns of panels: three side by side are as wide as a page bears.
    fn grid(&self) -> (usize, usize) {
        let panels = self.panels();
        let columns = if panels > 3 { (panels as f64).sqrt().ceil() as usize } else { panels };
        (panels.div_ceil(columns), columns)
    }

    fn size(&self) -> (u32, u32) {
        let (rows, columns) = self.grid();
        (PANEL.0 * columns as u32, PANEL.1 * rows as u32)
    }

    fn draw<B>(&self, area: &Area<B>) -> Result<()>
    where
        B: DrawingBackend,
        B::ErrorType: 'static,
    {
        let drawn = || -> Drawn {
            area.fill(&WHITE)?;
            let title = match self {
                Plot::Figure(figure) => &figure.title,
                Plot::Maps(maps) => &maps.title,
            };
            let parts = area.titled(title, ("sans-serif", TITLE))?.split_evenly(self.grid());
            match self {
                Plot::Figure(figure) => chart::draw(figure, &parts)?,
                Plot::Maps(maps) => heat_map::draw(&maps.maps, &parts)?,
            }
            Ok(area.present()?)
        };
        drawn().map_err(|error| anyhow!("{}: {error}", self.name()))
    }
}

#[cfg(test)]
mod tests;
