//! Which comparison suits two recordings, by what is known of them.

use super::{BlockBy, CompareMode, CompareOptions, OrientationBy};
use understory_cloud::{KnownColumns, Records};

/// What a recording lacks for a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lacking {
    /// Which of the two: 0 is the real one.
    pub side: usize,
    /// What it does not say, in words.
    pub what: &'static str,
}

/// Whether channels tell beams apart: not if all have the same one and look up and down by other
/// angles, as those of scanners with one laser do.
pub fn channels_tell_beams_apart(records: &Records) -> bool {
    let one = records.channel.iter().all(|channel| Some(channel) == records.channel.first());
    let angles = records.elevation_deg.iter().filter(|angle| angle.is_finite());
    let (low, high) =
        angles.fold((f32::MAX, f32::MIN), |(low, high), a| (low.min(*a), high.max(*a)));
    !(one && high - low > ONE_ROW_DEG)
}

/// Beams within this angle are one row.
const ONE_ROW_DEG: f32 = 0.1;

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
    use understory_cloud::Record;

    fn known(change: impl Fn(&mut KnownColumns)) -> KnownColumns {
        let mut known = KnownColumns::default();
        let all = [&mut known.channel, &mut known.angles, &mut known.origin, &mut known.misses];
        all.into_iter().chain([&mut known.scan]).for_each(|column| *column = true);
        change(&mut known);
        known
    }

    #[test]
    fn one_laser_that_looks_everywhere_is_told_by_its_angles() {
        let rows = |rows: &[(u16, f32)]| {
            let mut records = Records::default();
            for &(channel, elevation_deg) in rows {
                records.push(Record { channel, elevation_deg, ..Record::miss() });
            }
            records
        };
        assert!(!channels_tell_beams_apart(&rows(&[(0, -3.0), (0, 2.0), (0, f32::NAN)])));
        assert!(channels_tell_beams_apart(&rows(&[(0, 1.0), (0, 1.01)])));
        assert!(channels_tell_beams_apart(&rows(&[(0, -3.0), (1, 2.0)])));
        assert!(channels_tell_beams_apart(&rows(&[])));
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
