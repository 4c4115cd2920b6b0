//! Planes of the points of other scans: where a scan should lie.

use std::num::NonZero;

use glam::{DMat3, DVec3};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use nalgebra::{Matrix3, SymmetricEigen};

use crate::volume::moments::Moments;

/// Points that make a plane, and how far from where a scan's point is they may be.
const POINTS: usize = 16;
pub const RADIUS_M: f64 = 0.6;
/// Neighbours that are looked at for as many of other scans.
const LOOKED_AT: usize = 3 * POINTS;
/// A plane is thin: its variance across is below this part of that along its shorter axis, and its
/// thickness below this length.
const FLATNESS_MAX: f64 = 0.03;
const THICKNESS_MAX_M: f64 = 0.1;

/// All points of all scans, in the world.
pub struct Points {
    tree: ImmutableKdTree<f64, 3>,
    positions: Vec<[f64; 3]>,
    scans: Vec<u32>,
}

/// A plane through the points near a position.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub point: DVec3,
    pub normal: DVec3,
}

impl Points {
    /// Of positions and the scans that they belong to; none where there is none.
    pub fn new(positions: Vec<[f64; 3]>, scans: Vec<u32>) -> Option<Points> {
        let tree = ImmutableKdTree::<f64, 3>::new_from_slice(&positions).ok()?;
        Some(Points { tree, positions, scans })
    }

    /// The plane of other scans than `scan` within a radius of a position; none where they have none.
    pub fn plane(&self, position: DVec3, scan: u32, radius_m: f64) -> Option<Plane> {
        let at = position.to_array();
        let most = NonZero::new(LOOKED_AT)?;
        let query = self.tree.query(&at).nearest_n::<SquaredEuclidean<f64>>(most);
        let mut near = query.within(radius_m * radius_m).execute();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
        let mut moments = Moments::EMPTY;
        for found in near {
            let item = found.item as usize;
            if self.scans[item] != scan {
                moments.add(DVec3::from(self.positions[item]) - position);
            }
            if moments.weight >= POINTS as f64 {
                break;
            }
        }
        if moments.weight < POINTS as f64 {
            return None;
        }
        let (normal, [least, middle]) = normal(&moments.covariance());
        let is_thin = least < FLATNESS_MAX * middle && least < THICKNESS_MAX_M.powi(2);
        is_thin.then_some(Plane { point: position + moments.mean, normal })
    }
}

/// The axis of the least variance, and the two smaller variances.
fn normal(covariance: &DMat3) -> (DVec3, [f64; 2]) {
    let matrix = Matrix3::from_column_slice(&covariance.to_cols_array());
    let eigen = SymmetricEigen::new(matrix);
    let mut order = [0, 1, 2];
    order.sort_by(|a, b| eigen.eigenvalues[*a].total_cmp(&eigen.eigenvalues[*b]));
    let column = eigen.eigenvectors.column(order[0]);
    let normal = DVec3::new(column[0], column[1], column[2]);
    (normal, [eigen.eigenvalues[order[0]].max(0.0), eigen.eigenvalues[order[1]]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_of_other_scans() {
        let (mut positions, mut scans) = (Vec::new(), Vec::new());
        for k in 0..400 {
            let (x, y) = (f64::from(k % 20) * 0.05, f64::from(k / 20) * 0.05);
            // Scan 0 lies on z = 0.1·x, scan 1 a decimetre higher.
            positions.push([x, y, 0.1 * x + 0.1 * f64::from(k % 2)]);
            scans.push(k as u32 % 2);
        }
        let points = Points::new(positions, scans).unwrap();
        let at = DVec3::new(0.5, 0.5, 0.08);
        for scan in 0..2 {
            let plane = points.plane(at, scan, RADIUS_M).unwrap();
            let off = plane.normal.dot(at - plane.point).abs();
            let wanted = if scan == 1 { 0.03 } else { 0.07 };
            assert!((off / wanted - 1.0).abs() < 0.02, "{scan}: {off}");
        }
        assert!(points.plane(DVec3::splat(9.0), 0, RADIUS_M).is_none());
    }
}
