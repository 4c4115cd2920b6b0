//! Pulses without a return in the gaps of a spinning sensor's rings.
//!
//! A ring fires at equal steps of azimuth. What enters: the azimuths, and times if those are known, of the
//! returns of each ring in one scan. What leaves: the directions of the pulses that fit between them, and
//! never more than the ring can fire in a revolution: a gap of n steps hides n − 1 pulses.
//!
//! Not every gap is of pulses that were fired. Azimuths in which no ring returned anything over 20° count
//! as not scanned; and where all rings end and begin again at one and the same place, data were lost, a
//! packet as a rule, for what stands in the world ends at another place for each ring. Lasers that look
//! aside fire at one time in different azimuths, so with times that place is one of time: of the azimuth
//! that the sensor then had.

use glam::DVec3;
use understory_base::math;

use super::angles::{unit_of, wrap_deg};
use super::rings::Rings;

/// Directions without a return in any ring over a larger angle are not scanned.
const BLIND_DEG: f64 = 20.0;
/// Rings that return up to so many steps from a gap end there.
const EDGE_STEPS: f64 = 1.6;
/// Fewer rings show no loss.
const RINGS_LEAST: usize = 4;
/// A loss is so many steps at least, and ends the returns of this share of the rings.
const LOST_STEPS: f64 = 3.0;
const LOST_SHARE: f64 = 0.5;
/// Times are of no use if azimuths are farther than this many steps from an even turn.
const UNEVEN_STEPS: f64 = 3.0;

/// Azimuth and time (NaN: not known) of a return.
pub(super) type Fired = [f64; 2];

/// What the returns of one scan show: where each ring looks when the sensor looks to 0, and what was not
/// scanned or got lost. Of each gap the beginning and the end, which may be beyond 360.
pub(super) struct ScanGaps {
    aside_deg: Vec<f64>,
    /// Azimuths of beams.
    blind: Vec<[f64; 2]>,
    /// Azimuths of the sensor.
    not_fired: Vec<[f64; 2]>,
    /// Gaps by loss of data.
    pub lost: u64,
}

impl ScanGaps {
    /// Of the returns of each ring.
    pub fn find(of_ring: &[Vec<Fired>], step_deg: f64) -> ScanGaps {
        let aside_deg = aside(of_ring, step_deg).unwrap_or_else(|| vec![0.0; of_ring.len()]);
        let straight = vec![0.0; of_ring.len()];
        let is_blind = |&(_, [from, to]): &(usize, [f64; 2])| to - from > BLIND_DEG;
        let blind =
            gaps(&turned(of_ring, &straight)).filter(is_blind).map(|(_, gap)| gap).collect();
        let all = turned(of_ring, &aside_deg);
        let mut found = ScanGaps { aside_deg, blind, not_fired: Vec::new(), lost: 0 };
        let rings = of_ring.iter().filter(|fired| !fired.is_empty()).count();
        for (k, [from, to]) in gaps(&all) {
            let next = (k + 1) % all.len();
            if to - from > BLIND_DEG {
                found.not_fired.push([from, to]);
            } else if to - from >= LOST_STEPS * step_deg && rings >= RINGS_LEAST {
                let reach = EDGE_STEPS * step_deg;
                let ends = [(k, -1), (next, 1)].map(|(at, way)| rings_near(&all, at, way, reach));
                if ends.iter().all(|n| *n as f64 >= LOST_SHARE * rings as f64) {
                    found.not_fired.push([from, to]);
                    found.lost += 1;
                }
            }
        }
        found
    }

    /// Whether a ring fired where it looks to this azimuth.
    fn fired(&self, ring: usize, azimuth_deg: f64) -> bool {
        let is_in = |gaps: &[[f64; 2]], azimuth_deg: f64| {
            let at = azimuth_deg.rem_euclid(360.0);
            gaps.iter().any(|[from, to]| (*from < at && at < *to) || at + 360.0 < *to)
        };
        !is_in(&self.blind, azimuth_deg)
            && !is_in(&self.not_fired, azimuth_deg - self.aside_deg[ring])
    }

