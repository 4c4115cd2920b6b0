//! From a run to rows of its scans, from rows to a learned site, and from two counts of scans to
//! their distance.

use std::ops::Range;

use understory_cloud::Records;
use understory_compare::{OrientationHistograms, ScoreOptions};
use understory_learn::estimate::Settings;
use understory_learn::input::{BeamSource, Beams};
use understory_learn::site::{Model, Site};

use super::firing::fire;
use understory::Error;
use understory::pulse::PreparedRun;

/// Appends the first return of each pulse, or its miss.
pub fn add_beams(rows: &Records, beams: &mut Beams) {
    for row in 0..rows.len() {
        let range_m = if rows.is_miss(row) { f32::INFINITY } else { rows.distance_m(row) as f32 };
        beams.push(
            rows.origin_xyz_m[row].into(),
            rows.direction_xyz[row].into(),
            range_m,
            rows.intensity[row],
            rows.label[row],
        );
    }
}

/// Widening for sites that the same sensor sees from the same place, along the very rays from which
/// they were learned: between them nothing is asked. For new places it is chosen.
pub const SAME_RAYS: Option<f64> = Some(0.01);

/// A site learned by one estimator.
pub fn learn(taught: &dyn BeamSource, model: Model, settings: &Settings) -> Result<Site, Error> {
    Ok(understory_learn::estimate::learn(taught, model, settings, &understory_base::Silent)?.0)
}

/// Bhattacharyya distance of the finest bins, and how many orientations it is of.
pub fn distance(
    real: &OrientationHistograms,
    simulated: &OrientationHistograms,
) -> Result<(f64, usize), Error> {
    let options = ScoreOptions {
        splits: 0,
        drawings: 0,
        coarse_bins_m: Vec::new(),
        ..ScoreOptions::default()
    };
    let compared = real.compare(simulated, &options)?;
    let distance = compared.distances.first().map_or(f64::NAN, |distance| distance.distance);
    Ok((distance, compared.orientations))
}

/// First returns, or misses, of all pulses of the first sensor in some of its revolutions, one row
/// each, in firing order.
pub fn scan(run: &PreparedRun, revolutions: Range<u32>, seed: u64) -> Records {
    let mut firsts = Records::default();
    let Some(sensor) = run.sensors.first() else { return firsts };
    let at = |revolution: u32| {
        sensor.pattern.first_pulse_at(f64::from(revolution) * sensor.pattern.scan_duration_s())
    };
    let all = fire(run, sensor, seed, at(revolutions.start)..at(revolutions.end));
    let wanted = (0..all.len()).filter(|row| all.return_number[*row] <= 1);
    wanted.filter_map(|row| all.get(row)).for_each(|row| firsts.push(row));
    firsts
}
