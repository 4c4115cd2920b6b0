//! The rings of a spinning sensor, as a recording shows them.
//!
//! What enters: rows of a recording as [`RingRow`]. What leaves: [`Rings`]: the elevation of each ring and
//! the step of azimuth from a pulse to the next. Rings are known by their numbers, by elevations that
//! repeat, or by files that go around ring after ring.

use super::ring_elevations::{Lens, RINGS_LEAST, RINGS_MAX, RingRow, lens, rings_by_elevation};

/// Steps are looked for up to this.
const STEP_MAX_DEG: f64 = 5.0;
/// Beams nearer than this are one pulse.
const SAME_DEG: f64 = 1e-3;
/// Neighbours that show a step agree within this part of it.
const AGREE: f64 = 0.2;
/// Share of the neighbours in rings that must agree on a step.
const AGREEING: f64 = 0.3;

/// The rings of a sensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rings {
    /// Azimuth from a pulse of a ring to the next.
    pub step_deg: f64,
    /// Mean elevation of each ring; NaN: never seen.
    pub elevations_deg: Vec<f64>,
    pub lens: Lens,
    by: RingBy,
}

/// How the ring of a row is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RingBy {
    Number,
    Elevation,
    /// Rows go around ring after ring.
    Order,
}

impl Rings {
    /// By rows of a recording, the first `one_scan` of them one scan, with numbers of rings if those are
    /// known; `None` where it has none.
    pub fn find(rows: &[RingRow], one_scan: usize, numbered: bool) -> Option<Rings> {
        let first = rows.get(..one_scan).unwrap_or(rows);
        let found = if numbered { None } else { rings_by_elevation(rows) };
        let by = match (numbered, &found) {
            (true, _) => RingBy::Number,
            (false, Some(_)) => RingBy::Elevation,
            (false, None) => RingBy::Order,
        };
        let (elevations_deg, lens) = match found {
            Some(found) => found,
            None if numbered => (Vec::new(), lens(rows)),
            None => Default::default(),
        };
        let mut rings = Rings { step_deg: 0.0, elevations_deg, lens, by };
        let mut of_ring: Vec<(f64, f64)> = Vec::new();
        let mut azimuths: Vec<Vec<f64>> = Vec::new();
        let mut order = RingOrder::default();
        for row in first {
            let ring = rings.ring(row, &mut order)?;
            if ring >= RINGS_MAX {
                return None;
            }
            if ring >= of_ring.len() {
                of_ring.resize(ring + 1, (0.0, 0.0));
                azimuths.resize(ring + 1, Vec::new());
            }
            of_ring[ring].0 += row.elevation_from(rings.lens);
            of_ring[ring].1 += 1.0;
            azimuths[ring].push(row.azimuth_deg);
        }
        if by == RingBy::Order && (of_ring.len() < RINGS_LEAST || !goes_around(first)) {
            return None;
        }
        if by != RingBy::Elevation {
            let mean =
                |(sum, count): &(f64, f64)| if *count > 0.0 { sum / count } else { f64::NAN };
            rings.elevations_deg = of_ring.iter().map(mean).collect();
        }
        rings.step_deg = step(&mut azimuths)?;
        Some(rings)
    }

    /// The ring of a row; `None` where it is on none.
    pub fn ring(&self, row: &RingRow, order: &mut RingOrder) -> Option<usize> {
        match self.by {
            RingBy::Number => Some(row.ring),
            RingBy::Elevation => {
                let elevation = row.elevation_from(self.lens);
                let at = self.elevations_deg.partition_point(|e| *e < elevation);
                let near = [at.checked_sub(1), Some(at)].into_iter().flatten();
                near.filter(|ring| *ring < self.elevations_deg.len()).min_by(|a, b| {
                    let far = |ring: usize| (self.elevations_deg[ring] - elevation).abs();
                    far(*a).total_cmp(&far(*b))
                })
            }
            RingBy::Order => Some(order.next(row.azimuth_deg)),
        }
    }

    /// How many pulses a ring fires in a revolution.
    pub fn pulses(&self) -> usize {
        (360.0 / self.step_deg).round().max(1.0) as usize
    }
}

/// Counts rings by the turns of a file's azimuths: a new one begins where azimuths come past that of the
/// first row again.
#[derive(Clone, Debug, Default)]
pub(super) struct RingOrder {
    first_deg: Option<f64>,
    /// Azimuth of the last row from the first, from 0 to 360.
    last_deg: f64,
    turned_deg: f64,
    ring: usize,
}

impl RingOrder {
    /// The turn of a row.
    pub fn next(&mut self, azimuth_deg: f64) -> usize {
        let first = *self.first_deg.get_or_insert(azimuth_deg);
        let at = (azimuth_deg - first).rem_euclid(360.0);
        let step = at - self.last_deg;
        self.turned_deg += (step + 180.0).rem_euclid(360.0) - 180.0;
        if self.turned_deg.abs() > 180.0 && step.abs() > 180.0 {
            self.turned_deg = 0.0;
            self.ring += 1;
        }
        self.last_deg = at;
        self.ring
    }
}

/// Whether rows follow each other by small steps in one sense, as in files that are written ring by ring.
fn goes_around(rows: &[RingRow]) -> bool {
    let mut ways = [0u32; 2];
    for pair in rows.windows(2) {
        let step = (pair[1].azimuth_deg - pair[0].azimuth_deg + 180.0).rem_euclid(360.0) - 180.0;
        if step.abs() < STEP_MAX_DEG {
            ways[usize::from(step > 0.0)] += 1;
        }
    }
    f64::from(ways[0].max(ways[1])) > 0.9 * rows.len().saturating_sub(1) as f64
}

