//! Beams of a sensor that moves, one by one: for each real pulse, the simulated pulse that is
//! nearest to it.
//!
//! What enters: pulses of both with origin, direction and range. What leaves: errors of the range,
//! who returned where the other did not, and the fair CRPS where a real pulse has several simulated
//! ones. Pulses belong together by their numbers if the numbers fit, and else by place and
//! direction within limits. A simulated range counts from the real origin: the way between the two
//! origins along the beam is added.

use super::beam_scores::Spread;
use super::distance::quantile;
use super::histograms::CountedReturn;
use super::orientation::angles_of;
use super::{OrientationBy, Region};
use glam::DVec3;
use kiddo::{ImmutableKdTree, SquaredEuclidean};
use rayon::prelude::*;
use std::num::NonZero;
use understory_base::math;
use understory_cloud::Records;

/// Most simulated pulses that are looked at for one real pulse.
const REPEATS_MAX: usize = 32;

/// How far apart beams may be that are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchLimits {
    /// Distance of their origins.
    pub origin_m: f64,
    /// Angle between their directions.
    pub direction_deg: f64,
}

impl Default for MatchLimits {
    fn default() -> MatchLimits {
        MatchLimits { origin_m: 0.5, direction_deg: 0.25 }
    }
}

/// How beams were found to belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchedBy {
    /// By sensor and number of the pulse.
    PulseNumber,
    /// By place and direction.
    Nearest,
}

/// Errors of simulated ranges where both pulses returned.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RangeErrors {
    /// Pairs of pulses.
    pub pulses: u64,
    /// Mean of simulated minus real.
    pub bias_m: f64,
    /// Median of the absolute error.
    pub median_abs_m: f64,
    /// 95 % of the absolute errors are not above it.
    pub p95_abs_m: f64,
    /// Root of the mean square.
    pub rms_m: f64,
}

/// Comparison of single beams.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BeamMatch {
    /// How beams were found to belong together.
    pub by: MatchedBy,
    /// Real pulses.
    pub real_pulses: u64,
    /// Real pulses with a simulated one.
    pub matched: u64,
    /// Median distance of the origins of pulses that belong together.
    pub origins_apart_m: f64,
    /// Median angle between their directions.
    pub directions_apart_deg: f64,
    /// Pulses that returned in both.
    pub both_returned: u64,
    /// Pulses that returned in the real recording alone.
    pub only_real: u64,
    /// Pulses that returned in the simulated recording alone.
    pub only_simulated: u64,
    /// Pulses that returned in neither.
    pub neither: u64,
    /// Errors of ranges; `None` if no pair returned.
    pub range: Option<RangeErrors>,
    /// Fair CRPS over real pulses that have at least two simulated returns, in metres.
    pub crps_m: Option<Spread>,
}

/// Pulses as columns, one return of each.
#[derive(Clone, Debug, Default)]
pub(super) struct Pulses {
    /// Sensor in the upper 16 bits, number of the pulse below.
    number: Vec<u64>,
    origin_m: Vec<[f64; 3]>,
    direction: Vec<[f32; 3]>,
    /// NaN: no return.
    range_m: Vec<f32>,
}

