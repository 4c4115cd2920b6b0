//! Neighbours together: the pulses of a batch, those of each track one after another.

/// Puts the pulses of batches in order, and keeps the memory for it.
#[derive(Clone, Debug, Default)]
pub struct TrackOrder {
    order: Vec<u32>,
    track_start: Vec<u32>,
}

impl TrackOrder {
    /// Puts the pulses of each track together, every second track backwards, so that the end of
    /// one is near the beginning of the next. Pulses without a track are of track 0.
    pub fn set(&mut self, tracks: &[u16], pulses: usize) -> &[u32] {
        self.order.clear();
        let track = |pulse: usize| tracks.get(pulse).copied().unwrap_or(0) as usize;
        let last = (0..pulses).map(track).max().unwrap_or(0);
        if last == 0 {
            self.order.extend(0..pulses as u32);
            return &self.order;
        }
        self.track_start.clear();
        self.track_start.resize(last + 2, 0);
        for pulse in 0..pulses {
            self.track_start[track(pulse) + 1] += 1;
        }
        let (mut before, mut reverse) = (0, false);
        for start in &mut self.track_start {
            before += *start;
            *start = before;
        }
        self.order.resize(pulses, 0);
        for pulse in 0..pulses {
            let next = &mut self.track_start[track(pulse)];
            self.order[*next as usize] = pulse as u32;
            *next += 1;
        }
        // Each track now ends where its successor begins.
        let mut begin = 0;
        for end in &self.track_start[..=last] {
            let run = &mut self.order[begin as usize..*end as usize];
            if reverse {
                run.reverse();
            }
            reverse ^= !run.is_empty();
            begin = *end;
        }
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_put_together_and_turned_by_turns() {
        let mut order = TrackOrder::default();
        assert_eq!(order.set(&[2, 0, 5, 2, 0, 5, 2, 0], 8), [1, 4, 7, 6, 3, 0, 2, 5]);
        assert_eq!(order.set(&[], 3), [0, 1, 2]);
        assert_eq!(order.set(&[7], 3), [1, 2, 0]);
    }
}
