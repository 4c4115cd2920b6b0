//! How many modes a histogram proves.
//!
//! In a density with one mode, of three bins of one width the middle one is never below both others.
//! So a valley is proven where counts c₁ > c₂ < c₃ reject both p₁ ≤ p₂ and p₃ ≤ p₂: given c₁ + c₂, c₁
//! is then at most binomial with ½, and Chernoff bounds its tail. Valleys are found in one half of
//! the returns and tested by the other, so that the search costs nothing.

use understory_base::math;

/// How probable a valley may be that is none.
pub const CHANCE: f64 = 1e-7;

/// Modes that are proven: one more than valleys. `find` and `test` are counts of independent halves
/// in the same bins.
pub fn proven_modes(find: &[u32], test: &[u32]) -> usize {
    1 + valleys(find, test)
}

fn valleys(find: &[u32], test: &[u32]) -> usize {
    let Some((left, valley, right)) = deepest(find) else { return 0 };
    let at = |place: usize| test.get(place).copied().unwrap_or(0);
    let chance = tail(at(left), at(valley)).max(tail(at(right), at(valley)));
    if chance > CHANCE {
        return 0;
    }
    1 + valleys(&find[..=valley], &test[..=valley]) + valleys(&find[valley..], &test[valley..])
}

/// The valley that lies deepest below the highest bins on both its sides, and those.
fn deepest(counts: &[u32]) -> Option<(usize, usize, usize)> {
    let highest = |places: std::ops::Range<usize>| places.max_by_key(|place| counts[*place]);
    let found = (1..counts.len().saturating_sub(1)).filter_map(|valley| {
        Some((highest(0..valley)?, valley, highest(valley + 1..counts.len())?))
    });
    let depth = |&(left, valley, right): &(usize, usize, usize)| {
        i64::from(counts[left].min(counts[right])) - i64::from(counts[valley])
    };
    found.max_by_key(depth).filter(|valley| depth(valley) > 0)
}

/// At most how probable it is that of two bins, the first no likelier than the second, the first has
/// so many more.
fn tail(first: u32, second: u32) -> f64 {
    let n = f64::from(first) + f64::from(second);
    if first <= second {
        return 1.0;
    }
    let share = f64::from(first) / n;
    let x_ln_x = |x: f64| if x > 0.0 { x * math::ln(x) } else { 0.0 };
    math::exp(-n * (math::ln(2f64) + x_ln_x(share) + x_ln_x(1.0 - share)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_counted_where_counts_prove_them() {
        let one = [1, 20, 90, 200, 80, 15, 2];
        assert_eq!(proven_modes(&one, &one), 1);
        let two = [1, 200, 20, 5, 30, 180, 2];
        assert_eq!(proven_modes(&two, &two), 2);
        let three = [100, 2, 120, 3, 1, 90, 0];
        assert_eq!(proven_modes(&three, &three), 3);
        // A valley of few returns proves nothing, nor one that the other half does not have.
        assert_eq!(proven_modes(&[10, 2, 10], &[10, 2, 10]), 1);
        assert_eq!(proven_modes(&two, &one), 1);
        assert_eq!(proven_modes(&[], &[]), 1);
    }

    #[test]
    fn the_tail_bounds_the_binomial() {
        // P(X ≥ 8), n = 10, p = ½: 56/1024.
        assert!((56.0 / 1024.0..0.2).contains(&tail(8, 2)));
        assert!((tail(10, 0) - 1.0 / 1024.0).abs() < 1e-12);
        assert_eq!(tail(3, 3), 1.0);
    }
}
