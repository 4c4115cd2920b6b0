//! Orientations that two recordings have in common.

use super::OrientationHistograms;
use super::histograms::OUTSIDE;
use crate::CompareError;

/// Orientations that a thread takes at once; fixed, so that sums do not depend on threads.
pub(super) const CHUNK: usize = 64;

/// One orientation in both recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) real: usize,
    pub(super) simulated: usize,
}

/// What is compared, and what has no partner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pairs {
    pub(super) list: Vec<Pair>,
    /// Orientations in which the real recording sees the region and the simulated one never fired.
    pub(super) unpartnered: usize,
    /// Blocks of scans that occur in the pairs.
    pub(super) real_blocks: u64,
    pub(super) simulated_blocks: u64,
    /// Pulses of the pairs.
    pub(super) real_pulses: u64,
    pub(super) simulated_pulses: u64,
    pub(super) simulated_no_return: u64,
    pub(super) real_no_return: u64,
}

impl Pairs {
    /// Pairs of all orientations in which the real recording has a return in the region.
    pub(super) fn find(
        real: &OrientationHistograms,
        simulated: &OrientationHistograms,
    ) -> Result<Pairs, CompareError> {
        let mut pairs = Pairs::default();
        let others = simulated.orientations();
        let mut other = 0;
        let mut seen = 0;
        for (index, (orientation, histogram)) in real.iter().enumerate() {
            if !histogram.has_range() {
                continue;
            }
            seen += 1;
            while others.get(other).is_some_and(|o| *o < orientation) {
                other += 1;
            }
            if others.get(other) != Some(&orientation) {
                pairs.unpartnered += 1;
                continue;
            }
            let partner = simulated.histogram(other);
            pairs.list.push(Pair { real: index, simulated: other });
            for (histogram, blocks, pulses, no_return) in [
                (
                    histogram,
                    &mut pairs.real_blocks,
                    &mut pairs.real_pulses,
                    &mut pairs.real_no_return,
                ),
                (
                    partner,
                    &mut pairs.simulated_blocks,
                    &mut pairs.simulated_pulses,
                    &mut pairs.simulated_no_return,
                ),
            ] {
                *blocks |= histogram.blocks.iter().fold(0, |mask, block| mask | 1 << block);
                *pulses += histogram.pulses();
                let entries = histogram.bins.iter().zip(histogram.counts).rev();
                let missed = entries.take_while(|(bin, _)| **bin > OUTSIDE);
                *no_return += missed.map(|(_, &count)| u64::from(count)).sum::<u64>();
            }
        }
        if seen == 0 {
            return Err(CompareError::NothingInRegion);
        }
        if pairs.list.is_empty() {
            return Err(CompareError::NoCommonOrientation {
                real: described(real),
                simulated: described(simulated),
            });
        }
        Ok(pairs)
    }
}

/// Sensors, rows and azimuths of a recording, in words.
fn described(of: &OrientationHistograms) -> String {
    let (Some(first), Some(last)) = (of.orientations().first(), of.orientations().last()) else {
        return "nothing".to_owned();
    };
    let rows = of.orientations().iter().map(|o| o.row.row);
    let (low, high) = rows.fold((i32::MAX, i32::MIN), |(a, b), row| (a.min(row), b.max(row)));
    let row = match of.options().by {
        super::OrientationBy::Channel => "channels",
        _ => "rows of elevation",
    };
    let sensors = match (first.row.sensor, last.row.sensor) {
        (a, b) if a == b => format!("sensor {a}"),
        (a, b) => format!("sensors {a} to {b}"),
    };
    format!("{} orientations of {sensors}, {row} {low} to {high}", of.orientations().len())
}