impl Pulses {
    /// Takes in a batch; pulses without origin or direction, and outside the region, are left out.
    pub(super) fn add(
        &mut self,
        records: &Records,
        region: &Region,
        by: OrientationBy,
        counted: CountedReturn,
        misses: bool,
    ) {
        for i in 0..records.len() {
            let number = records.return_number[i];
            let counts = match counted {
                CountedReturn::First => number <= 1,
                CountedReturn::Last => number == records.return_count[i],
            };
            let (origin, direction) = (records.origin_xyz_m[i], records.direction_xyz[i]);
            let known =
                origin.iter().all(|v| v.is_finite()) && direction.iter().all(|v| v.is_finite());
            let range_m = if number == 0 { f32::NAN } else { records.range_m[i] };
            let rangeless = number > 0 && !range_m.is_finite();
            if !counts || !known || rangeless || (number == 0 && !misses) {
                continue;
            }
            if region.limits_beams() {
                let [azimuth, elevation] = match by {
                    OrientationBy::Direction => angles_of(direction),
                    _ => [records.azimuth_deg[i], records.elevation_deg[i]],
                };
                if !region.has_beam(azimuth, elevation) {
                    continue;
                }
            }
            if number > 0
                && region.limits_points()
                && !region.has_point(range_m, records.world_xyz_m[i])
            {
                continue;
            }
            self.number.push(u64::from(records.sensor[i]) << 48 ^ records.pulse[i]);
            self.origin_m.push(origin);
            self.direction.push(direction);
            self.range_m.push(range_m);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.number.len()
    }

    fn beam(&self, index: usize) -> (DVec3, DVec3) {
        let direction = DVec3::from(self.direction[index].map(f64::from));
        (DVec3::from(self.origin_m[index]), direction.normalize_or_zero())
    }
}

/// What one real pulse found.
struct Found {
    apart_m: f64,
    apart_deg: f64,
    real_returned: bool,
    simulated_returned: bool,
    error_m: f64,
    crps_m: Option<f64>,
}

/// Compares beams; `None` if none belong together.
pub(super) fn match_beams(
    real: &Pulses,
    simulated: &Pulses,
    limits: &MatchLimits,
) -> Option<BeamMatch> {
    let by_number = by_number(real, simulated, limits);
    let (by, found) = match by_number {
        Some(found) => (MatchedBy::PulseNumber, found),
        None => (MatchedBy::Nearest, by_place(real, simulated, limits)?),
    };
    if found.is_empty() {
        return None;
    }
    let count = |real: bool, simulated: bool| {
        let of = |f: &&Found| f.real_returned == real && f.simulated_returned == simulated;
        found.iter().filter(of).count() as u64
    };
    let median = |get: fn(&Found) -> f64| {
        let mut values: Vec<f64> = found.iter().map(get).collect();
        values.sort_by(f64::total_cmp);
        quantile(&values, 0.5)
    };
    let errors: Vec<f64> = found.iter().map(|f| f.error_m).filter(|e| e.is_finite()).collect();
    Some(BeamMatch {
        by,
        real_pulses: real.len() as u64,
        matched: found.len() as u64,
        origins_apart_m: median(|f| f.apart_m),
        directions_apart_deg: median(|f| f.apart_deg),
        both_returned: count(true, true),
        only_real: count(true, false),
        only_simulated: count(false, true),
        neither: count(false, false),
        range: range_errors(&errors),
        crps_m: Spread::of(found.iter().filter_map(|f| f.crps_m).collect()),
    })
}

fn range_errors(errors: &[f64]) -> Option<RangeErrors> {
    let absolute = Spread::of(errors.iter().map(|error| error.abs()).collect())?;
    Some(RangeErrors {
        pulses: errors.len() as u64,
        bias_m: errors.iter().sum::<f64>() / errors.len() as f64,
        median_abs_m: absolute.median,
        p95_abs_m: absolute.p95,
        rms_m: absolute.rms,
    })
}

/// Pairs by number; `None` unless most real pulses find theirs, and where they look the same way.
fn by_number(real: &Pulses, simulated: &Pulses, limits: &MatchLimits) -> Option<Vec<Found>> {
    let mut order: Vec<u32> = (0..u32::try_from(simulated.len()).ok()?).collect();
    order.par_sort_by_key(|&index| simulated.number[index as usize]);
    let numbers: Vec<u64> = order.iter().map(|&index| simulated.number[index as usize]).collect();
    let found: Vec<Found> = (0..real.len())
        .into_par_iter()
        .filter_map(|index| {
            let number = real.number[index];
            let from = numbers.partition_point(|&n| n < number);
            let same = numbers[from..].iter().take_while(|&&n| n == number).count();
            let of = order[from..from + same].iter().map(|&i| i as usize);
            compare_pulse(real, index, simulated, of, limits)
        })
        .collect();
    (2 * found.len() > real.len()).then_some(found)
}

/// Pairs by place and direction.
fn by_place(real: &Pulses, simulated: &Pulses, limits: &MatchLimits) -> Option<Vec<Found>> {
    // In units of the limits.
    let angle = 2.0 * math::sin(0.5 * limits.direction_deg.to_radians());
    let place = |pulses: &Pulses, index: usize| {
        let (origin, direction) = pulses.beam(index);
        let (o, d) = (origin / limits.origin_m, direction / angle);
        [o.x, o.y, o.z, d.x, d.y, d.z]
    };
    let places: Vec<[f64; 6]> = (0..simulated.len()).map(|i| place(simulated, i)).collect();
    if places.is_empty() {
        return None;
    }
    let tree = ImmutableKdTree::<f64, 6>::new_from_slice(&places).ok()?;
    let most = NonZero::new(REPEATS_MAX)?;
    Some(
        (0..real.len())
            .into_par_iter()
            .filter_map(|index| {
                let at = place(real, index);
                // Both limits lie within √2; the limits themselves are looked at below.
                let mut near =
                    tree.query(&at).nearest_n::<SquaredEuclidean<f64>>(most).within(2.0).execute();
                near.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.item.cmp(&b.item)));
                let of = near.iter().map(|found| found.item as usize);
                compare_pulse(real, index, simulated, of, limits)
            })
            .collect(),
    )
}

