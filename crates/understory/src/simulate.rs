//! One pulse, from the platform to the record. Start reading here.
//!
//! Pulses travel in batches held as columns; each step is a module of its name and fills columns
//! of the [`Batch`] from those before it. Every row depends on its pulse's index alone, so batches
//! may be cut anywhere and computed in any order.

use std::ops::Range;

use understory_cloud::Records;

use crate::beam::{Beams, Footprint};
use crate::detector::{Detections, Detector, Sample};
use crate::echo::{EchoCut, EchoSignal};
use crate::interaction::{Interactions, World};
use crate::range_error::RangeReport;
use crate::record::record;
use crate::scan_pattern::Pulses;
use crate::trajectory::{Pose, Poses, Trajectory};

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
    sensor.pattern.fire(pulses, &mut b.pulses);
    run.trajectory.poses_at(&b.pulses.time_s, &sensor.platform_from_sensor, &mut b.poses);
    sensor.footprint.spread(&b.pulses, &b.poses, &mut b.beams);
    let distance_max_m = sensor.detector.distance_max_m();
    b.interactions.trace(&b.beams, &*run.world, &sensor.reflectance, distance_max_m);
    b.signal.receive(&b.interactions, &sensor.footprint, sensor.echo_cut);
    sensor.detector.detect(&b.interactions, &b.signal, &mut b.samples, &mut b.detections);
    let (index, first) = (sensor.index, b.pulses.first);
    sensor.range_report.measure(&b.detections, seed, index, first, &mut b.measured_m);
    record(sensor, b, records);
}

/// A world, a platform in it and the sensors on that, ready to be run.
pub struct PreparedRun {
    /// What the rays meet.
    pub world: Box<dyn World>,
    /// Where the platform is.
    pub trajectory: Trajectory,
    /// The sensors; the one at place i has the index i.
    pub sensors: Vec<SensorRun>,
    /// Seed of all randomness.
    pub seed: u64,
    /// The run lasts from 0 to this time.
    pub duration_s: f64,
}

/// One sensor with everything that the path of a pulse needs from it.
pub struct SensorRun {
    /// Its number among the sensors of the run, from 0.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Which way it looks, and when.
    pub pattern: Box<dyn FiringPattern>,
    /// Where it sits on the platform.
    pub platform_from_sensor: Pose,
    /// The sub-rays of its beam.
    pub footprint: Footprint,
    /// Which sub-rays are too faint to count.
    pub echo_cut: EchoCut,
    /// Its receiver.
    pub detector: Detector,
    /// The error of its ranges and their step.
    pub range_report: RangeReport,
    /// Reflectance at its wavelength, indexed by material; place 0 is unused.
    pub reflectance: Vec<f32>,
}

/// Directions and times of pulses as a pure function of their index.
pub trait FiringPattern: Send + Sync {
    /// Fills `pulses` with those of these indices.
    fn fire(&self, indices: Range<u64>, pulses: &mut Pulses);

    /// Index of the first pulse that is fired at `time_s` or later; never falls as time rises.
    fn first_pulse_at(&self, time_s: f64) -> u64;
}

/// The columns of all steps for a batch of pulses, kept by one thread from batch to batch.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// From the pattern, in the sensor's frame.
    pub pulses: Pulses,
    /// From the platform: the pose `world_from_sensor` of each pulse.
    pub poses: Poses,
    /// From the footprint: the sub-rays in the world.
    pub beams: Beams,
    /// From the world: what the sub-rays met.
    pub interactions: Interactions,
    /// From the echo: what came back.
    pub signal: EchoSignal,
    /// Scratch of the detector.
    pub samples: Vec<Sample>,
    /// From the detector: the returns.
    pub detections: Detections,
    /// From the range error: the measured range of each detection.
    pub measured_m: Vec<f64>,
}
