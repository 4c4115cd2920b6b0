//! How far apart two histograms are, and how far apart chance alone would put them.
//!
//! What enters: counts in the same bins, such as channel × range with one more bin for pulses
//! without a return. What leaves: the Bhattacharyya distance −ln Σ √(pₖ qₖ) (Deschaud et al. 2012,
//! table I) of the histograms as wholes, and its floor: what two finite samples of one and the same
//! distribution have between them.

use understory_base::math;

/// Bhattacharyya distance of two histograms, each normalised to 1 as a whole: 0 where they have
/// the same shares, infinite where no bin has counts of both or one of them has none at all.
/// Bins that only the longer list has are empty in the other.
///
/// ```
/// let d = understory_compare::bhattacharyya_distance(&[10, 20, 30, 0, 40], &[12, 18, 25, 5, 40]);
/// assert!((d - 0.0272248048).abs() < 1e-10);
/// ```
pub fn bhattacharyya_distance(p: &[u64], q: &[u64]) -> f64 {
    let shared: f64 = p.iter().zip(q).map(|(&p, &q)| (p as f64).sqrt() * (q as f64).sqrt()).sum();
    let whole = |counts: &[u64]| counts.iter().map(|&count| count as f64).sum::<f64>();
    let coefficient = shared / (whole(p) * whole(q)).sqrt();
    // Rounding may put equal histograms a little beyond 1.
    if coefficient > 0.0 { -math::ln(coefficient.min(1.0)) } else { f64::INFINITY }
}

/// Mean of the distances of the rows, each normalised by itself: rows are orientations of
/// `bins_per_row` bins. Never below the distance of the wholes if all rows have the same counts.
/// Rows without counts in both are left out; without any row it is infinite.
pub fn mean_row_distance(p: &[u64], q: &[u64], bins_per_row: usize) -> f64 {
    let rows = p.chunks(bins_per_row.max(1)).zip(q.chunks(bins_per_row.max(1)));
    let distances: Vec<f64> = rows
        .filter(|(p, q)| p.iter().any(|count| *count > 0) || q.iter().any(|count| *count > 0))
        .map(|(p, q)| bhattacharyya_distance(p, q))
        .collect();
    if distances.is_empty() {
        return f64::INFINITY;
    }
    distances.iter().sum::<f64>() / distances.len() as f64
}

/// Distance that `n` and `m` independent samples of the distribution `p` are expected to have:
/// −ln Σ E√X E√Y / √(n m), X and Y being Poisson with means n pₖ and m pₖ.
///
/// The usual (K − 1)/8 · (1/n + 1/m) is far too low where bins have about one count.
pub fn finite_sample_floor(p: &[f64], n: f64, m: f64) -> f64 {
    let coefficient: f64 =
        p.iter().map(|p| mean_root_of_poisson(n * p) * mean_root_of_poisson(m * p)).sum();
    -math::ln((coefficient / (n * m).sqrt()).min(1.0))
}

/// E√X of a Poisson number.
pub(crate) fn mean_root_of_poisson(mean: f64) -> f64 {
    if !(mean > 0.0 && mean.is_finite()) {
        return 0.0;
    }
    // Delta method; its next term is below 1e-9 here.
    if mean > 1e4 {
        return mean.sqrt() * (1.0 - 1.0 / (8.0 * mean) - 7.0 / (128.0 * mean * mean));
    }
    // From the most probable number outwards, so that nothing underflows on the way.
    let middle = mean.floor();
    let at_middle = math::exp(middle * math::ln(mean) - mean - ln_factorial(middle));
    let (mut sum, mut share, mut k) = (0.0, at_middle, middle);
    while share > 1e-18 * at_middle {
        sum += share * k.sqrt();
        k += 1.0;
        share *= mean / k;
    }
    (share, k) = (at_middle * middle / mean, middle - 1.0);
    while k > 0.0 && share > 1e-18 * at_middle {
        sum += share * k.sqrt();
        share *= k / mean;
        k -= 1.0;
    }
    sum
}

fn ln_factorial(n: f64) -> f64 {
    if n < 20.0 {
        return (2..=n as u32).map(|k| math::ln(f64::from(k))).sum();
    }
    // Stirling's series.
    let inverse = 1.0 / n;
    (n + 0.5) * math::ln(n) - n + 0.5 * math::ln(std::f64::consts::TAU) + inverse / 12.0
        - inverse.powi(3) / 360.0
        + inverse.powi(5) / 1260.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_their_known_values() {
        let d = bhattacharyya_distance(&[10, 20, 30, 0, 40], &[12, 18, 25, 5, 40]);
        assert!((d - 0.027_224_804_8).abs() < 1e-10, "{d}");
        assert!(((-d).exp() - 0.973_142_450).abs() < 1e-9);
        let (p, q) = ([50, 50, 0, 0, 30, 70], [60, 40, 0, 10, 20, 70]);
        let d = bhattacharyya_distance(&p, &q);
        assert!((d - 0.030_518_422_0).abs() < 1e-10, "{d}");
        let d = mean_row_distance(&p, &q, 3);
        assert!((d - 0.030_850_530_1).abs() < 1e-10, "{d}");
    }

    #[test]
    fn equal_shares_have_distance_0_and_strangers_are_infinitely_far() {
        assert!(bhattacharyya_distance(&[1, 2, 3], &[10, 20, 30]) < 1e-12);
        assert_eq!(bhattacharyya_distance(&[1, 0], &[0, 1]), f64::INFINITY);
        assert_eq!(bhattacharyya_distance(&[], &[]), f64::INFINITY);
        assert!(bhattacharyya_distance(&[3, 1], &[3, 1, 0, 0]) < 1e-12);
        assert_eq!(mean_row_distance(&[0, 0], &[0, 0], 2), f64::INFINITY);
        assert!(mean_row_distance(&[1, 2, 0, 0], &[1, 2, 0, 0], 0) < 1e-12);
    }

    #[test]
    fn the_floor_has_its_known_values() {
        // 70 % uniform over 0.6 m in bins of 2 mm and 30 % without a return.
        let mut p = vec![0.7 / 300.0; 300];
        p.push(0.3);
        let known = [
            ((1200.0, 300.0), 0.282_473),
            ((1200.0, 1200.0), 0.091_538),
            ((1200.0, 12_000.0), 0.049_370),
            ((600.0, 600.0), 0.231_200),
        ];
        for ((n, m), wanted) in known {
            let floor = finite_sample_floor(&p, n, m);
            assert!((floor / wanted - 1.0).abs() < 0.012, "{n} {m}: {floor} {wanted}");
        }
        // Dense bins: the usual formula.
        let p = [0.1; 10];
        let floor = finite_sample_floor(&p, 1e6, 1e6);
        assert!((floor / (9.0 / 8.0 * 2e-6) - 1.0).abs() < 0.15, "{floor}");
    }

    #[test]
    fn the_root_of_a_poisson_number_has_its_mean_summed_plainly() {
        for mean in [1e-3, 0.2, 1.0, 3.7, 25.0, 180.0] {
            let (mut share, mut sum) = (f64::exp(-mean), 0.0);
            for k in 1..2000 {
                share *= mean / f64::from(k);
                sum += share * f64::from(k).sqrt();
            }
            let ours = mean_root_of_poisson(mean);
            assert!((ours / sum - 1.0).abs() < 1e-9, "{mean}: {ours} {sum}");
        }
        let (below, above) = (mean_root_of_poisson(9_999.9), mean_root_of_poisson(10_000.1));
        assert!((above / below - (10_000.1f64 / 9_999.9).sqrt()).abs() < 1e-9);
    }
}
