//! What the reproductions of sensors share: scans into memory, and means with their standard errors.

use understory_cloud::{MemorySink, Records};

use super::Limit;
use understory::Error;
use understory::pulse::PreparedRun;
use understory::run::{RunOptions, run};
use understory_base::Silent;

/// A right program leaves a limit of so many standard errors with probability below 1e-6, as long as
/// 64 independent values or more stand behind the error: Student's t of 63 degrees of freedom has 7.4e-7
/// beyond it.
pub(super) const STANDARD_ERRORS: f64 = 5.5;

/// Rows of all sensors of a run in an interval, or in all of it.
pub(super) fn scan(
    prepared: &PreparedRun,
    seed: u64,
    interval_s: Option<(f64, f64)>,
) -> Result<Records, Error> {
    let sink = MemorySink::default();
    let mut prepared = prepared.clone();
    prepared.reseed(seed);
    let options = RunOptions { interval_s, ..RunOptions::default() };
    run(&prepared, &options, Box::new(sink.clone()), &Silent)?;
    Ok(sink.take_records())
}

/// A mean over independent values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Mean {
    pub mean: f64,
    /// Standard deviation of the values.
    pub deviation: f64,
    pub count: usize,
}

impl Mean {
    pub fn of(values: &[f64]) -> Mean {
        let count = values.len();
        let n = count as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        Mean { mean, deviation: (squares / (n - 1.0)).sqrt(), count }
    }
}

/// Within [`STANDARD_ERRORS`] of what is expected; `of` says of what the error is.
pub(super) fn by_chance(expected: f64, standard_error: f64, of: &str) -> Limit {
    let reach = STANDARD_ERRORS * standard_error;
    let words = format!(
        "{expected:.5} ± {STANDARD_ERRORS} standard errors of {of}; a right program leaves it with probability below 1e-6"
    );
    Limit::Within(expected - reach, expected + reach, words)
}

#[cfg(test)]
pub(super) mod tests {
    use crate::{Ask, Reproduced, Reproduction};

    /// Runs the quick version and asserts that it found so many things, none of which fails.
    pub fn assert_valid(
        work_out: fn(&Ask<'_>) -> Result<Reproduced, understory::Error>,
        findings: usize,
    ) -> Reproduced {
        let start = std::time::Instant::now();
        let report = |what: &str, share: f64| {
            println!("{:.2} s: {what}", start.elapsed().as_secs_f64());
            assert!((0.0..=1.0).contains(&share), "{share}");
        };
        let found = work_out(&Ask { full: false, seed: 1, progress: &report }).unwrap();
        for finding in &found.findings {
            println!("{:?} {finding:?}", finding.verdict());
        }
        println!("{:.2} s", start.elapsed().as_secs_f64());
        crate::assert_valid(&found);
        assert_eq!(found.findings.len(), findings);
        found
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<&str> = crate::ALL.iter().map(|r: &Reproduction| r.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
