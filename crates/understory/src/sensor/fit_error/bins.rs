//! σ in bins of range and reflectivity, with its standard error.
//!
//! Bins of range grow by a quarter from one to the next; those of reflectivity are narrow where it
//! is low. A bin's knot is the mean of its points.

use std::collections::BTreeMap;
use understory_base::math;

use super::{FitOptions, Point};

/// Groups that are left out in turn.
pub(super) const GROUPS: usize = 16;
/// Ratio of one edge of range to the one before.
const RANGE_RATIO: f64 = 1.25;
const REFLECTIVITY_EDGES: [f64; 8] = [0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8];

/// σ of one bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SigmaCell {
    /// Which bins, for putting them in order.
    bin: (i32, usize),
    /// Mean range.
    pub range_m: f64,
    /// Mean reflectivity.
    pub reflectivity: f64,
    /// Standard deviation of a single range.
    pub sigma_m: f64,
    /// Standard error of that.
    pub error_m: f64,
    /// Points in it.
    pub points: usize,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    points: usize,
    range_m: f64,
    reflectivity: f64,
    /// Degrees of freedom and sum of squares by group.
    groups: [(f64, f64); GROUPS],
}

impl Sums {
    /// Mean square without group `left_out`.
    fn variance(&self, left_out: Option<usize>) -> f64 {
        let kept = self.groups.iter().enumerate().filter(|(group, _)| Some(*group) != left_out);
        let (n, squares) = kept.fold((0.0, 0.0), |(n, s), (_, group)| (n + group.0, s + group.1));
        if n > 0.0 { squares / n } else { 0.0 }
    }
}

/// The bins that have points enough.
pub(super) struct Bins {
    bins: BTreeMap<(i32, usize), Sums>,
    by_column: Option<u32>,
}

impl Bins {
    pub(super) fn new(points: &[Point], options: &FitOptions) -> Bins {
        let mut channels: Vec<u16> = points.iter().map(|point| point.channel).collect();
        channels.sort_unstable();
        channels.dedup();
        let columns = points.iter().map(|point| point.column).max().unwrap_or(0) + 1;
        // Channels are independent of each other, columns only when they are far apart.
        let by_column = (channels.len() < GROUPS).then_some(columns.div_ceil(GROUPS as u32).max(1));
        let mut bins = Bins { bins: BTreeMap::new(), by_column };
        for point in points {
            let group = bins.group(point);
            let sums = bins.bins.entry(bin(point)).or_default();
            sums.points += 1;
            sums.range_m += point.range_m;
            sums.reflectivity += point.reflectivity;
            sums.groups[group].0 += point.freedom;
            sums.groups[group].1 += point.residual_m.powi(2);
        }
        let most = bins.bins.values().map(|sums| sums.points).max().unwrap_or(0);
        bins.bins.retain(|_, sums| sums.points >= options.points_min.min(most));
        bins
    }

    /// Which group a point belongs to.
    pub(super) fn group(&self, point: &Point) -> usize {
        match self.by_column {
            None => usize::from(point.channel) % GROUPS,
            Some(width) => (point.column / width) as usize % GROUPS,
        }
    }

    /// The residual of a point in deviations of its bin; `None` outside of all bins.
    pub(super) fn normalised(&self, point: &Point) -> Option<f64> {
        let variance = self.bins.get(&bin(point))?.variance(None);
        (variance > 0.0).then(|| point.residual_m / variance.sqrt())
    }

    /// The cells, by range and then by reflectivity.
    pub(super) fn cells(&self, options: &FitOptions) -> Vec<SigmaCell> {
        let quantum_variance = options.range_quantum_m.powi(2) / 12.0;
        let cells = self.bins.iter().map(|(&bin, sums)| {
            let n = sums.points as f64;
            let sigma_m = (sums.variance(None) - quantum_variance).max(0.0).sqrt();
            let filled: Vec<usize> =
                (0..GROUPS).filter(|&group| sums.groups[group].0 > 0.0).collect();
            let without: Vec<f64> =
                filled.iter().map(|&group| sums.variance(Some(group))).collect();
            SigmaCell {
                bin,
                range_m: sums.range_m / n,
                reflectivity: sums.reflectivity / n,
                sigma_m,
                error_m: jackknife(&without) / (2.0 * sigma_m.max(1e-9)),
                points: sums.points,
            }
        });
        cells.collect()
    }
}

/// Standard error from estimates that each leave out one group.
pub(super) fn jackknife(without: &[f64]) -> f64 {
    let n = without.len() as f64;
    let mean = without.iter().sum::<f64>() / n;
    ((n - 1.0) / n * without.iter().map(|x| (x - mean).powi(2)).sum::<f64>()).sqrt()
}

fn bin(point: &Point) -> (i32, usize) {
    let range = (math::ln(point.range_m) / math::ln(RANGE_RATIO)).floor() as i32;
    (range, REFLECTIVITY_EDGES.partition_point(|edge| *edge <= point.reflectivity))
}

/// Knots of range, knots of reflectivity, and σ by range and then by reflectivity. A bin without
/// points has the σ of the nearest reflectivity at its range.
pub(super) fn rectangle(cells: &[SigmaCell]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut rows: BTreeMap<i32, Vec<&SigmaCell>> = BTreeMap::new();
    let mut columns: BTreeMap<usize, Vec<&SigmaCell>> = BTreeMap::new();
    for cell in cells {
        rows.entry(cell.bin.0).or_default().push(cell);
        columns.entry(cell.bin.1).or_default().push(cell);
    }
    let mean = |cells: &[&SigmaCell], value: fn(&SigmaCell) -> f64| {
        let points: f64 = cells.iter().map(|cell| cell.points as f64).sum();
        cells.iter().map(|cell| cell.points as f64 * value(cell)).sum::<f64>() / points
    };
    let ranges = rows.values().map(|row| mean(row, |cell| cell.range_m)).collect();
    let reflectivities = columns.values().map(|c| mean(c, |cell| cell.reflectivity)).collect();
    let mut sigmas = Vec::with_capacity(rows.len() * columns.len());
    for row in rows.values() {
        for column in columns.keys() {
            let nearest = row.iter().min_by_key(|cell| cell.bin.1.abs_diff(*column));
            sigmas.push(nearest.map_or(0.0, |cell| cell.sigma_m));
        }
    }
    (ranges, reflectivities, sigmas)
}
