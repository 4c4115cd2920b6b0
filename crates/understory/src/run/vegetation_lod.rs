//! Far plants cheaper, honestly: coarser LOD levels beyond some distance, and what they change.
//!
//! What enters: what the scenario wants ([`VegetationLod`]) and a run whose plants have coarser
//! versions. What leaves: the distances from which they are traced, and a [`VegetationLodReport`] with
//! the measured effect on the range histograms.
//!
//! Version k lacks detail below [`VegetationLod::details_m`]; see
//! [`Plant::lod`](understory_plants::Plant::lod). The effect is measured on a sample of
//! the run's own pulses, over its whole duration whatever interval is simulated (`effect` says
//! how). `auto` takes the nearest distance whose excess is, with 95 % probability, within
//! [`MAX_EXCESS`].

mod effect;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use understory_base::math;

use rayon::prelude::*;
use understory_cloud::Records;

use understory_base::Progress;

use crate::Error;
use crate::pulse::{Batch, PreparedRun, simulate_batch};
use crate::world::scene::Scene;
use crate::world::vegetation_lod::{MAX_EXCESS, VegetationLod, VegetationLodReport, doubled};
use effect::{Effect, NO_RETURN, Row};

/// Distances of the first version that `auto` considers: this one, and up by a quarter of an
/// octave.
const NEAREST_AUTO_M: f64 = 2.0;
const AUTO_STEPS: u32 = 24;

/// Pulses of the sample, and how many follow each other in it.
const SAMPLE_PULSES: u64 = 131_072;
const BLOCK_PULSES: u64 = 4096;

/// Bins of the range histograms.
const RANGE_BIN_M: f32 = 0.5;
const SECTORS: u64 = 8;

/// Shortest run for which `auto` measures: about eight samples are simulated for it, which must not
/// cost more than coarser plants save.
pub const AUTO_PULSES_MIN: u64 = 64 * SAMPLE_PULSES;

/// Decides from which distances on coarser LOD levels are traced, and measures what they change.
pub fn settle(
    run: &mut PreparedRun,
    wanted: VegetationLod,
    progress: &dyn Progress,
) -> Result<(), Error> {
    if wanted == VegetationLod::Off {
        return Ok(());
    }
    if wanted == VegetationLod::Auto && pulses(run) < AUTO_PULSES_MIN {
        scene_of(run)?.rays.set_lod_distances(&[])?;
        scene_of(run)?.vegetation_lod = Some(VegetationLodReport::not_measured());
        return Ok(());
    }
    progress.step("effect of vegetation LOD", 1.0);
    let sample = Sample::of(run);
    scene_of(run)?.rays.set_lod_distances(&[])?;
    let full = sample.simulate(run);
    let mut measured = |from_m: Vec<f64>| -> Result<VegetationLodReport, Error> {
        scene_of(run)?.rays.set_lod_distances(&from_m)?;
        let effect = Effect::of(&full, &sample.simulate(run));
        tracing::debug!(?from_m, ?effect, "vegetation LOD");
        Ok(VegetationLodReport {
            auto: wanted == VegetationLod::Auto,
            from_m,
            detail_m: wanted.details_m(),
            distance: effect.distance,
            floor: effect.floor,
            excess: effect.excess(),
            excess_bound: effect.excess_bound(),
            pulses: effect.pulses,
            affected_share: effect.affected as f64 / effect.pulses.max(1) as f64,
        })
    };
    let chosen = match wanted {
        VegetationLod::From { from_m } => measured(doubled(from_m))?,
        _ => {
            // The nearest distance that is good enough, by halving the ladder.
            let (mut bad, mut good) = (0, AUTO_STEPS);
            let mut best = measured(Vec::new())?;
            while bad < good {
                let step = (bad + good) / 2;
                let nearest_m = NEAREST_AUTO_M * math::exp2(f64::from(step) / 4.0);
                let trial = measured(doubled(nearest_m))?;
                if trial.excess_bound <= MAX_EXCESS {
                    (good, best) = (step, trial);
                } else {
                    bad = step + 1;
                }
            }
            best
        }
    };
    scene_of(run)?.rays.set_lod_distances(&chosen.from_m)?;
    scene_of(run)?.vegetation_lod = Some(chosen);
    Ok(())
}

