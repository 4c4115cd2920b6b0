//! What can be measured of errors along lines of points: σ, correlation, kurtosis, and how they are
//! drawn.
//!
//! A line is the points of one channel in one scan, a row of neighbouring columns. Errors within a line
//! are correlated, lines are independent: each figure is a ratio of sums over lines, and its standard
//! error comes from how lines differ.

use super::Limit;
use super::bayraktaroglu_board::{BoardPoint, QUANTUM_CM, by_channel};
use super::sensor_scan::{Mean, STANDARD_ERRORS, by_chance};
use understory_base::math;
use understory_view::figures::{Figure, Panel, Series};

/// Correlation of neighbouring columns: 0.7·R(1/12), R of four terms with γ = 5 and H = 0.99.
pub const NEIGHBOURS: f64 = 0.558120710;

/// σ with that of the step of the ranges, which is white.
pub fn with_step_cm(sigma_cm: f64) -> f64 {
    math::hypot(sigma_cm, QUANTUM_CM / 12f64.sqrt())
}

/// A ratio of sums over lines with its standard error to first order.
#[derive(Clone, Copy, Debug)]
pub struct Ratio {
    pub value: f64,
    pub error: f64,
}

impl Ratio {
    /// Σ a/Σ b over pairs (a, b), one of each line.
    fn of(pairs: &[(f64, f64)]) -> Ratio {
        let (a, b) = pairs.iter().fold((0.0, 0.0), |(x, y), (a, b)| (x + a, y + b));
        let value = a / b;
        Ratio { value, error: error_of_sum(pairs.iter().map(|(a, b)| a - value * b)) / b }
    }

    /// The limit about what is expected, in which a right program stays.
    pub fn about(&self, expected: f64) -> Limit {
        by_chance(expected, self.error, "the mean over lines")
    }

    /// The same limit where the thesis says something else.
    pub fn differs(&self, expected: f64, why: &str) -> Limit {
        let reach = STANDARD_ERRORS * self.error;
        Limit::Differs(expected - reach, expected + reach, why.into())
    }
}

/// Standard error of a sum of independent values.
fn error_of_sum(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    Mean::of(&values).deviation * (values.len() as f64).sqrt()
}

/// Sum of the `power`th powers of a line's errors.
fn powers(line: &[BoardPoint], power: i32) -> f64 {
    line.iter().map(|point| point.error_cm.powi(power)).sum()
}

/// σ of the errors, about 0.
pub fn sigma_cm(lines: &[Vec<BoardPoint>]) -> Ratio {
    let pairs: Vec<(f64, f64)> =
        lines.iter().map(|line| (powers(line, 2), line.len() as f64)).collect();
    let variance = Ratio::of(&pairs);
    let value = variance.value.sqrt();
    Ratio { value, error: 0.5 * variance.error / value }
}

/// Correlation of errors `lag` columns apart.
pub fn correlation(lines: &[Vec<BoardPoint>], lag: usize) -> Ratio {
    let (mut sums, mut pairs, mut points) = (Vec::new(), 0.0, 0.0);
    for line in lines {
        let apart = line.iter().zip(line.iter().skip(lag));
        let apart = apart.filter(|(a, b)| (b.column - a.column) as usize == lag);
        let (count, products) =
            apart.fold((0.0, 0.0), |(n, sum), (a, b)| (n + 1.0, sum + a.error_cm * b.error_cm));
        sums.push((products, powers(line, 2)));
        (pairs, points) = (pairs + count, points + line.len() as f64);
    }
    // A line has fewer pairs than points: means are compared, not sums.
    let Ratio { value, error } = Ratio::of(&sums);
    Ratio { value: value * points / pairs, error: error * points / pairs }
}

/// Excess kurtosis of the errors, about 0; a normal law has 0.
pub fn excess_kurtosis(lines: &[Vec<BoardPoint>]) -> Ratio {
    let sum = |of: fn(&[BoardPoint]) -> f64| lines.iter().map(|line| of(line)).sum::<f64>();
    let count = sum(|line| line.len() as f64);
    let variance = sum(|line| powers(line, 2)) / count;
    let kurtosis = sum(|line| powers(line, 4)) / count / (variance * variance);
    let off = lines.iter().map(|line| {
        powers(line, 4) / (variance * variance) - 2.0 * kurtosis * powers(line, 2) / variance
            + kurtosis * line.len() as f64
    });
    Ratio { value: kurtosis - 3.0, error: error_of_sum(off) / count }
}

/// A law as a line of 180 pieces.
pub fn curve(from: f64, to: f64, law: impl Fn(f64) -> f64) -> Vec<[f64; 2]> {
    let at = |step: u32| from + (to - from) * f64::from(step) / 180.0;
    (0..=180).map(|step| [at(step), law(at(step))]).collect()
}

/// A figure of one panel.
pub fn one_panel(name: &str, title: &str, labels: [&str; 2], series: Vec<Series>) -> Figure {
    Figure {
        name: name.into(),
        title: title.into(),
        x_label: labels[0].into(),
        y_label: labels[1].into(),
        panels: vec![Panel { title: String::new(), series }],
        ..Figure::default()
    }
}

/// Depth along four channels from the middle of the board; more would hide each other.
pub fn depth_lines(name: &str, title: &str, points: Vec<BoardPoint>) -> Figure {
    let lines = by_channel(points);
    let first = lines.len().saturating_sub(4) / 2;
    let series = lines.iter().skip(first).take(4).map(|line| {
        let channel = line.first().map_or(0, |point| point.channel);
        let places = line.iter().map(|p| [100.0 * p.across_m, p.depth_cm]).collect();
        Series::line(format!("channel {channel}"), places)
    });
    one_panel(name, title, ["across [cm]", "depth [cm]"], series.collect())
}
