//! One pulse, from the platform to the record. Start reading here.
//!
//! Pulses travel in batches held as columns; each step is a module of its name and fills columns
//! of the [`Batch`] from those before it. Every row depends on its pulse's index alone, so batches
//! may be cut anywhere and computed in any order.

use std::ops::Range;

use understory_cloud::Records;

use crate::Error;
use crate::beam::{Beams, Footprint};
use crate::detector::{Detections, Detector, Sample};
use crate::echo::{EchoCut, EchoSignal};
use crate::far_plants;
use crate::interaction::Interactions;
use crate::range_error::RangeReport;
use crate::record::record;
use crate::scan_pattern::{Pulses, ScanPattern};
use crate::scenario::Scenario;
use crate::scene::Scene;
use crate::scene::finish::Optics;
use crate::sensor::Sensor;
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
    sensor.pattern.fill(pulses, &mut b.pulses);
    run.trajectory.poses_at(&b.pulses.time_s, &sensor.platform_from_sensor, &mut b.poses);
    sensor.footprint.spread(&b.pulses, &b.poses, &mut b.beams);
    let distance_max_m = sensor.detector.distance_max_m();
    b.interactions.trace(&b.beams, &run.scene, &sensor.optics, distance_max_m);
    b.signal.receive(&b.interactions, &sensor.footprint, sensor.echo_cut);
    sensor.detector.detect(&b.interactions, &b.signal, &mut b.samples, &mut b.detections);
    let (report, index) = (&sensor.range_report, sensor.index);
    report.measure(&b.detections, &b.pulses, seed, index, &mut b.measured_m);
    record(sensor, b, records);
}

/// A scene, a platform in it and the sensors on that, ready to be run.
pub struct PreparedRun {
    /// What the rays meet.
    pub scene: Scene,
    /// Where the platform is.
    pub trajectory: Trajectory,
    /// The sensors; the one at place i has the index i.
    pub sensors: Vec<SensorRun>,
    /// Seed of all randomness.
    pub seed: u64,
    /// The run lasts from 0 to this time.
    pub duration_s: f64,
}

impl PreparedRun {
    /// Builds the scene of a scenario and everything else that its pulses need.
    pub fn new(scenario: &Scenario) -> Result<PreparedRun, Error> {
        PreparedRun::reporting(scenario, &|_, _| {})
    }

    /// Like [`PreparedRun::new`]; `report` hears what is built next and how much of it (0…1) is done.
    pub fn reporting(
        scenario: &Scenario,
        report: &dyn Fn(&str, f64),
    ) -> Result<PreparedRun, Error> {
        let scene = scenario.build_scene_reporting(report)?;
        let mut sensors = Vec::with_capacity(scenario.sensors.len());
        for (index, mounted) in scenario.sensors.iter().enumerate() {
            let index = u16::try_from(index).map_err(|_| Error::Invalid {
                place: format!("sensor {:?}", mounted.name),
                problem: format!("it is number {} and a run can have 65536 sensors", index + 1),
                remedy: "split the scenario".into(),
            })?;
            let pose = mounted.platform_from_sensor;
            let mut sensor = SensorRun::new(index, &mounted.sensor, pose, &scene);
            sensor.name.clone_from(&mounted.name);
            sensors.push(sensor);
        }
        let mut run = PreparedRun {
            scene,
            trajectory: scenario.trajectory.clone(),
            sensors,
            seed: scenario.seed,
            duration_s: scenario.duration_s,
        };
        far_plants::settle(&mut run, scenario.far_plants, report)?;
        Ok(run)
    }
}

/// One sensor with everything that the path of a pulse needs from it.
pub struct SensorRun {
    /// Its number among the sensors of the run, from 0.
    pub index: u16,
    /// Its name.
    pub name: String,
    /// Which way it looks, and when.
    pub pattern: ScanPattern,
    /// Where it sits on the platform.
    pub platform_from_sensor: Pose,
    /// The sub-rays of its beam.
    pub footprint: Footprint,
    /// Which sub-rays are too faint to count.
    pub echo_cut: EchoCut,
    /// Its receiver.
    pub detector: Detector,
    /// Largest intensity that it reports.
    pub saturation: f32,
    /// The error of its ranges and the form in which it reports them.
    pub range_report: RangeReport,
    /// Materials at its wavelength, by their number; place 0 is unused.
    pub optics: Vec<Optics>,
}

impl SensorRun {
    /// Sensor number `index` of a run, on the platform at `platform_from_sensor`, in `scene`.
    pub fn new(
        index: u16,
        sensor: &Sensor,
        platform_from_sensor: Pose,
        scene: &Scene,
    ) -> SensorRun {
        SensorRun {
            index,
            name: sensor.name.clone(),
            pattern: sensor.pattern.clone(),
            platform_from_sensor,
            footprint: match &sensor.halo {
                Some(halo) => Footprint::new(&sensor.beam).with_halo(&sensor.beam, halo),
                None => Footprint::new(&sensor.beam),
            },
            saturation: sensor.saturation,
            echo_cut: sensor.echo_cut,
            detector: Detector::new(sensor.detector),
            range_report: sensor.range_report.clone(),
            optics: scene.optics(sensor.wavelength_nm),
        }
    }
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
