//! What real beams say of each other: the floor beside which a model is judged.
//!
//! In place of a model stand the beams that it was learned from. For each held-out beam the nearest of
//! them in direction are sought, from the two nearest places of the sensor within limits; how far they
//! returned, seen from the held-out beam's own origin, are two draws of its distribution (*neighbours*),
//! or a distribution that draws one of them again and again (*replay*). It contains what the change of
//! place and errors of poses do, and is no lower bound: a model fires the very beam that is asked for.
//!
//! The *noise floor* looks within the held-out recording itself: half the capped distance from each beam to
//! the nearest other one that was sent from the same place, as a rule that before or after it in its ring.
//! Two draws of one distribution are apart by twice its least score, so this is about what no model can
//! do better, as far as two such beams meet the same.

use std::num::NonZero;
use understory_base::math;

use glam::{DVec3, Vec3};
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;

use crate::LearnError;
use crate::estimate::{CAP_M, HeldOut, Prediction, Scores};
use crate::input::{BeamSource, Beams};

/// Which beams are neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighbourLimits {
    /// How far apart their directions may be.
    pub direction_deg: f64,
    /// How far apart their origins may be.
    pub origin_m: f64,
}

impl Default for NeighbourLimits {
    fn default() -> NeighbourLimits {
        NeighbourLimits { direction_deg: 0.3, origin_m: 2.0 }
    }
}

/// Beams from one place are looked at before those of the next: among so many nearest.
const LOOKED_AT: usize = 48;
/// Origins nearer than this are one place.
const SAME_PLACE_M: f64 = 0.01;
/// Beams beside each other are nearer in direction, and their origins nearer than this.
const BESIDE_DEG: f64 = 0.5;
const BESIDE_M: f64 = 0.03;

/// Scores on the held-out beams that have neighbours.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Floor {
    /// Two neighbours as draws.
    pub neighbours: HeldOut,
    /// The same two as a distribution.
    pub replay: HeldOut,
    /// Half the mean capped distance of beams that were sent beside each other; NaN: there are none.
    pub noise_m: f64,
    /// Share of the held-out beams that have both.
    pub share: f64,
}

/// Beams that were learned from, to be found by origin and direction.
pub struct RealBeams {
    pub(super) tree: Option<ImmutableKdTree<f64, 6>>,
    pub(super) beams: Beams,
    pub(super) limits: NeighbourLimits,
}

impl RealBeams {
    /// Reads all beams of a source.
    pub fn read(
        source: &dyn BeamSource,
        range_max_m: f64,
        limits: NeighbourLimits,
    ) -> Result<RealBeams, LearnError> {
        let mut beams = Beams::default();
        source.pass(&mut |batch| {
            beams.append(batch);
            Ok(())
        })?;
        for range in &mut beams.range_m {
            if f64::from(*range) >= range_max_m {
                *range = f32::INFINITY;
            }
        }
        let places: Vec<[f64; 6]> = beams
            .origin
            .iter()
            .zip(&beams.direction)
            .map(|(origin, direction)| limits.place(*origin, *direction))
            .collect();
        let tree = match places.is_empty() {
            true => None,
            false => ImmutableKdTree::<f64, 6>::new_from_slice(&places).ok(),
        };
        Ok(RealBeams { tree, beams, limits })
    }

    /// Ranges of the nearest beams of two places, seen from `origin`; none where there are not two.
    pub fn two(&self, origin: DVec3, direction: Vec3) -> Option<[f64; 2]> {
        let at = self.limits.place(origin, direction);
        let query = self.tree.as_ref()?.query(&at);
        let most = NonZero::new(LOOKED_AT)?;
        let mut near = query.nearest_n::<SquaredEuclidean<f64>>(most).within(2.0).execute();
        near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
        let beams = &self.beams;
        let is_near = |beam: &usize| {
            let apart = beams.direction[*beam].as_dvec3().distance(direction.as_dvec3());
            beams.origin[*beam].distance(origin) <= self.limits.origin_m
                && apart <= self.limits.chord()
        };
        let mut found = near.iter().map(|found| found.item as usize).filter(is_near);
        let first = found.next()?;
        let elsewhere =
            |beam: &usize| beams.origin[*beam].distance(beams.origin[first]) > SAME_PLACE_M;
        let second = found.find(elsewhere)?;
        let seen = |beam: usize| {
            let way = (beams.origin[beam] - origin).dot(direction.as_dvec3());
            f64::from(beams.range_m[beam]) + way
        };
        Some([seen(first), seen(second)])
    }

