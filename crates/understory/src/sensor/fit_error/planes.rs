//! Planes in a recording, the largest first.
//!
//! Three random points make a plane; the one with most points near it, measured along the beams,
//! is taken, its points are put aside and the search goes on in the rest, until what is found has
//! less than a tenth of the largest plane's points: that is a part of something round. A plane is held as q with
//! q·p = 1 for its points p. Beams that graze a plane (beyond 75°) do not count, because a small
//! tilt would move their points far.

use glam::DVec3;

use super::{FitOptions, PlaneFit, Point};
use crate::rng::{PulseRng, Stage};

/// Planes that are tried.
const TRIALS: u64 = 400;
/// Points that judge a trial.
const JUDGES: usize = 2000;
/// Least cosine between a beam and a plane's normal.
const COS_MIN: f64 = 0.26;

/// From the plane to the point along the beam; `None` for a beam that grazes the plane.
pub(super) fn residual_m(point: &Point, q: DVec3) -> Option<f64> {
    let along = q.dot(point.direction);
    (along.abs() > COS_MIN * q.length()).then(|| (q.dot(point.position) - 1.0) / along)
}

/// Appends the planes of a recording, and the points on them.
pub(super) fn find(
    recording: usize,
    all: &[Point],
    options: &FitOptions,
    planes: &mut Vec<PlaneFit>,
    points: &mut Vec<Point>,
) {
    let (mut rest, mut largest) = (all.to_vec(), 0);
    for search in 0..options.planes_max as u64 {
        if rest.len() < options.points_min.max(3) {
            return;
        }
        let Some(q) = best_of_trials(&rest, (recording as u64) << 32 | search << 16, options)
        else {
            return;
        };
        let near = |point: &Point| residual_m(point, q).is_some_and(|r| r.abs() < options.gate_m);
        let (on, off): (Vec<Point>, Vec<Point>) = rest.iter().partition(|point| near(point));
        if on.len() < options.points_min.max(largest / 10) {
            return;
        }
        largest = largest.max(on.len());
        let number = planes.len();
        points.extend(on.iter().map(|point| Point { plane: number, ..*point }));
        planes.push(PlaneFit {
            recording,
            normal: -q.normalize(),
            distance_m: q.length().recip(),
            sigma_m: options.gate_m / 5.0,
            points: on.len(),
        });
        rest = off;
    }
}

fn best_of_trials(points: &[Point], key: u64, options: &FitOptions) -> Option<DVec3> {
    let step = points.len().div_ceil(JUDGES);
    let mut best: Option<(f64, DVec3)> = None;
    for trial in 0..TRIALS {
        let mut rng = PulseRng::new(0, 0, key | trial, Stage::PlaneSearch);
        let mut pick = || {
            let index = (rng.uniform() * points.len() as f64) as usize;
            points.get(index).map_or(DVec3::ZERO, |point| point.position)
        };
        let (a, b, c) = (pick(), pick(), pick());
        let normal = (b - a).cross(c - a);
        let height = normal.dot(a);
        // Three points on a line, or a plane through the sensor, say nothing.
        if normal.length() < 1e-6 || height.abs() < 1e-3 * normal.length() {
            continue;
        }
        let q = normal / height;
        // Near points count more, so that of two planes within the gate the better one wins.
        let score = points.iter().step_by(step).filter_map(|point| residual_m(point, q));
        let score: f64 = score.map(|r| (1.0 - (r / options.gate_m).powi(2)).max(0.0)).sum();
        if best.is_none_or(|(most, _)| score > most) {
            best = Some((score, q));
        }
    }
    best.map(|(_, q)| q)
}
