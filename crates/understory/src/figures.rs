//! Figures of papers, worked out anew: what is drawn, without the drawing.
//!
//! A figure is one or more panels side by side with common axes; a panel is lines and dots. A front
//! end draws them.

/// A figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// Under the horizontal axis, with its unit.
    pub x_label: String,
    /// Beside the vertical axis, with its unit.
    pub y_label: String,
    /// From left to right.
    pub panels: Vec<Panel>,
}

/// One drawing area.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// One line above it; may be empty.
    pub title: String,
    /// What is drawn, the first at the bottom.
    pub series: Vec<Series>,
}

/// Lines or dots.
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
}

impl Figure {
    /// Smallest and largest x, and smallest and largest y, over all panels; `None` without points.
    pub fn bounds(&self) -> Option<([f64; 2], [f64; 2])> {
        let points = self.panels.iter().flat_map(|panel| &panel.series).flat_map(|s| &s.points);
        let mut points = points.filter(|point| point.iter().all(|c| c.is_finite()));
        let first = points.next()?;
        Some(points.fold(([first[0]; 2], [first[1]; 2]), |(x, y), point| {
            let wider = |[low, high]: [f64; 2], c: f64| [low.min(c), high.max(c)];
            (wider(x, point[0]), wider(y, point[1]))
        }))
    }
}
