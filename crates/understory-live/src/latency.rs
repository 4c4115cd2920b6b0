//! How long after its firing light reaches a reader, over all that was sent.
//!
//! Latencies are counted in bins a sixteenth of an octave wide, so that microseconds and minutes
//! have the same relative grain of 4.4 % and memory does not grow with their number.

use std::time::Duration;
use understory_base::math;

/// Bins of an octave, and octaves from 1 ns on.
const PER_OCTAVE: usize = 16;
const OCTAVES: usize = 44;

/// Latencies, counted.
#[derive(Clone, Debug)]
pub(crate) struct LatencyTally {
    bins: Vec<u64>,
    count: u64,
    max: Duration,
}

impl Default for LatencyTally {
    fn default() -> LatencyTally {
        LatencyTally { bins: vec![0; PER_OCTAVE * OCTAVES], count: 0, max: Duration::ZERO }
    }
}

impl LatencyTally {
    pub fn add(&mut self, latency: Duration) {
        let octaves = math::log2(latency.as_nanos().max(1) as f64);
        let bin = (octaves * PER_OCTAVE as f64) as usize;
        if let Some(count) = self.bins.get_mut(bin.min(PER_OCTAVE * OCTAVES - 1)) {
            *count += 1;
        }
        self.count += 1;
        self.max = self.max.max(latency);
    }

    /// What this share of all does not exceed, in seconds; 0 of none.
    pub fn quantile_s(&self, share: f64) -> f64 {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let bin = self.bins.iter().position(|count| {
            seen += count;
            seen >= wanted.max(1)
        });
        let Some(bin) = bin else { return 0.0 };
        let upper_s = math::exp2((bin + 1) as f64 / PER_OCTAVE as f64) * 1e-9;
        upper_s.min(self.max_s())
    }

    pub fn max_s(&self) -> f64 {
        self.max.as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Latencies of 1 to 1000 ms: quantiles within the grain of a bin.
    #[test]
    fn quantiles_are_those_of_the_latencies() {
        let mut tally = LatencyTally::default();
        assert_eq!(tally.quantile_s(0.5), 0.0);
        (1..=1000).for_each(|ms| tally.add(Duration::from_millis(ms)));
        for (share, expected_s) in [(0.5, 0.5), (0.99, 0.99), (0.01, 0.01)] {
            let found_s = tally.quantile_s(share);
            assert!((0.0..0.045).contains(&(found_s / expected_s - 1.0)), "{share}: {found_s}");
        }
        assert_eq!((tally.quantile_s(1.0), tally.max_s()), (1.0, 1.0));
        tally.add(Duration::ZERO);
        tally.add(Duration::from_secs(1 << 40));
        assert_eq!(tally.max_s(), (1u64 << 40) as f64);
    }
}