/// What was measured before for the same run, in place of [`settle`].
pub fn settle_as_before(run: &mut PreparedRun, before: VegetationLodReport) -> Result<(), Error> {
    scene_of(run)?.rays.set_lod_distances(&before.from_m)?;
    scene_of(run)?.vegetation_lod = Some(before);
    Ok(())
}

/// Pulses of all sensors.
fn pulses(run: &PreparedRun) -> u64 {
    run.sensors.iter().map(|sensor| sensor.pattern.first_pulse_at(run.duration_s)).sum()
}

/// The scene of a run that has no copies yet.
fn scene_of(run: &mut PreparedRun) -> Result<&mut Scene, Error> {
    Arc::get_mut(&mut run.scene).ok_or_else(|| {
        Error::invalid(
            "vegetation_lod",
            "another run shares the scene",
            "settle them before copying",
        )
    })
}

/// Pulses of a run in short blocks spread over its whole duration.
struct Sample {
    blocks: Vec<(usize, Range<u64>)>,
}

impl Sample {
    fn of(run: &PreparedRun) -> Sample {
        let quota = SAMPLE_PULSES / run.sensors.len().max(1) as u64;
        let mut blocks = Vec::new();
        for (index, sensor) in run.sensors.iter().enumerate() {
            let total = sensor.pattern.first_pulse_at(run.duration_s);
            let count = quota.min(total).div_ceil(BLOCK_PULSES);
            for block in 0..count {
                // Spread unevenly, lest blocks and revolutions keep step.
                let jitter = (block as f64 * 0.618_033_988_749_895).fract();
                let first = if total <= quota {
                    block * BLOCK_PULSES
                } else {
                    (total as f64 * ((block as f64 + jitter) / count as f64)) as u64
                };
                let next = total.min(first.saturating_add(BLOCK_PULSES));
                blocks.push((index, first..next));
            }
        }
        Sample { blocks }
    }

    /// Rows of all blocks, in the order of the blocks.
    fn simulate(&self, run: &PreparedRun) -> Vec<Vec<Row>> {
        let scratch = || (Batch::default(), Records::default());
        let block = |(batch, records): &mut (Batch, Records), block: &(usize, Range<u64>)| {
            let (sensor, pulses) = block;
            records.clear();
            let mut first = pulses.start;
            while first < pulses.end {
                let end = pulses.end.min(first + 512);
                simulate_batch(run, &run.sensors[*sensor], run.seed, first..end, batch, records);
                first = end;
            }
            rows(records)
        };
        self.blocks.par_iter().map_init(scratch, block).collect()
    }
}

/// The rows of one sensor's records, the pulses of each channel counted.
fn rows(records: &Records) -> Vec<Row> {
    let mut turn_of_channel: BTreeMap<u16, u8> = BTreeMap::new();
    let mut rows: Vec<Row> = Vec::with_capacity(records.len());
    for i in 0..records.len() {
        let channel = records.channel[i];
        let pulse = records.pulse[i];
        let same_pulse = rows.last().filter(|row| row.pulse == pulse).map(|row| row.turn);
        let turn = same_pulse.unwrap_or_else(|| {
            let turn = turn_of_channel.entry(channel).or_default();
            *turn = turn.wrapping_add(1);
            *turn
        });
        let around = (f64::from(records.azimuth_deg[i]) + 180.0) / 360.0;
        let sector = ((around * SECTORS as f64) as u64).min(SECTORS - 1);
        let (sensor, channel) = (u64::from(records.sensor[i]), u64::from(channel));
        let range_m = records.range_m[i];
        let range_bin = if records.is_miss(i) { NO_RETURN } else { (range_m / RANGE_BIN_M) as u32 };
        rows.push(Row {
            pulse,
            range_bits: range_m.to_bits(),
            cell: (sensor << 16 | channel) * SECTORS + sector,
            range_bin,
            turn,
        });
    }
    rows
}

#[cfg(test)]
mod tests;
