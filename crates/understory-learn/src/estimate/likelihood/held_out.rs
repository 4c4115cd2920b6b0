//! How well beams are predicted that were not learned from, and which width of volumes predicts best.
//!
//! What enters: all beams. What leaves: for each width of the volumes a [`HeldOut`] score. A quarter
//! of the *lines* is held out: what a sensor sent from one place in one narrow band of elevation, a
//! ring or a part of one. Repetitions of a ray are never on both sides, nor are its neighbours in the
//! ring: between rings is where light is lost.
//!
//! The score is that of a whole distribution. The model says where a beam returns from (volume by
//! volume, R·h·ρ at the range of its nearest approach) and with which probability from nowhere. With
//! the distance d of two outcomes, |z − z'| but at most 1 m, and 1 m between a return and none, it is
//! E d(X, z) − ½ E d(X, X'): proper, and 0 for who knows. It follows from the volumes alone; nothing is
//! simulated.

use std::f64::consts::{FRAC_2_PI, TAU};
use std::sync::atomic::{AtomicI64, Ordering};

use glam::{DVec3, Vec3};
use rand_philox::splitmix64;

use super::fit::{self, Stop, Volumes, stops_at};
use super::shape::{self, Width};
use super::{LikelihoodSettings, gather};
use crate::LearnError;
use crate::estimate::prediction::{HeldOut, RANGE_EDGES_M, RANGES};
use crate::estimate::ray_spacing::PLACE_M;
use crate::estimate::settings::Settings;
use crate::input::beams::{BeamSource, Beams};
use crate::input::rays::{Ray, each_ray};
use crate::volume::beer_lambert::Meeting;
use understory_base::{Progress, Silent};

