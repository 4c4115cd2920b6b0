//! The times at which sensors fire: the lines of a survey, without the turns between them.

/// When sensors fire; without a line, always.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlightLines {
    /// From when to when, rising and apart.
    lines_s: Vec<[f64; 2]>,
}

impl FlightLines {
    /// All times but those of `turns_s`, which must be rising and apart.
    pub fn between(turns_s: &[[f64; 2]]) -> FlightLines {
        if turns_s.is_empty() {
            return FlightLines::default();
        }
        let starts = std::iter::once(f64::NEG_INFINITY).chain(turns_s.iter().map(|turn| turn[1]));
        let ends = turns_s.iter().map(|turn| turn[0]).chain([f64::INFINITY]);
        let lines = starts.zip(ends).map(|(start, end)| [start, end]);
        // Turns that follow each other have no line between them.
        FlightLines { lines_s: lines.filter(|[start, end]| start < end).collect() }
    }

    /// Whether sensors always fire.
    pub fn is_always(&self) -> bool {
        self.lines_s.is_empty()
    }

    /// The number of lines; 0: sensors always fire.
    pub fn count(&self) -> usize {
        self.lines_s.len()
    }

    /// From when to when each line lasts within a run of this length.
    pub fn within_s(&self, duration_s: f64) -> Vec<[f64; 2]> {
        let cut = |[start, end]: &[f64; 2]| [start.max(0.0), end.min(duration_s)];
        match self.is_always() {
            true => vec![[0.0, duration_s]],
            false => self.lines_s.iter().map(cut).collect(),
        }
    }

    /// The line at a time, from 1; `None` on a turn, and where sensors always fire.
    pub fn line_at(&self, time_s: f64) -> Option<u16> {
        let behind = self.lines_s.partition_point(|line| line[1] <= time_s);
        let line = self.lines_s.get(behind)?;
        (line[0] <= time_s).then(|| u16::try_from(behind + 1).unwrap_or(u16::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_what_turns_leave() {
        let lines = FlightLines::between(&[[2.0, 3.0], [3.0, 4.0], [7.0, 8.0]]);
        let at = [0.0, 1.999, 2.0, 3.5, 4.0, 6.9, 7.0, 8.0, 99.0].map(|t| lines.line_at(t));
        let [one, two, three] = [Some(1), Some(2), Some(3)];
        assert_eq!(at, [one, one, None, None, two, two, None, three, three]);
        assert_eq!(lines.within_s(10.0), [[0.0, 2.0], [4.0, 7.0], [8.0, 10.0]]);
        let always = FlightLines::default();
        assert_eq!((always.line_at(1.0), always.within_s(3.0)), (None, vec![[0.0, 3.0]]));
    }
}
