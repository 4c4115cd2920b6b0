//! A stand of stems before a beam that is sampled by sub-rays: what a simulator should measure.
//!
//! What enters: a [`StemStand`] of some depth, and the slopes at which sub-rays leave the axis
//! sideways. What leaves: the exact law of the first range, and ranges drawn directly from circles
//! strewn in the plane, without a scene, a mesh or a tracer. The mean over the beam has no closed
//! form; drawing is the only exact answer.
//!
//! A beam that is a·u wide at the distance u meets first the nearest stem in a strip of the width
//! d + a·u: S(r) = exp(−λ·[d(r − D) + a(r² − D²)/2 + f(r)]), where f is the area that the round
//! fronts of stems reach ahead of their middles.

use super::StemStand;
use understory::rng::PulseRng;
use understory_base::math;

/// Steps in which the round fronts are summed up.
const FRONT_STEPS: i32 = 400;

/// A stand of some depth and the sub-rays that enter it.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledBeam {
    /// The stand.
    pub stand: StemStand,
    /// From its edge to its end.
    pub depth_m: f64,
    /// Sideways slopes of sub-rays, and how many of them have it: stems are upright.
    slopes: Vec<(f64, f64)>,
}

/// Ranges of one beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DrawnRanges {
    /// Of the nearest stem.
    pub first_m: f64,
    /// Mean over the sub-rays that meet one.
    pub mean_m: f64,
}

impl SampledBeam {
    /// Goodin's nine sub-rays of a circular spot: the centre, (±r, 0), (0, ±r) and (±r/2, ±r/2),
    /// with r as a share of the spot's radius.
    pub fn goodin(stand: StemStand, depth_m: f64, radius: f64) -> SampledBeam {
        let r = radius * math::tan(stand.divergence_rad / 2.0);
        let planes = [(0.0, 3.0), (0.5, 2.0), (-0.5, 2.0), (1.0, 1.0), (-1.0, 1.0)];
        let slopes = planes.map(|(place, rays)| (place * r, rays)).to_vec();
        SampledBeam { stand, depth_m, slopes }
    }

    /// Widening of the sampled beam per metre.
    fn widening(&self) -> f64 {
        2.0 * self.slopes.iter().map(|(slope, _)| *slope).fold(0.0, f64::max)
    }

    /// Width of all that beams of this kind can meet; beams farther apart share no stem.
    pub fn widest_m(&self) -> f64 {
        self.stand.diameter_m + self.widening() * self.end_m()
    }

    /// Where the stand ends.
    pub fn end_m(&self) -> f64 {
        self.stand.distance_m + self.depth_m
    }

    /// Probability that the first stem is not beyond `range_m`, which lies in the stand.
    pub fn first_met_by(&self, range_m: f64) -> f64 {
        let range_m = range_m.clamp(self.stand.distance_m, self.end_m());
        let (d, near_m, a) = (self.stand.diameter_m, self.stand.distance_m, self.widening());
        let strip_m2 = d * (range_m - near_m) + 0.5 * a * (range_m.powi(2) - near_m.powi(2));
        let width_m = d + a * range_m;
        let front = |step: i32| {
            let y_m = width_m * ((f64::from(step) + 0.5) / f64::from(FRONT_STEPS) - 0.5);
            let reach =
                |(slope, _): &(f64, f64)| (0.25 * d * d - (y_m - slope * range_m).powi(2)).max(0.0);
            self.slopes.iter().map(reach).fold(0.0, f64::max).sqrt()
        };
        let front_m2 = (0..FRONT_STEPS).map(front).sum::<f64>() * width_m / f64::from(FRONT_STEPS);
        1.0 - math::exp(-self.stand.stems_per_m2 * (strip_m2 + front_m2))
    }

    /// Strews stems before the beam and measures; none where no sub-ray meets one.
    pub fn draw(&self, random: &mut PulseRng) -> Option<DrawnRanges> {
        let radius_m = self.stand.diameter_m / 2.0;
        let half_m = self.widest_m() / 2.0;
        let mean_count = self.stand.stems_per_m2 * self.depth_m * 2.0 * half_m;
        let mut nearest_m = vec![f64::INFINITY; self.slopes.len()];
        // A Poisson number of stems, by steps of an exponential clock.
        let mut clock = -math::ln(random.uniform());
        while clock < mean_count {
            let x_m = self.stand.distance_m + self.depth_m * random.uniform();
            let y_m = half_m * (2.0 * random.uniform() - 1.0);
            for ((slope, _), nearest) in self.slopes.iter().zip(&mut nearest_m) {
                // Slopes are so small that a ray is as long as its x.
                let reach_m2 = radius_m * radius_m - (y_m - slope * x_m).powi(2);
                if reach_m2 > 0.0 {
                    *nearest = nearest.min(x_m - reach_m2.sqrt());
                }
            }
            clock -= math::ln(random.uniform());
        }
        let first_m = nearest_m.iter().copied().fold(f64::INFINITY, f64::min);
        let rays = self.slopes.iter().map(|(_, rays)| *rays);
        let met = nearest_m.iter().zip(rays).filter(|(range, _)| range.is_finite());
        let (sum, count) =
            met.fold((0.0, 0.0), |(sum, count), (range, rays)| (sum + rays * range, count + rays));
        let mean_m = sum / count;
        first_m.is_finite().then_some(DrawnRanges { first_m, mean_m })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{dkw_limit, ks_distance};
    use understory::rng::Stage;

    const STAND: StemStand =
        StemStand { stems_per_m2: 50.0, diameter_m: 0.01, distance_m: 20.0, divergence_rad: 1e-3 };

    /// Two ways to the law of the first range: the formula, and strewn circles.
    #[test]
    fn first_ranges_of_strewn_circles_follow_the_strip() {
        for stand in [STAND, StemStand { stems_per_m2: 100.0, diameter_m: 0.02, ..STAND }] {
            let beam = SampledBeam::goodin(stand, 5.0, 0.75f64.sqrt());
            let draw = |pulse| {
                let mut random = PulseRng::new(1, 0, pulse, Stage::FigureStems);
                beam.draw(&mut random).map_or(f64::INFINITY, |drawn| drawn.first_m.max(20.0))
            };
            let mut ranges: Vec<f64> = (0..40_000).map(draw).collect();
            ranges.sort_by(f64::total_cmp);
            let distance = ks_distance(&ranges, |r| beam.first_met_by(r));
            assert!(distance < dkw_limit(ranges.len(), 1e-7), "{distance}");
        }
    }

    /// A beam without width measures the exponential of rate λd from either range.
    #[test]
    fn a_thin_beam_has_one_range() {
        let beam = SampledBeam::goodin(STAND, 5.0, 0.0);
        let mut random = PulseRng::new(2, 0, 0, Stage::FigureStems);
        let drawn: Vec<_> = (0..20_000).filter_map(|_| beam.draw(&mut random)).collect();
        assert!(drawn.iter().all(|range| (range.first_m - range.mean_m).abs() < 1e-9));
        // 1 − exp(−2.5) of beams; five standard deviations.
        let share = drawn.len() as f64 / 20_000.0;
        assert!(
            (share - 0.917_915).abs() < 5.4 * (0.0821f64 * 0.9179 / 20_000.0).sqrt(),
            "{share}"
        );
    }
}