    /// The directions that fit into the gaps of one ring.
    pub fn misses(
        &self,
        rings: &Rings,
        ring: usize,
        fired: &[Fired],
        mut miss: impl FnMut(f64, DVec3),
    ) {
        let step_deg = rings.step_deg;
        let mut azimuths: Vec<f64> = fired.iter().map(|[a, _]| a.rem_euclid(360.0)).collect();
        azimuths.sort_by(f64::total_cmp);
        azimuths.dedup_by(|a, b| *a - *b < 0.3 * step_deg);
        let elevation = rings.elevations_deg.get(ring).copied().unwrap_or(f64::NAN);
        let (Some(first), true) = (azimuths.first().copied(), elevation.is_finite()) else {
            return;
        };
        let mut room = rings.pulses().saturating_sub(azimuths.len());
        let ends = azimuths[1..].iter().copied().chain([first + 360.0]);
        for (from, to) in azimuths.iter().zip(ends) {
            let steps = ((to - from) / step_deg).round();
            for k in 1..(steps as usize).min(rings.pulses()) {
                let azimuth = (from + (to - from) * k as f64 / steps).rem_euclid(360.0);
                if room == 0 {
                    return;
                }
                if self.fired(ring, azimuth) {
                    miss(azimuth, unit_of(azimuth, elevation));
                    room -= 1;
                }
            }
        }
    }
}

