//! Where one revolution of a spinning sensor ends in a file and the next begins, where scans are not
//! numbered.
//!
//! What enters: rows in the order of the file. What leaves: the number of the revolution of each. Where
//! rows stand in the order in which they were fired, azimuths go around evenly, and each whole turn is a
//! revolution; files that go around ring after ring are one revolution with many turns and say so by
//! keeping their ring from row to row.

use super::angles::wrap_deg;

/// Rows that tell the order of a file.
const ROWS: usize = 4096;
/// Fewer tell nothing.
const ROWS_LEAST: usize = 64;
/// Rows that follow each other in firing order are less than this apart in azimuth: lasers of one firing
/// look up to 9° aside.
const STEP_MAX_DEG: f64 = 15.0;
/// Lasers that look aside come past the end of a turn before the sensor does; the next begins this far
/// beyond it.
const BEYOND_DEG: f64 = 20.0;
/// Elevations that differ by less may be of one ring.
const SAME_RING_DEG: f64 = 0.1;

/// Counts revolutions.
#[derive(Clone, Debug, Default)]
pub(super) struct Revolutions {
    is_in_firing_order: bool,
    first_deg: Option<f64>,
    last_deg: f64,
    turned_deg: f64,
    number: i64,
}

impl Revolutions {
    /// By the first rows of a file: azimuth and elevation of each.
    pub fn of(rows: &[[f64; 2]]) -> Revolutions {
        let rows = rows.get(..ROWS).unwrap_or(rows);
        let (mut near, mut same_ring) = (0u32, 0u32);
        for pair in rows.windows(2) {
            near += u32::from(wrap_deg(pair[1][0] - pair[0][0]).abs() < STEP_MAX_DEG);
            same_ring += u32::from((pair[1][1] - pair[0][1]).abs() < SAME_RING_DEG);
        }
        let pairs = rows.len().saturating_sub(1) as f64;
        let is_in_firing_order = rows.len() >= ROWS_LEAST
            && f64::from(near) > 0.9 * pairs
            && f64::from(same_ring) < 0.5 * pairs;
        Revolutions { is_in_firing_order, ..Revolutions::default() }
    }

    /// Revolution of the next row.
    pub fn next(&mut self, azimuth_deg: f64) -> i64 {
        if !self.is_in_firing_order || !azimuth_deg.is_finite() {
            return self.number;
        }
        match self.first_deg {
            None => self.first_deg = Some(azimuth_deg),
            Some(_) => self.turned_deg += wrap_deg(azimuth_deg - self.last_deg),
        }
        self.last_deg = azimuth_deg;
        while self.turned_deg.abs() >= 360.0 * (self.number + 1) as f64 + BEYOND_DEG {
            self.number += 1;
        }
        self.number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two and a half clockwise revolutions of 16 lasers with azimuths aside, column by column; and one
    /// revolution ring by ring.
    #[test]
    fn turns_are_counted_in_firing_order_alone() {
        let aside = |ring: usize| if ring.is_multiple_of(2) { 4.2 } else { -4.2 };
        let firing = |column: usize, ring: usize| {
            [wrap_deg(10.0 - 0.4 * column as f64 + aside(ring)), 2.0 * ring as f64 - 15.0]
        };
        let rows: Vec<[f64; 2]> =
            (0..2250).flat_map(|column| (0..16).map(move |ring| firing(column, ring))).collect();
        let mut revolutions = Revolutions::of(&rows);
        let numbers: Vec<i64> = rows.iter().map(|row| revolutions.next(row[0])).collect();
        assert_eq!((numbers[0], numbers[numbers.len() - 1]), (0, 2));
        let of = |n: i64| numbers.iter().filter(|number| **number == n).count();
        assert!(of(0).abs_diff(950 * 16) < 25 * 16 && of(1).abs_diff(900 * 16) < 25 * 16);
        // A single revolution is one, although its last lasers look beyond its first.
        let mut one = Revolutions::of(&rows);
        assert!(rows[..900 * 16].iter().all(|row| one.next(row[0]) == 0));
        let ring_by_ring: Vec<[f64; 2]> =
            (0..16).flat_map(|ring| (0..900).map(move |column| firing(column, ring))).collect();
        let mut revolutions = Revolutions::of(&ring_by_ring);
        assert!(ring_by_ring.iter().all(|row| revolutions.next(row[0]) == 0));
    }
}
