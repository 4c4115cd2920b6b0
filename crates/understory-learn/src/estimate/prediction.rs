//! How well a model says what beams do that it was not learned from.
//!
//! What enters: for a ray what may stop it, in order, each with the probability that it does, that it
//! returns then, and where ([`Stop`]); and what the beams along it really did. What leaves: a
//! [`HeldOut`] score. It is that of a whole distribution: with the distance d of two outcomes,
//! |z − z'| but at most 1 m, and 1 m between a return and none, it is E d(X, z) − ½ E d(X, X'): proper,
//! and 0 for who knows. It follows from the volumes alone; nothing is simulated.

use std::f64::consts::FRAC_2_PI;
use std::sync::atomic::{AtomicI64, Ordering};

/// Ranges between which losses are told apart.
pub const RANGE_EDGES_M: [f64; 3] = [10.0, 20.0, 40.0];
/// How many ranges there are.
pub const RANGES: usize = RANGE_EDGES_M.len() + 1;
/// Distances count at most this much.
pub const CAP_M: f64 = 1.0;
/// What is less probable is left out: it moves a score by less.
const LEAST: f64 = 1e-5;
/// Quanta of a score.
const QUANTA: f64 = (1u64 << 32) as f64;

/// How well held-out beams are predicted.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct HeldOut {
    /// Variance of the volumes across the rays, in those of the gaps.
    pub widening: f64,
    /// Beams that were predicted.
    pub beams: u64,
    /// Mean score: 0 is perfect, 1 m the worst.
    pub capped_m: f64,
    /// Mean square error of the probability that nothing returns.
    pub brier: f64,
    /// Share of the real returns where the model returns nothing.
    pub lost: f64,
    /// Share of the beams without a return where the model returns something.
    pub false_returns: f64,
    /// Share of all beams without a return, predicted and real.
    pub none: [f64; 2],
    /// Mean score of the returns nearer than each of [`RANGE_EDGES_M`], and beyond; NaN: no returns.
    pub capped_by_range_m: [f64; RANGES],
    /// The share of them that is lost.
    pub lost_by_range: [f64; RANGES],
}

/// What may stop a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Probability that it stops what reaches it.
    pub share: f64,
    /// Probability that it returns then.
    pub returns: f64,
    /// Where, and how well that is known.
    pub range_m: f64,
    pub sigma_m: f64,
}

/// What a model says of one ray; kept for its memory.
#[derive(Debug, Default)]
pub struct Prediction {
    /// Probability, range and spread of each return.
    returns: Vec<[f64; 3]>,
    /// Probability that nothing returns.
    pub none: f64,
    /// ½ E d(X, X').
    own: f64,
}

impl Prediction {
    /// Forgets the ray before and takes the stops of another.
    pub fn set(&mut self, stops: impl Iterator<Item = Stop>) {
        let (mut reach, mut none) = (1.0, 0.0);
        self.returns.clear();
        for stop in stops {
            let stopped = reach * stop.share;
            let returned = stopped * stop.returns;
            if returned > LEAST {
                self.returns.push([returned, stop.range_m, stop.sigma_m]);
            }
            none += stopped * (1.0 - stop.returns);
            reach -= stopped;
        }
        self.none = none + reach;
        self.finish();
    }

    /// Forgets the ray before and takes equally likely outcomes, infinite where nothing returned.
    pub fn set_outcomes(&mut self, ranges_m: &[f64]) {
        let each = 1.0 / ranges_m.len().max(1) as f64;
        self.returns.clear();
        let finite = ranges_m.iter().filter(|range| range.is_finite());
        self.returns.extend(finite.map(|range| [each, *range, 0.0]));
        self.none = 1.0 - each * self.returns.len() as f64;
        self.finish();
    }

    fn finish(&mut self) {
        let mut own = 2.0 * self.none * (1.0 - self.none) * CAP_M;
        let is_sorted = self.returns.is_sorted_by(|[_, a, _], [_, b, _]| a <= b);
        let mut left: f64 = self.returns.iter().map(|[p, ..]| p).sum();
        for (i, [p, a, s]) in self.returns.iter().enumerate() {
            own += p * p * apart(0.0, 2.0 * s * s);
            left -= p;
            let mut behind = left;
            for [q, b, t] in &self.returns[i + 1..] {
                if is_sorted && b - a >= CAP_M {
                    // So are all farther ones.
                    own += 2.0 * p * behind * CAP_M;
                    break;
                }
                behind -= q;
                own += 2.0 * p * q * apart(a - b, s * s + t * t);
            }
        }
        self.own = 0.5 * own;
    }

    /// The score where a beam returned from this range, infinite: from nowhere.
    pub fn score(&self, range_m: f64) -> f64 {
        if range_m == f64::INFINITY {
            return (1.0 - self.none) * CAP_M - self.own;
        }
        let near: f64 = self.returns.iter().map(|[p, at, s]| p * apart(range_m - at, s * s)).sum();
        near + self.none * CAP_M - self.own
    }

    /// The score of the outcomes of [`Prediction::set_outcomes`] as if they were independent draws: half
    /// their mean distance is over pairs of different ones, so that two neighbours compare fairly with
    /// many samples.
    pub fn score_of_draws(&self, range_m: f64, draws: usize) -> f64 {
        let n = draws as f64;
        let to = self.score(range_m) + self.own;
        if draws > 1 { to - self.own * n / (n - 1.0) } else { to }
    }
}

/// E|N(μ, σ²)|, at most [`CAP_M`]; exact for μ = 0 and far away, within a tenth of σ between.
fn apart(mean: f64, variance: f64) -> f64 {
    (mean * mean + FRAC_2_PI * variance).sqrt().min(CAP_M)
}

