//! Figures of papers, worked out anew: what is drawn, without the drawing.
//!
//! A figure is one or more panels side by side with common axes; a panel is lines, dots and bars. Heat
//! maps have cells in their place. A front end draws them.

pub mod bearing_range;

/// A figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// Under the horizontal axis, with its unit.
    pub x_label: String,
    /// Beside the vertical axis, with its unit.
    pub y_label: String,
    /// From left to right, and in rows if there are more than three.
    pub panels: Vec<Panel>,
    /// Whether the horizontal axis is logarithmic; points at or below 0 are then left out.
    pub log_x: bool,
    /// Whether the vertical axis is.
    pub log_y: bool,
    /// Whether a metre is as long on both axes, as on a map.
    pub equal_axes: bool,
}

/// One drawing area.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// One line above it; may be empty.
    pub title: String,
    /// What is drawn, the first at the bottom.
    pub series: Vec<Series>,
}

/// Lines, dots or bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Name in the legend; empty: not in it.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Places.
    pub points: Vec<[f64; 2]>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Points joined by lines.
    Line,
    /// Points alone.
    Dots,
    /// Bars from 0 to the points, as wide as the points are apart: a histogram by the middles of its
    /// bins.
    Bars,
}

impl Series {
    /// A line through points.
    pub fn line(name: impl Into<String>, points: Vec<[f64; 2]>) -> Series {
        Series { name: name.into(), mark: Mark::Line, points }
    }

    /// Dots.
    pub fn dots(name: impl Into<String>, points: Vec<[f64; 2]>) -> Series {
        Series { name: name.into(), mark: Mark::Dots, points }
    }

    /// Bars around points that are equally far apart.
    pub fn bars(name: impl Into<String>, points: Vec<[f64; 2]>) -> Series {
        Series { name: name.into(), mark: Mark::Bars, points }
    }

    /// Width of a bar: the smallest distance of neighbours.
    pub fn bar_width(&self) -> f64 {
        let apart = self.points.windows(2).map(|pair| (pair[1][0] - pair[0][0]).abs());
        let smallest = apart.filter(|width| *width > 0.0).fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { smallest } else { 1.0 }
    }

    /// Corners of what is drawn.
    fn corners(&self) -> Vec<[f64; 2]> {
        if self.mark != Mark::Bars {
            return self.points.clone();
        }
        let half = self.bar_width() / 2.0;
        self.points.iter().flat_map(|&[x, y]| [[x - half, y], [x + half, y], [x, 0.0]]).collect()
    }
}

impl Figure {
    /// A figure with plain axes.
    pub fn new(
        name: impl Into<String>,
        title: impl Into<String>,
        [x_label, y_label]: [&str; 2],
        panels: Vec<Panel>,
    ) -> Figure {
        Figure {
            name: name.into(),
            title: title.into(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            panels,
            ..Figure::default()
        }
    }

    /// Whether a point can be drawn on the axes.
    pub fn shows(&self, [x, y]: [f64; 2]) -> bool {
        let fits = |c: f64, log: bool| c.is_finite() && (!log || c > 0.0);
        fits(x, self.log_x) && fits(y, self.log_y)
    }

    /// Smallest and largest x, and smallest and largest y, over all panels; `None` without points.
    pub fn bounds(&self) -> Option<([f64; 2], [f64; 2])> {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let mut points = series.flat_map(Series::corners).filter(|point| self.shows(*point));
        let first = points.next()?;
        Some(points.fold(([first[0]; 2], [first[1]; 2]), |(x, y), point| {
            let wider = |[low, high]: [f64; 2], c: f64| [low.min(c), high.max(c)];
            (wider(x, point[0]), wider(y, point[1]))
        }))
    }
}

/// Maps side by side with one scale of colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMaps {
    /// File name without ending.
    pub name: String,
    /// One line above them.
    pub title: String,
    /// From left to right, and in rows if there are more than three.
    pub maps: Vec<HeatMap>,
}

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

impl HeatMap {
    /// The same with so many rows added up in one; rows that are left over at the top are left out.
    pub fn coarser(&self, rows: usize) -> HeatMap {
        let (columns, rows) = (self.columns.max(1), rows.max(1));
        let all = self.values.len() / columns;
        let blocks = self.values.chunks_exact(columns * rows);
        let kept = blocks.len() * rows;
        let values = blocks
            .flat_map(|block| {
                (0..columns).map(|column| block.iter().skip(column).step_by(columns).sum())
            })
            .collect();
        let height = (self.y[1] - self.y[0]) * kept as f64 / all.max(1) as f64;
        let y = [self.y[0], self.y[0] + height];
        HeatMap { values, y, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarser_rows_are_sums() {
        let map = HeatMap {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            x: [0.0, 2.0],
            y: [0.0, 5.0],
            columns: 2,
            values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 9.0],
        };
        let coarse = map.coarser(2);
        assert_eq!((coarse.values, coarse.y), (vec![4.0, 6.0, 12.0, 14.0], [0.0, 4.0]));
    }

    #[test]
    fn bounds_hold_bars_and_leave_out_what_a_logarithm_cannot_show() {
        let panel = |series| vec![Panel { title: String::new(), series: vec![series] }];
        let bars = panel(Series::bars("", vec![[1.0, 4.0], [1.5, 3.0]]));
        let figure = Figure::new("a", "b", ["x", "y"], bars);
        assert_eq!(figure.bounds(), Some(([0.75, 1.75], [0.0, 4.0])));
        let line = panel(Series::line("", vec![[0.0, 1.0], [1.0, -1.0], [2.0, 3.0], [4.0, 5.0]]));
        let figure = Figure { log_x: true, log_y: true, panels: line, ..figure };
        assert_eq!(figure.bounds(), Some(([2.0, 4.0], [3.0, 5.0])));
    }
}
