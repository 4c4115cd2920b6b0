//! Areas in the plane, what is kept free in them, and masks.

use glam::DVec2;

/// Where places may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Area {
    /// A rectangle along the axes.
    Rectangle {
        /// Its middle.
        centre_m: DVec2,
        /// Lengths along x and y.
        size_m: DVec2,
    },
    /// A disc.
    Disc {
        /// Its middle.
        centre_m: DVec2,
        /// Its radius.
        radius_m: f64,
    },
    /// A polygon that does not cut itself.
    Polygon(Vec<DVec2>),
}

/// What is kept free.
#[derive(Clone, Debug, PartialEq)]
pub enum Avoid {
    /// An area.
    Area(Area),
    /// A way of some width along a line.
    Way {
        /// Corners of the line.
        points_m: Vec<DVec2>,
        /// Its whole width.
        width_m: f64,
    },
}

impl Area {
    /// Corners of the box around it.
    pub fn bounds(&self) -> (DVec2, DVec2) {
        match self {
            Area::Rectangle { centre_m, size_m } => {
                (*centre_m - *size_m * 0.5, *centre_m + *size_m * 0.5)
            }
            Area::Disc { centre_m, radius_m } => (*centre_m - *radius_m, *centre_m + *radius_m),
            Area::Polygon(corners) => {
                let low = corners.iter().fold(DVec2::INFINITY, |low, c| low.min(*c));
                let high = corners.iter().fold(DVec2::NEG_INFINITY, |high, c| high.max(*c));
                (low, high)
            }
        }
    }

    /// Its area.
    pub fn area_m2(&self) -> f64 {
        match self {
            Area::Rectangle { size_m, .. } => size_m.x * size_m.y,
            Area::Disc { radius_m, .. } => std::f64::consts::PI * radius_m * radius_m,
            // Seen from a corner, so that map coordinates lose nothing.
            Area::Polygon(corners) => {
                let origin = corners.first().copied().unwrap_or(DVec2::ZERO);
                let parts = edges(corners).map(|(a, b)| (a - origin).perp_dot(b - origin));
                (parts.sum::<f64>() * 0.5).abs()
            }
        }
    }

    /// Whether a place is in it.
    pub fn contains(&self, place: DVec2) -> bool {
        match self {
            Area::Rectangle { centre_m, size_m } => {
                (place - *centre_m).abs().cmple(*size_m * 0.5).all()
            }
            Area::Disc { centre_m, radius_m } => place.distance(*centre_m) <= *radius_m,
            // Inside, if a ray along +x crosses the outline an odd number of times.
            Area::Polygon(corners) => {
                let crosses = |(a, b): &(DVec2, DVec2)| {
                    (a.y > place.y) != (b.y > place.y)
                        && place.x < a.x + (place.y - a.y) / (b.y - a.y) * (b.x - a.x)
                };
                edges(corners).filter(crosses).count() % 2 == 1
            }
        }
    }
}

impl Avoid {
    /// Whether a place must be kept free.
    pub fn covers(&self, place: DVec2) -> bool {
        match self {
            Avoid::Area(area) => area.contains(place),
            Avoid::Way { points_m, width_m } => {
                let near = |a: DVec2, b: DVec2| to_segment(place, a, b) <= *width_m * 0.5;
                points_m.windows(2).any(|pair| near(pair[0], pair[1]))
            }
        }
    }
}

/// Sides of a closed outline.
fn edges(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

fn to_segment(place: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    let share = (place - a).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
    place.distance(a + along * share.clamp(0.0, 1.0))
}

/// A picture over the bounds of an area; its grey is the probability that a place is kept. The
/// first row is the north side (greatest y), the first column the west side (least x).
#[derive(Clone, PartialEq)]
pub struct Mask {
    width: usize,
    height: usize,
    grey: Vec<u8>,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Mask({} × {})", self.width, self.height)
    }
}

impl Mask {
    /// From rows of grey values; `None` unless there is at least one and the sizes agree.
    pub fn new(width: usize, height: usize, grey: Vec<u8>) -> Option<Mask> {
        (width.checked_mul(height)? == grey.len() && !grey.is_empty()).then_some(Mask {
            width,
            height,
            grey,
        })
    }

    /// Probability at a place of the box from `low` to `high`.
    pub fn at(&self, place: DVec2, low: DVec2, high: DVec2) -> f64 {
        let share = (place - low) / (high - low);
        let index = |share: f64, count: usize| ((share * count as f64) as usize).min(count - 1);
        let (column, row) = (index(share.x, self.width), index(1.0 - share.y, self.height));
        self.grey.get(row * self.width + column).map_or(0.0, |grey| f64::from(*grey) / 255.0)
    }
}
