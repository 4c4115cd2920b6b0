//! `--interval a..b`: a part of a run by its times in seconds.

/// From and up to which time; an end that is left out is the run's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    from_s: Option<f64>,
    to_s: Option<f64>,
}

impl Interval {
    /// The times within a run of `duration_s`.
    pub fn within(self, duration_s: f64) -> (f64, f64) {
        (self.from_s.unwrap_or(0.0), self.to_s.unwrap_or(duration_s))
    }
}

impl std::str::FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Interval, String> {
        let form = || "give two times in seconds as 0.5..2, 0.5.. or ..2".to_owned();
        let time = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.parse::<f64>().map(Some).map_err(|_| form()),
        };
        let (from, to) = text.split_once("..").ok_or_else(form)?;
        let interval = Interval { from_s: time(from)?, to_s: time(to)? };
        let (from_s, to_s) = interval.within(f64::INFINITY);
        if from_s >= 0.0 && from_s < to_s {
            Ok(interval)
        } else {
            Err(format!("the start {from_s} s is not before the end {to_s} s; {}", form()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Interval;

    #[test]
    fn ends_may_be_left_out() {
        let within = |text: &str| text.parse::<Interval>().map(|part| part.within(8.0));
        assert_eq!(within("0.5..2"), Ok((0.5, 2.0)));
        assert_eq!(within("1e-1.."), Ok((0.1, 8.0)));
        assert_eq!(within("..2."), Ok((0.0, 2.0)));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "3", "a..b", "2..1", "-1..2", "nan..1", "1..1"] {
            assert!(text.parse::<Interval>().is_err(), "{text}");
        }
    }
}
