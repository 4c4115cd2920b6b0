//! Dates of Unix times, in UTC.

/// A moment as clocks show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i64,
    pub(super) month: u8,
    pub(super) day: u8,
    pub(super) hour: u8,
    pub(super) minute: u8,
    pub(super) second: u8,
}

impl Date {
    /// The date of a Unix time in nanoseconds, cut to whole seconds.
    pub(super) fn from_unix_ns(unix_ns: i64) -> Date {
        let seconds = unix_ns.div_euclid(1_000_000_000);
        let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Years of 400 that begin in March, so that the leap day is the last of its year.
        let days = day + 719_468;
        let era = days.div_euclid(146_097);
        let of_era = days.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        Date {
            year: era * 400 + year_of_era + i64::from(month <= 2),
            month: month as u8,
            day: (of_year - (153 * from_march + 2) / 5 + 1) as u8,
            hour: (second / 3600) as u8,
            minute: (second / 60 % 60) as u8,
            second: (second % 60) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (unix_s, year, month, day, hour, minute, second) in [
            (0, 1970, 1, 1, 0, 0, 0),
            (1_735_689_600, 2025, 1, 1, 0, 0, 0),
            (1_709_210_096, 2024, 2, 29, 12, 34, 56),
            (951_868_799, 2000, 2, 29, 23, 59, 59),
            (4_107_542_400, 2100, 3, 1, 0, 0, 0),
            (-1, 1969, 12, 31, 23, 59, 59),
        ] {
            let date = Date { year, month, day, hour, minute, second };
            assert_eq!(Date::from_unix_ns(unix_s * 1_000_000_000), date);
        }
    }
}
