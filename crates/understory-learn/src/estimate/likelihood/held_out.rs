//! How well beams are predicted that were not learned from, and which width of volumes predicts best.
//!
//! What enters: all beams. What leaves: for each width of the volumes a [`HeldOut`] score. A quarter
//! of the *lines* is held out: what a sensor sent from one place in one narrow band of elevation, a
//! ring or a part of one. Repetitions of a ray are never on both sides, nor are its neighbours in the
//! ring: between rings is where light is lost.
//! The score follows from the volumes alone ([`crate::estimate::prediction`]).

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use glam::{DVec3, Vec3};
use rand_philox::splitmix64;
use rayon::prelude::*;

use super::fit;
use super::meetings::{Volumes, Way};
use super::opacity::Opacity;
use super::shape::Bases;
use super::{AS_GOOD, LikelihoodSettings, cells, spacing};
use crate::LearnError;
use crate::estimate::prediction::{HeldOut, Prediction, Scores, Stop};
use crate::estimate::ray_spacing::PLACE_M;
use crate::estimate::settings::Settings;
use crate::input::beams::{BeamSource, Beams};
use crate::input::rays::{Ray, each_batch};
use crate::volume::beer_lambert::Meeting;
use understory_base::{Progress, Silent};

/// Widenings that are tried.
const WIDENINGS: [f64; 5] = [1.0, 3.0, 8.0, 20.0, 50.0];
/// The first of them that is tried.
const FIRST: usize = 2;
/// Beams that are looked at: more would tell no more. Whole sectors of the horizon are left out.
const BEAMS_MAX: f64 = 100_000.0;
/// Rounds of the fit: enough to tell widths apart.
const ROUNDS: usize = 5;
/// Every this many lines one is held out.
const HELD_EVERY: u64 = 4;
/// Height of a band of elevation.
const BAND_RAD: f64 = 0.007;
/// Fewer held-out beams say nothing.
const BEAMS_LEAST: u64 = 200;

/// Scores of the widenings that were tried on a source of so many beams, or of none where there are too few beams to hold some out.
pub fn score_widths(
    source: &dyn BeamSource,
    beams: u64,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    progress: &dyn Progress,
) -> Result<Vec<HeldOut>, LearnError> {
    let sector = (BEAMS_MAX / beams.max(1) as f64).min(1.0);
    let [training, test] = Folds { sector }.divide(source)?;
    let halvings = likelihood.halvings.min(6);
    let (spacing, trained) = spacing(&training, settings, &Silent)?;
    let cells = cells(&training, settings, halvings)?;
    if cells.is_empty() || trained < BEAMS_LEAST {
        return Ok(Vec::new());
    }
    let rule = LikelihoodSettings { rounds: ROUNDS, ..*likelihood };
    let bases = Bases::new(&cells, &spacing, settings, halvings, &Silent)?;
    drop((cells, spacing));
    let (mut scores, mut step) = (BTreeMap::new(), 0);
    let mut score = |width: usize| -> Result<Option<f64>, LearnError> {
        progress.step("choosing the width", f64::from(step) / WIDENINGS.len() as f64);
        step += 1;
        let widening = WIDENINGS[width];
        let volumes = Volumes::new(&bases.widened(widening, settings))?;
        let fitted = fit::fit(&training, &volumes, settings, &rule, &Silent)?;
        let score = predict(&test, settings, &volumes, &fitted.opacities)?;
        let is_enough = score.beams >= BEAMS_LEAST;
        let capped_m = score.capped_m;
        scores.insert(width, HeldOut { widening, ..score });
        Ok(is_enough.then_some(capped_m))
    };
    let Some(mut least) = score(FIRST)? else { return Ok(Vec::new()) };
    // Scores have one valley: where it rises to the wider side, wider yet would be worse yet.
    for width in FIRST + 1..WIDENINGS.len() {
        match score(width)? {
            Some(capped_m) if capped_m < least => least = capped_m,
            _ => break,
        }
    }
    for width in (0..FIRST).rev() {
        match score(width)? {
            Some(capped_m) if capped_m <= AS_GOOD * least => least = least.min(capped_m),
            _ => break,
        }
    }
    progress.step("choosing the width", 1.0);
    Ok(scores.into_values().collect())
}

/// The score of all beams of a source.
fn predict(
    source: &dyn BeamSource,
    settings: &Settings,
    volumes: &Volumes,
    opacities: &[Opacity],
) -> Result<HeldOut, LearnError> {
    /// Rays that are followed together.
    const TOGETHER: usize = 256;
    let (scores, opacities) = (Scores::default(), volumes.of_shapes(opacities));
    each_batch(source, settings.range_max_m, &mut |rays| {
        let starts: Vec<usize> = (0..rays.len()).step_by(TOGETHER).collect();
        starts.par_iter().for_each_init(Scratch::default, |(meetings, prediction), start| {
            let numbers = *start..(start + TOGETHER).min(rays.len());
            let way = |ray: usize| {
                let Ray { origin, direction, .. } = rays.get(ray);
                Way { origin, direction, end_m: f64::INFINITY }
            };
            let ways: Vec<Way> = numbers.clone().map(way).collect();
            volumes.meet(&ways, meetings);
            for (ray, meetings) in numbers.zip(meetings) {
                prediction.set(meetings.iter().map(|meeting| {
                    let Opacity { depth, returns } = opacities[meeting.volume as usize];
                    let share = -(-f64::from(depth) * meeting.g).exp_m1();
                    let Meeting { range_m, sigma_m, .. } = *meeting;
                    Stop { share, returns: f64::from(returns), range_m, sigma_m }
                }));
                for range_m in rays.get(ray).ranges_m.iter().map(|range| f64::from(*range)) {
                    scores.add(range_m, prediction.score(range_m), prediction.none);
                }
            }
        });
    })?;
    Ok(scores.means())
}

