//! Counts of equal keys in a stream, by sorting: keys in, sorted keys with their counts out.
//!
//! Keys are gathered, sorted and made runs of distinct keys; runs of about equal length are merged,
//! so that a key is moved a few times only. Memory grows with the distinct keys, not with the
//! stream, and the order in which keys came changes nothing.

/// Keys that are gathered before they are sorted; few in tests, so that much is merged.
const GATHERED: usize = if cfg!(test) { 1 << 12 } else { 1 << 22 };

/// Distinct keys in rising order, with their counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    pub(super) keys: Vec<u64>,
    pub(super) counts: Vec<u32>,
}

/// Counts keys.
#[derive(Clone, Debug, Default)]
pub(super) struct SortedCounts {
    gathered: Vec<u64>,
    /// Each at most half as long as the one before it.
    runs: Vec<Run>,
}

impl SortedCounts {
    /// Counts one key more.
    #[inline]
    pub(super) fn add(&mut self, key: u64) {
        self.gathered.push(key);
        if self.gathered.len() >= GATHERED {
            self.settle();
        }
    }

    /// All keys and counts.
    pub(super) fn finish(mut self) -> Run {
        self.settle();
        // The short ones first, so that the long one is copied once.
        let mut whole = Run::default();
        while let Some(run) = self.runs.pop() {
            whole = if whole.keys.is_empty() { run } else { merge(&run, &whole) };
        }
        whole
    }

    /// Makes a run of what was gathered.
    fn settle(&mut self) {
        if self.gathered.is_empty() {
            return;
        }
        self.gathered.sort_unstable();
        let mut run = Run::default();
        for &key in &self.gathered {
            run.push(key, 1);
        }
        self.gathered.clear();
        while let Some(last) = self.runs.pop() {
            if last.keys.len() >= 2 * run.keys.len() {
                self.runs.push(last);
                break;
            }
            run = merge(&last, &run);
        }
        self.runs.push(run);
    }
}

impl Run {
    /// Adds to the count of a key that is not below the last one.
    #[inline]
    fn push(&mut self, key: u64, count: u32) {
        match (self.keys.last(), self.counts.last_mut()) {
            (Some(&last), Some(last_count)) if last == key => {
                *last_count = last_count.saturating_add(count);
            }
            _ => {
                self.keys.push(key);
                self.counts.push(count);
            }
        }
    }
}

fn merge(a: &Run, b: &Run) -> Run {
    let rows = a.keys.len().max(b.keys.len());
    let mut whole = Run { keys: Vec::with_capacity(rows), counts: Vec::with_capacity(rows) };
    let mut of_a = a.keys.iter().copied().zip(a.counts.iter().copied()).peekable();
    let mut of_b = b.keys.iter().copied().zip(b.counts.iter().copied()).peekable();
    loop {
        let next = match (of_a.peek(), of_b.peek()) {
            (Some(in_a), Some(in_b)) if in_b.0 < in_a.0 => of_b.next(),
            (Some(_), _) => of_a.next(),
            (None, _) => of_b.next(),
        };
        let Some((key, count)) = next else { return whole };
        whole.push(key, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn counts_are_those_of_a_map() {
        let mut counts = SortedCounts::default();
        let mut map = BTreeMap::new();
        let mut x = 1u64;
        for i in 0..300_000u64 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Some keys often, some once.
            let key = if i % 3 == 0 { x >> 48 } else { x >> 58 };
            counts.add(key);
            *map.entry(key).or_insert(0u32) += 1;
        }
        let run = counts.finish();
        assert!(run.keys.iter().copied().eq(map.keys().copied()));
        assert!(run.counts.iter().copied().eq(map.values().copied()));
        assert_eq!(SortedCounts::default().finish(), Run::default());
    }
}
