//! Pulses of one sensor on all processors, into memory and in firing order.

use std::ops::Range;
use understory_base::math;

use rayon::prelude::*;
use understory_cloud::Records;

use understory::pulse::{Batch, PreparedRun, SensorRun, simulate_batch};
use understory::run::JOB_PULSES;

/// All rows of a range of pulses, in firing order, on all processors.
pub(super) fn fire(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
) -> Records {
    fire_where(run, sensor, seed, pulses, &|_| true)
}

/// Rows of those jobs of which a pulse looks where it is `wanted`, by its azimuth in degrees in the
/// sensor's frame.
pub(super) fn fire_where(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
    wanted: &(dyn Fn(f64) -> bool + Sync),
) -> Records {
    let starts: Vec<u64> = pulses.clone().step_by(JOB_PULSES as usize).collect();
    let job = |batch: &mut Batch, first: u64| {
        let mut rows = Records::default();
        let here = first..(first + JOB_PULSES).min(pulses.end);
        sensor.pattern.fill(here.clone(), &mut batch.pulses);
        let mut directions = batch.pulses.direction.iter();
        if directions.any(|ahead| wanted(math::atan2(ahead.y, ahead.x).to_degrees())) {
            simulate_batch(run, sensor, seed, here, batch, &mut rows);
        }
        rows
    };
    let parts: Vec<Records> =
        starts.into_par_iter().map_init(Batch::default, |batch, first| job(batch, first)).collect();
    let mut all = Records::default();
    parts.iter().for_each(|part| all.append(part));
    all
}
