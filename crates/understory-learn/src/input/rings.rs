//! The rings of a spinning sensor, as a recording shows them.
//!
//! What enters: rows of a recording as [`RingRow`]. What leaves: [`Rings`]: the elevation of each ring and
//! the step of azimuth from a pulse to the next. Rings are known by their numbers, by elevations that
//! repeat, or by files that go around ring after ring.
//!
//! Beams of many sensors leave from a circle about the axis rather than from one point (the lens of a
//! Velodyne is 42 mm from it, that of an Ouster OS1 16 mm), which may lie above the origin of the sensor's
//! frame (36 mm in an Ouster's), and elevations seen from the origin waver with the range. So elevations
//! are taken from that circle, whose radius and height are those that make them sharpest.

use understory_base::math;

/// Steps are looked for up to this.
const STEP_MAX_DEG: f64 = 5.0;
/// Beams nearer than this are one pulse.
const SAME_DEG: f64 = 1e-3;
/// Neighbours that show a step agree within this part of it.
const AGREE: f64 = 0.2;
/// Share of the neighbours in rings that must agree on a step.
const AGREEING: f64 = 0.3;
/// Rings of a sensor.
const RINGS_MAX: usize = 512;
/// Fewer than these without numbers are no rings.
const RINGS_LEAST: usize = 4;
/// Elevations are counted in bins of this size.
const BIN_DEG: f64 = 0.02;
/// Rings are at least so many bins apart.
const APART_BINS: usize = 5;
/// Between two rings fewer beams lie than this share of those of the weaker one.
const VALLEY: f64 = 0.35;
/// Share of the returns that must lie near rings found by their elevations.
const ON_RINGS: f64 = 0.9;
/// A ring has at least this share of the rows.
const RING_LEAST: f64 = 1e-4;
/// Radii of the circle from which beams leave and its heights are tried up to these, in such steps, which
/// are then halved a few times.
const RADIUS_MAX_M: f64 = 0.064;
const HEIGHT_MAX_M: f64 = 0.08;
const LENS_STEP_M: f64 = 0.008;
const HALVINGS: usize = 3;
/// Rows that tell where the circle is.
const LENS_ROWS: usize = 20_000;
/// A circle is believed if it makes elevations sharper by so many nats.
const SHARPER: f64 = 0.1;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RingRow {
    /// Ring number, if rows have one.
    pub ring: usize,
    pub azimuth_deg: f64,
    pub elevation_deg: f64,
    /// Range; NaN: not known.
    pub range_m: f64,
}

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

/// The circle from which beams leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lens {
    pub radius_m: f64,
    /// Above the origin of the sensor's frame.
    pub height_m: f64,
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

impl RingRow {
    /// Elevation seen from the circle.
    fn elevation_from(&self, lens: Lens) -> f64 {
        if lens == Lens::default() || !self.range_m.is_finite() {
            return self.elevation_deg;
        }
        let (sin, cos) = math::sin_cos(self.elevation_deg.to_radians());
        let [flat, up] = [self.range_m * cos - lens.radius_m, self.range_m * sin - lens.height_m];
        math::atan2(up, flat).to_degrees()
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

/// Elevations that repeat, and the circle from which beams leave.
fn rings_by_elevation(rows: &[RingRow]) -> Option<(Vec<f64>, Lens)> {
    let lens = lens(rows);
    let counts = histogram(rows.iter(), lens);
    let rings = peaks(&smoothed(&counts), rows.len());
    let on: f64 = rings.iter().map(|ring| ring.near).sum();
    let is_most = on >= ON_RINGS * rows.len() as f64;
    let fits = is_most && (RINGS_LEAST..=RINGS_MAX).contains(&rings.len());
    fits.then(|| (rings.iter().map(|ring| ring.elevation_deg).collect(), lens))
}

/// The circle that makes elevations sharpest.
fn lens(rows: &[RingRow]) -> Lens {
    let some = || rows.iter().step_by(rows.len().div_ceil(LENS_ROWS).max(1));
    let blur = |lens: Lens| entropy(&histogram(some(), lens));
    let plain = blur(Lens::default());
    let (mut best, mut sharpest) = (Lens::default(), plain);
    let mut try_one = |lens: Lens, best: &mut Lens| {
        let blur = blur(lens);
        if blur < sharpest {
            (*best, sharpest) = (lens, blur);
        }
    };
    let steps = |most: f64| (most / LENS_STEP_M).round() as i32;
    for radius in 0..=steps(RADIUS_MAX_M) {
        for height in -steps(HEIGHT_MAX_M)..=steps(HEIGHT_MAX_M) {
            let [radius_m, height_m] = [radius, height].map(|k| f64::from(k) * LENS_STEP_M);
            try_one(Lens { radius_m, height_m }, &mut best);
        }
    }
    let mut step = LENS_STEP_M;
    for _ in 0..HALVINGS {
        step *= 0.5;
        let about = best;
        for (a, b) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            let radius_m = (about.radius_m + a * step).max(0.0);
            try_one(Lens { radius_m, height_m: about.height_m + b * step }, &mut best);
        }
    }
    if sharpest + SHARPER < plain { best } else { Lens::default() }
}

fn histogram<'a>(rows: impl Iterator<Item = &'a RingRow>, lens: Lens) -> Vec<f64> {
    let bins = (180.0 / BIN_DEG) as usize + 2;
    let mut counts = vec![0.0; bins];
    for row in rows {
        let at = (row.elevation_from(lens) + 90.0) / BIN_DEG;
        counts[(at.max(0.0) as usize).min(bins - 1)] += 1.0;
    }
    counts
}

