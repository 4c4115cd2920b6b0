//! What simulated beams say of real ones that nobody learned from.
//!
//! What enters: the beams of a real recording and those of a simulation that fired the same ones, once or
//! several times. What leaves: the score of the simulated outcomes as draws of what a model says
//! ([`Prediction::score_of_draws`]), on the real beams that were fired in the simulation too.
//!
//! A single draw has no spread of its own, and its score is the mean capped distance, which is not proper:
//! it favours a model that always says the median. Two draws and more are fair.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};

use kiddo::SquaredEuclidean;
use rayon::prelude::*;

use super::neighbours::{NeighbourLimits, RealBeams};
use crate::LearnError;
use crate::estimate::{HeldOut, Prediction, Scores};
use crate::input::BeamSource;

/// Draws of one beam that are looked at.
const DRAWS_MAX: usize = 64;
/// Beams that are apart by less than this, of both limits, are draws of one.
const SAME: f64 = 1e-3;

/// Scores of a simulation.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Simulated {
    /// On the real beams that were fired in the simulation too.
    pub scores: HeldOut,
    /// Share of the real beams that were.
    pub share: f64,
    /// Draws of each, on average.
    pub draws: f64,
}

/// Scores of simulated beams on the real beams of `source`, each seen from its own origin.
pub fn judge_simulated(
    source: &dyn BeamSource,
    simulated: &RealBeams,
    range_max_m: f64,
) -> Result<Simulated, LearnError> {
    let scores = Scores::default();
    let (draws, mut all) = (AtomicU64::new(0), 0u64);
    source.pass(&mut |batch| {
        all += batch.len() as u64;
        (0..batch.len()).into_par_iter().for_each(|beam| {
            let found = simulated.draws(batch.origin[beam], batch.direction[beam]);
            if found.is_empty() {
                return;
            }
            let range_m = f64::from(batch.range_m[beam]);
            let range_m = if range_m < range_max_m { range_m } else { f64::INFINITY };
            let mut prediction = Prediction::default();
            prediction.set_outcomes(&found);
            draws.fetch_add(found.len() as u64, Ordering::Relaxed);
            let none = prediction.none;
            scores.add(range_m, prediction.score_of_draws(range_m, found.len()), none);
        });
        Ok(())
    })?;
    let scores = scores.means();
    let beams = scores.beams.max(1) as f64;
    let (share, draws) =
        (scores.beams as f64 / all.max(1) as f64, draws.into_inner() as f64 / beams);
    Ok(Simulated { scores, share, draws })
}

impl RealBeams {
    /// Ranges of the nearest beam within limits and of all that are its repetitions, seen from `origin`.
    fn draws(&self, origin: glam::DVec3, direction: glam::Vec3) -> Vec<f64> {
        let at = self.limits.place(origin, direction);
        let Some(most) = NonZero::new(DRAWS_MAX) else { return Vec::new() };
        let Some(tree) = &self.tree else { return Vec::new() };
        let mut near =
            tree.query(&at).nearest_n::<SquaredEuclidean<f64>>(most).within(2.0).execute();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
        let NeighbourLimits { origin_m, .. } = self.limits;
        let beams = &self.beams;
        let mut found =
            near.iter().map(|found| (found.distance, found.item as usize)).filter(|(_, b)| {
                let apart = beams.direction[*b].as_dvec3().distance(direction.as_dvec3());
                beams.origin[*b].distance(origin) <= origin_m && apart <= self.limits.chord()
            });
        let Some((nearest, first)) = found.next() else { return Vec::new() };
        let seen = |beam: usize| {
            let way = (beams.origin[beam] - origin).dot(direction.as_dvec3());
            f64::from(beams.range_m[beam]) + way
        };
        let place = self.limits.place(beams.origin[first], beams.direction[first]);
        let is_repetition = |beam: usize| {
            let other = self.limits.place(beams.origin[beam], beams.direction[beam]);
            place.iter().zip(other).all(|(a, b)| (a - b).abs() < SAME)
        };
        let others = found
            .take_while(|(distance, _)| distance.sqrt() <= nearest.sqrt() + 3.0 * SAME)
            .filter(|(_, beam)| is_repetition(*beam));
        [seen(first)].into_iter().chain(others.map(|(_, beam)| seen(beam))).collect()
    }
}

#[cfg(test)]
mod tests {
    use glam::{DVec3, Vec3};

    use super::*;
    use crate::input::Beams;

    /// Three draws of a beam, 5.0, 5.4 and none, for a real 5.2, by hand: distances 0.2, 0.2 and 1, those of
    /// pairs 0.4, 1 and 1. A beam that was never fired has no score.
    #[test]
    fn the_score_of_three_draws_by_hand() {
        let (mut simulated, mut real) = (Beams::default(), Beams::default());
        for range_m in [5.0, 5.4, f32::INFINITY] {
            simulated.push(DVec3::ZERO, Vec3::X, range_m, 0.5, 0);
        }
        // A beam beside it is no repetition.
        let beside = Vec3::new(1.0, 0.003, 0.0).normalize();
        simulated.push(DVec3::ZERO, beside, 9.0, 0.5, 0);
        real.push(DVec3::ZERO, Vec3::X, 5.2, 0.5, 0);
        real.push(DVec3::ZERO, Vec3::Y, 5.2, 0.5, 0);
        let limits = NeighbourLimits { direction_deg: 0.25, origin_m: 0.5 };
        let simulated = RealBeams::read(&vec![simulated], f64::INFINITY, limits).unwrap();
        let judged = judge_simulated(&vec![real], &simulated, f64::INFINITY).unwrap();
        assert_eq!((judged.share, judged.draws, judged.scores.beams), (0.5, 3.0, 1));
        let wanted = 1.4 / 3.0 - 0.5 * (0.4 + 1.0 + 1.0) / 3.0;
        assert!((judged.scores.capped_m - wanted).abs() < 1e-6, "{judged:?}");
        assert!((judged.scores.brier - 1.0 / 9.0).abs() < 1e-6, "{judged:?}");
        assert!((judged.scores.lost - 1.0 / 3.0).abs() < 1e-6, "{judged:?}");
    }
}
