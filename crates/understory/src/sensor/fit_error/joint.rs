//! All planes and all biases together: least squares of the residuals along the beams.
//!
//! Gauss and Newton's steps for the planes q (q·p = 1) and the biases b. With s the way from a
//! measured point p to the plane along its beam u, the residual is −s and its derivative by q is
//! (p + s·u)/(q·u). The biases add up to 0. Points beyond six deviations are left out.

use glam::DVec3;

use super::planes::residual_m;
use super::solve::Normal;
use super::{BiasFit, PlaneFit, Point};
use crate::Error;

const STEPS: usize = 8;
/// Residuals beyond this many deviations are no part of the plane.
const TRIM: f64 = 6.0;

/// Fits, completes planes and residuals, removes points that do not belong, and returns the biases.
pub(super) fn fit(points: &mut Vec<Point>, planes: &mut [PlaneFit]) -> Result<Vec<BiasFit>, Error> {
    let mut channels: Vec<u16> = points.iter().map(|point| point.channel).collect();
    channels.sort_unstable();
    channels.dedup();
    let place: Vec<usize> =
        points.iter().map(|point| channels.binary_search(&point.channel).unwrap_or(0)).collect();
    let mut keep = vec![true; points.len()];
    let mut qs: Vec<DVec3> = planes.iter().map(|plane| -plane.normal / plane.distance_m).collect();
    let mut biases = vec![0.0; channels.len()];
    let mut errors = vec![0.0; channels.len()];
    for _ in 0..STEPS {
        let mut normal = Normal::new(3 * qs.len() + channels.len());
        let base = 3 * qs.len();
        for (index, point) in points.iter().enumerate().filter(|(index, _)| keep[*index]) {
            let q = qs[point.plane];
            let Some(residual) = residual_m(point, q) else { continue };
            let slope = (point.position - residual * point.direction) / q.dot(point.direction);
            let first = 3 * point.plane;
            let row = [
                (first, slope.x),
                (first + 1, slope.y),
                (first + 2, slope.z),
                (base + place[index], -1.0),
            ];
            normal.add(&row, -residual, planes[point.plane].sigma_m.powi(-2));
        }
        // As firm as all points of the most certain plane together.
        let firm = planes.iter().map(|p| p.sigma_m.powi(-2)).fold(0.0, f64::max);
        let sum: Vec<(usize, f64)> = (0..channels.len()).map(|c| (base + c, 1.0)).collect();
        normal.add(&sum, 0.0, firm * points.len() as f64);
        let Some((solution, variances)) = normal.solve() else {
            return Err(Error::invalid(
                "fit-error",
                "the points do not determine the planes and the biases of the channels",
                "use planes that several channels see over a wider angle",
            ));
        };
        for (plane, q) in qs.iter_mut().enumerate() {
            *q += DVec3::from_slice(&solution[3 * plane..3 * plane + 3]);
        }
        biases.copy_from_slice(&solution[base..]);
        errors = variances[base..].iter().map(|variance| variance.sqrt()).collect();
        let residuals: Vec<Option<f64>> = points
            .iter()
            .zip(&place)
            .map(|(point, &c)| residual_m(point, qs[point.plane]).map(|r| r - biases[c]))
            .collect();
        for (number, plane) in planes.iter_mut().enumerate() {
            let own = points.iter().zip(&residuals).filter(|(point, _)| point.plane == number);
            let mut own: Vec<f64> = own.filter_map(|(_, r)| r.map(f64::abs)).collect();
            if own.is_empty() {
                continue;
            }
            // The median of |residual| is 0.6745 σ of a normal law.
            let middle = own.len() / 2;
            own.select_nth_unstable_by(middle, f64::total_cmp);
            plane.sigma_m = (own[middle] / 0.6745).max(1e-6);
        }
        for ((point, keep), residual) in points.iter_mut().zip(&mut keep).zip(&residuals) {
            let limit_m = TRIM * planes[point.plane].sigma_m;
            *keep = residual.is_some_and(|residual| residual.abs() < limit_m);
            point.residual_m = residual.unwrap_or(0.0);
        }
    }
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        keep[index - 1]
    });
    leave_freedom(points, planes.len(), &channels);
    for (number, plane) in planes.iter_mut().enumerate() {
        let own: Vec<&Point> = points.iter().filter(|point| point.plane == number).collect();
        let squares: f64 = own.iter().map(|point| point.residual_m.powi(2)).sum();
        let freedom: f64 = own.iter().map(|point| point.freedom).sum();
        plane.points = own.len();
        plane.sigma_m = (squares / freedom.max(1.0)).sqrt();
        plane.normal = -qs[number].normalize();
        plane.distance_m = qs[number].length().recip();
    }
    let biases = channels.into_iter().zip(biases).zip(errors);
    Ok(biases.map(|((channel, bias_m), error_m)| BiasFit { channel, bias_m, error_m }).collect())
}

/// How much of each point's square is left after the fit.
fn leave_freedom(points: &mut [Point], planes: usize, channels: &[u16]) {
    let place = |point: &Point| channels.binary_search(&point.channel).unwrap_or(0);
    let (mut of_plane, mut of_channel) = (vec![0.0f64; planes], vec![0.0f64; channels.len()]);
    for point in points.iter() {
        of_plane[point.plane] += 1.0;
        of_channel[place(point)] += 1.0;
    }
    for point in points {
        let taken = 3.0 / of_plane[point.plane] + 1.0 / of_channel[place(point)];
        point.freedom = (1.0 - taken).max(0.0);
    }
}
