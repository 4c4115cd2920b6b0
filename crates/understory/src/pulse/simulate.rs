//! One pulse, from the platform to the record. Start reading here.
//!
//! Pulses travel in batches held as columns; each step is a module of its name and fills columns
//! of the [`Batch`] from those before it. Every row depends on its pulse's index alone, so batches
//! may be cut anywhere and computed in any order.

use std::ops::Range;

use understory_cloud::Records;

use crate::pulse::atmosphere::BeamsInAir;
use crate::pulse::batch::Batch;
use crate::pulse::detector::Light;
use crate::pulse::interaction::SceneOverTime;
use crate::pulse::prepared_run::{PreparedRun, SensorRun};
use crate::pulse::record::record;
use crate::rng::BatchKey;

/// Simulates the pulses `pulses` of `sensor` and appends their rows to `records`.
pub fn simulate_batch(
    run: &PreparedRun,
    sensor: &SensorRun,
    seed: u64,
    pulses: Range<u64>,
    batch: &mut Batch,
    records: &mut Records,
) {
    let b = batch;
    let key = BatchKey { seed, sensor: sensor.index, first_pulse: pulses.start };
    // Pattern: which way each pulse goes, by which channel, and when.
    sensor.pattern.fill(pulses, &mut b.pulses);
    // Platform: where the sensor is at these times.
    b.set_poses(run, sensor);
    // Beam: weighted sub-rays over the footprint.
    sensor.footprint.spread(&b.pulses, &b.poses, &mut b.beams);
    if !run.scene.sites.is_empty() {
        // Learned sites are queried along the axis that the sensor reports.
        b.beams.set_reported_axes(&sensor.pattern, &b.pulses, &b.poses);
    }
    // World: what moves is where it is at these times, then what the sub-rays hit.
    b.fit_movers(&run.scene);
    let world = SceneOverTime { scene: &run.scene, movers: &b.movers, times_s: &b.pulses.time_s };
    let distance_max_m = sensor.detector.distance_max_m();
    let blooming = sensor.blooming.as_deref();
    b.interactions.trace_with_halo(&b.beams, &world, &sensor.optics, distance_max_m, key, blooming);
    // Air: it takes light from what was hit and sends back some of its own.
    if let Some(air) = &sensor.air {
        let through =
            BeamsInAir { beams: &b.beams, footprint: &sensor.footprint, times_s: &b.pulses.time_s };
        air.attenuate(&through, key, &mut b.interactions, &mut b.air);
    }
    // Signal: the light that comes back from each hit.
    b.signal.receive(&b.interactions, &sensor.footprint, sensor.sensitivity);
    if sensor.air.is_none() {
        b.signal.keep_detected(&b.interactions, &sensor.footprint);
    }
    // Grains and flicker in that light.
    let error = &sensor.range_model.error;
    error.fluctuate(&b.interactions, &sensor.footprint, &mut b.signal, key);
    // Detection: returns, nearest first.
    let light =
        Light { interactions: &b.interactions, signal: &b.signal, footprint: &sensor.footprint };
    sensor.detector.detect(&light, key, &mut b.detector, &mut b.detections);
    // Error: rain and turbulence scatter ranges, then the sensor measures them.
    if let Some(air) = &sensor.air {
        air.scatter_ranges(&mut b.detections, key);
    }
    error.wander(&b.interactions, &mut b.detections, key);
    sensor.range_model.measure(&b.detections, &b.pulses, key, &mut b.measured_m);
    sensor.detector.keep_reported(&mut b.detections, &mut b.measured_m);
    // Record: measurement beside truth.
    record(&run.scene, sensor, b, records);
}
