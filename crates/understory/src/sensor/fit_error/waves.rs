//! How alike the errors of neighbouring columns are, and the wave that explains it.
//!
//! The residuals in deviations of their bin are multiplied with those some columns further in the
//! same scan of the same channel. The correlation ρ_k at lag k is compared with w·R(k/P), R being
//! that of Weierstrass's function with the usual γ and H: for each period P the best share w
//! follows at once, and P is searched.

use std::collections::BTreeMap;
use understory_base::math;

use super::Point;
use super::bins::{Bins, GROUPS, jackknife};
use crate::pulse::range_error::Correlation;

/// Lags that are looked at.
const LAGS: usize = 64;
/// A wave must explain this much of Σ n·ρ² to be believed: white noise reaches 40 by chance with
/// probability below 1e−7 even at the best of some hundred independent periods.
const BELIEVED: f64 = 40.0;

/// The wave along a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaveFit {
    /// Its share of the variance.
    pub share: f64,
    /// Standard error of the share.
    pub share_error: f64,
    /// Columns per period.
    pub period_columns: f64,
    /// Standard error of the period.
    pub period_error: f64,
}

/// Column, residual in deviations, and group of a point.
type Residual = (u32, f64, usize);

/// Number and sum of products by lag.
type Products = [(f64, f64); LAGS + 1];

/// Correlation by lag, and the wave if there is one.
pub(super) fn fit(points: &[Point], bins: &Bins) -> (Vec<f64>, Option<WaveFit>) {
    let groups = products(points, bins);
    let all = total(&groups, None);
    let autocorrelation: Vec<f64> = (0..=LAGS).map(|lag| correlation(&all, lag)).collect();
    let Some((period, share, explained)) = search(&all, 2.0, 4.0 * LAGS as f64) else {
        return (autocorrelation, None);
    };
    if explained < BELIEVED || share <= 0.0 {
        return (autocorrelation, None);
    }
    let (mut shares, mut periods) = (Vec::new(), Vec::new());
    for group in (0..GROUPS).filter(|&group| groups[group][0].0 > 0.0) {
        let near = search(&total(&groups, Some(group)), 0.9 * period, 1.1 * period);
        if let Some((period, share, _)) = near {
            periods.push(period);
            shares.push(share);
        }
    }
    let wave = WaveFit {
        share,
        share_error: jackknife(&shares),
        period_columns: period,
        period_error: jackknife(&periods),
    };
    (autocorrelation, Some(wave))
}

/// How much larger the variance of a channel's mean is than without correlation; at least 1. A wave
/// stays the same from scan to scan, so that more scans do not average it away.
pub(super) fn variance_of_means(
    autocorrelation: &[f64],
    wave: Option<&WaveFit>,
    scans: usize,
) -> f64 {
    let (mut sum, mut most) = (1.0, 1.0f64);
    for rho in autocorrelation.iter().skip(1) {
        sum += 2.0 * rho;
        most = most.max(sum);
    }
    let share = wave.map_or(0.0, |wave| wave.share);
    most * (1.0 - share + share * scans as f64)
}

fn products(points: &[Point], bins: &Bins) -> Vec<Products> {
    let mut groups = vec![[(0.0, 0.0); LAGS + 1]; GROUPS];
    let mut runs: BTreeMap<(usize, u32, u16), Vec<Residual>> = BTreeMap::new();
    for point in points {
        if let Some(value) = bins.normalised(point) {
            let run = runs.entry((point.plane, point.scan, point.channel)).or_default();
            run.push((point.column, value, bins.group(point)));
        }
    }
    for run in runs.values_mut() {
        run.sort_by_key(|(column, ..)| *column);
        for (first, &(column, value, group)) in run.iter().enumerate() {
            for &(other, other_value, _) in &run[first..] {
                let lag = (other - column) as usize;
                if lag > LAGS {
                    break;
                }
                groups[group][lag].0 += 1.0;
                groups[group][lag].1 += value * other_value;
            }
        }
    }
    groups
}

fn total(groups: &[Products], left_out: Option<usize>) -> Products {
    let mut sum = [(0.0, 0.0); LAGS + 1];
    for (_, group) in groups.iter().enumerate().filter(|(group, _)| Some(*group) != left_out) {
        for (sum, own) in sum.iter_mut().zip(group) {
            *sum = (sum.0 + own.0, sum.1 + own.1);
        }
    }
    sum
}

fn correlation(products: &Products, lag: usize) -> f64 {
    let mean = |(n, sum): (f64, f64)| if n > 0.0 { sum / n } else { 0.0 };
    let variance = mean(products[0]);
    if variance > 0.0 { mean(products[lag]) / variance } else { 0.0 }
}

/// The best period between two, its share, and how much of Σ n·ρ² it explains.
fn search(products: &Products, low: f64, high: f64) -> Option<(f64, f64, f64)> {
    let judge = |period: f64| {
        let wave = Correlation { period_columns: period, ..Correlation::default() };
        let (mut cross, mut square) = (0.0, 0.0);
        for lag in 1..=LAGS {
            let expected = wave.autocorrelation(lag as f64 / period);
            cross += products[lag].0 * expected * correlation(products, lag);
            square += products[lag].0 * expected * expected;
        }
        let share = if square > 0.0 { (cross / square).clamp(0.0, 1.0) } else { 0.0 };
        (share, 2.0 * share * cross - share * share * square)
    };
    let grid = 1200;
    let at = |step: f64| low * math::powf(high / low, step / f64::from(grid));
    let best = (0..=grid)
        .max_by(|&a, &b| judge(at(f64::from(a))).1.total_cmp(&judge(at(f64::from(b))).1))?;
    // By thirds within the neighbours of the best.
    let (mut left, mut right) = (f64::from(best) - 1.0, f64::from(best) + 1.0);
    for _ in 0..60 {
        let (a, b) = (left + (right - left) / 3.0, right - (right - left) / 3.0);
        if judge(at(a)).1 < judge(at(b)).1 { left = a } else { right = b }
    }
    let period = at(0.5 * (left + right));
    let (share, explained) = judge(period);
    Some((period, share, explained))
}