    /// Scores on all beams of a source that have neighbours.
    pub fn floor(&self, source: &dyn BeamSource, range_max_m: f64) -> Result<Floor, LearnError> {
        let (neighbours, replay) = (Scores::default(), Scores::default());
        let mut all = 0u64;
        source.pass(&mut |batch| {
            all += batch.len() as u64;
            (0..batch.len()).into_par_iter().for_each(|beam| {
                let Some(two) = self.two(batch.origin[beam], batch.direction[beam]) else { return };
                let range_m = f64::from(batch.range_m[beam]);
                let range_m = if range_m < range_max_m { range_m } else { f64::INFINITY };
                let mut prediction = Prediction::default();
                prediction.set_outcomes(&two);
                let none = prediction.none;
                neighbours.add(range_m, prediction.score_of_draws(range_m, 2), none);
                replay.add(range_m, prediction.score(range_m), none);
            });
            Ok(())
        })?;
        let neighbours = neighbours.means();
        let share = neighbours.beams as f64 / all.max(1) as f64;
        let noise_m = noise_floor(source, range_max_m)?;
        Ok(Floor { neighbours, replay: replay.means(), noise_m, share })
    }

    /// Those beams of a source that have neighbours.
    pub fn with_neighbours<'a>(&'a self, source: &'a dyn BeamSource) -> WithNeighbours<'a> {
        WithNeighbours { real: self, source }
    }
}

/// Half the mean capped distance of the beams of a recording from those beside them; NaN: there are none.
pub fn noise_floor(source: &dyn BeamSource, range_max_m: f64) -> Result<f64, LearnError> {
    let limits = NeighbourLimits { direction_deg: BESIDE_DEG, origin_m: BESIDE_M };
    let all = RealBeams::read(source, range_max_m, limits)?;
    let (Some(tree), Some(most)) = (&all.tree, NonZero::new(LOOKED_AT)) else {
        return Ok(f64::NAN);
    };
    let beams = &all.beams;
    let distance = |beam: usize| {
        let at = limits.place(beams.origin[beam], beams.direction[beam]);
        let near = tree.query(&at).nearest_n::<SquaredEuclidean<f64>>(most).within(1.0).execute();
        // The very same beam in another revolution of a standing sensor is not beside it.
        let beside = near.iter().filter(|found| found.distance > 1e-6);
        let beside =
            beside.min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)))?;
        let [a, b] = [beam, beside.item as usize].map(|beam| f64::from(beams.range_m[beam]));
        Some(match (a.is_finite(), b.is_finite()) {
            (true, true) => (a - b).abs().min(CAP_M),
            (false, false) => 0.0,
            _ => CAP_M,
        })
    };
    // In the order of the beams, so that threads change no bit.
    let distances: Vec<Option<f64>> = (0..beams.len()).into_par_iter().map(distance).collect();
    let (sum, count) =
        distances.iter().flatten().fold((0.0, 0u64), |(sum, n), apart| (sum + apart, n + 1));
    Ok(if count > 0 { 0.5 * sum / count as f64 } else { f64::NAN })
}

/// See [`RealBeams::with_neighbours`].
pub struct WithNeighbours<'a> {
    real: &'a RealBeams,
    source: &'a dyn BeamSource,
}

impl BeamSource for WithNeighbours<'_> {
    fn pass(
        &self,
        take: &mut dyn FnMut(&Beams) -> Result<(), LearnError>,
    ) -> Result<(), LearnError> {
        self.source.pass(&mut |batch| {
            let has: Vec<bool> = (0..batch.len())
                .into_par_iter()
                .map(|beam| self.real.two(batch.origin[beam], batch.direction[beam]).is_some())
                .collect();
            let mut some = Beams::default();
            for beam in (0..batch.len()).filter(|beam| has[*beam]) {
                let (origin, direction) = (batch.origin[beam], batch.direction[beam]);
                let (range_m, intensity) = (batch.range_m[beam], batch.intensity[beam]);
                some.push(origin, direction, range_m, intensity, batch.label[beam]);
            }
            take(&some)
        })
    }
}