fn entropy(counts: &[f64]) -> f64 {
    let all: f64 = counts.iter().sum::<f64>().max(1.0);
    counts.iter().filter(|n| **n > 0.0).map(|n| -n / all * math::ln(n / all)).sum()
}

/// Each bin with its neighbours, so that noise makes no peaks.
fn smoothed(counts: &[f64]) -> Vec<f64> {
    let at =
        |k: usize, d: isize| k.checked_add_signed(d).and_then(|k| counts.get(k)).unwrap_or(&0.0);
    (0..counts.len()).map(|k| 0.25 * at(k, -1) + 0.5 * at(k, 0) + 0.25 * at(k, 1)).collect()
}

/// A ring among elevations.
struct Peak {
    elevation_deg: f64,
    /// Beams within half of the least distance of rings from it.
    near: f64,
}

/// Tops of a histogram with valleys between them.
fn peaks(counts: &[f64], rows: usize) -> Vec<Peak> {
    let least = (RING_LEAST * rows as f64).max(3.0);
    // Tops, and the least count since the top before.
    let mut tops: Vec<usize> = Vec::new();
    let mut valley = 0.0f64;
    for (bin, count) in counts.iter().enumerate() {
        let Some(&top) = tops.last() else {
            if *count > 0.0 {
                tops.push(bin);
                valley = *count;
            }
            continue;
        };
        if *count > counts[top] && valley > VALLEY * counts[top] {
            // Still on the way up.
            *tops.last_mut().unwrap_or(&mut 0) = bin;
            valley = *count;
        } else if *count > 0.0 && valley <= VALLEY * counts[top].min(*count) {
            tops.push(bin);
            valley = *count;
        } else if *count > counts[top] {
            *tops.last_mut().unwrap_or(&mut 0) = bin;
            valley = *count;
        } else {
            valley = valley.min(*count);
        }
    }
    // Of tops that are too near to each other the higher one stays.
    let mut apart: Vec<usize> = Vec::new();
    for top in tops {
        match apart.last_mut() {
            Some(before) if top - *before < APART_BINS => {
                if counts[top] > counts[*before] {
                    *before = top;
                }
            }
            _ => apart.push(top),
        }
    }
    let half = (APART_BINS / 2) as isize;
    let around = |top: usize| {
        (-half..=half)
            .filter_map(move |d| Some((top.checked_add_signed(d)?, d)))
            .filter_map(|(k, _)| Some((k, *counts.get(k)?)))
    };
    let peak = |top: &usize| {
        let near: f64 = around(*top).map(|(_, n)| n).sum();
        let mean = around(*top).map(|(k, n)| (k as f64 + 0.5) * BIN_DEG * n).sum::<f64>() / near;
        Peak { elevation_deg: mean - 90.0, near }
    };
    apart.iter().map(peak).filter(|peak| peak.near >= least).collect()
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
