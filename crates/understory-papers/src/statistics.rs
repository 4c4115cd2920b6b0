//! What findings are held against where chance plays.

use understory_base::math;

/// Largest distance between the staircase of `sorted` values and a distribution function
/// (Kolmogorov, Smirnov). Infinite values stand for what was never met: they count, but are not
/// compared.
pub fn ks_distance(sorted: &[f64], below: impl Fn(f64) -> f64) -> f64 {
    let n = sorted.len() as f64;
    let mut largest = 0.0f64;
    let mut before = 0;
    while let Some(value) = sorted.get(before).copied().filter(|value| value.is_finite()) {
        // Equal values are one step.
        let after = before + sorted[before..].iter().take_while(|other| **other == value).count();
        let expected = below(value);
        largest = largest.max((expected - after as f64 / n).abs());
        if before > 0 {
            largest = largest.max((expected - before as f64 / n).abs());
        }
        before = after;
    }
    largest
}

/// What the distance of `n` independent values from their own distribution exceeds with at most
/// this probability (Massart 1990).
pub fn dkw_limit(n: usize, error: f64) -> f64 {
    (math::ln(2.0 / error) / (2.0 * n as f64)).sqrt()
}

/// The share of `sorted` values that are not above `value`.
pub fn share_up_to(sorted: &[f64], value: f64) -> f64 {
    sorted.partition_point(|other| *other <= value) as f64 / sorted.len().max(1) as f64
}

/// Mean and standard deviation.
pub fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean, (squares / (n - 1.0)).sqrt())
}

/// The middle value of some that need not be sorted; not a number where there is none.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.get(values.len() / 2), values.len() % 2) {
        (Some(upper), 0) => (upper + values[values.len() / 2 - 1]) / 2.0,
        (Some(middle), _) => *middle,
        (None, _) => f64::NAN,
    }
}

/// Slope of the straight line through points, by least squares.
pub fn slope(points: &[[f64; 2]]) -> f64 {
    let n = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / n;
    let (mx, my) = (mean(0), mean(1));
    let xy = points.iter().map(|[x, y]| (x - mx) * (y - my)).sum::<f64>();
    xy / points.iter().map(|[x, _]| (x - mx).powi(2)).sum::<f64>()
}

/// A histogram as the outline of its columns: densities over bins of one width.
pub fn outline(values: &[f64], low: f64, high: f64, bin: f64) -> Vec<[f64; 2]> {
    let bins = ((high - low) / bin).round().max(1.0) as usize;
    let mut counts = vec![0u32; bins];
    for value in values {
        let place = ((value - low) / bin).floor();
        if place >= 0.0 && (place as usize) < bins {
            counts[place as usize] += 1;
        }
    }
    let scale = 1.0 / (values.len().max(1) as f64 * bin);
    let column = |(number, count): (usize, &u32)| {
        let (left, height) = (low + number as f64 * bin, f64::from(*count) * scale);
        [[left, height], [left + bin, height]]
    };
    counts.iter().enumerate().flat_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        // Steps at 0.2 and (two of them) 0.6 against the even distribution.
        let values = [0.2, 0.6, 0.6, f64::INFINITY];
        assert!((ks_distance(&values, |x| x) - 0.35).abs() < 1e-12);
        assert!((dkw_limit(200, 0.05) - 0.096_03).abs() < 1e-5);
        assert_eq!(share_up_to(&values, 0.6), 0.75);
    }

    #[test]
    fn means_medians_and_slopes_by_hand() {
        assert_eq!(mean_and_deviation(&[1.0, 3.0]), (2.0, 2f64.sqrt()));
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), 2.5);
        assert!(median(Vec::new()).is_nan());
        assert_eq!(slope(&[[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]]), 2.0);
    }

    #[test]
    fn columns_of_a_histogram_have_the_area_one() {
        let points = outline(&[0.05, 0.15, 0.15, 0.35], 0.0, 0.4, 0.1);
        assert_eq!(points.len(), 8);
        let area: f64 = points.chunks(2).map(|column| column[0][1] * 0.1).sum();
        assert!((area - 1.0).abs() < 1e-12);
        assert!((points[2][1] - 5.0).abs() < 1e-12);
    }
}