/// All returns by the azimuth of the sensor, with their ring.
fn turned(of_ring: &[Vec<Fired>], aside_deg: &[f64]) -> Vec<(f64, usize)> {
    let mut all: Vec<(f64, usize)> = Vec::new();
    for (ring, (fired, aside)) in of_ring.iter().zip(aside_deg).enumerate() {
        all.extend(fired.iter().map(|[a, _]| ((a - aside).rem_euclid(360.0), ring)));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all
}

/// From each to the next.
fn gaps(all: &[(f64, usize)]) -> impl Iterator<Item = (usize, [f64; 2])> {
    let after = |k: usize| match all.get(k + 1) {
        Some(next) => next.0,
        None => all[0].0 + 360.0,
    };
    all.iter().enumerate().map(move |(k, (from, _))| (k, [*from, after(k)]))
}

/// Different rings among the returns up to `reach` from one of them, on one side.
fn rings_near(all: &[(f64, usize)], at: usize, way: isize, reach: f64) -> usize {
    let mut seen = Vec::new();
    for k in 0..all.len() {
        let index = (at as isize + way * k as isize).rem_euclid(all.len() as isize) as usize;
        if wrap_deg(all[index].0 - all[at].0).abs() > reach {
            break;
        }
        if !seen.contains(&all[index].1) {
            seen.push(all[index].1);
        }
    }
    seen.len()
}

/// How far each ring looks aside from where the sensor does, by the times of its returns: azimuths less an
/// even turn. `None` without times, or where azimuths do not turn evenly with them.
fn aside(of_ring: &[Vec<Fired>], step_deg: f64) -> Option<Vec<f64>> {
    // Degrees a second, by neighbours in a ring.
    let mut rates = Vec::new();
    let mut start_s = f64::INFINITY;
    for fired in of_ring {
        for pair in fired.windows(2) {
            let ([a, s], [b, t]) = (pair[0], pair[1]);
            let turned = wrap_deg(b - a);
            if t > s && turned != 0.0 && turned.abs() < 10.0 * step_deg {
                rates.push(turned / (t - s));
            }
        }
        start_s = fired.iter().map(|[_, s]| *s).filter(|s| s.is_finite()).fold(start_s, f64::min);
    }
    if rates.len() < 100 {
        return None;
    }
    let middle = rates.len() / 2;
    let mut rate = *rates.select_nth_unstable_by(middle, f64::total_cmp).1;
    // A rate by neighbours is a little wrong, which adds up over the scan: from a part of it to the whole.
    let mut aside = vec![0.0; of_ring.len()];
    for span_deg in [10.0, 60.0, 360.0] {
        let (mut slope, mut weight) = (0.0, 0.0);
        for (ring, fired) in of_ring.iter().enumerate() {
            let part: Vec<(f64, f64)> = fired
                .iter()
                .map(|[a, s]| (s - start_s, a - rate * (s - start_s)))
                .filter(|(s, _)| s.is_finite() && (s * rate).abs() <= span_deg)
                .collect();
            let [mut sin, mut cos] = [0.0; 2];
            for (_, off) in &part {
                sin += math::sin(off.to_radians());
                cos += math::cos(off.to_radians());
            }
            if part.is_empty() {
                continue;
            }
            aside[ring] = math::atan2(sin, cos).to_degrees();
            let n = part.len() as f64;
            let mean = part.iter().map(|(s, _)| s).sum::<f64>() / n;
            for (s, off) in &part {
                slope += (s - mean) * wrap_deg(off - aside[ring]);
                weight += (s - mean) * (s - mean);
            }
        }
        if weight > 0.0 {
            rate += slope / weight;
        }
    }
    let mut off: Vec<f64> = of_ring
        .iter()
        .zip(&aside)
        .flat_map(|(fired, aside)| {
            fired.iter().map(move |[a, s]| wrap_deg(a - rate * (s - start_s) - aside).abs())
        })
        .filter(|off| off.is_finite())
        .collect();
    // Never the length itself: 9/10 of it is less.
    let nine_tenths = off.len() * 9 / 10;
    if off.is_empty() {
        return None;
    }
    let far = *off.select_nth_unstable_by(nine_tenths, f64::total_cmp).1;
    (far < UNEVEN_STEPS * step_deg).then_some(aside)
}

#[cfg(test)]
mod tests {
    use super::super::rings::tests::{is_missing, rows};
    use super::super::rings::{RingOrder, Rings};
    use super::*;

    fn gathered(rings: &Rings, numbered: bool) -> Vec<Vec<Fired>> {
        let (rows, _) = rows(0.0);
        let mut of_ring = vec![Vec::new(); rings.elevations_deg.len()];
        let mut order = RingOrder::default();
        for row in rows {
            let ring = rings.ring(&row, &mut order).unwrap();
            assert!(!numbered || ring == row.ring);
            of_ring[ring].push([row.azimuth_deg, f64::NAN]);
        }
        of_ring
    }

    fn recovered(rings: &Rings, of_ring: &[Vec<Fired>]) -> (Vec<(usize, f64)>, u64) {
        let gaps = ScanGaps::find(of_ring, rings.step_deg);
        let mut found = Vec::new();
        for (ring, fired) in of_ring.iter().enumerate() {
            gaps.misses(rings, ring, fired, |azimuth, _| found.push((ring, azimuth)));
        }
        (found, gaps.lost)
    }

    fn column(azimuth: f64) -> usize {
        (azimuth / 0.4).round() as usize % 900
    }

    /// Each miss is found once, at its place, and nothing else; by numbers of rings and by elevations.
    #[test]
    fn gaps_of_rings_are_their_misses() {
        let (rows, missing) = rows(0.0);
        for numbered in [true, false] {
            let rings = Rings::find(&rows, rows.len(), numbered).unwrap();
            let (found, lost) = recovered(&rings, &gathered(&rings, numbered));
            assert_eq!(lost, 0);
            assert!(found.len().abs_diff(missing) <= missing / 200, "{} {missing}", found.len());
            let right = found.iter().filter(|(ring, azimuth)| is_missing(column(*azimuth), *ring));
            let right = right.count();
            assert!(right as f64 > 0.99 * found.len() as f64, "{right} of {}", found.len());
        }
    }

    /// A packet of twelve columns that got lost brings no misses, whether lasers look aside or not; those
    /// elsewhere are still found.
    #[test]
    fn lost_packets_are_no_misses() {
        let lost = 300..312usize;
        for aside in [0.0, 4.2] {
            let (all, _) = rows(0.0);
            let (mut of_ring, mut rows) = (vec![Vec::new(); 16], Vec::new());
            for mut row in all {
                let at = column(row.azimuth_deg);
                if !lost.contains(&at) {
                    let look = if row.ring.is_multiple_of(3) { aside } else { -aside };
                    row.azimuth_deg = (row.azimuth_deg + look).rem_euclid(360.0);
                    of_ring[row.ring].push([row.azimuth_deg, 1e-4 * at as f64]);
                    rows.push(row);
                }
            }
            let rings = Rings::find(&rows, rows.len(), true).unwrap();
            let (found, gaps) = recovered(&rings, &of_ring);
            assert_eq!(gaps, 1, "{aside}");
            let in_gap = |(ring, azimuth): &&(usize, f64)| {
                let look = if ring.is_multiple_of(3) { aside } else { -aside };
                lost.contains(&column((azimuth - look).rem_euclid(360.0)))
            };
            assert!(found.iter().filter(in_gap).count() <= 4, "{aside}");
            let missing = (0..900)
                .filter(|at| !lost.contains(at))
                .map(|at| (0..16).filter(|ring| is_missing(at, *ring)).count())
                .sum::<usize>();
            assert!(found.len().abs_diff(missing) <= missing / 100, "{} {missing}", found.len());
        }
    }

    /// A ring never gets more pulses than it fires.
    #[test]
    fn no_ring_gets_more_than_it_fires() {
        let (all, _) = rows(0.0);
        let rings = Rings::find(&all, all.len(), true).unwrap();
        // Jitter that would make room for more.
        let fired: Vec<Fired> =
            (0..899).map(|k| [k as f64 * 0.4 + 0.19 * (k % 2) as f64, 0.0]).collect();
        let gaps = ScanGaps::find(std::slice::from_ref(&fired), rings.step_deg);
        let mut found = 0;
        gaps.misses(&rings, 0, &fired, |_, _| found += 1);
        assert!(found <= rings.pulses() - fired.len(), "{found}");
    }
}
