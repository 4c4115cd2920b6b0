//! Pulses without a return in the gaps of a spinning sensor's rings.
//!
//! A ring fires at equal steps of azimuth. What enters: the azimuths of the returns of each ring in
//! one scan. What leaves: the directions of the pulses that fit between them, and never more than the
//! ring can fire in a revolution. The step is the one that most neighbours in a ring are apart by, and
//! a gap of n steps hides n − 1 pulses. Rings are known by their numbers, by elevations that repeat, or
//! by files that go around ring after ring.

use glam::DVec3;

use super::angles::unit_of;

/// Beams nearer than this are one pulse.
const SAME_DEG: f64 = 1e-3;
/// Steps are looked for up to this.
const STEP_MAX_DEG: f64 = 5.0;
/// Neighbours that show a step agree within this part of it.
const AGREE: f64 = 0.2;
/// Share of the neighbours in rings that must agree on a step.
const AGREEING: f64 = 0.3;
/// Rings of a sensor.
const RINGS_MAX: usize = 512;
/// Fewer than these without numbers are no rings.
const RINGS_LEAST: usize = 4;
/// Two rings are farther apart.
const RINGS_APART_DEG: f64 = 0.1;
/// Share of the returns that must lie on rings found by their elevations.
const ON_RINGS: f64 = 0.97;

/// The rings of a sensor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rings {
    /// Azimuth from a pulse of a ring to the next.
    pub step_deg: f64,
    /// Mean elevation of each ring; NaN: never seen.
    pub elevations_deg: Vec<f64>,
    by: RingBy,
}

/// How the ring of a row is known.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RingBy {
    Number,
    Elevation,
    /// Rows go around ring after ring.
    Order,
}

/// One row: ring number, azimuth and elevation.
pub(super) type Row = (usize, [f64; 2]);

impl Rings {
    /// By the rows of one scan, with numbers of rings if those are known; `None` where it has none.
    pub fn find(rows: &[Row], numbered: bool) -> Option<Rings> {
        let elevations = if numbered { None } else { rings_by_elevation(rows) };
        let by = match (numbered, &elevations) {
            (true, _) => RingBy::Number,
            (false, Some(_)) => RingBy::Elevation,
            (false, None) => RingBy::Order,
        };
        let mut rings = Rings { step_deg: 0.0, elevations_deg: elevations.unwrap_or_default(), by };
        let mut of_ring: Vec<(f64, f64)> = Vec::new();
        let mut azimuths: Vec<Vec<f64>> = Vec::new();
        let mut order = RingOrder::default();
        for row in rows {
            let ring = rings.ring(row, &mut order)?;
            if ring >= RINGS_MAX {
                return None;
            }
            if ring >= of_ring.len() {
                of_ring.resize(ring + 1, (0.0, 0.0));
                azimuths.resize(ring + 1, Vec::new());
            }
            of_ring[ring].0 += row.1[1];
            of_ring[ring].1 += 1.0;
            azimuths[ring].push(row.1[0]);
        }
        if by == RingBy::Order && (of_ring.len() < RINGS_LEAST || !goes_around(rows)) {
            return None;
        }
        let mean = |(sum, count): &(f64, f64)| if *count > 0.0 { sum / count } else { f64::NAN };
        rings.elevations_deg = of_ring.iter().map(mean).collect();
        rings.step_deg = step(&mut azimuths)?;
        Some(rings)
    }

    /// The ring of a row.
    pub fn ring(&self, row: &Row, order: &mut RingOrder) -> Option<usize> {
        match self.by {
            RingBy::Number => Some(row.0),
            RingBy::Elevation => {
                let at = self.elevations_deg.partition_point(|e| *e < row.1[1]);
                let near = [at.checked_sub(1), Some(at)].into_iter().flatten();
                near.filter(|ring| *ring < self.elevations_deg.len()).min_by(|a, b| {
                    let far = |ring: usize| (self.elevations_deg[ring] - row.1[1]).abs();
                    far(*a).total_cmp(&far(*b))
                })
            }
            RingBy::Order => Some(order.next(row.1[0])),
        }
    }