impl NeighbourLimits {
    pub(super) fn chord(&self) -> f64 {
        2.0 * math::sin(0.5 * self.direction_deg.to_radians())
    }

    /// Both limits are 1.
    pub(super) fn place(&self, origin: DVec3, direction: Vec3) -> [f64; 6] {
        let (o, d) = (origin / self.origin_m, direction.as_dvec3() / self.chord());
        [o.x, o.y, o.z, d.x, d.y, d.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall at x = 10 seen from two places, and a held-out beam between them: both neighbours say
    /// 10 m but for the way.
    #[test]
    fn neighbours_are_seen_from_the_held_out_beam() {
        let mut learned = Beams::default();
        for x in [0.0, 1.0] {
            for k in -5..=5 {
                let direction = Vec3::new(1.0, k as f32 * 0.003, 0.0).normalize();
                let range_m = ((10.0 - x) / f64::from(direction.x)) as f32;
                learned.push(DVec3::X * x, direction, range_m, 0.5, 0);
            }
        }
        let mut held_out = Beams::default();
        held_out.push(DVec3::X * 0.5, Vec3::X, 9.5, 0.5, 0);
        held_out.push(DVec3::X * 0.5, Vec3::Y, 9.5, 0.5, 0);
        held_out.push(DVec3::X * 0.5, Vec3::X, f32::INFINITY, 0.5, 0);
        let limits = NeighbourLimits::default();
        let real = RealBeams::read(&vec![learned], f64::INFINITY, limits).unwrap();
        let [one, other] = real.two(DVec3::X * 0.5, Vec3::X).unwrap();
        assert!((one - 9.5).abs() < 1e-5 && (other - 9.5).abs() < 1e-5, "{one} {other}");
        let source = vec![held_out];
        let floor = real.floor(&source, f64::INFINITY).unwrap();
        assert!((floor.share - 2.0 / 3.0).abs() < 1e-9, "{floor:?}");
        // One beam is known and one, of two, is wrong by the cap.
        assert!((floor.neighbours.capped_m - 0.5).abs() < 1e-4, "{floor:?}");
        assert_eq!((floor.neighbours.lost, floor.neighbours.false_returns), (0.0, 1.0));
        let mut kept = 0;
        let with = real.with_neighbours(&source);
        with.pass(&mut |batch| {
            kept += batch.len();
            Ok(())
        })
        .unwrap();
        assert_eq!(kept, 2);
    }

    /// Beams 0.2° apart in a ring alternate between 5 m and 5.4 m; another ring, 2° above, is not beside.
    #[test]
    fn the_noise_floor_is_half_the_way_to_the_beam_beside() {
        let mut beams = Beams::default();
        for k in 0..100 {
            for elevation in [0.0f32, 2.0] {
                let (azimuth, elevation) = ((k as f32 * 0.2).to_radians(), elevation.to_radians());
                let direction = Vec3::new(
                    elevation.cos() * azimuth.cos(),
                    elevation.cos() * azimuth.sin(),
                    elevation.sin(),
                );
                let range_m = if k % 2 == 0 { 5.0 } else { 5.4 };
                beams.push(DVec3::ZERO, direction, range_m, 0.5, 0);
            }
        }
        let noise_m = noise_floor(&vec![beams], f64::INFINITY).unwrap();
        assert!((noise_m - 0.2).abs() < 1e-6, "{noise_m}");
    }

    #[test]
    fn nothing_is_a_neighbour_of_nothing() {
        let none = vec![Beams::default()];
        let real = RealBeams::read(&none, f64::INFINITY, NeighbourLimits::default()).unwrap();
        assert!(real.two(DVec3::ZERO, Vec3::X).is_none());
        let floor = real.floor(&none, f64::INFINITY).unwrap();
        assert_eq!((floor.share, floor.neighbours.beams), (0.0, 0));
    }
}