/// Sums over beams, as whole numbers that several threads add to.
#[derive(Default)]
pub struct Scores {
    beams: AtomicI64,
    score: AtomicI64,
    brier: AtomicI64,
    none: AtomicI64,
    score_of_returns: [AtomicI64; RANGES],
    lost: [AtomicI64; RANGES],
    returns: [AtomicI64; RANGES],
    false_returns: AtomicI64,
    misses: AtomicI64,
}

impl Scores {
    /// Adds a beam that returned from `range_m`, with its score and the predicted probability that
    /// nothing returns.
    pub fn add(&self, range_m: f64, score: f64, none: f64) {
        let add = |to: &AtomicI64, value: f64| {
            to.fetch_add((value * QUANTA).round() as i64, Ordering::Relaxed);
        };
        self.beams.fetch_add(1, Ordering::Relaxed);
        add(&self.score, score);
        add(&self.none, none);
        if range_m == f64::INFINITY {
            self.misses.fetch_add(1, Ordering::Relaxed);
            add(&self.false_returns, 1.0 - none);
            add(&self.brier, (1.0 - none).powi(2));
        } else {
            let bin = RANGE_EDGES_M.iter().take_while(|edge| range_m >= **edge).count();
            self.returns[bin].fetch_add(1, Ordering::Relaxed);
            add(&self.score_of_returns[bin], score);
            add(&self.lost[bin], none);
            add(&self.brier, none.powi(2));
        }
    }

    /// The means.
    pub fn means(&self) -> HeldOut {
        let value = |of: &AtomicI64| of.load(Ordering::Relaxed) as f64 / QUANTA;
        let count = |of: &AtomicI64| of.load(Ordering::Relaxed) as f64;
        let share = |part: f64, of: f64| if of > 0.0 { part / of } else { f64::NAN };
        let (beams, returns) = (count(&self.beams), self.returns.iter().map(count).sum());
        let by_range = |of: &[AtomicI64; RANGES]| {
            std::array::from_fn(|bin| share(value(&of[bin]), count(&self.returns[bin])))
        };
        HeldOut {
            widening: 0.0,
            beams: beams as u64,
            capped_m: share(value(&self.score), beams),
            brier: share(value(&self.brier), beams),
            lost: share(self.lost.iter().map(value).sum(), returns),
            false_returns: share(value(&self.false_returns), count(&self.misses)),
            none: [share(value(&self.none), beams), share(count(&self.misses), beams)],
            capped_by_range_m: by_range(&self.score_of_returns),
            lost_by_range: by_range(&self.lost),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in 0…1 (Lehmer).
    struct Numbers(u64);

    impl Numbers {
        fn uniform(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888);
            ((self.0 >> 11) as f64 + 0.5) / (1u64 << 53) as f64
        }

        fn normal(&mut self) -> f64 {
            let radius = (-2.0 * self.uniform().ln()).sqrt();
            radius * (std::f64::consts::TAU * self.uniform()).cos()
        }
    }

    fn distance(a: f64, b: f64) -> f64 {
        match (a.is_finite(), b.is_finite()) {
            (true, true) => (a - b).abs().min(CAP_M),
            (false, false) => 0.0,
            _ => CAP_M,
        }
    }

    /// The score in closed form against that of outcomes drawn from the same stops. With 40,000
    /// draws a mean of distances of at most 1 m has a standard error below 2.5 mm; four of them and
    /// what `apart` leaves out are allowed.
    #[test]
    fn the_score_is_that_of_drawn_outcomes() {
        let stop = |share, returns, range_m, sigma_m| Stop { share, returns, range_m, sigma_m };
        let stops =
            [stop(0.4, 0.9, 5.0, 0.05), stop(0.5, 1.0, 5.3, 0.02), stop(0.7, 0.5, 9.0, 0.3)];
        let mut prediction = Prediction::default();
        prediction.set(stops.into_iter());
        let mut numbers = Numbers(7);
        let mut draw = || {
            for stop in &stops {
                if numbers.uniform() < stop.share {
                    let returns = numbers.uniform() < stop.returns;
                    let z = stop.range_m + stop.sigma_m * numbers.normal();
                    return if returns { z } else { f64::INFINITY };
                }
            }
            f64::INFINITY
        };
        let drawn: Vec<f64> = (0..40_000).map(|_| draw()).collect();
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

    /// By hand: outcomes 5.0 and none, the real one 5.2. Distances 0.2 and 1; they are 1 m apart.
    #[test]
    fn the_score_of_two_draws_by_hand() {
        let mut prediction = Prediction::default();
        prediction.set_outcomes(&[5.0, f64::INFINITY]);
        assert_eq!(prediction.none, 0.5);
        assert!((prediction.score_of_draws(5.2, 2) - (0.6 - 0.5)).abs() < 1e-12);
        // As a distribution, which may draw the same one twice.
        assert!((prediction.score(5.2) - (0.6 - 0.25)).abs() < 1e-12);
        let scores = Scores::default();
        scores.add(5.2, 0.35, 0.5);
        scores.add(f64::INFINITY, 0.25, 0.5);
        let means = scores.means();
        assert_eq!((means.beams, means.none), (2, [0.5, 0.5]));
        assert!((means.capped_m - 0.3).abs() < 1e-9 && (means.brier - 0.25).abs() < 1e-9);
        assert!(means.lost_by_range[1].is_nan() && (means.lost - 0.5).abs() < 1e-9);
    }
}
