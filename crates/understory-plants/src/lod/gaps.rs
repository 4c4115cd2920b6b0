//! How much passes through a plant, seen from several directions: what a coarser version must keep.
//!
//! What enters: triangles and the middle half of a plant's box. What leaves: for each direction the
//! share of points of a grid over that middle, seen from there, which no triangle covers. It is the
//! gap fraction of parallel rays, found without a tree over the triangles.

use glam::{DVec2, DVec3};

use super::Extent;
use crate::Plant;

/// From above, along both axes, and slanting: unit vectors along which one looks.
const DIRECTIONS: [DVec3; 6] = [
    DVec3::new(0.0, 0.0, -1.0),
    DVec3::new(1.0, 0.0, 0.0),
    DVec3::new(0.0, 1.0, 0.0),
    DVec3::new(0.8, 0.0, -0.6),
    DVec3::new(0.0, -0.8, -0.6),
    DVec3::new(-0.6, 0.64, -0.48),
];

/// Points of the grid along each side.
const SIDE: usize = 256;

/// Gap fractions of a plant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gaps([f64; DIRECTIONS.len()]);

impl Gaps {
    /// Of a plant, through the middle of its own box.
    pub fn of(plant: &Plant) -> Gaps {
        Gaps::within(plant, &plant.extent())
    }

    /// Through the middle of this box.
    pub(super) fn within(plant: &Plant, extent: &Extent) -> Gaps {
        Gaps(DIRECTIONS.map(|direction| gap(plant, extent, direction)))
    }

    /// Their mean.
    pub(super) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// How fast the mean falls as all areas grow by a factor, by Beer and Lambert's law: −Σ p ln p.
    pub(super) fn fall(&self) -> f64 {
        let of = |gap: &f64| if *gap > 0.0 { -gap * understory_base::math::ln(*gap) } else { 0.0 };
        self.0.iter().map(of).sum::<f64>() / self.0.len() as f64
    }
}

/// The share of points that nothing covers, seen along `direction`.
fn gap(plant: &Plant, extent: &Extent, direction: DVec3) -> f64 {
    let (across, up) = direction.any_orthonormal_pair();
    let seen = |point: DVec3| DVec2::new(point.dot(across), point.dot(up));
    let middle = seen((extent.low + extent.high) * 0.5);
    let quarter = (extent.high - extent.low) * 0.25;
    let half = DVec2::new(quarter.dot(across.abs()), quarter.dot(up.abs()));
    if !(half.x > 0.0 && half.y > 0.0 && half.is_finite()) {
        return 1.0;
    }
    // In steps of the grid, whose points have whole numbers.
    let per_m = DVec2::splat(SIDE as f64) / (half * 2.0);
    let on_grid = |point: DVec3| (seen(point) - middle + half) * per_m - 0.5;
    let mut covered = vec![false; SIDE * SIDE];
    for (corners, _) in plant.corners() {
        cover(&mut covered, corners.map(on_grid));
    }
    let free = covered.iter().filter(|covered| !**covered).count();
    free as f64 / covered.len() as f64
}

/// Marks the points of the grid that a triangle covers.
fn cover(covered: &mut [bool], [a, b, c]: [DVec2; 3]) {
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    // From the first point to behind the last; what is no number covers nothing.
    let first = |x: f64| x.max(0.0).ceil() as usize;
    let behind = |x: f64| if x < 0.0 { 0 } else { (x as usize + 1).min(SIDE) };
    let area = (b - a).perp_dot(c - a);
    for row in first(low.y)..behind(high.y) {
        for column in first(low.x)..behind(high.x) {
            let p = DVec2::new(column as f64, row as f64);
            let sides = [(b - a, p - a), (c - b, p - b), (a - c, p - c)];
            if area != 0.0 && sides.iter().all(|(side, to)| side.perp_dot(*to) * area >= 0.0) {
                covered[row * SIDE + column] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    #[test]
    fn a_sheet_covers_its_share() {
        // A frame that spans the box, and a square that hides a quarter of its middle from above.
        let mut plant = Plant::default();
        for corner in [DVec3::splat(-2.0), DVec3::splat(2.0)] {
            plant.push_triangle([corner, corner * (1.0 - 1e-9), corner], Part::Leaf);
        }
        let square = [[-1.0, -1.0], [0.0, -1.0], [0.0, 0.0], [-1.0, 0.0]];
        plant.push_quad(square.map(|[x, y]| DVec3::new(x, y, 0.3)), Part::Leaf);
        let Gaps([above, side, ..]) = Gaps::of(&plant);
        assert!((above - 0.75).abs() < 0.01, "{above}");
        // Edge-on it hides nothing.
        assert!(side > 0.99, "{side}");
    }
}