/// Widenings that are tried.
const WIDENINGS: [f64; 5] = [1.0, 3.0, 8.0, 20.0, 50.0];
/// Beams that are looked at: more would tell no more. Whole sectors of the horizon are left out.
const BEAMS_MAX: f64 = 400_000.0;
/// Rounds of the fit: enough to tell widths apart.
const ROUNDS: usize = 5;
/// Every this many lines one is held out.
const HELD_EVERY: u64 = 4;
/// Height of a band of elevation.
const BAND_RAD: f64 = 0.007;
/// Distances count at most this much.
const CAP_M: f64 = 1.0;
/// Quanta of a score.
const QUANTA: f64 = (1u64 << 32) as f64;
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
    let rule = LikelihoodSettings { rounds: ROUNDS, ..*likelihood };
    let mut scores = Vec::new();
    for (step, widening) in WIDENINGS.into_iter().enumerate() {
        progress.step("choosing the width", step as f64 / WIDENINGS.len() as f64);
        let width = Width { halvings, widening };
        let shapes = shape::shapes(&cells, &spacing, settings, &width, &Silent)?;
        let fitted = fit::fit(&training, &shapes, settings, &rule, &Silent)?;
        let volumes = Volumes::new(&shapes)?;
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

/// Sums over held-out beams, as whole numbers.
#[derive(Default)]
struct Scores {
    score: AtomicI64,
    lost: [AtomicI64; RANGES],
    returns: [AtomicI64; RANGES],
    false_returns: AtomicI64,
    misses: AtomicI64,
}

/// The score of all beams of a source.
fn predict(
    source: &dyn BeamSource,
    settings: &Settings,
    volumes: &Volumes<'_>,
    opacities: &[fit::Opacity],
) -> Result<HeldOut, LearnError> {
    let sums = Scores::default();
    let add = |to: &AtomicI64, value: f64| {
        to.fetch_add((value * QUANTA).round() as i64, Ordering::Relaxed);
    };
    let visit = |ray: Ray| {
        let (mut meetings, mut stops) = (Vec::new(), Vec::new());
        volumes.meet(&ray, &mut meetings);
        stops_at(&meetings, opacities, &mut stops);
        let prediction = Prediction::new(&meetings, &stops);
        for range_m in ray.ranges_m.iter().map(|range| f64::from(*range)) {
            add(&sums.score, prediction.score(range_m));
            if range_m == f64::INFINITY {
                sums.misses.fetch_add(1, Ordering::Relaxed);
                add(&sums.false_returns, 1.0 - prediction.none);
            } else {
                let bin = RANGE_EDGES_M.iter().take_while(|edge| range_m >= **edge).count();
                sums.returns[bin].fetch_add(1, Ordering::Relaxed);
                add(&sums.lost[bin], prediction.none);
            }
        }
    };
    let [beams, _] = each_ray(source, settings.range_max_m, &visit, &|_| {})?;
    let value = |of: &AtomicI64| of.load(Ordering::Relaxed) as f64 / QUANTA;
    let count = |of: &AtomicI64| of.load(Ordering::Relaxed) as f64;
    let share = |part: f64, of: f64| if of > 0.0 { part / of } else { f64::NAN };
    let returns: f64 = sums.returns.iter().map(count).sum();
    Ok(HeldOut {
        widening: 0.0,
        beams,
        capped_m: value(&sums.score) / beams.max(1) as f64,
        lost: share(sums.lost.iter().map(value).sum(), returns),
        false_returns: share(value(&sums.false_returns), count(&sums.misses)),
        lost_by_range: std::array::from_fn(|bin| {
            share(value(&sums.lost[bin]), count(&sums.returns[bin]))
        }),
    })
}

/// What a model says of one ray.
struct Prediction {
    /// Probability, range and spread of each volume's return.
    returns: Vec<[f64; 3]>,
    /// Probability that nothing returns.
    none: f64,
    /// ½ E d(X, X').
    own: f64,
}

impl Prediction {
    fn new(meetings: &[Meeting], stops: &[Stop]) -> Prediction {
        let (mut reach, mut none) = (1.0, 0.0);
        let mut returns = Vec::with_capacity(meetings.len());
        for (meeting, stop) in meetings.iter().zip(stops) {
            let stopped = reach * stop.share;
            returns.push([stopped * stop.returns, meeting.range_m, meeting.sigma_m]);
            none += stopped * (1.0 - stop.returns);
            reach -= stopped;
        }
        none += reach;
        let mut own = 2.0 * none * (1.0 - none) * CAP_M;
        for (i, [p, a, s]) in returns.iter().enumerate() {
            own += p * p * apart(0.0, 2.0 * s * s);
            for [q, b, t] in &returns[i + 1..] {
                own += 2.0 * p * q * apart(a - b, s * s + t * t);
            }
        }
        Prediction { returns, none, own: 0.5 * own }
    }

    fn score(&self, range_m: f64) -> f64 {
        if range_m == f64::INFINITY {
            return (1.0 - self.none) * CAP_M - self.own;
        }
        let near: f64 = self.returns.iter().map(|[p, at, s]| p * apart(range_m - at, s * s)).sum();
        near + self.none * CAP_M - self.own
    }
}

/// E|N(μ, σ²)|, at most [`CAP_M`]; exact for μ = 0 and far away, within a tenth of σ between.
fn apart(mean: f64, variance: f64) -> f64 {
    (mean * mean + FRAC_2_PI * variance).sqrt().min(CAP_M)
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
        let turn = direction.y.atan2(direction.x) / TAU + 0.5;
        if (4.0 * turn).fract() >= self.sector {
            return false;
        }
        let place = (origin / PLACE_M).floor();
        let band = (direction.z.clamp(-1.0, 1.0).asin() / BAND_RAD).floor();
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

    /// The score in closed form against that of outcomes drawn from the same volumes. With 40,000
    /// draws a mean of distances of at most 1 m has a standard error below 2.5 mm; four of them and
    /// what `apart` leaves out are allowed.
    #[test]
    fn the_score_is_that_of_drawn_outcomes() {
        let met = |g, range_m, sigma_m| Meeting { volume: 0, g, range_m, sigma_m };
        let meetings = [met(1.0, 5.0, 0.05), met(1.0, 5.3, 0.02), met(1.0, 9.0, 0.3)];
        let stop = |share, returns| Stop { share, returns };
        let stops = [stop(0.4, 0.9), stop(0.5, 1.0), stop(0.7, 0.5)];
        let prediction = Prediction::new(&meetings, &stops);
        let mut numbers = Numbers(7);
        let mut draw = || {
            for (met, stop) in meetings.iter().zip(&stops) {
                if numbers.uniform() < stop.share {
                    let returns = numbers.uniform() < stop.returns;
                    let z = met.range_m + met.sigma_m * numbers.normal();
                    return if returns { z } else { f64::INFINITY };
                }
            }
            f64::INFINITY
        };
        let drawn: Vec<f64> = (0..40_000).map(|_| draw()).collect();
        let distance = |a: f64, b: f64| match (a.is_finite(), b.is_finite()) {
            (true, true) => (a - b).abs().min(CAP_M),
            (false, false) => 0.0,
            _ => CAP_M,
        };
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / drawn.len() as f64;
        let own = mean(
            &mut drawn
                .iter()
                .zip(drawn[1..].iter().chain([&drawn[0]]))
                .map(|(a, b)| distance(*a, *b)),
        );
        let none = mean(&mut drawn.iter().map(|z| f64::from(u8::from(z.is_infinite()))));
        assert!((none - prediction.none).abs() < 0.01, "{none} {}", prediction.none);
        for z in [5.0, 5.05, 5.3, 7.0, 9.1, f64::INFINITY] {
            let to = mean(&mut drawn.iter().map(|drawn| distance(*drawn, z)));
            let (wanted, found) = (to - 0.5 * own, prediction.score(z));
            assert!((wanted - found).abs() < 0.015, "{z}: {found} for {wanted}");
        }
    }

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