    /// How many pulses a ring fires in a revolution.
    pub fn pulses(&self) -> usize {
        (360.0 / self.step_deg).round().max(1.0) as usize
    }

    /// The directions that fit into the gaps of one ring of a scan; `is_blind` says what was not
    /// scanned at all.
    pub fn misses(
        &self,
        ring: usize,
        azimuths_deg: &mut Vec<f64>,
        is_blind: impl Fn(f64) -> bool,
        mut miss: impl FnMut(f64, DVec3),
    ) {
        azimuths_deg.iter_mut().for_each(|azimuth| *azimuth = azimuth.rem_euclid(360.0));
        azimuths_deg.sort_by(f64::total_cmp);
        azimuths_deg.dedup_by(|a, b| *a - *b < 0.3 * self.step_deg);
        let elevation = self.elevations_deg.get(ring).copied().unwrap_or(f64::NAN);
        let (Some(first), true) = (azimuths_deg.first().copied(), elevation.is_finite()) else {
            return;
        };
        let mut room = self.pulses().saturating_sub(azimuths_deg.len());
        let ends = azimuths_deg[1..].iter().copied().chain([first + 360.0]);
        for (from, to) in azimuths_deg.iter().zip(ends) {
            let steps = ((to - from) / self.step_deg).round();
            for k in 1..(steps as usize).min(self.pulses()) {
                let azimuth = from + (to - from) * k as f64 / steps;
                if room == 0 {
                    return;
                }
                if !is_blind(azimuth.rem_euclid(360.0)) {
                    miss(azimuth.rem_euclid(360.0), unit_of(azimuth, elevation));
                    room -= 1;
                }
            }
        }
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
    fn next(&mut self, azimuth_deg: f64) -> usize {
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
fn goes_around(rows: &[Row]) -> bool {
    let mut ways = [0u32; 2];
    for pair in rows.windows(2) {
        let step = (pair[1].1[0] - pair[0].1[0] + 180.0).rem_euclid(360.0) - 180.0;
        if step.abs() < STEP_MAX_DEG {
            ways[usize::from(step > 0.0)] += 1;
        }
    }
    f64::from(ways[0].max(ways[1])) > 0.9 * rows.len().saturating_sub(1) as f64
}

/// Elevations that repeat: peaks of a histogram with nothing between them.
fn rings_by_elevation(rows: &[Row]) -> Option<Vec<f64>> {
    const BIN_DEG: f64 = 0.02;
    let bins = (180.0 / BIN_DEG) as usize + 2;
    let mut counts = vec![0u32; bins];
    for (_, [_, elevation]) in rows {
        counts[(((elevation + 90.0) / BIN_DEG).max(0.0) as usize).min(bins - 1)] += 1;
    }
    let least = (rows.len() as u32 / 20_000).max(1);
    let (mut rings, mut on) = (Vec::<f64>::new(), 0u32);
    let (mut sum, mut weight, mut empty) = (0.0, 0u32, 0.0);
    for (bin, count) in counts.iter().enumerate() {
        if *count > least {
            sum += (bin as f64 + 0.5) * BIN_DEG * f64::from(*count);
            weight += count;
            empty = 0.0;
            continue;
        }
        empty += BIN_DEG;
        if weight > 0 && empty > 0.5 * RINGS_APART_DEG {
            if f64::from(weight) * 2000.0 > rows.len() as f64 {
                rings.push(sum / f64::from(weight) - 90.0);
                on += weight;
            }
            (sum, weight) = (0.0, 0);
        }
    }
    let is_most = f64::from(on) >= ON_RINGS * rows.len() as f64;
    (is_most && (RINGS_LEAST..=RINGS_MAX).contains(&rings.len())).then_some(rings)
}

/// The step that most neighbours in rings are apart by.
fn step(azimuths: &mut [Vec<f64>]) -> Option<f64> {
    let mut apart = Vec::new();
    for ring in azimuths {
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
    let enough = agreeing.len() as f64 >= AGREEING * apart.len() as f64;
    enough.then(|| agreeing.iter().sum::<f64>() / agreeing.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 16 rings of 900 pulses, of which a wedge and every seventh return nothing.
    fn rows() -> (Vec<Row>, usize) {
        let (mut rows, mut missing) = (Vec::new(), 0);
        for column in 0..900usize {
            for ring in 0..16usize {
                let azimuth = column as f64 * 0.4;
                let wedge = ring > 8 && (100.0..130.0).contains(&azimuth);
                if wedge || (column + 3 * ring).is_multiple_of(7) {
                    missing += 1;
                } else {
                    let jitter = ((column * 31 + ring * 17) % 11) as f64 * 0.002;
                    rows.push((ring, [azimuth + jitter, ring as f64 * 2.0 - 15.0]));
                }
            }
        }
        (rows, missing)
    }

    fn recovered(rings: &Rings, rows: &[Row]) -> Vec<(usize, f64)> {
        let mut of_ring = vec![Vec::new(); rings.elevations_deg.len()];
        let mut order = RingOrder::default();
        for row in rows {
            of_ring[rings.ring(row, &mut order).unwrap()].push(row.1[0]);
        }
        let mut found = Vec::new();
        for (ring, azimuths) in of_ring.iter_mut().enumerate() {
            rings.misses(ring, azimuths, |_| false, |azimuth, _| found.push((ring, azimuth)));
        }
        found
    }

    /// Each miss is found once, at its place, and nothing else; by numbers of rings and by elevations.
    #[test]
    fn gaps_of_rings_are_their_misses() {
        let (rows, missing) = rows();
        for numbered in [true, false] {
            let rings = Rings::find(&rows, numbered).unwrap();
            assert!((rings.step_deg - 0.4).abs() < 0.02, "{}", rings.step_deg);
            assert_eq!(rings.elevations_deg.len(), 16);
            let found = recovered(&rings, &rows);
            assert!(found.len().abs_diff(missing) <= missing / 200, "{} {missing}", found.len());
            let right = found.iter().filter(|(ring, azimuth)| {
                let column = (azimuth / 0.4).round() as usize % 900;
                let wedge = *ring > 8 && (100.0..130.0).contains(&(column as f64 * 0.4));
                wedge || (column + 3 * ring).is_multiple_of(7)
            });
            let right = right.count();
            assert!(right as f64 > 0.99 * found.len() as f64, "{right} of {}", found.len());
        }
    }

    /// KITTI's order: ring after ring, elevations that waver.
    #[test]
    fn files_that_go_around_ring_after_ring_show_them() {
        let (mut rows, _) = rows();
        rows.iter_mut().for_each(|(ring, [azimuth, elevation])| {
            *elevation = *ring as f64 * 0.4 + 0.3 * (*azimuth * 0.1).sin();
        });
        rows.sort_by(|a, b| a.0.cmp(&b.0).then(a.1[0].total_cmp(&b.1[0])));
        let rings = Rings::find(&rows, false).unwrap();
        assert_eq!((rings.by, rings.elevations_deg.len()), (RingBy::Order, 16));
    }

    #[test]
    fn what_is_no_ring_is_refused() {
        let scattered: Vec<Row> = (0..5000u32)
            .map(|k| {
                let mixed = k.wrapping_mul(2_654_435_761) >> 8;
                (0, [f64::from(mixed % 3600) * 0.1, f64::from(mixed / 3600 % 900) * 0.1 - 45.0])
            })
            .collect();
        assert!(Rings::find(&scattered, false).is_none());
        assert!(Rings::find(&[], true).is_none());
    }
}
