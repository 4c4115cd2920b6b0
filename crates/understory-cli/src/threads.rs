//! The threads that share everything but the simulation itself: as many as there are processors, or
//! as `RAYON_NUM_THREADS` says, within bounds.

use std::num::NonZeroUsize;

use anyhow::{Result, anyhow};

/// Most threads of anything. More would take longer to start than the work.
pub const MAX: usize = 1024;

/// The variable that says how many.
const VARIABLE: &str = "RAYON_NUM_THREADS";

/// Starts them.
pub fn start() -> Result<()> {
    let asked = std::env::var(VARIABLE).ok().and_then(|text| text.trim().parse().ok());
    let threads = count(asked);
    if asked.is_some_and(|asked| asked > threads) {
        tracing::warn!("{VARIABLE} asks for more threads than {MAX}, which are started");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().map_err(|error| {
        anyhow!("cannot start {threads} threads: {error}; set {VARIABLE} to fewer, or end other programs")
    })
}

/// How many are started where so many are asked for.
fn count(asked: Option<usize>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    asked.filter(|asked| *asked > 0).unwrap_or_else(processors).min(MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_are_started_than_can_be() {
        assert_eq!(count(Some(3)), 3);
        assert_eq!(count(Some(70_000)), MAX);
        assert!((1..=MAX).contains(&count(None)) && count(Some(0)) == count(None));
    }
}
