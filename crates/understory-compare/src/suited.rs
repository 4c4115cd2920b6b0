//! Which comparison suits two recordings, by what is known of them.

use super::{BlockBy, CompareMode, CompareOptions, OrientationBy};
use understory_cloud::KnownColumns;

/// What a recording lacks for a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// Which of the two: 0 is the real one.
    pub side: usize,
    /// What it does not say, in words.
    pub what: &'static str,
}

impl CompareOptions {
    /// Options for recordings of which this is known. Without `by`, orientations are by channel if
    /// both know it, else by the sensor's angles, else by direction in the world, as they are for a
    /// sensor that moves. Misses count if both have them.
    pub fn suited(
        mode: Option<CompareMode>,
        by: Option<OrientationBy>,
        known: [KnownColumns; 2],
    ) -> Result<CompareOptions, Lacking> {
        let moving = mode == Some(CompareMode::Moving);
        let mut options = if moving {
            CompareOptions::moving()
        } else {
            CompareOptions { mode, ..CompareOptions::default() }
        };
        let histogram = &mut options.histogram;
        histogram.by = by.unwrap_or_else(|| {
            if moving || !known.iter().all(|known| known.angles) {
                OrientationBy::Direction
            } else if known.iter().all(|known| known.channel) {
                OrientationBy::Channel
            } else {
                OrientationBy::Angles
            }
        });
        for (side, known) in known.iter().enumerate() {
            let what = match histogram.by {
                OrientationBy::Channel if !known.channel => "which laser fired a beam",
                OrientationBy::Channel | OrientationBy::Angles if !known.angles => {
                    "the angles of its beams in the sensor's frame"
                }
                OrientationBy::Direction if !known.origin => "where its beams came from",
                _ => continue,
            };
            return Err(Lacking { side, what });
        }
        histogram.misses = known.iter().all(|known| known.misses);
        if known.iter().any(|known| !known.scan) {
            histogram.block_by = BlockBy::Pulse;
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(change: impl Fn(&mut KnownColumns)) -> KnownColumns {
        let mut known = KnownColumns::default();
        let all = [&mut known.channel, &mut known.angles, &mut known.origin, &mut known.misses];
        all.into_iter().chain([&mut known.scan]).for_each(|column| *column = true);
        change(&mut known);
        known
    }

    #[test]
    fn what_both_know_decides() {
        let by = |other| CompareOptions::suited(None, None, [known(|_| ()), other]);
        let options = by(known(|_| ())).unwrap();
        assert_eq!(options.histogram.by, OrientationBy::Channel);
        assert!(options.histogram.misses);
        let options = by(known(|k| (k.channel, k.misses, k.scan) = (false, false, false))).unwrap();
        assert_eq!(options.histogram.by, OrientationBy::Angles);
        assert!(!options.histogram.misses && options.histogram.block_by == BlockBy::Pulse);
        let options = by(known(|k| k.angles = false)).unwrap();
        assert_eq!(options.histogram.by, OrientationBy::Direction);
        let lacking = by(known(|k| (k.angles, k.origin) = (false, false))).unwrap_err();
        assert_eq!((lacking.side, lacking.what), (1, "where its beams came from"));
        let moving = [known(|_| ()); 2];
        let options = CompareOptions::suited(Some(CompareMode::Moving), None, moving).unwrap();
        assert_eq!(options.histogram.by, OrientationBy::Direction);
    }
}
