//! Ranges in a stand of grass: simulated through the whole path, and drawn directly.

use rayon::prelude::*;
use understory_cloud::Records;

use crate::goodin::altered;
use crate::grass_theory::{SampledBeam, StemStand};
use understory::Error;
use understory::pulse::beam::Sampling;
use understory::pulse::{Batch, SensorRun, simulate_batch};
use understory::rng::{PulseRng, Stage};

/// How deep the stands are.
pub const DEPTH_M: f64 = 5.0;
/// Sideways distance from pulse to pulse.
const SPACING_M: f64 = 9.6 / 4000.0;
/// The stencil of the scenarios, which matches the second moments of the spot, in spot radii.
pub const MATCHED: f64 = 0.866_025_403_784_438_6;
/// The stencil as Goodin prints it.
pub const PRINTED: f64 = std::f64::consts::SQRT_2 / 4.0;
/// A cutoff so short that only the first stem counts.
const FIRST_M: f64 = 0.001;

/// Ranges of many independent beams, sorted; infinite where nothing was met.
#[derive(Default)]
pub struct Ranges {
    /// To the first stem.
    pub first_m: Vec<f64>,
    /// Means over all sub-rays.
    pub mean_m: Vec<f64>,
    /// The same with the smaller stencil that Goodin prints.
    pub small_spot_m: Vec<f64>,
}

impl Ranges {
    fn sort(&mut self) {
        for ranges in [&mut self.first_m, &mut self.mean_m, &mut self.small_spot_m] {
            ranges.sort_by(f64::total_cmp);
        }
    }
}

/// Ranges of a scenario's beam in `stands` stands, each grown from a seed of its own. Beams are so
/// far apart that no stem is met by two.
pub fn simulated(stand: &StemStand, seed: u64, stands: u64) -> Result<Ranges, Error> {
    // No two stands, of whatever kind, grow from the same seed; seeds of files are signed.
    let kind = (stand.distance_m + stand.stems_per_m2 * (1.0 + 1e3 * stand.diameter_m)) as u64;
    let first = seed.wrapping_mul(1 << 32).wrapping_add(kind << 16);
    let one = |number: u64| one_stand(stand, first.wrapping_add(number) & i64::MAX as u64);
    let parts: Result<Vec<Ranges>, Error> = (1..=stands).into_par_iter().map(one).collect();
    let mut all = Ranges::default();
    for part in parts? {
        all.first_m.extend(part.first_m);
        all.mean_m.extend(part.mean_m);
        all.small_spot_m.extend(part.small_spot_m);
    }
    all.sort();
    Ok(all)
}

fn one_stand(stand: &StemStand, seed: u64) -> Result<Ranges, Error> {
    let StemStand { stems_per_m2, diameter_m, distance_m, .. } = *stand;
    let name = format!("grass-stand-{stems_per_m2}-{:.0}mm-{distance_m}m", 1e3 * diameter_m);
    let scenario = altered(&name, &[("seed = 1\n", &format!("seed = {seed}\n"))])?;
    let run = scenario.prepare()?;
    let mut ranges = Ranges::default();
    let Some(mounted) = scenario.sensors.first() else { return Ok(ranges) };
    let mut sensors = [(); 3].map(|()| mounted.sensor.clone());
    sensors[0].detector.signal_cutoff_m = FIRST_M;
    sensors[2].beam.sampling = Sampling::Paper;
    let sensors =
        sensors.map(|sensor| SensorRun::new(0, &sensor, mounted.platform_from_sensor, &run.scene));
    let stride = (SampledBeam::goodin(*stand, DEPTH_M, MATCHED).widest_m() / SPACING_M).ceil();
    let (mut batch, mut rows) = (Batch::default(), Records::default());
    let pulses = sensors[0].pattern.first_pulse_at(scenario.duration_s);
    for pulse in (0..pulses).step_by(stride as usize) {
        let mut range_m = |sensor: &SensorRun| {
            rows.clear();
            simulate_batch(&run, sensor, seed, pulse..pulse + 1, &mut batch, &mut rows);
            // Round fronts may be met before the edge, where models have nothing.
            let met = rows.get(0).filter(|row| row.object != 0);
            met.map_or(f64::INFINITY, |row| f64::from(row.range_m).max(distance_m))
        };
        ranges.first_m.push(range_m(&sensors[0]));
        ranges.mean_m.push(range_m(&sensors[1]));
        ranges.small_spot_m.push(range_m(&sensors[2]));
    }
    Ok(ranges)
}

/// Means over the sub-rays of `beams` beams that were drawn directly, sorted.
pub fn drawn(stand: &StemStand, stencil: f64, seed: u64, beams: u64) -> Vec<f64> {
    let beam = SampledBeam::goodin(*stand, DEPTH_M, stencil);
    let draw = |number: u64| {
        let mut random = PulseRng::new(seed, 0, number, Stage::FigureStems);
        beam.draw(&mut random).map_or(f64::INFINITY, |drawn| drawn.mean_m.max(stand.distance_m))
    };
    let mut ranges: Vec<f64> = (0..beams).into_par_iter().map(draw).collect();
    ranges.sort_by(f64::total_cmp);
    ranges
}
