//! Elevations that repeat: the rings of a spinning sensor whose rows have no ring numbers.
//!
//! What enters: rows of a recording. What leaves: the elevation of each ring, and the circle from which the
//! beams leave ([`Lens`]). Beams of many sensors leave from a circle about the axis rather than from one
//! point (the lens of a Velodyne is 42 mm from it, that of an Ouster OS1 16 mm), which may lie above the
//! origin of the sensor's frame (36 mm in an Ouster's), and elevations seen from the origin waver with the
//! range. So elevations are taken from that circle, whose radius and height are those that make them
//! sharpest: their histogram has the least entropy.

use understory_base::math;

/// Rings of a sensor.
pub(super) const RINGS_MAX: usize = 512;
/// Fewer than these without numbers are no rings.
pub(super) const RINGS_LEAST: usize = 4;
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

/// The circle from which beams leave.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Lens {
    pub radius_m: f64,
    /// Above the origin of the sensor's frame.
    pub height_m: f64,
}

impl RingRow {
    /// Elevation seen from the circle.
    pub fn elevation_from(&self, lens: Lens) -> f64 {
        if lens == Lens::default() || !self.range_m.is_finite() {
            return self.elevation_deg;
        }
        let (sin, cos) = math::sin_cos(self.elevation_deg.to_radians());
        let [flat, up] = [self.range_m * cos - lens.radius_m, self.range_m * sin - lens.height_m];
        math::atan2(up, flat).to_degrees()
    }
}

/// Elevations that repeat, and the circle from which beams leave.
pub(super) fn rings_by_elevation(rows: &[RingRow]) -> Option<(Vec<f64>, Lens)> {
    let lens = lens(rows);
    let counts = histogram(rows.iter(), lens);
    let rings = peaks(&smoothed(&counts), rows.len());
    let on: f64 = rings.iter().map(|ring| ring.near).sum();
    let is_most = on >= ON_RINGS * rows.len() as f64;
    let fits = is_most && (RINGS_LEAST..=RINGS_MAX).contains(&rings.len());
    fits.then(|| (rings.iter().map(|ring| ring.elevation_deg).collect(), lens))
}

/// The circle that makes elevations sharpest.
pub(super) fn lens(rows: &[RingRow]) -> Lens {
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