/// One real pulse with its simulated ones, of which the first within the limits is the nearest.
fn compare_pulse(
    real: &Pulses,
    index: usize,
    simulated: &Pulses,
    of: impl Iterator<Item = usize>,
    limits: &MatchLimits,
) -> Option<Found> {
    let (origin, direction) = real.beam(index);
    let range_m = f64::from(real.range_m[index]);
    let mut nearest: Option<Found> = None;
    let mut ranges = Vec::new();
    for other in of {
        let (from, along) = simulated.beam(other);
        let apart_m = from.distance(origin);
        let apart_deg = 2.0 * math::asin((0.5 * along.distance(direction)).min(1.0)).to_degrees();
        if !(apart_m <= limits.origin_m && apart_deg <= limits.direction_deg) {
            continue;
        }
        let simulated_m = f64::from(simulated.range_m[other]) + (from - origin).dot(direction);
        if simulated_m.is_finite() {
            ranges.push(simulated_m);
        }
        nearest.get_or_insert(Found {
            apart_m,
            apart_deg,
            real_returned: range_m.is_finite(),
            simulated_returned: simulated_m.is_finite(),
            error_m: simulated_m - range_m,
            crps_m: None,
        });
    }
    let mut found = nearest?;
    if range_m.is_finite() && ranges.len() > 1 {
        found.crps_m = Some(fair_crps(&mut ranges, range_m));
    }
    Some(found)
}

/// Mean |x − y| − Σ |xᵢ − xⱼ| / (2 m (m − 1)).
fn fair_crps(ranges: &mut [f64], observed: f64) -> f64 {
    ranges.sort_by(f64::total_cmp);
    let m = ranges.len() as f64;
    let apart: f64 = ranges.iter().map(|x| (x - observed).abs()).sum();
    // Over ordered pairs of sorted numbers: each is subtracted as often as others are above it.
    let pairs: f64 = ranges.iter().enumerate().map(|(i, x)| x * (2.0 * i as f64 - (m - 1.0))).sum();
    apart / m - pairs / (m * (m - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use understory_cloud::Record;

    #[test]
    fn crps_has_its_known_value() {
        let mut b = [8.20, 8.01, 8.03, 8.04];
        assert!((fair_crps(&mut b, 8.05) - 0.006_666_666_67).abs() < 1e-11);
    }

    /// A sensor that drives along a wall 10 m away; ranges too long by 3 cm in the simulation.
    fn drive(pulses: u64, first: u64, step_m: f64, longer_m: f64) -> Pulses {
        let mut records = Records::default();
        for i in 0..pulses {
            let angle = (i as f64 * 0.7).sin() * 0.5;
            let direction = [angle.cos(), angle.sin(), 0.0];
            let origin = [0.1 * step_m, i as f64 * 0.001 + step_m, 0.0];
            let range = (10.0 - origin[0]) / direction[0] + longer_m;
            let hit = i % 5 != 0 || (longer_m > 0.0 && i % 10 == 0);
            records.push(Record {
                pulse: first + i,
                return_number: u8::from(hit),
                return_count: u8::from(hit),
                range_m: if hit { range as f32 } else { f32::NAN },
                origin_xyz_m: origin,
                direction_xyz: direction.map(|d| d as f32),
                ..Record::miss()
            });
        }
        let mut kept = Pulses::default();
        kept.add(
            &records,
            &Region::default(),
            OrientationBy::Direction,
            CountedReturn::First,
            true,
        );
        kept
    }

    #[test]
    fn pulses_of_the_same_number_are_compared() {
        let (real, simulated) = (drive(5000, 7, 0.0, 0.0), drive(5000, 7, 0.0, 0.03));
        let found = match_beams(&real, &simulated, &MatchLimits::default()).unwrap();
        assert_eq!((found.by, found.matched), (MatchedBy::PulseNumber, 5000));
        assert_eq!((found.both_returned, found.only_simulated), (4000, 500));
        assert_eq!((found.only_real, found.neither), (0, 500));
        let range = found.range.unwrap();
        assert_eq!(range.pulses, 4000);
        for value in [range.bias_m, range.median_abs_m, range.rms_m, range.p95_abs_m] {
            assert!((value - 0.03).abs() < 1e-5, "{range:?}");
        }
        assert_eq!(found.crps_m, None);
    }

    /// Other numbers, and another place: the wall is a plane, so what is added to the range for the
    /// way between the origins makes it exact for beams of the same direction.
    #[test]
    fn pulses_of_other_numbers_are_found_by_place_and_direction() {
        let (real, simulated) = (drive(3000, 0, 0.0, 0.0), drive(3000, 1 << 30, 0.01, 0.03));
        let found = match_beams(&real, &simulated, &MatchLimits::default()).unwrap();
        assert_eq!((found.by, found.matched), (MatchedBy::Nearest, 3000));
        assert!(found.directions_apart_deg < 0.2 && found.origins_apart_m < 0.4, "{found:?}");
        let range = found.range.unwrap();
        // Directions differ by up to 0.25° at up to 28.6° from the normal: 3 cm at most.
        assert!((range.bias_m - 0.03).abs() < 0.004, "{range:?}");
        assert!(found.crps_m.is_some());
        let far = MatchLimits { origin_m: 1e-4, direction_deg: 1e-4 };
        assert!(match_beams(&real, &simulated, &far).is_none());
    }
}
