//! What is stored and what is to be simulated, in rising order.

use crate::Error;
use crate::pulse::PreparedRun;

use super::checkpoint::StoredBlock;
use super::plan::Plan;

/// A piece of a run.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// On disk.
    Stored(StoredBlock),
    /// To be simulated.
    Gap(Plan),
}

/// Everything of `whole`: stored blocks that fit one after another, and the gaps between them.
/// Blocks that overlap with one before them are passed over.
pub(super) fn schedule(run: &PreparedRun, whole: &Plan, blocks: &[StoredBlock]) -> Vec<Piece> {
    let sensors = run.sensors.len();
    let mut pieces = Vec::new();
    let mut at = whole.from.clone();
    for block in blocks {
        let fits = block.from.pulses.len() == sensors
            && block.from.is_behind(&at)
            && block.to.is_behind(&block.from)
            && whole.to.is_behind(&block.to);
        if !fits {
            continue;
        }
        if block.from.pulses != at.pulses {
            pieces.push(Piece::Gap(Plan::between(at, block.from.clone())));
        }
        at = block.to.clone();
        pieces.push(Piece::Stored(block.clone()));
    }
    if at.pulses != whole.to.pulses {
        pieces.push(Piece::Gap(Plan::between(at, whole.to.clone())));
    }
    pieces
}

/// Refuses gaps, and names the first few of them.
pub(super) fn refuse_gaps(pieces: &[Piece]) -> Result<(), Error> {
    const SHOWN: usize = 5;
    let gaps = pieces.iter().filter_map(|piece| match piece {
        Piece::Gap(plan) => Some(format!("{}..{}", plan.from.time_s, plan.to.time_s)),
        Piece::Stored(_) => None,
    });
    let gaps: Vec<String> = gaps.collect();
    if gaps.is_empty() {
        return Ok(());
    }
    let more = match gaps.len() {
        all if all > SHOWN => format!(" and {} more", all - SHOWN),
        _ => String::new(),
    };
    let named = gaps.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    Err(Error::invalid(
        "parts",
        format!("not all of the run is there: {named} s{more} is missing"),
        "simulate that with `understory run --interval A..B --parts DIR` and give its folder too",
    ))
}