/// What rays meet, and what that predicts.
type Scratch = (Vec<Vec<Meeting>>, Prediction);

/// Which beams are learned from, and which are predicted.
struct Folds {
    /// Share of the horizon that is looked at.
    sector: f64,
}

impl Folds {
    /// Whether a beam is held out; none: it is not looked at.
    fn is_held_out(&self, origin: DVec3, direction: Vec3) -> Option<bool> {
        let direction = direction.as_dvec3();
        // Four sectors, so that something is in one of them.
        let turn = direction.y.atan2(direction.x) / TAU + 0.5;
        if (4.0 * turn).fract() >= self.sector {
            return None;
        }
        let place = (origin / PLACE_M).floor();
        let band = (direction.z.clamp(-1.0, 1.0).asin() / BAND_RAD).floor();
        let hash = [place.x, place.y, place.z, band]
            .iter()
            .fold(1, |hash, number| splitmix64(hash ^ (*number as i64 as u64)));
        Some(hash.is_multiple_of(HELD_EVERY))
    }

    /// Beams to learn from, and those that are held out.
    fn divide(&self, source: &dyn BeamSource) -> Result<[Vec<Beams>; 2], LearnError> {
        const PART: usize = 1 << 14;
        let mut folds = [Vec::new(), Vec::new()];
        source.pass(&mut |batch| {
            let starts: Vec<usize> = (0..batch.len()).step_by(PART).collect();
            let divided: Vec<[Beams; 2]> = starts
                .into_par_iter()
                .map(|start| {
                    let mut parts = [Beams::default(), Beams::default()];
                    for beam in start..(start + PART).min(batch.len()) {
                        let (origin, direction) = (batch.origin[beam], batch.direction[beam]);
                        if let Some(held_out) = self.is_held_out(origin, direction) {
                            let (range_m, intensity) = (batch.range_m[beam], batch.intensity[beam]);
                            let part = &mut parts[usize::from(held_out)];
                            part.push(origin, direction, range_m, intensity, batch.label[beam]);
                        }
                    }
                    parts
                })
                .collect();
            for [training, test] in divided {
                folds[0].push(training);
                folds[1].push(test);
            }
            Ok(())
        })?;
        Ok(folds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::likelihood::tests::Numbers;
    use crate::volume::gaussian::PointUncertainty;

    /// Rings on a wall: what is between them was never seen, and wider volumes find it.
    #[test]
    fn widths_are_told_apart_by_rings_that_were_not_learned_from() {
        let mut beams = Beams::default();
        let mut numbers = Numbers(3);
        for ring in 0..40 {
            for step in 0..700 {
                let elevation = (f64::from(ring) - 20.0) * 0.02;
                let azimuth = (f64::from(step) - 350.0) * 0.002;
                let (sin, cos) = elevation.sin_cos();
                let direction = DVec3::new(cos * azimuth.cos(), cos * azimuth.sin(), sin);
                let noise = 0.01 * numbers.normal();
                let range_m = 10.0 / direction.x + noise;
                beams.push(DVec3::ZERO, direction.as_vec3(), range_m as f32, 0.5, 0);
            }
        }
        let settings = Settings {
            cell_m: 0.2,
            sensor: PointUncertainty {
                sigma_range_m: 0.01,
                encoder_step_rad: 0.001,
                divergence_rad: 0.001,
            },
            ..Settings::default()
        };
        let rule = LikelihoodSettings::default();
        let count = beams.len() as u64;
        let scores = score_widths(&vec![beams], count, &settings, &rule, &Silent).unwrap();
        assert!(scores.len() > 1, "{scores:?}");
        let (narrow, wide) = (&scores[0], &scores[1]);
        assert!(narrow.widening < wide.widening && wide.beams > 3000, "{scores:?}");
        assert!(wide.lost < 0.7 * narrow.lost && wide.capped_m < narrow.capped_m, "{scores:?}");
        let best = scores.iter().map(|score| score.lost).fold(1.0, f64::min);
        assert!(best < 0.15, "{scores:?}");
    }

    #[test]
    fn a_line_is_on_one_side_only() {
        let folds = Folds { sector: 1.0 };
        let mut held = 0;
        for line in 0..400 {
            let sin = f64::from(line) / 400.0 - 0.5;
            let sides: Vec<bool> = (0..50)
                .map(|step| {
                    let azimuth = f64::from(step) * 0.1;
                    let cos = (1.0 - sin * sin).sqrt();
                    let direction = DVec3::new(cos * azimuth.cos(), cos * azimuth.sin(), sin);
                    let direction = direction.as_vec3();
                    folds.is_held_out(DVec3::ZERO, direction).unwrap()
                })
                .collect();
            // Rounding may put a beam at the border of a band into the next.
            let whole = sides.iter().filter(|side| **side).count();
            assert!(whole <= 5 || whole >= 45, "{whole}");
            held += usize::from(whole > 25);
        }
        assert!((60..140).contains(&held), "{held}");
    }
}
