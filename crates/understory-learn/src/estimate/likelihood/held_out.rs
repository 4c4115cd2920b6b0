//! How well beams are predicted that were not learned from, and which width of volumes predicts best.
//!
//! What enters: all beams. What leaves: for each width of the volumes a [`HeldOut`] score. A quarter
//! of the *lines* is held out: what a sensor sent from one place in one narrow band of elevation, a
//! ring or a part of one. Repetitions of a ray are never on both sides, nor are its neighbours in the
//! ring: between rings is where light is lost.
//! The score follows from the volumes alone ([`crate::estimate::prediction`]).

use std::f64::consts::TAU;
use understory_base::math;

use glam::{DVec3, Vec3};
use rand_philox::splitmix64;
use rayon::prelude::*;

use super::fit;
use super::meetings::{Volumes, Way};
use super::opacity::Opacity;
use super::shape::Outlines;
use super::{LikelihoodSettings, gather};
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
/// Beams that are looked at: more would tell no more. Whole sectors of the horizon are left out.
const BEAMS_MAX: f64 = 200_000.0;
/// Rounds of the fit: enough to tell widths apart.
const ROUNDS: usize = 5;
/// Every this many lines one is held out.
const HELD_EVERY: u64 = 4;
/// Height of a band of elevation.
const BAND_RAD: f64 = 0.007;
/// Rays that walk the tree together.
const TOGETHER: usize = 64;
/// Fewer held-out beams say nothing.
const BEAMS_LEAST: u64 = 200;

/// Scores of all widenings, or of none where there are too few beams to hold some out.
pub fn score_widths(
    source: &dyn BeamSource,
    settings: &Settings,
    likelihood: &LikelihoodSettings,
    progress: &dyn Progress,
) -> Result<Vec<HeldOut>, LearnError> {
    let beams = match source.expected() {
        Some(beams) => beams,
        None => {
            let mut beams = 0;
            source.pass(&mut |batch| {
                beams += batch.len() as u64;
                Ok(())
            })?;
            beams
        }
    };
    let sector = (BEAMS_MAX / beams.max(1) as f64).min(1.0);
    let fold = |held_out| Fold { source, held_out, sector };
    let (training, test) = (fold(false), fold(true));
    let halvings = likelihood.halvings.min(6);
    let finest_m = settings.cell_m / f64::from(1u32 << halvings);
    let (cells, spacing, trained) = gather(&training, settings, finest_m, &Silent)?;
    if cells.is_empty() || trained < BEAMS_LEAST {
        return Ok(Vec::new());
    }
    let outlines = Outlines::new(&cells, &spacing, settings, halvings, &Silent)?;
    drop((cells, spacing));
    let rule = LikelihoodSettings { rounds: ROUNDS, ..*likelihood };
    let mut scores = Vec::new();
    for (step, widening) in WIDENINGS.into_iter().enumerate() {
        progress.step("choosing the width", step as f64 / WIDENINGS.len() as f64);
        let volumes = Volumes::new(&outlines.shapes(widening, settings))?;
        let fitted = fit::fit(&training, &volumes, settings, &rule, &Silent)?;
        let score = predict(&test, settings, &volumes, &fitted.opacities)?;
        if score.beams < BEAMS_LEAST {
            return Ok(Vec::new());
        }
        let worse = scores.last().is_some_and(|last: &HeldOut| last.capped_m < score.capped_m);
        scores.push(HeldOut { widening, ..score });
        // Wider yet would be worse yet.
        if worse {
            break;
        }
    }
    progress.step("choosing the width", 1.0);
    Ok(scores)
}

/// The score of all beams of a source.
fn predict(
    source: &dyn BeamSource,
    settings: &Settings,
    volumes: &Volumes,
    opacities: &[Opacity],
) -> Result<HeldOut, LearnError> {
    let (scores, opacities) = (Scores::default(), volumes.of_shapes(opacities));
    each_batch(source, settings.range_max_m, &mut |rays| {
        let starts: Vec<usize> = (0..rays.len()).step_by(TOGETHER).collect();
        starts.par_iter().for_each(|start| {
            let some = *start..(start + TOGETHER).min(rays.len());
            let way = |ray: Ray| Way {
                origin: ray.origin,
                direction: ray.direction,
                end_m: f64::INFINITY,
            };
            let ways: Vec<Way> = some.clone().map(|ray| way(rays.get(ray))).collect();
            let (mut met, mut prediction) = (Vec::new(), Prediction::default());
            volumes.meet(&ways, &mut met);
            for (ray, meetings) in some.zip(&met) {
                prediction.set(meetings.iter().map(|meeting| {
                    let Opacity { depth, returns } = opacities[meeting.volume as usize];
                    let share = -math::exp_m1(-f64::from(depth) * meeting.g);
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

/// Those beams of a source that are held out, or the others.
struct Fold<'a> {
    source: &'a dyn BeamSource,
    held_out: bool,
    /// Share of the horizon that is looked at.
    sector: f64,
}

impl Fold<'_> {
    fn has(&self, origin: DVec3, direction: Vec3) -> bool {
        let direction = direction.as_dvec3();
        // Four sectors, so that something is in one of them.
        let turn = math::atan2(direction.y, direction.x) / TAU + 0.5;
        if (4.0 * turn).fract() >= self.sector {
            return false;
        }
        let place = (origin / PLACE_M).floor();
        let band = (math::asin(direction.z.clamp(-1.0, 1.0)) / BAND_RAD).floor();
        let hash = [place.x, place.y, place.z, band]
            .iter()
            .fold(1, |hash, number| splitmix64(hash ^ (*number as i64 as u64)));
        hash.is_multiple_of(HELD_EVERY) == self.held_out
    }
}

impl BeamSource for Fold<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        let mut some = Beams::default();
        self.source.pass(&mut |batch| {
            some.clear();
            for beam in 0..batch.len() {
                let (origin, direction) = (batch.origin[beam], batch.direction[beam]);
                if self.has(origin, direction) {
                    let (range_m, intensity) = (batch.range_m[beam], batch.intensity[beam]);
                    some.push(origin, direction, range_m, intensity, batch.label[beam]);
                }
            }
            take(&some)
        })
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
        let scores = score_widths(&vec![beams], &settings, &rule, &Silent).unwrap();
        assert!(scores.len() > 1, "{scores:?}");
        let (narrow, wide) = (&scores[0], &scores[1]);
        assert!(narrow.widening < wide.widening && wide.beams > 3000, "{scores:?}");
        assert!(wide.lost < 0.7 * narrow.lost && wide.capped_m < narrow.capped_m, "{scores:?}");
        let best = scores.iter().map(|score| score.lost).fold(1.0, f64::min);
        assert!(best < 0.15, "{scores:?}");
    }

    #[test]
    fn a_line_is_on_one_side_only() {
        let source: Vec<Beams> = Vec::new();
        let fold = |held_out| Fold { source: &source, held_out, sector: 1.0 };
        let (training, test) = (fold(false), fold(true));
        let mut held = 0;
        for line in 0..400 {
            let sin = f64::from(line) / 400.0 - 0.5;
            let sides: Vec<bool> = (0..50)
                .map(|step| {
                    let azimuth = f64::from(step) * 0.1;
                    let cos = (1.0 - sin * sin).sqrt();
                    let direction = DVec3::new(cos * azimuth.cos(), cos * azimuth.sin(), sin);
                    let direction = direction.as_vec3();
                    let is_test = test.has(DVec3::ZERO, direction);
                    assert_ne!(is_test, training.has(DVec3::ZERO, direction));
                    is_test
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