/// The step that most neighbours in rings are apart by.
fn step(azimuths: &mut [Vec<f64>]) -> Option<f64> {
    let mut apart = Vec::new();
    for ring in azimuths.iter_mut() {
        ring.sort_by(f64::total_cmp);
        apart.extend(
            ring.windows(2)
                .map(|pair| pair[1] - pair[0])
                .filter(|step| (SAME_DEG..STEP_MAX_DEG).contains(step)),
        );
    }
    if apart.len() < 100 {
        return None;
    }
    apart.sort_by(f64::total_cmp);
    // The densest stretch of a fixed proportion.
    let (mut best, mut to) = ((0, 0), 0);
    for from in 0..apart.len() {
        while to < apart.len() && apart[to] < apart[from] * (1.0 + AGREE) {
            to += 1;
        }
        if to - from > best.1 - best.0 {
            best = (from, to);
        }
    }
    let agreeing = &apart[best.0..best.1];
    if (agreeing.len() as f64) < AGREEING * apart.len() as f64 {
        return None;
    }
    let rough = agreeing.iter().sum::<f64>() / agreeing.len() as f64;
    // Longer gaps of so many steps tell it better, once a step is known well enough to count them.
    let mut step = rough;
    for most in [3.0, 10.0, 30.0] {
        let (mut sum, mut steps) = (0.0, 0.0);
        for gap in &apart {
            let n = (gap / step).round();
            if (1.0..=most).contains(&n) && (gap / step - n).abs() < 0.3 {
                sum += gap;
                steps += n;
            }
        }
        if steps > 0.0 {
            step = sum / steps;
        }
    }
    Some(step)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Rows of 16 rings of 900 pulses, of which a wedge and every seventh return nothing; and those that
    /// do not.
    pub fn rows(radius_m: f64) -> (Vec<RingRow>, usize) {
        let (mut rows, mut missing) = (Vec::new(), 0);
        for column in 0..900usize {
            for ring in 0..16usize {
                let azimuth = column as f64 * 0.4;
                if is_missing(column, ring) {
                    missing += 1;
                } else {
                    let jitter = ((column * 31 + ring * 17) % 11) as f64 * 0.002;
                    let range_m = 2.0 + ((column * 7 + ring * 5) % 23) as f64;
                    let (sin, cos) = (ring as f64 * 0.4 - 3.0).to_radians().sin_cos();
                    let [flat, up] = [radius_m + range_m * cos, range_m * sin];
                    rows.push(RingRow {
                        ring,
                        azimuth_deg: azimuth + jitter,
                        elevation_deg: up.atan2(flat).to_degrees(),
                        range_m: flat.hypot(up),
                    });
                }
            }
        }
        (rows, missing)
    }

    pub fn is_missing(column: usize, ring: usize) -> bool {
        let wedge = ring > 8 && (100.0..130.0).contains(&(column as f64 * 0.4));
        wedge || (column + 3 * ring).is_multiple_of(7)
    }

    /// Elevations are sharp only from the circle that the beams leave from.
    #[test]
    fn rings_are_found_by_numbers_and_by_elevations() {
        for (radius_m, numbered) in [(0.0, true), (0.0, false), (0.04, false)] {
            let (rows, _) = rows(radius_m);
            let rings = Rings::find(&rows, rows.len(), numbered).unwrap();
            assert!((rings.step_deg - 0.4).abs() < 0.002, "{}", rings.step_deg);
            assert_eq!(rings.elevations_deg.len(), 16, "{radius_m}: {rings:?}");
            assert_eq!(rings.pulses(), 900);
            let mut order = RingOrder::default();
            let right = rows.iter().filter(|row| rings.ring(row, &mut order) == Some(row.ring));
            assert_eq!(right.count(), rows.len(), "{radius_m} {numbered}");
            for (ring, elevation) in rings.elevations_deg.iter().enumerate() {
                assert!((elevation - (ring as f64 * 0.4 - 3.0)).abs() < 0.03, "{rings:?}");
            }
        }
    }

    /// KITTI's order: ring after ring, elevations that waver.
    #[test]
    fn files_that_go_around_ring_after_ring_show_them() {
        let (mut rows, _) = rows(0.0);
        rows.iter_mut().for_each(|row| {
            row.elevation_deg = row.ring as f64 * 0.4 + 0.3 * (row.azimuth_deg * 0.1).sin();
        });
        rows.sort_by(|a, b| a.ring.cmp(&b.ring).then(a.azimuth_deg.total_cmp(&b.azimuth_deg)));
        let rings = Rings::find(&rows, rows.len(), false).unwrap();
        assert_eq!((rings.by, rings.elevations_deg.len()), (RingBy::Order, 16));
    }

    #[test]
    fn what_is_no_ring_is_refused() {
        let scattered: Vec<RingRow> = (0..5000u32)
            .map(|k| {
                let mixed = k.wrapping_mul(2_654_435_761) >> 8;
                RingRow {
                    ring: 0,
                    azimuth_deg: f64::from(mixed % 3600) * 0.1,
                    elevation_deg: f64::from(mixed / 3600 % 900) * 0.1 - 45.0,
                    range_m: 10.0,
                }
            })
            .collect();
        assert!(Rings::find(&scattered, scattered.len(), false).is_none());
        assert!(Rings::find(&[], 0, true).is_none());
    }
}
